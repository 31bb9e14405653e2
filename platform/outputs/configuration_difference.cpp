// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/configuration_difference.h"

#include "platform/config/core_models.h"
#include "platform/options/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace simtlm::platform {

namespace {

constexpr const char* of_core_clock = "core clock";
constexpr const char* of_network_clock = "network clock";
constexpr const char* of_l2_clock = "L2 clock";
constexpr const char* of_dram_clock = "DRAM clock";
constexpr const char* of_mapping = "address mapping";

/// What the state of a kind of block depends on.
struct dependence {
    const char* block;  ///< first module of its name below the GPU
    std::vector<option_group> groups;
    std::vector<const char*> designs;
};

const std::vector<dependence>& dependences() {
    using g = option_group;
    static const std::vector<dependence> table = {
        {"cluster",
         {g::trace, g::chip, g::launch, g::core, g::operands, g::units, g::sub_cores, g::l1},
         {of_core_clock, of_network_clock}},
        {"gpc_cache", {g::chip, g::launch}, {of_core_clock, of_network_clock}},
        {"network", {g::chip, g::interconnect}, {of_core_clock, of_network_clock, of_mapping}},
        {"partition",
         {g::l2, g::dram},
         {of_core_clock, of_network_clock, of_l2_clock, of_dram_clock, of_mapping}},
        {"dram", {g::run, g::dram}, {of_dram_clock, of_mapping}},
        {"address_mapping", {}, {of_mapping}},
        {"command_processor", {g::chip, g::launch}, {of_core_clock}},
    };
    return table;
}

template <typename Names, typename Name>
bool is_among(const Names& names, const Name& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string text_of(resumption::blocks::outcome what) {
    using outcome = resumption::blocks::outcome;
    if (what == outcome::reinserted) return "lines inserted again in the order of their last use";
    return what == outcome::initial ? "in the initial state" : resumption::name_of(what);
}

}  // namespace

checkpoint_role checkpoint_role_of(const option_info& o) {
    if (!o.effective() || o.action) return checkpoint_role::none;
    constexpr std::array<std::string_view, 6> defines_workload = {
        "--code",
        "--gpus",
        "--ctas",
        "-gpgpu_stack_size_limit",
        "-gpgpu_heap_size_limit",
        "-gpgpu_ptx_force_max_capability"};
    if (is_among(defines_workload, o.name)) return checkpoint_role::workload;
    switch (o.group) {
        case option_group::run: {
            constexpr std::array<std::string_view, 5> some = {
                "--check-dram", "--pcie-bandwidth", "--pcie-latency", "--nvlink-bandwidth",
                "--nvlink-latency"};
            return is_among(some, o.name) ? checkpoint_role::gpu : checkpoint_role::none;
        }
        case option_group::trace: {
            constexpr std::array<std::string_view, 4> some = {
                "--opcode-table", "--unknown-opcode", "--override-shmem", "--override-registers"};
            const bool latency = o.name.rfind("-trace_opcode_latency", 0) == 0;
            return latency || is_among(some, o.name) ? checkpoint_role::gpu : checkpoint_role::none;
        }
        case option_group::output:
        case option_group::elsewhere:
            return checkpoint_role::none;
        default:
            return checkpoint_role::gpu;
    }
}

std::string quoted(const std::string& value) {
    return value.empty() ? "\"\"" : value;
}

std::string checkpoint_text_of(const option_values& options, const option_info& o) {
    if (!o.repeatable) return options.text(o.name);
    std::string all;
    for (const option_value& v : options.all(o.name)) all += (all.empty() ? "" : " ") + v.text;
    return all;
}

std::map<std::string, std::string> design_of(const gpu_config& config) {
    constexpr double mega = 1e6;
    const auto hertz = [](double clock) { return fmt::format("{} MHz", clock / mega); };
    const memory::address_mapping_config& m = config.memory.mapping;
    return {
        {of_core_clock, hertz(config.clocks.core)},
        {of_network_clock, hertz(config.clocks.network)},
        {of_l2_clock, hertz(config.clocks.l2)},
        {of_dram_clock, hertz(config.clocks.dram)},
        {of_mapping, fmt::format("{}, mask {}, {} channels of {} sub-partitions, {} banks, "
                                 "indexing {}",
                                 m.mapping, m.mask_mode, m.channels, m.sub_partitions_per_channel,
                                 m.banks, static_cast<unsigned>(m.indexing))}};
}

configuration_difference::configuration_difference(
    const std::map<std::string, std::string>& saved,
    const std::map<std::string, std::string>& saved_design, const option_values& options,
    const gpu_config& config) {
    // An option without effect on this pipeline may have had one on another.
    const auto pipeline = saved.find("--core");
    const bool same_pipeline =
        pipeline != saved.end() && pipeline->second == options.text("--core");
    for (const option_info& o : option_table()) {
        const auto was = saved.find(o.name);
        if (was == saved.end()) continue;
        const std::string here = checkpoint_text_of(options, o);
        if (here == was->second) continue;
        changes_.push_back({o.name, was->second, here, o.group, checkpoint_role_of(o),
                            !same_pipeline || has_effect(options, o)});
    }
    for (const auto& [name, here] : design_of(config)) {
        const auto was = saved_design.find(name);
        const std::string before = was == saved_design.end() ? "unknown" : was->second;
        if (before == here) continue;
        designs_[name] = name == of_mapping ? "the address mapping differs"
                                            : fmt::format("{} {} -> {}", name, before, here);
    }
}

std::string configuration_difference::reason(std::string_view block) const {
    const std::string kind = parameter_values::module_kind("gpu." + std::string(block));
    const std::string first = kind.substr(0, kind.find('.'));
    const auto row = std::find_if(dependences().begin(), dependences().end(),
                                  [&](const dependence& d) { return first == d.block; });
    if (row == dependences().end())
        return changes_.empty() && designs_.empty() ? "" : "what it depends on is not known";
    for (const change& c : changes_) {
        // Clocks are compared one by one.
        const bool counts = c.has_effect && c.name != "-gpgpu_clock_domains" &&
                            (c.group == option_group::fidelity || is_among(row->groups, c.group));
        if (counts && !row->groups.empty())
            return fmt::format("{} {} -> {}", c.name, quoted(c.saved), quoted(c.here));
    }
    for (const char* d : row->designs)
        if (const auto differs = designs_.find(d); differs != designs_.end())
            return differs->second;
    return {};
}

std::vector<std::string> resumption::notes() const {
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "resumed from {} (after kernel {}, core cycle {}){}; statistics begin there", file, kernels,
        core_cycles, options.empty() ? "" : " with another configuration"));
    if (placed != 0)
        lines.push_back(
            fmt::format("{} thread blocks of the first kernel had been placed before the "
                        "checkpoint: its cycles and statistics are those of the rest",
                        placed));
    constexpr std::size_t max_named = 10;
    for (std::size_t i = 0; i < std::min(options.size(), max_named); ++i)
        lines.push_back(fmt::format("changed: {} {} -> {}", options[i].name,
                                    quoted(options[i].saved), quoted(options[i].here)));
    if (options.size() > max_named)
        lines.push_back(fmt::format(
            "{} more options are changed; the file of --stats-json lists them (resumed.options)",
            options.size() - max_named));
    // Kinds of blocks with the same outcome and reason share a line.
    std::vector<std::pair<std::string, std::string>> outcomes;  // outcome, kinds with numbers
    for (const blocks& b : of_blocks) {
        const bool unchanged = b.what == blocks::outcome::restored || b.why.empty();
        const std::string what = text_of(b.what) + (unchanged ? "" : " (" + b.why + ")");
        auto line = std::find_if(outcomes.begin(), outcomes.end(),
                                 [&](const auto& l) { return l.first == what; });
        if (line == outcomes.end()) line = outcomes.insert(outcomes.end(), {what, ""});
        line->second += fmt::format("{}{} {}", line->second.empty() ? "" : ", ", b.count, b.kind);
    }
    for (const auto& [what, kinds] : outcomes) lines.push_back(what + ": " + kinds);
    return lines;
}

const char* resumption::name_of(blocks::outcome what) {
    constexpr std::array<const char*, 4> names = {"restored", "reinserted", "initial", "dropped"};
    return names.at(static_cast<std::size_t>(what));
}

std::vector<resumption::blocks> summary_of(
    const std::map<std::string, support::archive::transfer>& transfers, const std::string& gpu) {
    std::map<std::pair<std::string, resumption::blocks::outcome>, resumption::blocks> kinds;
    for (const auto& [name, t] : transfers) {
        if (name.rfind(gpu + ".", 0) != 0) continue;
        resumption::blocks& b = kinds[{parameter_values::module_kind(name), t.what}];
        ++b.count;
        if (b.why.empty()) b.why = t.why;
    }
    std::vector<resumption::blocks> all;
    for (auto& [kind, b] : kinds) {
        all.push_back(std::move(b));
        std::tie(all.back().kind, all.back().what) = kind;
    }
    return all;
}

}  // namespace simtlm::platform
