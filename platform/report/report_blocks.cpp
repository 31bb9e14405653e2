// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sm_counters.h"
#include "modules/interconnect/crossbar_switch.h"
#include "modules/interconnect/router_subnet.h"
#include "platform/gpu/cta_cluster_fabric.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report.h"

#include <utility>

namespace simtlm::platform {

namespace {

void list_sub_partition(memory::memory_sub_partition& sub, support::statistics& list) {
    list.add(sub.name(), "sub_partition", sub.statistics());
    for (const auto& q : sub.queues())
        list.add(std::string(sub.name()) + "." + q.name, q.name, q.of->counted());
    if (const cache::cache_statistics* l2 = sub.cache_statistics())
        list.add(std::string(sub.name()) + ".l2", "l2", *l2);
}

}  // namespace

std::vector<support::counter_kind> counter_kinds() {
    using interconnect::network;
    using support::kind_of;
    std::vector<support::counter_kind> kinds = core::sm_counter_kinds();
    const std::vector<support::counter_kind> others = {
        kind_of<cache::cache_statistics>("{l1i, l1d, l1c, l1t, gpc, l2}", "A cache",
                                         {&cache::network_refusals, &cache::bank_conflicts}),
        kind_of<core::traffic_statistics>("cluster", "A cluster"),
        {"network", "Network", {&network::cycles_counter}},
        {"network_half",
         "Half of a network",
         {&network::injected_counter, &network::stall_counter}},
        kind_of<interconnect::crossbar_switch::counters>("network_half", "Half of a crossbar"),
        kind_of<interconnect::router_subnet::records>("network_half",
                                                      "Half of a network of routers"),
        kind_of<interconnect::sm_to_sm_network_statistics>("cluster_network",
                                                           "The SM-to-SM network of a GPC"),
        kind_of<core::cta_cluster_barrier_statistics>("cluster_barrier",
                                                      "Barriers of clusters of thread blocks"),
        kind_of<memory::memory_sub_partition::counters>("sub_partition", "A memory sub-partition"),
        kind_of<simulation::occupancy>("{icnt_to_L2, L2_to_dram, dram_to_L2, L2_to_icnt}",
                                       "A queue of a sub-partition, in L2 cycles"),
        kind_of<memory::dram_statistics>("dram", "A DRAM channel"),
        kind_of<memory::memory_counts>("memory", "Memory transactions of the whole GPU"),
        kind_of<power::energy_statistics>("power",
                                          "Energy of the whole GPU (-power_simulation_enabled)"),
    };
    kinds.insert(kinds.end(), others.begin(), others.end());
    return kinds;
}

void list_statistics(gpu& device, support::statistics& list) {
    for (const auto& c : device.clusters()) {
        list.add(c->name(), "cluster", c->traffic());
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).register_statistics(list);
    }
    for (const auto& c : device.gpc_caches()) list.add(c->name(), "gpc", c->statistics());
    device.network().list_statistics(list);
    if (const cta_cluster_fabric* const fabric = device.fabric()) {
        for (const auto& n : fabric->networks())
            list.add(n->name(), "cluster_network", n->statistics());
        list.add(fabric->barriers().name(), "cluster_barrier", fabric->barriers().statistics());
    }
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s)
            list_sub_partition(p->sub_partition(s), list);
    for (const auto& c : device.channels()) list.add(c->name(), "dram", c->statistics());
    const memory::memory_counts& latencies = device.memory_statistics();
    list.add(std::string(device.name()) + ".memory", "memory", latencies);
    if (const power::energy_meter* const power = device.power())
        list.add(std::string(device.name()) + ".power", "power", power->statistics());
}

void update_counters(gpu& device) {
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).update_counters();
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s) {
            p->sub_partition(s).statistics();
            p->sub_partition(s).cache_statistics();
        }
    for (const auto& c : device.gpc_caches()) c->statistics();
    for (const auto& c : device.channels()) c->statistics();
    device.memory_statistics();
    device.network().update_counters();
    count_network_refusals(device);
    power::energy_meter* const power = device.power();
    if (power == nullptr) return;
    if (!power->is_bound()) {
        support::statistics blocks;
        list_statistics(device, blocks);
        power->bind(std::move(blocks));
    }
    power->observe(device.core_cycles());
}

void count_network_refusals(gpu& device) {
    std::uint64_t by_cores = 0, by_memory = 0;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i)
            if (c->core(i).counted().ctas_launched != 0) by_cores += c->core(i).network_refusals();
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s)
            by_memory += p->sub_partition(s).statistics().stalled_reply;
    interconnect::network& n = device.network();
    n.count_stalls(interconnect::requests, by_cores - n.stalls(interconnect::requests));
    n.count_stalls(interconnect::replies, by_memory - n.stalls(interconnect::replies));
}

}  // namespace simtlm::platform
