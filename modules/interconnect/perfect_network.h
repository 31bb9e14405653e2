// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/network.h"

namespace simtlm::interconnect {

/// -network_mode 3: no contention and no limits. A packet is at its output after the next transfer;
/// an output still delivers one packet at a time.
class perfect_network final : public network {
public:
    perfect_network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                    const interconnect_config& config, address_decoder decoder);
    const char* kind() const override { return "perfect_network"; }

    /// {Req,Reply}_Network_injected_packets_num, _cycles and _injected_packets_per_cycle.
    std::vector<report_value> report_values() const override;

private:
    unsigned room(subnet, unsigned) const override { return ~0u; }
    void push(subnet s, unsigned port, const packet& p) override {
        in_[s][port].push(p);
        sources_[s].insert(port);
    }
    tlm::tlm_generic_payload* head(subnet s, unsigned port) override {
        return out_[s][port].empty() ? nullptr : out_[s][port].front();
    }
    unsigned remove_head(subnet s, unsigned port) override {
        out_[s][port].pop();
        return 1;
    }
    void transfer(subnet s) override;
    bool is_quiescent() const override { return !busy(); }

    std::array<std::vector<growing_fifo<packet>>, subnets> in_;  // by injection port
    std::array<port_set, subnets> sources_;                      // injection ports with packets
    std::array<std::vector<growing_fifo<tlm::tlm_generic_payload*>>, subnets> out_;
};

}  // namespace simtlm::interconnect
