// SPDX-License-Identifier: Apache-2.0
#include "platform/study/kernel_analysis.h"

#include "platform/study/counter_view.h"
#include "platform/study/findings.h"
#include "platform/study/instruction_traits.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace simtlm::platform::study {

namespace {

std::string extent(const json& kernel, const char* name) {
    const auto at = kernel.find(name);
    if (at == kernel.end() || !at->is_array() || at->size() != 3) return {};
    const auto n = [&](std::size_t i) { return (*at)[i].is_number() ? (*at)[i].dump() : "?"; };
    return n(1) == "1" && n(2) == "1" ? n(0)
           : n(2) == "1"              ? fmt::format("{} x {}", n(0), n(1))
                                      : fmt::format("{} x {} x {}", n(0), n(1), n(2));
}

/// What the profile of the instructions says about a kernel: reasons of waits as shares of the
/// waiting time, accesses to memory, floating-point operations.
void measure_instructions(const json& kernel, kernel_analysis& a) {
    const auto at = kernel.find("instructions");
    if (at == kernel.end() || !at->is_array()) return;
    double all = 0, requests = 0, transactions = 0, for_shared = 0, for_memory = 0;
    for (const json& i : *at) {
        const instruction_traits traits = instruction_traits::of(i.value("opcode", ""));
        const auto w = i.find("waits");
        if (w != i.end() && w->is_object())
            for (const auto& [reason, cycles] : w->items()) {
                if (!cycles.is_number()) continue;
                a.waits[reason] += cycles.get<double>();
                all += cycles.get<double>();
            }
        if (traits.space != memory_space::none)
            (traits.space == memory_space::shared ? for_shared : for_memory) +=
                number_in(i, "awaited");
        if (traits.is_coalesced()) {
            requests += number_in(i, "memory_issues");
            transactions += number_in(i, "transactions");
        }
        if (traits.flops_of != flop_kind::none)
            a.flops[name_of(traits.flops_of)] +=
                ratio(traits.flops_per_lane *
                          number_in(i, traits.flops_of == flop_kind::tensor ? "issues" : "threads"),
                      a.seconds);
    }
    // The sub-core pipeline counts waits for loads from shared memory with those from memory.
    if (for_shared > 0 && a.waits.count("memory") != 0) {
        const double shared = a.waits["memory"] * for_shared / (for_shared + for_memory);
        a.waits["shared memory"] += shared;
        a.waits["memory"] -= shared;
    }
    for (auto& [reason, cycles] : a.waits) cycles = ratio(cycles, all);
    a.transactions_per_request = ratio(transactions, requests);
}

void measure_time(const json& kernel, const gpu_limits& limits, kernel_analysis& a) {
    const double launched = kernel.value("launched_at", 0.0),
                 start = kernel.value("start_cycle", 0.0), end = kernel.value("end_cycle", 0.0);
    a.cycles = kernel.value("gpu_sim_cycle", 0.0);
    a.start_cycle = start;
    a.end_cycle = end;
    a.launch_cycles = std::max(0.0, start - launched);
    a.run_cycles = end >= start ? end - start + 1 : 0;
    const double megahertz = number_in(kernel, "gpu_core_clock");  // known with a power model
    a.seconds = ratio(a.run_cycles, megahertz > 0 ? megahertz * 1e6 : limits.core_hz);
    a.watts = number_in(kernel, "gpu_power");
    a.joules = number_in(kernel, "gpu_energy");
    a.energy_delay = number_in(kernel, "gpu_energy_delay");
    a.finished = kernel.value("finished", true);
    a.thread_instructions = kernel.value("gpu_sim_insn", 0.0);
}

void measure_slots(const counter_view& c, const gpu_limits& limits, kernel_analysis& a) {
    const double issued = c.value("sm", "issue_cycles"), scoreboard = c.value("sm", "scoreboard"),
                 stall = c.value("sm", "stall"), idle = c.value("sm", "idle");
    const double used = issued + scoreboard + stall + idle;
    const double all = std::max(used, limits.sms * limits.schedulers * a.run_cycles);
    a.slots.issued = ratio(issued, all);
    a.slots.scoreboard = ratio(scoreboard, all);
    a.slots.pipeline = ratio(stall, all);
    a.slots.nothing = ratio(idle, all);
    a.slots.unused = ratio(all - used, all);
}

void measure_memory(const counter_view& c, const gpu_limits& limits, kernel_analysis& a) {
    const auto hits = [&](const char* cache) {
        const double accesses = c.value(cache, "accesses");
        return accesses > 0 ? clamped(1 - c.value(cache, "misses") / accesses) : -1;
    };
    a.l1_hits = hits("l1d");
    a.l2_hits = hits("l2");
    if (c.value("dram", "accesses") > 0)
        a.row_hits = c.value("dram", "row_hits") / c.value("dram", "accesses");
    constexpr double sector = 32, word = 4, banks = 32;
    const auto rate = [&](double bytes) { return ratio(bytes, a.seconds); };
    a.dram = {
        rate(limits.dram_atom * (c.value("dram", "reads") + c.value("dram", "allocate_reads") +
                                 c.value("dram", "writes") + c.value("dram", "write_backs"))),
        limits.dram_bytes};
    a.l2 = {rate(sector * c.value("l2", "accesses")), limits.l2_bytes};
    a.l1 = {rate(sector * c.value("l1d", "accesses")), limits.l1_bytes};
    a.shared = {rate(word * banks * c.value("sm", "shared_accesses")), limits.shared_bytes};
    a.shared_conflict_share =
        clamped(ratio(c.value("sm", "shared_bank_conflicts"), c.value("sm", "shared_accesses")));
    a.hops.request_network =
        ratio(c.value("memory", "request_network_sum"), c.sum("memory", "request_network_table"));
    a.hops.reply_network =
        ratio(c.value("memory", "reply_network_sum"), c.sum("memory", "reply_network_table"));
    a.hops.round_trip =
        ratio(c.value("memory", "round_trip_sum"), c.sum("memory", "round_trip_table"));
    a.hops.dram_queue = ratio(c.value("dram", "latency_sum"), c.value("dram", "latency_num"));
    a.hops.l2_and_dram =
        std::max(0.0, a.hops.round_trip - a.hops.request_network - a.hops.reply_network);
}

void measure_occupancy(const json& kernel, const counter_view& c, const gpu_limits& limits,
                       kernel_analysis& a) {
    const double active = c.value("sm", "cycles");
    a.occupancy = ratio(c.value("sm", "warp_cycles"), active * limits.warps_per_sm);
    a.ctas = kernel.value("ctas", 0.0);
    a.ctas_per_sm = kernel.value("ctas_per_sm", 0.0);
    a.waves = ratio(a.ctas, a.ctas_per_sm * limits.sms);
    a.grid = extent(kernel, "grid");
    a.block = extent(kernel, "block");
    a.registers = kernel.value("registers", 0.0);
    a.shared_memory = kernel.value("shared_memory", 0.0);
    double threads = 1;
    const auto block = kernel.find("block");
    if (block != kernel.end() && block->is_array())
        for (const json& n : *block)
            if (n.is_number()) threads *= n.get<double>();
    a.occupancy_limit =
        ratio(a.ctas_per_sm * std::ceil(threads / limits.warp_size), limits.warps_per_sm);
    const auto limit = kernel.find("occupancy_limits");
    if (limit != kernel.end() && limit->is_array())
        for (const json& l : *limit)
            if (l.is_string()) a.limited_by.push_back(l.get<std::string>());
}

/// Peaks of the sub-core pipeline, from the intervals at which its units accept instructions.
std::map<std::string, double> peak_flops(const statistics_run& run, const gpu_limits& limits) {
    const double sub_cores = limits.sms * limits.schedulers * limits.core_hz;
    const auto interval = [&](const char* option) {
        const std::string text = run.option(option);
        const std::size_t comma = text.find(',');
        return comma == std::string::npos ? 0 : std::atof(text.c_str() + comma + 1);
    };
    const auto rate = [&](const char* option, double each) {
        return ratio(sub_cores * limits.warp_size * each, interval(option));
    };
    std::map<std::string, double> peaks;
    peaks["FP32"] =
        rate("-modern_fp32", 2) * (run.option("-modern_second_fp32_pipe") == "1" ? 2 : 1);
    peaks["FP16"] = rate("-modern_half", 4);
    const double shared = std::atof(run.option("-modern_shared_fp64_interval").c_str());
    peaks["FP64"] = shared > 0 ? limits.sms * limits.core_hz * limits.warp_size * 2 / shared
                               : rate("-modern_fp64", 2);
    // M x N x K x bits of an operand in two cycles; operands of 16 bits.
    constexpr double bits = 16;
    peaks["tensor"] = sub_cores * std::atof(run.option("-modern_tensor_rate").c_str()) / bits;
    return peaks;
}

}  // namespace

