// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_scheduler.h"
#include "platform/config/gpc_reader.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {

namespace {

unsigned log2_of(unsigned n) {
    unsigned bits = 0;
    while ((1u << bits) < n) ++bits;
    return bits;
}

/// The partition of the L2 to which each GPC is attached. By default, neighbouring GPCs are
/// attached to different ones, so that the blocks of a small grid, which are distributed over the
/// GPCs in turn, use both.
std::vector<unsigned> read_halves(const option_values& v, unsigned far_latency) {
    constexpr std::string_view option = "-gpgpu_gpc_partitions";
    if (v.text(option) == "alternate") return {0, 1};
    if (far_latency == 0)
        v.fail(option, "has no effect on an L2 of one partition",
               "-gpgpu_l2_far_latency of at least 1; or alternate");
    const std::vector<unsigned> halves =
        read(v, option, [](const std::string& text) { return parse_numbers(text, ',', 1, 1024); });
    for (const unsigned half : halves)
        if (half > 1) v.fail(option, fmt::format("partition {}", half), "0 or 1");
    return halves;
}

/// Bytes that a read which misses the L2 fetches.
unsigned read_fetch_granularity(const option_values& v, const cache::cache_config& l2) {
    constexpr std::string_view option = "-gpgpu_l2_fetch_granularity";
    const unsigned bytes = v.number(option);
    if (bytes != 32 && bytes != 64 && bytes != 128)
        v.fail(option, fmt::format("a block of {} bytes", bytes), "32, 64 or 128");
    if (bytes != cache::sector_bytes && l2.kind != cache::cache_kind::sector)
        v.fail(option, "has no effect on an L2 without sectors, which fetches whole lines",
               "32; or an L2 with sectors (S:... in -gpgpu_cache:dl2)");
    return bytes;
}

void read_partitions(const option_values& v, memory::memory_config& m) {
    memory::partition_config& p = m.partition;
    m.channels = v.number("-gpgpu_n_mem", 1, 1024);
    p.sub_partitions = v.number("-gpgpu_n_sub_partition_per_mchannel", 1, 64);
    if (!power_of_two(p.sub_partitions))
        v.fail("-gpgpu_n_sub_partition_per_mchannel", "is not a power of two", "1, 2, 4, ...");
    p.l2 = read_data_cache(v, "-gpgpu_cache:dl2");
    p.l2.dirty_limit_percent = v.number("-gpgpu_l2_dirty_limit", 1, 100);
    p.l2_texture_only = v.flag("-gpgpu_cache:dl2_texture_only");
    p.ideal_l2 = v.flag("-l2_ideal");
    constexpr std::string_view queues = "-gpgpu_dram_partition_queues";
    const auto sizes =
        read(v, queues, [](const std::string& text) { return parse_numbers(text, ':', 4, 4); });
    for (const unsigned size : sizes)
        if (size == 0 || size > max_queue_entries)
            v.fail(queues, fmt::format("a queue of {} entries", size),
                   fmt::format("1 to {}", max_queue_entries));
    // A request enters the first queue if there is room for its sectors.
    if (sizes[0] < cache::sectors_per_line)
        v.fail(queues, fmt::format("no request ever enters a first queue of {} entries", sizes[0]),
               fmt::format("at least {}, one for each sector of a line", cache::sectors_per_line));
    p.icnt_to_l2 = sizes[0], p.l2_to_dram = sizes[1], p.dram_to_l2 = sizes[2],
    p.l2_to_icnt = sizes[3];
    p.rop_latency = v.number("-gpgpu_l2_rop_latency", 0, max_latency);
    p.fetch_granularity = read_fetch_granularity(v, p.l2);
    p.atomic_latency = v.number("-gpgpu_l2_atomic_latency", 0, max_latency);
    p.atomic_interval = interval(v, "-gpgpu_l2_atomic_interval", 0, "L2");
    p.far_latency = v.number("-gpgpu_l2_far_latency", 0, max_latency);
    p.far_interval = interval(v, "-gpgpu_l2_far_interval", 0, "core");
    if (p.far_interval != 0 && p.far_latency == 0)
        v.fail("-gpgpu_l2_far_interval", "has no effect on an L2 of one partition",
               "-gpgpu_l2_far_latency of at least 1; or 0");
    if (v.text("-gpgpu_l2_partition_bits") != "none") {
        if (p.far_latency == 0)
            v.fail("-gpgpu_l2_partition_bits", "has no effect on an L2 of one partition",
                   "-gpgpu_l2_far_latency of at least 1; or none");
        for (const unsigned bit : read(v, "-gpgpu_l2_partition_bits", [](const std::string& text) {
                 return parse_numbers(text, ',', 1, 64);
             })) {
            if (bit < 5 || bit > 63)
                v.fail("-gpgpu_l2_partition_bits", fmt::format("bit {} of an address", bit),
                       "5 (sectors of 32 bytes) to 63; or none alone");
            p.half_bits |= std::uint64_t{1} << bit;
        }
    }
    p.sms = std::max(1u, v.number("-gpgpu_n_clusters") * v.number("-gpgpu_n_cores_per_cluster"));
    const std::vector<unsigned> halves = read_halves(v, p.far_latency);
    std::size_t gpc = 0;
    for (const unsigned sms : read_gpcs(v, p.sms))
        p.half_of_sm.insert(p.half_of_sm.end(), sms,
                            static_cast<std::uint8_t>(halves[gpc++ % halves.size()]));
    p.slices = m.channels * p.sub_partitions;
    p.dram_latency = v.number("-dram_latency", 0, max_latency);
    p.simple_dram = v.flag("-gpgpu_simple_dram_model");
    m.warm_l2_on_copy = v.flag("-gpgpu_perf_sim_memcpy");
    p.copies_modify = v.flag("-gpgpu_l2_copy_modified");
    m.flush_l2 = v.flag("-gpgpu_flush_l2_cache");
}

/// Refuses timing that no DRAM can have; with --compat accel-sim it is a warning, because GPGPU-Sim
/// runs it.
class timing_check {
public:
    timing_check(const option_values& v, std::vector<std::string>& warnings)
        : v_(v), warnings_(warnings), only_warns_(v.text("--compat") == "accel-sim") {}

