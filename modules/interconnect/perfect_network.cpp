// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/perfect_network.h"

#include <utility>

namespace simtlm::interconnect {

perfect_network::perfect_network(const sc_core::sc_module_name& name,
                                 simulation::phase_sequencer& sequencer,
                                 const interconnect_config& config, address_decoder decoder)
    : network(name, sequencer, config, 0, std::move(decoder)) {
    for (const subnet s : {requests, replies}) {
        in_[s].resize(injection_ports(s));
        sources_[s] = port_set(injection_ports(s));
        out_[s].resize(ejection_ports(s));
    }
}

void perfect_network::transfer(subnet s) {
    // In order of ports: the order in which the blocks of a phase inject must have no effect.
    sources_[s].for_each([this, s](unsigned port) {
        sources_[s].erase(port);
        while (!in_[s][port].empty()) {
            const packet p = in_[s][port].pop();
            out_[s][p.destination].push(p.payload);
            announce(s, p.destination);
        }
    });
}

std::vector<network::report_value> perfect_network::report_values() const {
    std::vector<report_value> list;
    for (const subnet s : {requests, replies}) {
        const std::string half = std::string(name_of(s)) + "_Network_";
        const auto n = static_cast<float>(packets_injected(s));
        const auto c = static_cast<float>(cycles());
        list.push_back(
            {half + "injected_packets_num", static_cast<double>(packets_injected(s)), true});
        list.push_back({half + "cycles", static_cast<double>(cycles()), true});
        list.push_back({half + "injected_packets_per_cycle", c == 0 ? 0 : n / c, false});
    }
    return list;
}

}  // namespace simtlm::interconnect
