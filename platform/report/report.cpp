// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report.h"

#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/nearest_name.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report_writer.h"
#include "platform/report/statistics_table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace simtlm::platform {

namespace {

using core::core_statistics;

/// The first SM, and the others that have run a CTA. The counters of the rest are zero.
std::vector<core::multiprocessor*> used_cores(gpu& device) {
    std::vector<core::multiprocessor*> used;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i)
            if (used.empty() || c->core(i).counted().ctas_launched != 0)
                used.push_back(&c->core(i));
    return used;
}

core_statistics sum_of_cores(const std::vector<core::multiprocessor*>& used) {
    core_statistics sum;
    for (core::multiprocessor* const sm : used) support::add_up(sum, sm->statistics());
    return sum;
}

/// Prints "Access = 1, Miss = 0, ..." for one cache of a kind.
/// @param what  kind of the cache, @param number  its index
void write_cache_line(report_writer& out, std::string_view what, unsigned number,
                      const cache::cache_statistics& s) {
    out.text(what);
    out.labelled("[", number);
    out.labelled("]: Access = ", s.accesses);
    out.labelled(", Miss = ", s.misses);
    if (s.misses == 0)
        out.text(", Miss_rate = 0.000");
    else
        out.print(FMT_COMPILE(", Miss_rate = {:.3f}"), ratio(s.misses, s.accesses));
    out.labelled(", Pending_hits = ", s.pending_hits);
    out.labelled(", Reservation_fails = ", s.reservation_fails);
    out.text("\n");
}

/// Prints a line for the L1D of every SM.
void write_l1d_lines(report_writer& out, gpu& device,
                     const std::vector<core::multiprocessor*>& used) {
    if (used.front()->statistics_of(core::l1_cache::data) == nullptr) return;
    const cache::cache_statistics none;
    auto next = used.begin();
    unsigned number = 0;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i, ++number) {
            const bool is_used = next != used.end() && *next == &c->core(i);
            write_cache_line(out, "\tL1D_cache_core", number,
                             is_used ? *(*next++)->statistics_of(core::l1_cache::data) : none);
        }
}

void write_core_caches(report_writer& out, gpu& device,
                       const std::vector<core::multiprocessor*>& used) {
    cache::cache_statistics l1i, l1d, l1c, l1t;
    std::uint64_t running = 0;
    for (core::multiprocessor* const sm : used) {
        const auto add = [sm](cache::cache_statistics& sum, core::l1_cache which) {
            if (const cache::cache_statistics* const s = sm->statistics_of(which))
                support::add_up(sum, *s);
        };
        add(l1i, core::l1_cache::instruction);
        add(l1c, core::l1_cache::constant);
        add(l1t, core::l1_cache::texture);
        if (const auto* const s = sm->statistics_of(core::l1_cache::data)) {
            support::add_up(l1d, *s);
            running += sm->counted().cycles;
        }
    }
    l1d.port_cycles = running;  // the ports of an SM without CTAs are not usable
    out.print("\n========= Core cache stats =========\nL1I_cache:\n");
    write_cache(out, "L1I", l1i, "\t");
    out.text("L1D_cache:\n");
    write_l1d_lines(out, device, used);
    write_cache(out, "L1D", l1d, "\t");
    write_ports(out, "L1D_cache", l1d, "\t");
    out.count("total_dl1_misses", l1d.misses, "\t");  // names as in the GPGPU-Sim manual
    out.count("total_dl1_accesses", l1d.accesses, "\t");
    out.print("\ttotal_dl1_miss_rate = {:.4f}\n", ratio(l1d.misses, l1d.accesses));
    out.add("total_dl1_miss_rate", ratio(l1d.misses, l1d.accesses));
    out.print("L1C_cache:\n");
    write_cache(out, "L1C", l1c, "\t");
    out.print("L1T_cache:\n");
    write_cache(out, "L1T", l1t, "\t");
    cache::cache_statistics all = l1i;
    for (const cache::cache_statistics* one : {&l1d, &l1c, &l1t}) support::add_up(all, *one);
    out.print("\nTotal_core_cache_stats:\n");
    write_breakdown(out, "Total_core_cache_stats_breakdown", all);
    out.print("\nTotal_core_cache_fail_stats:\n");
    write_fail_breakdown(out, "Total_core_cache_fail_stats_breakdown", all);
}

