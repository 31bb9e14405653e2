// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace simtlm::cache {

/// Cache parameters in the option syntax of Accel-Sim's manual, one character for each of these
/// enumerations: <kind>:<sets>:<line>:<ways>,<replacement>:<write>:<allocation>:<write
/// allocation>:<set index>, <mshr>:<entries>:<merge>,<miss queue>[:<result fifo>][,<data port
/// bytes>]
enum class cache_kind : std::uint8_t { normal, sector };
/// Handling of write hits: written to the line only (write_back), to the line and to memory
/// (write_through), or to memory, with the sector being invalidated (write_evict).
/// local_wb_global_wt: write_through for global memory, otherwise write_back, if a write that
/// misses is put into a line (lazy_fetch_on_read); without allocation, write_evict for global
/// memory.
enum class write_policy : std::uint8_t {
    read_only,
    write_back,
    write_through,
    write_evict,
    local_wb_global_wt,
};
/// streaming behaves as on_fill, or as on_miss in a kernel that uses no shared memory.
enum class allocation_policy : std::uint8_t { on_miss, on_fill, streaming };
/// Handling of write misses: sent to memory without a line (no_write_allocate); sent to memory, and
/// the line is fetched (write_allocate); put into a line, the rest of a partly written sector being
/// fetched at once (fetch_on_write) or by the first read that needs it (lazy_fetch_on_read).
enum class write_allocate_policy : std::uint8_t {
    no_write_allocate,
    write_allocate,
    fetch_on_write,
    lazy_fetch_on_read,
};
/// The hash of an address that selects the set of a cache, or the bank of an L1D.
enum class set_index_function : std::uint8_t {
    linear,
    bitwise_xor,
    ipoly,
    fermi_hash,
    custom,
    /// One bank for each of the sectors of a line; the group of banks is selected by the XOR of all
    /// bit groups of the line number (gpu-strides of te42kyfo/gpu-benches, tag look-ups of A100 and
    /// A40).
    folded_lines,
};

class replacement_policy;
/// Creates the replacement policy of a cache; replacement_policies() lists the available ones.
using replacement_maker = std::unique_ptr<replacement_policy> (*)();

inline constexpr unsigned sector_bytes = 32;
inline constexpr unsigned sectors_per_line = 4;

/// Behaviour of GPGPU-Sim's tag arrays that differs from hardware, enabled by --quirk.
struct cache_quirks {
    /// A read that merges into an MSHR entry reserves the line that it finds even if no fill will
    /// follow: when the entry's data have already arrived, or when the line that they will fill has
    /// been written in the meantime and replaced. Such a line stays reserved for ever.
    bool lines_stay_reserved = false;
    /// While the percentage of dirty lines is below the limit for replacing them, a set without
    /// clean lines stalls instead of replacing a dirty one.
    bool dirty_set_stalls = false;
    /// With local_wb_global_wt and lazy_fetch_on_read, a global write that misses stays in its line
    /// like a local one, and one that hits is sent to memory and invalidates its sector.
    bool global_stores_stay = false;
};

/// Geometry and policies of a cache; validated by the platform.
struct cache_config {
    bool enabled = true;
    cache_kind kind = cache_kind::normal;
    unsigned sets = 64;
    unsigned line_bytes = 128;
    unsigned ways = 4;
    /// One of replacement_policies(), or one that a program supplies; nullptr: the first (LRU).
    replacement_maker replacement = nullptr;
    write_policy write = write_policy::read_only;
    allocation_policy allocation = allocation_policy::on_miss;
    write_allocate_policy write_allocate = write_allocate_policy::no_write_allocate;
    set_index_function set_index = set_index_function::linear;
    bool texture_fifo =
        false;  ///< MSHR kind F or T: a texture cache with in-order misses; A, S: other caches
    unsigned mshr_entries = 32;
    unsigned mshr_max_merge = 8;
    unsigned miss_queue_size = 8;
    unsigned result_fifo_entries = 0;  ///< of texture caches
    unsigned data_port_bytes = 0;      ///< 0: the line size
    unsigned write_ratio_percent = 0;  ///< dirty lines are not replaced while their percentage is
                                       ///< below this (L1)
    /// At most this share of the lines of a set is modified: a write beyond it causes the
    /// write-back of the least recently used of them, which stays. 100: only replaced lines are
    /// written back.
    unsigned dirty_limit_percent = 100;
    bool quirk_evictions_follow_misses = false;  ///< write-backs are routed like the access that
                                                 ///< caused them
    cache_quirks quirks;

    /// Whether local writes stay in their lines until these are replaced, while global writes are
    /// kept and sent to memory.
    bool keeps_local_stores() const {
        return write == write_policy::local_wb_global_wt &&
               write_allocate == write_allocate_policy::lazy_fetch_on_read &&
               !quirks.global_stores_stay;
    }
    /// Whether all writes are kept in lines and sent to memory.
    bool keeps_and_passes_writes() const {
        return write == write_policy::write_through &&
               write_allocate == write_allocate_policy::lazy_fetch_on_read;
    }
    /// The sector of its line in which an address is; 0 if lines have no sectors.
    unsigned sector_of(std::uint64_t address) const {
        return kind == cache_kind::sector
                   ? static_cast<unsigned>(address / sector_bytes) % sectors_per_line
                   : 0;
    }
    unsigned atom_bytes() const { return kind == cache_kind::sector ? sector_bytes : line_bytes; }
    unsigned port_bytes() const { return data_port_bytes != 0 ? data_port_bytes : line_bytes; }
    unsigned lines() const { return sets * ways; }
    std::uint64_t bytes() const { return std::uint64_t{sets} * ways * line_bytes; }
};

}  // namespace simtlm::cache
