// SPDX-License-Identifier: Apache-2.0
#include "platform/report.h"

#include <fmt/format.h>

#include <ostream>

namespace simtlm::platform {

namespace {

using core::core_statistics;

core_statistics sum_of_cores(gpu& device) {
    core_statistics sum;
    const auto add = [](auto& a, const auto& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    };
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            const core_statistics& s = c->core(i).statistics();
            sum.cycles += s.cycles;
            sum.warp_instructions += s.warp_instructions;
            sum.thread_instructions += s.thread_instructions;
            sum.decoded += s.decoded;
            sum.warps_launched += s.warps_launched;
            sum.ctas_launched += s.ctas_launched;
            sum.ctas_completed += s.ctas_completed;
            sum.idle += s.idle;
            sum.scoreboard += s.scoreboard;
            sum.stall += s.stall;
            sum.issue_cycles += s.issue_cycles;
            add(sum.issued_lanes, s.issued_lanes);
            add(sum.single_issue, s.single_issue);
            add(sum.dual_issue, s.dual_issue);
            add(sum.warp_instructions_by_class, s.warp_instructions_by_class);
            sum.shared_insn += s.shared_insn;
            sum.constant_insn += s.constant_insn;
            sum.texture_insn += s.texture_insn;
            sum.load_insn += s.load_insn;
            sum.store_insn += s.store_insn;
            sum.shared_accesses += s.shared_accesses;
            sum.shared_bank_conflicts += s.shared_bank_conflicts;
            sum.l1_bank_conflicts += s.l1_bank_conflicts;
            sum.constant_port_conflicts += s.constant_port_conflicts;
            sum.memory_stalls += s.memory_stalls;
            for (std::size_t k = 0; k < sum.stalls.size(); ++k) add(sum.stalls[k], s.stalls[k]);
            sum.accesses_coalesced += s.accesses_coalesced;
            sum.register_reads += s.register_reads;
            sum.register_writes += s.register_writes;
            sum.register_bank_conflicts += s.register_bank_conflicts;
        }
    return sum;
}

class figure_list {
public:
    void count(std::string name, std::uint64_t value) {
        list_.push_back({std::move(name), static_cast<double>(value), true});
    }
    void real(std::string name, double value) { list_.push_back({std::move(name), value, false}); }
    std::vector<figure> take() { return std::move(list_); }

private:
    std::vector<figure> list_;
};

double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}

void cache_figures(figure_list& out, const std::string& name,
                   const cache::cache_statistics& s, bool breakdown) {
    out.count(name + "_total_cache_accesses", s.accesses);
    out.count(name + "_total_cache_misses", s.misses);
    if (s.accesses != 0)
        out.real(name + "_total_cache_miss_rate",
                 ratio(static_cast<double>(s.misses), static_cast<double>(s.accesses)));
    out.count(name + "_total_cache_pending_hits", s.pending_hits);
    out.count(name + "_total_cache_reservation_fails", s.reservation_fails);
    (void)breakdown;
}

void breakdown_figures(figure_list& out, const std::string& name,
                       const cache::cache_statistics& s) {
    for (unsigned t = 0; t < protocol::access_type_count; ++t) {
        const auto type = static_cast<protocol::access_type>(t);
        std::uint64_t total = 0;
        for (unsigned o = 0; o < cache::access_outcome_count; ++o) {
            const auto outcome = static_cast<cache::access_outcome>(o);
            out.count(fmt::format("{}[{}][{}]", name, protocol::access_type_name(type),
                                  cache::access_outcome_name(outcome)),
                      s.count(type, outcome));
            if (outcome != cache::access_outcome::reservation_fail &&
                outcome != cache::access_outcome::mshr_hit)
                total += s.count(type, outcome);
        }
        if (total != 0)
            out.count(fmt::format("{}[{}][TOTAL_ACCESS]", name, protocol::access_type_name(type)),
                      total);
    }
}

