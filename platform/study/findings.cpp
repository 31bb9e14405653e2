// SPDX-License-Identifier: Apache-2.0
#include "platform/study/findings.h"

#include "platform/study/counter_view.h"
#include "platform/study/instruction_traits.h"

#include <cctype>
#include <cmath>
#include <iterator>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t max_places = 3;

/// An instruction of the profile of a kernel.
struct profiled_instruction {
    const json* data = nullptr;
    instruction_traits traits;

    double value(const char* name) const { return number_in(*data, name); }
    double lanes() const { return ratio(value("threads"), value("issues")); }
    bool is_branch() const {
        const std::string opcode = data->value("opcode", "");
        return opcode.rfind("BRA", 0) == 0 || opcode.rfind("bra", 0) == 0;
    }
    double waited_for(const char* reason) const {
        const auto waits = data->find("waits");
        return waits != data->end() && waits->is_object() ? number_in(*waits, reason) : 0;
    }
    /// "LDG.E at 0x60 (saxpy.cu:12)".
    std::string where() const {
        const std::string source = data->value("source", "");
        const double line = value("line");
        return fmt::format("{} at {:#x}{}", data->value("opcode", ""),
                           static_cast<std::uint64_t>(value("pc")),
                           !source.empty() ? " (" + source.substr(source.rfind('/') + 1) + ")"
                           : line > 0      ? fmt::format(" (line {:.0f})", line)
                                           : std::string());
    }
};

std::vector<profiled_instruction> instructions_of(const json& kernel) {
    std::vector<profiled_instruction> all;
    const auto at = kernel.find("instructions");
    if (at == kernel.end() || !at->is_array()) return all;
    for (const json& i : *at) all.push_back({&i, instruction_traits::of(i.value("opcode", ""))});
    return all;
}

/// Instructions with a loss, the largest first.
class losses {
public:
    void add(const profiled_instruction& i, double loss, std::string degree) {
        if (loss <= 0) return;
        total_ += loss;
        all_.push_back({loss, {i.where(), std::move(degree)}});
    }
    double total() const { return total_; }
    std::vector<finding::place> places() {
        std::stable_sort(all_.begin(), all_.end(),
                         [](const entry& x, const entry& y) { return x.loss > y.loss; });
        std::vector<finding::place> places;
        for (std::size_t i = 0; i < std::min(all_.size(), max_places); ++i)
            places.push_back(std::move(all_[i].at));
        return places;
    }

private:
    struct entry {
        double loss;
        finding::place at;
    };
    std::vector<entry> all_;
    double total_ = 0;
};

/// Readable text for a stall "RW.reason" of the load/store unit.
std::string stall_text(std::string label) {
    std::replace(label.begin(), label.end(), '_', ' ');
    const std::size_t dot = label.find('.');
    return dot == std::string::npos ? label : label.substr(0, dot) + "s: " + label.substr(dot + 1);
}

class findings_writer {
public:
    findings_writer(const json& kernel, const gpu_limits& limits, kernel_analysis& a)
        : c_(kernel), limits_(limits), a_(a), instructions_(instructions_of(kernel)) {
        const double busy = 1 - a.slots.unused;
        scoreboard_ = ratio(a.slots.scoreboard, busy);
        pipeline_ = ratio(a.slots.pipeline, busy);
        nothing_ = ratio(a.slots.nothing, busy);
        for (const profiled_instruction& i : instructions_) {
            const double awaited = i.value("awaited");
            awaited_ += awaited;
            (i.traits.space == memory_space::shared ? awaited_shared_
             : i.traits.space == memory_space::none ? awaited_arithmetic_
                                                    : awaited_memory_) += awaited;
        }
    }

