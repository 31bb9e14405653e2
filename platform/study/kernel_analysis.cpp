// SPDX-License-Identifier: Apache-2.0
#include "platform/study/kernel_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simtlm::platform::study {

namespace {

/// Reads the counters of a kernel; missing counters are zero.
class counter_view {
public:
    explicit counter_view(const json& kernel) : counters_(kernel.at("counters")) {}

    double value(const char* kind, const char* counter) const {
        const json* c = find(kind, counter);
        return c != nullptr && c->is_number() ? c->get<double>() : 0;
    }
    double cell(const char* kind, const char* counter, const char* label) const {
        const json* c = find(kind, counter);
        return c != nullptr && c->is_object() ? c->value(label, 0.0) : 0;
    }
    double sum(const char* kind, const char* counter) const {
        const json* c = find(kind, counter);
        double all = 0;
        if (c != nullptr && c->is_object())
            for (const auto& [label, v] : c->items())
                if (v.is_number()) all += v.get<double>();
        return all;
    }
    /// The largest cell of an array and its label.
    std::pair<std::string, double> greatest(const char* kind, const char* counter) const {
        std::pair<std::string, double> most{"", 0};
        const json* c = find(kind, counter);
        if (c != nullptr && c->is_object())
            for (const auto& [label, v] : c->items())
                if (v.is_number() && v.get<double>() > most.second) most = {label, v.get<double>()};
        return most;
    }

private:
    const json* find(const char* kind, const char* counter) const {
        const auto k = counters_.find(kind);
        if (k == counters_.end() || !k->is_object()) return nullptr;
        const auto c = k->find(counter);
        return c != k->end() ? &*c : nullptr;
    }
    const json& counters_;
};

double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

double clamped(double share) {
    return std::clamp(share, 0.0, 1.0);
}

std::string percent(double share) {
    const double p = 100 * share;
    return fmt::format("{:.{}f} %", p, p != 0 && p < 9.95 ? 1 : 0);
}

std::string gigabytes(double bytes_per_second) {
    if (bytes_per_second >= 1e12) return fmt::format("{:.3g} TB/s", bytes_per_second / 1e12);
    const double g = bytes_per_second / 1e9;
    return fmt::format("{:.{}f} GB/s", g, g < 9.95 ? 1 : 0);
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

std::string extent(const json& kernel, const char* name) {
    const auto at = kernel.find(name);
    if (at == kernel.end() || !at->is_array() || at->size() != 3) return {};
    const auto n = [&](std::size_t i) { return (*at)[i].is_number() ? (*at)[i].dump() : "?"; };
    return n(1) == "1" && n(2) == "1" ? n(0)
           : n(2) == "1"              ? fmt::format("{} x {}", n(0), n(1))
                                      : fmt::format("{} x {} x {}", n(0), n(1), n(2));
}

/// Warp cycles of all instructions by reason, as shares of the waiting time.
std::map<std::string, double> waits_of(const json& kernel) {
    std::map<std::string, double> waits;
    const auto at = kernel.find("instructions");
    if (at == kernel.end() || !at->is_array()) return waits;
    double all = 0;
    for (const json& i : *at) {
        const auto w = i.find("waits");
        if (w == i.end() || !w->is_object()) continue;
        for (const auto& [reason, cycles] : w->items()) {
            if (!cycles.is_number()) continue;
            waits[reason] += cycles.get<double>();
            all += cycles.get<double>();
        }
    }
    for (auto& [reason, cycles] : waits) cycles = ratio(cycles, all);
    return waits;
}

/// Warp cycles spent waiting for the results of a kind of instruction.
struct waited_for {
    double cycles = 0, most = 0;
    std::string which;  ///< the instruction with the largest share

    void add(const json& instruction, double awaited) {
        cycles += awaited;
        if (awaited <= most) return;
        most = awaited;
        const double line = number_in(instruction, "line");
        const std::string source = instruction.value("source", "");
        which =
            fmt::format("{} at {:#x}{}", instruction.value("opcode", ""),
                        instruction.value("pc", std::uint64_t{0}),
                        !source.empty() ? fmt::format(" ({})", source.substr(source.rfind('/') + 1))
                        : line > 0      ? fmt::format(" (line {:.0f})", line)
                                        : "");
    }
};

/// Waiting cycles by kind of producer; all 0 if the profile has no producers.
struct producers {
    double total = 0;
    waited_for memory, shared, arithmetic;

    static producers of(const json& kernel) {
        producers p;
        const auto at = kernel.find("instructions");
        if (at == kernel.end() || !at->is_array()) return p;
        for (const json& i : *at) {
            const double awaited = i.value("awaited", 0.0);
            p.total += awaited;
            (i.value("memory_issues", 0.0) > 0   ? p.memory
             : i.value("shared_issues", 0.0) > 0 ? p.shared
                                                 : p.arithmetic)
                .add(i, awaited);
        }
        return p;
    }
};

double transactions_per_request(const json& kernel) {
    double issues = 0, transactions = 0;
    const auto at = kernel.find("instructions");
    if (at == kernel.end() || !at->is_array()) return 0;
    for (const json& i : *at) {
        issues += i.value("memory_issues", 0.0);
        transactions += i.value("transactions", 0.0);
    }
    return ratio(transactions, issues);
}

void measure_time(const json& kernel, const gpu_limits& limits, kernel_analysis& a) {
    const double launched = kernel.value("launched_at", 0.0),
                 start = kernel.value("start_cycle", 0.0), end = kernel.value("end_cycle", 0.0);
    a.cycles = kernel.value("gpu_sim_cycle", 0.0);
    a.start_cycle = start;
    a.end_cycle = end;
    a.launch_cycles = std::max(0.0, start - launched);
    a.run_cycles = end >= start ? end - start + 1 : 0;
    a.seconds = ratio(a.run_cycles, limits.core_hz);
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

/// Readable text for a stall "RW.reason" of the load/store unit.
std::string stall_text(std::string label) {
    std::replace(label.begin(), label.end(), '_', ' ');
    const std::size_t dot = label.find('.');
    return dot == std::string::npos ? label : label.substr(0, dot) + "s: " + label.substr(dot + 1);
}

class findings_writer {
public:
    findings_writer(const counter_view& c, const gpu_limits& limits, const producers& p,
                    kernel_analysis& a)
        : c_(c), limits_(limits), producers_(p), a_(a) {}

    void write() {
        const double busy = 1 - a_.slots.unused;
        scoreboard_ = ratio(a_.slots.scoreboard, busy);
        pipeline_ = ratio(a_.slots.pipeline, busy);
        nothing_ = ratio(a_.slots.nothing, busy);
        unused_sms();
        dependences();
        pipelines();
        nothing_to_issue();
        bandwidths();
        lanes();
        bank_conflicts();
        issue();
        std::stable_sort(a_.findings.begin(), a_.findings.end(),
                         [](const finding& x, const finding& y) { return x.weight > y.weight; });
        a_.bound = bound();
    }

private:
    void add(double weight, std::string headline, std::string detail) {
        constexpr double least = 0.02;
        if (weight >= least)
            a_.findings.push_back({clamped(weight), std::move(headline), std::move(detail)});
    }

    void unused_sms() {
        const double busy = limits_.sms * (1 - a_.slots.unused);
        std::string detail = fmt::format(
            "On average, {:.1f} of {:.0f} SMs held a thread block. The grid has {} thread block{}",
            busy, limits_.sms, readable_number(a_.ctas), a_.ctas == 1 ? "" : "s");
        if (a_.limited_by == std::vector<std::string>{"grid"})
            detail += ", fewer than the GPU can hold at a time.";
        else
            detail += fmt::format("; an SM holds up to {:.0f} at a time ({:.2g} waves).",
                                  a_.ctas_per_sm, a_.waves);
        if (a_.ctas < limits_.sms)
            detail += " The GPU has more SMs than that: use more, smaller thread blocks.";
        else if (a_.waves > 1 && a_.waves < 4)
            detail += " SMs are idle while the last, partial wave runs (tail effect).";
        add(a_.slots.unused, "Idle SMs", detail);
    }

    /// Finding: stalls on registers that are not available yet, of loads or of arithmetic.
    void dependences() {
        const double share = scoreboard_;
        const std::string warps = fmt::format(
            " An active SM held {:.1f} warps on average ({} occupancy), {:.1f} per scheduler.",
            a_.occupancy * limits_.warps_per_sm, percent(a_.occupancy),
            ratio(a_.occupancy * limits_.warps_per_sm, limits_.schedulers));
        const std::string memory =
            (a_.hops.round_trip > 0
                 ? fmt::format(" The mean round trip of a memory request was {:.0f} core cycles.",
                               a_.hops.round_trip)
                 : "") +
            (a_.l1_hits >= 0
                 ? fmt::format(" Hit rates: L1D {}, {}.", percent(a_.l1_hits),
                               a_.l2_hits >= 0 ? "L2 " + percent(a_.l2_hits) : "no L2 accesses")
                 : "");
        const std::string every =
            "In {} of the scheduler cycles of active SMs, every warp with a decoded instruction "
            "was waiting for a register";
        if (producers_.total == 0) {
            add(share, "Waiting for registers written by loads or arithmetic",
                fmt::format(every + ".{}{} (Run with -enable_ptx_file_line_stats 1 to separate "
                                    "memory from arithmetic and to see which instruction.)",
                            percent(share), memory, warps));
            return;
        }
        const auto one = [&](const waited_for& p, const char* headline, const char* what,
                             const std::string& more) {
            const double part = share * ratio(p.cycles, producers_.total);
            const bool first =
                p.cycles >= std::max({producers_.memory.cycles, producers_.shared.cycles,
                                      producers_.arithmetic.cycles});
            add(part, headline,
                fmt::format(every + " {}; {} of this wait was for {}.{}{}", percent(part), what,
                            percent(ratio(p.most, p.cycles)), p.which, more, first ? warps : ""));
        };
        one(producers_.memory, "Waiting for loads from memory", "that a load had not written yet",
            memory);
        one(producers_.shared, "Waiting for loads from shared memory",
            "that a load from shared memory had not written yet",
            " More independent instructions between a load and its use would hide the latency.");
        one(producers_.arithmetic, "Waiting for arithmetic results",
            "that an arithmetic instruction had not written yet",
            " More independent instructions, or more warps, would hide the latency.");
    }

    double reason(const char* name) const {
        const auto at = a_.waits.find(name);
        return at != a_.waits.end() ? at->second : 0;
    }

    void pipelines() {
        const auto [label, cycles] = c_.greatest("sm", "stalls");
        const double lsu = ratio(c_.value("sm", "memory_stalls"), c_.value("sm", "cycles"));
        std::string detail = fmt::format(
            "In {} of the scheduler cycles of active SMs, an instruction was ready, but its "
            "pipeline could not accept it.",
            percent(pipeline_));
        if (lsu > 0.05)
            detail += fmt::format(
                " The load/store unit was stalled in {} of the active SM cycles; most frequent "
                "cause: {}.",
                percent(lsu), stall_text(label));
        const auto [fail, count] = c_.greatest("l1d", "fails");
        if (count > 0) {
            const std::size_t dot = fail.find('.');
            std::string why = dot == std::string::npos ? fail : fail.substr(dot + 1);
            std::transform(why.begin(), why.end(), why.begin(), [](char ch) {
                return ch == '_' ? ' ' : static_cast<char>(std::tolower(ch));
            });
            const double retries = c_.value("l1d", "reservation_fails");
            detail +=
                fmt::format(" {} L1D {}; most frequent cause: {}.", readable_number(retries),
                            retries == 1 ? "access was retried" : "accesses were retried", why);
        }
        add(pipeline_, "Pipelines busy", detail);
    }

    void nothing_to_issue() {
        std::string detail = fmt::format(
            "In {} of the scheduler cycles of active SMs, no warp of the scheduler had a decoded "
            "instruction.",
            percent(nothing_));
        const double barrier = reason("barrier"), fetch = reason("instruction fetch"),
                     end = reason("exit");
        std::vector<std::string> where;
        if (barrier > 0.02) where.push_back(percent(barrier) + " at barriers");
        if (fetch > 0.02) where.push_back(percent(fetch) + " for instruction fetch");
        if (end > 0.02) where.push_back(percent(end) + " for outstanding stores before exit");
        if (!where.empty())
            detail += fmt::format(" Of all warp cycles, warps waited {}.", joined(where));
        if (a_.occupancy < 0.3)
            detail +=
                fmt::format(" The occupancy was only {}: a scheduler has few warps to choose from.",
                            percent(a_.occupancy));
        add(nothing_, "No decoded instruction", detail);
    }

    void bandwidths() {
        const auto one = [&](const char* name, const bandwidth& b, const std::string& more) {
            if (b.share() < 0.4) return;
            add(b.share(),
                fmt::format("{} {} bandwidth", b.share() > 0.75 ? "Near the limit of" : "High",
                            name),
                fmt::format("{} of {} ({} of the peak).{}", gigabytes(b.rate), gigabytes(b.peak),
                            percent(b.share()), more));
        };
        one("DRAM", a_.dram,
            a_.row_hits >= 0
                ? fmt::format(" {} of the requests hit an open row.", percent(a_.row_hits))
                : std::string());
        one("L2", a_.l2,
            a_.l2_hits >= 0 ? fmt::format(" The L2 hit rate was {}.", percent(a_.l2_hits))
                            : std::string());
        one("L1 data cache", a_.l1, "");
        if (a_.shared.share() >= 0.4)
            add(a_.shared.share(),
                fmt::format("{} shared memory bandwidth",
                            a_.shared.share() > 0.75 ? "Near the limit of" : "High"),
                fmt::format("Shared memory was accessed in {} of all SM cycles{}.",
                            percent(a_.shared.share()),
                            a_.shared_conflict_share > 0.005
                                ? fmt::format(", {} of them because of bank conflicts",
                                              percent(a_.shared_conflict_share))
                                : ""));
    }

    void lanes() {
        const double lost = (1 - a_.active_lanes) * a_.slots.issued;
        if (a_.warp_instructions == 0 || a_.active_lanes > 0.95) return;
        add(std::max(lost, 0.3 * (1 - a_.active_lanes)), "Inactive lanes",
            fmt::format("On average, {:.1f} of {:.0f} lanes were active in a warp instruction: "
                        "the threads of a warp diverged or were predicated off, or the block size "
                        "is not a multiple of the warp size.",
                        a_.active_lanes * limits_.warp_size, limits_.warp_size));
    }

    /// Share of the active SM cycles in which a shared memory access was replayed.
    double bank_conflict_cycles() const {
        return ratio(c_.value("sm", "shared_bank_conflicts"), c_.value("sm", "cycles"));
    }

    void bank_conflicts() {
        const double lost = bank_conflict_cycles();
        add(lost, "Shared memory bank conflicts",
            fmt::format("Bank conflicts caused {} of the cycles in which shared memory was "
                        "accessed, and occupied {} of all active SM cycles.",
                        percent(a_.shared_conflict_share), percent(lost)));
    }

    void issue() {
        if (a_.slots.issued < 0.35) return;
        add(a_.slots.issued, a_.slots.issued > 0.75 ? "Near the issue limit" : "High issue rate",
            fmt::format("Instructions were issued in {} of all scheduler cycles. {}",
                        percent(a_.slots.issued),
                        a_.slots.issued > 0.75 ? "Only fewer instructions would make it faster."
                                               : "Fewer instructions would make it faster."));
    }

    std::string bound() const {
        if (a_.run_cycles == 0) return "nothing executed";
        if (a_.dram.share() > 0.6) return "DRAM bandwidth";
        if (a_.l2.share() > 0.6) return "L2 bandwidth";
        if (a_.slots.issued > 0.5) return "issue rate";
        if (a_.launch_cycles > 2 * a_.run_cycles) return "launch latency";
        const double waiting = a_.slots.scoreboard;
        if (a_.slots.unused > std::max({waiting, a_.slots.pipeline, a_.slots.nothing}))
            return "idle SMs";
        if (a_.slots.pipeline > std::max(waiting, a_.slots.nothing))
            return bank_conflict_cycles() > 0.25 ? "bank conflicts" : "busy pipelines";
        if (a_.slots.nothing > waiting)
            return reason("barrier") > 0.2             ? "barriers"
                   : reason("instruction fetch") > 0.2 ? "instruction fetch"
                                                       : "too few warps";
        if (producers_.arithmetic.cycles >
            std::max(producers_.memory.cycles, producers_.shared.cycles))
            return "arithmetic latency";
        return producers_.shared.cycles > producers_.memory.cycles ? "shared memory latency"
                                                                   : "memory latency";
    }

    const counter_view& c_;
    const gpu_limits& limits_;
    const producers& producers_;
    kernel_analysis& a_;
    /// Shares of the scheduler cycles of SMs with a resident thread block.
    double scoreboard_ = 0, pipeline_ = 0, nothing_ = 0;
};

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
    a.waits = waits_of(kernel);
    a.transactions_per_request = transactions_per_request(kernel);
    measure_slots(c, limits, a);
    measure_memory(c, limits, a);
    measure_occupancy(kernel, c, limits, a);
    findings_writer(c, limits, producers::of(kernel), a).write();
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
