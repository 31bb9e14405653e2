// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/scheduling.h"

#include "modules/isa/decode.h"
#include "modules/isa/matrix_shape.h"
#include "modules/isa/opcode.h"
#include "modules/ptx/signature.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

namespace simtlm::isa {

using program::op_class;
using program::static_instruction;

namespace {

using sc = program::scheduling_class;

bool has_type(const ptx::operation& o, std::initializer_list<ptx::type> types) {
    const auto* const end = o.types.begin() + o.type_count;
    return std::find_first_of(o.types.begin(), end, types.begin(), types.end()) != end;
}

bool has_half_type(const ptx::operation& o) {
    using ptx::type;
    return has_type(o, {type::f16, type::f16x2, type::bf16, type::bf16x2});
}

/// Whether cvt converts from or to a 64-bit type, one of both floating-point: cvt.rn.f64.s32.
bool converts_64_bits(const ptx::operation& o) {
    using ptx::type;
    return has_type(o, {type::f64}) ||
           (has_type(o, {type::s64, type::u64}) && has_type(o, {type::f32, type::f16, type::bf16}));
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

/// Whether a multiplication or multiply-add: FFMA, IMAD, HMUL2, mul.f32, mad.lo.s32.
bool multiplies(std::string_view mnemonic) {
    for (const char* word :
         {"MUL", "MAD", "FMA", "IDP", "LEA", "SCADD", "mul", "mad", "fma", "dp4a"})
        if (base_opcode(mnemonic).find(word) != std::string_view::npos) return true;
    return false;
}

/// The function of MUFU or of its counterpart in PTX.
program::operation_kind special_function_of(std::string_view mnemonic) {
    using kind = program::operation_kind;
    constexpr std::pair<std::string_view, kind> functions[] = {
        {"RSQ", kind::square_root},  {"SQRT", kind::square_root}, {"rsqrt", kind::square_root},
        {"sqrt", kind::square_root}, {"LG2", kind::logarithm},    {"lg2", kind::logarithm},
        {"SIN", kind::sine},         {"COS", kind::sine},         {"sin", kind::sine},
        {"cos", kind::sine},         {"EX2", kind::exponential},  {"ex2", kind::exponential},
        {"TANH", kind::exponential}, {"tanh", kind::exponential}, {"RCP", kind::reciprocal},
        {"rcp", kind::reciprocal},   {"div", kind::reciprocal}};
    for (const auto& [name, function] : functions)
        if (mnemonic.find(name) != std::string_view::npos) return function;
    const std::string_view base = base_opcode(mnemonic);
    constexpr std::string_view integers[] = {"FLO", "POPC", "BREV", "I2I",
                                             "clz", "popc", "brev", "bfind"};
    const bool integer =
        std::find(std::begin(integers), std::end(integers), base) != std::end(integers);
    return integer ? kind::integer : base == "MUFU" ? kind::sine : kind::conversion;
}

/// What an instruction computes, from its scheduling class and its mnemonic. A move by IMAD.MOV or
/// IMAD.IADD counts as an addition.
program::operation_kind operation_of(const static_instruction& inst) {
    using kind = program::operation_kind;
    const std::string_view mnemonic = inst.opcode;
    if (mnemonic.rfind("TEX", 0) == 0 || mnemonic.rfind("TLD", 0) == 0 ||
        mnemonic.rfind("TXD", 0) == 0 || mnemonic.rfind("tex", 0) == 0 ||
        mnemonic.rfind("tld4", 0) == 0)
        return kind::texture;
    if (inst.is_memory()) return kind::other;
    const bool product = multiplies(mnemonic);
    switch (inst.scheduling) {
        case sc::fp32:
            return product ? kind::fp32_multiply : kind::fp32;
        case sc::half:
            return product ? kind::fp16_multiply : kind::fp16;
        case sc::fp64:
            return product ? kind::fp64_multiply : kind::fp64;
        case sc::imad:
        case sc::imad_wide:
            return mnemonic.find(".MOV") != std::string_view::npos ||
                           mnemonic.find(".IADD") != std::string_view::npos
                       ? kind::integer
                       : kind::integer_multiply;
        case sc::alu:
            if (mnemonic == "NOP") return kind::other;
            if (inst.cls == op_class::sp) return kind::fp32;
            return product ? kind::integer_multiply : kind::integer;
        case sc::alu64:
            return mnemonic == "NOP" ? kind::other : kind::integer;
        case sc::uniform:
            return kind::uniform;
        case sc::mma:
            return kind::tensor;
        case sc::xu:
            return special_function_of(mnemonic);
        case sc::xu64:
            return kind::conversion;
        case sc::shuffle:
            return kind::integer;
        default:
            return kind::other;
    }
}

/// Sets what the energy of an instruction depends on.
void set_energy_properties(static_instruction& inst) {
    inst.energy.operation = operation_of(inst);
    const auto is_register = [](std::uint16_t r) { return r != program::register_zero; };
    inst.energy.register_writes = static_cast<std::uint8_t>(
        std::count_if(inst.dst.begin(), inst.dst.begin() + inst.n_dst, is_register));
    inst.energy.register_reads = 0;
    for (unsigned s = 0; s < inst.n_src; ++s)
        if (is_register(inst.src[s]) && (inst.uncollected >> s & 1u) == 0)
            ++inst.energy.register_reads;
}

void set_timing_properties(static_instruction& inst) {
    if (inst.scheduling == sc::mma) inst.matrix = matrix_shape_of(inst.opcode);
    if (inst.cls == op_class::memory_barrier) inst.fence = fence_of(inst.opcode);
    set_energy_properties(inst);
}

}  // namespace

sc scheduling_class_of(const ptx::operation& o) {
    using rule = ptx::scheduling_rule;
    const bool fp64 = has_type(o, {ptx::type::f64});
    const bool fp32 = has_type(o, {ptx::type::f32, ptx::type::f32x2});
    const auto by_type = [&](sc integer) {
        return fp64 ? sc::fp64 : fp32 ? sc::fp32 : has_half_type(o) ? sc::half : integer;
    };
    switch (ptx::record_of(o.op).scheduling) {
        case rule::alu:
            return sc::alu;
        case rule::imad:
            return sc::imad;
        case rule::mma:
            return sc::mma;
        case rule::xu:
            return sc::xu;
        case rule::special:
            return sc::special;
        case rule::branch:
            return sc::branch;
        case rule::barrier:
            return sc::barrier;
        case rule::memory:
            return sc::memory;
        case rule::shuffle:
            return sc::shuffle;
        case rule::add:
            return by_type(sc::alu);
        case rule::multiply:
            return by_type(o.part == ptx::product::wide || o.part == ptx::product::hi
                               ? sc::imad_wide
                               : sc::imad);
        case rule::compare:
            return fp64 ? sc::fp64 : has_half_type(o) ? sc::half : sc::alu;
        case rule::alu_or_fp64:
            return fp64 ? sc::fp64 : sc::alu;
        case rule::xu_or_fp64:
            return fp64 ? sc::fp64 : sc::xu;
        case rule::convert:
            return converts_64_bits(o) ? sc::xu64 : sc::xu;
    }
    return sc::alu;
}

sc scheduling_class_of(std::string_view mnemonic, sc otherwise) {
    const opcode known = opcode_named(base_opcode(mnemonic));
    if (known != opcode::unknown) return scheduling_class_of(known, mnemonic);
    ptx::operation o;
    std::string fault;
    if (!ptx::resolve_operation(mnemonic, o, fault) || o.op == ptx::opcode::later)
        o.op = ptx::opcode_at_beginning(mnemonic);
    return o.op != ptx::opcode::later ? scheduling_class_of(o) : otherwise;
}

void set_scheduling_class(static_instruction& inst) {
    inst.scheduling =
        inst.is_memory() ? sc::memory : scheduling_class_of(inst.opcode, class_of_unit(inst.cls));
}

void set_opcode_properties(static_instruction& inst, const ptx::operation& o) {
    inst.scheduling = scheduling_class_of(o);
    set_timing_properties(inst);
}

void set_opcode_properties(static_instruction& inst) {
    set_scheduling_class(inst);
    set_timing_properties(inst);
}

}  // namespace simtlm::isa
