// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/tag_array.h"

#include <algorithm>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace simtlm::cache {

namespace {

constexpr unsigned scan_width = 16;  // fingerprints compared at a time

/// Compares scan_width fingerprints with one. @return bit i: fingerprint i matches
unsigned matches(const std::uint16_t* prints, std::uint16_t searched) {
#ifdef __SSE2__
    const __m128i pattern = _mm_set1_epi16(static_cast<std::int16_t>(searched));
    const auto* at = reinterpret_cast<const __m128i*>(prints);
    const __m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(at), pattern);
    const __m128i high = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), pattern);
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    unsigned found = 0;
    for (unsigned i = 0; i < scan_width; ++i) found |= unsigned{prints[i] == searched} << i;
    return found;
#endif
}

constexpr unsigned skip_width = 64;  // fingerprints skipped at once if none matches

bool any_match(const std::uint16_t* prints, std::uint16_t searched) {
#ifdef __SSE2__
    const __m128i pattern = _mm_set1_epi16(static_cast<std::int16_t>(searched));
    const auto* at = reinterpret_cast<const __m128i*>(prints);
    __m128i found = _mm_setzero_si128();
    for (unsigned i = 0; i < skip_width / 8; ++i)
        found = _mm_or_si128(found, _mm_cmpeq_epi16(_mm_loadu_si128(at + i), pattern));
    return _mm_movemask_epi8(found) != 0;
#else
    return std::find(prints, prints + skip_width, searched) != prints + skip_width;
#endif
}

}  // namespace

tag_array::tag_array(const cache_config& config)
    : sets_(config.sets),
      line_mask_(~std::uint64_t{config.line_bytes - 1}),
      sectored_(config.kind == cache_kind::sector),
      policy_(config.replacement != nullptr ? config.replacement()
                                            : replacement_policies()[0].second()),
      ages_by_use_(policy_->ages_by_use()),
      write_ratio_percent_(config.write_ratio_percent),
      dirty_limit_percent_(config.dirty_limit_percent),
      quirks_(config.quirks),
      index_(config.set_index, config.sets, config.line_bytes) {
    reconfigure(config.ways, config.allocation);
}

void tag_array::resize() {
    const std::size_t lines = std::size_t{sets_} * ways_;
    if (lines <= lines_.size()) return;
    fingerprints_.resize(lines + scan_width);  // a scan may read past the last set
    replacement_.resize(lines);
    lines_.resize(lines);
}

void tag_array::reconfigure(unsigned ways, allocation_policy allocation) {
    ways_ = ways;
    allocation_ =
        allocation == allocation_policy::streaming ? allocation_policy::on_fill : allocation;
    resize();
}

sector_state tag_array::state(std::uint32_t line, unsigned sector) const {
    const line_flags& f = lines_[line].flags;
    if ((f.present >> sector & 1u) == 0) return sector_state::invalid;
    if ((f.reserved >> sector & 1u) != 0) return sector_state::reserved;
    if ((f.modified >> sector & 1u) != 0) return sector_state::modified;
    return sector_state::valid;
}

void tag_array::reclassify(std::uint32_t line) {
    const line_flags& f = lines_[line].flags;
    replacement_.set_class(line, (f.reserved | f.awaited) != 0 ? victim_class::reserved
                                 : f.modified != 0             ? victim_class::dirty
                                 : f.present != 0              ? victim_class::clean
                                                               : victim_class::free);
}

bool tag_array::all_clean(const std::function<bool(std::uint64_t)>& property,
                          bool or_modified) const {
    for (std::uint32_t line = 0; line < sets_ * ways_; ++line) {
        const victim_class c = replacement_.class_of(line);
        if (c != victim_class::clean && !(or_modified && c == victim_class::dirty)) return false;
        if (!property(lines_[line].tag)) return false;
    }
    return true;
}

