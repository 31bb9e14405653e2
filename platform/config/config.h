// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/dispatch/dispatch_config.h"
#include "modules/interconnect/interconnect_config.h"
#include "modules/memory/memory_config.h"
#include "modules/power/clock_governor.h"
#include "modules/power/energy_table.h"
#include "modules/power/hardware_counters.h"
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
    bool quirk_rounded = false;  ///< orders coincident clock edges by accumulated rounding errors
};

/// Timing of one class of operations, in core cycles.
struct operation_timing {
    unsigned latency = 1;
    unsigned initiation_interval = 1;
};

/// Quirks of GPGPU-Sim that concern PTX programs.
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
    /// Architecture whose control bits are derived for PTX instructions; 0: none.
    unsigned controls_of = 0;
    /// Models the timing of bulk copies and warpgroup matrix operations.
    bool asynchronous_engines = false;
    /// Models the timing of tensor memory (tcgen05).
    bool tensor_memory = false;
};

/// Memory limits that programs query, in bytes.
struct program_limits {
    std::uint64_t device_memory = std::uint64_t{32} << 30;
    std::uint64_t stack = 1024;  ///< per thread, for kernels whose requirement is unknown
    std::uint64_t heap = 8 << 20;
};

/// How traces are read; converted to trace::reader_options once the opcode tables are loaded.
struct trace_config {
    program::latency_table latencies;
    std::vector<std::string> opcode_tables;  ///< files, in loading order
    bool unknown_opcode_is_error = true;
    /// From the command line; the command list is applied to it later.
    trace::kernel_choice choice;
    unsigned lookahead = 64;  ///< number of blocks decoded ahead of the simulation
    std::optional<std::uint32_t>
        override_shared_memory;  ///< bytes per block, replaces the header's value
    std::optional<std::uint32_t> override_registers;  ///< per thread, replaces the header's value
    bool any_binary_version = false;
    bool validate = true;  ///< rejects records that no tracer can produce
    trace::reader_quirks quirks;
};

/// Half-open interval of core cycles: [from, to).
struct cycle_window {
    std::uint64_t from = 0;
    std::uint64_t to = ~std::uint64_t{0};
};

enum class progress_mode : std::uint8_t { automatic, on, off };

/// The log for AerialVision (-visualizer_*).
struct visualizer_config {
    std::string file;                ///< empty: none
    unsigned level = 6;              ///< compression level, 0 to 9
    std::uint64_t interval = 10000;  ///< core cycles between samples
    /// Core cycles between samples of the PCs; 0: same as `interval`.
    std::uint64_t pc_interval = 0;
    /// SM whose issue distribution is logged; -1: average over all SMs.
    int warp_distribution_sm = -1;
};

/// Statistics sampled over time (--interval).
struct interval_config {
    std::uint64_t cycles = 0;           ///< core cycles between samples
    std::string csv, database;          ///< files; empty: none
    std::vector<std::string> counters;  ///< globs of additional counters to sample
    std::vector<std::string> scope;     ///< globs of the blocks to sample
};

/// Files of the power model; empty: not written.
struct power_files {
    std::string report;
    std::string trace, metrics, steady_states;  ///< beside the report, compressed
};

/// Settings of the executable; no simulated block depends on them.
struct run_config {
    std::string trace;  ///< command list; empty: none given
    std::string stats_json, stats_csv, stats_csv_long;
    power_files power;
    bool compact_reports = false;  ///< omits statistics that are zero or unchanged
    unsigned warp_issue_sm = 0;    ///< SM whose issue distribution is printed
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
    unsigned threads = 1;  ///< host threads that simulate
    /// Minimum number of active SMs per host thread; 0: chosen by measurement.
    unsigned sms_a_thread = 0;
    bool block_processes = false;  ///< gives every block a clocked thread of its own
    std::optional<std::uint64_t> shuffle_seed;
    bool profile_kernel = false;
    bool quiet = false;
    bool summary = false;  ///< prints a summary on stderr even if it is not a terminal
    progress_mode progress = progress_mode::automatic;
    unsigned progress_period = 1;  ///< seconds between messages
};

