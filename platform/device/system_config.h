// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/device/copy_queue.h"
#include "platform/device/module_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::device {

/// Properties of the GPUs as seen by a host, read from options.
struct system_config {
    platform::gpu_config gpu;
    std::string name = "simtlm";  ///< of the GPU
    unsigned gpus = 1;
    std::vector<unsigned> gpc_sms;  ///< number of SMs in each GPC; empty: all in one GPC
    bool functional = false;
    unsigned functional_threads = 1;
    std::uint64_t memory_bytes = std::uint64_t{32} << 30;  ///< device memory of each GPU
    std::uint64_t stack_limit = 1024, heap_limit = 8 << 20;
    unsigned grace_ms = 300;
    copy_links links;
    code_preference code = code_preference::automatic;
    std::string ptxas = "off";  ///< --ptxas: auto, off or the path of a compiler of PTX
    /// Limits the PTX selected from a fat binary; 0: capability of the GPU.
    unsigned max_ptx_capability = 0;

    /// @throws support::user_error
    static system_config from(const platform::option_values& values);
    /// Returns whether the options or the environment request functional mode.
    static bool is_functional(const platform::option_values& values);
    unsigned capability() const {
        return max_ptx_capability != 0 ? max_ptx_capability : gpu.binary_version();
    }
    gpu_architecture architecture() const { return {gpu.binary_version(), capability()}; }
};

}  // namespace simtlm::device