    void write() {
        if (a_.run_cycles == 0) {
            a_.bound = "nothing executed";
            return;
        }
        unused_sms();
        dependences();
        pipelines();
        fetch_and_barriers();
        occupancy();
        coalescing();
        bank_conflicts();
        lanes();
        bandwidths();
        issue();
        launch();
        std::stable_sort(
            a_.findings.begin(), a_.findings.end(),
            [](const finding& x, const finding& y) { return x.speed_up > y.speed_up; });
        a_.bound = a_.findings.empty() ? "nothing in particular" : a_.findings.front().limiter;
    }

private:
    /// @param share  of the kernel's time that would be saved at most
    finding* add(double weight, double share, const char* limiter, std::string headline,
                 std::string detail, std::string remedy) {
        constexpr double least = 0.02, most = 0.98;
        if (share < least) return nullptr;
        finding f;
        f.weight = clamped(weight);
        f.speed_up = 1 / (1 - std::min(share, most));
        f.limiter = limiter;
        f.headline = std::move(headline);
        f.detail = std::move(detail);
        f.remedy = std::move(remedy);
        a_.findings.push_back(std::move(f));
        return &a_.findings.back();
    }

    /// Share of the time of all SMs that corresponds to one of the scheduler cycles of busy SMs.
    double of_all(double share) const { return share * (1 - a_.slots.unused); }

    void unused_sms() {
        const double busy = limits_.sms * (1 - a_.slots.unused);
        std::string detail = fmt::format(
            "On average, {:.1f} of {:.0f} SMs held a thread block. The grid has {} thread block{}",
            busy, limits_.sms, readable_number(a_.ctas), a_.ctas == 1 ? "" : "s");
        const bool small = a_.limited_by == std::vector<std::string>{"grid"} || a_.waves <= 1;
        detail += small ? std::string(", fewer than the GPU can hold at a time.")
                        : fmt::format("; an SM holds up to {:.0f} at a time ({:.2f} waves).",
                                      a_.ctas_per_sm, a_.waves);
        if (small)
            add(a_.slots.unused, a_.slots.unused, "idle SMs", "Idle SMs: the grid is small", detail,
                a_.ctas < limits_.sms
                    ? "Use more, smaller thread blocks, or run other kernels at the same time "
                      "(streams)."
                    : "Give each SM the same number of thread blocks, or more work to each.");
        else
            add(a_.slots.unused, a_.slots.unused, "tail", "Idle SMs: tail of the last wave",
                detail + " SMs are idle while the last, partial wave runs or longer blocks end.",
                fmt::format("A multiple of {:.0f} thread blocks fills whole waves; or let blocks "
                            "take their work from a queue (persistent blocks).",
                            a_.ctas_per_sm * limits_.sms));
    }

    /// Waiting for registers, by the kind of instruction that writes them.
    void dependences() {
        const std::string every =
            "In {} of the scheduler cycles of active SMs, every warp with a decoded instruction "
            "was waiting for a register";
        const std::string warps = fmt::format(
            " An active SM held {:.1f} warps on average ({} occupancy), {:.1f} per scheduler.",
            a_.occupancy * limits_.warps_per_sm, percent(a_.occupancy),
            ratio(a_.occupancy * limits_.warps_per_sm, limits_.schedulers));
        if (awaited_ == 0) {
            add(scoreboard_, of_all(scoreboard_), "dependences",
                "Waiting for registers written by loads or arithmetic",
                fmt::format(every + ".{}", percent(scoreboard_), memory_text() + warps),
                "Run with -enable_ptx_file_line_stats 1 to see for which instruction.");
            return;
        }
        const auto one = [&](const char* limiter, const char* headline, const char* what,
                             double awaited, const auto& selects, const std::string& more,
                             const char* remedy) {
            const double part = scoreboard_ * ratio(awaited, awaited_);
            losses waited;
            for (const profiled_instruction& i : instructions_)
                if (selects(i.traits.space))
                    waited.add(i, i.value("awaited"),
                               percent(ratio(i.value("awaited"), awaited)) + " of this wait");
            if (finding* f =
                    add(part, of_all(part), limiter, headline,
                        fmt::format(every + " {}.{}", percent(part), what, more + warps), remedy))
                f->places = waited.places();
        };
        one(
            "memory latency", "Waiting for loads from memory", "that a load had not written yet",
            awaited_memory_,
            [](memory_space s) { return s != memory_space::none && s != memory_space::shared; },
            memory_text(),
            "More warps, more loads in flight per warp (unrolling, asynchronous copies), or fewer "
            "misses hide the latency.");
        one(
            "shared memory latency", "Waiting for loads from shared memory",
            "that a load from shared memory had not written yet", awaited_shared_,
            [](memory_space s) { return s == memory_space::shared; }, {},
            "More independent instructions between a load and its use hide the latency.");
        one(
            "arithmetic latency", "Waiting for arithmetic results",
            "that an arithmetic instruction had not written yet", awaited_arithmetic_,
            [](memory_space s) { return s == memory_space::none; }, {},
            "More independent instructions, or more warps, hide the latency.");
    }

