// SPDX-License-Identifier: Apache-2.0
#include "platform/config/core_models.h"

#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

const std::vector<core_model>& core_models() {
    static const std::vector<core_model> models = {
        {"simt", "classic", read_simt, {option_group::operands, option_group::units}},
        {"sub-core", "modern", read_sub_cores, {option_group::sub_cores}},
    };
    return models;
}

const core_model& core_model_of(const option_values& v) {
    const std::string& name = v.text("--core");
    std::string names;
    for (const core_model& m : core_models()) {
        if (name == m.name || name == m.alias)
            return v.text("--compat") == "accel-sim" ? core_models().front() : m;
        names += fmt::format("{}{} ({})", names.empty() ? "" : " or ", m.name, m.alias);
    }
    v.fail("--core", "unknown core", names);
}

std::vector<std::string> notes_on(const option_values& v) {
    std::vector<std::string> lines = v.notes();
    const core_model& used = core_model_of(v);
    for (const core_model& other : core_models()) {
        if (&other == &used) continue;
        std::string names;
        for (const option_info& option : option_table()) {
            // --core and the latencies of PTX programs are in these groups, too.
            if (option.name[1] == '-' || option.name.substr(0, 4) == "-ptx") continue;
            if (std::count(other.options.begin(), other.options.end(), option.group) != 0 &&
                v.given(option.name) &&
                v.value(option.name).origin.kind == option_origin::source::command_line)
                names += (names.empty() ? "" : ", ") + option.name;
        }
        if (!names.empty())
            lines.push_back(
                fmt::format("accepted without effect: {} (of --core {}; this run uses --core {})",
                            names, other.name, used.name));
    }
    return lines;
}

}  // namespace simtlm::platform
