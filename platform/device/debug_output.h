// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/debug/execution_log.h"
#include "modules/execution/launch_script.h"
#include "modules/kernel/output_file.h"
#include "modules/ptx/module.h"
#include "platform/options/options.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// What the manual's aids for looking into programs ask for: PTX_SIM_DEBUG and
/// PTX_SIM_DEBUG_THREAD_UID write to stdout, -gpgpu_ptx_inst_debug_to_file to a file.
class debug_output {
public:
    /// @param print  writes to stdout
    /// @throws kernel::user_error  the file cannot be written, or is an input
    debug_output(const platform::option_values& values,
                 std::function<void(std::string_view)> print);
    /// What has been written so far gets its name: a fault may have ended the run.
    ~debug_output();

    /// nullptr: nobody asks for it.
    execution::execution_log* log() { return log_.empty() ? nullptr : &log_; }
    bool tells_instructions() const { return log_.tells_instructions(); }
    /// Levels 2, 50 and 100: control flow, and the program as it was read.
    void program_loaded(const ptx::module& m, const std::string& text) const;
    /// Level 3: device memory and what is copied there.
    void buffers_placed(const std::vector<execution::script_run::placed>& buffers) const;
    void copied(std::uint64_t to, std::uint64_t bytes) const;
    /// @throws kernel::output_error
    void finish();

private:
    int level_ = 0;
    std::function<void(std::string_view)> print_;
    std::unique_ptr<kernel::output_file> file_;
    execution::execution_log log_;
};

}  // namespace simtlm::device