    std::string memory_text() const {
        std::string text;
        if (a_.hops.round_trip > 0)
            text += fmt::format(" The mean round trip of a memory request was {:.0f} core cycles.",
                                a_.hops.round_trip);
        if (a_.l1_hits >= 0)
            text += fmt::format(" Hit rates: L1D {}, {}.", percent(a_.l1_hits),
                                a_.l2_hits >= 0 ? "L2 " + percent(a_.l2_hits) : "no L2 accesses");
        return text;
    }

    /// The unit that instructions waited for most often; empty if that is not known.
    std::string busiest_pipeline(losses& waited) const {
        std::map<std::string, double> by_name;
        double all = 0;
        for (const profiled_instruction& i : instructions_) {
            const double cycles = i.waited_for("pipeline");
            by_name[i.traits.pipeline] += cycles;
            all += cycles;
        }
        std::string most;
        for (const auto& [name, cycles] : by_name)
            if (most.empty() || cycles > by_name[most]) most = name;
        if (all == 0) {
            // Without a profile: of the newer core, the unit that was issued to most often.
            if (c_.cell("modern", "issue_slots", "memory_queue") >
                c_.cell("modern", "issue_slots", "unit"))
                return "load/store";
            const std::string unit = c_.greatest("modern", "unit_instructions").first;
            return unit == "memory" ? "load/store" : unit;
        }
        for (const profiled_instruction& i : instructions_)
            if (i.traits.pipeline == most)
                waited.add(
                    i, i.waited_for("pipeline"),
                    percent(ratio(i.waited_for("pipeline"), all)) + " of the waits for a pipeline");
        return most;
    }

    void pipelines() {
        losses waited;
        const std::string name = busiest_pipeline(waited);
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
        const bool memory = name == "load/store";
        if (finding* f = add(
                pipeline_, of_all(pipeline_), memory ? "load/store pipeline" : "busy pipelines",
                name.empty() ? "Pipelines busy" : "Pipeline busy: " + name, detail,
                memory ? "Fewer or wider accesses, coalescing, and shared memory without bank "
                         "conflicts relieve the load/store unit."
                       : "Fewer instructions of this kind, or a mix with those of other units."))
            f->places = waited.places();
    }

    /// Cycles in which no warp of a scheduler had a decoded instruction.
    void fetch_and_barriers() {
        const double slots = c_.sum("modern", "issue_slots");
        double barrier = 0, fetch = 0;
        if (slots > 0) {
            const auto cell = [&](const char* name) {
                return c_.cell("modern", "issue_slots", name) / slots;
            };
            barrier = cell("barrier");
            fetch = cell("instruction") + cell("instruction_miss");
        } else if (!a_.waits.empty()) {
            const auto reason = [&](const char* name) {
                const auto at = a_.waits.find(name);
                return at != a_.waits.end() ? at->second : 0;
            };
            const double all = reason("barrier") + reason("instruction fetch") + reason("exit");
            barrier = nothing_ * ratio(reason("barrier"), std::max(all, 1e-9));
            fetch = nothing_ * ratio(reason("instruction fetch"), std::max(all, 1e-9));
        }
        barrier = std::min(barrier, nothing_);
        fetch = std::min(fetch, nothing_ - barrier);
        add(barrier, of_all(barrier), "barriers", "Waiting at barriers",
            fmt::format("In {} of the scheduler cycles of active SMs, all warps of the scheduler "
                        "waited at a barrier or had none to execute because of one.",
                        percent(barrier)),
            "Fewer barriers, smaller thread blocks (more of them at a time), or work that is even "
            "among the warps of a block.");
        const double misses = c_.value("modern", "l0_misses") > 0 ? c_.value("modern", "l0_misses")
                                                                  : c_.value("l1i", "misses");
        add(fetch, of_all(fetch), "instruction fetch", "Instruction cache misses",
            fmt::format("In {} of the scheduler cycles of active SMs, the warps of the scheduler "
                        "waited for instructions; {} fetches missed the first cache.",
                        percent(fetch), readable_number(misses)),
            a_.run_cycles < 20000
                ? "The first execution of code reads it from the L2: a longer kernel pays this "
                  "once."
                : "Less code in the loop: less unrolling and inlining.");
        const double rest = nothing_ - barrier - fetch;
        add(rest, of_all(rest), "too few warps", "Too few warps",
            fmt::format("In {} of the scheduler cycles of active SMs, no warp of the scheduler had "
                        "an instruction to issue; the occupancy was {}.",
                        percent(rest), percent(a_.occupancy)),
            "More resident warps: more or larger thread blocks (see occupancy).");
    }

