// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/host_threads/worker_pool.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/counter_table.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::memory {

/// The counters of memory_statistics, with the name under which GPGPU-Sim prints them in
/// parentheses (mem_latency_stat, print of the GPU). Core cycles unless noted otherwise.
struct memory_counts {
    /// Distribution of a latency.
    struct latency {
        std::uint64_t sum = 0;
        std::uint64_t max = 0;
        std::array<std::uint64_t, 32> table{};  ///< by log2
        void add(std::uint64_t cycles);
    };
    latency request_network;  ///< created to sub-partition (icnt2mem)
    latency reply_network;    ///< sub-partition to cluster (icnt2sh)
    latency round_trip;       ///< created to cluster (mf); see close_window()

    /// Latencies of the replies of a DRAM bank.
    struct bank_latency {
        std::uint64_t replies = 0;
        std::uint64_t sum = 0;
        std::uint64_t max = 0;
    };
    /// [channel × banks + bank as decoded] (average, maximum mf latency per bank)
    std::vector<bank_latency> by_bank;

    std::uint64_t counted_sum = 0;                 ///< round trips of closed windows (mf_total_lat)
    std::uint64_t counted_num = 0;                 ///< their number (num_mfs)
    std::array<std::uint64_t, 32> window_table{};  ///< (mf_lat_pw_table)

    std::uint64_t requests = 0;  ///< accepted by sub-partitions (partiton_reqs_in_parallel, …_util)
    std::uint64_t request_cycles = 0;  ///< L2 cycles with a request (gpu_sim_cycle_parition_util)
    std::uint64_t replies = 0;         ///< (partiton_replys_in_parallel)
};

inline constexpr support::counter<memory_counts> memory_counters[] = {
    support::count<&memory_counts::request_network, &memory_counts::latency::sum>(
        "request_network_sum", "core cycles", "from the making of a request to its sub-partition"),
    support::maximum<&memory_counts::request_network, &memory_counts::latency::max>(
        "request_network_max", "core cycles",
        "greatest time from the making of a request to its sub-partition"),
    support::count<&memory_counts::request_network, &memory_counts::latency::table>(
        "request_network_table", "requests",
        "from the making of a request to its sub-partition, by 2^i core cycles",
        support::number_label),
    support::count<&memory_counts::reply_network, &memory_counts::latency::sum>(
        "reply_network_sum", "core cycles", "from a sub-partition to the cluster"),
    support::maximum<&memory_counts::reply_network, &memory_counts::latency::max>(
        "reply_network_max", "core cycles", "greatest time from a sub-partition to the cluster"),
    support::count<&memory_counts::reply_network, &memory_counts::latency::table>(
        "reply_network_table", "replies", "from a sub-partition to the cluster, by 2^i core cycles",
        support::number_label),
    support::count<&memory_counts::round_trip, &memory_counts::latency::sum>(
        "round_trip_sum", "core cycles",
        "from the making of a request to its reply at the cluster"),
    support::maximum<&memory_counts::round_trip, &memory_counts::latency::max>(
        "round_trip_max", "core cycles",
        "greatest time from the making of a request to its reply at the cluster"),
    support::count<&memory_counts::round_trip, &memory_counts::latency::table>(
        "round_trip_table", "replies",
        "from the making of a request to its reply at the cluster, by 2^i core cycles",
        support::number_label),
    support::count<&memory_counts::by_bank, &memory_counts::bank_latency::replies>(
        "bank_round_trip_replies", "replies", "whose round trips bank_round_trip_sum adds up",
        support::number_label),
    support::count<&memory_counts::by_bank, &memory_counts::bank_latency::sum>(
        "bank_round_trip_sum", "core cycles", "round trips, by channel and bank",
        support::number_label),
    support::maximum<&memory_counts::by_bank, &memory_counts::bank_latency::max>(
        "bank_round_trip_max", "core cycles", "greatest round trip, by channel and bank",
        support::number_label),
    support::count<&memory_counts::counted_sum>("counted_sum", "core cycles",
                                                "round trips of closed windows"),
    support::count<&memory_counts::counted_num>("counted_num", "replies",
                                                "that counted_sum is over"),
    support::count<&memory_counts::window_table>(
        "window_table", "windows", "by mean round trip, 2^i core cycles", support::number_label),
    support::count<&memory_counts::requests>("requests", "requests", "taken by sub-partitions"),
    support::count<&memory_counts::request_cycles>("request_cycles", "L2 cycles",
                                                   "a sub-partition took a request"),
    support::count<&memory_counts::replies>("replies", "replies", "put into the network"),
};
constexpr const auto& counters_of(const memory_counts*) {
    return memory_counters;
}
static_assert(support::covers(memory_counters));

/// Latencies of memory transactions and the parallelism of the partitions, for the whole GPU: one
/// object in which all partitions and clusters count, on any host thread. Core cycles unless noted
/// otherwise.
class memory_statistics : public memory_counts {
public:
    /// @param host_threads  number of threads that may count concurrently
    memory_statistics(unsigned channels, unsigned banks, unsigned host_threads = 1);

    /// averagemflatency, avg_icnt2mem_latency, avg_icnt2sh_latency: integers, as printed.
    std::uint64_t average_round_trip() const { return mean(counted_sum); }
    std::uint64_t average_request_network() const { return mean(request_network.sum); }
    std::uint64_t average_reply_network() const { return mean(reply_network.sum); }

    /// Counts a request accepted by a sub-partition. @param l2_cycle  of the L2 domain
    void request_taken(const tlm::tlm_generic_payload& request, std::uint64_t core_now,
                       std::uint64_t l2_cycle);
    /// Counts a reply that a sub-partition has put into the network.
    void reply_sent() { ++mine().replies; }
    /// Counts a reply received by a cluster: reads and, as in GPGPU-Sim, acknowledgements.
    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now);
    /// Sums up the counts of the host threads. Call before reading the counters.
    void gather();
    /// Ends a sampling window (-gpgpu_runtime_stat, and before statistics are printed).
    /// @pre gather() has been called
    void close_window();
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    struct window {
        std::uint64_t sum = 0;
        std::uint64_t num = 0;
    };
    struct alignas(64) tally : memory_counts {
        window open;
    };
    std::uint64_t mean(std::uint64_t sum) const { return counted_num != 0 ? sum / counted_num : 0; }
    tally& mine() { return *tallies_[host_threads::worker_pool::this_thread()]; }

    unsigned banks_;
    window open_;
    std::vector<std::unique_ptr<tally>> tallies_;  // by host thread, since the last gather()
    std::atomic<std::uint64_t> last_request_cycle_{~std::uint64_t{0}};
};

}  // namespace simtlm::memory