    /// @param then  what the model does if it runs nevertheless
    void impossible(std::string_view option, const std::string& what, const std::string& remedy,
                    const std::string& then) const {
        if (!only_warns_) v_.fail(option, what, remedy);
        warnings_.push_back(fmt::format("{} {}: {}; {}", option, v_.text(option), what, then));
    }

private:
    const option_values& v_;
    std::vector<std::string>& warnings_;
    bool only_warns_;
};

void read_dram(const option_values& v, memory::dram_config& d, std::vector<std::string>& warnings) {
    const timing_check check(v, warnings);
    constexpr std::string_view timing = "-gpgpu_dram_timing_opt";
    d.timing = read(v, timing, parse_dram_timing);
    const auto& schedulers = memory::dram_schedulers();
    d.scheduler = schedulers[v.number("-gpgpu_dram_scheduler", 0, schedulers.size() - 1)].make;
    d.scheduler_queue_size = v.number("-gpgpu_frfcfs_dram_sched_queue_size", 0, max_queue_entries);
    d.return_queue_size = v.number("-gpgpu_dram_return_queue_size", 0, max_queue_entries);
    d.bus_width_bytes = v.number("-gpgpu_dram_buswidth", 1, 4096);
    d.chips_per_channel = v.number("-gpgpu_n_mem_per_ctrlr", 1, 256);
    d.burst_length = v.number("-gpgpu_dram_burst_length", 1, 256);
    d.data_command_freq_ratio = v.number("-dram_data_command_freq_ratio", 1, 64);
    if (d.burst_length < d.data_command_freq_ratio)
        check.impossible(
            "-gpgpu_dram_burst_length",
            fmt::format("a burst of {} transfers takes less than a command cycle of {}",
                        d.burst_length, d.data_command_freq_ratio),
            "see -dram_data_command_freq_ratio",
            "a burst takes no time on the data bus, as in Accel-Sim");
    if (v.text("--compat") != "accel-sim" && d.burst_length % d.data_command_freq_ratio != 0)
        v.fail("-gpgpu_dram_burst_length",
               fmt::format("a burst of {} transfers is no whole number of command cycles of {}",
                           d.burst_length, d.data_command_freq_ratio),
               "a multiple of -dram_data_command_freq_ratio");
    d.dual_bus_interface = v.number("-dram_dual_bus_interface", 0, 1) == 1;
    if (d.timing.WL + 1 > d.timing.tRCD)
        check.impossible(
            timing,
            fmt::format("a write waits RCD - (WL + 1) cycles after its activation; RCD {} is too "
                        "short for WL {}",
                        d.timing.tRCD, d.timing.WL),
            "RCD of at least WL + 1", "writes do not wait; in Accel-Sim they wait for 2^32 cycles");
    if (d.timing.WL > d.timing.CL)
        check.impossible(timing,
                         fmt::format("WL {} is longer than CL {}", d.timing.WL, d.timing.CL),
                         "WL of at most CL", "Accel-Sim aborts at the first write to DRAM");
    d.bank_index = choice<memory::bank_indexing>(v, "-dram_bnk_indexing_policy", 3);
    if (d.bank_index == memory::bank_indexing::ipoly && d.timing.nbk != 16 && d.timing.nbk != 32 &&
        d.timing.nbk != 64)
        v.fail("-dram_bnk_indexing_policy",
               fmt::format("the polynomial hash with {} banks", d.timing.nbk),
               "it is defined for 16, 32 and 64");
    d.bank_group_index = choice<memory::bank_group_indexing>(v, "-dram_bnkgrp_indexing_policy", 1);
    // A FIFO scheduler preserves the order of reads and writes, so it uses a single queue.
    d.separate_write_queue = v.flag("-dram_seperate_write_queue_enable") &&
                             d.scheduler == memory::make_fr_fcfs_scheduler;
    constexpr std::string_view write_queue = "-dram_write_queue_size";
    const auto marks = read(v, write_queue,
                            [](const std::string& text) { return parse_numbers(text, ':', 3, 3); });
    if (marks[2] >= marks[1] || marks[1] > marks[0])
        v.fail(write_queue, "the watermarks are out of order", "SIZE >= HIGH > LOW");
    d.write_queue_size = marks[0], d.write_high_watermark = marks[1],
    d.write_low_watermark = marks[2];
    d.eliminate_rw_turnaround = v.flag("-dram_elimnate_rw_turnaround");
    d.check_timing = v.flag("--check-dram");
}

void read_mapping(const option_values& v, memory::memory_config& m) {
    memory::address_mapping_config& a = m.mapping;
    const unsigned banks = m.partition.dram.timing.nbk;
    a.channels = m.channels;
    a.sub_partitions_per_channel = m.partition.sub_partitions;
    a.banks = banks;
    if (banks % a.sub_partitions_per_channel != 0)
        v.fail("-gpgpu_n_sub_partition_per_mchannel",
               fmt::format("{} DRAM banks do not divide among {} sub-partitions", banks,
                           a.sub_partitions_per_channel),
               "see nbk in -gpgpu_dram_timing_opt");
    constexpr std::string_view option = "-gpgpu_mem_addr_mapping";
    constexpr std::string_view mask = "-gpgpu_mem_address_mask";
    a.mapping = v.text(option);
    a.mask_mode = v.number(mask);
    a.indexing = choice<memory::partition_indexing>(v, "-gpgpu_memory_partition_indexing", 6);
    constexpr std::string_view indexing = "-gpgpu_memory_partition_indexing";
    const unsigned nodes = a.channels * a.sub_partitions_per_channel;
    const bool power = power_of_two(a.channels);
    if (a.indexing == memory::partition_indexing::ipoly && power && nodes != 16 && nodes != 32 &&
        nodes != 64)
        v.fail(indexing, fmt::format("the polynomial hash over {} sub-partitions", nodes),
               "it is defined for 16, 32 and 64; choose 6, or see -gpgpu_n_mem");
    if (a.indexing == memory::partition_indexing::bitwise_xor && !power)
        v.fail(indexing, fmt::format("an XOR of bits over {} channels", a.channels),
               "it needs a power of two; choose 6, or see -gpgpu_n_mem");
    if (a.indexing == memory::partition_indexing::pae && (!power || nodes > 32))
        v.fail(indexing, fmt::format("page randomisation over {} sub-partitions", nodes),
               "it needs a power of two up to 32; choose 6, or see -gpgpu_n_mem");
    if (a.mapping.empty()) {
        static constexpr unsigned modes[] = {0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106, 160};
        if (std::find(std::begin(modes), std::end(modes), a.mask_mode) == std::end(modes))
            v.fail(mask, "the built-in mapping does not exist", "give -gpgpu_mem_addr_mapping");
        return;
    }
    const mapping_shape shape = read(v, option, parse_address_mapping);
    if (a.indexing == memory::partition_indexing::rotation && !shape.channel_position)
        v.fail(indexing, "a rotation needs the channel bits in one place",
               "dramid@BIT in -gpgpu_mem_addr_mapping; or choose 0");
    if (!shape.channel_position) {
        if (!power_of_two(a.channels))
            v.fail(option, fmt::format("D bits cannot select among {} channels", a.channels),
                   "use dramid@BIT, which divides by any number");
        if ((1u << shape.channel_bits) != a.channels)
            v.fail(option,
                   fmt::format("{} D bits select among {} channels; there are {}",
                               shape.channel_bits, 1u << shape.channel_bits, a.channels),
                   "see -gpgpu_n_mem");
    }
    if (shape.bank_bits != log2_of(banks))
        v.fail(option,
               fmt::format("{} B bits select among {} banks; DRAM has {}", shape.bank_bits,
                           1u << shape.bank_bits, banks),
               "see nbk in -gpgpu_dram_timing_opt");
}

/// Largest and smallest share of the sub-partitions in random addresses, in units of the mean.
std::pair<double, double> shares(const memory::address_mapping& mapping) {
    constexpr unsigned samples = 1024;  // of each sub-partition
    constexpr std::uint64_t sectors_of_memory = std::uint64_t{1} << 30;
    std::vector<unsigned> counts(mapping.sub_partitions());
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < counts.size() * samples; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        ++counts[mapping.sub_partition_of(state % sectors_of_memory * cache::sector_bytes)];
    }
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return {static_cast<double>(*most) / samples, static_cast<double>(*least) / samples};
}

}  // namespace

