// SPDX-License-Identifier: Apache-2.0
#include "platform/study/statistics_run.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "platform/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace simtlm::platform::study {

namespace {

constexpr const char* schema_name = "simtlm-statistics";
constexpr unsigned schema_version = 2;
constexpr const char* wanted_statistics = "name a file written by simtlm --stats-json FILE";

/// Values listed with each kernel that are not counters.
constexpr const char* kernel_values[] = {
    "gpu_sim_cycle", "gpu_sim_insn", "gpu_ipc",    "gpu_occupancy",    "L2_BW",         "ctas",
    "ctas_per_sm",   "gpu_power",    "gpu_energy", "gpu_energy_delay", "gpu_core_clock"};

void add_counters(const json& kinds, std::map<std::string, double>& into) {
    for (const auto& [kind, counters] : kinds.items())
        for (const auto& [counter, value] : counters.items()) {
            const std::string name = kind + "." + counter;
            if (value.is_number()) into[name] = value.get<double>();
            if (!value.is_object()) continue;
            for (const auto& [cell, number] : value.items())
                if (number.is_number()) into[name + "." + cell] = number.get<double>();
        }
}

}  // namespace

statistics_run::statistics_run(std::string file, json document)
    : file_(std::move(file)), document_(std::move(document)) {
    check();
}

statistics_run statistics_run::read(const std::string& file) {
    return {file, read_json(file, wanted_statistics)};
}

void statistics_run::check() const {
    const auto refuse = [&](const std::string& what) {
        throw support::user_error(file_, what, wanted_statistics);
    };
    const auto member = [](const json& of, const char* name) {
        const auto at = of.is_object() ? of.find(name) : of.end();
        return at != of.end() ? *at : json();
    };
    const json schema = member(document_, "schema");
    if (member(schema, "name") != json(schema_name)) refuse("holds no statistics of simtlm");
    if (const json version = member(schema, "version"); version != json(schema_version))
        refuse(fmt::format("has version {} of the schema, this program knows version {}",
                           version.is_primitive() ? version.dump() : version.type_name(),
                           schema_version));
    for (const char* name : {"total", "config", "provenance", "kernels"})
        if (!document_.contains(name)) refuse(fmt::format("has no member '{}'", name));
    json_schema::statistics().check(document_, file_, wanted_statistics);
    for (const json& k : document_["kernels"])
        if (!k.contains("name") || !k.contains("counters"))
            refuse("has a kernel without name or counters");
    if (const auto blocks = document_.find("blocks"); blocks != document_.end())
        for (const auto& [name, block] : blocks->items())
            if (!block.contains("counters") || !block["counters"].is_object())
                refuse(fmt::format("has a block '{}' without counters", support::printable(name)));
}

std::string statistics_run::presets() const {
    std::string names;
    for (const json& p : document_["provenance"].value("presets", json::array()))
        if (p.is_string()) names += (names.empty() ? "" : ", ") + p.get<std::string>();
    return names.empty() ? "no preset" : names;
}

std::string statistics_run::ended() const {
    return document_.value("ended", std::string("not told"));
}

std::string statistics_run::resumed() const {
    const auto at = document_.find("resumed");
    if (at == document_.end()) return {};
    constexpr std::size_t max_named = 5;
    const json& options = (*at)["options"];
    std::string text = fmt::format("resumed from {} after kernel {}",
                                   support::printable((*at)["checkpoint"].get<std::string>()),
                                   (*at)["kernels"].get<std::uint64_t>());
    if (const std::uint64_t placed = (*at)["placed_ctas"]; placed != 0)
        text += fmt::format(" and {} thread blocks of the next", placed);
    std::size_t n = 0;
    for (const auto& [name, o] : options.items())
        if (n++ < max_named)
            text +=
                fmt::format("{}{} {} -> {}", n == 1 ? ", with " : ", ", support::printable(name),
                            support::printable(o["saved"].get<std::string>()),
                            support::printable(o["here"].get<std::string>()));
    if (n > max_named) text += fmt::format(" and {} more options", n - max_named);
    return text;
}

double statistics_run::cycles() const {
    constexpr double most = 9e18;  // fits 64 bits
    return std::clamp(number_in(total(), "gpu_tot_sim_cycle"), 0.0, most);
}

