// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/network.h"
#include "modules/interconnect/router_settings.h"
#include "modules/interconnect/router_subnet.h"
#include "modules/interconnect/topology.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::interconnect {

/// -network_mode 1: virtual-channel routers, described by a booksim configuration file
/// (-inter_config_file): two identical subnets, one for requests and one for replies, whose nodes
/// are the clusters and the sub-partitions.
///
/// Zero-load latency: a packet of f flits that is injected after the transfer of icnt cycle t
/// leaves its node in t + 1. From there a channel of latency d takes d + 1 cycles; a router with
/// lookahead routing takes one cycle at internal speedup 2, and two cycles at internal speedup 1
/// (plus routing_delay and the time of its stages beyond one cycle). The packet can be taken when
/// its last flit has arrived. Example for one router of the TITAN X configuration: t + 1 + 2 + 1 +
/// 2 + (f - 1).
class router_network final : public network {
public:
    /// @throws support::user_error  naming the file and the key
    router_network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const interconnect_config& config, address_decoder decoder);
    ~router_network() override;
    const char* kind() const override { return "router_network"; }

    void checkpoint(support::archive& a) override;
    /// booksim's statistics of class 0 over both subnets since the last restart_records(), each as
    /// "NAME average", "NAME minimum" and "NAME maximum": latencies in icnt cycles, rates per node
    /// and icnt cycle.
    std::vector<report_value> report_values() const override;
    std::vector<latency_table> latency_tables() const override;
    void list_statistics(support::statistics& list) const override;
    /// Resets the statistics, as GPGPU-Sim does before every kernel.
    void restart_records();
    const router_subnet& half(subnet s) const { return halves_[s]; }

private:
    unsigned room(subnet s, unsigned port) const override {
        return halves_[s].room(source_node(s, port));
    }
    void push(subnet s, unsigned port, const packet& p) override;
    tlm::tlm_generic_payload* head(subnet s, unsigned port) override {
        return halves_[s].head(source_node(static_cast<subnet>(1 - s), port));
    }
    unsigned remove_head(subnet s, unsigned port) override {
        return halves_[s].remove_head(source_node(static_cast<subnet>(1 - s), port));
    }
    void transfer(subnet s) override;
    bool is_quiescent() const override;
    /// The node of an injection port, which is also the ejection port of the other subnet.
    unsigned source_node(subnet s, unsigned port) const {
        return settings_.node_of[s == requests ? port : clusters_ + port];
    }

    router_network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const interconnect_config& config, router_settings settings,
                   address_decoder decoder);

    router_settings settings_;
    unsigned clusters_;
    std::unique_ptr<topology> map_;
    std::vector<router_subnet> halves_;
    std::vector<unsigned> port_of_;          // by node: number of its cluster or memory
    std::array<port_set, subnets> arrived_;  // nodes
    std::uint64_t restarted_at_ = 0;
};

}  // namespace simtlm::interconnect
