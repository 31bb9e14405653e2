// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/set_index.h"

#include <gtest/gtest.h>

#include <set>

namespace simtlm::cache {
namespace {

TEST(SetIndex, LinearTakesTheBitsAboveTheLine) {
    const set_index index(set_index_function::linear, 64, 128);
    EXPECT_EQ(index(0x12345680), 0x12345680u / 128 % 64);
}

TEST(SetIndex, IpolyGivesTheValuesOfItsMatrix) {
    EXPECT_EQ(ipoly_hash(0, 13, 64), 13u);
    // Setting one address bit at a time yields the columns of the matrix.
    const unsigned of_32[] = {5, 10, 20, 13, 26, 17, 7, 14};
    for (unsigned bit = 0; bit < 8; ++bit)
        EXPECT_EQ(ipoly_hash(std::uint64_t{1} << bit, 0, 32), of_32[bit]) << bit;
    EXPECT_EQ(ipoly_hash(1, 0, 16), 3u);
    EXPECT_EQ(ipoly_hash(1, 0, 64), 3u);
    EXPECT_EQ(ipoly_hash(0x123456789abcdef0, 21, 64), 13u);
}

TEST(SetIndex, IpolyIsOneToOneWithinAnyPowerOfTwoStride) {
    for (const unsigned buckets : {16u, 32u, 64u}) {
        const set_index index(set_index_function::ipoly, buckets, 128);
        for (unsigned stride_log2 = 7; stride_log2 < 12; ++stride_log2) {
            std::set<unsigned> seen;
            for (std::uint64_t i = 0; i < buckets; ++i) seen.insert(index(i << stride_log2));
            EXPECT_EQ(seen.size(), buckets) << "stride 2^" << stride_log2;
        }
    }
}

TEST(SetIndex, BitwiseExclusiveOrFoldsTheNextBitsIn) {
    const set_index index(set_index_function::bitwise_xor, 16, 32);
    EXPECT_EQ(index((0x5u << 9) | (0x3u << 5)), 0x5u ^ 0x3u);
}

TEST(SetIndex, FermiHashMixesSevenAddressBits) {
    EXPECT_EQ(fermi_hash(0x80, 7, 32), 1u);
    EXPECT_EQ(fermi_hash(0xe000, 7, 32), 7u);
    EXPECT_EQ(fermi_hash(0x20000, 7, 32), 8u);
    EXPECT_EQ(fermi_hash(0x80000, 7, 32), 16u);
    EXPECT_EQ(fermi_hash(0x1000, 7, 64), 32u);
}

TEST(SetIndex, FoldedLinesSpreadLinesByAllPairsOfBitsOfTheirNumber) {
    const set_index index(set_index_function::folded_lines, 16, 32);
    const auto bank_of_line = [&](std::uint64_t line) { return index(line * 128) / 4; };
    for (unsigned line = 0; line < 4; ++line) EXPECT_EQ(bank_of_line(line), line);
    EXPECT_EQ(bank_of_line(0b01'00), 1u);
    EXPECT_EQ(bank_of_line(0b10'11'01), 0u);
    EXPECT_EQ(bank_of_line(std::uint64_t{0b10} << 34), 2u);
    EXPECT_EQ(index(5 * 128 + 96), index(5 * 128) + 3);
}

TEST(SetIndex, FoldsGroupsOfAnyWidth) {
    EXPECT_EQ(folded(0b110'101'011, 3), 0u);
    EXPECT_EQ(folded(0b1011, 1), 1u);
    EXPECT_EQ(folded(0xa5, 4), 0xfu);
    EXPECT_EQ(folded(12345, 0), 0u);
}

}  // namespace
}  // namespace simtlm::cache
