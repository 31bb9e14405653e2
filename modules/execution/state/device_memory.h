// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/progress_monitor.h"
#include "modules/program/cta_cluster_source.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class written_map;

/// An address as seen by programs.
using device_address = std::uint64_t;

/// The GPU's memory: one sparse reservation of address space, of which only touched pages occupy
/// memory, and a table of allocations. A device address is an offset into the reservation, so that
/// an access is a plain load or store.
///
/// The address map is that of GPGPU-Sim: variables of modules from 0x1f880000, the heap of the
/// host's allocations from 0xc0000000. The windows of the generic address space are below (see
/// address_windows). Not thread-safe: the host allocates and frees while no program runs.
class device_memory {
public:
    /// Parameters of the address space.
    struct config {
        device_address static_base = 0x1f880000;
        device_address heap_base = 0xc0000000;
        std::uint64_t capacity = std::uint64_t{32} << 30;  ///< bytes of the heap
        /// Device addresses equal host addresses: allocations can be used by the process under the
        /// same address, and memory of the process can be admitted.
        bool at_host_addresses = false;
    };

    /// An allocation. Programs may access [begin, end).
    struct range {
        device_address begin = 0;
        device_address end = 0;
        std::string label;         ///< name of a module variable, otherwise empty
        std::uint64_t serial = 0;  ///< unique number of the allocation
        bool contains(device_address a) const { return a - begin < end - begin; }
    };

    device_memory();
    explicit device_memory(const config& c);
    ~device_memory();
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;

    /// Allocates zeroed memory in the heap. @param alignment  a power of two
    /// @throws support::user_error  if there is no room
    device_address allocate(std::uint64_t bytes, std::uint64_t alignment = 256,
                            std::string label = {});
    /// The same at the other end of the heap, so that host memory does not change the addresses of
    /// device memory.
    device_address allocate_for_host(std::uint64_t bytes, std::uint64_t alignment = 256);
    /// Allocates a variable of a module, below the heap. @throws support::user_error  if there is
    /// no room
    device_address allocate_static(std::uint64_t bytes, std::uint64_t alignment, std::string label);
    /// Frees the allocation at an address. @return false: none begins there
    bool release(device_address begin);

    /// Makes memory of the process accessible to the device (only with at_host_addresses).
    /// @return false: it overlaps with an allocation or a window
    bool admit(device_address begin, std::uint64_t bytes, std::string label);
    /// Undoes admit(); the memory itself is not changed. @return false: none begins there
    bool dismiss(device_address begin);

    /// Inserts an allocation that another process has placed, in a memory that mirrors this one.
    /// @return false: it is outside of this memory, or overlaps with an allocation
    bool allocate_at(device_address begin, std::uint64_t bytes, std::string label);
    /// Addresses of module variables, in the order in which they are allocated.
    struct static_placement {
        std::vector<device_address> addresses;
        bool replays = false;  ///< true: allocate there; false: append addresses of allocations
        std::size_t next = 0;  ///< with `replays`
    };
    /// From now on allocate_static() records where it allocates, or repeats what was recorded.
    /// @param p  must outlive its use; nullptr: neither
    void place_statics_by(static_placement* p) { statics_ = p; }

    /// The allocation that contains the address, or nullptr.
    const range* find(device_address a) const;
    /// Whether a GPU permits an access outside of any allocation: it maps memory by pages, and a
    /// page with an allocation is mapped as a whole, as is the page before the first allocation.
    /// Always false with keep_apart().
    bool is_mapped(device_address a, std::uint64_t bytes) const;
    /// A program has written outside of all allocations: memory allocated there later must be
    /// zeroed.
    void note_stray_write() const { stray_writes_.store(true, std::memory_order_relaxed); }
    /// Describes the allocation closest to an address outside of all allocations.
    std::string nearest(device_address a) const;
    /// All allocations, by address.
    const std::vector<range>& ranges() const { return ranges_; }
    /// From now on there is unused space between allocations, and freed memory is not reused while
    /// other memory is available, so that a stray access does not hit another allocation.
    void keep_apart() { apart_ = true; }
    /// From now on records writes by the host; programs that check it record their own writes.
    /// @throws support::user_error  if address space is exhausted
    void track_writes();
    /// The bytes that have been written; nullptr: not tracked.
    written_map* writes() const { return writes_.get(); }
    /// The host has written there by means other than the functions below.
    void note_written(device_address a, std::uint64_t bytes);
    /// Of the timed programs that use it.
    progress_monitor& progress() { return progress_; }
    /// Changes whenever an allocation is freed.
    std::uint64_t generation() const { return generation_; }
    /// Changes whenever ranges() does.
    std::uint64_t changes() const { return changes_; }
    /// Bounds of the module variables.
    device_address static_begin() const { return config_.static_base; }
    device_address static_end() const { return config_.heap_base; }
    /// Allocated bytes of the heap; capacity(): its size.
    std::uint64_t used() const { return used_; }
    std::uint64_t capacity() const { return config_.capacity; }