/// Instructions issued by each warp slot: the text shows one SM, the values are sums.
void write_issue_by_slot(report_writer& out, const core_statistics& s, gpu& device) {
    const gpu_config& config = device.config();
    const unsigned chosen = config.run.warp_issue_sm;
    const core_statistics& of_one = device.clusters()[chosen / config.cores.sms_per_cluster]
                                        ->core(chosen % config.cores.sms_per_cluster)
                                        .counted();
    unsigned slots = config.cores.sm.max_warps;
    while (slots > 0 && of_one.issued_by_slot[slots - 1] == 0) --slots;
    out.count("ctas_completed", s.ctas_completed);
    out.print("ctas_completed {}, Shader {} warp_id issue ditsribution:\nwarp_id:\n",
              s.ctas_completed, chosen);
    for (unsigned w = 0; w < slots; ++w) out.print("{}, ", w);
    out.print("\ndistro:\n");
    for (unsigned w = 0; w < slots; ++w) out.print("{}, ", of_one.issued_by_slot[w]);
    out.print("\n");
    for (unsigned w = 0; w < config.cores.sm.max_warps; ++w)
        out.add(fmt::format("warp_slot_issue[{}]", w), s.issued_by_slot[w]);
}

void write_instructions(report_writer& out, const core_statistics& s, gpu& device) {
    write_issue_by_slot(out, s, device);
    out.count("gpgpu_n_tot_thrd_icount", s.warp_instructions * 32);
    out.count("gpgpu_n_tot_w_icount", s.warp_instructions);
    out.count("gpgpu_n_stall_shd_mem", s.memory_stalls);
    core::traffic_statistics traffic;
    for (const auto& c : device.clusters()) support::add_up(traffic, c->traffic());
    const auto requests = [&](protocol::access_type t) {
        return traffic.requests_by_type[static_cast<unsigned>(t)];
    };
    using protocol::access_type;
    out.count("gpgpu_n_mem_read_local", requests(access_type::local_read));
    out.count("gpgpu_n_mem_write_local", requests(access_type::local_write));
    out.count("gpgpu_n_mem_read_global", requests(access_type::global_read));
    out.count("gpgpu_n_mem_write_global",
              requests(access_type::global_write) + requests(access_type::l1_writeback));
    out.count("gpgpu_n_mem_texture", requests(access_type::texture_read));
    out.count("gpgpu_n_mem_const", requests(access_type::constant_read));
    out.print("gpgpu_n_load_insn  = {}\n", s.load_insn);
    out.add("gpgpu_n_load_insn", s.load_insn);
    out.count("gpgpu_n_store_insn", s.store_insn);
    out.count("gpgpu_n_shmem_insn", s.shared_insn);
    out.count("gpgpu_n_sstarr_insn", 0);
    out.count("gpgpu_n_tex_insn", s.texture_insn);
    out.count("gpgpu_n_const_mem_insn", s.constant_insn);
    out.count("gpgpu_n_param_mem_insn", 0);
    out.count("gpgpu_n_shmem_bkconflict", s.shared_bank_conflicts);
    out.count("gpgpu_n_l1cache_bkconflict", s.l1_bank_conflicts);
    out.count("gpgpu_n_intrawarp_mshr_merge", 0);
    out.count("gpgpu_n_cmem_portconflict", s.constant_port_conflicts);
}

