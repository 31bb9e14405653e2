// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/matrix_shape.h"

#include <algorithm>
#include <cctype>

namespace simtlm::isa {

using program::matrix_shape;

namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
}

std::uint16_t number(std::string_view text) {
    unsigned value = 0;
    for (const char c : text) value = 10 * value + static_cast<unsigned>(c - '0');
    return static_cast<std::uint16_t>(value);
}

/// Parses digits: 16816 is m16n8k16, 1688 m16n8k8, 884 m8n8k4, 16832 m16n8k32, 168256 m16n8k256.
matrix_shape shape_of_digits(std::string_view digits) {
    matrix_shape s;
    const bool tall = digits.size() >= 4 && digits.substr(0, 2) == "16";
    const std::string_view rest = digits.substr(tall ? 2 : 1);
    if (rest.size() < 2 || rest[0] != '8') return s;
    s.m = tall ? 16 : 8;
    s.n = 8;
    s.k = number(rest.substr(1));
    return s;
}

/// Parses three factors, of which the second begins after position n and the third after k.
matrix_shape shape_between(std::string_view text, std::size_t n, std::size_t k) {
    matrix_shape s;
    if (n == std::string_view::npos || k == std::string_view::npos || n >= k) return s;
    const std::string_view m_text = text.substr(0, n), n_text = text.substr(n + 1, k - n - 1),
                           k_text = text.substr(k + 1);
    if (!is_digits(m_text) || !is_digits(n_text) || !is_digits(k_text)) return s;
    s.m = number(m_text);
    s.n = number(n_text);
    s.k = number(k_text);
    return s;
}

/// Parses a shape such as m16n8k16 or 64x256x16.
matrix_shape shape_of_factors(std::string_view text) {
    const bool letters = !text.empty() && text[0] == 'm';
    if (letters) text.remove_prefix(1);
    return letters ? shape_between(text, text.find('n'), text.find('k'))
                   : shape_between(text, text.find('x'), text.rfind('x'));
}

unsigned bits_of_type(std::string_view t) {
    if (t == "f64" || t == "F64") return 64;
    if (t == "tf32" || t == "TF32") return 32;
    if (t == "f16" || t == "bf16" || t == "BF16") return 16;
    if (t == "e4m3" || t == "e5m2" || t == "s8" || t == "u8" || t == "S8" || t == "U8" ||
        t == "E4M3" || t == "E5M2" || t == "e2m3" || t == "e3m2" || t == "e2m1")
        return 8;
    if (t == "s4" || t == "u4" || t == "S4" || t == "U4") return 4;
    if (t == "b1" || t == "B1" || t == "AND" || t == "XOR") return 1;
    return 0;
}

/// Bytes of an accumulator of a warpgroup product.
std::uint8_t accumulator_bytes_of(std::string_view opcode) {
    const auto names = [&](const char* text) {
        return opcode.find(text) != std::string_view::npos;
    };
    const bool of_floats = opcode.substr(0, 5) == "HGMMA" || opcode.substr(0, 5) == "QGMMA";
    const bool of_integers = opcode.substr(0, 5) == "IGMMA" || opcode.substr(0, 5) == "BGMMA";
    if (of_integers || names(".s32.")) return 4;
    return names(of_floats ? ".F32" : ".f32.") ? 4 : 2;
}

/// HMMA.16816.F32; PTX has the types D, A, B, C, and wmma with 16-bit floating-point operands D and
/// C.
bool has_fp32_accumulators(std::string_view opcode) {
    for (const char* const text : {".F32", ".f32.f16.f16.f32", ".f32.bf16.bf16.f32",
                                   ".f32.tf32.tf32.f32", ".f32.e", ".f32.f32"})
        if (opcode.find(text) != std::string_view::npos) return true;
    return false;
}

}  // namespace

matrix_shape matrix_shape_of(std::string_view opcode) {
    matrix_shape s;
    bool sparse = opcode.substr(0, 6) == "mma.sp";  // including mma.sp::ordered_metadata
    unsigned types = 0, bits = 0;
    const bool ptx = !opcode.empty() && std::islower(static_cast<unsigned char>(opcode[0])) != 0;
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    for (std::string_view rest = opcode; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        if (!s.known() && is_digits(part) && part.size() >= 3) s = shape_of_digits(part);
        if (!s.known()) {
            const matrix_shape named = shape_of_factors(part);
            if (named.known()) s = named;
        }
        if (part == "SP" || part == "sp") sparse = true;
        if (const unsigned b = bits_of_type(part); b != 0 || part == "f32" || part == "s32") {
            // PTX has the types D, A, B, C; machine code has A and B unless they are 16-bit
            // floating point.
            if (ptx ? types == 1 : bits == 0) bits = b;
            ++types;
        }
    }
    // Machine code computes a product of 8 x 8 x 4 for each quarter of the warp in four steps, with
    // FP16 accumulators in two.
    if (opcode.substr(0, 16) == "HMMA.884.F16.F16") s.n = 16;
    // wmma has only the types D and C if A and B are 16-bit floating point.
    if (ptx && base == "wmma" && types == 2) bits = 16;
    if (bits == 0) bits = base == "DMMA" ? 64 : base == "IMMA" ? 8 : base == "BMMA" ? 1 : 16;
    if (opcode.find(".kind::mxf4") != std::string_view::npos) bits = 4;  // e2m1 is packed
    s.operand_bits = static_cast<std::uint8_t>(bits);
    s.accumulator_bytes = accumulator_bytes_of(opcode);
    s.fp32_accumulators = has_fp32_accumulators(opcode);
    s.sparse = sparse;
    return s;
}

}  // namespace simtlm::isa
