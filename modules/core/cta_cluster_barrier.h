// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cta_cluster.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/counter_table.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core {

/// Counters of the barriers of thread block clusters.
struct cta_cluster_barrier_statistics {
    std::uint64_t arrivals = 0;  ///< arriving warps
    std::uint64_t barriers = 0;  ///< completed barriers
    std::uint64_t cycles = 0;    ///< core cycles from the first arrival to completion, summed over
                                 ///< barriers
};

inline constexpr support::counter<cta_cluster_barrier_statistics> cta_cluster_barrier_counters[] = {
    support::count<&cta_cluster_barrier_statistics::arrivals>("arrivals", "warps",
                                                              "at barriers of clusters"),
    support::count<&cta_cluster_barrier_statistics::barriers>("barriers", "barriers", "completed"),
    support::count<&cta_cluster_barrier_statistics::cycles>(
        "cycles", "core cycles", "between first arrival and completion, summed over barriers"),
};
constexpr const auto& counters_of(const cta_cluster_barrier_statistics*) {
    return cta_cluster_barrier_counters;
}
static_assert(support::covers(cta_cluster_barrier_counters));

/// The barriers of the thread block clusters of a GPU (barrier.cluster): counts warps that arrive
/// or end, and notifies the SMs of a cluster when all its live warps have arrived. Arrivals and
/// releases each take a fixed time and never contend.
///
/// SMs put arrivals into queues of their own, which are read SM by SM in the third sub-phase of
/// core_effects, after the messages of the SM-to-SM network.
class cta_cluster_barrier : public simulation::clocked_module {
public:
    /// @param latency  core cycles from an SM to the barrier, and back
    /// @param sms      number of SMs in the GPU
    cta_cluster_barrier(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                        unsigned latency, unsigned sms);
    const char* kind() const override { return "cta_cluster_barrier"; }

    /// A warp has arrived, or has ended. Called in phases of its SM. @param warp  index in the SM
    void arrives(unsigned sm, const std::shared_ptr<cta_cluster>& cluster, unsigned rank,
                 unsigned warp) {
        add(sm, {0, cluster, rank, warp, false});
    }
    void ends(unsigned sm, const std::shared_ptr<cta_cluster>& cluster, unsigned rank,
              unsigned warp) {
        add(sm, {0, cluster, rank, warp, true});
    }
    /// Whether no event is under way.
    bool idle() const { return under_way_.empty() && releases_.empty(); }
    const cta_cluster_barrier_statistics& statistics() const { return statistics_; }

private:
    struct event {
        std::uint64_t at;  // core cycle
        std::shared_ptr<cta_cluster> cluster;
        unsigned rank;
        unsigned warp;
        bool ended;
    };
    struct release {
        std::uint64_t at;
        std::shared_ptr<cta_cluster> cluster;
    };
    void add(unsigned sm, event e) {
        from_sm_[sm].push_back(std::move(e));
        process_.wake();
    }
    void cycle();
    void count(const event& e, std::uint64_t now);

    const unsigned latency_;
    std::vector<std::vector<event>> from_sm_;  // events of this cycle
    std::deque<event> under_way_;              // in order
    std::deque<release> releases_;             // in order
    cta_cluster_barrier_statistics statistics_;
    simulation::clocked_process process_;
};

/// Describes which warps have arrived at the barrier of a cluster and which have not, for a
/// deadlock report; empty if none has arrived.
std::string describe_barrier(const cta_cluster& cluster);

}  // namespace simtlm::core