    /// What more resident warps would hide.
    void occupancy() {
        const bool grid = a_.limited_by == std::vector<std::string>{"grid"};
        if (grid || a_.occupancy_limit <= 0 || a_.occupancy_limit >= 0.99) return;
        const double waiting = of_all(scoreboard_ + nothing_);
        std::string what;
        for (const occupancy_row& row : a_.occupancy_rows)
            if (!row.to_gain.empty() && row.limits)
                what += fmt::format(" By {}: {}", row.resource, row.to_gain);
        add(1 - a_.occupancy_limit, waiting * (1 - a_.occupancy_limit), "occupancy",
            "Occupancy limited by " + joined(a_.limited_by),
            fmt::format("An SM holds at most {:.0f} thread block{} of this kernel at a time: {} of "
                        "its warp slots. All warps waited in {} of the scheduler cycles.",
                        a_.ctas_per_sm, a_.ctas_per_sm == 1 ? "" : "s", percent(a_.occupancy_limit),
                        percent(waiting)),
            "More resident warps hide latency." + what);
    }

    /// Share of the time that accesses to memory take: waiting, full queues, or a bandwidth.
    double memory_share(double awaited) const {
        const double waiting =
            awaited_ > 0 ? of_all(scoreboard_ * ratio(awaited, awaited_)) : of_all(scoreboard_);
        return std::max(
            {clamped(waiting + of_all(pipeline_)), a_.dram.share(), a_.l2.share(), a_.l1.share()});
    }

    void coalescing() {
        double sectors = 0, requests = 0, ideal = 0;
        losses excess;
        for (const profiled_instruction& i : instructions_) {
            const double issues = i.value("memory_issues");
            if (!i.traits.is_coalesced() || issues == 0) continue;
            const double each = ratio(i.value("transactions"), issues),
                         best = i.traits.ideal_sectors(i.lanes());
            sectors += i.value("transactions");
            requests += issues;
            ideal += issues * std::min(each, best);
            excess.add(i, issues * (each - best),
                       fmt::format("{:.1f} sectors per request instead of {:.0f}", each, best));
        }
        const double lost = ratio(sectors - ideal, sectors);
        const double share = lost * memory_share(awaited_memory_);
        if (finding* f = add(
                lost, share, "uncoalesced accesses", "Uncoalesced loads and stores",
                fmt::format("{:.1f} sectors of 32 bytes per request; {:.1f} would suffice if the "
                            "lanes of a warp accessed adjacent addresses: {} of the sectors are "
                            "avoidable.",
                            ratio(sectors, requests), ratio(ideal, requests), percent(lost)),
                "Let adjacent lanes access adjacent addresses: another data layout (structure of "
                "arrays), another mapping of threads, or a transposition in shared memory."))
            f->places = excess.places();
    }

