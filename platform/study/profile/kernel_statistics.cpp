// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/kernel_statistics.h"

#include "platform/study/profile/metric_expression.h"
#include "platform/study/profile/profile_metrics.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace simtlm::platform::study {

namespace {

/// The expressions of metric_definitions(), parsed once.
const std::unordered_map<std::string, metric_expression>& definitions() {
    static const auto all = [] {
        std::unordered_map<std::string, metric_expression> m;
        for (const metric_definition& d : metric_definitions())
            m.emplace(d.name, metric_expression(d.simulated));
        return m;
    }();
    return all;
}

/// "kind.counter" of "kind.counter.cell".
std::string counter_of(const std::string& name) {
    const std::size_t first = name.find('.');
    if (first == std::string::npos) return {};
    return name.substr(0, name.find('.', first + 1));
}

}  // namespace

kernel_statistics::kernel_statistics(const statistics_run& run, const json& kernel, double clock,
                                     bool launch) {
    const auto described = run.document().find("counters");
    if (described != run.document().end() && described->is_object())
        for (const auto& [kind, of_kind] : described->items())
            if (of_kind.is_object() && kind != "instruction")
                for (const auto& [counter, about] : of_kind.items())
                    counters_.insert(kind + "." + counter);
    if (const auto gpu = run.document().find("gpu"); gpu != run.document().end())
        add_gpu(*gpu, "gpu.");
    add_counters(kernel.at("counters"));
    if (const auto all = kernel.find("instructions"); all != kernel.end()) add_instructions(*all);
    add_launch(kernel);

    // gpu_sim_cycle counts from the previous report, which kernels that overlap share.
    const double from = number_in(kernel, launch ? "launched_at" : "start_cycle");
    const double cycles = std::max(1.0, number_in(kernel, "end_cycle") - from + 1);
    values_["cycles"] = cycles;
    values_["clock"] = clock;
    if (const auto core = values_.find("gpu.clock_hz.core"); core != values_.end())
        values_["seconds"] = cycles / core->second;
}

void kernel_statistics::add_gpu(const json& of, const std::string& prefix) {
    if (!of.is_object()) return;
    for (const auto& [name, v] : of.items()) {
        if (v.is_number()) values_[prefix + name] = v.get<double>();
        if (v.is_object()) add_gpu(v, prefix + name + ".");
    }
}

void kernel_statistics::add_counters(const json& counters) {
    for (const auto& [kind, of_kind] : counters.items()) {
        if (!of_kind.is_object()) continue;
        for (const auto& [counter, v] : of_kind.items()) {
            const std::string name = kind + "." + counter;
            counters_.insert(name);
            if (v.is_number()) values_[name] = v.get<double>();
            if (!v.is_object()) continue;
            double all = 0;
            for (const auto& [cell, n] : v.items())
                if (n.is_number()) all += values_[name + "." + cell] = n.get<double>();
            values_[name] = all;
            if (counter == "outcomes") add_outcomes(name + ".", v);
        }
    }
}

void kernel_statistics::add_outcomes(const std::string& cache, const json& outcomes) {
    for (const auto& [cell, n] : outcomes.items()) {
        const std::size_t dot = cell.find('.');
        if (dot == std::string::npos || !n.is_number()) continue;
        const std::string type = cache + cell.substr(0, dot + 1), outcome = cell.substr(dot + 1);
        const bool hit = outcome == "HIT" || outcome == "HIT_RESERVED";
        if (!hit && outcome != "MISS" && outcome != "SECTOR_MISS") continue;
        values_[type + (hit ? "HITS" : "MISSES")] += n.get<double>();
        values_[type + "TOTAL"] += n.get<double>();
    }
}

void kernel_statistics::add_instructions(const json& instructions) {
    if (!instructions.is_array() || instructions.empty()) return;
    const std::string prefix = "instruction.";
    const auto is_machine_code = [](const json& i) {
        const std::string opcode = i.value("opcode", "");
        return !opcode.empty() && std::islower(static_cast<unsigned char>(opcode[0])) == 0;
    };
    if (!std::all_of(instructions.begin(), instructions.end(), is_machine_code)) return;
    for (const char* counter : {"waits", "awaited"}) counters_.insert(prefix + counter);
    for (const json& i : instructions) {
        const std::string opcode = i.value("opcode", "");
        const std::string base = opcode.substr(0, opcode.find('.'));
        for (const auto& [counter, v] : i.items()) {
            if (!v.is_number() || counter == "pc" || counter == "line") continue;
            counters_.insert(prefix + counter);
            values_[prefix + counter] += v.get<double>();
            if (counter != "awaited") values_[prefix + counter + "." + base] += v.get<double>();
        }
        const char* kind = number_in(i, "memory_issues") > 0   ? "memory"
                           : number_in(i, "shared_issues") > 0 ? "shared"
                                                               : "other";
        values_[prefix + "awaited." + kind] += number_in(i, "awaited");
        const auto waits = i.find("waits");
        if (waits == i.end() || !waits->is_object()) continue;
        for (const auto& [reason, cycles] : waits->items()) {
            std::string name = reason;
            std::replace(name.begin(), name.end(), ' ', '_');
            if (cycles.is_number()) values_[prefix + "waits." + name] += cycles.get<double>();
        }
    }
}

void kernel_statistics::add_launch(const json& kernel) {
    for (const char* name : {"ctas", "registers", "shared_memory"})
        values_[name] = number_in(kernel, name);
    double threads = 1;
    if (const auto block = kernel.find("block"); block != kernel.end() && block->is_array())
        for (const json& n : *block)
            if (n.is_number()) threads *= n.get<double>();
    const auto lanes = values_.find("gpu.warp_size");
    const double warps = std::ceil(threads / (lanes != values_.end() ? lanes->second : 32));
    values_["block_size"] = threads;
    values_["warps_per_cta"] = warps;
    // A grid that fits on the GPU does not show how many of its blocks fit on an SM.
    const auto limits = kernel.find("occupancy_limits");
    if (limits != kernel.end() && *limits != json::array({"grid"}))
        values_["resident_warps"] = warps * number_in(kernel, "ctas_per_sm");
}

bool kernel_statistics::knows(const std::string& name) const {
    return values_.count(name) != 0 || definitions().count(name) != 0 ||
           counters_.count(counter_of(name)) != 0;
}

std::optional<double> kernel_statistics::value(const std::string& name) const {
    if (const auto at = values_.find(name); at != values_.end()) return at->second;
    if (const auto d = definitions().find(name); d != definitions().end())
        return d->second.value([&](const std::string& n) { return value(n); });
    if (counters_.count(counter_of(name)) != 0) return 0;
    return std::nullopt;
}

}  // namespace simtlm::platform::study