/// Which activity the power report of a kernel is based on (-power_simulation_mode).
enum class power_mode : std::uint8_t { simulation, hardware, hybrid };

/// The power model (-power_simulation_enabled).
struct power_config {
    bool enabled = false;
    power_mode mode = power_mode::simulation;
    power::energy_table table;
    power::operating_point at;                             ///< at the start
    std::optional<power::thermal_node::settings> cooling;  ///< none: a constant temperature
    std::optional<power::clock_governor::settings> limit;  ///< of power
    std::uint64_t window = 10000;  ///< core cycles over which power is taken as constant
    unsigned result_buses = 8;     ///< warp instructions that an SM can complete in a cycle
    bool lanes_gated = true;       ///< idle lanes of functional units take no energy
    bool quirk_merges_reduce_misses = false;  ///< see power::gpu_parameters
    bool dumps_windows = false;               ///< the report has the power of every window
    unsigned trace_level = 6;                 ///< of the compressed traces, 0 to 9
    double steady_deviation = 8;              ///< watts from the mean of a steady state
    unsigned steady_windows = 4;              ///< a steady state has more than that
    std::string hardware_file, hardware_benchmark;
    std::array<bool, power::hardware_counters> simulated{};  ///< counters of hybrid mode
    bool accumulates = false;  ///< instruction counts of modes 1 and 2 are those of the run so far
};

/// Complete, validated configuration of a GPU and of the run.
struct gpu_config {
    clock_config clocks;
    core::simt_cluster_config cores;
    interconnect::interconnect_config network;
    memory::memory_config memory;
    dispatch::dispatch_config dispatch;
    trace_config traces;
    ptx_timing ptx;
    program_limits programs;
    cache::cache_quirks caches;  ///< apply to every cache
    power_config power;
    run_config run;
    unsigned compute_capability_major = 7;
    unsigned compute_capability_minor = 0;
    std::string core = "classic";       ///< core_model::alias
    bool l1_uses_shared_banks = false;  ///< L1D and shared memory have the same data banks
    bool times_cta_clusters = false;    ///< the SMs support clusters of thread blocks
    std::vector<std::string> quirks;    ///< names of the enabled quirks, in table order
    /// The polynomial hash of a number of channels that is no power of two wraps around.
    bool quirk_hash_wraps = false;
    std::vector<std::string> warnings;  ///< about values that are accepted for compatibility only

    /// Compute capability as one number: 70 for 7.0.
    unsigned binary_version() const {
        return compute_capability_major * 10 + compute_capability_minor;
    }
    unsigned sms() const { return cores.clusters * cores.sms_per_cluster; }
    unsigned sub_partitions() const { return memory.channels * memory.partition.sub_partitions; }
};

/// Builds and validates the configuration that the options describe.
/// @throws support::user_error naming option, origin and remedy for every impossible configuration
gpu_config make_gpu_config(const option_values& values);

/// Checks the options of the GPU for a run without timing, which needs no network, and that none
/// ends a run by its time. @throws support::user_error
void check_untimed(const option_values& values);

/// Resources that a kernel requires according to its header.
struct kernel_header_descriptor {
    std::string file;  ///< used in error messages
    std::string kernel;
    unsigned binary_version = 0;  ///< 0: not recorded
    std::uint64_t threads_per_block = 0;
    unsigned registers = 0;      ///< per thread
    unsigned shared_memory = 0;  ///< bytes per block
};

/// Checks that a kernel can run on this GPU. Overrides in the configuration replace the header's
/// values first.
/// @throws support::user_error  with the reason and a remedy
void check_trace_fits(const gpu_config& config, const kernel_header_descriptor& kernel);

}  // namespace simtlm::platform
