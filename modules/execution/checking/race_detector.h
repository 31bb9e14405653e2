// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/lane_buffer.h"
#include "modules/execution/common/operation.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simtlm::execution {

/// Detects unordered accesses to a CTA's shared memory.
///
/// Every warp has a logical clock, which advances when the warp releases its accesses: at barriers,
/// at bar.warp.sync, at mbarriers, at release operations. For every other warp, a warp keeps the
/// clock up to which it has acquired that warp's accesses. Two accesses of the same bytes by
/// different threads, at least one of them a write, are ordered if the later one's warp has
/// acquired the earlier one; within a warp, if its clock has advanced in between. A barrier of the
/// whole CTA orders everything before it, so that most accesses are decided by one comparison. Two
/// strong accesses (atomic, volatile, relaxed ...) do not race, except volatile ones of lanes of
/// one warp: programs written for lanes in lockstep rely on an order that these do not provide.
///
/// While there are no writes, the readers need not be known: reads are queued (late_read) until a
/// write must be compared with them, or a barrier makes them obsolete.
///
/// Shared memory is tracked in granules of 1, 2 or 4 bytes, according to the smallest element that
/// the module accesses.
///
/// In a cluster each CTA has a detector. Clocks are kept for the warps of all CTAs, which are
/// numbered in the cluster, with those of rank r from r times the warps of a CTA on. Accesses by
/// other CTAs are compared and recorded by access_from(), separately from those of the CTA itself.
class race_detector {
public:
    /// Time stamp: a clock, 10 bits for the thread, and whether several lanes of the warp made the
    /// access.
    using stamp = std::uint32_t;
    static constexpr stamp thread_mask = 0x3ff;
    static constexpr stamp many_lanes = 0x400;
    static constexpr unsigned clock_shift = 11;
    static constexpr std::uint32_t strong = 0x8000'0000;  ///< flag of an operation number
    /// A strong access that nevertheless races with those of other lanes of its warp.
    static constexpr std::uint32_t unordered_lanes = 0x4000'0000;
    static constexpr std::uint32_t operation_mask = 0x3fff'ffff;

    /// For each warp of the cluster, the clock up to which its accesses are ordered.
    using clocks = std::vector<std::uint32_t>;

    /// @param lanes_in_step  threads of a warp are ordered by its program, as before sm_70
    /// @param ctas  in the cluster
    race_detector(unsigned warps, std::uint32_t bytes, unsigned granule, bool lanes_in_step,
                  unsigned ctas = 1);

    /// Called when the CTA begins: everything before is ordered. @param rank  in its cluster
    void start(unsigned rank = 0);

