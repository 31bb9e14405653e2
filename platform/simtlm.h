// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"
#include "modules/protocol/base_protocol_checker.h"
#include "platform/config/config.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/host_registers.h"
#include "platform/gpu/width_adapter.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"
#include "platform/report/report.h"
#include "platform/waveform/timeline.h"
#include "platform/waveform/waveform.h"

#include <string>
#include <vector>

/// What a SystemC platform needs to have a GPU: see docs/cosimulation.md.
namespace simtlm {

/// The GPU: an sc_module with the pins `host`, `memory[n]`, `irq`, `clock[4]` and `reset`.
using gpu = platform::gpu;
/// A complete, validated configuration: what the constructor of a gpu takes.
using gpu_config = platform::gpu_config;
using trace_set = platform::trace_set;
/// How an external memory is treated.
using external_memory = platform::external_memory;
using memory_data = platform::memory_data;
using memory_timing = platform::memory_timing;
using memory_addresses = platform::memory_addresses;
/// Offsets, bits and codes of the register map; simtlm_registers.h has them for C.
namespace host = platform::host;
/// What the executable prints after a kernel, and every figure by its name.
using report = platform::report;
using reporter = platform::reporter;
/// Record what the configuration asks for (--vcd, --timeline); nothing if it asks for none. Call
/// them when the GPU is built and before the simulation starts, finish() the result afterwards.
using platform::attach_timeline;
using platform::attach_waveforms;
/// Thrown for configurations and traces at fault.
using user_error = kernel::user_error;

template <unsigned BusWidth = 32>
using base_protocol_checker = protocol::base_protocol_checker<BusWidth>;

/// Joins an initiator and a target whose sockets differ in width, which TLM-2.0 does not bind to
/// one another: the pins `memory[n]` have 32 bits.
template <unsigned InitiatorWidth, unsigned TargetWidth>
using width_adapter = platform::width_adapter<InitiatorWidth, TargetWidth>;

/// Makes a configuration from options as the executable takes them, in order, later ones win:
/// `configure({"--preset", "TINY", "-gpgpu_n_mem", "4"}, CONFIGS)`.
/// @param config_folder  where presets are found; the package sets simtlm_CONFIG_DIR to its own
/// @throws user_error
gpu_config configure(const std::vector<std::string>& options,
                     const std::string& config_folder = {});

}  // namespace simtlm
