// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_mapping.h"

#include "modules/support/error.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace simtlm::memory {
namespace {

constexpr const char* hbm_map =
    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
constexpr const char* gddr_map =
    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";

address_mapping_config make(const char* mapping, unsigned channels, unsigned subs,
                            partition_indexing indexing) {
    address_mapping_config c;
    c.mapping = mapping;
    c.mask_mode = 1;
    c.channels = channels;
    c.sub_partitions_per_channel = subs;
    c.indexing = indexing;
    return c;
}

TEST(BitGather, PacksTheBitsOfAMask) {
    EXPECT_EQ(bit_gather(0xf0)(0xab), 0xau);
    EXPECT_EQ(bit_gather(0x8421)(0xffff), 0xfu);
    EXPECT_EQ(bit_gather(0x8421)(0x8001), 0x9u);
    EXPECT_EQ(bit_gather(0)(~0ull), 0u);
    EXPECT_EQ(bit_gather(~0ull)(0x123456789abcdef0ull), 0x123456789abcdef0ull);
}

TEST(AddressMapping, MapsVoltaAddressesAsComputedByHand) {
    const address_mapping m(make(hbm_map, 32, 2, partition_indexing::consecutive));
    // 32 channels: five bits at 8; all higher bits are shifted up.
    EXPECT_EQ(m.decoded_masks().channel, 0x1f00u);
    EXPECT_EQ(m.decoded_masks().bank, (1u << 13) | (7u << 17));
    EXPECT_EQ(m.decoded_masks().row, 0x1fffull << 20);
    EXPECT_EQ(m.decoded_masks().column, 0xffu | (7u << 14));
    EXPECT_EQ(m.decoded_masks().sub_partition, 1u << 13);
    // Row 5, bank 0b1011 (bit 13 set, bits 17..19 = 5), column high 6, channel 19, byte 0x64.
    const std::uint64_t a =
        (5ull << 20) | (5ull << 17) | (6ull << 14) | (1ull << 13) | (19ull << 8) | 0x64;
    const auto w = m.decode(a);
    EXPECT_EQ(w.channel, 19u);
    EXPECT_EQ(w.sub_partition, 39u);
    EXPECT_EQ(w.bank, 11u);
    EXPECT_EQ(w.row, 5u);
    EXPECT_EQ(w.column, (6u << 8) | 0x64u);
    // Without bits 8..13.
    EXPECT_EQ(w.partition_address, ((a >> 14) << 8) | 0x64u);
    EXPECT_EQ(w.partition_address, m.partition_address(a));
}

TEST(AddressMapping, MapsIpolyOf64AsComputedByHand) {
    const address_mapping m(make(hbm_map, 32, 2, partition_indexing::ipoly));
    // The higher bits begin at 8 + 5 + 1. Bit 0 of them contributes to index bits 0 and 1.
    EXPECT_EQ(m.decode(0).sub_partition, 0u);
    EXPECT_EQ(m.decode(1ull << 14).sub_partition, 3u);
    EXPECT_EQ(m.decode(3ull << 8).sub_partition, 6u);
    // Bit 5 of them contributes to 0, 1 and 5.
    EXPECT_EQ(m.decode(1ull << 19).sub_partition, 0x23u);
    EXPECT_EQ(m.decode(1ull << 19).channel, 0x11u);
}

TEST(AddressMapping, MapsChannelCountsThatAreNoPowerOfTwo) {
    const address_mapping m(make(gddr_map, 12, 2, partition_indexing::consecutive));
    const std::uint64_t a = ((7ull * 12 + 5) << 8) | 0x42;
    const auto w = m.decode(a);
    EXPECT_EQ(w.channel, 5u);
    // The remaining bits are 0x742: columns 5, 6 and 8.., bank bit at 7.
    EXPECT_EQ(w.bank, 0u);
    EXPECT_EQ(w.column, 2u | (2u << 5) | (7u << 7));
    EXPECT_EQ(w.partition_address, 0x3c2u);  // without bit 7
}

TEST(AddressMapping, BitwiseXorUsesTheBitsAbove) {
    const address_mapping m(make(hbm_map, 32, 2, partition_indexing::bitwise_xor));
    const auto w = m.decode((9ull << 14) | (1ull << 13) | (3ull << 8));
    EXPECT_EQ(w.channel, 9u ^ 3u);
    EXPECT_EQ(w.sub_partition, (9u ^ 3u) * 2 + 1);
}

TEST(AddressMapping, AcceptsExplicitChannelBitsAndPresets) {
    address_mapping_config c;
    c.channels = 4;
    c.sub_partitions_per_channel = 1;
    c.mapping = "00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRRBBBC.DDCSSSSS";
    const auto w = address_mapping(c).decode((1ull << 12) | (1ull << 9) | (3ull << 6) | 0x1f);
    EXPECT_EQ(w.channel, 3u);
    EXPECT_EQ(w.bank, 1u);
    EXPECT_EQ(w.row, 1u);
    address_mapping_config p;
    p.channels = 8;
    p.mask_mode = 2;
    const address_mapping preset(p);
    EXPECT_EQ(preset.decoded_masks().channel, 7u << 11);
    EXPECT_EQ(preset.decoded_masks().bank, 0x1800u << 3);
}

TEST(AddressMapping, RejectsMalformedOptions) {
    const auto reject = [](address_mapping_config c) {
        EXPECT_THROW(address_mapping{c}, support::user_error);
    };
    reject(make("dramid@8;RRRR", 8, 1, partition_indexing::consecutive));
    reject(make("dramid@x;RRRR", 8, 1, partition_indexing::consecutive));
    reject(make("dramid@8;0000000000000000000000000000000000000000000000000000000000000000Z", 8, 1,
                partition_indexing::consecutive));
    reject(make("00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRRBBBC.DDCSSSSS", 6, 1,
                partition_indexing::consecutive));
    reject(make(hbm_map, 8, 1, partition_indexing::ipoly));  // 8 sub-partitions
    reject(make(hbm_map, 12, 1, partition_indexing::bitwise_xor));
    reject(make(hbm_map, 0, 1, partition_indexing::consecutive));
    reject(make(hbm_map, 8, 3, partition_indexing::consecutive));
}

using place = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;

class AddressMappingBijection
    : public testing::TestWithParam<std::tuple<unsigned, unsigned, partition_indexing>> {};

TEST_P(AddressMappingBijection, MapsDistinctAtomsToDistinctPlaces) {
    const auto [channels, subs, indexing] = GetParam();
    for (const char* text : {hbm_map, gddr_map}) {
        const address_mapping m(make(text, channels, subs, indexing));
        std::set<place> places;
        std::set<std::pair<unsigned, std::uint64_t>> partition_places;
        const std::uint64_t base = 0x7f00000000ull & ((1ull << 27) - 1);
        for (std::uint64_t a = 0; a < (8u << 20); a += 32 * 3) {
            const auto w = m.decode(base + a);
            ASSERT_LT(w.channel, channels);
            ASSERT_LT(w.sub_partition, channels * subs);
            ASSERT_EQ(w.sub_partition / subs, w.channel);
            ASSERT_EQ(m.sub_partition_of(base + a), w.sub_partition);
            ASSERT_TRUE(places.insert({w.sub_partition, w.bank, w.row, w.column, 0u}).second);
            ASSERT_TRUE(partition_places.insert({w.sub_partition, w.partition_address}).second);
        }
    }
}
INSTANTIATE_TEST_SUITE_P(all, AddressMappingBijection,
                         testing::Values(std::tuple(32u, 2u, partition_indexing::consecutive),
                                         std::tuple(12u, 2u, partition_indexing::consecutive),
                                         std::tuple(24u, 1u, partition_indexing::consecutive),
                                         std::tuple(32u, 2u, partition_indexing::bitwise_xor),
                                         std::tuple(16u, 2u, partition_indexing::ipoly),
                                         std::tuple(32u, 2u, partition_indexing::ipoly),
                                         std::tuple(8u, 2u, partition_indexing::ipoly),
                                         std::tuple(16u, 2u, partition_indexing::pae)));

TEST(AddressMapping, RandomIndexingIsUniformAndReproducible) {
    const address_mapping m(make(gddr_map, 12, 2, partition_indexing::random));
    std::vector<unsigned> count(24, 0);
    for (std::uint64_t a = 0; a < (1u << 22); a += 128) {
        const auto w = m.decode(a);
        ++count.at(w.sub_partition);
        ASSERT_EQ(w.sub_partition, m.sub_partition_of(a + 96));
    }
    const double mean = (1u << 22) / 128 / 24.0;
    for (const unsigned n : count) EXPECT_NEAR(n, mean, mean * 0.15);
}

struct channel_addresses {
    const char* name;
    const char* mapping;
    unsigned channels, subs;
    partition_indexing indexing;
    unsigned room;  ///< bytes available for addresses of a channel
};

std::ostream& operator<<(std::ostream& out, const channel_addresses& c) {
    return out << c.name;
}

constexpr const char* explicit_map =
    "00000000.00000000.00000000.00000000.0RRRRRRR.RRRRDDDD.DBBBBCCC.CCCSSSSS";

class ChannelAddresses : public testing::TestWithParam<channel_addresses> {};

TEST_P(ChannelAddresses, AreDenseDistinctAndInvertible) {
    const channel_addresses& p = GetParam();
    const address_mapping m(make(p.mapping, p.channels, p.subs, p.indexing));
    const std::uint64_t bytes = std::uint64_t{p.channels} << 16;  // 64 KB per channel on average
    std::set<std::pair<unsigned, std::uint64_t>> seen;
    std::uint64_t highest = 0;
    for (std::uint64_t a = 0; a < bytes; a += 32) {
        const unsigned channel = m.decode(a).channel;
        const std::uint64_t local = m.channel_address(a);
        EXPECT_TRUE(seen.insert({channel, local}).second) << std::hex << a;
        EXPECT_EQ(m.device_address(channel, local), a);
        EXPECT_EQ(m.channel_address(a + 31), local + 31);
        highest = std::max(highest, local);
    }
    EXPECT_EQ(highest + 32, std::uint64_t{p.room} << 16);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ChannelAddresses,
    testing::Values(
        channel_addresses{"Consecutive", hbm_map, 32, 2, partition_indexing::consecutive, 1},
        channel_addresses{"OneChannel", hbm_map, 1, 2, partition_indexing::consecutive, 1},
        channel_addresses{"Xor", hbm_map, 32, 2, partition_indexing::bitwise_xor, 1},
        channel_addresses{"Ipoly", hbm_map, 32, 2, partition_indexing::ipoly, 1},
        channel_addresses{"Pae", hbm_map, 16, 2, partition_indexing::pae, 1},
        channel_addresses{"TwelveChannels", gddr_map, 12, 2, partition_indexing::consecutive, 1},
        channel_addresses{"IpolyOfTwelve", gddr_map, 12, 2, partition_indexing::ipoly, 2},
        channel_addresses{"Explicit", explicit_map, 32, 1, partition_indexing::consecutive, 1}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(ChannelAddresses, HaveGapsOnlyWhereIpolyFolds) {
    const address_mapping folds(make(gddr_map, 12, 2, partition_indexing::ipoly));
    const address_mapping whole(make(hbm_map, 32, 2, partition_indexing::ipoly));
    unsigned holes = 0;
    for (std::uint64_t local = 0; local < 1u << 16; local += 32) {
        holes += folds.device_address(3, local) ? 0u : 1u;
        EXPECT_TRUE(whole.device_address(3, local));
    }
    EXPECT_GT(holes, 0u);
}

TEST(AddressMapping, RotationSpreadsStridesOverAnyNumberOfChannels) {
    const address_mapping m(make(hbm_map, 40, 4, partition_indexing::rotation));
    for (const std::uint64_t stride : {256u, 4096u, 10240u, 65536u, 1u << 20}) {
        std::vector<unsigned> uses(m.sub_partitions(), 0);
        for (std::uint64_t i = 0; i < 16000; ++i) ++uses[m.decode(i * stride).sub_partition];
        for (const unsigned n : uses) EXPECT_NEAR(n, 100, 60) << "stride " << stride;
    }
}
TEST(AddressMapping, RotationMapsDistinctAddressesToDistinctPlaces) {
    for (const unsigned channels : {8u, 40u}) {
        const address_mapping m(make(hbm_map, channels, 4, partition_indexing::rotation));
        std::set<std::tuple<unsigned, std::uint64_t>> places, in_channel;
        for (std::uint64_t a = 0; a < (1u << 24); a += 256) {
            const auto w = m.decode(a);
            EXPECT_TRUE(places.insert({w.sub_partition, w.partition_address}).second);
            EXPECT_TRUE(in_channel.insert({w.channel, m.channel_address(a)}).second);
            if (a % 65536 == 0) {
                EXPECT_EQ(m.device_address(w.channel, m.channel_address(a)), a);
            }
        }
    }
}
TEST(AddressMapping, RotationRequiresContiguousChannelBits) {
    EXPECT_THROW(
        address_mapping(make("00000000.00000000.00000000.00000000.000RRRRR.RRRRRRRR.BBBDDDCC."
                             "CCCSSSSS",
                             8, 1, partition_indexing::rotation)),
        support::user_error);
}

}  // namespace
}  // namespace simtlm::memory