    void bank_conflicts() {
        double excess_cycles = 0, accesses = 0, cycles = 0;
        losses excess;
        for (const profiled_instruction& i : instructions_) {
            const double issues = i.value("shared_issues");
            if (issues == 0) continue;
            const double each = ratio(i.value("shared_cycles"), issues),
                         best = i.traits.ideal_shared_cycles(i.lanes());
            accesses += issues;
            cycles += i.value("shared_cycles");
            if (each <= best) continue;
            excess_cycles += issues * (each - best);
            excess.add(i, issues * (each - best),
                       fmt::format("{:.1f} cycles per access instead of {:.0f}: {:.1f}-way "
                                   "conflicts",
                                   each, best, each / best));
        }
        if (instructions_.empty()) {
            excess_cycles = c_.value("sm", "shared_bank_conflicts");
            cycles = c_.value("sm", "shared_accesses");
        }
        conflicting_ = clamped(ratio(excess_cycles, cycles));
        const double lost = clamped(ratio(excess_cycles, c_.value("sm", "cycles")));
        if (finding* f = add(
                lost, of_all(lost), "bank conflicts", "Shared memory bank conflicts",
                fmt::format("{} of the cycles in which shared memory was accessed were caused by "
                            "conflicts: {} of all active SM cycles.{}",
                            percent(conflicting_), percent(lost),
                            accesses > 0 ? fmt::format(" An access took {:.1f} cycles on average.",
                                                       ratio(cycles, accesses))
                                         : std::string()),
                "Pad rows of arrays by one element, or permute the columns (swizzle), so that the "
                "lanes of a warp access different banks."))
            f->places = excess.places();
    }

    void lanes() {
        if (a_.warp_instructions == 0 || a_.active_lanes > 0.95) return;
        losses lost;
        double active = limits_.warp_size;  // lanes of the instruction before
        for (const profiled_instruction& i : instructions_) {
            const double issues = i.value("issues"), taken = i.lanes();
            // Executions with some of the lanes; a uniform branch is taken by all or by none.
            const double some =
                i.value("threads") - (issues - i.value("partial")) * limits_.warp_size;
            if (i.is_branch() && some > 0 && taken < active)
                lost.add(i, issues * std::min(taken, active - taken),
                         fmt::format("taken by {:.1f} of {:.1f} active lanes in {} executions",
                                     taken, active, readable_number(issues)));
            if (!i.is_branch()) active = taken;
        }
        const bool branches = lost.total() > 0.01 * a_.warp_instructions;
        // Divergent paths are executed one after the other; other inactive lanes only waste issue
        // slots.
        const double share =
            (1 - a_.active_lanes) * (branches ? 1 - a_.slots.unused : a_.slots.issued);
        if (finding* f = add(
                1 - a_.active_lanes, share, "divergence",
                branches ? "Divergent branches" : "Inactive lanes",
                fmt::format("On average, {:.1f} of {:.0f} lanes were active in a warp instruction: "
                            "the threads of a warp diverged or were predicated off, or the block "
                            "size is not a multiple of the warp size.",
                            a_.active_lanes * limits_.warp_size, limits_.warp_size),
                "Let all threads of a warp take the same branch: sort the work, or give similar "
                "work to the threads of a warp."))
            f->places = lost.places();
    }

    void bandwidths() {
        const auto one = [&](const char* name, const bandwidth& b, const std::string& more,
                             double others) {
            if (b.share() < 0.4) return;
            const bool near = b.share() > 0.75;
            static const std::map<std::string, const char*> limiters = {
                {"DRAM", "DRAM bandwidth"},
                {"L2", "L2 bandwidth"},
                {"L1 data cache", "L1 bandwidth"},
                {"shared memory", "shared memory bandwidth"}};
            // A resource that is used half of the time limits bursts only.
            add(b.share(), b.share() * (b.share() - others), limiters.at(name),
                fmt::format("{} {} bandwidth", near ? "Near the limit of" : "High", name),
                fmt::format("{} of {} ({} of the peak).{}", gigabytes(b.rate), gigabytes(b.peak),
                            percent(b.share()), more),
                "Less traffic: reuse of data in registers, shared memory and caches, smaller "
                "types.");
        };
        const double issued = a_.slots.issued;
        one("DRAM", a_.dram,
            a_.row_hits >= 0
                ? fmt::format(" {} of the requests hit an open row.", percent(a_.row_hits))
                : std::string(),
            std::max({a_.l2.share(), a_.l1.share(), issued}));
        one("L2", a_.l2,
            a_.l2_hits >= 0 ? fmt::format(" The L2 hit rate was {}.", percent(a_.l2_hits))
                            : std::string(),
            std::max({a_.dram.share(), a_.l1.share(), issued}));
        one("L1 data cache", a_.l1, "", std::max({a_.dram.share(), a_.l2.share(), issued}));
        one("shared memory", {a_.shared.rate * (1 - conflicting_), a_.shared.peak},
            conflicting_ > 0 ? " Bank conflicts are not included." : "",
            std::max({a_.dram.share(), a_.l2.share(), issued}));
    }

