// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_blocks.h"
#include "sc_main/output.h"
#include "sc_main/progress.h"

#include <atomic>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm {

/// While an instance exists, SIGINT, SIGTERM and SIGHUP end the run in an orderly way; another
/// signal more than one second later kills the process. Signals that the caller ignores stay
/// ignored.
class signal_guard {
public:
    signal_guard();
    ~signal_guard();
    signal_guard(const signal_guard&) = delete;
    signal_guard& operator=(const signal_guard&) = delete;
    /// Number of the received signal; 0: none.
    static int received();
    /// Set once a signal has been received; for other threads.
    static const std::atomic<bool>& any();
    /// Name of the received signal, such as "SIGTERM".
    static std::string name();
};

/// Runs the simulation from sc_main: prints a report after every kernel, shows progress, and
/// periodically checks for signals between steps of the GPU clocks.
class run_control : public sc_core::sc_module {
public:
    enum class ending { finished, limit, deadlock, interrupted, quit };

    run_control(const sc_core::sc_module_name& name, platform::gpu& device, output& out,
                progress& line);
    const char* kind() const override { return "run_control"; }

    /// Runs until all commands are done or the run is ended early. In any case the statistics have
    /// been reported. @throws whatever ends the run early, in particular support::user_error
    /// @param next     see workload::next
    /// @param attempt  receives errors of the outputs that are written at the end
    ending run(const std::function<std::vector<dispatch::host_command>()>& next,
               support::output_attempts& attempt);

    /// Sets a callback for every completed kernel, called after its report.
    void set_listener(std::function<void(const dispatch::finished_kernel&)> listener) {
        listener_ = std::move(listener);
    }
    /// Saves the run. @param save  writes the checkpoint
    /// @param kernels  minimum number of completed kernels before it is written
    /// @param blocks   number of thread blocks that are placed after them; 0: it is written between
    ///                 two kernels
    void save_after(std::uint64_t kernels, std::uint64_t blocks, std::function<void()> save) {
        save_after_ = kernels;
        save_blocks_ = blocks;
        save_ = std::move(save);
    }
    /// Ends the run with an error if the programs that use a memory make no progress any more.
    void watch(execution::device_memory& memory) { memory_ = &memory; }
    /// Requested in the debugger: the run ends after the current step.
    void quit();

private:
    void pause();
    void poll();
    void save_at_rest();
    void save_if_due();
    ending simulate(const std::function<std::vector<dispatch::host_command>()>& next);
    bool submit(const std::vector<dispatch::host_command>& commands);
    run_position position() const;
    std::string name_of(ending end) const;
    std::string note_of(ending end) const;

    platform::gpu& device_;
    output& out_;
    progress& line_;
    execution::device_memory* memory_ = nullptr;
    sc_core::sc_time poll_period_;
    bool quits_ = false;
    std::uint64_t save_after_ = 0;   // number of completed kernels
    std::uint64_t save_blocks_ = 0;  // further thread blocks; 0 once the scheduler counts them
    std::function<void()> save_;     // empty: no checkpoint is to be written
    std::function<void(const dispatch::finished_kernel&)> listener_;
};

}  // namespace simtlm
