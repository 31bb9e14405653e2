// SPDX-License-Identifier: Apache-2.0
// Atomics of vectors and reductions in other CTAs (vectors_90.ptx), as PTX and as machine code,
// compared with arithmetic of the host.
#include "modules/execution/common/execution_error.h"
#include "modules/execution/functional/functional.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/parser.h"
#include "modules/sass/cubin.h"
#include "modules/sass/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

constexpr unsigned lanes = 32;

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The program, as PTX or as machine code.
class VectorAtomics : public testing::TestWithParam<bool> {
protected:
    VectorAtomics()
        : memory_([] {
              device_memory::config c;
              c.capacity = std::uint64_t{1} << 24;
              return c;
          }()) {
        const std::string path = SIMTLM_MACHINE_CODE "/vectors_90";
        if (GetParam())
            image_ = std::make_unique<sass_image>(
                std::make_shared<const sass::cubin>(contents(path + ".sm_90.cubin"), "vectors"),
                memory_);
        else
            image_ = std::make_unique<ptx_image>(
                std::make_shared<const ptx::module>(ptx::parse(contents(path + ".ptx"), "vectors")),
                memory_);
        for (unsigned n = 0; n < 2 * lanes; ++n) given_.push_back(n * 2654435761U ^ n >> 2);
    }

    /// Runs a kernel with the given words and buffers of zeros; returns the buffers' contents.
    std::vector<std::string> run(const std::string& kernel, std::vector<std::size_t> bytes,
                                 unsigned ctas) {
        std::vector<std::uint64_t> arguments{memory_.allocate(given_.size() * 4)};
        memory_.write(arguments[0], given_.data(), given_.size() * 4);
        for (const std::size_t n : bytes) {
            arguments.push_back(memory_.allocate(n));
            const std::string zeros(n, '\0');
            memory_.write(arguments.back(), zeros.data(), n);
        }
        launch l;
        l.image = image_.get();
        l.kernel = image_->find_kernel(kernel);
        l.grid = l.cluster = {ctas, 1, 1};
        l.block = {lanes, 1, 1};
        l.parameters.resize(arguments.size() * 8);
        std::memcpy(l.parameters.data(), arguments.data(), l.parameters.size());
        execution::run(l, memory_, {}, {});
        std::vector<std::string> found;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            found.emplace_back(bytes[i], '\0');
            memory_.read(found[i].data(), arguments[i + 1], bytes[i]);
        }
        return found;
    }

    device_memory memory_;
    std::unique_ptr<program_image> image_;
    std::vector<std::uint32_t> given_;
};

/// A small integer, encoded with some bits of exponent and of fraction.
std::uint32_t encoded(int value, int exponent_bits, int fraction_bits) {
    if (value == 0) return 0;
    const int magnitude = std::abs(value);
    const int exponent = static_cast<int>(std::log2(magnitude));
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int fraction = (magnitude << fraction_bits >> exponent) - (1 << fraction_bits);
    const std::uint32_t sign = value < 0 ? 1u << (exponent_bits + fraction_bits) : 0;
    return sign | static_cast<std::uint32_t>((exponent + bias) << fraction_bits | fraction);
}

struct vector_form {
    int exponent_bits, fraction_bits;
    unsigned elements;  ///< numbers, two of them in a packed element
    char operation;     ///< + or < or >
};

std::vector<vector_form> forms() {
    std::vector<vector_form> all{{8, 23, 2, '+'}, {8, 23, 4, '+'}};
    for (const unsigned packed : {1u, 2u})
        for (const bool brain : {false, true})
            for (unsigned n = 2; n * packed <= 8; n *= 2)
                for (const char op : {'+', '<', '>'})
                    all.push_back({brain ? 8 : 5, brain ? 7 : 10, n * packed, op});
    return all;
}

TEST_P(VectorAtomics, UpdateEachElement) {
    const std::vector<vector_form> all = forms();
    ASSERT_EQ(all.size(), 32u);
    const auto found = run("vectors", {64 * all.size(), 512 * all.size()}, 1);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const vector_form& f = all[k];
        const unsigned bytes = f.fraction_bits == 23 ? 4 : 2;
        const auto at = [&](const std::string& from, std::size_t offset) {
            std::uint32_t v = 0;
            std::memcpy(&v, from.data() + offset, bytes);
            return v;
        };
        for (unsigned e = 0; e < f.elements; ++e) {
            int now = 0;
            for (unsigned lane = 0; lane < lanes; ++lane) {
                EXPECT_EQ(at(found[1], 512 * k + 16 * lane + e * bytes),
                          encoded(now, f.exponent_bits, f.fraction_bits))
                    << k << " element " << e << " lane " << lane;
                const int b = static_cast<int>(given_[lane] >> e & 7) - 3;
                now = f.operation == '+'   ? now + b
                      : f.operation == '<' ? std::min(now, b)
                                           : std::max(now, b);
            }
            const std::uint32_t sum = encoded(now, f.exponent_bits, f.fraction_bits);
            EXPECT_EQ(at(found[0], 64 * k + e * bytes), sum) << k << " element " << e;
            EXPECT_EQ(at(found[0], 64 * k + 32 + e * bytes), sum) << k << " element " << e;
        }
    }
}