    void issue() {
        if (a_.slots.issued < 0.35) return;
        const double others =
            std::max({a_.dram.share(), a_.l2.share(), a_.l1.share(), a_.shared.share()});
        add(a_.slots.issued, a_.slots.issued * (a_.slots.issued - others), "issue rate",
            a_.slots.issued > 0.75 ? "Near the issue limit" : "High issue rate",
            fmt::format("Instructions were issued in {} of all scheduler cycles.",
                        percent(a_.slots.issued)),
            "Fewer instructions: wider accesses, fused operations, tensor cores.");
    }

    void launch() {
        const double share = ratio(a_.launch_cycles, a_.launch_cycles + a_.run_cycles);
        if (share < 0.1) return;
        add(share, share, "launch latency", "Launch latency",
            fmt::format("The launch took {} cycles, {} of the time until the end of the kernel. It "
                        "is a constant of the preset.",
                        readable_number(a_.launch_cycles), percent(share)),
            "Fewer, larger kernels; CUDA graphs; or kernels that overlap (streams, programmatic "
            "dependent launch).");
    }

    const counter_view c_;
    const gpu_limits& limits_;
    kernel_analysis& a_;
    const std::vector<profiled_instruction> instructions_;
    /// Shares of the scheduler cycles of SMs with a resident thread block.
    double scoreboard_ = 0, pipeline_ = 0, nothing_ = 0;
    double conflicting_ = 0;  ///< share of the cycles of shared memory
    /// Warp cycles spent waiting for results, by the kind of instruction that writes them.
    double awaited_ = 0, awaited_memory_ = 0, awaited_shared_ = 0, awaited_arithmetic_ = 0;
};

/// How many thread blocks each resource of an SM admits, and what would admit one more.
void measure_occupancy_rows(const gpu_limits& limits, double threads, kernel_analysis& a) {
    const double warps = std::ceil(threads / limits.warp_size);
    if (warps == 0 || limits.warps_per_sm == 0) return;
    const auto row = [&](const char* resource, double ctas, std::string to_gain) {
        const double fitting = std::floor(ctas);
        const bool limit = std::count(a.limited_by.begin(), a.limited_by.end(), resource) != 0;
        a.occupancy_rows.push_back({resource, fitting,
                                    clamped(fitting * warps / limits.warps_per_sm), limit,
                                    std::move(to_gain)});
    };
    const auto gain = [&](double blocks, const std::string& condition) {
        return fmt::format("{:.0f} with {} ({} occupancy).", blocks, condition,
                           percent(clamped(blocks * warps / limits.warps_per_sm)));
    };
    const double by_warps = std::floor(limits.warps_per_sm / warps) + 1;
    row("warp slots", limits.warps_per_sm / warps,
        limits.warps_per_sm >= by_warps
            ? gain(by_warps,
                   fmt::format("{:.0f} threads per block",
                               std::floor(limits.warps_per_sm / by_warps) * limits.warp_size))
            : "");
    row("CTA slots", limits.ctas_per_sm, "Larger thread blocks use more warp slots.");
    if (a.registers > 0 && limits.registers_per_sm > 0) {
        constexpr double unit = 8;  // registers per thread are allocated in steps of eight
        const double block = std::ceil(a.registers / unit) * unit * warps * limits.warp_size;
        const double blocks = std::floor(limits.registers_per_sm / block) + 1;
        const double fewer =
            std::floor(limits.registers_per_sm / (blocks * warps * limits.warp_size) / unit) * unit;
        row("registers", limits.registers_per_sm / block,
            fewer > 0 ? gain(blocks, fmt::format("{:.0f} registers per thread", fewer)) : "");
    }
    if (a.shared_memory > 0 && limits.shared_per_sm > 0) {
        const double blocks = std::floor(limits.shared_per_sm / a.shared_memory) + 1;
        row("shared memory", limits.shared_per_sm / a.shared_memory,
            gain(blocks, fmt::format("{} bytes of shared memory per block",
                                     readable_number(std::floor(limits.shared_per_sm / blocks)))));
    }
}

