// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/launch.h"
#include "platform/device/loaded_module.h"
#include "platform/device/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::device {

/// A kernel to run.
struct launch_request {
    std::shared_ptr<loaded_module> module;
    const execution::kernel_image* kernel = nullptr;
    program::dim3 grid;
    program::dim3 block;
    program::dim3 cluster;                   ///< thread blocks of a cluster
    std::uint32_t dynamic_shared = 0;        ///< bytes per thread block
    std::vector<std::byte> parameters;       ///< as the kernel takes them
    std::vector<std::uint32_t> environment;  ///< %envreg0 to %envreg31; none: 0
    bool cooperative = false;
};

enum class copy_direction : std::uint8_t { inside, to_device, to_host, between_devices };

/// Planes of rows of memory, in bytes.
struct memory_rows {
    std::uint64_t address = 0;  ///< 0: none
    std::uint64_t width = 0;
    std::uint64_t pitch = 0, height = 1;
    std::uint64_t slice = 0, depth = 1;
};

/// Something a GPU has to do, in the order that streams, events and graphs demand. Made by a host,
/// carried out by an engine.
struct task {
    enum class kind : std::uint8_t { marker, kernel, copy, host_call };

    kind what = kind::marker;
    unsigned device = 0;
    std::uint64_t stream = 0;      ///< number of the stream, for reports
    std::function<void()> effect;  ///< copies: moves the data; host calls: the call
    std::function<bool()> until;   ///< does not begin before this holds; asked again and again
    launch_request launch;
    copy_direction direction = copy_direction::inside;
    std::uint64_t bytes = 0;  ///< copies
    /// Copies and fills inside a GPU: accesses to its DRAM per byte, 1 (fill) or 2 (copy); 0: none.
    unsigned dram_accesses = 0;
    memory_rows l2_rows;          ///< copies: what they leave in the L2 (-gpgpu_perf_sim_memcpy)
    memory_rows to_host;          ///< copies to the host: where; for checkpoints
    const char* label = nullptr;  ///< on a timeline; nullptr: by its kind, and no marker is shown
    bool even_after_fault = false;
    /// Asked when everything before it is done: true: it ends without being carried out.
    std::function<bool()> skip;
    std::shared_ptr<const void> keeps;  ///< what must live until it is done

    // The state; guarded by the scheduler.
    unsigned waits_for = 0;
    bool submitted = false;
    bool done = false;
    status outcome = status::success;
    std::uint64_t number = 0;        ///< counts tasks
    std::uint64_t submitted_at = 0;  ///< simulated time, ps
    std::uint64_t started_at = 0;    ///< simulated time, ps
    std::uint64_t finished_at = 0;   ///< simulated time, ps
    std::vector<std::shared_ptr<task>> followers;
};

using task_ptr = std::shared_ptr<task>;

}  // namespace simtlm::device