TEST_P(VectorAtomics, RemoteReductionsUpdateTheOtherCta) {
    const auto found = run("remote_reductions", {2 * 64}, 2);
    for (unsigned cta = 0; cta < 2; ++cta) {
        std::array<std::uint32_t, 12> want;
        want.fill(0x1234);
        std::uint64_t wide = 0x123400001234;
        const auto as_signed = [](std::uint32_t v) { return static_cast<std::int32_t>(v); };
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const std::uint32_t b = given_[(1 - cta) * lanes + lane];
            want[0] += b;
            want[1] = std::min(want[1], b);
            want[2] = std::max(want[2], b);
            if (as_signed(b) < as_signed(want[3])) want[3] = b;
            if (as_signed(b) > as_signed(want[4])) want[4] = b;
            want[5] &= b;
            want[6] |= b;
            want[7] ^= b;
            want[8] = want[8] >= 0x1240 ? 0 : want[8] + 1;
            want[9] = want[9] == 0 || want[9] > 0x1240 ? 0x1240 : want[9] - 1;
            wide += b;
        }
        want[10] = static_cast<std::uint32_t>(wide);
        want[11] = static_cast<std::uint32_t>(wide >> 32);
        for (unsigned n = 0; n < want.size(); ++n) {
            std::uint32_t v = 0;
            std::memcpy(&v, found[0].data() + 64 * cta + 4 * n, 4);
            EXPECT_EQ(v, want[n]) << "cta " << cta << " word " << n;
        }
    }
}

TEST_P(VectorAtomics, ExchangeValuesOf128BitsAtomically) {
    const auto found = run("wide", {64 + 3 * 16 * lanes}, 1);
    const auto expect = [&](std::size_t offset, std::uint64_t low, std::uint64_t high) {
        std::uint64_t v[2] = {};
        std::memcpy(v, found[0].data() + offset, sizeof v);
        EXPECT_EQ(v[0], low) << offset;
        EXPECT_EQ(v[1], high) << offset;
    };
    expect(0, 3 * (lanes - 1), 5 * (lanes - 1));
    expect(16, lanes, ~std::uint64_t{lanes});
    expect(32, lanes, ~std::uint64_t{lanes});
    for (std::uint64_t i = 0; i < lanes; ++i) {
        const std::uint64_t before = i == 0 ? 0 : i - 1;
        expect(64 + 16 * i, 3 * before, 5 * before);
        expect(576 + 16 * i, i, ~i);
        expect(1088 + 16 * i, i, ~i);
    }
}

INSTANTIATE_TEST_SUITE_P(Code, VectorAtomics, testing::Bool(),
                         [](const auto& p) { return p.param ? "machine" : "ptx"; });

/// Runs the kernel of ranks_90.ptx with an arrival at an mbarrier that the first thread of each CTA
/// initialises. @param guard  bits of the guard of the instruction VOTEU.ALL UP0, P1 before that
void arrive_in_ranks(unsigned guard) {
    std::string cubin = contents(SIMTLM_MACHINE_CODE "/ranks_90.sm_90.cubin");
    {
        const sass::cubin parsed(cubin, "ranks");
        const sass::cubin_function& f = *parsed.find_function("ranks");
        std::vector<std::size_t> votes;
        for (std::size_t n = 0; n < f.instructions(); ++n) {
            sass::instruction i;
            if (sass::decode(f.word(n), 90, 16 * n, i) && i.opcode == isa::opcode::VOTEU &&
                i.has(sass::modifier::ALL))
                votes.push_back(n);
        }
        ASSERT_EQ(votes.size(), 2u);
        const sass::instruction_word word = f.word(votes[1]);
        std::string before(16, '\0');
        std::memcpy(before.data(), &word.low, 8);
        std::memcpy(before.data() + 8, &word.high, 8);
        const std::size_t at = cubin.find(before);
        ASSERT_NE(at, std::string::npos);
        // Bits 15:12.
        cubin[at + 1] = static_cast<char>((cubin[at + 1] & 0x0f) | guard << 4);
    }
    device_memory::config c;
    c.capacity = std::uint64_t{1} << 24;
    device_memory memory(c);
    const sass_image image(std::make_shared<const sass::cubin>(cubin, "ranks"), memory);
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel("ranks");
    ASSERT_NE(l.kernel, nullptr);
    l.grid = {2, 1, 1};
    l.block = {64, 1, 1};
    const std::uint64_t out = memory.allocate(512);
    const std::uint32_t rank_and_access[] = {1, 3};
    l.parameters.resize(16);
    std::memcpy(l.parameters.data(), &out, 8);
    std::memcpy(l.parameters.data() + 8, rank_and_access, 8);
    execution::run(l, memory, {}, {});
}

TEST(UniformVote, CountsLanesWithATrueGuard) {
    constexpr unsigned always = 7, other_threads = 1;  // P1: not the first thread
    EXPECT_NO_THROW(arrive_in_ranks(always));
    // All lanes that vote are other threads: the mbarrier is not initialised.
    EXPECT_THROW(arrive_in_ranks(other_threads), execution_error);
}

}  // namespace
}  // namespace simtlm::execution
