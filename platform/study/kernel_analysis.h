// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// What the GPU of a run can do at most; from the file's object `gpu`.
struct gpu_limits {
    bool known = false;  ///< files of older versions do not tell
    double sms = 0, schedulers = 0, warp_size = 32, warps_per_sm = 0, channels = 0;
    double core_hz = 0;
    double thread_instructions_per_cycle = 0;
    double l1_bytes = 0, shared_bytes = 0, l2_bytes = 0, dram_bytes = 0;  ///< per second
    double dram_atom = 32;                                                ///< bytes

    static gpu_limits of(const statistics_run& run);
};

/// One reason why a kernel takes as long as it does.
struct finding {
    double weight = 0;     ///< 0 to 1: share of the time that it accounts for, for ranking
    std::string headline;  ///< a clause
    std::string detail;    ///< sentences with numbers
};

/// A rate and the greatest one possible; bytes per second.
struct bandwidth {
    double rate = 0, peak = 0;

    double share() const { return peak > 0 ? rate / peak : 0; }
};

/// Where a kernel's time went, from its counters. Cycles are core cycles.
struct kernel_analysis {
    kernel_key key;
    bool finished = true;
    bool overlapped = false;  ///< another kernel ran at the same time: counters are shared
    double cycles = 0;        ///< since the report before: launch latency and execution
    double launch_cycles = 0, run_cycles = 0;
    double start_cycle = 0, end_cycle = 0;  ///< since the start of the run
    double seconds = 0;                     ///< of run_cycles
    double thread_instructions = 0, warp_instructions = 0;
    double ipc = 0, ipc_share = 0;  ///< thread instructions per run cycle; of the peak

    /// Shares of the scheduler cycles of all SMs: they add up to 1.
    struct {
        double issued = 0, scoreboard = 0, pipeline = 0, nothing = 0, unused = 0;
    } slots;
    /// Warp cycles by reason, as shares; empty without -enable_ptx_file_line_stats.
    std::map<std::string, double> waits;

    double occupancy = 0, occupancy_limit = 0;  ///< resident warps over warp slots
    std::vector<std::string> limited_by;
    double ctas = 0, ctas_per_sm = 0, waves = 0;
    std::string grid, block;
    double registers = 0, shared_memory = 0;

    bandwidth l1, shared, l2, dram;
    double l1_hits = -1, l2_hits = -1, row_hits = -1;  ///< shares; -1: no accesses
    double active_lanes = 0;                           ///< of a warp instruction, mean share
    double shared_conflict_share = 0;     ///< of the cycles in which shared memory was accessed
    double transactions_per_request = 0;  ///< of loads and stores; 0: not known
    /// Mean latency of a request by hop, core cycles; 0 without requests.
    struct {
        double request_network = 0, l2_and_dram = 0, dram_queue = 0, reply_network = 0;
        double round_trip = 0;
    } hops;

    std::string bound;  ///< what limits it, in one or two words
    std::vector<finding> findings;
};

kernel_analysis analyse(const json& kernel, const gpu_limits& limits);
/// All kernels of a run, in its order.
std::vector<kernel_analysis> analyse(const statistics_run& run);

/// The run in at most 30 lines, for a terminal.
std::string summary_text(const statistics_run& run);

}  // namespace simtlm::platform::study
