// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "platform/options/options.h"

#include <atomic>
#include <memory>
#include <string>

namespace simtlm::runtime {

/// The simulated GPUs of a host program, common to all runtime libraries (CUDA, OpenCL): built from
/// the options passed by `simtlm run`, or from gpgpusim.config. Statistics are written when the
/// process ends, normally or by a signal. A library derives its own session, which holds the
/// objects behind its handles.
///
/// All libraries submit commands in the same way: validated_launch::make_task, system::make_copy
/// and make_fill create a task; scheduler::submit appends it to a device::stream (a command queue);
/// scheduler::wait and poll report its completion.
class host_session {
public:
    host_session(const host_session&) = delete;
    host_session& operator=(const host_session&) = delete;

    device::system& gpus() { return *system_; }
    const device::system_config& config() const { return system_->config(); }
    device::scheduler& work() { return system_->work(); }
    /// The process that created the session; a forked process cannot use it.
    int process() const { return process_; }

    /// Writes statistics because the program has ended or a signal ends it. Later calls have no
    /// effect.
    /// @param why  reason of an interruption; empty: the program has completed
    void end(const std::string& why);
    bool ended() const { return ended_; }
    /// Call after end(): the exit code for a program that ends with `exit_code`. If that is 0 and
    /// hides an aborted kernel or lost results, one of `simtlm run`, which is explained on stderr.
    int exit_code_for(int exit_code) const;
    /// The code that the program has passed to exit().
    static int program_exit_code();

protected:
    /// @param library  an address in the library, used to find its presets
    /// @throws support::user_error  for a faulty configuration
    explicit host_session(const void* library);
    ~host_session();

    const platform::option_values& options() const { return options_; }

private:
    bool keeps_no_exit_code() const;
    void quit();

    const int process_;
    platform::option_values options_;
    std::unique_ptr<device::system> system_;
    std::atomic<bool> ended_{false};
};

}  // namespace simtlm::runtime