void write_memory_stalls(report_writer& out, const core_statistics& s) {
    using core::memory_stage;
    using core::memory_stall;
    const auto stalls = [&](memory_stage a, memory_stall b) {
        return s.stalls[static_cast<unsigned>(a)][static_cast<unsigned>(b)];
    };
    const auto global = [&](memory_stall b) {
        return stalls(memory_stage::global_load, b) + stalls(memory_stage::global_store, b) +
               stalls(memory_stage::local_load, b) + stalls(memory_stage::local_store, b);
    };
    out.count("gpgpu_stall_shd_mem[c_mem][resource_stall]",
              stalls(memory_stage::constant, memory_stall::bank_conflict));
    out.count("gpgpu_stall_shd_mem[s_mem][bk_conf]",
              stalls(memory_stage::shared, memory_stall::bank_conflict));
    out.count("gpgpu_stall_shd_mem[gl_mem][resource_stall]", global(memory_stall::bank_conflict));
    out.count("gpgpu_stall_shd_mem[gl_mem][coal_stall]", global(memory_stall::coalescing));
    out.count("gpgpu_stall_shd_mem[gl_mem][data_port_stall]", global(memory_stall::data_port));
    out.count("gpgpu_stall_shd_mem[gl_mem][icnt_stall]", global(memory_stall::network_full));
}

void write_issue(report_writer& out, const core_statistics& s, gpu& device) {
    out.count("gpu_reg_bank_conflict_stalls", 0);
    // GPGPU-Sim counts an instruction without active lanes as a stall.
    const std::uint64_t stall = s.stall + s.issued_lanes[0];
    out.print("Warp Occupancy Distribution:\nStall:{}\tW0_Idle:{}\tW0_Scoreboard:{}", stall, s.idle,
              s.scoreboard);
    out.add("warp_occ.Stall", stall);
    out.add("warp_occ.W0_Idle", s.idle);
    out.add("warp_occ.W0_Scoreboard", s.scoreboard);
    for (unsigned w = 1; w <= 32; ++w) {
        out.print("\tW{}:{}", w, s.issued_lanes[w]);
        out.add(fmt::format("warp_occ.W{}", w), s.issued_lanes[w]);
    }
    out.print("\n");
    const auto by_scheduler = [&](const char* name, const auto& of) {
        out.print("{}: ", name);
        for (unsigned i = 0; i < device.config().cores.sm.schedulers; ++i) {
            out.print("WS{}:{}\t", i, of[i]);
            out.add(fmt::format("{}.WS{}", name, i), of[i]);
        }
        out.print("\n");
    };
    by_scheduler("single_issue_nums", s.single_issue);
    by_scheduler("dual_issue_nums", s.dual_issue);
}

/// Bytes by packet class, for classes that occurred, sorted by name; within a class by packet size.
void write_packets(report_writer& out, const std::string& direction,
                   const core::packet_breakdown& packets) {
    std::map<std::string, std::map<std::uint32_t, std::uint64_t>> named;
    for (unsigned c = 0; c < core::packet_breakdown::classes; ++c)
        for (const auto& [bytes, number] : packets.sizes[c])
            named[c == core::packet_breakdown::atomic
                      ? "GLOBAL_ATOMIC"
                      : protocol::access_type_name(static_cast<protocol::access_type>(c))][bytes] =
                number;
    for (const auto& [name, sizes] : named) {
        std::uint64_t bytes = 0;
        std::string list;
        for (const auto& [size, number] : sizes) {
            bytes += size * number;
            list += fmt::format("{}:{},", size, number);
        }
        const std::string report_value = fmt::format("traffic_breakdown_{}[{}]", direction, name);
        out.print("{} = {} {{{}}}\n", report_value, bytes, list);
        out.add(report_value, bytes);
    }
}

void write_traffic(report_writer& out, gpu& device) {
    core::packet_breakdown sent, received;
    for (const auto& c : device.clusters()) {
        sent += c->traffic().sent;
        received += c->traffic().received;
    }
    write_packets(out, "coretomem", sent);
    write_packets(out, "memtocore", received);
}