double number_in(const json& object, const std::string& name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

std::string statistics_run::option(const std::string& name) const {
    const json& config = document_["config"];
    const auto at = config.find(name);
    return at != config.end() && at->is_string() ? at->get<std::string>() : std::string();
}

kernel_key kernel_key::of(const json& kernel) {
    const auto number = [&](const char* name) -> std::uint64_t {
        const auto at = kernel.find(name);
        return at != kernel.end() && at->is_number_integer() ? at->get<std::uint64_t>() : 0;
    };
    kernel_key key;
    key.list_number = number("list_number");
    key.kernel_id = number("kernel_id");
    key.launch_uid = number("launch_uid");
    key.name = kernel.value("demangled_name", std::string());
    if (key.name.empty()) key.name = kernel.value("name", std::string());
    return key;
}

std::string kernel_key::text() const {
    return fmt::format("{} {}", list_number != 0 ? list_number : launch_uid, name);
}

std::map<std::string, double> statistics_of_kernel(const json& kernel) {
    std::map<std::string, double> all;
    for (const char* name : kernel_values) {
        const auto at = kernel.find(name);
        if (at != kernel.end() && at->is_number()) all[name] = at->get<double>();
    }
    add_counters(kernel.at("counters"), all);
    return all;
}

std::map<std::string, double> statistics_of_total(const statistics_run& run) {
    std::map<std::string, double> all;
    for (const auto& [name, value] : run.total().items())
        if (value.is_number()) all[name] = value.get<double>();
    return all;
}

std::map<std::string, std::string> units_of(const statistics_run& run) {
    std::map<std::string, std::string> units = {{"gpu_sim_cycle", "core cycles"},
                                                {"gpu_tot_sim_cycle", "core cycles"},
                                                {"gpu_sim_insn", "thread instructions"},
                                                {"gpu_tot_sim_insn", "thread instructions"},
                                                {"gpu_occupancy", "%"},
                                                {"L2_BW", "GB/s"},
                                                {"gpu_power", "W"},
                                                {"gpu_energy", "J"},
                                                {"gpu_energy_delay", "J s"},
                                                {"gpu_core_clock", "MHz"}};
    const auto counters = run.document().find("counters");
    if (counters == run.document().end() || !counters->is_object()) return units;
    for (const auto& [kind, of_kind] : counters->items())
        if (of_kind.is_object())
            for (const auto& [counter, about] : of_kind.items())
                if (about.is_object()) units[kind + "." + counter] = about.value("unit", "");
    return units;
}

std::map<std::string, std::string> model_options(const statistics_run& run) {
    std::map<std::string, std::string> options;
    static const std::set<std::string> of_the_host = {
        "--threads",        "--sms-a-thread", "--shuffle-seed",   "--no-sleep",
        "--processes",      "--check-dram",   "--profile-kernel", "--trace-lookahead",
        "--host-grace",     "--record-trace", "--record-form",    "--functional-threads",
        "--keep-exit-code", "--stats-file",   "--debug",          "--debug-commands"};
    static const std::set<std::string> of_the_choice = {
        "--kernels", "--kernel-ids", "--kernel-names", "--skip-kernels", "--max-kernels"};
    for (const auto& [name, value] : run.document()["config"].items()) {
        const option_info* info = find_option(name);
        if (info != nullptr && info->group == option_group::output) continue;
        if (of_the_host.count(name) != 0 || of_the_choice.count(name) != 0) continue;
        if (name == "-config" || name == "--preset") continue;  // replaced by their options
        options[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    return options;
}

bool glob_matches(const std::string& pattern, const std::string& name) {
    std::size_t p = 0, n = 0, star = std::string::npos, after = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string::npos) {
            p = star + 1;
            n = ++after;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string readable_number(double value) {
    if (!std::isfinite(value)) return "-";
    constexpr double largest = 9e15;
    if (value == std::floor(value) && std::fabs(value) < largest) {
        std::string digits = fmt::format("{:.0f}", std::fabs(value));
        for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
            digits.insert(static_cast<std::size_t>(at), ",");
        return (value < 0 ? "-" : "") + digits;
    }
    const double size = std::fabs(value);
    return size >= 1000 && size < largest ? readable_number(std::round(value))
                                          : fmt::format("{:.4g}", value);
}

std::string readable_change(double from, double to) {
    if (from == to) return "0 %";
    if (from == 0) return "new";
    const double percent = 100 * (to - from) / std::fabs(from);
    const double size = std::fabs(percent);
    if (size >= 1000) return fmt::format("x{:.3g}", to / from);
    return fmt::format("{:+.{}f} %", percent,
                       size >= 100   ? 0
                       : size >= 10  ? 1
                       : size >= 0.1 ? 2
                                     : 4);
}

std::string shortened(const std::string& text, std::size_t width) {
    if (text.size() <= width) return text;
    const std::size_t head = (width - 3) * 2 / 3, tail = width - 3 - head;
    return text.substr(0, head) + "..." + text.substr(text.size() - tail);
}

}  // namespace simtlm::platform::study
