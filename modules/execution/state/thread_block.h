// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/execution_error.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/tensor_memory.h"
#include "modules/execution/state/warp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class block_checks;
class block_cluster;

/// Offsets in the bank `thread`.
struct thread_layout {
    static constexpr std::uint32_t tid = 0;  ///< x, y, z
    static constexpr std::uint32_t warpid = 3 * 128;
    static constexpr std::uint32_t size = 4 * 128;
};

/// Offsets in the bank `block`; each value is replicated in all 32 lanes.
struct block_layout {
    static constexpr std::uint32_t ctaid = 0;  ///< x, y, z, w
    static constexpr std::uint32_t ntid = 4 * 128;
    static constexpr std::uint32_t nctaid = 8 * 128;
    static constexpr std::uint32_t nwarpid = 12 * 128;
    static constexpr std::uint32_t smid = 13 * 128;
    static constexpr std::uint32_t nsmid = 14 * 128;
    static constexpr std::uint32_t dynamic_shared = 15 * 128;  ///< start of dynamic shared memory
    static constexpr std::uint32_t dynamic_size = 16 * 128;
    static constexpr std::uint32_t total_size = 17 * 128;
    static constexpr std::uint32_t gridid = 18 * 128;  ///< 64 bits
    static constexpr std::uint32_t dynamic_shared64 = 20 * 128;
    static constexpr std::uint32_t shared_window64 = 22 * 128;   ///< dynamic_shared64 as a generic
                                                                 ///< address
    static constexpr std::uint32_t envreg = 24 * 128;            ///< 32 of them
    static constexpr std::uint32_t clusterid = (24 + 32) * 128;  ///< x, y, z, w, like those below
    static constexpr std::uint32_t nclusterid = clusterid + 4 * 128;
    static constexpr std::uint32_t cluster_ctaid = nclusterid + 4 * 128;
    static constexpr std::uint32_t cluster_nctaid = cluster_ctaid + 4 * 128;
    static constexpr std::uint32_t cluster_ctarank = cluster_nctaid + 4 * 128;
    static constexpr std::uint32_t cluster_nctarank = cluster_ctarank + 128;
    static constexpr std::uint32_t is_explicit_cluster = cluster_nctarank + 128;  ///< a mask
    /// The shared::cluster address of the CTA's own shared memory, in the shared state space: 32
    /// and 64 bits; 0 in a cluster of one CTA.
    static constexpr std::uint32_t own_shared = is_explicit_cluster + 128;
    static constexpr std::uint32_t own_shared64 = own_shared + 128;
    static constexpr std::uint32_t size = own_shared64 + 256;
};

/// Lanes of a warp that have arrived at a barrier with one instruction.
struct barrier_arrival {
    unsigned warp = 0;  ///< index in the CTA
    const operation* op = nullptr;
    lane_mask lanes = 0;
    std::byte* frame = nullptr;  ///< their registers
};

/// One of the 16 barriers of a CTA.
struct barrier_state {
    std::uint32_t expected = 0;     ///< threads; 0: no thread has arrived
    std::uint32_t arrived = 0;      ///< threads
    std::vector<unsigned> waiting;  ///< warps
    bool is_reduction = false;
    std::uint32_t count = 0;  ///< bar.red.popc
    bool all = true, any = false;
    std::vector<barrier_arrival> results;  ///< of bar.red: they wait for its result
};

/// A running CTA: its warps, shared memory and barriers. Reused for successive CTAs.
class thread_block {
public:
    thread_block(launch_context& l, worker_state& worker);
    ~thread_block();

    /// Starts a CTA of the grid. @param cluster  to which it belongs; nullptr: a cluster of its own
    void start(std::uint64_t number, unsigned sm = 0,
               std::shared_ptr<block_cluster> cluster = nullptr);
    /// Sets its placement, for %smid and %nsmid.
    void placed(unsigned sm, unsigned sms);
    bool done() const { return live_warps_ == 0; }

    std::vector<warp>& warps() { return warps_; }
    launch_context& context() { return launch_; }
    std::byte* shared() { return shared_.get(); }
    std::uint32_t shared_bytes() const { return shared_bytes_; }
    const std::array<unsigned, 3>& index() const { return index_; }
    std::uint64_t number() const { return number_; }
    /// Its rank in its cluster.
    unsigned rank() const { return rank_; }
    block_cluster& cluster() { return *cluster_; }
    /// The CTA of a rank of its cluster; nullptr if there is none, or it has ended.
    thread_block* block_of_rank(unsigned rank) const;

    /// Its tensor memory (sm_100).
    tensor_memory& tensors() {
        if (tensors_ == nullptr) tensors_ = std::make_unique<tensor_memory>();
        return *tensors_;
    }

    /// A warp has ended.
    void warp_ended(warp& w);

    /// Lanes of a warp arrive at a barrier. @param threads  expected, 0: all live threads
    /// @param waits  false: bar.arrive
    /// @return whether the barrier is complete, so that no warp must wait
    bool arrive(warp& w, unsigned barrier, std::uint32_t threads, bool waits);
    barrier_state& barrier(unsigned id) { return barriers_[id]; }
    /// Without timing: number of warps that sleep after a failed mbarrier.try_wait.
    unsigned warps_at_mbarriers = 0;
    /// With timing, warps at barriers are held by the SM, not by the machine.
    bool sm_holds_barriers = false;

    /// Position of a thread.
    fault_site site_of(const warp& w, const operation* op, unsigned lane) const;
    /// Throws an execution_error for a thread.
    [[noreturn]] void fail(const warp& w, const operation* op, unsigned lane,
                           const std::string& what, const std::string& remedy = {},
                           fault_kind kind = fault_kind::other) const;
    /// Index of a lane's thread in its block: x, y, z.
    std::array<unsigned, 3> thread_of(const warp& w, unsigned lane) const;
    /// nullptr: no checks.
    block_checks* checks() { return checks_.get(); }

private:
    void complete(barrier_state& b);
    void finish_if_all_came(barrier_state& b);
    void clear_local();
    void join_cluster(std::shared_ptr<block_cluster> cluster);
    void fill(std::uint32_t offset, std::uint32_t value);
    void fill64(std::uint32_t offset, std::uint64_t value);

    launch_context& launch_;
    worker_state& worker_;
    lane_buffer shared_;
    std::uint32_t shared_bytes_;
    lane_buffer block_bank_;
    lane_buffer thread_banks_;
    std::byte* local_ = nullptr;
    std::shared_ptr<void> local_owner_;
    bool local_used_ = false;
    std::vector<warp> warps_;
    std::array<barrier_state, 16> barriers_;
    std::array<unsigned, 3> index_{};
    std::uint64_t number_ = 0;
    std::shared_ptr<block_cluster> cluster_;
    unsigned rank_ = 0;
    unsigned live_warps_ = 0;
    std::unique_ptr<block_checks> checks_;
    std::unique_ptr<tensor_memory> tensors_;  ///< nullptr: not used yet
};

}  // namespace simtlm::execution
