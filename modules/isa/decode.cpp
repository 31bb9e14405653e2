// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/decode.h"

#include "modules/isa/scheduling.h"

#include <algorithm>
#include <limits>

namespace simtlm::isa {

using program::barrier_kind;
using program::cache_operator;
using program::latency_table;
using program::memory_space;
using program::op_class;
using program::special_op;
using program::static_instruction;

namespace {

/// Consumes the next dot-separated part.
std::string_view take_modifier(std::string_view& text) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
    return part;
}

/// The value of a text of digits; 0 for any other text, or if it cannot be an access width.
unsigned bits_of(std::string_view digits) {
    unsigned value = 0;
    if (digits.empty() || digits.size() > 4) return 0;
    for (char c : digits) {
        if (c < '0' || c > '9') return 0;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

/// The same for the type of an atomic, which may be a vector: F32x4 without its first letter,
/// BF16x8.
unsigned bits_of_vector(std::string_view type) {
    if (type.substr(0, 2) == "BF") type.remove_prefix(2);
    const std::size_t at = type.find('x');
    const unsigned element = bits_of(type.substr(0, at));
    return at == std::string_view::npos ? element : element * bits_of(type.substr(at + 1));
}

std::int32_t clamp_to_int32(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

/// Decodes named barriers as far as possible. The tracer writes the last immediate operand only up
/// to NVBit 1.7, so a single number is a barrier (0..15) or, if it is a multiple of the warp size,
/// a thread count; register operands are not recorded.
void decode_barrier(static_instruction& inst, const instruction_text& text,
                    const decode_options& options) {
    inst.barrier = barrier_kind::sync;
    if (options.quirks.single_barrier) return;
    if (has_modifier(text.opcode, "ARV")) inst.barrier = barrier_kind::arrive;
    if (has_modifier(text.opcode, "RED") || has_modifier(text.opcode, "SCAN")) {
        inst.barrier = barrier_kind::reduction;
    }
    inst.barrier_id = -1;
    if (text.n_immediates == 0 || text.n_src > 0) return;
    const auto is_id = [](std::int64_t v) { return v >= 0 && v < 16; };
    const auto is_count = [](std::int64_t v) { return v >= 32 && v <= 1024 && v % 32 == 0; };
    const std::int64_t first = text.immediates[0];
    if (text.n_immediates == 2 && is_id(first)) {
        inst.barrier_id = static_cast<std::int16_t>(first);
        if (is_count(text.immediates[1])) {
            inst.barrier_threads = static_cast<std::int32_t>(text.immediates[1]);
        }
    } else if (is_id(first)) {
        inst.barrier_id = static_cast<std::int16_t>(first);
    } else if (is_count(first)) {
        inst.barrier_threads = static_cast<std::int32_t>(first);
    }
}

}  // namespace

bool has_modifier(std::string_view opcode, std::string_view token) {
    while (!opcode.empty()) {
        if (take_modifier(opcode) == token) return true;
    }
    return false;
}

unsigned access_width(std::string_view opcode, bool typed) {
    constexpr unsigned word = 4;
    take_modifier(opcode);
    while (!opcode.empty()) {
        std::string_view part = take_modifier(opcode);
        if (part.empty()) continue;
        const char letter = part.front();
        if (letter == 'U' || (typed && (letter == 'S' || letter == 'F'))) part.remove_prefix(1);
        const unsigned bits = typed ? bits_of_vector(part) : bits_of(part);
        if (bits != 0) return bits >= 8 && bits <= 1024 ? bits / 8 : word;
    }
    return word;
}

static_instruction decode(const opcode_entry& entry, const instruction_text& text,
                          const decode_options& options) {
    static_instruction inst;
    inst.pc = text.pc;
    inst.opcode = text.opcode;
    inst.source_line = text.source_line;
    inst.cls = entry.cls;
    inst.space = entry.space;
    inst.special = entry.special;
    inst.is_load = entry.cls == op_class::load;
    inst.is_store = entry.cls == op_class::store;
    inst.is_atomic = entry.atomic;

    inst.n_dst = static_cast<std::uint8_t>(std::min(text.n_dst, max_destinations));
    inst.n_src = static_cast<std::uint8_t>(std::min(text.n_src, max_sources));
    const auto number = [&options](std::uint8_t r) {
        const bool zero = r == recorded_zero && !options.quirks.rz_is_a_register;
        return zero ? program::register_zero : std::uint16_t{r};
    };
    std::transform(text.dst, text.dst + inst.n_dst, inst.dst.begin(), number);
    std::transform(text.src, text.src + inst.n_src, inst.src.begin(), number);
    if (text.n_immediates > 0) {
        inst.immediate = clamp_to_int32(text.immediates[text.n_immediates - 1]);
    }

    if (inst.space == memory_space::constant) {
        inst.data_size = 4;
        if (options.quirks.ldc_is_alu) {
            inst.cls = op_class::alu;
            inst.space = memory_space::none;
            inst.is_load = false;
            inst.data_size = 0;
        }
    } else if (inst.special == special_op::ldsm) {
        inst.data_size = 16;  // every lane addresses a row of eight 16-bit elements
    } else if (inst.is_memory()) {
        inst.data_size = static_cast<std::uint8_t>(
            access_width(text.opcode, !options.quirks.typed_width_is_word));
    }
    const bool strong_gpu = has_modifier(text.opcode, "STRONG") && has_modifier(text.opcode, "GPU");
    const bool l1_space = inst.space == memory_space::global || inst.space == memory_space::local;
    if (l1_space && (inst.is_atomic || (inst.is_load && strong_gpu))) {
        inst.cache_op = cache_operator::cache_global;
    }
    if (l1_space && inst.is_load && inst.cache_op == cache_operator::cache_all &&
        has_modifier(text.opcode, "LU"))
        inst.cache_op = cache_operator::last_use;
    // cp.async.cg
    if (inst.special == special_op::ldgsts && !options.quirks.ldgsts_uses_l1 &&
        has_modifier(text.opcode, "BYPASS")) {
        inst.cache_op = cache_operator::cache_global;
    }
    if (inst.cls == op_class::barrier) decode_barrier(inst, text, options);

    set_opcode_properties(inst);
    const latency_table::entry& timing = options.latencies[inst.cls];
    inst.latency = timing.latency;
    inst.initiation_interval = timing.initiation_interval;
    if (entry.half) {
        inst.initiation_interval =
            static_cast<std::uint16_t>(std::max(1, inst.initiation_interval / 2));
    }
    return inst;
}

}  // namespace simtlm::isa