gpu_limits gpu_limits::of(const statistics_run& run) {
    gpu_limits l;
    const auto gpu = run.document().find("gpu");
    if (gpu == run.document().end() || !gpu->is_object()) return l;
    const auto number = [](const json& from, const char* name) { return number_in(from, name); };
    const json clocks = gpu->value("clock_hz", json::object());
    const json peaks = gpu->value("peaks", json::object());
    l.known = true;
    l.sms = number(*gpu, "sms");
    l.schedulers = number(*gpu, "schedulers_per_sm");
    l.warp_size = std::max(1.0, number(*gpu, "warp_size"));
    l.warps_per_sm = number(*gpu, "warps_per_sm");
    l.channels = number(*gpu, "memory_channels");
    l.core_hz = number(clocks, "core");
    l.dram_atom = number(*gpu, "dram_atom_bytes");
    l.thread_instructions_per_cycle = number(peaks, "thread_instructions_per_cycle");
    l.l1_bytes = number(peaks, "l1_bytes_per_second");
    l.shared_bytes = number(peaks, "shared_bytes_per_second");
    l.l2_bytes = number(peaks, "l2_bytes_per_second");
    l.dram_bytes = number(peaks, "dram_bytes_per_second");
    l.registers_per_sm = number(*gpu, "registers_per_sm");
    l.shared_per_sm = number(*gpu, "shared_memory_per_sm");
    l.ctas_per_sm = number(*gpu, "ctas_per_sm");
    if (gpu->value("core", "") == "modern") l.flops = peak_flops(run, l);
    return l;
}

