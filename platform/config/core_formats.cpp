// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/nearest_name.h"
#include "platform/config/format_tools.h"
#include "platform/options/options.h"

#include <algorithm>

namespace simtlm::platform {

pipeline_widths parse_pipeline_widths(std::string_view text) {
    const std::vector<unsigned> w = parse_numbers(text, ',', 7, 13);
    using namespace core;  // for the names of the pipelines
    std::vector<pipe> order;
    switch (w.size()) {
        case 7:
            order = {pipe_sp, pipe_sfu, pipe_mem};
            break;
        case 9:  // configurations between GPGPU-Sim 3 and 4
            order = {pipe_sp, pipe_dp, pipe_sfu, pipe_mem};
            break;
        case 11:
        case 13:
            order = {pipe_sp, pipe_dp, pipe_int, pipe_sfu, pipe_mem};
            break;
        default:
            throw format_error{fmt::format("has {} widths", w.size()),
                               "7, 9 with DP units, 11 with DP and INT units, or 13 with tensor "
                               "cores"};
    }
    pipeline_widths p;
    p.of[pipe_dp] = p.of[pipe_int] = p.of[pipe_tensor] = {};
    for (std::size_t i = 0; i < order.size(); ++i) p.of[order[i]] = {w[i], w[order.size() + i]};
    p.ex_wb = w[2 * order.size()];
    if (w.size() == 13) p.of[pipe_tensor] = {w[11], w[12]};
    return p;
}

specialized_unit parse_specialized_unit(std::string_view text) {
    const std::vector<std::string> parts = split(text, ',');
    if (parts.size() != 6)
        throw format_error{fmt::format("has {} parts instead of 6", parts.size()),
                           "ENABLED,UNITS,LATENCY,ID_OC,OC_EX,NAME"};
    specialized_unit unit;
    const unsigned enabled = parse_number(parts[0], "0 or 1");
    if (enabled > 1) throw format_error{fmt::format("'{}' is neither 0 nor 1", parts[0]), ""};
    unit.enabled = enabled == 1;
    unit.units = parse_number(parts[1], "number of units");
    const unsigned latency = parse_number(parts[2], "latency");  // validated, but has no effect
    unit.id_oc = parse_number(parts[3], "width");
    unit.oc_ex = parse_number(parts[4], "width");
    unit.name = trimmed(parts[5]);
    if (unit.enabled && (unit.units == 0 || latency == 0 || unit.id_oc == 0 || unit.oc_ex == 0 ||
                         unit.name.empty()))
        throw format_error{"an enabled unit needs a count, a latency, widths and a name",
                           "start with 0 to disable it"};
    return unit;
}

std::string parse_scheduler(std::string_view text, unsigned max_warps) {
    const std::vector<std::string> parts = split(trimmed(text), ':');
    static constexpr const char* plain[] = {"lrr", "gto", "rrr", "oldest"};
    const std::string name = parts[0] == "old" || parts[0] == "oldest_first" ? "oldest" : parts[0];
    for (const char* known : plain)
        if (name == known && parts.size() != 1)
            throw format_error{fmt::format("{} takes no parameters", name), ""};
    const std::vector<std::string> names = core::simt_pipeline::scheduling_policy_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw format_error{fmt::format("there is no warp scheduler '{}'", name),
                           "did you mean " + support::nearest_name(name, names) + "?"};
    const bool two_level = name == "two_level_active";
    const bool limiting = name == "warp_limiting";
    if (!two_level && !limiting)  // other policies check their own parameters
        return parts.size() == 1 ? name : trimmed(text);
    if (parts.size() != (two_level ? 4 : 3))
        throw format_error{
            fmt::format("{} takes {} parameters", name, two_level ? 3 : 2),
            two_level ? "two_level_active:WARPS:INNER:OUTER" : "warp_limiting:PRIORITY:WARPS"};
    for (std::size_t i = 1; i < parts.size(); ++i) parse_number(parts[i], "number");
    // GPGPU-Sim defines these parameters but implements one value of each.
    const auto only = [&](std::size_t i, const char* parameter, const char* value,
                          const char* meaning) {
        if (parse_number(parts[i], "number") != parse_number(value, "number"))
            throw format_error{fmt::format("{} {} is not supported", parameter, parts[i]),
                               fmt::format("{} is {}, {}", parameter, value, meaning)};
    };
    if (two_level) {
        only(2, "INNER", "0", "round robin among the active warps");
        only(3, "OUTER", "1", "the warp that has waited longest becomes active");
    } else {
        only(1, "PRIORITY", "2", "greedy, then the oldest warp");
    }
    const unsigned warps = parse_number(parts[two_level ? 1 : 2], "number of warps");
    if (warps == 0 || warps > max_warps)
        throw format_error{fmt::format("{} of {} warps", warps, max_warps),
                           "at least one warp, and at most as many as an SM holds"};
    return trimmed(text);
}

}  // namespace simtlm::platform
