// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu.h"
#include "sc_main/output.h"
#include "sc_main/progress.h"

#include <atomic>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm {

/// SIGINT, SIGTERM and SIGHUP end the run gently while such an object exists; another one that
/// comes more than a second later kills. Signals that the caller ignores stay ignored.
class signal_guard {
public:
    signal_guard();
    ~signal_guard();
    signal_guard(const signal_guard&) = delete;
    signal_guard& operator=(const signal_guard&) = delete;
    /// The number of the signal that has come; 0: none.
    static int received();
    /// Whether one has come, for other threads.
    static const std::atomic<bool>& any();
    /// "SIGTERM"
    static std::string name();
};

/// Runs the simulation from sc_main: prints a report whenever a kernel has ended, shows progress,
/// and looks for signals, now and then and between steps of the GPU's clocks.
class run_control : public sc_core::sc_module {
public:
    enum class ending { finished, limit, deadlock, interrupted, quit };

    run_control(const sc_core::sc_module_name& name, platform::gpu& device, output& out,
                progress& line);

    /// Runs until all commands are done or something ends the run. What was counted has been
    /// printed in any case. @throws whatever ends the run early, kernel::user_error above all
    /// @param next  see workload::next
    ending run(const std::function<std::vector<dispatch::host_command>()>& next = {});

    /// Told of every kernel that has ended, after its report.
    void set_listener(std::function<void(const dispatch::finished_kernel&)> listener) {
        listener_ = std::move(listener);
    }
    /// Saves the run between two kernels. @param save  writes the checkpoint
    /// @param kernels  that have finished before it is written, at least
    void save_behind(std::uint64_t kernels, std::function<void()> save) {
        save_behind_ = kernels;
        save_ = std::move(save);
    }
    /// The user of the debugger has seen enough: the run ends after the present step.
    void quit();

private:
    void pause();
    void poll();
    void save_at_rest();
    ending simulate(const std::function<std::vector<dispatch::host_command>()>& next);
    bool submit(const std::vector<dispatch::host_command>& commands);
    run_position position() const;

    platform::gpu& device_;
    output& out_;
    progress& line_;
    sc_core::sc_time poll_period_;
    bool quits_ = false;
    std::uint64_t save_behind_ = 0;  // finished kernels
    std::function<void()> save_;     // empty: the run is not saved, or has been
    std::function<void(const dispatch::finished_kernel&)> listener_;
};

}  // namespace simtlm