kernel_analysis analyse(const json& kernel, const gpu_limits& limits) {
    kernel_analysis a;
    const counter_view c(kernel);
    a.key = kernel_key::of(kernel);
    measure_time(kernel, limits, a);
    a.warp_instructions = c.value("sm", "warp_instructions");
    a.ipc = ratio(a.thread_instructions, a.run_cycles);
    a.ipc_share = ratio(a.ipc, limits.thread_instructions_per_cycle);
    a.active_lanes =
        ratio(c.value("sm", "thread_instructions"), a.warp_instructions * limits.warp_size);
    measure_instructions(kernel, a);
    measure_slots(c, limits, a);
    measure_memory(c, limits, a);
    measure_occupancy(kernel, c, limits, a);
    find_reasons(kernel, limits, a);
    return a;
}

std::vector<kernel_analysis> analyse(const statistics_run& run) {
    const gpu_limits limits = gpu_limits::of(run);
    std::vector<kernel_analysis> all;
    double busy_until = -1;
    std::size_t last = 0;
    for (const json& k : run.kernels()) {
        all.push_back(analyse(k, limits));
        const double start = k.value("start_cycle", 0.0), end = k.value("end_cycle", 0.0);
        if (start <= busy_until) all.back().overlapped = all[last].overlapped = true;
        if (end > busy_until) {
            busy_until = end;
            last = all.size() - 1;
        }
    }
    return all;
}

}  // namespace simtlm::platform::study
