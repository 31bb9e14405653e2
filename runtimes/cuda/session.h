// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "runtimes/common/host_session.h"
#include "runtimes/cuda/device/context.h"
#include "runtimes/cuda/graph/capture.h"
#include "runtimes/cuda/graph/graph.h"
#include "runtimes/cuda/memory/managed_memory.h"
#include "runtimes/cuda/memory/pools.h"
#include "runtimes/cuda/memory/virtual_memory.h"
#include "runtimes/cuda/module/module.h"
#include "runtimes/cuda/stream/stream.h"
#include "runtimes/cuda/texture/texture.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

/// State of a host thread.
struct thread_state {
    result last_error = 0;
    unsigned device = 0;
    bool per_thread_default = false;  ///< in this call, stream 0 means the per-thread stream
    /// The function of the driver that this call of the runtime implements; nullptr: none.
    const char* called_as = nullptr;
    bool uses_runtime = false;  ///< the thread has called the runtime, so a context is current
    int capture_mode = 0;
    /// Launch configuration pushed by <<<>>>.
    struct configuration {
        size3 grid, block;
        std::size_t shared;
        void* stream;
    };
    std::vector<configuration> configurations;
    std::vector<context*> contexts;
    device::stream* own_stream[64] = {};
};

/// State shared by the CUDA libraries of a process: the objects behind its handles, each kind in a
/// table of its own. Created by the first call.
class session : public runtime::host_session {
public:
    /// The session of this process. @throws support::user_error  for a faulty configuration
    static session& get();
    /// Returns whether get() has created a session that has not ended.
    static bool is_running();
    static thread_state& thread();

    using host_session::options;
    unsigned current_device() const { return thread().device; }
    /// Streams by handle: 0 and 1 are the legacy default stream, 2 is the per-thread stream.
    /// @throws failure  for an unknown handle; so do the functions below
    device::stream& stream(void* handle);
    device::event& event(const void* handle) { return events.get(handle); }
    device::array& array(const void* handle) { return arrays.get(handle); }
    void reset_device(unsigned device);

    context_table contexts;
    module_table modules;
    handle_table<device::event> events{status::invalid_handle, "not an event"};
    handle_table<device::array> arrays{status::invalid_handle, "not an array"};
    value_table<std::uint64_t, texture_object> textures;
    handle_table<graph, std::shared_ptr<graph>> graphs{status::invalid_value, "not a graph"};
    handle_table<executable_graph> executable_graphs{status::invalid_value,
                                                     "not an executable graph"};
    /// By the number of the stream, which is never reused, and cudaLaunchAttributeID.
    value_table<std::pair<std::uint64_t, int>, stream_attribute> stream_attributes;
    capture_table captures;
    pool_table pools;
    virtual_memory addresses;
    /// Contexts of allocations made in contexts other than the primary ones, by unique number.
    value_table<std::uint64_t, context*> owners;
    /// Allocations whose synchronous copies always wait (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), by
    /// number. Synchronous copies of the simulated GPU always wait, so the value is only stored.
    value_table<std::uint64_t, bool> synchronous_allocations;
    managed_hints hints;
    std::atomic<bool> peers[64][64] = {};
    unsigned device_flags = 0;

private:
    session();
};

}  // namespace simtlm::cuda
