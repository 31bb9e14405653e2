// SPDX-License-Identifier: Apache-2.0
// Operands of machine instructions as the tracer of Accel-Sim names them, so that the timing model
// takes executed machine code as it takes a recorded trace of it.
#include "modules/execution/instruction_descriptors.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/program/scheduling_class.h"
#include "modules/sass/decoder.h"

#include <algorithm>

namespace simtlm::execution {

namespace {

using program::op_class;
using program::static_instruction;
using sass::operand_kind;

/// What a trace line says of an instruction: the general register that is its first operand as the
/// destination, all other general registers, and those that addresses begin with, as sources.
/// Predicates, uniform registers and constants are left out.
isa::instruction_text recorded_text(const sass::instruction& i, const char* opcode) {
    isa::instruction_text t;
    t.opcode = opcode;
    const auto add_source = [&](unsigned index) {
        if (t.n_src < isa::max_sources) t.src[t.n_src++] = static_cast<std::uint8_t>(index);
    };
    for (unsigned n = 0; n < i.operand_count; ++n) {
        const sass::operand& o = i.operands[n];
        switch (o.kind) {
            case operand_kind::reg:
                if (n == 0)
                    t.dst[t.n_dst++] = o.index;
                else
                    add_source(o.index);
                break;
            case operand_kind::relative_register:
                add_source(o.index);
                break;
            case operand_kind::address:
                add_source(o.base);
                break;
            case operand_kind::integer:
            case operand_kind::target:
                // The last one is told.
                t.n_immediates = 1;
                t.immediates[0] = o.kind == operand_kind::target
                                      ? static_cast<std::int64_t>(o.value)
                                      : static_cast<std::int32_t>(o.value);
                break;
            default:
                break;
        }
    }
    return t;
}

/// Barriers: a trace does not tell operands in registers; here they are known when they execute.
void set_barrier(static_instruction& s, const sass::instruction& i) {
    if (s.cls != op_class::barrier || s.barrier == program::barrier_kind::none) return;
    s.barrier_id = 0;
    s.barrier_threads = 0;
    if (i.operand_count > 0 && i.operands[0].kind == operand_kind::integer)
        s.barrier_id = static_cast<std::int16_t>(i.operands[0].value & 15);
    if (i.operand_count > 1 && i.operands[1].kind == operand_kind::integer)
        s.barrier_threads = static_cast<std::int32_t>(i.operands[1].value);
}

}  // namespace

std::shared_ptr<const instruction_descriptors> describe_machine_code(
    const sass_image& image, const instruction_timing& timing) {
    const sass::cubin& source = image.source();
    const auto& functions = source.functions();
    const unsigned version = image.architecture();
    const auto tables =
        timing.opcodes != nullptr
            ? timing.opcodes
            : std::make_shared<const isa::opcode_tables>(isa::opcode_tables::builtin());
    const isa::opcode_tables& opcodes = *tables;

    // Kernels count from 0, as in traces; what they call lies behind the longest of them.
    std::vector<std::uint64_t> base(functions.size());
    std::uint64_t end = 0;
    for (const sass::cubin_function& f : functions)
        if (f.is_kernel) end = std::max<std::uint64_t>(end, f.code.size());
    for (std::size_t n = 0; n < functions.size(); ++n) {
        if (functions[n].is_kernel) continue;
        base[n] = end;
        end += functions[n].code.size();
    }

    isa::opcode_entry unknown;
    unknown.cls = op_class::integer;
    std::vector<static_instruction> instructions;
    std::vector<code_range> ranges;
    instructions.reserve(image.places().size());
    for (std::uint32_t index = 0; index < image.places().size(); ++index) {
        const sass_image::place& at = image.places()[index];
        const sass::cubin_function& f = functions[at.function];
        const auto number = static_cast<std::uint32_t>(at.offset / sass::instruction_bytes);
        const auto count = static_cast<std::uint32_t>(f.instructions());
        if (number == 0)
            ranges.push_back({at.function, index, index + count, f.is_kernel, count != 0});
        if (number == count) {
            ranges.push_back({at.function, index, index + 1, f.is_kernel, false});
            static_instruction s;
            s.pc = base[at.function] + at.offset;
            s.opcode = image.opcode_of(index);
            s.cls = op_class::exit;
            instructions.push_back(s);
            continue;
        }
        const sass::instruction_word word = f.word(number);
        sass::instruction i;
        sass::decode(word, version, at.offset, i);
        isa::instruction_text text = recorded_text(i, image.opcode_of(index));
        text.pc = base[at.function] + at.offset;
        text.source_line = image.source_line(at);
        const isa::opcode_entry* const known = opcodes.find(version, isa::base_opcode(text.opcode));
        static_instruction s =
            isa::decode(known != nullptr ? *known : unknown, text, timing.machine_code);
        set_barrier(s, i);
        constexpr unsigned control_begins = 105, control_bits = 21;
        s.control = program::control_bits::decode(
            static_cast<std::uint32_t>(word.bits(control_begins, control_bits)));
        instructions.push_back(s);
    }
    return std::make_shared<const instruction_descriptors>(std::move(instructions),
                                                           std::move(ranges), 256);
}

}  // namespace simtlm::execution
