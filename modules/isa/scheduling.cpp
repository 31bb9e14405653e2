// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/scheduling.h"

#include "modules/isa/decode.h"
#include "modules/isa/matrix_shape.h"
#include "modules/isa/opcode.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace simtlm::isa {

using program::op_class;
using program::static_instruction;

namespace {

using sc = program::scheduling_class;

struct row {
    sc cls;
    const char* opcodes;  ///< separated by blanks
};

// Opcodes of PTX.
constexpr row table[] = {
    {sc::alu,
     "setp set selp slct mov cvta and or xor not shl shr shf neg abs min max prmt bfe bfi isspacep "
     "lop3 bmsk szext cnot copysign testp"},
    {sc::imad, "dp4a dp2a mul24 mad24"},
    {sc::mma, "mma wmma wgmma"},
    {sc::xu, "sqrt rsqrt rcp sin cos ex2 lg2 tanh cvt popc clz bfind brev div rem fns"},
    {sc::special, "vote match redux activemask elect mbarrier"},
    {sc::branch, "bra brx call ret exit trap nanosleep bar.warp"},
    {sc::barrier, "bar barrier membar fence"},
    {sc::shuffle, "shfl movmatrix"},
};

const std::unordered_map<std::string_view, sc>& by_name() {
    static const std::unordered_map<std::string_view, sc> map = [] {
        std::unordered_map<std::string_view, sc> m;
        for (const row& r : table)
            for (std::string_view rest = r.opcodes; !rest.empty();) {
                const std::size_t end = std::min(rest.find(' '), rest.size());
                m.emplace(rest.substr(0, end), r.cls);
                rest.remove_prefix(std::min(rest.size(), end + 1));
            }
        return m;
    }();
    return map;
}

/// Whether a PTX arithmetic opcode has the same name for all types.
bool is_typed_arithmetic(std::string_view base) {
    constexpr std::array<std::string_view, 11> names = {"add",  "sub",  "mul", "mad", "fma", "addc",
                                                        "subc", "madc", "neg", "abs", "min"};
    return std::find(names.begin(), names.end(), base) != names.end() || base == "max" ||
           base == "setp" || base == "set" || base == "div" || base == "sqrt" || base == "rcp" ||
           base == "rem";
}

/// Whether cvt converts from or to a 64-bit type, one of both floating-point: cvt.rn.f64.s32.
bool converts_64_bits(std::string_view opcode) {
    if (has_modifier(opcode, "f64")) return true;
    const bool of_integers = has_modifier(opcode, "s64") || has_modifier(opcode, "u64");
    return of_integers && (has_modifier(opcode, "f32") || has_modifier(opcode, "f16") ||
                           has_modifier(opcode, "bf16"));
}

sc typed_arithmetic(std::string_view opcode, std::string_view base, sc otherwise) {
    if (has_modifier(opcode, "f64")) return sc::fp64;
    const bool multiplies = base == "mul" || base == "mad" || base == "madc" || base == "fma";
    const bool adds = base == "add" || base == "sub";
    if (has_modifier(opcode, "f32") && (multiplies || adds)) return sc::fp32;
    if (has_modifier(opcode, "f16") || has_modifier(opcode, "f16x2") ||
        has_modifier(opcode, "bf16") || has_modifier(opcode, "bf16x2"))
        return multiplies || adds || base == "min" || base == "max" || base == "setp" ? sc::half
                                                                                      : otherwise;
    if (multiplies)
        return has_modifier(opcode, "wide") || has_modifier(opcode, "hi") ? sc::imad_wide
                                                                          : sc::imad;
    if (adds || base == "addc" || base == "subc") return sc::alu;
    return otherwise;
}

sc class_of_ptx(std::string_view opcode, sc otherwise) {
    const std::string_view base = base_opcode(opcode);
    const auto found = by_name().find(base);
    if (found != by_name().end()) otherwise = found->second;
    if (is_typed_arithmetic(base)) return typed_arithmetic(opcode, base, otherwise);
    if (base == "cvt" && converts_64_bits(opcode)) return sc::xu64;
    if (base == "bar" && has_modifier(opcode, "warp")) return sc::branch;
    if (base == "wgmma" && !has_modifier(opcode, "mma_async")) return sc::special;
    if (base == "prefetch" && has_modifier(opcode, "tensormap")) return sc::special;
    if (base == "cp" && (has_modifier(opcode, "bulk") || has_modifier(opcode, "mbarrier")))
        return sc::special;
    return otherwise;
}

/// The class of an instruction whose opcode is not known.
sc class_of_unit(op_class c) {
    switch (c) {
        case op_class::sp:
            return sc::fp32;
        case op_class::dp:
            return sc::fp64;
        case op_class::sfu:
            return sc::xu;
        case op_class::tensor:
        case op_class::spec3:
            return sc::mma;
        case op_class::branch:
        case op_class::call:
        case op_class::ret:
        case op_class::exit:
        case op_class::spec1:
            return sc::branch;
        case op_class::barrier:
        case op_class::memory_barrier:
            return sc::barrier;
        case op_class::spec2:
            return sc::memory;
        case op_class::spec4:
            return sc::uniform;
        default:
            return sc::alu;
    }
}

/// A fence between the generic and the asynchronous proxy is FENCE.VIEW in machine code.
program::fence_kind fence_of(std::string_view opcode) {
    using program::fence_kind;
    const auto says = [opcode](std::string_view what) {
        return opcode.find(what) != std::string_view::npos;
    };
    if (says("FENCE.VIEW") || says(".proxy.async.shared")) return fence_kind::async_proxy;
    if (says("MEMBAR.ALL.CTA")) return fence_kind::cta_all;
    if (says(".CTA") || says(".cta")) return fence_kind::cta;
    return says(".SYS") || says(".sys") ? fence_kind::system : fence_kind::gpu;
}

}  // namespace

sc scheduling_class_of(std::string_view mnemonic, sc otherwise) {
    const opcode known = opcode_named(base_opcode(mnemonic));
    return known != opcode::unknown ? scheduling_class_of(known, mnemonic)
                                    : class_of_ptx(mnemonic, otherwise);
}

void set_scheduling_class(static_instruction& inst) {
    inst.scheduling =
        inst.is_memory() ? sc::memory : scheduling_class_of(inst.opcode, class_of_unit(inst.cls));
}

void set_opcode_properties(static_instruction& inst) {
    set_scheduling_class(inst);
    if (inst.scheduling == sc::mma) inst.matrix = matrix_shape_of(inst.opcode);
    if (inst.cls == op_class::memory_barrier) inst.fence = fence_of(inst.opcode);
}

}  // namespace simtlm::isa
