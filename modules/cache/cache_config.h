// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::cache {

/// One character of the option string each; the manual's and Accel-Sim's cache syntax
/// <kind>:<sets>:<line>:<ways>,<replacement>:<write>:<allocation>:<write allocation>:<set index>,
/// <mshr>:<entries>:<merge>,<miss queue>[:<result fifo>][,<data port bytes>]
enum class cache_kind : std::uint8_t { normal, sector };
enum class replacement_policy : std::uint8_t { lru, fifo, random };
enum class write_policy : std::uint8_t {
    read_only,
    write_back,
    write_through,
    write_evict,
    local_wb_global_wt,
};
/// streaming behaves as on_fill, or as on_miss in a kernel that uses no shared memory.
enum class allocation_policy : std::uint8_t { on_miss, on_fill, streaming };
enum class write_allocate_policy : std::uint8_t {
    no_write_allocate,
    write_allocate,
    fetch_on_write,
    lazy_fetch_on_read,
};
enum class set_index_function : std::uint8_t {
    linear,
    bitwise_xor,
    ipoly,
    fermi_hash,
    custom,
    /// A bank for each of the sectors of a line, of banks chosen by the exclusive or of all groups
    /// of bits of the line's number (gpu-strides of te42kyfo/gpu-benches, tag look-ups of A100 and
    /// A40).
    folded_lines,
};

inline constexpr unsigned sector_bytes = 32;
inline constexpr unsigned sectors_per_line = 4;

/// Departures of GPGPU-Sim's tag arrays from hardware, switched on by --quirk.
struct cache_quirks {
    /// A read that merges into an MSHR entry reserves the line that it finds although no fill will
    /// come for it: when the entry's data have come already, or when the line that they will come
    /// to was written meanwhile and replaced. The line stays reserved for ever.
    bool lines_stay_reserved = false;
    /// Below the share of dirty lines that may be replaced, a set without clean lines stalls
    /// rather than have a dirty one replaced.
    bool dirty_set_stalls = false;
};

/// Geometry and policies of one cache, validated by the platform.
struct cache_config {
    bool enabled = true;
    cache_kind kind = cache_kind::normal;
    unsigned sets = 64;
    unsigned line_bytes = 128;
    unsigned ways = 4;
    replacement_policy replacement = replacement_policy::lru;
    write_policy write = write_policy::read_only;
    allocation_policy allocation = allocation_policy::on_miss;
    write_allocate_policy write_allocate = write_allocate_policy::no_write_allocate;
    set_index_function set_index = set_index_function::linear;
    bool texture_fifo =
        false;  ///< MSHR kind F or T: a texture cache, whose misses stay in order; A, S: others
    unsigned mshr_entries = 32;
    unsigned mshr_max_merge = 8;
    unsigned miss_queue_size = 8;
    unsigned result_fifo_entries = 0;  ///< texture caches
    unsigned data_port_bytes = 0;      ///< 0: the line size
    unsigned write_ratio_percent = 0;  ///< dirty lines are no victims below this share (L1)
    bool quirk_evictions_follow_misses = false;  ///< write-backs go where the missing access goes
    cache_quirks quirks;

    unsigned atom_bytes() const { return kind == cache_kind::sector ? sector_bytes : line_bytes; }
    unsigned port_bytes() const { return data_port_bytes != 0 ? data_port_bytes : line_bytes; }
    unsigned lines() const { return sets * ways; }
    std::uint64_t bytes() const { return std::uint64_t{sets} * ways * line_bytes; }
};

}  // namespace simtlm::cache
