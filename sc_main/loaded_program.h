// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/launch_script.h"
#include "modules/execution/state/device_heap.h"
#include "modules/execution/state/program_image.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/output_target.h"
#include "platform/config/config.h"
#include "platform/debugger/gpu_debugger.h"
#include "platform/device/inspection.h"
#include "platform/options/options.h"
#include "platform/outputs/output_check.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm {

/// The program of --ptx or --cubin in device memory, with the buffers and launches of --launch.
class loaded_program {
public:
    /// @param gpu  that runs it; nullptr: functional mode @throws support::user_error
    loaded_program(const platform::option_values& values, const platform::gpu_config* gpu);
    /// Prints findings of checks that have not been printed yet, because a fault may have ended the
    /// run.
    ~loaded_program();
    loaded_program(const loaded_program&) = delete;
    loaded_program& operator=(const loaded_program&) = delete;

    execution::device_memory& memory() { return memory_; }
    const execution::program_image& image() const { return *image_; }
    const execution::launch_script& script() const { return script_; }
    std::vector<execution::launch> launches() const { return run_.launches(); }
    /// The buffers, sorted by name.
    std::vector<execution::script_run::placed> buffers() const { return run_.buffers(); }
    /// Execution services of the programs; printf goes to stdout.
    const execution::services& world() const { return world_; }
    execution::services& world() { return world_; }
    /// Input and output files of the program and its launches.
    const std::vector<platform::provenance::file>& inputs() const { return inputs_; }
    const std::vector<platform::named_output>& outputs() const { return outputs_; }
    /// Saves or restores device memory in a checkpoint between two launches.
    /// @throws support::user_error  if it cannot be saved, or was saved for another program
    void checkpoint(support::archive& a);
    /// Access for a debugger; variables and buffers are looked up by name.
    platform::program_access access() const;
    /// Call after the last launch: writes and compares results, and prints mismatches and findings
    /// of the checks. @param attempt  receives errors of outputs
    /// @returns the exit code if all outputs could be written
    int finish(support::output_attempts& attempt);

private:
    /// @return whether there were findings
    bool print_findings();

    device::inspection inspection_;
    execution::device_memory memory_;
    execution::device_heap heap_;
    std::unique_ptr<execution::program_image> image_;
    execution::launch_script script_;
    execution::script_run run_;
    execution::services world_;
    std::vector<platform::provenance::file> inputs_;
    std::vector<platform::named_output> outputs_;
};

}  // namespace simtlm
