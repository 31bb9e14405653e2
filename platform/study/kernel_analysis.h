// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Peak rates of the GPU of a run, from the object `gpu` of the file.
struct gpu_limits {
    bool known = false;  ///< false for files of older versions
    double sms = 0, schedulers = 0, warp_size = 32, warps_per_sm = 0, channels = 0;
    double core_hz = 0;
    double thread_instructions_per_cycle = 0;
    double l1_bytes = 0, shared_bytes = 0, l2_bytes = 0, dram_bytes = 0;  ///< bytes per second
    double dram_atom = 32;                                                ///< bytes
    double registers_per_sm = 0, shared_per_sm = 0, ctas_per_sm = 0;
    /// Peak floating-point operations per second by kind ("FP32"); empty if they are not known.
    std::map<std::string, double> flops;

    static gpu_limits of(const statistics_run& run);
};

/// A reason for the execution time of a kernel.
struct finding {
    /// Where it applies: "LDG.E at 0x60 (saxpy.cu:12)", and to what degree.
    struct place {
        std::string where, degree;
    };
    double weight = 0;  ///< 0 to 1: share of the time in which it applied
    /// Estimated speed-up of the kernel without it, at most; used for ranking.
    double speed_up = 1;
    std::string limiter;   ///< one or two words
    std::string headline;  ///< a clause
    std::string detail;    ///< sentences with numbers
    std::string remedy;    ///< what helps, a sentence
    std::vector<place> places;
};

/// How many thread blocks of a kernel a resource of an SM admits.
struct occupancy_row {
    std::string resource;
    double ctas = 0, occupancy = 0;
    bool limits = false;  ///< no other resource admits fewer
    std::string to_gain;  ///< what would admit one more block; empty if nothing does
};

/// A measured and a peak bandwidth, bytes per second.
struct bandwidth {
    double rate = 0, peak = 0;

    double share() const { return peak > 0 ? rate / peak : 0; }
};

/// Breakdown of the execution time of a kernel, derived from its counters. Cycles are core cycles.
struct kernel_analysis {
    kernel_key key;
    bool finished = true;
    bool overlapped = false;  ///< another kernel ran concurrently, and the counters include both
    double cycles = 0;        ///< since the previous report: launch latency and execution
    double launch_cycles = 0, run_cycles = 0;
    double start_cycle = 0, end_cycle = 0;  ///< since the start of the run
    double seconds = 0;                     ///< duration of run_cycles
    double watts = 0, joules = 0;           ///< since the previous report; 0: not modelled
    double energy_delay = 0;                ///< joule seconds
    double thread_instructions = 0, warp_instructions = 0;
    double ipc = 0, ipc_share = 0;  ///< thread instructions per run cycle; share of the peak

    /// Shares of the scheduler cycles of all SMs; their sum is 1.
    struct {
        double issued = 0, scoreboard = 0, pipeline = 0, nothing = 0, unused = 0;
    } slots;
    /// Shares of warp cycles by reason; empty without -enable_ptx_file_line_stats.
    std::map<std::string, double> waits;

    double occupancy = 0, occupancy_limit = 0;  ///< resident warps divided by warp slots
    std::vector<std::string> limited_by;
    std::vector<occupancy_row> occupancy_rows;
    double ctas = 0, ctas_per_sm = 0, waves = 0;
    std::string grid, block;
    double registers = 0, shared_memory = 0;

    bandwidth l1, shared, l2, dram;
    double l1_hits = -1, l2_hits = -1, row_hits = -1;  ///< shares; -1: no accesses
    double active_lanes = 0;                           ///< mean share per warp instruction
    double shared_conflict_share = 0;     ///< share of the cycles with a shared memory access
    double transactions_per_request = 0;  ///< of global and local memory; 0: unknown
    /// Floating-point operations per second by kind; empty without a profile of the instructions.
    std::map<std::string, double> flops;
    /// Mean latency of a request by hop, core cycles; 0 without requests.
    struct {
        double request_network = 0, l2_and_dram = 0, dram_queue = 0, reply_network = 0;
        double round_trip = 0;
    } hops;

    std::string bound;  ///< the limiting resource, in one or two words
    std::vector<finding> findings;
};

/// Analyses one kernel of a statistics file.
kernel_analysis analyse(const json& kernel, const gpu_limits& limits);
/// Analyses all kernels of a run, in order.
std::vector<kernel_analysis> analyse(const statistics_run& run);

/// Summary of a run in at most 30 lines, for a terminal.
std::string summary_text(const statistics_run& run);
/// All findings of one kernel with places and remedies, and its occupancy.
/// @param kernel  its number in the list, or a part of its name
/// @throws support::user_error  if the run has no such kernel
std::string kernel_text(const statistics_run& run, const std::string& kernel);

}  // namespace simtlm::platform::study
