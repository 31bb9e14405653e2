// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class written_map;

/// An address as programs see it.
using device_address = std::uint64_t;

/// The GPU's memory: one sparse reservation of address space, of which only touched pages take
/// room, and a table of what is allocated in it. A device address is an offset into the
/// reservation, so that an access is a plain load or store.
///
/// Addresses follow the reference: variables of modules from 0x1f880000, the heap of the host's
/// allocations from 0xc0000000. Below lie the windows of the generic address space (see
/// address_windows). Not synchronised: the host allocates and frees while no program runs.
class device_memory {
public:
    struct config {
        device_address static_base = 0x1f880000;
        device_address heap_base = 0xc0000000;
        std::uint64_t capacity = std::uint64_t{32} << 30;  ///< bytes of the heap
        /// Device addresses are the host's own: what is allocated here can be used by the process
        /// under the same address, and memory of the process be admitted.
        bool at_host_addresses = false;
    };

    /// One allocation. Programs may touch [begin, end).
    struct range {
        device_address begin = 0;
        device_address end = 0;
        std::string label;  ///< of a module variable its name; else empty
        bool contains(device_address a) const { return a - begin < end - begin; }
    };

    device_memory();
    explicit device_memory(const config& c);
    ~device_memory();
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;

    /// A piece of the heap, zeroed. @param alignment  a power of two
    /// @throws kernel::user_error  no room
    device_address allocate(std::uint64_t bytes, std::uint64_t alignment = 256,
                            std::string label = {});
    /// The same at the heap's other end: memory that is the host's does not move the device's.
    device_address allocate_for_host(std::uint64_t bytes, std::uint64_t alignment = 256);
    /// A variable of a module, below the heap. @throws kernel::user_error  no room
    device_address allocate_static(std::uint64_t bytes, std::uint64_t alignment, std::string label);
    /// Gives back what begins at the address. @return false: nothing does
    bool release(device_address begin);

    /// Memory of the process itself becomes memory of the device (only at_host_addresses).
    /// @return false: it overlaps with an allocation or a window
    bool admit(device_address begin, std::uint64_t bytes, std::string label);
    /// The opposite; the memory stays as it is. @return false: nothing begins there
    bool dismiss(device_address begin);

    /// The allocation that holds the address, or nullptr.
    const range* find(device_address a) const;
    /// Whether a GPU lets an access pass that lies in no allocation: it maps memory by pages, and a
    /// page with an allocation is mapped as a whole, as is the one before the first allocation.
    /// Never where allocations are kept apart.
    bool is_mapped(device_address a, std::uint64_t bytes) const;
    /// A program has written outside of all allocations: what is allocated there later is zeroed.
    void note_stray_write() const { stray_writes_.store(true, std::memory_order_relaxed); }
    /// In words, the allocation that an address outside of all lies next to.
    std::string nearest(device_address a) const;
    /// All allocations, by address.
    const std::vector<range>& ranges() const { return ranges_; }
    /// From now on allocations have room between them, and what is freed is not given out again as
    /// long as there is other room: a stray access does not hit another allocation.
    void keep_apart() { apart_ = true; }
    /// From now on notes what the host writes; programs that check it note what they write.
    /// @throws kernel::user_error  no address space
    void track_writes();
    /// Which bytes have been written; nullptr: nobody notes it.
    written_map* writes() const { return writes_.get(); }
    /// The host has written there by other ways than the functions below.
    void note_written(device_address a, std::uint64_t bytes);
    /// Changes whenever an allocation goes.
    std::uint64_t generation() const { return generation_; }
    /// Bytes of the heap that are allocated, and its size.
    std::uint64_t used() const { return used_; }
    std::uint64_t capacity() const { return config_.capacity; }

    /// The byte at a device address; unchecked.
    std::byte* host(device_address a) const { return reinterpret_cast<std::byte*>(base_ + a); }
    /// All addresses are below, but those of admitted memory.
    device_address end() const { return size_; }

    /// Copies from and to the host. @throws kernel::user_error  not inside one allocation
    void write(device_address to, const void* from, std::uint64_t bytes);
    void read(void* to, device_address from, std::uint64_t bytes) const;
    void copy(device_address to, device_address from, std::uint64_t bytes);
    void fill(device_address to, int byte, std::uint64_t bytes);

private:
    struct region {
        device_address begin, end;
    };
    device_address place(const region& in, std::uint64_t bytes, std::uint64_t alignment) const;
    device_address place_last(const region& in, std::uint64_t bytes, std::uint64_t alignment) const;
    region heap() const { return {config_.heap_base, config_.heap_base + config_.capacity}; }
    device_address take(device_address at, std::uint64_t bytes, std::string label);
    device_address insert(device_address begin, std::uint64_t bytes, std::string label);
    void check(device_address a, std::uint64_t bytes, const char* doing) const;

    config config_;
    std::uintptr_t base_ = 0;  ///< of address 0
    std::uint64_t size_ = 0;
    std::vector<range> ranges_;  ///< by address
    std::uint64_t used_ = 0;
    std::uint64_t generation_ = 0;
    bool apart_ = false;
    mutable std::atomic<bool> stray_writes_{false};  // several host threads execute programs
    region never_used_;         ///< of the heap, where allocations are kept apart
    std::vector<range> freed_;  ///< where they are kept apart
    std::unique_ptr<written_map> writes_;
};

/// Windows of the generic address space that mean another memory in every CTA or thread. In 32-bit
/// modules too they lie below four gigabytes. They are far apart, and far above offsets within
/// them: an index that is too large leads to no other window.
struct address_windows {
    static constexpr device_address local = 0x1000'0000;   ///< a thread's local memory
    static constexpr device_address shared = 0x1400'0000;  ///< a CTA's shared memory
    /// Shared memory of the CTAs of a cluster, one after the other by rank (shared::cluster).
    static constexpr device_address cluster = 0x1500'0000;
    static constexpr std::uint64_t cluster_stride = 0x20'0000;  ///< from rank to rank
    static constexpr unsigned cluster_ranks = 16;
    static constexpr device_address param = 0x1800'0000;  ///< a kernel's parameters
    static constexpr std::uint64_t size = 0x0100'0000;    ///< of each
    static constexpr device_address end = 0x1c00'0000;

    static bool in_local(device_address a) { return a - local < size; }
    static bool in_shared(device_address a) { return a - shared < size; }
    static bool in_cluster(device_address a) {
        return a - cluster < cluster_ranks * cluster_stride;
    }
    static bool in_param(device_address a) { return a - param < size; }
};

}  // namespace simtlm::execution
