// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/tag_array.h"

#include "modules/support/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace simtlm::cache {
namespace {

cache_config sectored(unsigned sets, unsigned ways) {
    cache_config c;
    c.kind = cache_kind::sector;
    c.sets = sets;
    c.ways = ways;
    return c;
}

/// Fetches a sector by a miss and its fill.
std::uint32_t fill(tag_array& t, std::uint64_t address, unsigned sector, std::uint32_t now) {
    const auto found = t.probe(address, address, sector, false);
    t.access(found, address, sector, now);
    t.fill_line(found.line, sector, {});
    return found.line;
}

protocol::byte_mask bytes(unsigned first, unsigned count) {
    protocol::byte_mask m;
    m.set(first, count);
    return m;
}

TEST(TagArray, ASectorIsReservedUntilItIsFilled) {
    tag_array t(sectored(4, 2));
    auto found = t.probe(0x1000, 0x1000, 1, false);
    EXPECT_EQ(found.outcome, access_outcome::miss);
    t.access(found, 0x1000, 1, 1);
    EXPECT_EQ(t.probe(0x1000, 0x1000, 1, false).outcome, access_outcome::hit_reserved);
    EXPECT_EQ(t.probe(0x1000, 0x1000, 2, false).outcome, access_outcome::sector_miss);
    t.fill_line(found.line, 1, {});
    EXPECT_EQ(t.probe(0x1000, 0x1000, 1, false).outcome, access_outcome::hit);
}

TEST(TagArray, AWholeLineHitsInEverySector) {
    cache_config c;
    tag_array t(c);
    fill(t, 0x1000, 0, 1);
    EXPECT_EQ(t.probe(0x1040, 0x1040, 0, false).outcome, access_outcome::hit);
}

TEST(TagArray, TheLeastRecentlyUsedLineIsReplaced) {
    tag_array t(sectored(1, 2));
    const auto a = fill(t, 0x000, 0, 1);
    const auto b = fill(t, 0x080, 0, 2);
    t.access(t.probe(0x000, 0x000, 0, false), 0x000, 0, 3);
    EXPECT_EQ(t.probe(0x100, 0x100, 0, false).line, b);
    EXPECT_NE(a, b);
}

/// Reference model of replacement: among the lines without a pending fill, the last free one,
/// otherwise the least recently used, the first of several; dirty lines below their limit only if
/// there are no others.
struct plain_lines {
    struct line {
        bool present = false, reserved = false, dirty = false;
        std::uint64_t address = 0;
        std::uint32_t used = 0;
    };
    std::vector<line> lines;
    unsigned write_ratio;

