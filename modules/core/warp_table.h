// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::core {

/// Two decoded instructions of one warp, waiting for issue (manual: I-Buffer).
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

/// What an SM remembers of one warp slot.
struct warp_state {
    program::instruction_window code;          ///< to be decoded next
    const std::uint64_t* addresses = nullptr;  ///< recorded: the CTA's address pool
    instruction_buffer ibuffer;
    program::warp_executor* executor = nullptr;  ///< of a warp that is executed
    program::instruction_window resolved_path;   ///< executed: what has to issue next
    std::uint64_t dynamic_id = 0;                ///< counts the warps the SM has run: age
    std::uint64_t last_fetch = 0;                ///< core cycle
    std::uint32_t cta = 0;                       ///< hardware CTA slot
    std::uint32_t threads = 0;
    std::uint32_t in_pipeline = 0;  ///< instructions buffered or in flight
    std::uint32_t stores = 0;       ///< stores not acknowledged
    std::uint32_t atomics = 0;      ///< lanes with an atomic under way
    /// Asynchronous copies: copies under way of each group since the warp began; the last is open.
    std::vector<std::uint16_t> copy_groups;
    std::uint32_t copies = 0;           ///< asynchronous copies under way
    std::uint32_t transfers = 0;        ///< bulk copies of it that are not complete
    std::uint32_t copy_wait_below = 0;  ///< DEPBAR waits for the groups before this one
    std::uint32_t number = 0;           ///< of the warp within its CTA
    std::uint64_t last_pc = 0;          ///< last issued, for reports
    std::uint64_t fall_through_pc = 0;  ///< what lies behind that; at first, the first

    /// What is left of a warp that has ended.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(dynamic_id, last_fetch, copy_wait_below, last_pc, fall_through_pc);
    }
};

/// Who is told that a warp may be able to issue or to be fetched.
struct warp_listener {
    virtual ~warp_listener() = default;
    /// Something that kept the warp from issuing has changed.
    virtual void may_issue(unsigned warp) = 0;
    /// The warp's instruction buffer ran empty, its fetch came back, or it may have ended.
    virtual void may_fetch() = 0;
};

/// The warps of one SM: bit masks over the warps for what the schedulers and the fetch unit ask
/// every cycle, and one record per warp for the rest.
struct warp_table {
    explicit warp_table(unsigned warps) : warp(warps) {}

    std::vector<warp_state> warp;

    warp_mask resident = 0;  ///< holds a warp that has not exited
    warp_mask done = 0;      ///< has issued its last instruction
    warp_mask fetching = 0;  ///< waits for an instruction cache miss
    warp_mask buffered = 0;  ///< has a decoded instruction
    warp_mask at_barrier = 0;
    warp_mask at_memory_barrier = 0;
    warp_mask past_memory_barrier = 0;  ///< its scheduler has yet to notice
    warp_mask at_atomic = 0;            ///< has atomics under way
    warp_mask at_copy = 0;              ///< DEPBAR: waits for asynchronous copies
    warp_mask at_engine = 0;            ///< waits for an mbarrier, or an engine of its SM
    warp_mask scoreboard_stale = 0;     ///< scoreboard_blocked is to be worked out again
    warp_mask scoreboard_blocked = 0;   ///< the next instruction has a hazard
    warp_mask may_have_left = 0;        ///< done; whether nothing of it is left is to be looked at
    warp_mask wrong_path = 0;           ///< the next instruction is not where the warp goes on

    warp_listener* listener = nullptr;

    warp_mask waiting() const {
        return done | at_barrier | at_memory_barrier | at_atomic | at_copy | at_engine;
    }
    /// What is in the warp's instruction buffer leaves the pipeline.
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
          warp);
    }
    warp_mask fetchable() const { return resident & ~done & ~fetching & ~buffered; }

    /// The warp's hazards may have changed.
    void hazards_changed(unsigned w) {
        scoreboard_stale |= warp_bit(w);
        listener->may_issue(w);
    }
    /// The warp no longer waits for what `mask` names (barrier, atomics, ...).
    void stops_waiting(warp_mask& mask, unsigned w) {
        mask &= ~warp_bit(w);
        listener->may_issue(w);
    }
    void passes_memory_barrier(unsigned w) {
        past_memory_barrier |= warp_bit(w);
        stops_waiting(at_memory_barrier, w);
    }
    /// The warp has no instructions left to issue.
    void ends(unsigned w) {
        done |= warp_bit(w);
        may_have_left |= warp_bit(w);
    }
    /// Something that a warp waits for, should it have ended, has come.
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
    void store_acknowledged(unsigned w) {
        --warp[w].stores;
        may_leave(w);
    }
    void atomics_finished(unsigned w, unsigned lanes) {
        warp[w].atomics -= lanes;
        if (warp[w].atomics == 0) stops_waiting(at_atomic, w);
    }
    /// An instruction issues: LDGSTS joins the open group of its warp, LDGDEPBAR closes that group,
    /// DEPBAR makes the warp wait for all but the last groups that are closed.
    void track_copies(warp_instruction& inst);
    /// One asynchronous copy of a group has arrived.
    void copy_arrived(unsigned w, unsigned group) {
        --warp[w].copy_groups[group];
        if (--warp[w].copies == 0) may_leave(w);
        if ((at_copy & warp_bit(w)) != 0 && copies_arrived(w)) stops_waiting(at_copy, w);
    }
    bool copies_arrived(unsigned w) const {
        const warp_state& s = warp[w];
        for (unsigned g = 0; g < s.copy_wait_below && g < s.copy_groups.size(); ++g)
            if (s.copy_groups[g] != 0) return false;
        return true;
    }
};

}  // namespace simtlm::core
