// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_memory.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::device {

/// Who may use an allocation, and how it came to be.
enum class memory_kind : std::uint8_t {
    device,
    managed,
    host,
    registered,  ///< of the process, admitted
    mapped,      ///< the same, but it is a GPU's: see virtual_memory of the CUDA libraries
};

/// Whether memory lies in a GPU, as far as copies have a direction.
inline bool is_of_gpu(memory_kind k) {
    return k == memory_kind::device || k == memory_kind::mapped;
}

struct allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    memory_kind kind = memory_kind::device;
    unsigned device = 0;
    unsigned flags = 0;     ///< of the caller
    std::uint64_t id = 0;   ///< counts allocations
    bool of_graph = false;  ///< keeps its address while it is released: allocate_for_graph()
    bool released = false;  ///< of a graph, between its launches
};

/// Device memory of graphs, bytes (cudaGraphMemAttributeType).
struct graph_memory_use {
    std::uint64_t used = 0, used_high = 0;          ///< between a launch and the release
    std::uint64_t reserved = 0, reserved_high = 0;  ///< what has an address
};

/// Memory of all GPUs in one address space, which is the host's: an address means the same to the
/// host and to every GPU. Synchronised, also with programs that run: they hold the gate, and the
/// table of allocations changes only between their turns.
class memory_space {
public:
    /// @param bytes      of each GPU
    /// @param alignment  of allocations that ask for none: a power of two
    /// @throws failure  no room in the address space
    memory_space(unsigned devices, std::uint64_t bytes, std::uint64_t alignment = 512);
    memory_space(const memory_space&) = delete;
    memory_space& operator=(const memory_space&) = delete;

    /// @param alignment  a power of two; 0: that of all
    /// @throws failure  out of memory
    std::uint64_t allocate(memory_kind kind, unsigned device, std::uint64_t bytes,
                           unsigned flags = 0, std::uint64_t alignment = 0);
    /// Gives back what begins at the address. @return what it was, or nothing
    std::optional<allocation> release(std::uint64_t address);
    /// Device memory of an allocation node of a graph: the address is its own until the graph is
    /// gone, and holds memory from each revive() to the next release(). @throws failure
    std::uint64_t allocate_for_graph(unsigned device, std::uint64_t bytes);
    /// A graph that allocates the memory is launched.
    void revive(std::uint64_t address);
    /// The graph is gone: the address is given back, now or with the next release().
    void abandon(std::uint64_t address);
    graph_memory_use graph_use(unsigned device) const;
    /// Begins the maxima anew with what there is.
    void reset_graph_maximum(unsigned device, bool of_reserved);
    /// Gives back everything that a device has.
    void release_all(unsigned device);
    /// Memory of the process becomes visible to GPUs. @throws failure
    /// @param kind  registered or mapped
    void admit(std::uint64_t address, std::uint64_t bytes, unsigned device, unsigned flags,
               memory_kind kind = memory_kind::registered);
    /// @throws failure  not admitted
    void dismiss(std::uint64_t address);

    /// The allocation that holds an address.
    std::optional<allocation> find(std::uint64_t address) const;
    /// Whether an address is memory of the kinds that this object hands out, or of a module.
    bool is_device_memory(std::uint64_t address) const;
    /// Counts bytes of a device as used, though they have no address yet. @throws failure
    void take(unsigned device, std::uint64_t bytes);
    void give_back(unsigned device, std::uint64_t bytes);
    /// Bytes that a device has allocated, and has.
    std::uint64_t used(unsigned device) const;
    std::uint64_t capacity() const { return bytes_per_device_; }

    /// Bytes have been written, or copied, by other than programs: for --check init. Addresses of
    /// other memory than that of GPUs are left alone. Not while the gate is held.
    void note_written(std::uint64_t to, std::uint64_t bytes);
    void note_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

    /// Whether the host has ever been able to look into memory that GPUs write, other than by
    /// copies: managed memory, pinned memory, objects that are mapped.
    bool is_shared_with_host() const { return shared_.load(std::memory_order_relaxed); }
    /// It is from now on.
    void share_with_host() { shared_.store(true, std::memory_order_relaxed); }

    /// Only while the gate is held.
    execution::device_memory& table() { return *memory_; }

    /// Held by whoever runs programs or changes the table.
    class turn {
    public:
        /// @param runs  true: a program runs; it lets others go first
        turn(memory_space& m, bool runs);
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        memory_space& memory_;
    };
    /// Somebody waits for the running program's turn to end.
    bool wanted() const { return waiting_.load(std::memory_order_relaxed) != 0; }

private:
    void check_room(unsigned device, std::uint64_t bytes) const;

    std::unique_ptr<execution::device_memory> memory_;
    std::uint64_t bytes_per_device_;
    std::uint64_t alignment_;
    std::mutex gate_;
    std::condition_variable free_;
    bool busy_ = false;
    std::atomic<unsigned> waiting_{0};
    mutable std::mutex mutex_;  ///< of what follows
    std::map<std::uint64_t, allocation> allocations_;
    std::vector<std::uint64_t> used_;
    std::vector<graph_memory_use> graph_use_;
    std::uint64_t last_id_ = 0;
    std::atomic<bool> shared_{false};
};

}  // namespace simtlm::device
