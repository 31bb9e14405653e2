// SPDX-License-Identifier: Apache-2.0
#include "modules/program/scheduling_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>

namespace simtlm::program {

namespace {

using sc = scheduling_class;

struct row {
    sc cls;
    const char* opcodes;  ///< separated by blanks
};

// Names of machine instructions (CUDA Binary Utilities) and, below, of PTX.
constexpr row table[] = {
    {sc::alu,
     "IADD3 IADD LOP3 LOP ISETP LEA SHF SHL SHR MOV SEL PRMT FSETP FSEL FMNMX FSET IMNMX IABS BMSK "
     "SGXT VIMNMX VIMNMX3 VIADD VIADDMNMX VABSDIFF VABSDIFF4 PLOP3 P2R R2P FCHK MOV32I LOP32I "
     "ISCADD "
     "IADD32I FMNMX3 FSWZADD "
     // Conversions to a packed register, and of integers in 32 bits: ptxas separates their
     // dependent instructions by stall counts, as for FMNMX (sm_75 to sm_90), and they are executed
     // by the ALU pipe (Nsight Compute documentation, "ALU").
     "F2FP F2IP I2IP I2FP "
     "setp set selp slct mov cvta and or xor not shl shr shf neg abs min max prmt bfe bfi "
     "isspacep lop3 bmsk szext cnot copysign testp"},
    {sc::alu64, "NOP CS2R"},
    {sc::fp32, "FADD FMUL FFMA FADD32I FMUL32I FFMA32I"},
    {sc::imad, "IMAD IMUL IDP IDP4A IMUL32I XMAD dp4a dp2a mul24 mad24"},
    {sc::half, "HADD2 HFMA2 HMUL2 HSET2 HSETP2 HMNMX2 HADD2_32I HFMA2_32I HMUL2_32I VHMNMX"},
    {sc::uniform,
     "R2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 "
     "UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU UVIADD UVIMNMX CS2UR UI2FP ULDC"},
    {sc::fp64, "DADD DMUL DFMA DSETP DMNMX DSET"},
    {sc::mma, "HMMA IMMA BMMA DMMA QMMA HGMMA IGMMA QGMMA BGMMA mma wmma wgmma"},
    {sc::xu,
     "MUFU I2F F2I F2F FRND I2I POPC FLO BREV sqrt rsqrt rcp sin cos ex2 lg2 "
     "tanh "
     "cvt popc clz bfind brev div rem fns"},
    {sc::special,
     "S2R S2UR B2R R2B VOTE MATCH LEPC REDUX GETLMEMBASE SYNCS ARRIVES UBLKCP UBLKPF UBLKRED "
     "UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH STAS REDAS WARPGROUP USETMAXREG ELECT "
     "ACQBULK PREEXIT "
     "vote match redux activemask elect mbarrier"},
    {sc::branch,
     "BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BSSY BSYNC BREAK BMOV WARPSYNC YIELD NANOSLEEP KILL "
     "BPT "
     "RTT RPCMOV bra brx call ret exit trap nanosleep bar.warp"},
    {sc::barrier,
     "BAR MEMBAR FENCE ERRBAR DEPBAR LDGDEPBAR CGAERRBAR UCGABAR_ARV UCGABAR_WAIT bar barrier "
     "membar fence"},
    {sc::shuffle, "SHFL shfl MOVM movmatrix"},
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

bool has(std::string_view opcode, std::string_view part) {
    for (std::string_view rest = opcode; !rest.empty();) {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        if (rest.substr(0, end) == part) return true;
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return false;
}

/// Whether a PTX arithmetic opcode has the same name for all types.
bool is_typed_arithmetic(std::string_view base) {
    constexpr std::array<std::string_view, 11> names = {"add",  "sub",  "mul", "mad", "fma", "addc",
                                                        "subc", "madc", "neg", "abs", "min"};
    return std::find(names.begin(), names.end(), base) != names.end() || base == "max" ||
           base == "setp" || base == "set" || base == "div" || base == "sqrt" || base == "rcp" ||
           base == "rem";
}

/// Whether an opcode converts from or to a 64-bit type, one of both floating-point: F2F.F64.F32,
/// F2I.S64, cvt.rn.f64.s32.
bool converts_64_bits(std::string_view opcode, std::string_view base) {
    if (base == "F2F" || base == "F2I" || base == "I2F" || base == "FRND")
        return has(opcode, "F64") || has(opcode, "S64") || has(opcode, "U64");
    if (base != "cvt") return false;
    if (has(opcode, "f64")) return true;
    const bool of_integers = has(opcode, "s64") || has(opcode, "u64");
    return of_integers && (has(opcode, "f32") || has(opcode, "f16") || has(opcode, "bf16"));
}

sc typed_arithmetic(std::string_view opcode, std::string_view base, sc otherwise) {
    if (has(opcode, "f64")) return sc::fp64;
    const bool multiplies = base == "mul" || base == "mad" || base == "madc" || base == "fma";
    const bool adds = base == "add" || base == "sub";
    if (has(opcode, "f32") && (multiplies || adds)) return sc::fp32;
    if (has(opcode, "f16") || has(opcode, "f16x2") || has(opcode, "bf16") || has(opcode, "bf16x2"))
        return multiplies || adds || base == "min" || base == "max" || base == "setp" ? sc::half
                                                                                      : otherwise;
    if (multiplies) return has(opcode, "wide") || has(opcode, "hi") ? sc::imad_wide : sc::imad;
    if (adds || base == "addc" || base == "subc") return sc::alu;
    return otherwise;
}

}  // namespace

scheduling_class scheduling_class_of(std::string_view opcode, scheduling_class otherwise) {
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    const auto found = by_name().find(base);
    if (found != by_name().end()) otherwise = found->second;
    if (is_typed_arithmetic(base)) return typed_arithmetic(opcode, base, otherwise);
    if (base == "IMAD" && (has(opcode, "WIDE") || has(opcode, "HI"))) return sc::imad_wide;
    if (base == "IMAD" && (has(opcode, "MOV") || has(opcode, "SHL") || has(opcode, "IADD")))
        return sc::imad;
    if (converts_64_bits(opcode, base)) return sc::xu64;
    if (base == "bar" && has(opcode, "warp")) return sc::branch;
    if (base == "wgmma" && !has(opcode, "mma_async")) return sc::special;
    if (base == "prefetch" && has(opcode, "tensormap")) return sc::special;
    if (base == "cp" && (has(opcode, "bulk") || has(opcode, "mbarrier"))) return sc::special;
    return otherwise;
}

scheduling_class scheduling_class_of(const static_instruction& inst) {
    if (inst.is_memory()) return sc::memory;
    sc otherwise = sc::alu;
    switch (inst.cls) {
        case op_class::sp:
            otherwise = sc::fp32;
            break;
        case op_class::dp:
            otherwise = sc::fp64;
            break;
        case op_class::sfu:
            otherwise = sc::xu;
            break;
        case op_class::tensor:
        case op_class::spec3:
            otherwise = sc::mma;
            break;
        case op_class::branch:
        case op_class::call:
        case op_class::ret:
        case op_class::exit:
        case op_class::spec1:
            otherwise = sc::branch;
            break;
        case op_class::barrier:
        case op_class::memory_barrier:
            otherwise = sc::barrier;
            break;
        case op_class::spec2:
            otherwise = sc::memory;
            break;
        case op_class::spec4:
            otherwise = sc::uniform;
            break;
        default:
            break;
    }
    return scheduling_class_of(inst.opcode, otherwise);
}

}  // namespace simtlm::program
