// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/async_proxy.h"
#include "modules/execution/checking/program_checker.h"
#include "modules/execution/checking/race_detector.h"
#include "modules/execution/checking/written_map.h"
#include "modules/execution/state/device_memory.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class block_cluster;
class launch_context;
class thread_block;
struct cluster_checks;
struct warp;

/// State of the checks for one CTA. Shared memory of CTAs in clusters is not checked with timing,
/// where they may be executed by several host threads.
class block_checks {
public:
    explicit block_checks(launch_context& l);

    /// Called when the CTA begins, and is part of its cluster.
    void start(thread_block& block);

    /// A warp arrives at a barrier; complete(): a barrier is complete.
    void arrive(unsigned warp, unsigned barrier) {
        if (races_) races_->arrive(warp, barrier);
        if (proxy_) proxy_->arrive(rank_, warp, barrier);
    }
    void complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta);
    /// A warp arrives at the barrier of its cluster, and has waited there, if the cluster has
    /// several CTAs.
    void arrive_at_cluster(const warp& w);
    void leave_cluster_barrier(const warp& w);
    /// The barrier of the cluster is complete.
    void cluster_barrier_complete();

    /// A place in the shared memory of a CTA of the cluster.
    struct shared_place {
        bool exists = false;  ///< false: the address is not in shared memory
        unsigned rank = 0;
        std::uint64_t offset = 0;
    };
    /// @param shared_space  the address is in shared memory, not a generic one
    shared_place place_of(device_address a, bool shared_space) const;
    /// Whether accesses of several CTAs are checked.
    bool in_cluster() const { return shared_by_cluster_; }
    unsigned rank() const { return rank_; }
    /// The checks of a CTA of the cluster; nullptr: it is not running.
    block_checks* of_rank(unsigned rank) const;
    /// Checks an access by a lane to the shared memory of another CTA. @param flags  access_flags
    void check_remote(warp& w, const operation* op, unsigned lane, const shared_place& at,
                      std::uint32_t bytes, std::uint32_t flags);
    /// Compares an access to the CTA's own memory with those of other CTAs. @param operation  may
    /// have the flag race_detector::strong
    void compare_with_remote(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                             std::uint32_t bytes, bool writes, std::uint32_t operation);
    /// An operation on an mbarrier. @param flags  access_flags
    void note_mbarrier(warp& w, const shared_place& at, std::uint32_t flags);

    /// nullptr: the check is disabled.
    race_detector* races() { return races_.get(); }
    /// Asynchronous operations on shared memory, since sm_90.
    async_proxy* proxy() { return proxy_.get(); }
    /// The number of one of the CTA's warps in proxy(). @pre proxy() != nullptr
    unsigned number_of(const warp& w) const;
    written_bytes* shared() { return shared_.get(); }
    /// Whether all of it has been written, as determined at a barrier.
    bool shared_is_written() const { return shared_is_written_; }
    written_map* local() { return local_.get(); }
    written_map* global() { return global_; }

    /// Bytes accessed by a thread, for accesses other than plain loads and stores of a warp.
    struct segment {
        unsigned lane;
        device_address address;
        std::uint32_t bytes;
        bool shared_space;  ///< the address is in shared memory, not a generic one
        bool reads, writes;
    };
    void check(warp& w, const operation* op, const segment& p);
    /// Checks loads and stores of lanes against asynchronous operations. @param check  of the
    /// access, which is the next operation
    void check_proxy(warp& w, const operation* check, std::uint32_t lanes);

    // Operations started by a lane, on shared memory; ranges elsewhere are ignored. Addresses are
    // in shared memory, not generic.
    /// A bulk copy, or an asynchronous store, to shared memory of a CTA of the cluster.
    /// @param barrier  mbarrier that it signals @param reduces  it changes data atomically
    void copy_starts(warp& w, const operation* op, unsigned lane, device_address to,
                     std::uint32_t bytes, device_address barrier, bool reduces);
    /// A bulk store, or a product of a warpgroup, that reads the CTA's shared memory.
    void read_starts(warp& w, const operation* op, unsigned lane, async_proxy::engine by,
                     device_address from, std::uint32_t bytes);

    /// A function of the device runtime has written memory.
    void written(warp& w, unsigned lane, device_address generic, std::uint32_t bytes);

    // Reports of findings, for one lane.
    void unwritten_global(warp& w, const operation* op, unsigned lane, device_address a,
                          std::uint32_t bytes);
    void unwritten_shared(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                          std::uint32_t bytes);
    void unwritten_local(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                         std::uint32_t bytes);
    void unwritten_register(warp& w, const operation* op, unsigned lane, const std::string& name);
    /// @param offset  of the granule @param rank  of the CTA whose memory is accessed
    void race(warp& w, const operation* op, unsigned lane, unsigned rank, std::uint32_t offset,
              bool writes, const race_detector::conflict& with);
    void race(warp& w, const operation* op, unsigned lane, std::uint32_t offset, bool writes,
              const race_detector::conflict& with) {
        race(w, op, lane, rank_, offset, writes, with);
    }
    /// Lanes of a warp write different values to the same location with one instruction.
    void race_of_lanes(warp& w, const operation* op, unsigned lane, unsigned other,
                       std::uint32_t offset);

private:
    void check_race(warp& w, const operation* op, const segment& p, std::uint64_t offset);
    void check_remote_race(warp& w, const operation* op, unsigned lane, const shared_place& at,
                           std::uint32_t bytes, bool writes, std::uint32_t operation, bool records);
    void report(warp& w, const operation* op, unsigned lane, const shared_place& at, bool writes,
                const async_proxy::conflict& c);
    bool phase_at(const shared_place& at) const;
    bool is_inside(const shared_place& at, std::uint32_t bytes) const;
    std::string name_of(const shared_place& at) const;
    template <class Describe>
    void add(finding::kind what, warp& w, const operation* op, unsigned lane, std::uint64_t other,
             Describe&& describe);
    std::string shared_variable(std::uint64_t offset) const;

    launch_context& launch_;
    program_checker& checker_;
    std::unique_ptr<race_detector> races_;
    std::shared_ptr<async_proxy> proxy_;
    std::unique_ptr<written_bytes> shared_;
    std::unique_ptr<written_map> local_;
    written_map* global_ = nullptr;
    bool shared_is_written_ = false;
    bool shared_by_cluster_ = false;
    block_cluster* cluster_ = nullptr;
    std::shared_ptr<cluster_checks> of_cluster_;
    unsigned rank_ = 0;
};

/// Calls f for the ranges of a lane's local memory, in which words of lanes are interleaved, to
/// mark or test them. @param warp_base  start of the warp's local memory, in bytes, in that of all
/// warps
template <class Function>
bool for_local_words(std::uint64_t warp_base, unsigned lane, std::uint64_t offset,
                     std::uint32_t bytes, Function f) {
    while (bytes != 0) {
        const std::uint32_t n = std::min(bytes, static_cast<std::uint32_t>(4 - offset % 4));
        const std::uint64_t at = warp_base + (offset / 4 * warp_size + lane) * 4 + offset % 4;
        if (!f(at, n)) return false;
        offset += n;
        bytes -= n;
    }
    return true;
}

}  // namespace simtlm::execution
