// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::simulation {
class phase_sequencer;
}

namespace simtlm::memory {

/// -gpgpu_memory_partition_indexing
enum class partition_indexing : std::uint8_t {
    consecutive = 0,
    bitwise_xor = 1,
    ipoly = 2,
    pae = 3,
    random = 4,
    custom = 5,
    rotation = 6,
};
/// -dram_bnk_indexing_policy
enum class bank_indexing : std::uint8_t { linear = 0, bitwise_xor = 1, ipoly = 2, custom = 3 };
/// -dram_bnkgrp_indexing_policy: the bank bits that select the bank group
enum class bank_group_indexing : std::uint8_t { high_bits = 0, low_bits = 1 };

class dram_scheduler;
struct dram_scheduler_parts;
/// Creates the scheduler of a DRAM channel; dram_schedulers() lists the available ones.
using dram_scheduler_maker = std::unique_ptr<dram_scheduler> (*)(const dram_scheduler_parts&);
std::unique_ptr<dram_scheduler> make_fr_fcfs_scheduler(const dram_scheduler_parts& parts);

class address_mapping;
class memory_channel;
struct dram_config;
/// Arguments of a memory channel's constructor. All but the name must outlive it.
struct memory_channel_parts {
    const char* name;
    simulation::phase_sequencer& sequencer;
    const dram_config& config;
    const address_mapping& mapping;
    unsigned number;  ///< of the channel
};
using memory_channel_maker =
    std::function<std::unique_ptr<memory_channel>(const memory_channel_parts&)>;
/// Creates the built-in controller.
std::unique_ptr<memory_channel> make_dram_channel(const memory_channel_parts& parts);

/// The mapping of addresses to channels, sub-partitions and DRAM banks.
struct address_mapping_config {
    std::string mapping;     ///< -gpgpu_mem_addr_mapping: dramid@<bit>;<mask of R B C S>
    unsigned mask_mode = 0;  ///< -gpgpu_mem_address_mask (obsolete presets 0..16)
    unsigned channels = 8;
    unsigned sub_partitions_per_channel = 1;
    unsigned banks = 16;
    partition_indexing indexing = partition_indexing::consecutive;
};

/// DRAM timing, in command clock cycles (-gpgpu_dram_timing_opt).
struct dram_timing {
    unsigned nbk = 4;     ///< banks
    unsigned tCCD = 2;    ///< column to column
    unsigned tRRD = 8;    ///< activate to activate, different banks
    unsigned tRCD = 12;   ///< activate to column
    unsigned tRAS = 25;   ///< activate to precharge
    unsigned tRP = 10;    ///< precharge to activate
    unsigned tRC = 35;    ///< activate to activate, same bank
    unsigned CL = 10;     ///< read column to data
    unsigned WL = 7;      ///< write column to data
    unsigned tCDLR = 6;   ///< end of write data to read
    unsigned tWR = 11;    ///< end of write data to precharge
    unsigned nbkgrp = 1;  ///< bank groups
    unsigned tCCDL = 0;   ///< column to column, same bank group; 0: tCCD
    unsigned tRTPL = 0;   ///< read to precharge, same bank group
    unsigned tREFI = 0;   ///< refresh interval; 0: no refresh, as in GPGPU-Sim
    unsigned tRFC = 0;    ///< duration of a refresh of all banks; 0: banks are refreshed in turn
    unsigned tRFCSB = 0;  ///< duration of a refresh of one bank, one every tREFI / nbk
};

/// A DRAM channel.
struct dram_config {
    dram_timing timing;
    dram_scheduler_maker scheduler = make_fr_fcfs_scheduler;  ///< -gpgpu_dram_scheduler
    unsigned scheduler_queue_size = 0;                        ///< requests; 0: unlimited (FIFO: 2)
    unsigned return_queue_size = 0;  ///< 0: 1024, and no limit on outstanding requests
    unsigned bus_width_bytes = 4;    ///< of one chip, per data clock edge
    unsigned chips_per_channel = 1;  ///< -gpgpu_n_mem_per_ctrlr
    unsigned burst_length = 4;       ///< data transfers per column command
    unsigned data_command_freq_ratio = 2;
    bool dual_bus_interface = false;  ///< one row and one column command per cycle (HBM)
    bank_indexing bank_index = bank_indexing::linear;
    bank_group_indexing bank_group_index = bank_group_indexing::high_bits;
    bool separate_write_queue = false;
    unsigned write_queue_size = 32;  ///< -dram_write_queue_size size:high:low
    unsigned write_high_watermark = 28;
    unsigned write_low_watermark = 16;
    /// Quirk of GPGPU-Sim: writes with a separate queue wait until there are as many as the high
    /// watermark, even while no read waits; fewer are never written.
    bool quirk_writes_wait = false;
    bool eliminate_rw_turnaround = false;
    bool check_timing = false;  ///< --check-dram: a timing checker observes every command

