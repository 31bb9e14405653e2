// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/launch_script.h"
#include "modules/execution/state/execution_log.h"
#include "modules/ptx/module.h"
#include "modules/support/output_file.h"
#include "platform/options/options.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// Program debug output described in the GPGPU-Sim manual: PTX_SIM_DEBUG and
/// PTX_SIM_DEBUG_THREAD_UID write to stdout, -gpgpu_ptx_inst_debug_to_file to a file.
class debug_output {
public:
    /// @param print  writes to stdout
    /// @throws support::user_error  if the file cannot be written or is an input
    debug_output(const platform::option_values& values,
                 std::function<void(std::string_view)> print);
    /// Moves the output written so far to its final name, because a fault may have ended the run.
    ~debug_output();

    /// Returns the log, or nullptr if no output is requested.
    execution::execution_log* log() { return log_.empty() ? nullptr : &log_; }
    bool logs_instructions() const { return log_.logs_instructions(); }
    /// Levels 2, 50 and 100: prints control flow and the parsed program.
    void program_loaded(const ptx::module& m, const std::string& text) const;
    /// Level 3: prints device memory buffers and copies to them.
    void buffers_placed(const std::vector<execution::script_run::placed>& buffers) const;
    void copied(std::uint64_t to, std::uint64_t bytes) const;
    /// @throws support::output_error
    void finish();

private:
    int level_ = 0;
    std::function<void(std::string_view)> print_;
    support::output_file& file();

    std::string name_;  ///< of the file of -gpgpu_ptx_inst_debug_to_file; empty: none, or written
    std::unique_ptr<support::output_file> file_;
    execution::execution_log log_;
};

}  // namespace simtlm::device
