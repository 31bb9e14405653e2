// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/texture_table.h"
#include "platform/device/inspection.h"
#include "platform/device/memory_space.h"
#include "platform/device/task.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// Time for which kernels may wait for the host.
inline constexpr std::chrono::milliseconds host_timeout{2000};

/// State shared by engines and hosts.
struct shared_state {
    /// @param alignment  of allocations, bytes
    shared_state(unsigned devices, std::uint64_t bytes, std::uint64_t alignment = 512)
        : memory(devices, bytes, alignment) {}

    memory_space memory;
    execution::texture_table textures;  ///< modified only while the memory gate is held
    std::uint64_t stack_limit = 1024;   ///< bytes per thread
    std::uint64_t heap_limit = 8 << 20;
    inspection* inspector = nullptr;  ///< nullptr: no inspection
    /// Writes output of kernels (printf).
    std::function<void(std::string_view)> print;
    /// Reports a failure to the user in one line.
    std::function<void(const std::string&)> report_error;
    /// Requests that run() of the engine returns soon.
    std::atomic<bool> attention{false};
    /// The process ends: running work is abandoned.
    std::atomic<bool> give_up{false};
};

/// Executes tasks, in timing or functional mode. Used by one thread.
class engine {
public:
    virtual ~engine();

    /// Starts a task whose dependencies are done.
    virtual void start(const task_ptr& t) = 0;
    /// Runs until a task is done or attention is requested.
    /// @return completed tasks, in order
    virtual std::vector<task_ptr> run() = 0;
    /// Running kernels whose programmatically dependent tasks have become ready since the last
    /// call.
    virtual std::vector<task_ptr> take_ready_for_dependents() { return {}; }
    /// Returns whether tasks are in progress.
    virtual bool busy() const = 0;
    /// Simulated time in ps.
    virtual std::uint64_t now() const = 0;
    /// Returns whether tasks can be executed after a failed one. Thread-safe.
    virtual bool survives_faults() const { return true; }
    /// No more tasks will be started.
    virtual void finish() {}
};

/// Performs a copy, host call or kernel through `act`, stores the outcome in the task and reports
/// error messages.
void attempt(task& t, const shared_state& state, const std::function<void()>& act);

}  // namespace simtlm::device
