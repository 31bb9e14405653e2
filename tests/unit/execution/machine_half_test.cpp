// SPDX-License-Identifier: Apache-2.0
// Half precision with single-precision operands, which compilers rarely generate: the test changes
// the operand formats in stored machine code. Such operands are truncated to halves; results equal
// those of exact arithmetic with one rounding.
#include "modules/execution/functional/functional.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/sass/cubin.h"
#include "modules/sass/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

constexpr unsigned threads = 1024;
/// Bit positions in an instruction: the formats of its halves, and the flag for products in which
/// zero dominates.
constexpr unsigned form_of_a = 74, form_of_b = 60, form_of_c = 81, zero_wins = 76;

/// Sets the lowest bit of a format (which makes it .F32), or a flag, in an instruction of a kernel.
void set_bits(std::string& cubin, const std::string& kernel, const char* opcode,
              const std::vector<unsigned>& bits) {
    const sass::cubin parsed(cubin, "halves.cubin");
    const sass::cubin_function& f = *parsed.find_function(kernel);
    for (std::size_t n = 0; n < f.instructions(); ++n) {
        sass::instruction i;
        sass::instruction_word word = f.word(n);
        if (!sass::decode(word, 75, 16 * n, i) || isa::name_of(i.opcode) != opcode) continue;
        const std::string before(reinterpret_cast<const char*>(&word.low), 8);
        const std::size_t at = cubin.find(before);
        ASSERT_NE(at, std::string::npos);
        for (const unsigned bit : bits)
            (bit < 64 ? word.low : word.high) |= std::uint64_t{1} << bit % 64;
        std::memcpy(&cubin[at], &word.low, 8);
        std::memcpy(&cubin[at + 8], &word.high, 8);
        return;
    }
    FAIL() << opcode;
}