void core_figures(figure_list& out, const core_statistics& s, gpu& device) {
    out.count("gpgpu_n_tot_thrd_icount", s.warp_instructions * 32);
    out.count("gpgpu_n_tot_w_icount", s.warp_instructions);
    out.count("gpgpu_n_stall_shd_mem", s.memory_stalls);
    core::traffic_statistics traffic;
    for (const auto& c : device.clusters())
        for (std::size_t i = 0; i < traffic.requests_by_type.size(); ++i)
            traffic.requests_by_type[i] += c->traffic().requests_by_type[i];
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
    out.count("gpgpu_n_load_insn", s.load_insn);
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
    out.count("gpu_reg_bank_conflict_stalls", 0);
    // An instruction that no lane executes counts as a stall there.
    out.count("warp_occ.Stall", s.stall + s.issued_lanes[0]);
    out.count("warp_occ.W0_Idle", s.idle);
    out.count("warp_occ.W0_Scoreboard", s.scoreboard);
    for (unsigned w = 1; w <= 32; ++w)
        out.count(fmt::format("warp_occ.W{}", w), s.issued_lanes[w]);
    const unsigned n = device.config().cores.sm.schedulers;
    for (unsigned i = 0; i < n; ++i)
        out.count(fmt::format("single_issue_nums.WS{}", i), s.single_issue[i]);
    for (unsigned i = 0; i < n; ++i)
        out.count(fmt::format("dual_issue_nums.WS{}", i), s.dual_issue[i]);
}

void memory_figures(figure_list& out, gpu& device) {
    const memory::memory_statistics& m = device.memory_statistics();
    std::uint64_t mrq_max = 0, mrq_sum = 0, mrq_num = 0;
    std::uint64_t reads = 0, writes = 0;
    memory::dram_statistics total;
    for (const auto& c : device.channels()) {
        const memory::dram_statistics& d = c->statistics();
        mrq_max = std::max(mrq_max, d.latency_max);
        mrq_sum += d.latency_sum;
        mrq_num += d.latency_num;
        for (const auto& b : d.traffic) {
            reads += b.reads;
            writes += b.writes;
        }
        total.cycles += d.cycles;
        total.idle_cycles += d.idle_cycles;
        total.activates += d.activates;
        total.precharges += d.precharges;
        total.refreshes += d.refreshes;
        total.requests += d.requests;
        total.reads += d.reads;
        total.allocate_reads += d.allocate_reads;
        total.writes += d.writes;
        total.write_backs += d.write_backs;
        total.accesses += d.accesses;
        total.row_hits += d.row_hits;
        total.busy_data_cycles += d.busy_data_cycles;
        total.active_cycles += d.active_cycles;
    }
    out.count("maxmflatency", m.round_trip.max);
    out.count("max_icnt2mem_latency", m.request_network.max);
    out.count("maxmrqlatency", mrq_max);
    out.count("max_icnt2sh_latency", m.reply_network.max);
    if (m.counted_num != 0) {
        out.count("averagemflatency", m.average_round_trip());
        out.count("avg_icnt2mem_latency", m.average_request_network());
        if (mrq_num != 0) out.count("avg_mrq_latency", mrq_sum / mrq_num);
        out.count("avg_icnt2sh_latency", m.average_reply_network());
    }
    out.count("total dram reads", reads);
    out.count("total dram writes", writes);
    out.count("dram_cycles", total.cycles);
    out.count("dram_n_nop", total.idle_cycles);
    out.count("dram_n_act", total.activates);
    out.count("dram_n_pre", total.precharges);
    out.count("dram_n_ref", total.refreshes);
    out.count("dram_n_req", total.requests);
    out.count("dram_n_rd", total.reads);
    out.count("dram_n_rd_L2_A", total.allocate_reads);
    out.count("dram_n_write", total.writes);
    out.count("dram_n_wr_bk", total.write_backs);
    out.real("dram_bw_util", total.bandwidth_utilisation());
    out.real("dram_eff", total.efficiency());
    out.real("dram_row_locality", total.row_locality());
    // The reference prints every channel; scripts that read the last line get the last one.
    const memory::dram_statistics& last = device.channels().back()->statistics();
    out.count("n_nop", last.idle_cycles);
    out.count("n_act", last.activates);
    out.count("n_pre", last.precharges);
    out.count("n_ref", last.refreshes);
    out.count("n_req", last.requests);
}

}  // namespace