tag_array::lookup tag_array::find(std::uint64_t address, std::uint64_t index_address,
                                  unsigned sector, bool is_write) const {
    const std::uint64_t tag = address & line_mask_;
    const std::uint32_t first = index_(index_address) * ways_;
    const std::uint16_t searched = fingerprint(tag);
    for (std::uint32_t from = 0; from < ways_; from += scan_width) {
        if (from % skip_width == 0) {
            while (from + skip_width <= ways_ && !any_match(&fingerprints_[first + from], searched))
                from += skip_width;
            if (from >= ways_) break;
        }
        for (unsigned found = matches(&fingerprints_[first + from], searched); found != 0;
             found &= found - 1) {
            const std::uint32_t way = from + static_cast<std::uint32_t>(__builtin_ctz(found));
            const std::uint32_t line = first + way;
            if (way >= ways_ || lines_[line].tag != tag || lines_[line].flags.present == 0)
                continue;
            switch (state(line, sector)) {
                case sector_state::reserved:
                    return {access_outcome::hit_reserved, line};
                case sector_state::valid:
                    return {access_outcome::hit, line};
                case sector_state::modified:
                    return {is_write || readable(line, sector) ? access_outcome::hit
                                                               : access_outcome::sector_miss,
                            line};
                case sector_state::invalid:
                    return {access_outcome::sector_miss, line};
            }
        }
    }
    return {};
}

tag_array::lookup tag_array::victim(std::uint64_t index_address) const {
    const std::uint32_t first = index_(index_address) * ways_;
    // Single precision, as in GPGPU-Sim, so that a percentage close to the limit is rounded in the
    // same way.
    const float dirty_percent =
        static_cast<float>(dirty_) / static_cast<float>(sets_ * ways_) * 100.0f;
    const victim_class limit = dirty_percent >= static_cast<float>(write_ratio_percent_)
                                   ? victim_class::dirty
                                   : victim_class::clean;
    std::uint32_t line = policy_->choose(replacement_, first, ways_, limit);
    // The limit only applies while there are other lines; otherwise the access would wait for ever.
    if (line == no_line && limit != victim_class::dirty && !quirks_.dirty_set_stalls)
        line = policy_->choose(replacement_, first, ways_, victim_class::dirty);
    return line == no_line ? lookup() : lookup{access_outcome::miss, line};
}

void tag_array::allocate_line(std::uint32_t line, std::uint64_t tag, unsigned sector,
                              std::uint32_t now) {
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    lines_[line].tag = tag;
    fingerprints_[line] = fingerprint(tag);
    lines_[line].flags = line_flags();
    lines_[line].flags.present = lines_[line].flags.reserved = bit;
    lines_[line].written = {};
    replacement_.set_age(line, now);
    replacement_.set_class(line, victim_class::reserved);
}

void tag_array::allocate_sector(std::uint32_t line, unsigned sector, std::uint32_t now) {
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    const auto others = static_cast<std::uint8_t>(~bit);
    line_flags& f = lines_[line].flags;
    // A modified sector that is fetched to become readable stays modified.
    f.modified_on_fill =
        static_cast<std::uint8_t>((f.modified_on_fill & others) | (f.modified & bit));
    f.readable_on_fill &= others;
    f.unreadable &= others;
    f.modified &= others;
    f.reserved |= bit;
    f.present |= bit;
    use(line, now);
    replacement_.set_class(line, victim_class::reserved);
}

evicted_line tag_array::to_write_back(std::uint32_t line) const {
    const line_flags& f = lines_[line].flags;
    const auto dirty = static_cast<std::uint8_t>(f.modified & ~f.through);
    evicted_line evicted;
    if (dirty == 0) return evicted;
    evicted.dirty = true;
    evicted.address = lines_[line].tag;
    evicted.sectors = sectored_ ? dirty : std::uint8_t{0xf};
    evicted.bytes = static_cast<unsigned>(__builtin_popcount(evicted.sectors)) * sector_bytes;
    evicted.written = lines_[line].written;
    for (unsigned s = 0; sectored_ && s < sectors_per_line; ++s)
        if ((f.through >> s & 1u) != 0) evicted.written.clear_sector(s);
    return evicted;
}