/// Adds the instructions of the units of an SM to those of others. SMs have the same units as a
/// rule, in the same order.
void add_units(std::vector<core::unit_count>& sums, const std::vector<core::unit_count>& of_sm) {
    for (std::size_t u = 0; u < of_sm.size(); ++u) {
        auto at = sums.begin() + static_cast<std::ptrdiff_t>(std::min(u, sums.size()));
        if (at == sums.end() || at->kind != of_sm[u].kind)
            at = std::find_if(sums.begin(), sums.end(),
                              [&](const auto& sum) { return sum.kind == of_sm[u].kind; });
        if (at == sums.end())
            sums.push_back(of_sm[u]);
        else
            at->instructions += of_sm[u].instructions;
    }
}

/// Instructions executed by each kind of functional unit.
void write_units(report_writer& out, const core_statistics& s,
                 const std::vector<core::multiprocessor*>& used) {
    std::uint64_t conflicts = 0;
    std::vector<core::unit_count> kinds;  // in dispatch order
    for (const core::multiprocessor* const sm : used) {
        conflicts += sm->result_bus_conflicts();
        add_units(kinds, sm->unit_counts());
    }
    for (const auto& [kind, instructions] : kinds)
        out.count(fmt::format("unit_insn[{}]", kind), instructions);
    out.count("unit_insn[ldst]", s.ldst_instructions);
    out.count("result_bus_conflicts", conflicts);
}

/// Statistics without a counterpart in GPGPU-Sim.
void write_more_of_cores(report_writer& out, const core_statistics& s, gpu& device,
                         const std::vector<core::multiprocessor*>& used) {
    out.print("\n========= Cores, beyond GPGPU-Sim =========\n");
    for (unsigned c = 0; c < program::op_class_count; ++c)
        out.count(fmt::format("warp_insn[{}]", core::class_label(c)),
                  s.warp_instructions_by_class[c]);
    out.count("core_cycles_busy", s.cycles);
    out.count("scheduler_cycles", s.cycles * device.config().cores.sm.schedulers);
    out.count("scheduler_cycles[issue]", s.issue_cycles);
    out.count("scheduler_cycles[idle]", s.idle);
    out.count("scheduler_cycles[scoreboard]", s.scoreboard);
    out.count("scheduler_cycles[stall]", s.stall);
    out.count("warp_cycles", s.warp_cycles);
    out.count("warp_insn_issued_without_lanes", s.issued_lanes[0]);
    write_units(out, s, used);
    out.count("warp_insn_decoded", s.decoded);
    out.count("warps_launched", s.warps_launched);
    out.count("accesses_coalesced", s.accesses_coalesced);
    out.count("shared_memory_cycles", s.shared_accesses);
    out.count("register_reads", s.register_reads);
    out.count("register_writes", s.register_writes);
    out.count("register_bank_conflicts", s.register_bank_conflicts);
}

void write_l2(report_writer& out, gpu& device) {
    cache::cache_statistics l2;
    unsigned number = 0;
    bool any = false;
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s, ++number)
            if (const cache::cache_statistics* c = p->sub_partition(s).cache_statistics()) {
                if (!any) out.text("\n========= L2 cache stats =========\n");
                any = true;
                support::add_up(l2, *c);
                write_cache_line(out, "L2_cache_bank", number, *c);
            }
    if (!any) return;
    write_cache(out, "L2", l2, "");
    out.print("L2_total_cache_breakdown:\n");
    write_breakdown(out, "L2_cache_stats_breakdown", l2);
    out.print("L2_total_cache_reservation_fail_breakdown:\n");
    write_fail_breakdown(out, "L2_cache_stats_fail_breakdown", l2);
    write_ports(out, "L2_cache", l2, "");
}

