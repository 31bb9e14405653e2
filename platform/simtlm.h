// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/base_protocol_checker.h"
#include "modules/support/error.h"
#include "platform/config/config.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/host_registers.h"
#include "platform/gpu/width_adapter.h"
#include "platform/options/options.h"
#include "platform/options/parameters.h"
#include "platform/options/presets.h"
#include "platform/outputs/output_recorder.h"
#include "platform/report/report.h"
#include "platform/waveform/timeline.h"
#include "platform/waveform/waveform.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Public interface for SystemC platforms that instantiate a GPU: see docs/cosimulation.md.
namespace simtlm {

/// The GPU: an sc_module with the ports `host`, `memory[n]`, `irq`, `clock[4]` and `reset`.
using gpu = platform::gpu;
/// Complete, validated configuration passed to the constructor of gpu.
using gpu_config = platform::gpu_config;
using trace_set = platform::trace_set;
/// Treatment of an external memory.
using external_memory = platform::external_memory;
using memory_data = platform::memory_data;
using memory_timing = platform::memory_timing;
using memory_addresses = platform::memory_addresses;
/// Offsets, bits and codes of the register map; simtlm_registers.h defines them for C.
namespace host = platform::host;
/// The report printed after a kernel, and access to every statistic by name.
using report = platform::report;
using reporter = platform::reporter;
/// Writes the files that options request (--stats-json, --interval, --vcd, ...), as the executable
/// does.
using platform::output_recorder;
/// Start the recordings that the configuration requests (--vcd, --timeline), if any. Call them
/// after the GPU has been built and before the simulation starts; call finish() on the result
/// afterwards.
using platform::attach_timeline;
using platform::attach_waveforms;
/// Thrown for faulty configurations and traces.
using user_error = support::user_error;

template <unsigned BusWidth = 32>
using base_protocol_checker = protocol::base_protocol_checker<BusWidth>;

/// Connects an initiator and a target of different socket widths, which TLM-2.0 does not bind
/// directly: the `memory[n]` sockets have 32 bits.
template <unsigned InitiatorWidth, unsigned TargetWidth>
using width_adapter = platform::width_adapter<InitiatorWidth, TargetWidth>;

/// Makes a configuration from command-line options, in order; later options override earlier ones:
/// `configure({"--preset", "TINY", "-gpgpu_n_mem", "4"}, CONFIGS)`.
/// @param config_folder  folder of the presets; the CMake package defines simtlm_CONFIG_DIR
/// @throws user_error
gpu_config configure(const std::vector<std::string>& options,
                     const std::string& config_folder = {});

/// Splits options that a platform keeps in one string at white space; "double quotes" enclose an
/// option with spaces.
std::vector<std::string> split_options(const std::string& options);

/// The same in steps: the options of a GPU as parameters with hierarchical names, such as
/// gpu.cluster0.sm0.l1d.sets, which are read and changed before the GPU is constructed.
/// <simtlm/cci.h> passes them to the broker of SystemC CCI.
class configuration {
public:
    /// As configure().
    explicit configuration(const std::vector<std::string>& options,
                           const std::string& config_folder = {});
    configuration(const configuration&) = delete;
    configuration& operator=(const configuration&) = delete;

    platform::parameter_values& parameters() { return parameters_; }
    /// Validates all values. @throws user_error
    gpu_config make() const { return platform::make_gpu_config(values_); }

private:
    platform::option_values values_;
    platform::parameter_values parameters_;
};

/// The parameters of a GPU as SystemC attributes of its modules, for tools that list a hierarchy:
/// get_attribute("sets") of gpu.cluster0.sm0.l1d is an sc_attribute<std::string> with the value in
/// option syntax. They are copies: writing them has no effect. Modules of a kind share them, and a
/// parameter of a module that this GPU lacks, such as a stage of the other pipeline, has none.
/// Construct after elaboration, which makes the DRAM channels: in start_of_simulation() of the
/// platform, or after sc_start(sc_core::SC_ZERO_TIME). Must not outlive the GPU.
class parameter_attributes {
public:
    parameter_attributes(gpu& device, configuration& values);
    ~parameter_attributes();
    parameter_attributes(const parameter_attributes&) = delete;
    parameter_attributes& operator=(const parameter_attributes&) = delete;

private:
    using attribute = sc_core::sc_attribute<std::string>;
    /// Adds the attributes to an object and the objects in it.
    void attach(sc_core::sc_object& object, const std::string& name);

    std::multimap<std::string, std::unique_ptr<attribute>> by_module_;
    std::vector<std::pair<sc_core::sc_object*, attribute*>> attached_;
};

}  // namespace simtlm