evicted_line tag_array::access(const lookup& found, std::uint64_t address, unsigned sector,
                               std::uint32_t now) {
    evicted_line evicted;
    const std::uint32_t line = found.line;
    ++counters_.accesses;
    used_ = true;
    switch (found.outcome) {
        case access_outcome::hit_reserved:
            ++counters_.pending_hits;
            [[fallthrough]];
        case access_outcome::hit:
            use(line, now);
            break;
        case access_outcome::miss:
            ++counters_.misses;
            if (allocation_ != allocation_policy::on_miss) break;
            if (lines_[line].flags.modified != 0) {
                evicted = to_write_back(line);
                --dirty_;
            }
            allocate_line(line, address & line_mask_, sector, now);
            break;
        case access_outcome::sector_miss: {
            ++counters_.sector_misses;
            if (allocation_ != allocation_policy::on_miss) break;
            const bool was_dirty = lines_[line].flags.modified != 0;
            allocate_sector(line, sector, now);
            if (was_dirty && lines_[line].flags.modified == 0) --dirty_;
            break;
        }
        case access_outcome::reservation_fail:
        case access_outcome::mshr_hit:
            break;
    }
    return evicted;
}

void tag_array::fill_line(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes) {
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    const auto others = static_cast<std::uint8_t>(~bit);
    line_flags& f = lines_[line].flags;
    const bool was_dirty = f.modified != 0;
    f.present |= bit;
    f.reserved &= others;
    f.awaited &= others;
    f.modified = static_cast<std::uint8_t>((f.modified & others) | (f.modified_on_fill & bit));
    if ((f.readable_on_fill & bit) != 0) {
        f.unreadable &= others;
        f.readable_on_fill &= others;
    }
    if (f.bytes_on_fill) lines_[line].written |= bytes;
    if (!was_dirty && f.modified != 0) ++dirty_;
    reclassify(line);
    note_readable(line);
}

void tag_array::fill_address(std::uint64_t address, std::uint64_t index_address, std::uint32_t now,
                             unsigned sector, const protocol::byte_mask& bytes, bool is_write) {
    const lookup found = probe(address, index_address, sector, is_write);
    if (found.outcome != access_outcome::reservation_fail)
        fill_found(found, address, sector, now, bytes);
}

void tag_array::fill_modified(std::uint64_t address, std::uint64_t index_address, std::uint32_t now,
                              unsigned sector) {
    const lookup found = probe(address, index_address, sector, true);
    if (found.outcome == access_outcome::reservation_fail) return;
    protocol::byte_mask all;
    all.set(sector * sector_bytes, sector_bytes);
    fill_found(found, address, sector, now, {});
    write(found.line, sector, all);
    clean_beyond_limit(found.line);
}

evicted_line tag_array::fill_found(const lookup& found, std::uint64_t address, unsigned sector,
                                   std::uint32_t now, const protocol::byte_mask& bytes) {
    evicted_line evicted;
    const bool was_dirty = lines_[found.line].flags.modified != 0;
    if (found.outcome == access_outcome::miss) {
        if (was_dirty) evicted = to_write_back(found.line);
        allocate_line(found.line, address & line_mask_, sector, now);
    } else if (found.outcome == access_outcome::sector_miss) {
        allocate_sector(found.line, sector, now);
    }
    if (was_dirty && lines_[found.line].flags.modified == 0) --dirty_;
    fill_line(found.line, sector, bytes);
    return evicted;
}

void tag_array::await_fill(std::uint32_t line, unsigned sector) {
    if (!quirks_.lines_stay_reserved)
        lines_[line].flags.awaited |= static_cast<std::uint8_t>(1u << sector);
}