long double half_value(std::uint32_t h) {
    const int exponent = static_cast<int>(h >> 10 & 31);
    const auto fraction = static_cast<long double>(h & 0x3ff);
    const long double v =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return (h & 0x8000) != 0 ? -v : v;
}
/// Rounded to the nearest half, ties to even; for values that are in range.
std::uint32_t to_half(long double v) {
    const std::uint32_t sign = std::signbit(v) ? 0x8000 : 0;
    const long double magnitude = std::fabs(v);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int step = std::max(exponent - 11, -24);
    const long double units = std::nearbyint(std::ldexp(magnitude, -step));
    // Units of 2^step: 1024 to 2047 for normal numbers; 2048 carries into the exponent.
    const auto count = static_cast<std::uint32_t>(units);
    return sign | ((static_cast<std::uint32_t>(step + 24) << 10) + count);
}
/// A float truncated to the 11 bits of a half.
long double truncated(std::uint32_t bits) {
    float v;
    bits &= ~0x1fffu;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

/// Halves of either sign between 2^-4 and 2^3, and floats with 24 significant bits.
std::uint32_t random_halves(std::uint32_t& seed) {
    const auto half = [&] {
        seed = seed * 1664525 + 1013904223;
        return (seed >> 16 & 0x83ff) | (11 + (seed >> 9) % 7) << 10;
    };
    const std::uint32_t low = half();
    return low | half() << 16;
}
std::uint32_t random_float(std::uint32_t& seed) {
    seed = seed * 1664525 + 1013904223;
    return (seed & 0x807fffff) | (120 + (seed >> 23 & 7)) << 23;
}

struct inputs {
    std::vector<std::uint32_t> a, b, c;
};

std::vector<std::uint32_t> run(const std::string& cubin, const char* kernel, const inputs& in) {
    device_memory::config config;
    config.capacity = std::uint64_t{1} << 26;
    device_memory memory(config);
    const sass_image image(std::make_shared<const sass::cubin>(cubin, "halves.cubin"), memory);
    EXPECT_TRUE(image.is_executed_whole());
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel(kernel);
    l.grid = {1, 1, 1};
    l.block = {threads, 1, 1};
    std::uint64_t arguments[4];
    const std::vector<std::uint32_t>* const from[] = {&in.a, &in.b, &in.c};
    for (unsigned n = 0; n < 4; ++n) arguments[n] = memory.allocate(threads * 4);
    for (unsigned n = 0; n < 3; ++n) memory.write(arguments[n], from[n]->data(), threads * 4);
    l.parameters.resize(sizeof arguments);
    std::memcpy(l.parameters.data(), arguments, sizeof arguments);
    execution::run(l, memory, {}, {});
    std::vector<std::uint32_t> out(threads);
    memory.read(out.data(), arguments[3], threads * 4);
    return out;
}

std::string stored() {
    std::ifstream in(SIMTLM_MACHINE_CODE "/halves.sm_75.cubin", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MachineHalves, MultiplyByTruncatedFloats) {
    for (const bool float_a : {false, true})
        for (const bool fused : {false, true}) {
            std::string cubin = stored();
            set_bits(cubin, fused ? "multiply_add" : "multiply", fused ? "HFMA2" : "HMUL2",
                     {float_a ? form_of_a : form_of_b});
            inputs in;
            std::uint32_t seed = 17;
            for (unsigned t = 0; t < threads; ++t) {
                in.a.push_back(float_a ? random_float(seed) : random_halves(seed));
                in.b.push_back(float_a ? random_halves(seed) : random_float(seed));
                in.c.push_back(random_halves(seed));
            }
            const auto out = run(cubin, fused ? "multiply_add" : "multiply", in);
            for (unsigned t = 0; t < threads; ++t)
                for (const unsigned shift : {0u, 16u}) {
                    const long double whole = truncated(float_a ? in.a[t] : in.b[t]);
                    const long double half =
                        half_value((float_a ? in.b[t] : in.a[t]) >> shift & 0xffff);
                    const long double add = fused ? half_value(in.c[t] >> shift & 0xffff) : 0;
                    ASSERT_EQ(out[t] >> shift & 0xffff, to_half(whole * half + add))
                        << t << " " << float_a << fused;
                }
        }
}

TEST(MachineHalves, AddTruncatedFloatsToProducts) {
    std::string cubin = stored();
    set_bits(cubin, "multiply_add", "HFMA2", {form_of_c});
    inputs in;
    std::uint32_t seed = 5;
    for (unsigned t = 0; t < threads; ++t) {
        in.a.push_back(random_halves(seed));
        in.b.push_back(random_halves(seed));
        in.c.push_back(random_float(seed));
    }
    const auto out = run(cubin, "multiply_add", in);
    for (unsigned t = 0; t < threads; ++t)
        for (const unsigned shift : {0u, 16u})
            ASSERT_EQ(out[t] >> shift & 0xffff, to_half(half_value(in.a[t] >> shift & 0xffff) *
                                                            half_value(in.b[t] >> shift & 0xffff) +
                                                        truncated(in.c[t])));
}

TEST(MachineHalves, ProductsByZeroAreZeroWhereZeroWins) {
    constexpr std::uint32_t infinity = 0x7c00, nan = 0x7fff, two = 0x4000, small = 0x0001;
    std::string cubin = stored();
    const inputs in{std::vector<std::uint32_t>(threads, infinity | nan << 16),
                    std::vector<std::uint32_t>(threads, 0 | small << 16),
                    std::vector<std::uint32_t>(threads, two | two << 16)};
    EXPECT_EQ(run(cubin, "multiply", in)[0] & 0xffff, nan);
    set_bits(cubin, "multiply", "HMUL2", {zero_wins});
    set_bits(cubin, "multiply_add", "HFMA2", {zero_wins});
    // Subnormal numbers are flushed to zero.
    EXPECT_EQ(run(cubin, "multiply", in)[0], 0u);
    EXPECT_EQ(run(cubin, "multiply_add", in)[0], two | two << 16);
}

/// Why a kernel of a cubin is not executed as a whole.
std::string problem_of(const std::string& cubin, const char* kernel) {
    device_memory::config config;
    config.capacity = std::uint64_t{1} << 26;
    device_memory memory(config);
    const sass_image image(std::make_shared<const sass::cubin>(cubin, "halves.cubin"), memory);
    return image.problem_of(*image.find_kernel(kernel));
}

TEST(MachineCode, WithAModifierThatIsNotConsideredIsNotExecuted) {
    constexpr unsigned preempted = 85;
    EXPECT_EQ(problem_of(stored(), "multiply"), "");
    std::string cubin = stored();
    set_bits(cubin, "multiply", "EXIT", {preempted});
    EXPECT_THAT(problem_of(cubin, "multiply"), testing::HasSubstr("the modifier .PREEMPTED"));
}

}  // namespace
}  // namespace simtlm::execution
