// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/launch.h"
#include "platform/device/loaded_module.h"
#include "platform/device/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::device {

/// A kernel launch by a host or a kernel; its image, number and stream are set by launch_of().
struct launch_request : execution::launch {
    std::shared_ptr<loaded_module> module;
    /// May begin before the end of the previous kernel of its stream, if that kernel allows it
    /// (griddepcontrol.launch_dependents; cudaLaunchAttributeProgrammaticStreamSerialization).
    bool programmatic = false;
};

enum class copy_direction : std::uint8_t { inside, to_device, to_host, between_devices };

/// Planes of rows of memory; sizes in bytes.
struct memory_rows {
    std::uint64_t address = 0;  ///< 0: none
    std::uint64_t width = 0;
    std::uint64_t pitch = 0, height = 1;
    std::uint64_t slice = 0, depth = 1;
};

/// Calls a function for every row: address and bytes.
void for_each_row(const memory_rows& rows,
                  const std::function<void(std::uint64_t, std::uint64_t)>& act);

/// A unit of work for a GPU, ordered by streams, events and graphs. Created by a host, executed by
/// an engine.
struct task {
    enum class kind : std::uint8_t { marker, kernel, copy, host_call };

    kind what = kind::marker;
    unsigned device = 0;
    std::uint64_t stream = 0;      ///< stream number, for reports
    std::function<void()> effect;  ///< copies: moves the data; host calls: performs the call
    std::function<bool()> until;   ///< start condition, evaluated repeatedly
    launch_request launch;
    copy_direction direction = copy_direction::inside;
    std::uint64_t bytes = 0;  ///< copies
    /// Copies and fills inside a GPU: DRAM accesses per byte, 1 (fill) or 2 (copy); otherwise 0.
    unsigned dram_accesses = 0;
    memory_rows l2_rows;  ///< copies: lines left in the L2 (-gpgpu_perf_sim_memcpy)
    memory_rows to_host;  ///< copies to the host: destination, for checkpoints
    memory_rows reads;    ///< copies: rows of device memory that are read, for checkpoints
    memory_rows writes;   ///< copies and fills: rows of device memory that are written
    std::vector<memory_rows> accesses;  ///< host calls: device memory that they read and write
    std::vector<std::byte> pattern;     ///< fills: repeated in each row, for checkpoints
    const char* label = nullptr;  ///< on a timeline; nullptr: named by kind, markers are omitted
    bool even_after_fault = false;
    /// Evaluated when all dependencies are done; if it returns true, the task completes without
    /// being executed.
    std::function<bool()> skip;
    std::shared_ptr<const void> keeps;  ///< objects to keep alive until the task is done

    // State, protected by the scheduler.
    unsigned waits_for = 0;
    bool done = false;
    status outcome = status::success;
    std::uint64_t number = 0;        ///< unique number of the task
    std::uint64_t submitted_at = 0;  ///< simulated time, ps
    std::uint64_t started_at = 0;    ///< simulated time, ps
    std::uint64_t finished_at = 0;   ///< simulated time, ps
    std::vector<std::shared_ptr<task>> followers;
    /// Sets `reads` and `writes` of a copy to those of its rows that are in device memory; host
    /// addresses may differ between two runs of a program. @pre direction and dram_accesses are set
    void note_places(const memory_rows& to, const memory_rows& from);

    /// Programmatic launches: the previous kernel of the stream; nullptr if that has ended.
    std::shared_ptr<task> primary;
    bool dependents_may_begin = false;              ///< tasks in `dependents`
    std::vector<std::shared_ptr<task>> dependents;  ///< programmatic launches that follow
};

using task_ptr = std::shared_ptr<task>;

/// The launch that executes a task. @param number  of the grid, unique per GPU
execution::launch launch_of(const task& t, std::uint64_t number);

}  // namespace simtlm::device
