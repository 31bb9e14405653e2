// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "platform/options/options.h"

#include <atomic>
#include <memory>
#include <string>

namespace simtlm::runtime {

/// The simulated GPUs of a host program, as every runtime library (CUDA, OpenCL) has them: made of
/// the options that `simtlm run` hands over, or of gpgpusim.config; statistics are written when the
/// process ends, or when a signal ends it. A library derives its own session with what its handles
/// stand for.
///
/// Commands go the same way for all: system::make_launch, make_copy and make_fill give a task;
/// scheduler::submit puts it into a device::stream (a command queue), scheduler::wait and poll tell
/// when it is done.
class host_session {
public:
    host_session(const host_session&) = delete;
    host_session& operator=(const host_session&) = delete;

    device::system& gpus() { return *system_; }
    const device::system_config& config() const { return system_->config(); }
    device::scheduler& work() { return system_->work(); }
    /// The process that it was made in: a forked one cannot use it.
    int process() const { return process_; }

    /// The program has ended, or a signal ends it: statistics are written. Later calls do nothing.
    /// @param why  of an interruption; empty: it has come to its end
    void end(const std::string& why);
    bool ended() const { return ended_; }
    /// After end(): ends the process with a code of `simtlm run` where the program's own, 0, tells
    /// nothing of an aborted kernel or of lost results.
    void end_with_code();

protected:
    /// @param library  an address in the library: its presets lie beside it
    /// @throws kernel::user_error  the configuration is at fault
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
