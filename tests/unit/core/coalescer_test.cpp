// SPDX-License-Identifier: Apache-2.0
#include "modules/core/coalescer.h"

#include "tests/unit/core/warps.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <set>

namespace simtlm::core {

static bool operator==(const memory_access& a, const memory_access& b) {
    return a.address == b.address && a.size == b.size && a.lanes == b.lanes;
}
static void PrintTo(const memory_access& a, std::ostream* os) {
    *os << std::hex << a.address << '+' << std::dec << a.size << " lanes " << std::hex << a.lanes;
}

namespace {

using program::memory_space;

sm_config config_of(unsigned arch) {
    sm_config c;
    c.ldst.coalesce_arch = arch;
    c.shared.warp_parts = arch < 20 ? 2 : 1;  // half-warps before Fermi
    return c;
}

memory_access expect(std::uint64_t address, unsigned size, std::uint32_t lanes) {
    memory_access a;
    a.address = address;
    a.size = static_cast<std::uint16_t>(size);
    a.lanes = lanes;
    return a;
}

lane_addresses lanes_at(const std::function<std::uint64_t(unsigned)>& address,
                        std::uint32_t mask = ~0u) {
    lane_addresses l;
    l.lanes = mask;
    for (unsigned i = 0; i < 32; ++i) l.address[0][i] = address(i);
    return l;
}

struct coalesced {
    program::static_instruction info;
    warp_instruction inst;
    coalesced(const sm_config& c, const lane_addresses& lanes, unsigned bytes,
              memory_space space = memory_space::global, bool atomic = false,
              program::cache_operator op = program::cache_operator::cache_all)
        : info(test::load(3, bytes)) {
        info.is_atomic = atomic;
        info.cache_op = op;
        inst.info = &info;
        inst.space = space;
        inst.data_size = static_cast<std::uint8_t>(bytes);
        coalescer(c).coalesce(inst, lanes);
    }
};

std::vector<memory_access> accesses(unsigned arch, const lane_addresses& lanes, unsigned bytes) {
    return coalesced(config_of(arch), lanes, bytes).inst.accesses;
}

constexpr std::uint64_t base = 0x7f0000010000;
using list = std::vector<memory_access>;

// ---- sectors, compute capability 4.0 and later -------------------------------------------------

TEST(CoalescerWithSectors, AccessesFourSectorsForConsecutiveWords) {
    const auto got = accesses(70, lanes_at([](unsigned i) { return base + 4 * i; }), 4);
    EXPECT_EQ(got, (list{expect(base, 32, 0xff), expect(base + 32, 32, 0xff00),
                         expect(base + 64, 32, 0xff0000), expect(base + 96, 32, 0xff000000)}));
    for (unsigned s = 0; s < 4; ++s) {
        EXPECT_EQ(got[s].sectors, 1u << s);
        EXPECT_EQ(got[s].bytes.sector(s), ~0u);
    }
}

TEST(CoalescerWithSectors, AccessesOneSectorForEqualAddresses) {
    const auto got = accesses(70, lanes_at([](unsigned) { return base + 100; }), 4);
    EXPECT_EQ(got, list{expect(base + 96, 32, ~0u)});
    EXPECT_EQ(got[0].bytes.sector(3), 0xf0u);
}

TEST(CoalescerWithSectors, AccessesOneSectorPerLaneForAWideStride) {
    const auto got = accesses(70, lanes_at([](unsigned i) { return base + 128 * (31 - i); }), 4);
    ASSERT_EQ(got.size(), 32u);
    for (unsigned k = 0; k < 32; ++k)  // in address order, not lane order
        EXPECT_EQ(got[k], expect(base + 128 * k, 32, 1u << (31 - k)));
}

TEST(CoalescerWithSectors, AccessesSixteenSectorsForAWarpOfVectors) {
    const auto got = accesses(86, lanes_at([](unsigned i) { return base + 16 * i; }), 16);
    ASSERT_EQ(got.size(), 16u);
    for (unsigned k = 0; k < 16; ++k) EXPECT_EQ(got[k], expect(base + 32 * k, 32, 3u << 2 * k));
}

TEST(CoalescerWithSectors, IgnoresInactiveLanes) {
    const auto got = accesses(75, lanes_at([](unsigned i) { return base + 4 * i; }, 0x00010001), 4);
    EXPECT_EQ(got, (list{expect(base, 32, 1), expect(base + 64, 32, 0x10000)}));
    EXPECT_TRUE(accesses(75, lanes_at([](unsigned i) { return base + 4 * i; }, 0), 4).empty());
}

TEST(CoalescerWithSectors, SplitsALaneThatStraddlesTwoSectors) {
    const auto got = accesses(70, lanes_at([](unsigned) { return base + 30; }, 1), 4);
    EXPECT_EQ(got, (list{expect(base, 32, 1), expect(base + 32, 32, 1)}));
    // Likewise across a line boundary.
    const auto line = accesses(70, lanes_at([](unsigned) { return base + 120; }, 4), 16);
    EXPECT_EQ(line, (list{expect(base + 96, 32, 4), expect(base + 128, 32, 4)}));
}

TEST(CoalescerWithSectors, SplitsNothingByHalfWarpUnlessConfigured) {
    sm_config c = config_of(70);
    const auto lanes = lanes_at([](unsigned) { return base; });
    EXPECT_EQ(coalesced(c, lanes, 4).inst.accesses.size(), 1u);
    c.shared.warp_parts = 2;
    EXPECT_EQ(coalesced(c, lanes, 4).inst.accesses,
              (list{expect(base, 32, 0xffff), expect(base, 32, 0xffff0000)}));
}

// ---- segments, earlier compute capabilities ----------------------------------------------------

TEST(CoalescerWithSegments, CoalescesHalfWarpsSeparatelyOn1x) {
    // A half-warp of consecutive words covers half of a 128-byte segment: the access shrinks to 64
    // bytes.
    const auto got = accesses(13, lanes_at([](unsigned i) { return base + 4 * i; }), 4);
    EXPECT_EQ(got, (list{expect(base, 64, 0xffff), expect(base + 64, 64, 0xffff0000)}));
}

TEST(CoalescerWithSegments, UsesSegmentsByDataSizeOn1x) {
    // Bytes use 32-byte segments, half-words 64-byte segments, words and larger types 128-byte
    // segments.
    EXPECT_EQ(accesses(13, lanes_at([](unsigned i) { return base + i; }), 1),
              (list{expect(base, 32, 0xffff), expect(base, 32, 0xffff0000)}));
    EXPECT_EQ(accesses(13, lanes_at([](unsigned i) { return base + 2 * i; }), 2),
              (list{expect(base, 32, 0xffff), expect(base + 32, 32, 0xffff0000)}));
    EXPECT_EQ(accesses(13, lanes_at([](unsigned i) { return base + 8 * i; }), 8),
              (list{expect(base, 128, 0xffff), expect(base + 128, 128, 0xffff0000)}));
    EXPECT_EQ(accesses(13, lanes_at([](unsigned i) { return base + 16 * i; }, 0xffff), 16),
              (list{expect(base, 128, 0xff), expect(base + 128, 128, 0xff00)}));
    // Two half-words in different halves of a 64-byte segment prevent shrinking.
    EXPECT_EQ(accesses(13, lanes_at([](unsigned i) { return base + 32 * i; }, 3), 2),
              list{expect(base, 64, 3)});
}

TEST(CoalescerWithSegments, ShrinksASegmentToTheHalfThatIsUsed) {
    const auto at = [](std::uint64_t offset, std::uint32_t mask = 1) {
        return accesses(20, lanes_at([=](unsigned i) { return base + offset + 4 * i; }, mask), 4);
    };
    EXPECT_EQ(at(0), list{expect(base, 32, 1)});
    EXPECT_EQ(at(32), list{expect(base + 32, 32, 1)});
    EXPECT_EQ(at(64), list{expect(base + 64, 32, 1)});
    EXPECT_EQ(at(124), list{expect(base + 96, 32, 1)});
    EXPECT_EQ(at(28, 0b11), list{expect(base, 64, 0b11)});
    EXPECT_EQ(at(92, 0b11), list{expect(base + 64, 64, 0b11)});
    EXPECT_EQ(at(60, 0b11), list{expect(base, 128, 0b11)}) << "both halves are used";
}

TEST(CoalescerWithSegments, TakesOneLineForAFullWarpOfAFermi) {
    for (const unsigned arch : {20u, 35u, 37u, 39u}) {
        const auto got = accesses(arch, lanes_at([](unsigned i) { return base + 4 * i; }), 4);
        EXPECT_EQ(got, list{expect(base, 128, ~0u)}) << arch;
        EXPECT_EQ(got[0].sectors, 0xf);
    }
}

TEST(CoalescerWithSegments, UsesSectorsOn2xAnd3xWhereTheL1IsSkipped) {
    const auto lanes = lanes_at([](unsigned i) { return base + 4 * i; });
    for (const unsigned arch : {20u, 35u}) {
        sm_config c = config_of(arch);
        EXPECT_EQ(coalesced(c, lanes, 4, memory_space::global, false,
                            program::cache_operator::cache_global)
                      .inst.accesses.size(),
                  4u);
        c.ldst.global_skips_l1 = true;
        EXPECT_EQ(coalesced(c, lanes, 4).inst.accesses.size(), 4u);
        EXPECT_EQ(coalesced(c, lanes, 2).inst.accesses.size(), 4u);
    }
}

TEST(CoalescerWithSegments, SplitsALaneThatStraddlesTwoSegments) {
    const auto got = accesses(20, lanes_at([](unsigned) { return base + 126; }, 1), 4);
    EXPECT_EQ(got, (list{expect(base + 96, 32, 1), expect(base + 128, 32, 1)}));
}

// ---- local memory ------------------------------------------------------------------------------

TEST(Coalescer, CoalescesTheWordsOfLocalMemoryIndividually) {
    // Two words per lane: word k of all lanes is contiguous.
    lane_addresses l;
    l.lanes = ~0u;
    l.words = 2;
    for (unsigned i = 0; i < 32; ++i) {
        l.address[0][i] = base + 4 * i;
        l.address[1][i] = base + 0x10000 + 4 * i;
    }
    const coalesced got(config_of(70), l, 4, memory_space::local);
    ASSERT_EQ(got.inst.accesses.size(), 8u);
    for (unsigned k = 0; k < 4; ++k) {
        EXPECT_EQ(got.inst.accesses[k], expect(base + 32 * k, 32, 0xffu << 8 * k));
        EXPECT_EQ(got.inst.accesses[4 + k], expect(base + 0x10000 + 32 * k, 32, 0xffu << 8 * k));
    }
}

// ---- atomics -----------------------------------------------------------------------------------

TEST(CoalescerOfAtomics, IssuesAnAccessPerLaneForTheSameBytes) {
    const coalesced got(config_of(70), lanes_at([](unsigned) { return base + 4; }, 0b111), 4,
                        memory_space::global, true);
    EXPECT_EQ(got.inst.accesses,
              (list{expect(base, 32, 0b001), expect(base, 32, 0b010), expect(base, 32, 0b100)}));
}

TEST(CoalescerOfAtomics, CoalescesLanesOfDistinctBytes) {
    const coalesced got(config_of(70), lanes_at([](unsigned i) { return base + 4 * i; }), 4,
                        memory_space::global, true);
    ASSERT_EQ(got.inst.accesses.size(), 4u);
    EXPECT_EQ(got.inst.accesses[1], expect(base + 32, 32, 0xff00));
}

TEST(CoalescerOfAtomics, FillsTheFirstFreeAccess) {
    // Lanes 0 and 1 conflict; lanes 2 and 3 fit into the first access.
    const std::array<unsigned, 4> offset = {0, 0, 4, 0};
    const coalesced got(config_of(70),
                        lanes_at([&](unsigned i) { return base + offset[i % 4]; }, 0xf), 4,
                        memory_space::global, true);
    EXPECT_EQ(got.inst.accesses,
              (list{expect(base, 32, 0b0101), expect(base, 32, 0b0010), expect(base, 32, 0b1000)}));
}

// ---- constant and texture ----------------------------------------------------------------------

TEST(CoalescerOfLines, FetchesALineOfTheConstantCache) {
    sm_config c = config_of(70);
    c.l1.constant.line_bytes = 64;
    const auto lanes = lanes_at([](unsigned i) { return base + 4 * i; });
    const coalesced got(c, lanes, 4, memory_space::constant);
    EXPECT_EQ(got.inst.accesses,
              (list{expect(base, 64, 0xffff), expect(base + 64, 64, 0xffff0000)}));
    const coalesced same(c, lanes_at([](unsigned) { return base + 8; }), 4, memory_space::constant);
    EXPECT_EQ(same.inst.accesses, list{expect(base, 64, ~0u)});
}

TEST(CoalescerOfLines, FetchesALineOfTheTextureCache) {
    sm_config c = config_of(70);
    c.l1.texture.line_bytes = 128;
    const coalesced got(c, lanes_at([](unsigned i) { return base + 8 * i; }), 8,
                        memory_space::texture);
    EXPECT_EQ(got.inst.accesses,
              (list{expect(base, 128, 0xffff), expect(base + 128, 128, 0xffff0000)}));
}

TEST(CoalescerOfLines, FetchesSectorsOfASectoredTextureCache) {
    sm_config c = config_of(70);
    c.l1.texture.line_bytes = 128;
    c.l1.texture.kind = cache::cache_kind::sector;
    // Four rows of eight texels.
    const auto lanes =
        lanes_at([](unsigned i) { return base + 1024 * (i / 8) + 32 + 4 * (i % 8); });
    const coalesced got(c, lanes, 4, memory_space::texture);
    EXPECT_EQ(got.inst.accesses,
              (list{expect(base + 32, 32, 0xff), expect(base + 1056, 32, 0xff00),
                    expect(base + 2080, 32, 0xff0000), expect(base + 3104, 32, 0xff000000)}));
    for (const auto& a : got.inst.accesses) EXPECT_EQ(a.sectors, 0b0010);
}

TEST(CoalescerOfLines, FetchesAllTexelsOfAFilterExceptUnderTheQuirk) {
    sm_config c = config_of(70);
    c.l1.texture.line_bytes = 128;
    // Texels of two rows; the first lane reads only the border.
    lane_addresses lanes = lanes_at([](unsigned i) { return i == 0 ? 0 : base + 4 * i; });
    lanes.words = 2;
    for (unsigned i = 0; i < 32; ++i) lanes.address[1][i] = i == 0 ? 0 : base + 1024 + 4 * i;
    EXPECT_EQ(coalesced(c, lanes, 4, memory_space::texture).inst.accesses,
              (list{expect(base, 128, ~1u), expect(base + 1024, 128, ~1u)}));
    c.quirks.fetch_reads_one_texel = true;
    EXPECT_EQ(coalesced(c, lanes, 4, memory_space::texture).inst.accesses,
              (list{expect(base, 128, ~1u)}));
}

// ---- comparison with a reference model ----------------------------------------------------------

/// Reference model, byte by byte: the bytes of each segment that a group of lanes accesses, and the
/// smallest aligned power of two of at least 32 bytes that contains them.
list naive(unsigned arch, bool sectors, const lane_addresses& lanes, unsigned bytes) {
    const unsigned group = arch < 20 ? 16 : 32;
    const std::uint64_t segment = bytes == 1 || sectors ? 32 : bytes == 2 ? 64 : 128;
    list result;
    for (unsigned first = 0; first < 32; first += group) {
        struct use {
            std::set<std::uint64_t> touched;
            std::uint32_t by = 0;
        };
        std::map<std::uint64_t, use> segments;
        for (unsigned i = first; i < first + group; ++i)
            if ((lanes.lanes >> i & 1) != 0)
                for (unsigned b = 0; b < bytes; ++b) {
                    const std::uint64_t a = lanes.address[0][i] + b;
                    segments[a / segment].touched.insert(a);
                    segments[a / segment].by |= 1u << i;
                }
        for (const auto& [number, u] : segments) {
            std::uint64_t size = 32;
            while (*u.touched.begin() / size != *u.touched.rbegin() / size) size *= 2;
            result.push_back(
                expect(*u.touched.begin() / size * size, static_cast<unsigned>(size), u.by));
        }
    }
    return result;
}

TEST(Coalescer, AgreesWithAReferenceModelOnRandomAlignedAccesses) {
    std::mt19937_64 random(11);
    for (const unsigned arch : {10u, 13u, 20u, 35u, 39u, 40u, 61u, 70u, 90u})
        for (const bool skip_l1 : {false, true})
            for (unsigned n = 0; n < 2000; ++n) {
                const unsigned bytes = 1u << random() % 5;
                const std::uint64_t span = std::uint64_t{64} << random() % 8;
                lane_addresses l =
                    lanes_at([&](unsigned) { return base + random() % span / bytes * bytes; });
                l.lanes = static_cast<std::uint32_t>(random() | random() << 16);
                sm_config c = config_of(arch);
                c.ldst.global_skips_l1 = skip_l1;
                const coalesced got(c, l, bytes);
                const bool sectors = arch >= 40 || (arch >= 20 && arch < 39 && skip_l1);
                ASSERT_EQ(got.inst.accesses, naive(arch, sectors, l, bytes))
                    << "arch " << arch << " bytes " << bytes << " round " << n;
                // Exactly the bytes of all lanes are covered.
                std::map<std::uint64_t, protocol::byte_mask> wanted, covered;
                for (unsigned i = 0; i < 32; ++i)
                    if ((l.lanes >> i & 1) != 0)
                        wanted[l.address[0][i] / 128].set(
                            static_cast<unsigned>(l.address[0][i] % 128), bytes);
                for (const memory_access& a : got.inst.accesses)
                    covered[a.address / 128] |= a.bytes;
                ASSERT_EQ(wanted.size(), covered.size());
                for (const auto& [line, mask] : wanted) ASSERT_EQ(mask.bits, covered[line].bits);
            }
}

TEST(Coalescer, AssignsDistinctBytesOfAnAccessToEveryAtomicLane) {
    std::mt19937_64 random(12);
    for (unsigned n = 0; n < 5000; ++n) {
        const unsigned bytes = 4u << random() % 2;
        const std::uint64_t span = std::uint64_t{16} << random() % 8;
        lane_addresses l =
            lanes_at([&](unsigned) { return base + random() % span / bytes * bytes; });
        l.lanes = static_cast<std::uint32_t>(random());
        const coalesced got(config_of(70), l, bytes, memory_space::global, true);
        std::uint32_t seen = 0;
        std::map<std::uint64_t, unsigned> crowd, per_sector;
        for (unsigned i = 0; i < 32; ++i)
            if ((l.lanes >> i & 1) != 0) ++crowd[l.address[0][i]];
        std::map<std::uint64_t, unsigned> most;
        for (const auto& [address, count] : crowd)
            most[address / 32] = std::max(most[address / 32], count);
        for (const memory_access& a : got.inst.accesses) {
            ASSERT_EQ(seen & a.lanes, 0u) << "a lane in two accesses";
            seen |= a.lanes;
            ++per_sector[a.address / 32];
            std::set<std::uint64_t> distinct;
            for (unsigned i = 0; i < 32; ++i)
                if ((a.lanes >> i & 1) != 0) {
                    ASSERT_EQ(l.address[0][i] / 32, a.address / 32);
                    ASSERT_TRUE(distinct.insert(l.address[0][i]).second);
                }
        }
        ASSERT_EQ(seen, l.lanes);
        ASSERT_EQ(per_sector, most) << "no more accesses than the most wanted bytes need";
    }
}

}  // namespace
}  // namespace simtlm::core
