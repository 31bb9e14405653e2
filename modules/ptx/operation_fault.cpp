// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/operation_fault.h"

#include "modules/ptx/signature.h"

#include <string_view>
#include <utility>

namespace simtlm::ptx {

namespace {

// PTX versions from which on a rounding or `.approx` is required.
constexpr unsigned version_of_conversions = 15;
constexpr unsigned version_of_division = 14;
constexpr unsigned version_of_mad = 20;

/// Two or four values in one register; such conversions have rows of their own.
bool is_packed(type t) {
    const std::string_view name = name_of(t);
    return name.size() > 2 && name[name.size() - 2] == 'x';
}

bool is_float(type t) {
    return class_of(t) == type_class::floating;
}

bool is_integral(rounding r) {
    return r >= rounding::rni && r <= rounding::rpi;
}

std::string conversion_fault(const operation& o, unsigned version) {
    const type to = o.types[0];
    const type from = o.types[1];
    if (o.type_count != 2 || is_packed(to) || is_packed(from)) return "";
    const bool integral = is_integral(o.round);
    const bool plain = o.round != rounding::none && !integral;
    const bool narrows = is_float(to) && (!is_float(from) || width_of(to) < width_of(from) ||
                                          (to != from && width_of(to) == width_of(from)));
    // Between f16 and bf16 the rounding is optional.
    const bool halves =
        is_float(to) && is_float(from) && width_of(to) == 16 && width_of(from) == 16;
    if (integral && !is_float(from)) return "rounds to an integral value, but converts an integer";
    if (integral && is_float(to) && to != from)
        return "rounds to an integral value of another type";
    if (plain && !narrows) return "needs no rounding";
    const bool wants = (is_float(from) && !is_float(to)) || narrows;
    if (o.round == rounding::none && wants && !halves && version >= version_of_conversions) {
        return "lacks its rounding";
    }
    if (o.has(flag::ftz) && to != type::f32 && from != type::f32) return "has .ftz without .f32";
    return "";
}

std::string matrix_fault(const operation& o) {
    const bool product = o.op == opcode::wmma_mma || o.op == opcode::mma || o.op == opcode::mma_sp;
    const bool moved = o.op == opcode::wmma_load || o.op == opcode::wmma_store ||
                       o.op == opcode::wgmma_mma_async || o.op == opcode::wgmma_mma_async_sp;
    for (unsigned position = 0; position < (product ? 4U : moved ? 1U : 0U); ++position) {
        if (fragment_registers(o, position) == 0) return "is no matrix operation that exists";
    }
    return "";
}

std::string rounding_fault(const operation& o, unsigned version) {
    const bool approximate = o.has(flag::approx) || o.has(flag::full);
    if (!is_float(o.types[0]) || approximate || o.round != rounding::none) return "";
    switch (o.op) {
        case opcode::div:
        case opcode::rcp:
        case opcode::sqrt:
            return version >= version_of_division ? "lacks its rounding or .approx" : "";
        case opcode::sin:
        case opcode::cos:
        case opcode::lg2:
        case opcode::ex2:
        case opcode::rsqrt:
            return version >= version_of_division ? "lacks .approx" : "";
        case opcode::mad:
            return version >= version_of_mad ? "lacks its rounding" : "";
        default:
            return "";
    }
}

std::string memory_fault(const operation& o) {
    const bool barrier = o.op == opcode::mbarrier_arrive || o.op == opcode::mbarrier_arrive_drop ||
                         o.op == opcode::mbarrier_test_wait || o.op == opcode::mbarrier_try_wait ||
                         o.op == opcode::mbarrier_expect_tx || o.op == opcode::mbarrier_complete_tx;
    if (o.op != opcode::ld && o.op != opcode::st && !barrier) return "";
    const bool strong = o.order == semantics::relaxed || o.order == semantics::acquire ||
                        o.order == semantics::release;
    if (strong && o.visible_to == scope::none) return "lacks a scope such as .gpu";
    if (!strong && o.visible_to != scope::none)
        return "has a scope without .relaxed, .acquire or .release";
    const bool is_async = o.text.find(".async") != std::string::npos;
    if (o.has(flag::mmio) && o.order != semantics::relaxed && !is_async)
        return "has .mmio without .relaxed";
    if (o.has(flag::nc) && o.space != state_space::global) return "has .nc without .global";
    return "";
}

std::string sign_fault(const operation& o) {
    if ((o.op != opcode::min && o.op != opcode::max) || o.has(flag::magnitude)) return "";
    const bool sign = o.text.find(".xorsign") != std::string::npos;
    const bool magnitude = o.text.find(".abs") != std::string::npos;
    return sign == magnitude ? "" : "has one of .xorsign and .abs";
}

}  // namespace

operation_fault fault_of(const operation& o, unsigned version) {
    if (o.op == opcode::cvt) {
        return {
            conversion_fault(o, version),
            "expected .rni .rzi .rmi .rpi from floating point to integers, .rn .rz .rm .rp where a "
            "value may not fit the type it is converted to"};
    }
    if (std::string fault = matrix_fault(o); !fault.empty()) {
        return {std::move(fault), "shape and types that go together"};
    }
    if (std::string fault = rounding_fault(o, version); !fault.empty()) {
        return {std::move(fault), "demanded from PTX 1.4 on, of mad from 2.0 on"};
    }
    if (std::string fault = memory_fault(o); !fault.empty()) return {std::move(fault), ""};
    return {sign_fault(o), "both or none"};
}

}  // namespace simtlm::ptx
