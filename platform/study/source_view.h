// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Cost of the instructions of a kernel (-enable_ptx_file_line_stats 1), summed over all launches
/// or of a single one, and the corresponding source text as far as available.
struct kernel_source_view {
    /// An instruction and its cost.
    struct row {
        std::uint64_t pc = 0;
        std::string opcode;
        std::string text;        ///< including operands; empty if not recorded
        std::uint32_t line = 0;  ///< of the PTX or CUDA source; 0: unknown
        double issues = 0, threads = 0;
        double waited = 0;   ///< warp cycles spent waiting before issue
        double awaited = 0;  ///< warp cycles that other instructions waited for its result
        std::map<std::string, double> waits;  ///< reasons for `waited`, sampled
        double latency = 0;                   ///< mean, core cycles
        double transactions = 0, memory_issues = 0;
        double shared_cycles = 0, shared_issues = 0;
        double l1_accesses = 0, l1_misses = 0, l2_accesses = 0, l2_misses = 0, dram_bytes = 0;
        double picojoules = 0;  ///< 0: not modelled
        std::string source;     ///< "file.cu:12" without folder; empty: unknown
    };
    std::string kernel;
    std::size_t launches = 0;
    std::uint64_t launch = 0;      ///< of a view of one launch: its number; 0: of all
    std::size_t kernel_index = 0;  ///< of a view of one launch: its index in the run
    /// Identifies the view: the name of the kernel and, for one launch, its number.
    std::string key() const { return launch == 0 ? kernel : kernel + "#" + std::to_string(launch); }
    bool blames = false;  ///< `awaited` is available
    std::vector<row> rows;
    std::string line_kind;  ///< what `line` refers to: "PTX", "source", or empty
    std::map<std::uint32_t, std::string> text;       ///< by `line`, where known
    std::map<std::string, std::string> source_text;  ///< by "file.cu:12"
};

/// The source files whose lines may be shown.
struct source_choice {
    std::vector<std::string> given;  ///< files, and folders that are searched, chosen by the user
    /// Checksum of a file (xxh128 in provenance). A file that only the statistics file names is
    /// read if it has the checksum that the run recorded. Empty: such files are not read.
    std::function<std::string(const std::string& path)> checksum;
};

/// Views of a run's kernels, in order of first launch, followed by views of the launches of kernels
/// that have several, unless they have too many instructions together.
std::vector<kernel_source_view> source_views(const statistics_run& run,
                                             const source_choice& sources);

}  // namespace simtlm::platform::study
