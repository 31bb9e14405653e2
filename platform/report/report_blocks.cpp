// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report.h"

#include <fmt/format.h>

namespace simtlm::platform {

namespace {

using core::core_statistics;
using memory::dram_statistics;

template <typename Block>
struct counter {
    std::uint64_t Block::*value;
    const char* name;
    const char* unit;
    const char* description;
};

template <typename Block, std::size_t N>
void list_counters(kernel::statistics& list, const std::string& block, const Block& of,
                   const counter<Block> (&counters)[N]) {
    for (const auto& c : counters)
        list.add(block + "." + c.name, c.unit, c.description, &(of.*c.value));
}

constexpr counter<core_statistics> core_counters[] = {
    {&core_statistics::cycles, "cycles", "core cycles", "a CTA was resident"},
    {&core_statistics::warp_cycles, "warp_cycles", "warps x core cycles", "warps were resident"},
    {&core_statistics::ldst_instructions, "ldst_instructions", "warp instructions",
     "dispatched to the load/store unit"},
    {&core_statistics::warp_instructions, "warp_instructions", "warp instructions", "completed"},
    {&core_statistics::thread_instructions, "thread_instructions", "thread instructions",
     "completed, by active lanes"},
    {&core_statistics::decoded, "decoded", "warp instructions", "entered instruction buffers"},
    {&core_statistics::warps_launched, "warps_launched", "warps", "became resident"},
    {&core_statistics::ctas_launched, "ctas_launched", "thread blocks", "became resident"},
    {&core_statistics::ctas_completed, "ctas_completed", "thread blocks", "ended"},
    {&core_statistics::issue_cycles, "issue_cycles", "scheduler cycles", "something was issued"},
    {&core_statistics::idle, "idle", "scheduler cycles", "no warp had a valid instruction"},
    {&core_statistics::scoreboard, "scoreboard", "scheduler cycles",
     "all valid instructions had hazards"},
    {&core_statistics::stall, "stall", "scheduler cycles",
     "an instruction was ready, but the pipeline took none"},
    {&core_statistics::load_insn, "load_insn", "thread instructions", "loads, global and local"},
    {&core_statistics::store_insn, "store_insn", "thread instructions", "stores, global and local"},
    {&core_statistics::shared_insn, "shared_insn", "thread instructions", "at shared memory"},
    {&core_statistics::constant_insn, "constant_insn", "thread instructions", "at constant memory"},
    {&core_statistics::texture_insn, "texture_insn", "thread instructions", "at textures"},
    {&core_statistics::shared_accesses, "shared_accesses", "core cycles",
     "shared memory banks were accessed"},
    {&core_statistics::shared_bank_conflicts, "shared_bank_conflicts", "core cycles",
     "lost to shared memory bank conflicts"},
    {&core_statistics::l1_bank_conflicts, "l1_bank_conflicts", "accesses",
     "found their L1 data bank taken"},
    {&core_statistics::constant_port_conflicts, "constant_port_conflicts", "core cycles",
     "lost to several constant addresses in a warp"},
    {&core_statistics::memory_stalls, "memory_stalls", "core cycles",
     "the load/store unit could not start the access at its head"},
    {&core_statistics::accesses_coalesced, "accesses_coalesced", "accesses",
     "memory accesses that warp instructions came down to"},
    {&core_statistics::register_reads, "register_reads", "operands", "read from the register file"},
    {&core_statistics::register_writes, "register_writes", "operands",
     "written to the register file"},
    {&core_statistics::register_bank_conflicts, "register_bank_conflicts", "operands",
     "had to wait for their register bank"},
};

constexpr counter<memory::memory_sub_partition::counters> sub_partition_counters[] = {
    {&memory::memory_sub_partition::counters::requests, "requests", "requests",
     "taken from the network"},
    {&memory::memory_sub_partition::counters::replies, "replies", "replies",
     "put into the network"},
    {&memory::memory_sub_partition::counters::stalled_full, "stalled_full", "L2 cycles",
     "a request found no room"},
    {&memory::memory_sub_partition::counters::stalled_reply, "stalled_reply", "network cycles",
     "a reply waited for the network"},
    {&memory::memory_sub_partition::counters::to_memory, "to_memory", "requests",
     "sent towards DRAM"},
};

constexpr counter<dram_statistics> dram_counters[] = {
    {&dram_statistics::cycles, "cycles", "command cycles", "so far"},
    {&dram_statistics::idle_cycles, "idle_cycles", "command cycles", "no command was issued"},
    {&dram_statistics::active_cycles, "active_cycles", "command cycles",
     "requests or timings were pending"},
    {&dram_statistics::activates, "activates", "commands", "rows opened"},
    {&dram_statistics::precharges, "precharges", "commands", "rows closed"},
    {&dram_statistics::refreshes, "refreshes", "commands", "refreshes"},
    {&dram_statistics::requests, "requests", "requests", "taken"},
    {&dram_statistics::reads, "reads", "commands", "column reads, but for write allocation"},
    {&dram_statistics::allocate_reads, "allocate_reads", "commands",
     "column reads for L2 write allocation"},
    {&dram_statistics::writes, "writes", "commands", "column writes, but for write-backs"},
    {&dram_statistics::write_backs, "write_backs", "commands", "column writes of dirty L2 sectors"},
    {&dram_statistics::busy_data_cycles, "busy_data_cycles", "command cycles",
     "the data bus was in use"},
    {&dram_statistics::command_cycles, "command_cycles", "command cycles", "a command was issued"},
    {&dram_statistics::row_commands, "row_commands", "commands", "activates and precharges"},
    {&dram_statistics::column_commands, "column_commands", "commands", "reads and writes"},
    {&dram_statistics::dual_commands, "dual_commands", "command cycles",
     "a row and a column command were issued together"},
    {&dram_statistics::utilised, "utilised", "command cycles", "data moved"},
    {&dram_statistics::wasted_column, "wasted_column", "command cycles",
     "a request to an open row waited"},
    {&dram_statistics::wasted_row, "wasted_row", "command cycles", "requests waited for rows"},
    {&dram_statistics::unused, "unused", "command cycles", "nothing waited"},
    {&dram_statistics::limit_rcd, "limit_rcd", "bank cycles", "a read waited for tRCD"},
    {&dram_statistics::limit_rcd_write, "limit_rcd_write", "bank cycles",
     "a write waited for tRCD"},
    {&dram_statistics::limit_wtr, "limit_wtr", "bank cycles", "a read waited after a write"},
    {&dram_statistics::limit_wtr_alone, "limit_wtr_alone", "bank cycles",
     "a read waited after a write and for nothing else"},
    {&dram_statistics::limit_rtw, "limit_rtw", "bank cycles", "a write waited after a read"},
    {&dram_statistics::limit_rtw_alone, "limit_rtw_alone", "bank cycles",
     "a write waited after a read and for nothing else"},
    {&dram_statistics::limit_ccdl, "limit_ccdl", "bank cycles",
     "a column command waited for its bank group"},
    {&dram_statistics::limit_ccdl_alone, "limit_ccdl_alone", "bank cycles",
     "a column command waited for its bank group and for nothing else"},
    {&dram_statistics::limit_pipeline, "limit_pipeline", "bank cycles",
     "a column command waited for the data pipeline"},
    {&dram_statistics::accesses, "accesses", "requests", "scheduled"},
    {&dram_statistics::row_hits, "row_hits", "requests", "scheduled to an open row"},
    {&dram_statistics::banks_waiting, "banks_waiting", "bank cycles", "banks with a request"},
    {&dram_statistics::waiting_cycles, "waiting_cycles", "command cycles",
     "some bank had a request"},
    {&dram_statistics::banks_open, "banks_open", "bank cycles",
     "banks with a request and its row open"},
    {&dram_statistics::open_cycles, "open_cycles", "command cycles",
     "some bank had a request and its row open"},
    {&dram_statistics::banks_ready, "banks_ready", "bank cycles",
     "banks whose column command was legal"},
    {&dram_statistics::ready_cycles, "ready_cycles", "command cycles",
     "some bank's column command was legal"},
    {&dram_statistics::queue_sum, "queue_sum", "requests x command cycles",
     "length of the request queue, summed over cycles"},
    {&dram_statistics::queue_max, "queue_max", "requests", "greatest length of the request queue"},
    {&dram_statistics::latency_sum, "latency_sum", "core cycles",
     "from arrival to the bank, summed over requests"},
    {&dram_statistics::latency_num, "latency_num", "requests", "that latency_sum is over"},
    {&dram_statistics::latency_max, "latency_max", "core cycles",
     "greatest time from arrival to the bank"},
};

}  // namespace

void list_statistics(gpu& device, kernel::statistics& list) {
    using protocol::access_type;
    for (const auto& c : device.clusters()) {
        const core::traffic_statistics& t = c->traffic();
        list.add(std::string(c->name()) + ".read_requests", "requests",
                 "put into the request network", &t.read_requests);
        list.add(std::string(c->name()) + ".write_requests", "requests",
                 "put into the request network", &t.write_requests);
        for (unsigned i = 0; i < c->sms(); ++i) {
            core::sm& sm = c->core(i);
            list_counters(list, sm.name(), sm.counted(), core_counters);
            const core_statistics& counted = sm.counted();
            for (unsigned k = 0; k < sm.schedulers(); ++k) {
                const std::string scheduler = sm.scheduler(k).name();
                list.add(scheduler + ".single_issue", "cycles", "one instruction was issued",
                         &counted.single_issue[k]);
                list.add(scheduler + ".dual_issue", "cycles", "two instructions were issued",
                         &counted.dual_issue[k]);
            }
            list.add(std::string(sm.dispatch().name()) + ".result_bus_conflicts", "attempts",
                     "a unit's result would have found no register free",
                     &sm.dispatch().counted().result_bus_conflicts);
            for (const auto& unit : sm.units())
                list.add(std::string(unit->name()) + ".instructions", "warp instructions",
                         "taken by the functional unit", &unit->counted().instructions);
            sm.l1i().register_statistics(list);
            if (sm.l1d() != nullptr) sm.l1d()->register_statistics(list);
            sm.l1c().register_statistics(list);
            sm.l1t().register_statistics(list);
        }
    }
    device.network().list_statistics(list);
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s) {
            memory::memory_sub_partition& sub = p->sub_partition(s);
            list_counters(list, sub.name(), sub.statistics(), sub_partition_counters);
            for (const auto& q : sub.queues()) {
                const std::string queue = std::string(sub.name()) + "." + q.name;
                list.add(queue + ".occupancy_sum", "entries x L2 cycles",
                         "entries of a queue, summed over cycles", &q.of->counted().sum);
                list.add(queue + ".occupancy_max", "entries", "most that a queue held",
                         &q.of->counted().max);
            }
            if (const cache::cache_statistics* l2 = sub.cache_statistics())
                l2->register_with(
                    list, std::string(sub.name()) + ".l2",
                    {access_type::global_read, access_type::local_read, access_type::constant_read,
                     access_type::texture_read, access_type::global_write, access_type::local_write,
                     access_type::l1_writeback, access_type::instruction_read,
                     access_type::l1_write_allocate_read});
        }
    for (const auto& c : device.channels())
        list_counters(list, c->name(), c->statistics(), dram_counters);
}

void bring_up_to_date(gpu& device) {
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            core::sm& sm = c->core(i);
            sm.statistics();
            sm.l1i().statistics();
            if (sm.l1d() != nullptr) sm.l1d()->statistics();
            sm.l1c().statistics();
        }
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s) {
            p->sub_partition(s).statistics();
            p->sub_partition(s).cache_statistics();
        }
    for (const auto& c : device.channels()) c->statistics();
    count_network_refusals(device);
}

void count_network_refusals(gpu& device) {
    std::uint64_t by_cores = 0, by_memory = 0;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) by_cores += c->core(i).network_refusals();
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s)
            by_memory += p->sub_partition(s).statistics().stalled_reply;
    interconnect::network& n = device.network();
    n.count_refusals(interconnect::requests, by_cores - n.refusals(interconnect::requests));
    n.count_refusals(interconnect::replies, by_memory - n.refusals(interconnect::replies));
}

}  // namespace simtlm::platform