    /// The byte at a device address; not checked.
    std::byte* host(device_address a) const { return reinterpret_cast<std::byte*>(base_ + a); }
    /// Upper bound of all addresses except those of admitted memory.
    device_address end() const { return size_; }

    /// Copies to and from the host. @throws support::user_error  if a range is not within one
    /// allocation
    void write(device_address to, const void* from, std::uint64_t bytes);
    void read(void* to, device_address from, std::uint64_t bytes) const;
    void copy(device_address to, device_address from, std::uint64_t bytes);
    void fill(device_address to, int byte, std::uint64_t bytes);

private:
    struct region {
        device_address begin, end;
    };
    bool overlaps(device_address begin, std::uint64_t bytes) const;
    static bool overlaps_windows(device_address begin, std::uint64_t bytes);
    device_address place_static(std::uint64_t bytes, std::uint64_t alignment) const;
    device_address place(const region& in, std::uint64_t bytes, std::uint64_t alignment) const;
    device_address place_last(const region& in, std::uint64_t bytes, std::uint64_t alignment) const;
    region heap() const { return {config_.heap_base, config_.heap_base + config_.capacity}; }
    device_address take(device_address at, std::uint64_t bytes, std::string label);
    device_address insert(device_address begin, std::uint64_t bytes, std::string label);
    void check(device_address a, std::uint64_t bytes, const char* doing) const;

    config config_;
    std::uintptr_t base_ = 0;  ///< host address of device address 0
    std::uint64_t size_ = 0;
    std::vector<range> ranges_;  ///< by address
    std::uint64_t used_ = 0;
    std::uint64_t generation_ = 0, changes_ = 0, last_serial_ = 0;
    static_placement* statics_ = nullptr;
    bool apart_ = false;
    mutable std::atomic<bool> stray_writes_{false};  // several host threads execute programs
    region never_used_;  ///< part of the heap that has never been allocated, with keep_apart()
    std::vector<range> freed_;  ///< freed ranges, with keep_apart()
    std::unique_ptr<written_map> writes_;
    progress_monitor progress_;
};

/// Windows of the generic address space that refer to a different memory in every CTA or thread.
/// They are below four gigabytes, for 32-bit modules, and far apart, and far above offsets within
/// them, so that an index that is too large does not reach another window.
struct address_windows {
    static constexpr device_address local = 0x1000'0000;   ///< a thread's local memory
    static constexpr device_address shared = 0x1400'0000;  ///< a CTA's shared memory
    static constexpr device_address param = 0x1800'0000;   ///< a kernel's parameters
    static constexpr std::uint64_t size = 0x0100'0000;     ///< of each window
    static constexpr device_address end = 0x1c00'0000;     ///< of those above

    /// Shared memory of the CTAs of a cluster, in order of rank (shared::cluster). As on GPUs, the
    /// rank is in bits 24 and above of an address in the shared state space, so that programs can
    /// clear bits of it (CUTLASS clears bit 24 for the first CTA of a pair).
    static constexpr device_address cluster = shared + 0x4000'0000;
    static constexpr std::uint64_t cluster_stride = 0x0100'0000;  ///< distance between ranks
    static constexpr unsigned cluster_ranks = program::max_ctas_per_cluster;
    /// Of the shared memory of all ranks, and of one that no cluster has.
    static constexpr std::uint64_t cluster_size = (cluster_ranks + 1) * cluster_stride;

    static bool in_local(device_address a) { return a - local < size; }
    static bool in_shared(device_address a) { return a - shared < size; }
    static bool in_cluster(device_address a) { return a - cluster < cluster_size; }
    /// Whether a generic address is one of global memory (or of constants).
    static bool in_global(device_address a) { return a >= end && !in_cluster(a); }
    /// The generic address of a place in the shared memory of a rank, as named by machine code. If
    /// no cluster has the rank, or no CTA the place, accesses to the address are faults.
    static constexpr device_address in_rank(std::uint32_t rank, std::uint32_t place) {
        constexpr std::uint32_t last = cluster_stride - 16;
        return cluster + (rank < cluster_ranks ? rank : cluster_ranks) * cluster_stride +
               (place < last ? place : last);
    }
    static bool in_param(device_address a) { return a - param < size; }
    /// The offset, in the shared memory of its CTA, of an address of shared memory: generic, of
    /// shared::cluster, or an offset already.
    static device_address offset_in_block(device_address a) {
        constexpr device_address of_cluster = cluster - shared;  // shared::cluster, not generic
        if (in_shared(a)) return a - shared;
        if (in_cluster(a)) return (a - cluster) % cluster_stride;
        return a - of_cluster < cluster_size ? (a - of_cluster) % cluster_stride : a;
    }
};

}  // namespace simtlm::execution
