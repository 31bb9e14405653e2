// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/modern/modern_config.h"
#include "modules/dispatch/dispatch_config.h"
#include "modules/interconnect/interconnect_config.h"
#include "modules/memory/memory_config.h"
#include "modules/program/instruction.h"
#include "modules/trace/kernel_choice.h"
#include "modules/trace/kernel_trace.h"
#include "platform/options/options.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Frequencies of the four clock domains, in Hz.
struct clock_config {
    double core = 500e6;
    double network = 2000e6;
    double l2 = 2000e6;
    double dram = 2000e6;
    bool quirk_rounded = false;  ///< coincident edges are ordered by rounding errors
};

/// Core cycles of one operation.
struct operation_timing {
    unsigned latency = 1;
    unsigned initiation_interval = 1;
};

/// Quirks of the reference about programs.
struct ptx_quirks {
    bool names_give_banks = false;
    bool vector_is_one_element = false;
    bool missed_hazards = false;
    bool allocations_of_256_bytes = false;
    bool symbol_copies_bypass_l2 = false;
    bool host_reads_warm_l2 = false;
};

/// Timing of instructions that are executed from PTX (-ptx_opcode_latency_*,
/// -ptx_opcode_initiation_*).
struct ptx_timing {
    std::array<operation_timing, 6> integer;           ///< add, max, mul, mad, div, shfl
    std::array<operation_timing, 5> single_precision;  ///< add, max, mul, mad, div
    std::array<operation_timing, 5> double_precision;
    operation_timing special, tensor;
    ptx_quirks quirks;
    unsigned controls_of = 0;  ///< instructions get control bits, as for this architecture; 0: none
    bool asynchronous_engines = false;  ///< bulk copies and products of warpgroups have timing
};

/// What programs find, bytes.
struct program_limits {
    std::uint64_t device_memory = std::uint64_t{32} << 30;
    std::uint64_t stack = 1024;  ///< of a thread, where the need is unknown
    std::uint64_t heap = 8 << 20;
};

/// How traces are read; becomes trace::reader_options once the opcode tables are loaded.
struct trace_config {
    program::latency_table latencies;
    std::vector<std::string> opcode_tables;  ///< files, in order
    bool unknown_opcode_is_error = true;
    trace::kernel_choice choice;  ///< of the command line, and then with that of the list
    unsigned lookahead = 64;      ///< decoded blocks ahead of the simulation
    std::optional<std::uint32_t>
        override_shared_memory;                       ///< bytes per block, instead of the header's
    std::optional<std::uint32_t> override_registers;  ///< per thread, instead of the header's
    bool any_binary_version = false;
    bool validate = true;  ///< refuses what no tracer can have recorded
    trace::reader_quirks quirks;
};

/// An interval of core cycles, `to` excluded.
struct cycle_window {
    std::uint64_t from = 0;
    std::uint64_t to = ~std::uint64_t{0};
};

enum class progress_mode : std::uint8_t { automatic, on, off };

/// The log for AerialVision.
struct visualizer_config {
    std::string file;                ///< empty: none
    unsigned level = 6;              ///< of compression, 0 to 9
    std::uint64_t interval = 10000;  ///< core cycles between samples
    std::uint64_t pc_interval = 0;   ///< between looks at the PCs; 0: with every sample
    int warp_distribution_sm = -1;   ///< whose issue distribution is shown; -1: the mean of all
};

/// --interval: statistics over time.
struct interval_config {
    std::uint64_t cycles = 0;           ///< core cycles between samples
    std::string csv, database;          ///< files; empty: none
    std::vector<std::string> counters;  ///< globs of counters that are sampled too
    std::vector<std::string> scope;     ///< globs of what is sampled
};

/// What the executable does with the GPU; no block depends on it.
struct run_config {
    std::string trace;  ///< command list; empty: none given
    std::string stats_json, stats_csv, stats_csv_long;
    bool compact_reports = false;  ///< without what is zero or was said before
    unsigned warp_issue_sm = 0;    ///< whose issue distribution is printed
    bool print_memory_latencies = true;
    std::string vcd;
    std::vector<std::string> vcd_scope;  ///< globs
    cycle_window vcd_window;
    std::string timeline;
    cycle_window timeline_window;
    std::uint64_t timeline_sample = 1000;  ///< core cycles
    visualizer_config visualizer;
    interval_config interval;
    bool profile_instructions = false;
    std::string line_stats;  ///< file of the instruction profile; empty: none
    bool no_sleep = false;
    unsigned threads = 1;          ///< of the host, that simulate
    unsigned sms_a_thread = 0;     ///< with work, at least; 0: as pays
    bool block_processes = false;  ///< every block has a clocked thread of its own
    std::optional<std::uint64_t> shuffle_seed;
    bool profile_kernel = false;
    bool quiet = false;
    bool summary = false;  ///< on stderr, whether or not that is a terminal
    progress_mode progress = progress_mode::automatic;
    unsigned progress_period = 1;  ///< seconds between messages
};

/// A whole GPU and how to run it, complete and validated.
struct gpu_config {
    clock_config clocks;
    core::cluster_config cores;
    interconnect::interconnect_config network;
    memory::memory_config memory;
    dispatch::dispatch_config dispatch;
    trace_config traces;
    ptx_timing ptx;
    program_limits programs;
    cache::cache_quirks caches;  ///< of all caches
    run_config run;
    unsigned compute_capability_major = 7;
    unsigned compute_capability_minor = 0;
    std::optional<core::modern::modern_config> modern;  ///< the modern core; without: the classic
    std::vector<std::string> quirks;  ///< names of those that are on, in the table's order

    /// 70 for compute capability 7.0.
    unsigned binary_version() const {
        return compute_capability_major * 10 + compute_capability_minor;
    }
    unsigned sms() const { return cores.clusters * cores.sms_per_cluster; }
    unsigned sub_partitions() const { return memory.channels * memory.partition.sub_partitions; }
};

/// Builds and validates the configuration that the options describe.
/// @throws kernel::user_error naming option, origin and remedy for every impossible configuration
gpu_config make_gpu_config(const option_values& values);

/// What a kernel's header says about the resources it needs.
struct kernel_header_descriptor {
    std::string file;  ///< for messages
    std::string kernel;
    unsigned binary_version = 0;  ///< 0: not told
    std::uint64_t threads_per_block = 0;
    unsigned registers = 0;      ///< per thread
    unsigned shared_memory = 0;  ///< bytes per block
};

/// Refuses a kernel that cannot run on this GPU, with the reason and what to do about it.
/// Overrides of the configuration take the place of the header's values first.
/// @throws kernel::user_error
void check_trace_fits(const gpu_config& config, const kernel_header_descriptor& kernel);

}  // namespace simtlm::platform
