// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/texture_table.h"
#include "platform/device/inspection.h"
#include "platform/device/memory_space.h"
#include "platform/device/task.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// What engines and hosts share.
struct shared_state {
    /// @param alignment  of allocations
    shared_state(unsigned devices, std::uint64_t bytes, std::uint64_t alignment = 512)
        : memory(devices, bytes, alignment) {}

    memory_space memory;
    execution::texture_table textures;  ///< changed while the memory's gate is held
    std::uint64_t stack_limit = 1024;   ///< bytes per thread
    std::uint64_t heap_limit = 8 << 20;
    std::function<void(std::string_view)> print;  ///< printf of programs
    inspection* look = nullptr;                   ///< nullptr: at nothing
    /// One line that explains a failure to people.
    std::function<void(const std::string&)> complain;
    /// Somebody wants the engine to return from run() soon.
    std::atomic<bool> attention{false};
    /// The process ends: what runs is left where it is.
    std::atomic<bool> give_up{false};
};

/// What carries tasks out: with or without time. Used by one thread.
class engine {
public:
    virtual ~engine();

    /// Begins a task; everything that it waits for is done.
    virtual void start(const task_ptr& t) = 0;
    /// Goes on until some task is done, or attention is asked for.
    /// @return tasks that are done, in order
    virtual std::vector<task_ptr> run() = 0;
    /// Something is under way.
    virtual bool busy() const = 0;
    /// Simulated time, ps.
    virtual std::uint64_t now() const = 0;
    /// Whether tasks can follow on one that has failed; any thread may ask.
    virtual bool survives_faults() const { return true; }
    /// No more tasks will come.
    virtual void finish() {}
};

}  // namespace simtlm::device