/// Occupancy of the queues around the L2.
void write_queues(report_writer& out, gpu& device) {
    struct sums {
        std::uint64_t entries = 0, most = 0;
    };
    std::array<sums, 4> of{};
    std::array<const char*, 4> names{};
    std::uint64_t banks = 0;
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s, ++banks) {
            const auto queues = p->sub_partition(s).queues();
            for (std::size_t q = 0; q < queues.size(); ++q) {
                const auto& counted = queues[q].of->counted();
                names[q] = queues[q].name;
                of[q].entries += counted.sum;
                of[q].most = std::max(of[q].most, counted.max);
            }
        }
    const std::uint64_t cycles = device.sequencer().edges(protocol::l2_clock) * banks;
    out.print("L2 queues:\n");
    for (std::size_t q = 0; q < of.size(); ++q) {
        out.real(fmt::format("L2_queue_avg[{}]", names[q]), ratio(of[q].entries, cycles));
        out.count(fmt::format("L2_queue_max[{}]", names[q]), of[q].most);
    }
}

void write_network(report_writer& out, gpu& device) {
    count_network_refusals(device);
    interconnect::network& n = device.network();
    const auto packets = [&](const char* name, interconnect::subnet s) {
        out.print("{}={}\n", name, n.packets_injected(s));
        out.add(name, n.packets_injected(s));
    };
    out.print("\n");
    packets("icnt_total_pkts_mem_to_simt", interconnect::replies);
    packets("icnt_total_pkts_simt_to_mem", interconnect::requests);
    out.print("{:-<28}Interconnect-DETAILS{:-<32}\n", "", "");
    for (const auto& f : n.report_values()) {
        if (f.whole)
            out.count(f.name, static_cast<std::uint64_t>(f.value));
        else
            out.real(f.name, f.value);
    }
    for (const auto& t : n.latency_tables()) {
        out.print("{}:{}\n", t.name, fmt::join(t.counts, " \t"));
        out.add_row(t.name, t.counts);
    }
    out.print("{:-<28}END-of-Interconnect-DETAILS{:-<25}\n", "", "");
}

/// The kernel that the report is about. Launches are numbered within this run; the other values are
/// those of the command list.
void write_subject(report_writer& out, const report_subject& k) {
    out.print("kernel_name = {} \nkernel_launch_uid = {} \nkernel_stream_id = {}\n", k.name,
              k.launch, k.stream);
    if (k.list_number != 0) out.print("kernel_list_number = {}\n", k.list_number);
    out.print("kernel_id = {}\n", k.id);
    if (k.demangled != k.name) out.print("kernel_demangled_name = {}\n", k.demangled);
}

}  // namespace

double report::value(const std::string& name) const {
    const auto f = std::find_if(report_values.begin(), report_values.end(),
                                [&](const report_value& x) { return x.name == name; });
    if (f != report_values.end()) return f->value;
    if (find_statistic(name) != nullptr) return 0;
    std::vector<std::string> known;
    for (const statistic_info& s : statistics_table()) known.emplace_back(s.name);
    throw support::user_error("statistic " + name, "is unknown",
                              "did you mean " + support::nearest_name(name, known) + "?");
}

void reporter::checkpoint(support::archive& a) {
    counted& b = before_;
    a.block("report");
    a(b.cycles, b.instructions, b.requests, b.replies, b.request_cycles, b.warp_cycles,
      b.warp_slots);
    if (device_.power() == nullptr) return;
    a(*device_.power());
    b.energy = device_.power()->statistics();
}

