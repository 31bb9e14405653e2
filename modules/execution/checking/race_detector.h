// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/lane_buffer.h"
#include "modules/execution/operation.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simtlm::execution {

/// Finds accesses of a CTA's shared memory that nothing orders.
///
/// Every warp has a clock, which ticks when it tells others what it has done: at barriers, at
/// bar.warp.sync, at mbarriers, at releases. A warp knows of every other the clock up to which it
/// has been told. Two accesses of the same bytes by different threads, one of them a write, are
/// ordered if the later one's warp has been told of the earlier one; of the same warp, if its clock
/// has ticked between. A barrier of the whole CTA orders everything before it, so that most
/// accesses are settled by one comparison. Two strong accesses (atomic, volatile, relaxed ...) do
/// not race, except volatile ones of lanes of one warp: programs that were written for lanes in
/// step rely on an order that these do not give.
///
/// While nobody writes, nobody needs to know who has read: reads are kept aside (late_read), until
/// a write has to compare with them or a barrier makes them all forgotten.
///
/// Shared memory is watched by granules of 1, 2 or 4 bytes: as small as the smallest element that
/// the module accesses.
class race_detector {
public:
    /// Who and when: a clock, 10 bits for the thread, and whether several lanes of the warp did it.
    using stamp = std::uint32_t;
    static constexpr stamp thread_mask = 0x3ff;
    static constexpr stamp many_lanes = 0x400;
    static constexpr unsigned clock_shift = 11;
    static constexpr std::uint32_t strong = 0x8000'0000;  ///< beside the operation
    /// The same of a strong access that races with those of other lanes of its warp.
    static constexpr std::uint32_t unordered_lanes = 0x4000'0000;
    static constexpr std::uint32_t operation_mask = 0x3fff'ffff;

    /// @param lanes_in_step  threads of a warp are ordered by its program, as before sm_70
    race_detector(unsigned warps, std::uint32_t bytes, unsigned granule, bool lanes_in_step);

    /// The CTA begins: everything before is ordered.
    void start();

    /// A warp comes to a barrier of some warps; a barrier is complete and lets warps go on.
    void arrive(unsigned warp, unsigned barrier);
    void complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta);
    /// bar.warp.sync
    void warp_sync(unsigned warp) { tick(warp); }
    /// membar, fence: strong accesses of the warp order from now on.
    void fence(unsigned warp) { fenced_[warp] = true; }
    /// A strong access or an mbarrier operation tells others, and learns what they told, at a
    /// place.
    void synchronise(unsigned warp, std::uint32_t offset, bool acquires, bool releases);
    bool is_fenced(unsigned warp) const { return fenced_[warp]; }
    /// Whether anybody has told something at a place: loads need not look before.
    bool has_releases() const { return !places_.empty(); }

    using granule_lanes = std::array<std::uint32_t, warp_size>;
    /// A read of a warp that the shadow does not know yet.
    struct late_read {
        stamp first;  ///< of lane 0
        std::uint32_t operation;
        lane_mask lanes;
        std::uint32_t granules;  ///< of each lane, from this one on:
        std::array<std::uint16_t, warp_size> granule;
    };
    bool can_read_late() const {
        return !has_writes_ && granules_ <= 0x1'0000 && late_.size() != most_late_reads;
    }
    /// @pre can_read_late
    void add_late_read(const late_read& r) { late_.push_back(r); }
    bool has_late_reads() const { return !late_.empty(); }
    /// Calls f for each, in order.
    template <class Function>
    void take_late_reads(Function f) {
        for (const late_read& r : late_) f(r);
        late_.clear();
    }
    /// Somebody is about to write: from now to the next barrier reads are noted at once.
    void begin_writes() { has_writes_ = true; }
    /// Whether the shadow has reads since the last barrier: else writes need not compare with them.
    bool has_reads() const { return has_reads_; }
    void begin_reads() { has_reads_ = true; }

    // What the accesses of a warp have to look at, by granule.
    struct shadow {
        stamp* written = nullptr;
        std::uint32_t* written_by = nullptr;  ///< operation
        stamp* read = nullptr;
        std::uint32_t* read_by = nullptr;
        std::uint32_t* readers = nullptr;     ///< warps that have read since the last barrier
        std::uint32_t* last_reads = nullptr;  ///< clock of this warp's last read; nullptr: not kept
    };
    shadow shadow_of(unsigned warp);
    /// Stamps below are ordered before everything that happens now.
    stamp ordered() const { return ordered_; }
    stamp stamp_of(unsigned warp) const { return now_[warp] << clock_shift | warp * warp_size; }
    unsigned granule_shift() const { return granule_shift_; }
    std::uint32_t granules() const { return granules_; }
    bool lanes_in_step() const { return lanes_in_step_; }

    /// An access that a race may be with.
    struct conflict {
        bool found = false;
        bool with_write = false;
        bool lane_known = false;
        unsigned warp = 0, lane = 0;
        std::uint32_t operation = 0;
    };
    /// Looks closely at one granule, before it is noted. @param operation  with `strong`, maybe
    conflict examine(std::uint32_t granule, unsigned warp, unsigned lane, bool writes,
                     std::uint32_t operation) const;

private:
    using clocks = std::vector<std::uint32_t>;

    void tick(unsigned warp);
    void all_ordered();
    void learn(unsigned warp, const clocks& told);
    void tell(clocks& place, unsigned warp) const;
    void keep_last_reads();
    bool is_ordered(unsigned warp, unsigned other, std::uint32_t clock) const;

    unsigned warps_;
    unsigned granule_shift_;
    std::uint32_t granules_;
    std::uint32_t padded_;  ///< granules, and a warp's worth
    bool lanes_in_step_;
    lane_buffer arrays_;
    lane_buffer last_reads_;
    stamp ordered_ = 0;
    clocks now_;
    std::vector<clocks> known_;
    std::vector<bool> fenced_;
    std::array<clocks, 16> barriers_;
    std::unordered_map<std::uint32_t, clocks> places_;
    static constexpr std::size_t most_late_reads = 4096;
    std::vector<late_read> late_;
    bool has_writes_ = false;  ///< since the last barrier of the whole CTA
    bool has_reads_ = false;   ///< the same, in the shadow
};

}  // namespace simtlm::execution
