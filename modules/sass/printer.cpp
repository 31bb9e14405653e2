// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/decoder.h"
#include "modules/sass/encoding_table.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

namespace simtlm::sass {

namespace {

using out = fmt::memory_buffer;

void put(out& o, std::string_view s) {
    o.append(s.data(), s.data() + s.size());
}

void put_hex(out& o, std::int64_t v) {
    if (v < 0)
        fmt::format_to(std::back_inserter(o), "-{:#x}", 0 - static_cast<std::uint64_t>(v));
    else
        fmt::format_to(std::back_inserter(o), "{:#x}", static_cast<std::uint64_t>(v));
}

/// A floating-point immediate: 20 significant digits; large ones as a power of ten.
void put_real(out& o, double v, bool quiet) {
    if (std::isinf(v)) return put(o, v < 0 ? "-INF " : "+INF ");
    if (v == 0 && std::signbit(v)) return put(o, "-0.0 ");
    if (std::isnan(v)) {
        put(o, std::signbit(v) ? "-" : "+");
        return put(o, quiet ? "QNAN " : "SNAN ");
    }
    fmt::format_to(std::back_inserter(o), std::fabs(v) >= 1e9 ? "{:.20e}" : "{:.20g}", v);
}

void put_half(out& o, std::uint32_t bits, bool bfloat) {
    if (bfloat) {
        const std::uint32_t wide = bits << 16;
        float f;
        std::memcpy(&f, &wide, sizeof f);
        return put_real(o, static_cast<double>(f), true);
    }
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 0    ? std::ldexp(static_cast<double>(fraction), -24)
               : exponent == 31 ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                                : std::ldexp(static_cast<double>(fraction + 1024),
                                             static_cast<int>(exponent) - 25);
    if ((bits & 0x8000) != 0) v = std::copysign(v, -1.0);
    put_real(o, v, true);
}

void put_register(out& o, std::uint8_t n, bool uniform) {
    if (n == (uniform ? uniform_urz : register_rz)) return put(o, uniform ? "URZ" : "RZ");
    fmt::format_to(std::back_inserter(o), "{}{}", uniform ? "UR" : "R", n);
}

void put_predicate(out& o, std::uint8_t n, bool uniform) {
    if (n == predicate_true) return put(o, uniform ? "UPT" : "PT");
    fmt::format_to(std::back_inserter(o), "{}{}", uniform ? "UP" : "P", n);
}

void put_constant(out& o, const operand& p) {
    if (p.has_uniform) {
        put(o, "cx[");
        put_register(o, p.uniform, true);
        put(o, "]");
    } else {
        fmt::format_to(std::back_inserter(o), "c[{:#x}]", p.bank);
    }
    put(o, p.spaced ? " [" : "[");
    const std::uint8_t no_register = p.uniform_base ? uniform_urz : register_rz;
    if (p.has_base && (p.base != no_register || p.value == 0)) {
        put_register(o, p.base, p.uniform_base);
        if (p.value != 0) {
            put(o, "+");
            put_hex(o, p.signed_value());
        }
    } else {
        put_hex(o, p.signed_value());
    }
    put(o, "]");
}

void put_address(out& o, const operand& p) {
    if (p.has_descriptor) {
        put(o, "desc[");
        put_register(o, p.descriptor, true);
        put(o, "]");
    }
    put(o, "[");
    bool first = true;
    const bool uniform = p.has_uniform;
    const bool is_zero = p.base == register_rz;
    const bool scaled = !p.suffix.empty() && p.suffix != ".U32";
    if (!is_zero || p.shows_zero || scaled || (!uniform && p.value == 0)) {
        // A pair cannot begin at RZ.
        if (is_zero && uniform && p.wide_address)
            put(o, "???255");
        else
            put_register(o, p.base, false);
        if (p.wide_address && (!is_zero || p.shows_zero)) put(o, ".64");
        put(o, p.suffix);
        first = false;
    }
    if (uniform) {
        if (!first) put(o, "+");
        put_register(o, p.uniform, true);
        first = false;
    }
    if (p.value != 0) {
        if (!first) put(o, "+");
        put_hex(o, p.signed_value());
    }
    put(o, "]");
}

/// A double of which the immediate is the upper half.
void put_float64(out& o, std::uint64_t high) {
    const std::uint64_t bits = high << 32;
    double d;
    std::memcpy(&d, &bits, sizeof d);
    put_real(o, d, (bits >> 51 & 1) != 0);
}

void put_float32(out& o, std::uint64_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    float f;
    std::memcpy(&f, &bits, sizeof f);
    put_real(o, static_cast<double>(f), true);
}

void put_half2(out& o, std::uint64_t value, bool bfloat) {
    put_half(o, static_cast<std::uint32_t>(value >> 16), bfloat);
    put(o, ", ");
    put_half(o, static_cast<std::uint32_t>(value & 0xffff), bfloat);
}

/// The signs of both sources for the lanes of a quad.
void put_signs(out& o, std::uint64_t value) {
    static constexpr std::string_view names[] = {"PP", "PN", "NP", "ZP"};
    for (unsigned lane = 4; lane-- > 0;) put(o, names[value >> 2 * lane & 3]);
}

void put_scoreboards(out& o, std::uint64_t mask) {
    put(o, "{");
    bool first = true;
    for (unsigned b = 6; b-- > 0;)
        if ((mask >> b & 1) != 0) {
            fmt::format_to(std::back_inserter(o), "{}{}", first ? "" : ",", b);
            first = false;
        }
    put(o, "}");
}

void put_relative_register(out& o, const operand& p, const instruction& i) {
    put_register(o, p.index, p.has_uniform);
    if (p.value != 0 || i.opcode == isa::opcode::RET ||
        (i.opcode == isa::opcode::CALL && i.has(modifier::REL))) {
        put(o, " ");
        put_hex(o, p.signed_value());
    }
}

/// An operand without its modifiers and suffix.
void put_value(out& o, const operand& p, const instruction& i) {
    switch (p.kind) {
        case operand_kind::none:
        case operand_kind::special_register:
        case operand_kind::text:
            return;
        case operand_kind::reg:
        case operand_kind::uniform_reg:
            return put_register(o, p.index, p.kind == operand_kind::uniform_reg);
        case operand_kind::predicate:
        case operand_kind::uniform_predicate:
            return put_predicate(o, p.index, p.kind == operand_kind::uniform_predicate);
        case operand_kind::predicates:
            return put(o, "PR");
        case operand_kind::uniform_predicates:
            return put(o, "UPR");
        case operand_kind::integer:
            if (p.is_signed) return put_hex(o, p.signed_value());
            fmt::format_to(std::back_inserter(o), "{:#x}", p.value);
            return;
        case operand_kind::signs:
            return put_signs(o, p.value);
        case operand_kind::float32:
            return put_float32(o, p.value);
        case operand_kind::float64:
            return put_float64(o, p.value);
        case operand_kind::half:
            return put_half(o, static_cast<std::uint32_t>(p.value & 0xffff), i.has(modifier::BF16));
        case operand_kind::half2:
            return put_half2(o, p.value, i.has(modifier::BF16_V2));
        case operand_kind::constant:
            return put_constant(o, p);
        case operand_kind::tensor_address:
            put(o, "tmem");
            [[fallthrough]];
        case operand_kind::address:
            return put_address(o, p);
        case operand_kind::convergence_barrier:
            if (p.suffix.empty()) fmt::format_to(std::back_inserter(o), "B{}", p.index);
            return;
        case operand_kind::scoreboard:
            fmt::format_to(std::back_inserter(o), "{}{}", p.index < 6 ? "SB" : "INVALID", p.index);
            return;
        case operand_kind::scoreboards:
            return put_scoreboards(o, p.value);
        case operand_kind::target:
            return put_hex(o, p.signed_value());
        case operand_kind::relative_register:
            return put_relative_register(o, p, i);
        case operand_kind::cache_descriptor:
        case operand_kind::matrix_descriptors:
        case operand_kind::instruction_descriptor:
            put(o, p.kind == operand_kind::cache_descriptor     ? "desc["
                   : p.kind == operand_kind::matrix_descriptors ? "gdesc["
                                                                : "idesc[");
            put_register(o, p.index, true);
            return put(o, "]");
    }
}

void put_operand(out& o, const operand& p, const instruction& i) {
    if (p.negate_predicate) put(o, "!");
    if (p.negate) put(o, "-");
    if (p.invert) put(o, "~");
    if (p.absolute) put(o, "|");
    put_value(o, p, i);
    // That of an address follows its register.
    const auto suffix = p.kind == operand_kind::address ? std::string_view{} : p.suffix;
    // Constants and uniform registers have their suffix inside.
    const bool inside = p.absolute && (p.suffix_inside || p.kind == operand_kind::constant ||
                                       p.kind == operand_kind::uniform_reg);
    if (inside) put(o, suffix);
    if (p.absolute) put(o, "|");
    if (p.reuse) put(o, ".reuse");
    if (!inside) put(o, suffix);
}

void put_opcode(out& o, const instruction& i) {
    put(o, isa::name_of(i.opcode));
    for (unsigned m = 0; m < i.modifier_count; ++m) {
        put(o, ".");
        put(o, i.modifiers[m].text);
    }
}

}  // namespace

std::string full_opcode(const instruction& i) {
    out o;
    put_opcode(o, i);
    return fmt::to_string(o);
}

std::string to_string(const instruction& i) {
    out o;
    if (i.form == nullptr) return "(unknown)";
    if (i.guard != predicate_true || i.guard_negated) {
        put(o, i.guard_negated ? "@!" : "@");
        put_predicate(o, i.guard, i.guard_uniform);
        put(o, " ");
    }
    put_opcode(o, i);
    for (unsigned n = 0; n < i.operand_count; ++n) {
        put(o, n == 0 ? " " : ", ");
        put_operand(o, i.operands[n], i);
    }
    if (i.counter_trigger != 0) fmt::format_to(std::back_inserter(o), " ?PM{}", i.counter_trigger);
    return fmt::to_string(o);
}

std::string to_string(const control_bits& c) {
    std::string s = "B";
    for (unsigned b = 0; b < 6; ++b)
        s += (c.wait_mask >> b & 1) != 0 ? static_cast<char>('0' + b) : '-';
    s += ":R";
    s += c.read_barrier == 7 ? '-' : static_cast<char>('0' + c.read_barrier);
    s += ":W";
    s += c.write_barrier == 7 ? '-' : static_cast<char>('0' + c.write_barrier);
    s += c.yield ? ":-" : ":Y";
    s += fmt::format(":S{:02}", c.stall);
    return s;
}

}  // namespace simtlm::sass
