// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar.h"

#include "modules/support/error.h"

#include <memory>
#include <utility>

namespace simtlm::interconnect {

namespace {
std::unique_ptr<switch_arbiter> make_arbiter(const interconnect_config& config, unsigned outputs,
                                             unsigned first_node) {
    if (config.crossbar.arbiter == crossbar_arbiter::islip)
        return make_islip_arbiter(outputs, config.crossbar.grant_cycles);
    return make_round_robin_arbiter(outputs, first_node, config.clusters + config.memories);
}

void check(const crossbar_config& c, unsigned largest_packet) {
    if (c.subnets != 2)
        throw support::user_error("-icnt_subnets",
                                  "the crossbar has two subnets, not " + std::to_string(c.subnets));
    if (c.grant_cycles == 0) throw support::user_error("-icnt_grant_cycles", "must be at least 1");
    const std::string least = "at least " + std::to_string(largest_packet);
    if (c.in_buffer_limit < largest_packet)
        throw support::user_error("-icnt_in_buffer_limit", "cannot hold the largest packet", least);
    if (c.out_buffer_limit < largest_packet)
        throw support::user_error("-icnt_out_buffer_limit", "cannot hold the largest packet",
                                  least);
}
}  // namespace

crossbar::crossbar(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const interconnect_config& config, address_decoder decoder)
    : network(name, sequencer, config,
              config.crossbar.quirk_packet_is_one_flit ? 0 : config.flit_bytes,
              std::move(decoder)) {
    const crossbar_config& c = config.crossbar;
    if (!c.quirk_packet_is_one_flit && config.flit_bytes == 0)
        throw support::user_error("-icnt_flit_size", "must be at least 1");
    check(c, largest_packet());
    for (const subnet s : {requests, replies})
        switches_.emplace_back(
            injection_ports(s), ejection_ports(s), c.in_buffer_limit, c.out_buffer_limit,
            c.quirk_packet_is_one_flit,
            make_arbiter(config, ejection_ports(s), s == requests ? 0 : config.clusters),
            c.speedup);
    if (c.gpc_flits != 0)
        switches_[requests].connect(std::make_unique<input_links>(c.gpc_of_cluster, c.gpc_flits));
}

std::vector<network::report_value> crossbar::report_values() const {
    std::vector<report_value> list;
    const auto total = static_cast<float>(cycles());
    for (const subnet s : {requests, replies}) {
        const crossbar_switch::counters& n = counted(s);
        const std::string half = std::string(name_of(s)) + "_";
        const auto busy = static_cast<float>(n.busy_cycles);
        const auto whole = [&](const char* what, std::uint64_t value) {
            list.push_back({half + what, static_cast<double>(value), true});
        };
        const auto per = [&](const char* what, std::uint64_t value, float base, unsigned ports) {
            // GPGPU-Sim prints -nan before any activity; 0 is easier to process.
            const float f =
                base == 0 ? 0 : static_cast<float>(value) / base / static_cast<float>(ports);
            list.push_back({half + what, static_cast<double>(f), false});
        };
        whole("Network_injected_packets_num", packets_injected(s));
        whole("Network_cycles", cycles());
        per("Network_injected_packets_per_cycle", packets_injected(s), total, 1);
        per("Network_conflicts_per_cycle", n.conflicts, total, 1);
        per("Network_conflicts_per_cycle_util", n.conflicts, busy, 1);
        per("Bank_Level_Parallism", n.granted, busy, 1);
        per("Network_in_buffer_full_per_cycle", stalls(s), total, 1);
        per("Network_in_buffer_avg_util", n.in_units, total, injection_ports(s));
        per("Network_out_buffer_full_per_cycle", n.out_full, total, 1);
        per("Network_out_buffer_avg_util", n.out_units, total, ejection_ports(s));
    }
    return list;
}

void crossbar::list_statistics(support::statistics& list) const {
    network::list_statistics(list);
    for (const subnet s : {requests, replies}) list.add(half_name(s), half_kind, counted(s));
}

}  // namespace simtlm::interconnect
