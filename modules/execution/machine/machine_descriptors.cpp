// SPDX-License-Identifier: Apache-2.0
// Operands of machine instructions as named by Accel-Sim's tracer, so that executed machine code
// has the same timing as a recorded trace of it.
#include "modules/execution/machine/machine_description.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/isa/scheduling.h"
#include "modules/sass/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::execution {

namespace {

using isa::opcode;
using program::op_class;
using program::static_instruction;
using sass::modifier;
using sass::operand_kind;

/// Texture fetches and surface accesses. Traces of hardware have no addresses of them, so that the
/// opcode tables do not say that they access memory; here the addresses are known.
bool is_fetch(opcode o) {
    return o == opcode::TEX || o == opcode::TLD || o == opcode::TLD4 || o == opcode::TXD;
}
bool is_surface_access(opcode o) {
    return o == opcode::SULD || o == opcode::SUST || o == opcode::SURED;
}

/// The entry of an opcode, with the memory access of fetches, surface accesses and prefetches.
isa::opcode_entry with_access(isa::opcode_entry entry, const sass::instruction& i) {
    if (is_prefetch(i)) {
        entry.cls = op_class::load;
        entry.space = program::memory_space::global;
    } else if (is_fetch(i.opcode)) {
        entry.cls = op_class::load;
        entry.space = program::memory_space::texture;
    } else if (is_surface_access(i.opcode)) {
        entry.cls = i.opcode == opcode::SUST ? op_class::store : op_class::load;
        entry.space = program::memory_space::global;
        entry.atomic = i.opcode == opcode::SURED;
    }
    return entry;
}

/// The size of the block that a load fetches into the L2 when it misses there; 0: not named.
std::uint16_t l2_block_of(const sass::instruction& i) {
    return i.has(modifier::LTC64B)    ? 64
           : i.has(modifier::LTC128B) ? 128
           : i.has(modifier::LTC256B) ? 256
                                      : 0;
}

/// The access size of fetches and surface accesses, and what is fetched in advance. The size of a
/// texel is not known here; it is in one sector.
void set_access(static_instruction& s, const sass::instruction& i) {
    s.l2_block = l2_block_of(i);
    if (is_prefetch(i))
        set_prefetch(s, !i.has(modifier::PF1));
    else if (is_fetch(i.opcode) || (is_surface_access(i.opcode) && i.has(modifier::P)))
        s.data_size = 4;
    else if (i.opcode == isa::opcode::SURED && i.has(modifier::SD64))
        s.data_size = 8;
}

/// What only affects how long an instruction takes, and is ignored (docs/sass.md); empty: nothing.
std::string ignored_hint_of(const sass::instruction& i) {
    const auto first_of = [&i](std::initializer_list<modifier> modifiers) {
        for (const modifier m : modifiers)
            if (i.has(m)) return sass::name_of(m);
        return std::string_view{};
    };
    if (i.opcode == opcode::CCTL) {
        const std::string_view action =
            first_of({modifier::WB, modifier::IV, modifier::RS, modifier::DML2, modifier::RML2,
                      modifier::WBALL, modifier::WBALLP});
        return action.empty() ? std::string() : fmt::format("CCTL.{}", action);
    }
    const std::string_view name = isa::name_of(i.opcode);
    if (name.substr(0, 2) != "LD" && name.substr(0, 2) != "ST") return {};
    const std::string_view priority =
        first_of({modifier::EF, modifier::EL, modifier::EU, modifier::NA});
    return priority.empty() ? std::string() : fmt::format("priority {}", priority);
}

/// The part of an instruction that is recorded in a trace line: the general register in its first
/// operand as destination; all other general registers, including base registers of addresses, as
/// sources. Predicates, uniform registers and constants are omitted.
isa::instruction_text recorded_text(const sass::instruction& i, const char* opcode) {
    isa::instruction_text t;
    t.opcode = opcode;
    const auto add_source = [&](unsigned index) {
        if (t.n_src < isa::max_sources) t.src[t.n_src++] = static_cast<std::uint8_t>(index);
    };
    // Fetches have two pairs of results, after an optional predicate.
    const bool fetches = is_fetch(i.opcode);
    const unsigned first = fetches && i.operands[0].kind == operand_kind::predicate ? 1 : 0;
    const unsigned results = fetches ? 2 : 1;
    for (unsigned n = 0; n < i.operand_count; ++n) {
        const sass::operand& o = i.operands[n];
        switch (o.kind) {
            case operand_kind::reg:
                if (n >= first && n < first + results)
                    t.dst[t.n_dst++] = o.index;
                else
                    add_source(o.index);
                break;
            case operand_kind::relative_register:
                if (!o.has_uniform) add_source(o.index);
                break;
            case operand_kind::address:
                add_source(o.base);
                break;
            case operand_kind::integer:
            case operand_kind::target:
                // The last one is recorded.
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

/// Barriers: a trace does not record register operands; here their values are known at execution.
void set_barrier(static_instruction& s, const sass::instruction& i) {
    if (s.cls != op_class::barrier || s.barrier == program::barrier_kind::none) return;
    s.barrier_id = 0;
    s.barrier_threads = 0;
    if (i.operand_count > 0 && i.operands[0].kind == operand_kind::integer)
        s.barrier_id = static_cast<std::int16_t>(i.operands[0].value & 15);
    if (i.operand_count > 1 && i.operands[1].kind == operand_kind::integer)
        s.barrier_threads = static_cast<std::int32_t>(i.operands[1].value);
}

/// Whether an SM without Hopper's engines cannot model its timing.
bool needs_engines(program::special_op s) {
    return s == program::special_op::bulk_copy || s == program::special_op::remote_store ||
           s == program::special_op::warpgroup_mma;
}

/// The scoreboard released by groups of bulk copies of a function (UTMACMDFLUSH); -1: none.
int scoreboard_of_bulk_groups(const std::vector<sass::instruction_word>& code, unsigned version) {
    for (const sass::instruction_word& word : code) {
        sass::instruction i;
        if (sass::decode(word, version, 0, i) && i.opcode == isa::opcode::UTMACMDFLUSH)
            return i.control().read_barrier;
    }
    return -1;
}

/// HGMMA, QGMMA, IGMMA, BGMMA. Without a result, one closes a group of products.
void set_warpgroup_product(static_instruction& s, const sass::instruction& i) {
    using program::special_op;
    const bool closes = i.operands[i.operand_count - 1u].kind == operand_kind::text;
    const bool keeps = i.operands[0].index != sass::register_rz;
    s.special = keeps    ? special_op::warpgroup_mma
                : closes ? special_op::warpgroup_commit
                         : special_op::none;
    s.cls = op_class::tensor;
    constexpr int a_in_registers = 1, closes_group = 2;
    s.immediate = (i.operands[1].kind == operand_kind::reg ? a_in_registers : 0) |
                  (closes ? closes_group : 0);
    // The sums are guarded by WARPGROUP.DEPBAR, not by a scoreboard.
    s.n_dst = 0;
}

/// Sets the issue-time properties of Hopper's instructions for asynchronous engines and mbarriers,
/// as for the corresponding PTX.
/// @param bulk_groups     see scoreboard_of_bulk_groups
/// @param invalidates_l1  CCTL.IVALL follows: data written by copies must become visible
void set_asynchronous_engine(static_instruction& s, const sass::instruction& i, int bulk_groups,
                             bool invalidates_l1) {
    using program::special_op;
    switch (i.opcode) {
        case opcode::SYNCS:
        case opcode::ARRIVES:
            s.special = i.has(modifier::PHASECHK) ? special_op::mbarrier_wait
                        : i.has(modifier::ARRIVE) || i.opcode == opcode::ARRIVES
                            ? special_op::mbarrier_update
                            : special_op::none;
            break;
        case opcode::UTMACCTL:
            if (!i.has(modifier::PF)) break;
            [[fallthrough]];
        case opcode::UBLKCP:
        case opcode::UBLKRED:
        case opcode::UBLKPF:
        case opcode::UGETNEXTWORKID:
        case opcode::UTMALDG:
        case opcode::UTMASTG:
        case opcode::UTMAREDG:
        case opcode::UTMAPF:
            s.special = special_op::bulk_copy;
            break;
        case opcode::PREEXIT:
            s.special = special_op::launch_dependents;
            break;
        case opcode::ACQBULK:
            s.special = special_op::dependency_wait;
            break;
        case opcode::UTMACMDFLUSH:
            s.special = special_op::bulk_commit;
            break;
        case opcode::STAS:
        case opcode::REDAS:
            s.special = special_op::remote_store;
            s.is_store = s.is_load = s.is_atomic = false;
            s.space = program::memory_space::none;
            break;
        case opcode::DEPBAR:
            if (i.has(modifier::LE) && i.operand_count > 0 && bulk_groups >= 0 &&
                i.operands[0].index == bulk_groups)
                s.special = invalidates_l1 ? special_op::bulk_wait : special_op::bulk_wait_read;
            break;
        case opcode::LDTM:
        case opcode::STTM:
        case opcode::UTCATOMSWS:
        case opcode::UTCBAR:
        case opcode::UTCCP:
        case opcode::UTCHMMA:
        case opcode::UTCIMMA:
        case opcode::UTCOMMA:
        case opcode::UTCQMMA:
        case opcode::UTCSHIFT:
            s.special = special_op::tensor_work;
            break;
        case opcode::FENCE:
            if (!i.has(modifier::T)) break;
            s.special = special_op::tensor_wait;
            s.cls = op_class::integer;
            s.immediate = 1;  // for stores
            break;
        case opcode::WARPGROUP:
            if (i.has(modifier::ARRIVE))
                s.special = special_op::warpgroup_arrive;
            else if (i.has(modifier::DEPBAR) || i.has(modifier::WAIT))
                s.special = special_op::warpgroup_wait;
            break;
        case opcode::HGMMA:
        case opcode::QGMMA:
        case opcode::IGMMA:
        case opcode::BGMMA:
            set_warpgroup_product(s, i);
            break;
        default:
            break;
    }
    if (program::is_asynchronous(s.special)) isa::set_opcode_properties(s);
}

/// The words of a function.
std::vector<sass::instruction_word> words_of(const sass::cubin_function& f) {
    std::vector<sass::instruction_word> words;
    for (std::size_t n = 0; n < f.instructions(); ++n) words.push_back(f.word(n));
    return words;
}

}  // namespace

bool is_prefetch(const sass::instruction& i) {
    if (i.opcode != isa::opcode::CCTL || !i.has(modifier::E) || i.has(modifier::I) ||
        i.has(modifier::C))
        return false;
    return (i.has(modifier::PF1) || i.has(modifier::PF2) || i.has(modifier::PML2)) &&
           i.operand_count > 0 && i.operands[i.operand_count - 1u].kind == operand_kind::address;
}

std::vector<std::uint64_t> place_functions(const std::vector<function_extent>& functions) {
    std::vector<std::uint64_t> base(functions.size());
    std::uint64_t end = 0;
    for (const function_extent& f : functions)
        if (f.is_kernel) end = std::max(end, f.bytes);
    for (std::size_t n = 0; n < functions.size(); ++n) {
        if (functions[n].is_kernel) continue;
        base[n] = end;
        end += functions[n].bytes;
    }
    return base;
}

machine_describer::machine_describer(unsigned architecture, const instruction_timing& timing)
    : architecture_(architecture),
      options_(timing.machine_code),
      opcodes_(timing.opcodes != nullptr
                   ? timing.opcodes
                   : std::make_shared<const isa::opcode_tables>(isa::opcode_tables::builtin())) {}

void machine_describer::begin(std::vector<sass::instruction_word> code, std::uint64_t base) {
    code_ = std::move(code);
    base_ = base;
    bulk_groups_ = scoreboard_of_bulk_groups(code_, architecture_);
}

static_instruction machine_describer::describe(std::size_t n, const char* opcode,
                                               std::uint32_t source_line) const {
    isa::opcode_entry unknown;
    unknown.cls = op_class::integer;
    const std::uint64_t offset = n * sass::instruction_bytes;
    const sass::instruction_word word = code_[n];
    sass::instruction i;
    sass::decode(word, architecture_, offset, i);
    isa::instruction_text text = recorded_text(i, opcode);
    text.pc = base_ + offset;
    text.source_line = source_line;
    const isa::opcode_entry* const known =
        opcodes_->find(architecture_, isa::base_opcode(text.opcode));
    static_instruction s =
        isa::decode(with_access(known != nullptr ? *known : unknown, i), text, options_);
    set_access(s, i);
    set_barrier(s, i);
    sass::instruction following;
    const bool invalidates_l1 =
        n + 1 < code_.size() && sass::decode(code_[n + 1], architecture_, 0, following) &&
        following.opcode == isa::opcode::CCTL && following.has(modifier::IVALL);
    set_asynchronous_engine(s, i, bulk_groups_, invalidates_l1);
    s.control = program::control_bits::decode(word.control_field());
    return s;
}

std::shared_ptr<const instruction_descriptors> describe_machine_code(
    const sass_image& image, const instruction_timing& timing) {
    const auto& functions = image.source().functions();
    std::vector<function_extent> extents;
    for (const sass::cubin_function& f : functions) extents.push_back({f.is_kernel, f.code.size()});
    const std::vector<std::uint64_t> base = place_functions(extents);
    machine_describer describer(image.architecture(), timing);
    std::vector<static_instruction> instructions;
    std::vector<code_range> ranges;
    instructions.reserve(image.places().size());
    std::vector<std::uint32_t> untimed;
    std::vector<instruction_descriptors::ignored_hint> hints;
    for (std::uint32_t index = 0; index < image.places().size(); ++index) {
        const sass_image::place& at = image.places()[index];
        const sass::cubin_function& f = functions[at.function];
        const auto number = static_cast<std::uint32_t>(at.offset / sass::instruction_bytes);
        const auto count = static_cast<std::uint32_t>(f.instructions());
        if (number == 0) {
            ranges.push_back({at.function, index, index + count, f.is_kernel, count != 0});
            describer.begin(words_of(f), base[at.function]);
        }
        if (number == count) {
            ranges.push_back({at.function, index, index + 1, f.is_kernel, false});
            static_instruction s;
            s.pc = base[at.function] + at.offset;
            s.opcode = image.opcode_of(index);
            s.cls = op_class::exit;
            instructions.push_back(s);
            continue;
        }
        const static_instruction s =
            describer.describe(number, image.opcode_of(index), image.source_line(at));
        sass::instruction i;
        if (sass::decode(f.word(number), image.architecture(), at.offset, i))
            if (std::string name = ignored_hint_of(i); !name.empty())
                hints.push_back({index, std::move(name)});
        if (needs_engines(s.special) && !timing.ptx.asynchronous_engines) untimed.push_back(index);
        instructions.push_back(s);
    }
    auto all =
        std::make_shared<instruction_descriptors>(std::move(instructions), std::move(ranges), 256);
    for (const std::uint32_t n : untimed) all->note_untimed(n);
    for (auto& h : hints) all->note_ignored_hint(h.instruction, std::move(h.name));
    return all;
}

}  // namespace simtlm::execution
