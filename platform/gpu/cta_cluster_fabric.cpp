// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/cta_cluster_fabric.h"

#include <fmt/format.h>

namespace simtlm::platform {

namespace {

interconnect::sm_to_sm_network_config network_of(const core::cta_cluster_timing& t) {
    interconnect::sm_to_sm_network_config c;
    c.lanes = t.lanes;
    c.lane_bytes = t.lane_bytes;
    c.sms_per_path = t.sms_per_path;
    c.near_latency = t.near_latency;
    c.far_latency = t.far_latency;
    return c;
}

}  // namespace

std::unique_ptr<cta_cluster_fabric> cta_cluster_fabric::make(
    simulation::phase_sequencer& sequencer, const std::vector<core::simt_cluster*>& clusters,
    sc_core::sc_in<bool>& clock) {
    std::vector<core::multiprocessor*> sms;
    for (core::simt_cluster* const c : clusters)
        for (unsigned i = 0; i < c->sms(); ++i) {
            if (c->core(i).cta_clusters() == nullptr) return nullptr;
            sms.push_back(&c->core(i));
        }
    const core::cta_cluster_timing& timing = *sms.front()->cta_clusters();
    auto all = std::make_unique<cta_cluster_fabric>();
    all->barrier_ = std::make_unique<core::cta_cluster_barrier>(
        "cluster_barrier", sequencer, timing.barrier_latency, static_cast<unsigned>(sms.size()));
    all->barrier_->clk(clock);
    all->directory_.barrier = all->barrier_.get();
    std::vector<unsigned> sizes = timing.gpcs;
    if (sizes.empty()) sizes.push_back(static_cast<unsigned>(sms.size()));
    unsigned first = 0;
    for (const unsigned size : sizes) {
        all->networks_.push_back(std::make_unique<interconnect::sm_to_sm_network>(
            fmt::format("cluster_network{}", all->networks_.size()).c_str(), sequencer,
            network_of(timing), first, size));
        interconnect::sm_to_sm_network& network = *all->networks_.back();
        network.clk(clock);
        all->directory_.gpcs.emplace_back();
        for (unsigned i = 0; i < size; ++i, ++first) {
            all->directory_.gpcs.back().sms.push_back(sms[first]);
            sms[first]->join_gpc(network.from_sm[i], all->directory_);
        }
    }
    all->directory_.last_gpc = sizes.size() - 1;
    return all;
}

bool cta_cluster_fabric::idle() const {
    return barrier_->idle() && std::all_of(networks_.begin(), networks_.end(),
                                           [](const auto& n) { return n->messages() == 0; });
}

void cta_cluster_fabric::checkpoint(support::archive& a) {
    for (const auto& n : networks_) a(*n);
    a(directory_.last_gpc);
}

}  // namespace simtlm::platform
