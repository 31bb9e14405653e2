// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/gpu_services.h"

#include <systemc>

namespace simtlm::platform {

void set_gpu_services(const gpu_config& config, execution::services& of_program) {
    of_program.sms = config.sms();
    of_program.host_threads = config.run.threads;
    of_program.cycles_per_nanosecond = config.clocks.core * 1e-9;
    of_program.global_time = [] {
        return static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e9);
    };
}

}  // namespace simtlm::platform
