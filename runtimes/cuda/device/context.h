// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/handle_table.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace simtlm::cuda {

struct context;

/// A value that NVIDIA's libraries store in a context under a key of their own
/// (CONTEXT_LOCAL_STORAGE).
struct stored_value {
    void* value;
    void (*at_end)(context*, void* key, void* value);  ///< called at its end; nullptr: no callback
};

/// A context of the driver API. Each device has one primary context.
struct context {
    unsigned device = 0;
    bool primary = false;
    unsigned references = 0;
    unsigned flags = 0;
    unsigned number = 0;  ///< from 1, never reused
    value_table<void*, stored_value> storage;

    // Settings that are stored; of these, the cache preference has an effect.
    std::atomic<int> cache_preference{0};  ///< cudaFuncCache
    std::atomic<int> bank_size{1};         ///< cudaSharedMemConfig
    /// By cudaLimit: the buffer of printf, the depth and number of launches by kernels, the
    /// granularity of fetches and the persisting lines of the L2. Stack and heap are limits of the
    /// GPUs.
    std::array<std::atomic<std::size_t>, 7> limits{{{0}, {1 << 20}, {0}, {2}, {2048}, {64}, {0}}};

    /// Notifies the libraries that the context ends, and removes their values.
    void end();
};

/// The contexts of the process.
class context_table {
public:
    /// Makes the primary contexts of all devices.
    explicit context_table(unsigned devices);

    context* primary(unsigned device) { return primary_[device].get(); }
    bool knows(const context* c) const;
    /// The current context of the calling thread: that of the driver API, or the primary one if the
    /// thread has called the runtime; otherwise nullptr.
    context* current();
    /// The same. @throws failure  if there is none
    context& require_current();
    /// The current context if it is of this device, otherwise the primary one of the device.
    context& of_device(unsigned device);
    /// @param c  nullptr: the current context. @throws failure  if it is unknown
    context& get_or_current(context* c);
    context* add(unsigned device, unsigned flags);
    /// @throws failure  if the context cannot be destroyed
    void remove(context* c);

private:
    std::unique_ptr<context> make(unsigned device, unsigned flags);

    std::atomic<unsigned> made_{0};
    std::vector<std::unique_ptr<context>> primary_;  ///< by device; constant
    handle_table<context> others_{status::invalid_context, "not a context that can be destroyed"};
};

}  // namespace simtlm::cuda