    std::uint32_t victim() const {
        const std::uint32_t sparing_dirty = victim(false);
        return sparing_dirty != tag_array::no_line ? sparing_dirty : victim(true);
    }
    std::uint32_t victim(bool dirty_too) const {
        const auto dirty = static_cast<unsigned>(
            std::count_if(lines.begin(), lines.end(), [](const line& l) { return l.dirty; }));
        const bool dirty_may_go = dirty_too || 100 * dirty >= write_ratio * lines.size();
        std::uint32_t best = tag_array::no_line;
        for (std::uint32_t i = 0; i < lines.size(); ++i) {
            const line& l = lines[i];
            if (l.reserved || (l.dirty && !dirty_may_go)) continue;
            if (best != tag_array::no_line && !lines[best].present && l.present) continue;
            if (best == tag_array::no_line || !l.present || l.used < lines[best].used) best = i;
        }
        return best;
    }
};

TEST(TagArray, ChoosesTheVictimOfAFullSearchInALargeSet) {
    for (const unsigned ways : {16u, 48u, 50u, 256u}) {
        cache_config c = sectored(1, ways);
        c.write_ratio_percent = 25;
        tag_array t(c);
        plain_lines plain{std::vector<plain_lines::line>(ways), 25};
        std::mt19937_64 random(ways);
        std::vector<std::uint32_t> on_their_way;
        for (std::uint32_t now = 1; now < 40000; ++now) {
            if (random() % 3 == 0 && !on_their_way.empty()) {
                std::swap(on_their_way[random() % on_their_way.size()], on_their_way.back());
                t.fill_line(on_their_way.back(), 0, {});
                plain.lines[on_their_way.back()].reserved = false;
                on_their_way.pop_back();
                continue;
            }
            const std::uint64_t address = random() % (2 * ways) * 128;
            const auto found = t.probe(address, address, 0, false);
            std::uint32_t line = 0;
            while (line < ways &&
                   !(plain.lines[line].present && plain.lines[line].address == address))
                ++line;
            const bool known = line < ways;
            ASSERT_EQ(found.line, known ? line : plain.victim()) << ways << " ways, at " << now;
            if (found.line == tag_array::no_line) continue;  // all have pending fills
            plain_lines::line& l = plain.lines[found.line];
            t.access(found, address, 0, now / 4);  // several accesses per cycle
            if (!known) {
                l = {true, true, false, address, 0};
                on_their_way.push_back(found.line);
            } else if (!l.reserved && random() % 4 == 0) {
                t.write(found.line, 0, bytes(0, 32));
                l.dirty = true;
            }
            l.used = now / 4;
        }
        EXPECT_GT(t.counted().misses, 1000u);
    }
}

TEST(TagArray, FirstInFirstOutIgnoresUses) {
    cache_config c = sectored(1, 2);
    c.replacement = replacement_policies()[1].second;
    tag_array t(c);
    const auto a = fill(t, 0x000, 0, 1);
    fill(t, 0x080, 0, 2);
    t.access(t.probe(0x000, 0x000, 0, false), 0x000, 0, 3);
    EXPECT_EQ(t.probe(0x100, 0x100, 0, false).line, a);
}

TEST(TagArray, RandomReplacementSkipsReservedLines) {
    cache_config c = sectored(1, 4);
    c.replacement = replacement_policies()[2].second;
    tag_array t(c);
    fill(t, 0x000, 0, 1);
    for (std::uint64_t a = 0x080; a < 0x200; a += 0x80) t.access(t.probe(a, a, 0, false), a, 0, 2);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(t.probe(0x800, 0x800, 0, false).line % 4, 3u);
}

TEST(TagArray, EveryReplacementPolicyTakesFreeLinesFirst) {
    for (const auto& [letter, make] : replacement_policies()) {
        cache_config c = sectored(1, 4);
        c.replacement = make;
        tag_array t(c);
        for (std::uint64_t a = 0; a < 0x200; a += 0x80) fill(t, a, 0, 1);
        t.invalidate_sector(2, 0);
        EXPECT_EQ(t.probe(0x800, 0x800, 0, false).line, 2u) << letter;
    }
}

TEST(TagArray, ASetOfReservedLinesAllocatesNothing) {
    tag_array t(sectored(1, 2));
    t.access(t.probe(0x000, 0x000, 0, false), 0x000, 0, 1);
    t.access(t.probe(0x080, 0x080, 0, false), 0x080, 0, 2);
    EXPECT_EQ(t.probe(0x100, 0x100, 0, false).outcome, access_outcome::reservation_fail);
}

TEST(TagArray, ADirtyVictimNamesItsDirtySectorsAndBytes) {
    tag_array t(sectored(1, 1));
    const auto line = fill(t, 0x000, 0, 1);
    t.write(line, 0, bytes(4, 8));
    EXPECT_EQ(t.dirty_lines(), 1u);
    const auto evicted = t.access(t.probe(0x080, 0x080, 0, false), 0x080, 0, 2);
    EXPECT_TRUE(evicted.dirty);
    EXPECT_EQ(evicted.address, 0x000u);
    EXPECT_EQ(evicted.bytes, 32u);
    EXPECT_EQ(evicted.sectors, 1u);
    EXPECT_EQ(evicted.written.sector(0), 0xff0u);
    EXPECT_EQ(t.dirty_lines(), 0u);
}

TEST(TagArray, DirtyLinesStayUntilTheirShareReachesTheLimit) {
    cache_config c = sectored(1, 4);
    c.write_ratio_percent = 50;
    tag_array t(c);
    for (std::uint64_t a = 0; a < 0x200; a += 0x80) fill(t, a, 0, static_cast<std::uint32_t>(a));
    const auto oldest = t.probe(0x000, 0x000, 0, true).line;
    const auto second = t.probe(0x080, 0x080, 0, true).line;
    t.write(oldest, 0, bytes(0, 32));
    EXPECT_EQ(t.probe(0x800, 0x800, 0, false).line, second);
    t.write(second, 0, bytes(0, 32));
    EXPECT_EQ(t.probe(0x800, 0x800, 0, false).line, oldest);
}

TEST(TagArray, ASetWithoutCleanLinesReplacesADirtyOneBelowTheLimit) {
    cache_config c = sectored(4, 2);
    c.write_ratio_percent = 50;
    for (const bool stalls : {false, true}) {
        c.quirks.dirty_set_stalls = stalls;
        tag_array t(c);
        const auto oldest = fill(t, 0x000, 0, 1);
        const auto newer = fill(t, 0x200, 0, 2);
        t.write(oldest, 0, bytes(0, 32));
        t.write(newer, 0, bytes(0, 32));
        EXPECT_EQ(t.probe(0x400, 0x400, 0, false).line, stalls ? tag_array::no_line : oldest);
    }
}

TEST(TagArray, APartlyWrittenSectorMissesReadsAndHitsWrites) {
    tag_array t(sectored(1, 1));
    const auto line = fill(t, 0x000, 0, 1);
    t.write(line, 0, bytes(0, 16));
    t.set_readable(line, 0, false);
    EXPECT_EQ(t.probe(0x000, 0x000, 0, false).outcome, access_outcome::sector_miss);
    EXPECT_EQ(t.probe(0x000, 0x000, 0, true).outcome, access_outcome::hit);
    t.write(line, 0, bytes(16, 16));
    t.update_readable(line, 0, 1);
    EXPECT_EQ(t.probe(0x000, 0x000, 0, false).outcome, access_outcome::hit);
}

TEST(TagArray, AModifiedSectorThatIsFetchedStaysModified) {
    tag_array t(sectored(1, 1));
    const auto line = fill(t, 0x000, 0, 1);
    t.write(line, 0, bytes(0, 16));
    t.set_readable(line, 0, false);
    t.access(t.probe(0x000, 0x000, 0, false), 0x000, 0, 2);
    EXPECT_EQ(t.dirty_lines(), 0u);
    t.fill_line(line, 0, {});
    EXPECT_EQ(t.state(line, 0), sector_state::modified);
    EXPECT_TRUE(t.readable(line, 0));
    EXPECT_EQ(t.dirty_lines(), 1u);
}

TEST(TagArray, AllocationOnFillReservesNothing) {
    cache_config c = sectored(1, 1);
    c.allocation = allocation_policy::on_fill;
    tag_array t(c);
    t.access(t.probe(0x000, 0x000, 0, false), 0x000, 0, 1);
    EXPECT_EQ(t.probe(0x000, 0x000, 0, false).outcome, access_outcome::miss);
    t.fill_address(0x000, 0x000, 5, 0, {}, false);
    EXPECT_EQ(t.probe(0x000, 0x000, 0, false).outcome, access_outcome::hit);
}

TEST(TagArray, FlushDropsModifiedLinesAndInvalidateAll) {
    tag_array t(sectored(1, 2));
    t.write(fill(t, 0x000, 0, 1), 0, bytes(0, 32));
    fill(t, 0x080, 0, 2);
    t.flush();
    EXPECT_EQ(t.probe(0x000, 0x000, 0, false).outcome, access_outcome::miss);
    EXPECT_EQ(t.probe(0x080, 0x080, 0, false).outcome, access_outcome::hit);
    t.access(t.probe(0x080, 0x080, 0, false), 0x080, 0, 3);
    t.invalidate();
    EXPECT_EQ(t.probe(0x080, 0x080, 0, false).outcome, access_outcome::miss);
}

TEST(TagArray, MoreWaysHoldMoreLines) {
    tag_array t(sectored(2, 1));
    t.reconfigure(40, allocation_policy::on_miss);
    for (std::uint64_t i = 0; i < 80; ++i) fill(t, i * 0x80, 0, static_cast<std::uint32_t>(i));
    for (std::uint64_t i = 0; i < 80; ++i)
        EXPECT_EQ(t.probe(i * 0x80, i * 0x80, 0, false).outcome, access_outcome::hit) << i;
}

// ---- checkpoints restored by a cache of another configuration ----

std::uint64_t itself(std::uint64_t address) {
    return address;
}

/// The lines of a cache, as a checkpoint has them.
std::vector<tag_array::saved_line> lines_of(tag_array& t) {
    support::archive saved;
    t.checkpoint(saved, itself, 0);
    support::archive a(saved.take());
    return tag_array::saved_lines(a);
}

bool holds(const tag_array& t, std::uint64_t address, unsigned sector = 0) {
    return t.probe(address, address, sector, false).outcome == access_outcome::hit;
}

TEST(TagArray, ASmallerCacheKeepsTheLinesThatWereUsedLast) {
    tag_array large(sectored(1, 4));
    for (std::uint64_t i = 0; i < 4; ++i) fill(large, i * 0x80, 0, 10 + static_cast<unsigned>(i));
    large.access(large.probe(0, 0, 0, false), 0, 0, 20);  // the first line is used again
    tag_array small(sectored(1, 2));
    small.insert(lines_of(large), itself, 100);
    EXPECT_TRUE(holds(small, 0x000));
    EXPECT_FALSE(holds(small, 0x080));
    EXPECT_FALSE(holds(small, 0x100));
    EXPECT_TRUE(holds(small, 0x180));
    const auto next = small.probe(0x800, 0x800, 0, false);
    EXPECT_EQ(small.line_address(next.line), 0x180u) << "the line that was used first";
}

TEST(TagArray, ALargerCacheKeepsAllLinesWithTheirSectorsAndDirtyBytes) {
    tag_array small(sectored(2, 2));
    for (std::uint64_t i = 0; i < 4; ++i) fill(small, i * 0x80, 1, 1 + static_cast<unsigned>(i));
    const auto line = small.probe(0x80, 0x80, 1, true).line;
    small.write(line, 1, bytes(32, 8));
    tag_array large(sectored(8, 4));
    large.insert(lines_of(small), itself, 100);
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(holds(large, i * 0x80, 1));
        EXPECT_FALSE(holds(large, i * 0x80, 0));
    }
    EXPECT_EQ(large.dirty_lines(), 1u);
    const auto dirty = large.probe(0x80, 0x80, 1, false).line;
    EXPECT_EQ(large.state(dirty, 1), sector_state::modified);
    EXPECT_EQ(large.to_write_back(dirty).bytes, 32u);
}

