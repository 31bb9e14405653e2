// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/race_detector.h"

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

namespace {
constexpr unsigned arrays = 5;
constexpr std::uint32_t last_clock = (1u << (32 - race_detector::clock_shift)) - 2;
}  // namespace

race_detector::race_detector(unsigned warps, std::uint32_t bytes, unsigned granule,
                             bool lanes_in_step, unsigned ctas)
    : warps_(warps),
      ctas_(ctas),
      granule_shift_(granule == 1   ? 0
                     : granule == 2 ? 1
                                    : 2),
      granules_((bytes + granule - 1) >> granule_shift_),
      padded_((granules_ + 63) / 32 * 32),
      lanes_in_step_(lanes_in_step),
      arrays_(make_lane_buffer(std::size_t{padded_} * 4 * arrays)),
      now_(warps, 1),
      known_(warps, clocks(std::size_t{warps} * ctas, 0)),
      fenced_(warps, false) {
    ordered_ = 1u << clock_shift;
}

void race_detector::start(unsigned rank) {
    rank_ = rank;
    all_ordered();
    begun_ = ordered_;
    clocks_restarted_ = false;
    remote_.clear();
    // Writes by other CTAs are compared with the reads of every warp.
    if (ctas_ > 1) keep_last_reads();
    for (clocks& k : known_) std::fill(k.begin(), k.end(), 0);
    for (clocks& b : barriers_) b.clear();
    places_.clear();
    std::fill(fenced_.begin(), fenced_.end(), false);
}

/// Starts a new epoch: everything up to now is ordered before everything later.
void race_detector::all_ordered() {
    std::uint32_t epoch = *std::max_element(now_.begin(), now_.end()) + 1;
    if (epoch >= last_clock) {
        std::memset(arrays_.get(), 0, std::size_t{padded_} * 4 * arrays);
        last_reads_.reset();
        if (ctas_ > 1) keep_last_reads();
        for (clocks& k : known_) std::fill_n(k.begin() + first_warp(), warps_, 0);
        epoch = 1;
        begun_ = 0;
        clocks_restarted_ = ctas_ > 1;
    }
    std::fill(now_.begin(), now_.end(), epoch);
    // Earlier clocks of other warps are irrelevant from now on.
    ordered_ = epoch << clock_shift;
    late_.clear();
    has_writes_ = has_reads_ = false;
    if (ctas_ == 1) return;
    // What other CTAs will learn from any warp.
    clocks all(known_[0].size(), 0);
    for (unsigned w = 0; w < warps_; ++w)
        for (std::size_t u = 0; u < all.size(); ++u) all[u] = std::max(all[u], known_[w][u]);
    std::fill_n(all.begin() + first_warp(), warps_, clocks_restarted_ ? ~0u : epoch);
    std::fill(known_.begin(), known_.end(), all);
}

void race_detector::tick(unsigned warp) {
    if (++now_[warp] >= last_clock) all_ordered();
}

void race_detector::publish(clocks& place, unsigned warp) const {
    place.resize(known_[warp].size(), 0);
    for (std::size_t u = 0; u < place.size(); ++u) place[u] = std::max(place[u], known_[warp][u]);
    std::uint32_t& own = place[first_warp() + warp];
    own = clocks_restarted_ ? ~0u : std::max(own, now_[warp] + 1);
}

void race_detector::learn(unsigned warp, const clocks& published) {
    for (std::size_t u = 0; u < published.size(); ++u)
        known_[warp][u] = std::max(known_[warp][u], published[u]);
}

/// From now on the time of a warp's last read is recorded, not only whether it has read.
void race_detector::keep_last_reads() {
    if (last_reads_ == nullptr) last_reads_ = make_lane_buffer(std::size_t{padded_} * 4 * warps_);
}

void race_detector::arrive(unsigned warp, unsigned barrier) {
    publish(barriers_[barrier], warp);
    tick(warp);
}

void race_detector::complete(unsigned barrier, const std::vector<unsigned>& waiting,
                             bool whole_cta) {
    if (whole_cta) return all_ordered();
    keep_last_reads();
    for (const unsigned w : waiting) learn(w, barriers_[barrier]);
    barriers_[barrier].clear();
}

void race_detector::synchronise_from(race_detector& by, unsigned warp, std::uint32_t offset,
                                     bool acquires, bool releases) {
    by.keep_last_reads();
    if (acquires) {
        const auto place = places_.find(offset);
        if (place != places_.end()) by.learn(warp, place->second);
    }
    if (!releases) return;
    by.publish(places_[offset], warp);
    by.tick(warp);
}

void race_detector::arrive_at_cluster(unsigned warp, clocks& published) {
    publish(published, warp);
    tick(warp);
}

race_detector::shadow race_detector::shadow_of(unsigned warp) {
    auto* const words = reinterpret_cast<std::uint32_t*>(arrays_.get());
    shadow s;
    s.written = words;
    s.written_by = words + padded_;
    s.read = words + std::size_t{padded_} * 2;
    s.read_by = words + std::size_t{padded_} * 3;
    s.readers = words + std::size_t{padded_} * 4;
    if (last_reads_ != nullptr)
        s.last_reads =
            reinterpret_cast<std::uint32_t*>(last_reads_.get()) + std::size_t{padded_} * warp;
    return s;
}

bool race_detector::is_ordered(unsigned warp, unsigned other, std::uint32_t clock) const {
    if (warp == other) return lanes_in_step_ || clock < now_[warp];
    return clock < known_[warp][first_warp() + other];
}

