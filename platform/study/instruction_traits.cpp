// SPDX-License-Identifier: Apache-2.0
#include "platform/study/instruction_traits.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

namespace {

using words = std::vector<std::string>;

words split(const std::string& opcode) {
    words parts;
    std::istringstream in(opcode);
    for (std::string part; std::getline(in, part, '.');) parts.push_back(part);
    return parts;
}

bool has(const words& parts, const char* part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
}

bool begins(const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
}

/// Rows, columns and depth of a matrix shape as a number of operations (multiply and add); 0 if the
/// text is no shape. "m16n8k16"; "16816" of machine code.
double operations_of_shape(const std::string& text) {
    double m = 0, n = 0, k = 0;
    if (text.size() > 1 && text[0] == 'm') {
        const std::size_t of_n = text.find('n'), of_k = text.find('k');
        if (of_n == std::string::npos || of_k == std::string::npos) return 0;
        m = std::atof(text.c_str() + 1);
        n = std::atof(text.c_str() + of_n + 1);
        k = std::atof(text.c_str() + of_k + 1);
    } else {
        constexpr std::pair<const char*, double> shapes[] = {
            {"884", 8. * 8 * 4},       {"1684", 16. * 8 * 4},    {"1688", 16. * 8 * 8},
            {"16816", 16. * 8 * 16},   {"16832", 16. * 8 * 32},  {"16864", 16. * 8 * 64},
            {"8816", 8. * 8 * 16},     {"8832", 8. * 8 * 32},    {"88128", 8. * 8 * 128},
            {"168128", 16. * 8 * 128}, {"168256", 16. * 8 * 256}};
        for (const auto& [name, products] : shapes)
            if (text == name) return 2 * products;
        return 0;
    }
    return 2 * m * n * k;
}

void set_flops(instruction_traits& t, flop_kind kind, double per_lane, const char* pipeline) {
    t.flops_of = kind;
    t.flops_per_lane = per_lane;
    t.pipeline = pipeline;
}

/// A product of matrices: MMA of machine code, mma and wmma of PTX.
void set_tensor(instruction_traits& t, const words& parts) {
    set_flops(t, flop_kind::tensor, 0, "tensor cores");
    for (const std::string& part : parts)
        if (const double operations = operations_of_shape(part); operations > 0) {
            // Volta: a step of a product, of which two accumulate in FP16 and four in FP32.
            const bool half = parts[0] == "HMMA" && part == "884" && !has(parts, "F32");
            t.flops_per_lane = half ? 2 * operations : operations;
            return;
        }
}

void of_machine_memory(instruction_traits& t, const words& parts) {
    const std::string& name = parts[0];
    t.lane_bytes = has(parts, "128")                                            ? 16
                   : has(parts, "64")                                           ? 8
                   : has(parts, "U8") || has(parts, "S8")                       ? 1
                   : has(parts, "U16") || has(parts, "S16") || has(parts, "16") ? 2
                                                                                : 4;
    t.pipeline = "load/store";
    const std::pair<const char*, memory_space> kinds[] = {
        {"LDGSTS", memory_space::global}, {"LDG", memory_space::global},
        {"STG", memory_space::global},    {"RED", memory_space::global},
        {"ATOMS", memory_space::shared},  {"ATOM", memory_space::global},
        {"LDSM", memory_space::shared},   {"LDS", memory_space::shared},
        {"STSM", memory_space::shared},   {"STS", memory_space::shared},
        {"LDL", memory_space::local},     {"STL", memory_space::local},
        {"LDC", memory_space::constant},  {"ULDC", memory_space::constant},
        {"TEX", memory_space::texture},   {"TLD", memory_space::texture},
        {"SULD", memory_space::texture},  {"SUST", memory_space::texture}};
    for (const auto& [prefix, space] : kinds)
        if (begins(name, prefix)) {
            t.space = space;
            t.store = begins(name, "ST");
            if (name == "LDSM") t.lane_bytes = has(parts, "4") ? 16 : has(parts, "2") ? 8 : 4;
            return;
        }
    if (name == "LD" || name == "ST") {  // generic
        t.space = memory_space::global;
        t.store = name == "ST";
        return;
    }
    t.pipeline.clear();
    t.lane_bytes = 0;
}

void of_machine_code(instruction_traits& t, const words& parts) {
    const std::string& name = parts[0];
    of_machine_memory(t, parts);
    if (t.space != memory_space::none) return;
    if (name.size() > 3 && name.find("MMA") == name.size() - 3) return set_tensor(t, parts);
    if (name == "FFMA" || name == "FFMA32I") return set_flops(t, flop_kind::fp32, 2, "FP32");
    if (begins(name, "FADD") || begins(name, "FMUL"))
        return set_flops(t, flop_kind::fp32, 1, "FP32");
    if (begins(name, "HFMA2")) return set_flops(t, flop_kind::fp16, 4, "FP16");
    if (begins(name, "HADD2") || begins(name, "HMUL2"))
        return set_flops(t, flop_kind::fp16, 2, "FP16");
    if (name == "DFMA") return set_flops(t, flop_kind::fp64, 2, "FP64");
    if (name == "DADD" || name == "DMUL") return set_flops(t, flop_kind::fp64, 1, "FP64");
    if (begins(name, "D") && (name == "DSETP" || name == "DMNMX")) t.pipeline = "FP64";
    if (begins(name, "MUFU") || begins(name, "F2") || begins(name, "I2") || name == "POPC" ||
        name == "FLO" || name == "BREV")
        t.pipeline = "special functions and conversions";
    else if (begins(name, "IMAD") || begins(name, "IMUL"))
        t.pipeline = "integer multiplication (FMA)";
    else if (begins(name, "BRA") || begins(name, "EXIT") || begins(name, "BS") ||
             begins(name, "CALL") || begins(name, "RET") || begins(name, "BAR"))
        t.pipeline = "branch";
    else if (begins(name, "SHFL"))
        t.pipeline = "load/store";
    else if (t.pipeline.empty())
        t.pipeline = begins(name, "U") ? "uniform" : "ALU";
}

double bytes_of_type(const std::string& type) {
    const std::size_t digits = type.find_first_of("0123456789");
    if (type.size() < 2 || digits == std::string::npos || digits == 0) return 0;
    if (std::string("fusb").find(type[0]) == std::string::npos) return 0;
    return std::atof(type.c_str() + digits) / 8;
}

void of_ptx(instruction_traits& t, const words& parts) {
    const std::string& name = parts[0];
    const std::string& type = parts.back();
    if (name == "ld" || name == "ldu" || name == "st" || name == "atom" || name == "red" ||
        name == "tex" || name == "tld4" || name == "suld" || name == "sust" || name == "cp") {
        t.pipeline = "load/store";
        t.store = name == "st";
        t.space = has(parts, "shared") && name != "cp"                 ? memory_space::shared
                  : has(parts, "local")                                ? memory_space::local
                  : has(parts, "const") || has(parts, "param")         ? memory_space::constant
                  : name[0] == 't' || (name[0] == 's' && name != "st") ? memory_space::texture
                                                                       : memory_space::global;
        const double vector = has(parts, "v4") ? 4 : has(parts, "v2") ? 2 : 1;
        t.lane_bytes = vector * std::max(1.0, bytes_of_type(type));
        return;
    }
    if (name == "mma" || name == "wmma" || name == "wgmma") {
        if (name == "wmma" && !has(parts, "mma")) {
            t.pipeline = "load/store";
            return;
        }
        return set_tensor(t, parts);
    }
    const bool fused = name == "fma" || name == "mad";
    if (fused || name == "add" || name == "sub" || name == "mul") {
        const double each = fused ? 2 : 1;
        if (type == "f64") return set_flops(t, flop_kind::fp64, each, "FP64");
        if (type == "f32") return set_flops(t, flop_kind::fp32, each, "FP32");
        if (type == "f16x2" || type == "bf16x2")
            return set_flops(t, flop_kind::fp16, 2 * each, "FP16");
        if (type == "f16" || type == "bf16") return set_flops(t, flop_kind::fp16, each, "FP16");
        t.pipeline = fused || name == "mul" ? "integer multiplication (FMA)" : "ALU";
        return;
    }
    const char* special[] = {"sin",   "cos",  "ex2",  "lg2", "rcp",
                             "rsqrt", "sqrt", "tanh", "cvt", "popc"};
    if (std::find(std::begin(special), std::end(special), name) != std::end(special))
        t.pipeline = "special functions and conversions";
    else if (name == "bra" || name == "bar" || name == "barrier" || name == "ret" ||
             name == "exit" || name == "call")
        t.pipeline = "branch";
    else
        t.pipeline = type == "f64" ? "FP64" : name == "shfl" ? "load/store" : "ALU";
}

}  // namespace

instruction_traits instruction_traits::of(const std::string& opcode) {
    instruction_traits t;
    const words parts = split(opcode);
    if (parts.empty() || parts[0].empty()) return t;
    if (std::islower(static_cast<unsigned char>(parts[0][0])) != 0)
        of_ptx(t, parts);
    else
        of_machine_code(t, parts);
    return t;
}

double instruction_traits::ideal_sectors(double lanes) const {
    constexpr double sector = 32;
    return std::max(1.0, std::ceil(lanes * lane_bytes / sector));
}

double instruction_traits::ideal_shared_cycles(double lanes) const {
    constexpr double banks_bytes = 128;
    return std::max(1.0, std::ceil(lanes * lane_bytes / banks_bytes));
}

const char* name_of(flop_kind kind) {
    switch (kind) {
        case flop_kind::fp64:
            return "FP64";
        case flop_kind::fp32:
            return "FP32";
        case flop_kind::fp16:
            return "FP16";
        case flop_kind::tensor:
            return "tensor";
        case flop_kind::none:
            break;
    }
    return "";
}

}  // namespace simtlm::platform::study
