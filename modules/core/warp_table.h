// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::core {

/// Up to two decoded instructions of a warp that wait for issue (GPGPU-Sim manual: I-Buffer).
struct instruction_buffer {
    std::array<const program::dynamic_instruction*, 2> entry{};
    std::uint8_t next = 0;

    bool empty() const { return entry[0] == nullptr && entry[1] == nullptr; }
    unsigned count() const {
        return static_cast<unsigned>(entry[0] != nullptr) +
               static_cast<unsigned>(entry[1] != nullptr);
    }
    const program::dynamic_instruction* head() const { return entry[next]; }
    void fill(const program::dynamic_instruction* first,
              const program::dynamic_instruction* second) {
        entry = {first, second};
        next = 0;
    }
    void pop() {
        entry[next] = nullptr;
        next ^= 1u;
    }
    void flush() { entry = {}; }
};

/// State of a warp slot.
struct warp_state {
    program::instruction_window code;          ///< instructions to be decoded next
    const std::uint64_t* addresses = nullptr;  ///< recorded warps: the CTA's address pool
    instruction_buffer ibuffer;
    program::warp_executor* executor = nullptr;  ///< of an executed warp
    program::instruction_window resolved_path;   ///< executed warps: the instructions that must
                                                 ///< issue next
    std::uint64_t dynamic_id = 0;  ///< number among the warps that the SM has run: age
    std::uint64_t last_fetch = 0;  ///< core cycle
    std::uint32_t cta = 0;         ///< hardware CTA slot
    std::uint32_t threads = 0;
    std::uint32_t in_pipeline = 0;  ///< instructions buffered or in flight
    std::uint32_t stores = 0;       ///< stores that have not been acknowledged
    std::uint32_t atomics = 0;      ///< lanes with a pending atomic
    /// Asynchronous copies in flight, by group since the start of the warp; the last group is open.
    std::vector<std::uint16_t> copy_groups;
    std::uint32_t copies = 0;           ///< asynchronous copies in flight
    std::uint32_t transfers = 0;        ///< its bulk copies that are not complete
    std::uint32_t copy_wait_below = 0;  ///< DEPBAR waits for the groups below this one
    std::uint32_t number = 0;           ///< index of the warp in its CTA
    std::uint64_t last_pc = 0;          ///< last issued, for reports
    std::uint64_t fall_through_pc = 0;  ///< address after that; initially the first address

    /// Saves or restores the state that remains of a warp that has ended.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(dynamic_id, last_fetch, copy_wait_below, last_pc, fall_through_pc);
    }
};

/// Is notified when a warp may be able to issue or to be fetched.
struct warp_listener {
    virtual ~warp_listener() = default;
    /// A condition that kept the warp from issuing has changed.
    virtual void may_issue(unsigned warp) = 0;
    /// A warp's instruction buffer is empty, its fetch has returned, or it may have ended.
    virtual void may_fetch() = 0;
};

/// The warps of one SM: bit masks over the warps for the conditions that schedulers and fetch test
/// in every cycle, and one record per warp for the rest.
struct warp_table {
    explicit warp_table(unsigned warps) : warp(warps) {}

    std::vector<warp_state> warp;

    warp_mask resident = 0;  ///< holds a warp that has not exited
    warp_mask done = 0;      ///< has issued its last instruction
    warp_mask fetching = 0;  ///< waits for an instruction cache miss
    warp_mask buffered = 0;  ///< has a decoded instruction
    warp_mask at_barrier = 0;
    warp_mask at_memory_barrier = 0;
    warp_mask past_memory_barrier = 0;  ///< to be processed by its scheduler
    warp_mask at_atomic = 0;            ///< has pending atomics
    warp_mask at_copy = 0;              ///< DEPBAR: waits for asynchronous copies
    warp_mask at_engine = 0;            ///< waits for an mbarrier, or an engine of its SM
    warp_mask asleep = 0;               ///< nanosleep
    warp_mask scoreboard_stale = 0;     ///< scoreboard_blocked must be recomputed
    warp_mask scoreboard_blocked = 0;   ///< the next instruction has a hazard
    warp_mask may_have_left = 0;        ///< done; it must be checked whether the pipeline is empty
    warp_mask wrong_path = 0;           ///< the next instruction is not on the warp's path