    /// A warp arrives at a barrier of some warps; complete(): a barrier is complete and releases
    /// warps.
    void arrive(unsigned warp, unsigned barrier);
    void complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta);
    /// bar.warp.sync
    void warp_sync(unsigned warp) { tick(warp); }
    /// membar, fence: from now on strong accesses of the warp establish order.
    void fence(unsigned warp) { fenced_[warp] = true; }
    /// A strong access or an mbarrier operation releases, and acquires earlier releases, at a
    /// location.
    void synchronise(unsigned warp, std::uint32_t offset, bool acquires, bool releases) {
        synchronise_from(*this, warp, offset, acquires, releases);
    }
    /// The same by a warp of any CTA of the cluster, with its detector.
    void synchronise_from(race_detector& by, unsigned warp, std::uint32_t offset, bool acquires,
                          bool releases);
    /// The barrier of the cluster: a warp arrives, and has waited. @param published  what arrivals
    /// have published
    void arrive_at_cluster(unsigned warp, clocks& published);
    void leave_cluster_barrier(unsigned warp, const clocks& published) { learn(warp, published); }
    bool is_fenced(unsigned warp) const { return fenced_[warp]; }
    /// Whether there has been any release: otherwise loads need not check.
    bool has_releases() const { return !places_.empty(); }

    using granule_lanes = std::array<std::uint32_t, warp_size>;
    /// A read of a warp that has not been recorded in the shadow state yet.
    struct late_read {
        stamp first;  ///< of lane 0
        std::uint32_t operation;
        lane_mask lanes;
        std::uint32_t granules;  ///< per lane, starting with this one:
        std::array<std::uint16_t, warp_size> granule;
    };
    bool can_read_late() const {
        return ctas_ == 1 && !has_writes_ && granules_ <= 0x1'0000 &&
               late_.size() != max_late_reads;
    }
    /// @pre can_read_late
    void add_late_read(const late_read& r) { late_.push_back(r); }
    bool has_late_reads() const { return !late_.empty(); }
    /// Calls f for each, in order, and removes them.
    template <class Function>
    void take_late_reads(Function f) {
        for (const late_read& r : late_) f(r);
        late_.clear();
    }
    /// Called before a write: until the next barrier, reads are recorded immediately.
    void begin_writes() { has_writes_ = true; }
    /// Whether the shadow state has reads since the last barrier: otherwise writes need not be
    /// compared with them.
    bool has_reads() const { return has_reads_; }
    void begin_reads() { has_reads_ = true; }

    // Shadow state for the accesses of a warp, by granule.
    struct shadow {
        stamp* written = nullptr;
        std::uint32_t* written_by = nullptr;  ///< operation
        stamp* read = nullptr;
        std::uint32_t* read_by = nullptr;
        std::uint32_t* readers = nullptr;     ///< warps that have read since the last barrier
        std::uint32_t* last_reads = nullptr;  ///< clock of this warp's last read; nullptr: not
                                              ///< recorded
    };
    shadow shadow_of(unsigned warp);
    /// Smaller stamps are ordered before all current accesses.
    stamp ordered() const { return ordered_; }
    stamp stamp_of(unsigned warp) const { return now_[warp] << clock_shift | warp * warp_size; }
    unsigned granule_shift() const { return granule_shift_; }
    std::uint32_t granules() const { return granules_; }
    bool lanes_in_step() const { return lanes_in_step_; }

    /// An access with which a race may exist.
    struct conflict {
        bool found = false;
        bool with_write = false;
        bool lane_known = false;
        unsigned rank = 0;  ///< of the CTA
        unsigned warp = 0, lane = 0;
        std::uint32_t operation = 0;
    };
    /// Examines a granule in detail, before the access is recorded. @param operation  may have the
    /// flag `strong`
    conflict examine(std::uint32_t granule, unsigned warp, unsigned lane, bool writes,
                     std::uint32_t operation) const;

    /// Compares an access by a warp of another CTA. @param by  its detector
    /// @param records  later accesses are compared with it
    conflict access_from(const race_detector& by, std::uint32_t granule, unsigned warp,
                         unsigned lane, bool writes, std::uint32_t operation, bool records);
    /// Whether other CTAs have accessed the CTA's memory, so that its own accesses must be
    /// compared.
    bool has_remote_accesses() const { return !remote_.empty(); }
    /// Compares an access of the CTA itself with those of others.
    conflict compare_with_remote(std::uint32_t granule, unsigned warp, bool writes,
                                 std::uint32_t operation) const;

private:
    /// An access by a warp of another CTA.
    struct remote_access {
        unsigned warp = 0, lane = 0;  ///< the warp's number in the cluster
        std::uint32_t clock = 0;      ///< 0: none
        std::uint32_t operation = 0;
    };
    /// Accesses to a granule by other CTAs: the last write, and the last read of each warp since.
    struct remote_accesses {
        remote_access write;
        std::vector<remote_access> reads;
    };

    void tick(unsigned warp);
    void all_ordered();
    void learn(unsigned warp, const clocks& published);
    void publish(clocks& place, unsigned warp) const;
    void keep_last_reads();
    bool is_ordered(unsigned warp, unsigned other, std::uint32_t clock) const;
    unsigned first_warp() const { return rank_ * warps_; }
    conflict compare(const remote_accesses& with, const race_detector& by, unsigned warp,
                     bool writes, std::uint32_t operation) const;

    unsigned warps_;
    unsigned ctas_;
    unsigned rank_ = 0;
    bool clocks_restarted_ = false;  ///< in a cluster: what precedes is no longer compared
    stamp begun_ = 0;                ///< of the CTA; smaller stamps belong to earlier ones
    unsigned granule_shift_;
    std::uint32_t granules_;
    std::uint32_t padded_;  ///< granules, plus a warp's worth
    bool lanes_in_step_;
    lane_buffer arrays_;
    lane_buffer last_reads_;
    stamp ordered_ = 0;
    clocks now_;
    std::vector<clocks> known_;
    std::vector<bool> fenced_;
    std::array<clocks, 16> barriers_;
    std::unordered_map<std::uint32_t, clocks> places_;
    std::unordered_map<std::uint32_t, remote_accesses> remote_;  // by granule
    static constexpr std::size_t max_late_reads = 4096;
    std::vector<late_read> late_;
    bool has_writes_ = false;  ///< since the last barrier of the whole CTA
    bool has_reads_ = false;   ///< the same, in the shadow state
};

}  // namespace simtlm::execution
