// SPDX-License-Identifier: Apache-2.0
#include "sc_main/workload.h"

#include "modules/kernel/error.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_header.h"
#include "platform/gpu/gpu.h"

#include <map>

namespace simtlm {

namespace {

dispatch::host_command host_command_of(const trace::command& c) {
    dispatch::host_command h;
    h.address = c.address;
    h.bytes = c.bytes;
    h.file = c.file;
    h.where = c.where;
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

}  // namespace

workload read_workload(const platform::gpu_config& config) {
    workload w;
    std::map<std::string, std::uint64_t> ctas_of;  // by file
    for (const trace::command& c : trace::read_command_list(config.run.trace)) {
        w.commands.push_back(host_command_of(c));
        if (c.what != trace::command::kind::kernel) continue;
        ++w.kernels;
        const auto [known, fresh] = ctas_of.emplace(c.file, 0);
        if (fresh) {
            w.kernel_files.push_back(c.file);
            try {
                const trace::kernel_header header = trace::read_kernel_header(c.file, w.warnings);
                known->second = header.grid.volume();
                platform::check_trace_fits(config, platform::facts_of(header));
            } catch (const kernel::user_error& e) {
                w.refusals.emplace_back(e.what());
            }
        }
        w.ctas += known->second;
    }
    return w;
}

}  // namespace simtlm
