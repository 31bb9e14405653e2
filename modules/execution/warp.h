// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_memory.h"
#include "modules/execution/operation.h"
#include "modules/execution/warp_control.h"
#include "modules/program/bulk_transfer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class thread_block;
class launch_context;

/// Why a warp does not run.
enum class warp_status : std::uint8_t {
    ready,      ///< it can run
    preempted,  ///< it has used up its turn
    barrier,    ///< waits for its CTA
    sleeping,   ///< nanosleep, a failed wait: others first
    done,
};

/// How often operations were executed: the difference between what came and what left at each
/// operation, so that only changes of control flow count. Sums from the left are the counts.
struct flow_counts {
    std::vector<std::int64_t> warps;
    std::vector<std::int64_t> lanes;

    void resize(std::size_t operations) {
        warps.assign(operations + 1, 0);
        lanes.assign(operations + 1, 0);
    }
};

/// The allocation that an instruction hit last: programs go back to it.
struct allocation_hit {
    device_address begin = 0;
    device_address end = 0;
};

/// What one host thread brings along: counters and caches that it does not share.
struct worker_state {
    flow_counts counts;
    std::vector<allocation_hit> hits;  ///< per operation
    std::uint64_t generation = 0;      ///< of device_memory::generation
};

constexpr unsigned most_elements = 8;  ///< of a vector that a lane loads or stores

struct memory_request;
/// Carries out an access of memory that other SMs may see.
using memory_effect = void (*)(warp&, const memory_request&);

/// An access of a warp whose addresses are known. In timing mode its handler leaves it here, for
/// the phase of the cycle in which memory changes, with what it needs of the registers.
struct memory_request {
    const operation* op = nullptr;
    memory_effect perform = nullptr;  ///< nullptr: there is nothing left to do
    lane_mask lanes = 0;
    bool is_shared = false;              ///< all lanes address shared memory
    bool is_local = false;               ///< all lanes address local memory
    std::byte* elements[most_elements];  ///< lanes to store, or to load into
    alignas(64) std::uint64_t address[warp_size];
    alignas(64) std::byte values[most_elements * 256];  ///< copies of lanes to store
};

/// One warp: registers, local memory and control flow. All public: handlers work on it.
struct warp {
    std::byte* banks[4] = {};  ///< by `bank`
    lane_mask active = 0;
    std::uint32_t local_base = 0;  ///< where the function's local variables begin
    const operation* code = nullptr;
    const operation* next = nullptr;  ///< where it goes on, while it does not run
    std::int64_t turn = 0;            ///< jumps left before others run

    std::byte* local = nullptr;     ///< word k of lane l lies at 4 * (32 k + l)
    std::uint32_t local_bytes = 0;  ///< per thread
    worker_state* worker = nullptr;
    thread_block* block = nullptr;
    launch_context* launch = nullptr;
    memory_request* pending = nullptr;  ///< timing mode: where accesses are noted
    std::vector<program::bulk_transfer>* transfers = nullptr;  ///< ... and bulk transfers

    std::unique_ptr<warp_control> control;
    lane_mask members = 0;               ///< threads that exist
    lane_mask cluster_arrived = 0;       ///< lanes that have come to the barrier of the cluster
    std::uint32_t cluster_phase = 0;     ///< block_cluster's, when they came
    std::uint32_t warpgroup_groups = 0;  ///< wgmma.commit_group executed
    unsigned index = 0;                  ///< in its CTA
    warp_status status = warp_status::done;
    bool wait_failed = false;  ///< timing mode: mbarrier.try_wait has found its phase incomplete
    bool circles = false;      ///< waits in a loop for another thread, as far as is known

    std::byte* at(slot s) const { return banks[s >> bank_shift] + offset_of(s); }
    lane_mask& mask_at(slot s) const { return *reinterpret_cast<lane_mask*>(at(s)); }
    /// Lanes that execute an operation.
    lane_mask lanes_of(const operation* op) const {
        return active &
               (*reinterpret_cast<const lane_mask*>(banks[0] + op->guard) ^ op->guard_flip);
    }

    /// Counts: the active lanes come to an operation, or have executed one and leave.
    void come(const operation* op) {
        const auto i = static_cast<std::size_t>(op - code);
        worker->counts.warps[i] += 1;
        worker->counts.lanes[i] += __builtin_popcount(active);
    }
    void leave(const operation* op) {
        const auto i = static_cast<std::size_t>(op - code) + 1;
        worker->counts.warps[i] -= 1;
        worker->counts.lanes[i] -= __builtin_popcount(active);
    }
    /// From an operation to another place, with the same lanes.
    const operation* jump(const operation* from, const operation* to) {
        leave(from);
        return go_on(to);
    }
    /// Stops before an operation. leave() has been called.
    const operation* stop(const operation* before, warp_status why) {
        next = before;
        status = why;
        return nullptr;
    }
    std::uint64_t pc_of(const operation* op) const { return static_cast<std::uint64_t>(op - code); }
    /// Control flow has changed: goes on there with the active lanes. leave() has been called.
    const operation* go_on(const operation* to) {
        if (--turn <= 0) return stop(to, warp_status::preempted);
        come(to);
        return to;
    }
    /// A hash of what it is about to do, and of all that decides it but memory.
    std::uint64_t state() const;
    /// No lane is left. leave() has been called.
    const operation* end();
};

}  // namespace simtlm::execution