const report& reporter::make(const report_subject* subject) {
    report_writer out(last_);
    if (power::energy_meter* const power = device_.power()) {
        update_counters(device_);
        power->end_window(device_.core_cycles());
    }
    const std::vector<core::multiprocessor*> used = used_cores(device_);
    const core_statistics cores = sum_of_cores(used);
    device_.memory_statistics().close_window();
    const memory::memory_statistics& m = device_.memory_statistics();
    const std::uint64_t cycles = device_.core_cycles();
    const std::uint64_t instructions = cores.thread_instructions;
    const std::uint64_t sim_cycles = cycles - before_.cycles;
    const std::uint64_t sim_instructions = instructions - before_.instructions;

    if (subject != nullptr) write_subject(out, *subject);
    out.count("gpu_sim_cycle", sim_cycles);
    out.count("gpu_sim_insn", sim_instructions);
    out.real("gpu_ipc", ratio(sim_instructions, sim_cycles));
    out.count("gpu_tot_sim_cycle", cycles);
    out.count("gpu_tot_sim_insn", instructions);
    out.real("gpu_tot_ipc", ratio(instructions, cycles));
    out.count("gpu_tot_issued_cta", cores.ctas_launched);
    const std::uint64_t warp_slots = cores.cycles * device_.config().cores.sm.max_warps;
    const auto occupancy = [&](const char* name, std::uint64_t warps, std::uint64_t slots) {
        const double percent = 100 * ratio(warps, slots);
        out.print("{} = {:.4f}% \n", name, percent);
        out.add(name, percent);
    };
    occupancy("gpu_occupancy", cores.warp_cycles - before_.warp_cycles,
              warp_slots - before_.warp_slots);
    occupancy("gpu_tot_occupancy", cores.warp_cycles, warp_slots);
    out.count("max_total_param_size", 0);

    std::uint64_t stall_full = 0, stall_reply = 0;
    for (const auto& p : device_.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s) {
            const auto& counters = p->sub_partition(s).statistics();
            stall_full += counters.stalled_full;
            stall_reply += counters.stalled_reply;
        }
    out.count("gpu_stall_dramfull", stall_full);
    out.print("gpu_stall_icnt2sh    = {}\n", stall_reply);
    out.add("gpu_stall_icnt2sh", stall_reply);
    out.real("partiton_level_parallism", ratio(m.requests - before_.requests, sim_cycles));
    out.real("partiton_level_parallism_total", ratio(m.requests, cycles));
    out.real("partiton_level_parallism_util",
             ratio(m.requests - before_.requests, m.request_cycles - before_.request_cycles));
    out.real("partiton_level_parallism_util_total", ratio(m.requests, m.request_cycles));
    constexpr double sector_bytes = 32, giga = 1e9;
    const auto bandwidth = [&](const char* name, double per_cycle, std::uint64_t from) {
        const double value = per_cycle * (sector_bytes * device_.core_hertz(from, cycles) / giga);
        out.print("{}  = {:12.4f} GB/Sec\n", name, value);
        out.add(name, value);
    };
    bandwidth("L2_BW", ratio(m.replies - before_.replies, sim_cycles), before_.cycles);
    bandwidth("L2_BW_total", ratio(m.replies, cycles), 0);

    write_core_caches(out, device_, used);
    write_instructions(out, cores, device_);
    write_memory_stalls(out, cores);
    write_issue(out, cores, device_);
    write_traffic(out, device_);
    const std::size_t before_memory = out.printed();
    const channel_counts channels = counts_of_channels(device_);
    const memory::dram_statistics of_channels = sum_of_channels(channels);
    write_memory(out, device_, channels, of_channels);
    if (!device_.config().run.print_memory_latencies) out.unprint(before_memory);
    write_channels(out, device_, channels, of_channels);
    write_l2(out, device_);
    write_queues(out, device_);
    write_network(out, device_);
    write_more_of_cores(out, cores, device_, used);
    write_power(out, device_, cycles, before_.energy, before_.cycles);

    before_ = {cycles,           instructions,      m.requests, m.replies,
               m.request_cycles, cores.warp_cycles, warp_slots, {}};
    if (device_.power() != nullptr) before_.energy = device_.power()->statistics();
    out.finish();
    return last_;
}

}  // namespace simtlm::platform
