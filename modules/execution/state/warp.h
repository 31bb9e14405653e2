// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/execution/state/device_memory.h"
#include "modules/execution/state/warp_control.h"
#include "modules/program/bulk_transfer.h"
#include "modules/program/mbarrier_state.h"
#include "modules/program/tensor_core_work.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class thread_block;
class launch_context;
class pending_ctas;

/// Why a warp does not run.
enum class warp_status : std::uint8_t {
    ready,      ///< it can run
    preempted,  ///< its quantum has ended
    barrier,    ///< waits for its CTA
    sleeping,   ///< nanosleep or a failed wait: others run first
    done,
};

/// Execution counts of operations, stored as the difference between warps that arrive and leave at
/// each operation, so that only control transfers must be counted. Prefix sums are the counts.
struct flow_counts {
    std::vector<std::int64_t> warps;
    std::vector<std::int64_t> lanes;

    /// Clears the counters and allocates one per operation.
    void resize(std::size_t operations) {
        warps.assign(operations + 1, 0);
        lanes.assign(operations + 1, 0);
    }
};

/// The allocation that an instruction accessed last, as a cache.
struct allocation_hit {
    device_address begin = 0;
    device_address end = 0;
};

/// Counters and caches of one host thread.
struct worker_state {
    pending_ctas* not_begun = nullptr;  ///< CTAs of the launch whose launch can be cancelled
    flow_counts counts;
    std::vector<allocation_hit> hits;  ///< per operation
    std::uint64_t generation = 0;      ///< device_memory::generation of the hits
};

constexpr unsigned max_elements = 8;  ///< per lane, of a vector load or store

struct memory_request;
/// Performs a memory access that may be visible to other SMs.
using memory_effect = void (*)(warp&, const memory_request&);

/// A memory access of a warp with known addresses. With timing, its handler stores it here with the
/// required register values, for the memory phase of the cycle.
struct memory_request {
    const operation* op = nullptr;
    memory_effect perform = nullptr;  ///< nullptr: nothing left to do
    lane_mask lanes = 0;
    bool is_shared = false;             ///< all lanes address shared memory
    bool is_local = false;              ///< all lanes address local memory
    std::byte* elements[max_elements];  ///< lanes to store, or to load into
    alignas(64) std::uint64_t address[warp_size];
    alignas(64) std::byte values[max_elements * 256];  ///< copies of lanes to store
};

/// A warp: registers, local memory and control flow. All members are public for the handlers.
struct warp {
    std::byte* banks[4] = {};  ///< by `bank`
    lane_mask active = 0;
    std::uint32_t local_base = 0;  ///< start of the function's local variables
    const operation* code = nullptr;
    const operation* next = nullptr;  ///< where it continues, while it does not run
    std::int64_t quantum = 0;         ///< remaining jumps before other warps run

    std::byte* local = nullptr;     ///< word k of lane l is at 4 * (32 k + l)
    std::uint32_t local_bytes = 0;  ///< per thread
    worker_state* worker = nullptr;
    thread_block* block = nullptr;
    launch_context* launch = nullptr;
    memory_request* pending = nullptr;                         ///< with timing: receives accesses
    std::vector<program::bulk_transfer>* transfers = nullptr;  ///< with timing: receives bulk
                                                               ///< transfers
    std::vector<program::tensor_core_work>* tensor_work = nullptr;  ///< with timing

    /// With timing: receives the operations on mbarriers of the CTA, for a trace.
    std::vector<program::mbarrier_operation>* mbarrier_operations = nullptr;

    std::unique_ptr<warp_control> control;
    lane_mask members = 0;               ///< existing threads
    lane_mask cluster_arrived = 0;       ///< lanes that have arrived at the cluster barrier
    std::uint32_t cluster_phase = 0;     ///< phase of block_cluster at their arrival
    std::uint32_t warpgroup_groups = 0;  ///< number of executed wgmma.commit_group
    std::uint32_t warpgroup_fences = 0;  ///< number of executed wgmma.fence
    unsigned index = 0;                  ///< index in its CTA
    warp_status status = warp_status::done;
    const operation* retried = nullptr;  ///< the operation of the last retry()
    bool wait_failed = false;  ///< with timing: mbarrier.try_wait has found its phase incomplete
    /// With timing: time limit of that wait in ns, or 0: that of the system.
    std::uint32_t wait_nanoseconds = 0;
    bool has_waited = false;  ///< without timing: the same, for its last mbarrier.try_wait
    bool exchanged = false;   ///< the result of its next operation is known (simt_control)
    bool circles = false;     ///< assumed to wait in a loop for another thread

    std::byte* at(operand_ref s) const { return banks[s >> bank_shift] + offset_of(s); }
    lane_mask& mask_at(operand_ref s) const { return *reinterpret_cast<lane_mask*>(at(s)); }
    /// Lanes that execute an operation.
    lane_mask lanes_of(const operation* op) const {
        return active &
               (*reinterpret_cast<const lane_mask*>(banks[0] + op->guard) ^ op->guard_flip);
    }

    /// Counting: the active lanes arrive at an operation; leave(): they have executed one and
    /// leave.
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
    /// Jumps from an operation to another with the same lanes.
    const operation* jump(const operation* from, const operation* to) {
        leave(from);
        return continue_at(to);
    }
    /// Stops before an operation. leave() must have been called.
    const operation* stop(const operation* before, warp_status why) {
        next = before;
        status = why;
        return nullptr;
    }
    /// Stops at an operation that must wait, and is executed again when others have run. It is
    /// counted when it is executed for the last time.
    const operation* retry(const operation* op) {
        const auto i = static_cast<std::size_t>(op - code);
        worker->counts.warps[i] -= 1;
        worker->counts.lanes[i] -= __builtin_popcount(active);
        retried = op;
        return stop(op, warp_status::sleeping);
    }
    std::uint64_t pc_of(const operation* op) const { return static_cast<std::uint64_t>(op - code); }
    /// Continues at an operation after a control transfer, with the active lanes. leave() must have
    /// been called.
    const operation* continue_at(const operation* to) {
        if (--quantum <= 0) return stop(to, warp_status::preempted);
        come(to);
        return to;
    }
    /// A hash of its next operation and of all state that determines its execution except memory.
    std::uint64_t state() const;
    /// Ends the warp when no lane is left. leave() must have been called.
    const operation* end();
};

}  // namespace simtlm::execution