std::vector<figure> collect_figures(gpu& device, report_baseline& last) {
    figure_list out;
    const core_statistics cores = sum_of_cores(device);
    device.memory_statistics().close_window();
    const memory::memory_statistics& m = device.memory_statistics();
    const std::uint64_t cycles = device.core_cycles();
    const std::uint64_t instructions = cores.thread_instructions;
    const std::uint64_t sim_cycles = cycles - last.cycles;
    const std::uint64_t sim_instructions = instructions - last.instructions;

    const auto real = [](std::uint64_t v) { return static_cast<double>(v); };
    out.count("gpu_sim_cycle", sim_cycles);
    out.count("gpu_sim_insn", sim_instructions);
    out.real("gpu_ipc", ratio(real(sim_instructions), real(sim_cycles)));
    out.count("gpu_tot_sim_cycle", cycles);
    out.count("gpu_tot_sim_insn", instructions);
    out.real("gpu_tot_ipc", ratio(real(instructions), real(cycles)));
    out.count("gpu_tot_issued_cta", cores.ctas_launched);

    std::uint64_t stall_full = 0, stall_reply = 0, replies = 0;
    cache::cache_statistics l2;
    for (const auto& p : device.partitions())
        for (unsigned s = 0; s < p->sub_partitions(); ++s) {
            const auto& counters = p->bank(s).statistics();
            stall_full += counters.stalled_full;
            stall_reply += counters.stalled_reply;
            replies += counters.replies;
            if (const cache::cache_statistics* c = p->bank(s).cache_statistics()) l2 += *c;
        }
    out.count("gpu_stall_dramfull", stall_full);
    out.count("gpu_stall_icnt2sh", stall_reply);
    out.real("partiton_level_parallism",
             ratio(real(m.requests - last.requests), real(sim_cycles)));
    out.real("partiton_level_parallism_total", ratio(real(m.requests), real(cycles)));
    out.real("partiton_level_parallism_util",
             ratio(real(m.requests - last.requests), real(m.request_cycles - last.request_cycles)));
    out.real("partiton_level_parallism_util_total",
             ratio(real(m.requests), real(m.request_cycles)));
    const double bytes = 32.0 * device.config().clocks.core / 1e9;
    out.real("L2_BW", ratio(real(m.replies - last.replies) * bytes, real(sim_cycles)));
    out.real("L2_BW_total", ratio(real(m.replies) * bytes, real(cycles)));

    cache::cache_statistics l1i, l1d, l1c, l1t;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            core::sm& sm = c->core(i);
            l1i += sm.l1i().statistics();
            l1c += sm.l1c().statistics();
            l1t += sm.l1t().statistics();
            if (sm.l1d() != nullptr) l1d += sm.l1d()->statistics();
        }
    cache_figures(out, "L1I", l1i, false);
    cache_figures(out, "L1D", l1d, false);
    cache_figures(out, "L1C", l1c, false);
    cache_figures(out, "L1T", l1t, false);
    cache::cache_statistics all = l1i;
    all += l1d;
    all += l1c;
    all += l1t;
    breakdown_figures(out, "Total_core_cache_stats_breakdown", all);
    core_figures(out, cores, device);
    memory_figures(out, device);
    cache_figures(out, "L2", l2, false);
    breakdown_figures(out, "L2_cache_stats_breakdown", l2);
    for (const auto& f : device.network().figures())
        f.whole ? out.count(f.name, static_cast<std::uint64_t>(f.value)) : out.real(f.name, f.value);

    last.cycles = cycles;
    last.instructions = instructions;
    last.requests = m.requests;
    last.replies = m.replies;
    last.request_cycles = m.request_cycles;
    return out.take();
}

void write_report(std::ostream& out, const std::vector<figure>& figures,
                  const dispatch::finished_kernel* kernel) {
    if (kernel != nullptr) {
        out << "kernel_name = " << kernel->header.name << '\n';
        out << "kernel_launch_uid = " << kernel->launch << '\n';
        out << "kernel_stream_id = " << kernel->header.stream << '\n';
    }
    for (const figure& f : figures)
        out << (f.whole ? fmt::format("{} = {}\n", f.name, static_cast<std::uint64_t>(f.value))
                        : fmt::format("{} = {:.4f}\n", f.name, f.value));
}

}  // namespace simtlm::platform