double threads_of(const json& kernel) {
    double threads = 1;
    const auto block = kernel.find("block");
    if (block != kernel.end() && block->is_array())
        for (const json& n : *block)
            if (n.is_number()) threads *= n.get<double>();
    return threads;
}

/// Largest value divided by the mean, and the unit that has it.
struct imbalance {
    double sum = 0, most = 0, units = 0;
    bool all = true;  ///< every unit had some
    std::string which;

    void add(const std::string& name, double value) {
        all = all && value > 0;
        sum += value;
        ++units;
        if (value > most) {
            most = value;
            which = name;
        }
    }
    double factor() const { return ratio(most * units, sum); }
};

}  // namespace

void find_reasons(const json& kernel, const gpu_limits& limits, kernel_analysis& a) {
    measure_occupancy_rows(limits, threads_of(kernel), a);
    findings_writer(kernel, limits, a).write();
}

std::vector<finding> findings_of_run(const statistics_run& run,
                                     const std::vector<kernel_analysis>& kernels) {
    std::vector<finding> found;
    const auto add = [&](double weight, double speed_up, const char* headline, std::string detail,
                         const char* remedy) {
        finding f;
        f.weight = clamped(weight);
        f.speed_up = speed_up;
        f.limiter = f.headline = headline;
        f.detail = std::move(detail);
        f.remedy = remedy;
        found.push_back(std::move(f));
    };
    double launch = 0, busy = 0, dram = 0, covered = 0;
    for (const kernel_analysis& k : kernels) {
        launch += k.launch_cycles;
        busy += k.run_cycles;
        dram += k.dram.share() * k.run_cycles;
        covered += (1 - k.slots.unused) * k.run_cycles;
    }
    const double share = ratio(launch, launch + busy);
    if (share > 0.05)
        add(share, 1 / (1 - std::min(share, 0.98)), "Launch overhead",
            fmt::format(
                "{} of the time of the kernels is launch latency: {} launches, {} cycles "
                "each on average.",
                percent(share), kernels.size(),
                readable_number(std::round(ratio(launch, static_cast<double>(kernels.size()))))),
            "Fewer, larger kernels; CUDA graphs; or kernels that overlap.");
    imbalance sms, channels;
    const json blocks = run.document().value("blocks", json::object());
    for (const auto& [name, block] : blocks.items()) {
        if (!block.is_object() || !block.contains("counters")) continue;
        const std::string kind = block.value("kind", "");
        const json& c = block["counters"];
        if (kind == "sm") sms.add(name, number_in(c, "warp_instructions"));
        if (kind == "dram")
            channels.add(name, number_in(c, "reads") + number_in(c, "allocate_reads") +
                                   number_in(c, "writes") + number_in(c, "write_backs"));
    }
    constexpr double uneven = 1.15;
    const double active = ratio(covered, busy), bandwidth = ratio(dram, busy);
    if (sms.all && sms.factor() > uneven)  // otherwise the grids are small
        add(1 - 1 / sms.factor(), 1 / (1 - active * (1 - 1 / sms.factor())), "Uneven SMs",
            fmt::format("{} issued {:.2f} times as many instructions as an SM on average.",
                        sms.which, sms.factor()),
            "Thread blocks with the same amount of work, or blocks that take their work from a "
            "queue.");
    if (channels.factor() > uneven && bandwidth > 0.1)
        add(1 - 1 / channels.factor(), 1 / (1 - bandwidth * (1 - 1 / channels.factor())),
            "Uneven memory channels",
            fmt::format("{} served {:.2f} times as many requests as a channel on average.",
                        channels.which, channels.factor()),
            "Avoid strides that are powers of two: pad the rows of arrays.");
    std::stable_sort(found.begin(), found.end(),
                     [](const finding& x, const finding& y) { return x.speed_up > y.speed_up; });
    return found;
}

}  // namespace simtlm::platform::study
