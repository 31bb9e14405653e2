// SPDX-License-Identifier: Apache-2.0
#include "modules/core/cta_cluster_barrier.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::core {

cta_cluster_barrier::cta_cluster_barrier(const sc_core::sc_module_name& name,
                                         simulation::phase_sequencer& sequencer, unsigned latency,
                                         unsigned sms)
    : clocked_module(name, sequencer),
      latency_(latency),
      from_sm_(sms),
      process_("process", sequencer, protocol::phase::core_effects,
               simulation::on_edge<&cta_cluster_barrier::cycle>(this), false, 3) {
    process_.select_sub_phase(2);
}

void cta_cluster_barrier::cycle() {
    const std::uint64_t now = process_.now();
    for (auto& list : from_sm_) {
        for (event& e : list) {
            e.at = now + latency_;
            under_way_.push_back(std::move(e));
        }
        list.clear();
    }
    for (; !under_way_.empty() && under_way_.front().at <= now; under_way_.pop_front())
        count(under_way_.front(), now);
    for (; !releases_.empty() && releases_.front().at <= now; releases_.pop_front()) {
        const cta_cluster& cluster = *releases_.front().cluster;
        for (const cta_cluster::member& m : cluster.members)
            if (m.at != nullptr) m.at->barrier_completed(m.slot, cluster);
    }
    std::uint64_t next = ~std::uint64_t{0};
    if (!under_way_.empty()) next = under_way_.front().at;
    if (!releases_.empty()) next = std::min(next, releases_.front().at);
    if (next == ~std::uint64_t{0})
        process_.sleep();
    else
        process_.sleep_until(next);
}

void cta_cluster_barrier::count(const event& e, std::uint64_t now) {
    cta_cluster& cluster = *e.cluster;
    cta_cluster::member& m = cluster.members[e.rank];
    warp_mask any = 0;
    for (const cta_cluster::member& c : cluster.members) any |= c.arrived;
    if (e.ended) {
        m.live &= ~warp_bit(e.warp);
        m.arrived &= m.live;
    } else {
        if (any == 0) cluster.first_arrival = now;
        m.arrived |= warp_bit(e.warp) & m.live;
        ++statistics_.arrivals;
    }
    any = 0;
    for (const cta_cluster::member& c : cluster.members) {
        if (c.arrived != c.live) return;
        any |= c.arrived;
    }
    if (any == 0) return;
    for (cta_cluster::member& c : cluster.members) c.arrived = 0;
    ++statistics_.barriers;
    statistics_.cycles += now - cluster.first_arrival;
    releases_.push_back({now + latency_, e.cluster});
}

std::string describe_barrier(const cta_cluster& cluster) {
    std::string text;
    bool any = false;
    for (std::size_t r = 0; r < cluster.members.size(); ++r) {
        const cta_cluster::member& m = cluster.members[r];
        any |= m.arrived != 0;
        if (m.at != nullptr && m.live != 0)
            text += fmt::format("{}rank {} on SM {} (CTA slot {}): {} of {} warps have arrived",
                                text.empty() ? "" : "; ", r, m.at->sm(), m.slot,
                                __builtin_popcountll(m.arrived), __builtin_popcountll(m.live));
    }
    return any ? fmt::format("    cluster {} barrier: {}\n", cluster.number, text) : std::string();
}

}  // namespace simtlm::core