void complete_mapping(const option_values& v, gpu_config& config) {
    memory::address_mapping_config& a = config.memory.mapping;
    // Taken modulo another number, the polynomial hash of GPGPU-Sim is uneven.
    if (a.indexing == memory::partition_indexing::ipoly && !power_of_two(a.channels) &&
        !config.quirk_hash_wraps)
        a.indexing = memory::partition_indexing::rotation;
    if (v.text("--compat") == "accel-sim" || config.quirk_hash_wraps ||
        a.indexing == memory::partition_indexing::random)
        return;
    const auto [most, least] = shares(memory::address_mapping(a));
    constexpr double tolerated = 1.3;  // eight standard deviations are 1.25
    if (most < tolerated && least > 2 - tolerated) return;
    v.fail(
        v.given("-gpgpu_mem_addr_mapping") ? "-gpgpu_mem_addr_mapping" : "-gpgpu_mem_address_mask",
        fmt::format("of {} sub-partitions, some serve {:.1f} times as many addresses as the "
                    "mean, others {:.1f} times",
                    a.channels * a.sub_partitions_per_channel, most, least),
        "select channels and sub-partitions (the lowest B bits) by bits of at least 5, or "
        "-gpgpu_memory_partition_indexing 6");
}

void read_memory(const option_values& v, memory::memory_config& memory,
                 std::vector<std::string>& warnings) {
    read_partitions(v, memory);
    read_dram(v, memory.partition.dram, warnings);
    read_mapping(v, memory);
}

}  // namespace simtlm::platform