TEST(TagArray, LinesOfAnotherSizeAreNotInserted) {
    tag_array lines(sectored(4, 2));
    fill(lines, 0x80, 0, 1);
    cache_config other = sectored(4, 2);
    other.line_bytes = 64;
    tag_array of_other_size(other);
    of_other_size.insert(lines_of(lines), itself, 100);
    EXPECT_FALSE(holds(of_other_size, 0x80));
    other = sectored(4, 2);
    other.kind = cache_kind::normal;
    tag_array whole(other);
    whole.insert(lines_of(lines), itself, 100);
    EXPECT_FALSE(holds(whole, 0x80));
}

TEST(TagArray, SectorsOfALineFromTwoSlicesAreJoined) {
    tag_array first(sectored(4, 2)), second(sectored(4, 2)), both(sectored(4, 2));
    fill(first, 0x80, 0, 1);
    fill(second, 0x80, 3, 2);
    auto lines = lines_of(first);
    for (const auto& l : lines_of(second)) lines.push_back(l);
    both.insert(lines, itself, 100);
    EXPECT_TRUE(holds(both, 0x80, 0));
    EXPECT_TRUE(holds(both, 0x80, 3));
    EXPECT_FALSE(holds(both, 0x80, 1));
}

TEST(TagArray, AnUnchangedCacheIsRestoredWithItsPositions) {
    tag_array saved(sectored(4, 2)), restored(sectored(4, 2));
    const auto line = fill(saved, 0x280, 2, 7);
    support::archive to;
    to.portable_block("cache");
    saved.checkpoint(to, itself, 0);
    auto from = support::archive::for_another_configuration(to.take(), {});
    ASSERT_TRUE(from.portable_block("cache"));
    EXPECT_FALSE(restored.checkpoint(from, itself, 100)) << "no line is inserted again";
    EXPECT_EQ(restored.probe(0x280, 0x280, 2, false).line, line);
    EXPECT_EQ(restored.counted().accesses, 0u) << "statistics are not restored";
}

}  // namespace
}  // namespace simtlm::cache