    /// Bytes transferred by one column access.
    unsigned atom_bytes() const { return burst_length * bus_width_bytes * chips_per_channel; }
    /// Column accesses that transfer a request: a burst may be longer than the request.
    std::uint64_t atoms_of(std::uint64_t bytes) const {
        return (bytes + atom_bytes() - 1) / atom_bytes();
    }
};

/// One memory partition: a DRAM channel with its L2 sub-partitions.
struct partition_config {
    unsigned sub_partitions = 1;                                              ///< per channel
    unsigned icnt_to_l2 = 8, l2_to_dram = 8, dram_to_l2 = 8, l2_to_icnt = 8;  ///< entries
    unsigned rop_latency = 85;                                                ///< core cycles
    unsigned atomic_latency = 0;  ///< additional core cycles of atomics, -gpgpu_l2_atomic_latency
    /// Thousandths of an L2 cycle between two sectors of atomics; 0: no more than for other
    /// accesses. -gpgpu_l2_atomic_interval
    unsigned atomic_interval = 0;
    /// Bytes of the aligned block that a read which misses fetches from memory: 32, 64 or 128.
    /// -gpgpu_l2_fetch_granularity
    unsigned fetch_granularity = cache::sector_bytes;
    /// Additional core cycles of transfers to or from a slice in the other half of the GPU; 0: the
    /// L2 is not partitioned. -gpgpu_l2_far_latency
    unsigned far_latency = 0;
    /// Thousandths of a core cycle between two sectors that a slice sends to SMs in the other half
    /// of the GPU; 0: no limit. -gpgpu_l2_far_interval
    unsigned far_interval = 0;
    /// Half of the GPU in which each SM is; empty: SM s of n is in half 2 s / n. Derived from the
    /// GPCs, -gpgpu_gpc_sms.
    std::vector<std::uint8_t> half_of_sm;
    /// Mask of the address bits whose parity selects the half; 0: the slices of channel c are in
    /// half c % 2. -gpgpu_l2_partition_bits
    std::uint64_t half_bits = 0;
    unsigned sms = 1, slices = 1;  ///< number in the GPU
    unsigned dram_latency = 10;    ///< core cycles
    bool l2_texture_only = false;
    bool ideal_l2 = false;     ///< -l2_ideal
    bool simple_dram = false;  ///< -gpgpu_simple_dram_model: fixed latency, no DRAM timing
    cache::cache_config l2;
    dram_config dram;
    bool copies_modify = false;  ///< host copies leave modified lines, -gpgpu_l2_copy_modified
    bool quirk_memcpy_truncates = false;  ///< host copies warm L2 with 32-bit addresses
};

/// The memory system of the GPU.
struct memory_config {
    address_mapping_config mapping;
    partition_config partition;
    unsigned channels = 8;
    memory_channel_maker channel;     ///< empty: make_dram_channel
    bool warm_l2_on_copy = true;      ///< -gpgpu_perf_sim_memcpy
    bool flush_l2 = false;            ///< -gpgpu_flush_l2_cache: after every kernel
    bool quirk_flush_few_l2 = false;  ///< only as many sub-partitions as there are channels
};

}  // namespace simtlm::memory
