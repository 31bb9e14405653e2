// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/protocol/phases.h"
#include "modules/support/archive.h"

#include <algorithm>
#include <stdexcept>

namespace simtlm::cache {

bool tag_array::checkpoint(support::archive& a,
                           const std::function<std::uint64_t(std::uint64_t)>& index_address,
                           std::uint32_t now) {
    if (a.transfers() && !a.unchanged()) {
        insert(saved_lines(a), index_address, now);
        return true;
    }
    const bool was_used = used_ || counters_.accesses != 0;
    std::uint32_t line_bytes = static_cast<std::uint32_t>(~line_mask_ + 1);
    bool sectored = sectored_, holds_lines = was_used && !a.resets();
    a(line_bytes, sectored, sets_, ways_, allocation_, dirty_, used_, holds_lines);
    if (a.restores()) resize();
    if (a.resets()) {
        if (used_) throw std::logic_error("the initial state of a cache is empty");
        if (was_used) discard();
    }
    if (holds_lines) {  // otherwise the tables are in their initial state
        a(replacement_, fingerprints_);
        a.plain(lines_);
    }
    a(*policy_);
    a.history(counters_.accesses, counters_.misses, counters_.sector_misses,
              counters_.pending_hits);
    return false;
}

std::vector<tag_array::saved_line> tag_array::saved_lines(support::archive& a) {
    std::uint32_t line_bytes = 0, dirty = 0;
    bool sectored = false, used = false, holds_lines = false;
    unsigned sets = 0, ways = 0;
    allocation_policy allocation{};
    a(line_bytes, sectored, sets, ways, allocation, dirty, used, holds_lines);
    std::vector<saved_line> saved;
    if (!holds_lines) return saved;
    replacement_state ages;
    support::zeroed_vector<std::uint16_t> fingerprints;
    support::zeroed_vector<line_state> lines;
    a(ages, fingerprints);
    a.plain(lines);
    // The tables may be larger than the share of the cache in the on-chip memory.
    const std::size_t count = std::min(lines.size(), std::size_t{sets} * ways);
    for (std::size_t i = 0; i < count; ++i) {
        const line_flags& f = lines[i].flags;
        if (f.present == 0) continue;
        saved.push_back({lines[i].tag, ages.age_of(static_cast<std::uint32_t>(i)), line_bytes,
                         sectored, f.present, f.modified, f.unreadable,
                         static_cast<std::uint8_t>(f.through), lines[i].written});
    }
    return saved;
}

void tag_array::insert(std::vector<saved_line> lines,
                       const std::function<std::uint64_t(std::uint64_t)>& index_address,
                       std::uint32_t now) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& x, const auto& y) { return x.age < y.age; });
    std::uint32_t uses = 0;  // different ages
    for (std::size_t i = 0; i < lines.size(); ++i)
        uses += i == 0 || lines[i].age != lines[i - 1].age ? 1u : 0u;
    std::uint32_t age = now - std::min(now, uses);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if ((i == 0 || lines[i].age != lines[i - 1].age) && age < now) ++age;
        insert(lines[i], index_address(lines[i].tag), age);
    }
}

void tag_array::insert(const saved_line& from, std::uint64_t index_address, std::uint32_t age) {
    if (from.line_bytes != ~line_mask_ + 1 || from.sectored != sectored_) return;
    std::uint32_t line = find(from.tag, index_address, 0, false).line;
    const bool is_new = line == no_line;
    if (is_new)
        line = replacement_.oldest(index_(index_address) * ways_, ways_, victim_class::dirty);
    if (line == no_line) return;
    line_state& to = lines_[line];
    line_flags& f = to.flags;
    dirty_ -= f.modified != 0 ? 1u : 0u;
    if (is_new) {
        to.tag = from.tag;
        f = line_flags();
        to.written = {};
        fingerprints_[line] = fingerprint(from.tag);
    }
    // The sectors of a line may come from several lines: of a split between two slices of the L2.
    const auto with = [&from](std::uint8_t had, std::uint8_t more) {
        return static_cast<std::uint8_t>((had & ~from.present) | (more & from.present));
    };
    f.present |= from.present;
    f.modified = with(f.modified, from.modified);
    f.unreadable = with(f.unreadable, from.unreadable);
    f.through = with(f.through, from.through) & 0xfu;
    to.written |= from.written;
    dirty_ += f.modified != 0 ? 1u : 0u;
    replacement_.set_age(line, age);
    reclassify(line);
    used_ = true;
}

/// Returns all lines to their initial state.
void tag_array::discard() {
    std::fill(fingerprints_.begin(), fingerprints_.end(), std::uint16_t{0});
    std::fill(lines_.begin(), lines_.end(), line_state());
    replacement_.discard();
}

void replacement_state::discard() {
    std::fill(classes_.begin(), classes_.end(), victim_class::free);
    std::fill(ages_.begin(), ages_.end(), 0u);
    reserved_ = 0;
    for (group_summary& g : groups_) g.valid_for = 0;
}

void replacement_state::checkpoint(support::archive& a) {
    a(classes_, ages_);
    reserved_ = static_cast<std::uint32_t>(
        std::count(classes_.begin(), classes_.end(), victim_class::reserved));
    groups_.resize(classes_.size() / group_lines + 1);
    for (group_summary& g : groups_) g.valid_for = 0;
}

bool cache_engine::checkpoint(support::archive& a, std::string_view name, std::uint64_t now,
                              const std::function<std::uint64_t(std::uint64_t)>& index_address) {
    if (!a.portable_block(name, tag_block_version)) return false;
    ++changes_;
    if (tags_.checkpoint(a, index_address, static_cast<std::uint32_t>(now))) {
        a.note_reinserted(name);
        return false;
    }
    a(ports_);
    return true;
}

bool texture_engine::checkpoint(support::archive& a, std::string_view name, std::uint64_t now,
                                const std::function<std::uint64_t(std::uint64_t)>& index_address) {
    if (!a.portable_block(name, tag_block_version)) return false;
    if (!tags_.checkpoint(a, index_address, static_cast<std::uint32_t>(now))) return true;
    a.note_reinserted(name);
    return false;
}

namespace {

std::uint64_t itself(std::uint64_t address) {
    return address;
}

}  // namespace

void texture_cache::checkpoint(support::archive& a) {
    engine_.checkpoint(a, name(), sequencer_.cycle(protocol::core_clock), itself);
}

void l1_data_cache::checkpoint(support::archive& a) {
    engine_.checkpoint(a, name(), sequencer_.cycle(protocol::core_clock), itself);
    a.history(next_cycle_);
}

void read_only_cache::checkpoint(support::archive& a) {
    if (engine_.checkpoint(a, name(), sequencer_.cycle(protocol::core_clock), itself))
        a(next_send_);
    a.history(next_cycle_);
}

}  // namespace simtlm::cache
