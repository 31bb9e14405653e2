// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_heap.h"
#include "modules/execution/launch_script.h"
#include "modules/execution/program_image.h"
#include "modules/kernel/archive_fwd.h"
#include "platform/debugger/gpu_debugger.h"
#include "platform/device/inspection.h"
#include "platform/options/options.h"
#include "platform/outputs/output_check.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm {

/// The program of --ptx in device memory, with the buffers and launches of --launch.
class loaded_program {
public:
    /// @throws kernel::user_error
    explicit loaded_program(const platform::option_values& values);
    /// Says what checks have found, if that has not been done: a fault may have ended the run.
    ~loaded_program();
    loaded_program(const loaded_program&) = delete;
    loaded_program& operator=(const loaded_program&) = delete;

    execution::device_memory& memory() { return memory_; }
    const execution::program_image& image() const { return *image_; }
    const execution::launch_script& script() const { return script_; }
    std::vector<execution::launch> launches() const { return run_.launches(); }
    /// In order of their names.
    std::vector<execution::script_run::placed> buffers() const { return run_.buffers(); }
    /// What its programs ask of the world: they print to stdout.
    const execution::services& world() const { return world_; }
    execution::services& world() { return world_; }
    /// The files that it is made of and reads, and those that it writes.
    const std::vector<platform::provenance::file>& inputs() const { return inputs_; }
    const std::vector<platform::named_output>& outputs() const { return outputs_; }
    /// Device memory, in a checkpoint between two launches.
    /// @throws kernel::user_error  it cannot be saved, or what was saved is of another program
    void checkpoint(kernel::archive& a);
    /// What a debugger asks of it; variables and buffers have names.
    platform::program_access access() const;
    /// After the last launch: writes and compares results, and says what is wrong and what checks
    /// have found.
    /// @returns the exit code
    int finish();

private:
    /// @return there was something
    bool tell_findings();

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