void tag_array::write(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes,
                      bool through) {
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    line_flags& f = lines_[line].flags;
    if (f.modified == 0) ++dirty_;
    // A sector that has been written without reaching memory stays dirty.
    const unsigned dirty = (f.modified | f.modified_on_fill) & ~f.through;
    f.through = static_cast<std::uint8_t>(through && (dirty & bit) == 0 ? f.through | bit
                                                                        : f.through & ~bit) &
                0xf;
    f.present |= bit;
    f.modified |= bit;
    f.reserved &= static_cast<std::uint8_t>(~bit);
    lines_[line].written |= bytes;
    reclassify(line);
    note_readable(line);
}

evicted_line tag_array::clean_beyond_limit(std::uint32_t line) {
    const std::uint32_t oldest =
        replacement_.oldest_dirty(line / ways_ * ways_, ways_, ways_ * dirty_limit_percent_ / 100);
    if (oldest == no_line) return {};
    const evicted_line cleaned = to_write_back(oldest);
    line_flags& f = lines_[oldest].flags;
    f.present &= static_cast<std::uint8_t>(~(f.modified & f.unreadable));
    f.modified = f.unreadable = f.through = 0;
    lines_[oldest].written = {};
    --dirty_;
    reclassify(oldest);
    return cleaned;
}

void tag_array::read_last(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes) {
    line_flags& f = lines_[line].flags;
    const bool all = (lines_[line].written.sector(sector) & ~bytes.sector(sector)) == 0;
    if (!all || (f.modified >> sector & 1u) == 0) return;
    f.through = static_cast<std::uint8_t>(f.through | 1u << sector) & 0xf;
}

void tag_array::keep_modified_on_fill(std::uint32_t line, unsigned sector) {
    lines_[line].flags.modified_on_fill |= static_cast<std::uint8_t>(1u << sector);
    lines_[line].flags.bytes_on_fill = true;
}

void tag_array::set_readable(std::uint32_t line, unsigned sector, bool readable) {
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    if (readable) {
        lines_[line].flags.unreadable &= static_cast<std::uint8_t>(~bit);
        note_readable(line);
    } else {
        lines_[line].flags.unreadable |= bit;
    }
}

void tag_array::set_readable_on_fill(std::uint32_t line, unsigned sector) {
    lines_[line].flags.readable_on_fill |= static_cast<std::uint8_t>(1u << sector);
}

void tag_array::invalidate_sector(std::uint32_t line, unsigned sector) {
    const auto others = static_cast<std::uint8_t>(~(1u << sector));
    line_flags& f = lines_[line].flags;
    f.present &= others;
    f.reserved &= others;
    f.modified &= others;
    reclassify(line);
}

void tag_array::update_readable(std::uint32_t line, unsigned sector, unsigned sectors) {
    for (unsigned s = 0; s < sectors_per_line; ++s)
        if ((sectors >> s & 1u) != 0 && lines_[line].written.sector(s) == 0xffffffffu)
            set_readable(line, sector, true);
}

/// Drops a line; sectors with a pending fill stay reserved.
void tag_array::drop(std::uint32_t line) {
    line_flags& f = lines_[line].flags;
    f.present = f.reserved = f.awaited;
    f.modified = 0;
    reclassify(line);
}

void tag_array::flush() {
    if (!used_) return;
    for (std::uint32_t line = 0; line < sets_ * ways_; ++line)
        if (lines_[line].flags.modified != 0) drop(line);
    dirty_ = 0;
    used_ = false;
}

void tag_array::invalidate() {
    if (!used_) return;
    bool awaits = false;
    for (std::uint32_t line = 0; line < sets_ * ways_; ++line) {
        const line_flags& f = lines_[line].flags;
        if ((f.present | f.awaited) == 0) continue;  // free
        drop(line);
        awaits = awaits || f.awaited != 0;
    }
    dirty_ = 0;
    used_ = awaits;
}

}  // namespace simtlm::cache
