// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/router_network.h"

#include "modules/protocol/memory_transaction.h"

#include <algorithm>
#include <utility>

namespace simtlm::interconnect {

router_network::router_network(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer,
                               const interconnect_config& config, address_decoder decoder)
    : router_network(name, sequencer, config, interpret_router_config(config), std::move(decoder)) {
}

router_network::router_network(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer,
                               const interconnect_config& config, router_settings settings,
                               address_decoder decoder)
    : network(name, sequencer, config, settings.flit_bytes, std::move(decoder)),
      settings_(std::move(settings)),
      clusters_(config.clusters),
      map_(make_topology(settings_)),
      port_of_(map_->nodes(), 0),
      arrived_{port_set(map_->nodes()), port_set(map_->nodes())} {
    halves_.reserve(subnets);
    for (unsigned s = 0; s < subnets; ++s) halves_.emplace_back(settings_, *map_);
    for (unsigned c = 0; c < config.clusters; ++c) port_of_[source_node(requests, c)] = c;
    for (unsigned m = 0; m < config.memories; ++m) port_of_[source_node(replies, m)] = m;
}

router_network::~router_network() = default;

void router_network::push(subnet s, unsigned port, const packet& p) {
    const vc_range vcs = s == requests
                             ? (p.writes ? settings_.write_request : settings_.read_request)
                             : (p.writes ? settings_.write_reply : settings_.read_reply);
    const unsigned destination = source_node(static_cast<subnet>(1 - s), p.destination);
    halves_[s].push(source_node(s, port), destination, p, vcs, now());
}

void router_network::transfer(subnet s) {
    halves_[s].cycle(now(), arrived_[s]);
    arrived_[s].for_each([this, s](unsigned node) {
        arrived_[s].erase(node);
        announce(s, port_of_[node]);
    });
}

bool router_network::is_quiescent() const {
    return halves_[requests].idle() && halves_[replies].idle() && !busy();
}

void router_network::restart_records() {
    for (router_subnet& h : halves_) h.restart_records();
    restarted_at_ = cycles();
}

std::vector<network::latency_table> router_network::latency_tables() const {
    std::vector<latency_table> list;
    const auto add = [&](const std::string& name, const latency_record& r) {
        list.push_back({name, {r.histogram.begin(), r.histogram.end()}});
    };
    for (const subnet s : {requests, replies}) {
        const std::string half = s == requests ? "Req" : "Reply";
        const router_subnet::records& r = halves_[s].recorded();
        add(half + "_Network_packet_lat_table", r.packet);
        add(half + "_Network_flit_lat_table", r.flit);
    }
    return list;
}

std::vector<network::report_value> router_network::report_values() const {
    std::vector<report_value> list;
    const auto ratio = [](double a, double b) { return b == 0 ? 0 : a / b; };
    router_subnet::records r = halves_[requests].recorded();
    const router_subnet::records& o = halves_[replies].recorded();
    r.packet.add(o.packet);
    r.network.add(o.network);
    r.flit.add(o.flit);
    r.fragmentation.add(o.fragmentation);
    r.hops += o.hops;
    r.flit_hops += o.flit_hops;
    const auto latency = [&](const std::string& what, const latency_record& l) {
        const auto n = static_cast<double>(l.samples);
        list.push_back({what + " average", ratio(static_cast<double>(l.sum), n), false});
        list.push_back(
            {what + " minimum", static_cast<double>(l.samples != 0 ? l.least : 0), true});
        list.push_back({what + " maximum", static_cast<double>(l.most), true});
    };
    latency("Packet latency", r.packet);
    latency("Network latency", r.network);
    latency("Flit latency", r.flit);
    latency("Fragmentation", r.fragmentation);

    const auto elapsed = static_cast<double>(cycles() - restarted_at_);
    const auto rate = [&](const std::string& what, std::uint64_t router_subnet::node_counters::*n) {
        std::uint64_t sum = 0;
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        for (unsigned node = 0; node < map_->nodes(); ++node) {
            const std::uint64_t here =
                halves_[requests].counted(node).*n + halves_[replies].counted(node).*n;
            sum += here;
            least = std::min(least, here);
            most = std::max(most, here);
        }
        list.push_back(
            {what + " average", ratio(static_cast<double>(sum), elapsed) / map_->nodes(), false});
        list.push_back({what + " minimum", ratio(static_cast<double>(least), elapsed), false});
        list.push_back({what + " maximum", ratio(static_cast<double>(most), elapsed), false});
        return static_cast<double>(sum);
    };
    using counters = router_subnet::node_counters;
    const double sent_packets = rate("Injected packet rate", &counters::sent_packets);
    const double accepted_packets = rate("Accepted packet rate", &counters::accepted_packets);
    const double sent_flits = rate("Injected flit rate", &counters::sent_flits);
    const double accepted_flits = rate("Accepted flit rate", &counters::accepted_flits);
    list.push_back({"Injected packet length average", ratio(sent_flits, sent_packets), false});
    list.push_back(
        {"Accepted packet length average", ratio(accepted_flits, accepted_packets), false});
    list.push_back({"Hops average",
                    ratio(static_cast<double>(r.hops), static_cast<double>(r.packet.samples)),
                    false});
    list.push_back({"Total in-flight flits",
                    static_cast<double>(halves_[requests].flits_inside() + units_entered(requests) +
                                        halves_[replies].flits_inside() + units_entered(replies)),
                    true});
    return list;
}

void router_network::list_statistics(support::statistics& list) const {
    network::list_statistics(list);
    for (const subnet s : {requests, replies})
        list.add(half_name(s), half_kind, halves_[s].recorded());
}

}  // namespace simtlm::interconnect