    warp_listener* listener = nullptr;
    std::uint64_t stores_sent = 0;          ///< requests of all warps so far
    std::uint64_t stores_acknowledged = 0;  ///< of them
    /// The listener is notified when this number of stores has been acknowledged.
    std::uint64_t awaited_stores = 0;

    /// Warps that have issued their last instruction, or wait for something other than a register.
    warp_mask waiting() const {
        return done | at_barrier | at_memory_barrier | at_atomic | at_copy | at_engine | asleep;
    }
    /// Removes the instructions in the warp's instruction buffer from the pipeline.
    void empty_buffer(unsigned w) {
        warp[w].in_pipeline -= warp[w].ibuffer.count();
        warp[w].ibuffer.flush();
        buffered &= ~warp_bit(w);
        wrong_path &= ~warp_bit(w);
    }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(resident, done, fetching, buffered, at_barrier, at_memory_barrier, past_memory_barrier,
          at_atomic, at_copy, scoreboard_stale, scoreboard_blocked, may_have_left, wrong_path,
          stores_sent, stores_acknowledged, warp);
    }
    warp_mask fetchable() const { return resident & ~done & ~fetching & ~buffered; }

    /// The warp's hazards may have changed.
    void hazards_changed(unsigned w) {
        scoreboard_stale |= warp_bit(w);
        listener->may_issue(w);
    }
    /// The warp no longer waits for the condition of `mask` (barrier, atomics, ...).
    void stops_waiting(warp_mask& mask, unsigned w) {
        mask &= ~warp_bit(w);
        listener->may_issue(w);
    }
    /// The warp's earlier accesses have completed; it may issue beyond its memory barrier.
    void passes_memory_barrier(unsigned w) {
        past_memory_barrier |= warp_bit(w);
        stops_waiting(at_memory_barrier, w);
    }
    /// The warp has no instructions left to issue.
    void ends(unsigned w) {
        done |= warp_bit(w);
        may_have_left |= warp_bit(w);
    }
    /// A condition for which a warp may wait before it exits is satisfied.
    void may_leave(unsigned w) {
        if ((done & warp_bit(w)) == 0) return;
        may_have_left |= warp_bit(w);
        listener->may_fetch();
    }
    /// An instruction of the warp has left the pipeline.
    void leaves_pipeline(unsigned w) {
        --warp[w].in_pipeline;
        may_leave(w);
    }
    void store_sent(unsigned w, unsigned count = 1) {
        warp[w].stores += count;
        stores_sent += count;
    }
    void store_acknowledged(unsigned w) {
        --warp[w].stores;
        if (++stores_acknowledged == awaited_stores) listener->may_fetch();
        may_leave(w);
    }
    void atomics_finished(unsigned w, unsigned lanes) {
        warp[w].atomics -= lanes;
        if (warp[w].atomics != 0) return;
        stops_waiting(at_atomic, w);
        may_leave(w);
    }
    /// Called when an instruction issues: LDGSTS joins the open group of its warp, LDGDEPBAR closes
    /// that group, and DEPBAR makes the warp wait for all but the last closed groups.
    void track_copies(warp_instruction& inst);
    /// An asynchronous copy of a group is complete.
    void copy_arrived(unsigned w, unsigned group) {
        --warp[w].copy_groups[group];
        if (--warp[w].copies == 0) may_leave(w);
        if ((at_copy & warp_bit(w)) != 0 && copies_arrived(w)) stops_waiting(at_copy, w);
    }
    /// Whether the copies for which the warp waits have arrived.
    bool copies_arrived(unsigned w) const {
        const warp_state& s = warp[w];
        for (unsigned g = 0; g < s.copy_wait_below && g < s.copy_groups.size(); ++g)
            if (s.copy_groups[g] != 0) return false;
        return true;
    }
};

}  // namespace simtlm::core
