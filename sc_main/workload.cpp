// SPDX-License-Identifier: Apache-2.0
#include "sc_main/workload.h"

#include "modules/support/error.h"
#include "modules/trace/command_list.h"
#include "modules/trace/cta_filter.h"
#include "modules/trace/kernel_header.h"
#include "platform/gpu/gpu_blocks.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace simtlm {

namespace {

dispatch::host_command host_command_of(const trace::command& c) {
    dispatch::host_command h;
    h.address = c.address;
    h.bytes = c.bytes;
    h.file = c.file;
    h.where = c.where;
    h.list_number = c.number;
    using kind = dispatch::host_command::kind;
    switch (c.what) {
        case trace::command::kind::copy_host_to_device:
            h.what = kind::copy_in;
            break;
        case trace::command::kind::copy_device_to_host:
            h.what = kind::copy_out;
            break;
        case trace::command::kind::synchronize:
            h.what = kind::synchronize;
            break;
        case trace::command::kind::kernel:
            h.what = kind::launch;
            break;
    }
    return h;
}

/// The reason of an error without file and kernel name, for grouping.
std::string reason_of(const support::user_error& e, const std::string& kernel) {
    std::string reason = e.what();
    for (const std::string& part : {e.where(), kernel}) {
        const std::size_t at = part.empty() ? std::string::npos : reason.find(part);
        if (at != std::string::npos) reason.erase(at, part.size());
    }
    return reason;
}

}  // namespace

workload read_workload(platform::gpu_config& config) {
    workload w;
    std::map<std::string, std::pair<std::string, unsigned>> refused;  // by reason
    std::map<std::string, std::uint64_t> ctas_of;                     // by file
    for (const trace::command& c :
         trace::read_command_list(config.run.trace, config.traces.choice)) {
        w.commands.push_back(host_command_of(c));
        if (c.what != trace::command::kind::kernel) continue;
        ++w.kernels;
        const auto [known, fresh] = ctas_of.emplace(c.file, 0);
        if (fresh) {
            w.kernel_files.push_back(c.file);
            std::string name;
            try {
                const trace::kernel_header header = trace::read_kernel_header(c.file, w.warnings);
                name = header.name;
                w.headers.emplace(c.file, platform::traits_of_header(header));
                if (config.traces.validate) header.check_plausible();
                known->second = trace::chosen_blocks(
                    header.grid, config.traces.choice.ctas.value_or(trace::cta_range()));
                platform::check_trace_fits(config, platform::descriptor_of(header));
            } catch (const support::user_error& e) {
                ++refused.emplace(reason_of(e, name), std::pair(e.what(), 0u)).first->second.second;
            }
        }
        w.ctas += known->second;
    }
    for (const auto& [reason, first] : refused)
        w.refusals.push_back(first.second == 1 ? first.first
                                               : fmt::format("{}; so are {} more kernels",
                                                             first.first, first.second - 1));
    return w;
}

}  // namespace simtlm
