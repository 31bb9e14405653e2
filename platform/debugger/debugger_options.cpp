// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/debugger_options.h"

#include "platform/config/config.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <vector>

namespace simtlm::platform {

namespace {

trace_stream stream_of(const option_values& v, const std::string& name) {
    std::string all;
    for (unsigned s = 0; s < trace_streams; ++s) {
        const auto stream = static_cast<trace_stream>(s);
        if (trace_stream_name(stream) == name) return stream;
        all += (all.empty() ? "" : ", ") + std::string(trace_stream_name(stream));
    }
    v.fail("-trace_components", fmt::format("has no component {}", name), "there are " + all);
}

/// Reads a number from -1 (all) to count - 1.
int selected(const option_values& v, std::string_view option, std::size_t count, const char* what) {
    const std::int64_t n = v.integer(option);
    if (n < -1 || n >= static_cast<std::int64_t>(count))
        v.fail(option, fmt::format("the GPU has {} {}", count, what), "0 is the first, -1 all");
    return static_cast<int>(n);
}

}  // namespace

debugger_config debugger_config::of(const option_values& v) {
    const char* const wanted = std::getenv("GPGPUSIM_DEBUG");
    debugger_config c;
    c.on = v.flag("--debug") ||
           (wanted != nullptr && *wanted != '\0' && std::strcmp(wanted, "0") != 0);
    c.commands = v.text("--debug-commands");
    if (!c.commands.empty() && !c.on)
        v.fail("--debug-commands", "has no effect without the debugger", "--debug");
    return c;
}

const char* trace_stream_name(trace_stream s) {
    constexpr const char* names[trace_streams] = {
        "WARP_SCHEDULER",           "SCOREBOARD",   "MEMORY_PARTITION_UNIT",
        "MEMORY_SUBPARTITION_UNIT", "INTERCONNECT", "LIVENESS"};
    return names[static_cast<unsigned>(s)];
}

stream_config stream_config::of(const option_values& v, const gpu_config& gpu) {
    stream_config c;
    // Published configurations list components even if tracing is disabled.
    if (!v.flag("-trace_enabled")) return c;
    std::istringstream names(v.text("-trace_components"));
    for (std::string name; std::getline(names, name, ',');)
        if (!name.empty() && name != "none")
            c.streams |= 1u << static_cast<unsigned>(stream_of(v, name));
    if (c.streams == 0)
        v.fail("-trace_enabled", "contains no component",
               "-trace_components WARP_SCHEDULER,SCOREBOARD");
    c.core = selected(v, "-trace_sampling_core", gpu.sms(), "SMs");
    c.partition =
        selected(v, "-trace_sampling_memory_partition", gpu.memory.channels, "memory partitions");
    return c;
}

void check_watchers(const option_values& v, const gpu_config& gpu, const debugger_config& debugger,
                    const stream_config& streams) {
    if (!debugger.on && streams.streams == 0) return;
    const char* const who = debugger.on ? "the debugger" : "-trace_enabled";
    if (debugger.on && streams.streams != 0)
        v.fail("-trace_enabled", "cannot be combined with the debugger", "omit one of them");
    if (!gpu.run.timeline.empty())
        v.fail("--timeline", fmt::format("cannot be combined with {}", who), "omit one of them");
    if (gpu.run.profile_instructions)
        v.fail("-enable_ptx_file_line_stats", fmt::format("cannot be combined with {}", who),
               "omit one of them");
}

}  // namespace simtlm::platform
