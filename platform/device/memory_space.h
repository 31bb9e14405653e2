// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::device {

/// Accessibility and origin of an allocation.
enum class memory_kind : std::uint8_t {
    device,
    managed,
    host,
    registered,  ///< host memory registered for GPU access
    /// Like registered, but it counts as GPU memory: see virtual_memory of the CUDA libraries.
    mapped,
};

/// Returns whether memory counts as GPU memory for the direction of copies.
inline bool is_of_gpu(memory_kind k) {
    return k == memory_kind::device || k == memory_kind::mapped;
}

/// An allocation in the common address space; sizes in bytes.
struct allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    memory_kind kind = memory_kind::device;
    unsigned device = 0;
    unsigned flags = 0;     ///< defined by the caller
    std::uint64_t id = 0;   ///< unique number of the allocation
    bool of_graph = false;  ///< keeps its address while released: see allocate_for_graph()
    bool released = false;  ///< memory of a graph between launches
};

/// Device memory used by graphs, in bytes (cudaGraphMemAttributeType).
struct graph_memory_use {
    std::uint64_t used = 0, used_high = 0;          ///< between launch and release
    std::uint64_t reserved = 0, reserved_high = 0;  ///< with an address
};

/// Memory of all GPUs in one address space shared with the host: an address means the same to the
/// host and to every GPU. Thread-safe, also against running programs: these hold the gate, and the
/// allocation table is modified only while they do not.
class memory_space {
public:
    /// @param bytes      of each GPU
    /// @param alignment  default alignment of allocations, a power of two
    /// @throws failure  if the address space cannot be reserved
    memory_space(unsigned devices, std::uint64_t bytes, std::uint64_t alignment = 512);
    memory_space(const memory_space&) = delete;
    memory_space& operator=(const memory_space&) = delete;

    /// Moves the memory, in which nothing has been allocated, to other addresses: those in another
    /// process. @throws failure  if they are in use
    void move_to(std::uint64_t static_begin);

    /// @param alignment  a power of two; 0: the default
    /// @throws failure  if memory is exhausted
    std::uint64_t allocate(memory_kind kind, unsigned device, std::uint64_t bytes,
                           unsigned flags = 0, std::uint64_t alignment = 0);
    /// Frees the allocation at this address. @return the allocation, or nothing if there is none
    std::optional<allocation> release(std::uint64_t address);
    /// Device memory of an allocation node of a graph: its address is reserved for the lifetime of
    /// the graph, and is backed by memory from each revive() to the next release(). @throws failure
    std::uint64_t allocate_for_graph(unsigned device, std::uint64_t bytes);
    /// A graph that allocates the memory is being launched.
    void revive(std::uint64_t address);
    /// The graph has been destroyed: frees the address, now or at the next release().
    void abandon(std::uint64_t address);
    graph_memory_use graph_use(unsigned device) const;
    /// Resets the maxima to the current values.
    void reset_graph_maximum(unsigned device, bool of_reserved);
    /// Frees all memory of a device.
    void release_all(unsigned device);
    /// Makes host memory accessible to GPUs. @throws failure
    /// @param kind  registered or mapped
    void admit(std::uint64_t address, std::uint64_t bytes, unsigned device, unsigned flags,
               memory_kind kind = memory_kind::registered);
    /// Ends the access to host memory. @throws failure  if it has not been admitted
    void dismiss(std::uint64_t address);

    /// Returns the allocation that contains an address.
    std::optional<allocation> find(std::uint64_t address) const;
    /// Returns whether an address belongs to memory allocated by this object or to a module.
    bool is_device_memory(std::uint64_t address) const;
    /// Counts bytes as used by a device before they have an address. @throws failure
    void take(unsigned device, std::uint64_t bytes);
    void give_back(unsigned device, std::uint64_t bytes);
    /// Allocated bytes and capacity of a device.
    std::uint64_t used(unsigned device) const;
    std::uint64_t capacity() const { return bytes_per_device_; }

    /// Record host-side writes and copies for --check init. Addresses outside of GPU memory are
    /// ignored. Must not be called while the gate is held.
    void note_written(std::uint64_t to, std::uint64_t bytes);
    void note_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

    /// The host may access a variable of a module without a call (__managed__). To be called before
    /// it does.
    void expose(std::uint64_t address, std::uint64_t bytes);
    /// The addresses and sizes of expose() since the last call.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> take_exposed();

    /// Returns whether the host has ever been able to observe memory written by GPUs other than by
    /// copies: managed memory, pinned memory, mapped objects.
    bool is_shared_with_host() const { return shared_.load(std::memory_order_relaxed); }
    /// Sets is_shared_with_host().
    void share_with_host() { shared_.store(true, std::memory_order_relaxed); }

    /// The caller must hold the gate.
    execution::device_memory& table() { return *memory_; }

    /// Holds the gate; required to run programs or to modify the table.
    class access_scope {
    public:
        /// @param runs  true: for running a program, which yields to other waiters
        access_scope(memory_space& m, bool runs);
        ~access_scope();
        access_scope(const access_scope&) = delete;
        access_scope& operator=(const access_scope&) = delete;

    private:
        memory_space& memory_;
    };
    /// Returns whether another thread waits for the running program to release the gate.
    bool wanted() const { return waiting_.load(std::memory_order_relaxed) != 0; }

private:
    void check_space(unsigned device, std::uint64_t bytes) const;

    std::unique_ptr<execution::device_memory> memory_;
    std::uint64_t bytes_per_device_;
    std::uint64_t alignment_;
    std::mutex gate_;
    std::condition_variable free_;
    bool busy_ = false;
    std::atomic<unsigned> waiting_{0};
    mutable std::mutex mutex_;  ///< protects the following members
    std::map<std::uint64_t, allocation> allocations_;
    std::vector<std::uint64_t> used_;
    std::vector<graph_memory_use> graph_use_;
    std::uint64_t last_id_ = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> exposed_;
    std::atomic<bool> shared_{false};
};

}  // namespace simtlm::device
