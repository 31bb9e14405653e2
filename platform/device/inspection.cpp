// SPDX-License-Identifier: Apache-2.0
#include "platform/device/inspection.h"

#include <utility>

namespace simtlm::device {

namespace {

/// Adds the checks that the debug output depends on.
execution::check_options with_log(execution::check_options checks, const debug_output& debug) {
    checks.log = debug.logs_instructions();
    return checks;
}

}  // namespace

inspection::inspection(const platform::option_values& values,
                       std::function<void(std::string_view)> print)
    : debug_(values, std::move(print)),
      checks_(with_log(execution::parse_checks(values.text("--check")), debug_)),
      checker_(checks_) {}

void inspection::prepare(execution::device_memory& memory) const {
    if (checks_.memory) memory.keep_apart();
    if (checks_.init) memory.track_writes();
}

void inspection::attach(execution::services& world) {
    world.log = debug_.log();
    if (checks_.any()) world.checker = &checker_;
}

std::vector<std::string> inspection::take_findings() {
    std::vector<std::string> lines;
    for (const execution::finding& f : checker_.found.take()) lines.push_back(f.message());
    return lines;
}

}  // namespace simtlm::device
