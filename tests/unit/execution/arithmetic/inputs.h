// SPDX-License-Identifier: Apache-2.0
// Inputs for tests of arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace simtlm::execution::arithmetic::test {

/// Edge values of a register, followed by `random_count` reproducible random ones, some of which
/// have few bits set or few bits clear.
template <class Bits>
std::vector<Bits> samples(std::size_t random_count, std::uint64_t seed = 1) {
    constexpr unsigned width = sizeof(Bits) * 8;
    std::vector<Bits> values{0, 1, 2, 3};
    for (unsigned i = 2; i < width; ++i) {
        const auto power = static_cast<Bits>(std::uint64_t{1} << i);
        for (const Bits value :
             {static_cast<Bits>(power - 1), power, static_cast<Bits>(power + 1)}) {
            values.push_back(value);
            values.push_back(static_cast<Bits>(~value));
            values.push_back(static_cast<Bits>(-value));
        }
    }
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < random_count; ++i) {
        const std::uint64_t word = random();
        switch (i % 4) {
            case 0:
                values.push_back(static_cast<Bits>(word & random()));
                break;
            case 1:
                values.push_back(static_cast<Bits>(word | random()));
                break;
            default:
                values.push_back(static_cast<Bits>(word));
                break;
        }
    }
    return values;
}

/// samples(), as many numbers whose exponents are close to that of 1, so that sums and products of
/// them interact, and some close to zero.
template <class Format>
std::vector<typename Format::bits> float_samples(std::size_t random_count, std::uint64_t seed = 1) {
    using bits = typename Format::bits;
    auto values = samples<bits>(random_count, seed);
    for (const bits special : {Format::infinity, Format::one, Format::largest_finite}) {
        for (const int step : {-1, 0, 1}) {
            values.push_back(static_cast<bits>(special + step));
            values.push_back(static_cast<bits>((special + step) | Format::sign_bit));
        }
    }
    std::mt19937_64 random(seed + 1);
    for (std::size_t i = 0; i < random_count; ++i) {
        const std::uint64_t word = random();
        const std::uint64_t sparse = i % 2 == 0 ? word : word & random() & random();
        const auto sign = static_cast<bits>((word >> 40 & 1) != 0 ? Format::sign_bit : 0);
        const int near = static_cast<int>(word >> 50 & 7) - 4;
        const int exponent = (word >> 60) == 0 ? near + 4 : Format::bias + near;
        values.push_back(static_cast<bits>(sign |
                                           (static_cast<bits>(exponent) << Format::fraction_bits) |
                                           (sparse & Format::fraction_mask)));
    }
    return values;
}

/// All values of an 8-bit or 16-bit register.
template <class Bits>
std::vector<Bits> all_values() {
    static_assert(sizeof(Bits) <= 2);
    std::vector<Bits> values;
    for (std::uint32_t i = 0; i < 1u << (sizeof(Bits) * 8); ++i) {
        values.push_back(static_cast<Bits>(i));
    }
    return values;
}

/// Calls check(a, b) for all pairs of `values` until one fails.
template <class Bits, class Check>
void for_pairs(const std::vector<Bits>& values, Check check) {
    for (const Bits a : values) {
        for (const Bits b : values) {
            check(a, b);
            if (::testing::Test::HasFailure()) FAIL() << std::hex << +a << " and " << +b;
        }
    }
}

/// Calls check(a, b, c) `count` times with operands drawn from `values`.
template <class Bits, class Check>
void for_triples(const std::vector<Bits>& values, std::size_t count, Check check) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const Bits a = values[pick(random)], b = values[pick(random)], c = values[pick(random)];
        check(a, b, c);
        if (::testing::Test::HasFailure()) {
            FAIL() << std::hex << +a << " and " << +b << " and " << +c;
        }
    }
}

}  // namespace simtlm::execution::arithmetic::test
