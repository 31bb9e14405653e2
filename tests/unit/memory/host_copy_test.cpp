// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/host_copy.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>

namespace simtlm::memory {
namespace {

/// A slice that consists only of tags.
class slice final : public copy_target {
public:
    slice(const cache::cache_config& config, const address_mapping& mapping, bool modifies)
        : tags_(config), mapping_(mapping), modifies_(modifies) {}
    const cache::tag_array* tags() const override { return &tags_; }
    void warm(std::uint64_t address, std::uint64_t now) override {
        const std::uint64_t index = mapping_.partition_address(address);
        const auto sector = static_cast<unsigned>(address / 32 % 4);
        const auto time = static_cast<std::uint32_t>(now + offset_++);
        if (modifies_)
            tags_.fill_modified(address, index, time, sector);
        else
            tags_.fill_address(address, index, time, sector, {}, true);
    }
    void skip(std::uint64_t sectors) override { offset_ += sectors; }
    /// Ages or modifies lines.
    cache::tag_array& change() { return tags_; }
    std::uint64_t offset() const { return offset_; }

private:
    cache::tag_array tags_;
    const address_mapping& mapping_;
    bool modifies_;
    std::uint64_t offset_ = 0;
};

struct l2 {
    l2(const address_mapping_config& map, const cache::cache_config& config, bool copies_modify)
        : mapping(map), channels(map.channels), modifies(copies_modify) {
        for (unsigned s = 0; s < mapping.sub_partitions(); ++s)
            slices.push_back(std::make_unique<slice>(config, mapping, modifies));
    }
    host_copy copier(bool truncate) {
        std::vector<copy_target*> all;
        for (auto& s : slices) all.push_back(s.get());
        return {mapping, all, {truncate, false, modifies}};
    }
    /// All state visible to later accesses: the contents of the lines, and the replacement order,
    /// which it changes.
    std::string read_state() {
        std::ostringstream text;
        for (const auto& s : slices) {
            cache::tag_array& tags = s->change();
            text << s->offset() << '\n';
            for (unsigned line = 0; line < tags.sets() * tags.ways(); ++line) {
                text << std::hex << tags.line_address(line);
                for (unsigned i = 0; i < 4; ++i)
                    text << '.' << static_cast<int>(tags.state(line, i));
                text << '\n';
            }
            for (std::uint64_t set = 0; set < 64; ++set) {
                const std::uint64_t other = 0x7000000000000 + set * 128;
                for (unsigned n = 0; n < 3; ++n) {
                    const auto found = tags.probe(other + (n << 30), other, 0, true);
                    text << found.line << ' ';
                    tags.fill_address(other + (n << 30), other, ~0u, 0, {}, true);
                }
            }
        }
        return text.str();
    }
    address_mapping mapping;
    unsigned channels;
    bool modifies;
    std::vector<std::unique_ptr<slice>> slices;
};

cache::cache_config slice_config() {
    cache::cache_config c;
    c.kind = cache::cache_kind::sector;
    c.sets = 16;
    c.ways = 6;
    c.line_bytes = 128;
    c.allocation = cache::allocation_policy::on_miss;
    c.set_index = cache::set_index_function::ipoly;
    c.dirty_limit_percent = 50;
    return c;
}

address_mapping_config map_config(unsigned channels, partition_indexing indexing) {
    address_mapping_config m;
    m.channels = channels;
    m.sub_partitions_per_channel = 2;
    m.mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
    m.indexing = indexing;
    return m;
}

struct situation {
    const char* name;
    unsigned channels;
    partition_indexing indexing;
    bool truncate;
    bool modifies = false;
};

class HostCopy : public testing::TestWithParam<situation> {
protected:
    /// Copies in one command and, for comparison, in chunks too short to be split.
    void expect_same(std::uint64_t address, std::uint64_t bytes, bool dirty_lines) {
        const situation& s = GetParam();
        l2 whole(map_config(s.channels, s.indexing), slice_config(), s.modifies);
        l2 chunks(map_config(s.channels, s.indexing), slice_config(), s.modifies);
        for (l2* cache : {&whole, &chunks}) {
            std::mt19937 random(7);
            for (unsigned i = 0; i < 500; ++i) {
                const std::uint64_t a = address + random() % bytes;
                const unsigned sub = cache->mapping.decode(a).sub_partition;
                cache->slices[sub]->warm(a, 3);
                if (!dirty_lines) continue;
                auto& tags = cache->slices[sub]->change();
                const auto found = tags.probe(a, cache->mapping.partition_address(a),
                                              static_cast<unsigned>(a / 32 % 4), true);
                tags.write(found.line, static_cast<unsigned>(a / 32 % 4), {});
            }
        }
        host_copy fast = whole.copier(s.truncate), slow = chunks.copier(s.truncate);
        fast.copy(address, bytes, 1000, {});
        constexpr std::uint64_t chunk = 8192;
        for (std::uint64_t at = 0; at < bytes; at += chunk)
            slow.copy(address + at, std::min(chunk, bytes - at), 1000, {});
        EXPECT_EQ(whole.read_state(), chunks.read_state());
        walked = fast.sectors_walked();
    }
    std::uint64_t walked = 0;
};

TEST_P(HostCopy, LeavesTheSameTagsWhenItIsSplit) {
    expect_same(0x7f0000001a00, 24 << 20, false);
    EXPECT_LT(walked, (24u << 20) / 32 / 2) << "the copy was not cut";
    expect_same(0x7f0000000047, (20 << 20) + 977, false);
    expect_same(0, 1000, false);
}

TEST_P(HostCopy, HandlesModifiedLines) {
    expect_same(0x7f0000001a00, 24 << 20, true);
}

INSTANTIATE_TEST_SUITE_P(
    Mappings, HostCopy,
    testing::Values(situation{"Consecutive", 4, partition_indexing::consecutive, false},
                    situation{"Xor", 8, partition_indexing::bitwise_xor, false},
                    situation{"Ipoly", 8, partition_indexing::ipoly, false},
                    situation{"Truncated", 4, partition_indexing::consecutive, true},
                    situation{"NoPowerOfTwo", 6, partition_indexing::consecutive, false},
                    situation{"Modifies", 6, partition_indexing::rotation, false, true},
                    situation{"NoPowerOfTwoIpoly", 12, partition_indexing::ipoly, false}),
    [](const auto& one) { return one.param.name; });

TEST(HostCopyLength, IsBoundedByTheCacheSize) {
    l2 cache(map_config(8, partition_indexing::ipoly), slice_config(), false);
    host_copy copier = cache.copier(false);
    copier.copy(0x7f0000000000, std::uint64_t{1} << 40, 0, {});
    EXPECT_LT(copier.sectors_walked(), 1u << 20);
    copier.copy(0x7f0000000000, ~std::uint64_t{0}, 0, {});
    EXPECT_LT(copier.sectors_walked(), 1u << 21) << "to the end of the address space";
}

TEST(HostCopyLength, CanBeInterrupted) {
    l2 cache(map_config(8, partition_indexing::ipoly), slice_config(), false);
    host_copy copier = cache.copier(false);
    copier.copy(0x7f0000000000, std::uint64_t{1} << 40, 0, [] { return true; });
    EXPECT_LT(copier.sectors_walked(), 1u << 17);
}

}  // namespace
}  // namespace simtlm::memory