race_detector::conflict race_detector::examine(std::uint32_t k, unsigned warp, unsigned lane,
                                               bool writes, std::uint32_t operation) const {
    const shadow s = const_cast<race_detector*>(this)->shadow_of(warp);
    const auto both_strong = [&](std::uint32_t other) { return (operation & other & strong) != 0; };
    const auto never_race = [&](std::uint32_t other, unsigned by) {
        return both_strong(other) && (by != warp || (operation & other & unordered_lanes) == 0);
    };
    const auto thread = warp * warp_size + lane;
    conflict c;
    const stamp w = s.written[k];
    const unsigned writer = (w & thread_mask) / warp_size;
    if (w >= ordered_ && (w & thread_mask) != thread && !never_race(s.written_by[k], writer) &&
        !is_ordered(warp, writer, w >> clock_shift)) {
        c = {true, true, true, rank_, writer, w % warp_size, s.written_by[k] & operation_mask};
        return c;
    }
    const stamp r = s.read[k];
    if (!writes || r < ordered_) return c;
    const unsigned last = (r & thread_mask) / warp_size;
    if (never_race(s.read_by[k], last)) return c;
    const bool strong_reads = both_strong(s.read_by[k]);
    for (unsigned u = 0; u < warps_; ++u) {
        if ((s.readers[k] >> u & 1) == 0 || (u != warp && strong_reads)) continue;
        if (u == warp) {
            const bool other_lane = (r & thread_mask) != thread || (r & many_lanes) != 0;
            if (last != warp || !other_lane || is_ordered(warp, warp, r >> clock_shift)) continue;
            const bool known = (r & thread_mask) != thread;
            return {true, false, known, rank_, u, r % warp_size, s.read_by[k] & operation_mask};
        }
        if (last_reads_ != nullptr) {
            const std::uint32_t clock = reinterpret_cast<const std::uint32_t*>(
                last_reads_.get())[std::size_t{padded_} * u + k];
            if (clock == 0 || is_ordered(warp, u, clock)) continue;
        }
        return {true, false, last == u, rank_, u, r % warp_size, s.read_by[k] & operation_mask};
    }
    return c;
}

race_detector::conflict race_detector::compare(const remote_accesses& with, const race_detector& by,
                                               unsigned warp, bool writes,
                                               std::uint32_t operation) const {
    const unsigned me = by.first_warp() + warp;
    const auto races = [&](const remote_access& a) {
        return a.clock != 0 && a.warp != me && (operation & a.operation & strong) == 0 &&
               a.clock >= by.known_[warp][a.warp];
    };
    const auto found = [&](const remote_access& a, bool is_write) {
        return conflict{true,
                        is_write,
                        true,
                        a.warp / warps_,
                        a.warp % warps_,
                        a.lane,
                        a.operation & operation_mask};
    };
    if (races(with.write)) return found(with.write, true);
    if (writes)
        for (const remote_access& a : with.reads)
            if (races(a)) return found(a, false);
    return {};
}

race_detector::conflict race_detector::compare_with_remote(std::uint32_t k, unsigned warp,
                                                           bool writes,
                                                           std::uint32_t operation) const {
    const auto with = remote_.find(k);
    return with == remote_.end() ? conflict{}
                                 : compare(with->second, *this, warp, writes, operation);
}

race_detector::conflict race_detector::access_from(const race_detector& by, std::uint32_t k,
                                                   unsigned warp, unsigned lane, bool writes,
                                                   std::uint32_t operation, bool records) {
    const auto is_known = [&](unsigned local, std::uint32_t clock) {
        return clock < by.known_[warp][first_warp() + local];
    };
    const shadow s = shadow_of(0);
    conflict c;
    const stamp w = s.written[k];
    const unsigned writer = (w & thread_mask) / warp_size;
    if (w >= begun_ && w != 0 && (s.written_by[k] & operation & strong) == 0 &&
        !is_known(writer, w >> clock_shift))
        c = {true, true, true, rank_, writer, w % warp_size, s.written_by[k] & operation_mask};
    const stamp r = s.read[k];
    const bool strong_reads = (s.read_by[k] & operation & strong) != 0;
    for (unsigned u = 0; writes && !c.found && !strong_reads && u < warps_; ++u) {
        const std::uint32_t clock =
            reinterpret_cast<const std::uint32_t*>(last_reads_.get())[std::size_t{padded_} * u + k];
        if (clock == 0 || clock < begun_ >> clock_shift || is_known(u, clock)) continue;
        const bool last = (r & thread_mask) / warp_size == u;
        c = {true, false, last, rank_, u, r % warp_size, s.read_by[k] & operation_mask};
    }
    if (!records) {
        const auto with = remote_.find(k);
        return c.found || with == remote_.end()
                   ? c
                   : compare(with->second, by, warp, writes, operation);
    }
    remote_accesses& others = remote_[k];
    if (!c.found) c = compare(others, by, warp, writes, operation);
    const remote_access mine{by.first_warp() + warp, lane, by.now_[warp], operation};
    if (writes) {
        others.write = mine;
        others.reads.clear();
        return c;
    }
    for (remote_access& a : others.reads)
        if (a.warp == mine.warp) {
            a = mine;
            return c;
        }
    others.reads.push_back(mine);
    return c;
}

}  // namespace simtlm::execution
