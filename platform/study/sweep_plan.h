// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// One simulation run of a sweep.
struct sweep_run {
    std::string id;  ///< folder name
    std::string workload, preset, configuration;
    std::vector<std::pair<std::string, std::string>> axes;  ///< name of an axis and level
    std::vector<std::string> command;
    std::map<std::string, std::string> environment;
    std::string folder;          ///< output folder
    std::string working_folder;  ///< working directory; empty: that of the sweep
    /// Hash of the command and its inputs; a run with a different one is repeated.
    std::string fingerprint;
    bool wants_statistics = true;

    unsigned shards = 0;   ///< number of runs that its kernels are divided into; 0: not sharded
    unsigned warm_up = 0;  ///< kernels that each shard simulates before its own
    std::string trace;     ///< list of kernels; empty for a program
    /// Command with a placeholder for the folder: see sweep_command().
    std::vector<std::string> pattern;
    std::size_t choice_at = 0;  ///< index in `pattern` where options of a shard are inserted
    /// Command for the functional run of the program, same form as `pattern`.
    std::vector<std::string> counting;

    /// Distinguishes it from other runs of its workload: "QV100 big-l1 -gpgpu_n_clusters 40".
    std::string series;
    /// The same for plots, without what all runs have in common.
    std::string label;
};

/// What a plot shows: an axis, a statistic, or a time (`time_us`, `launch_us`).
struct sweep_curve {
    std::string x, y;
};

/// The measure of speed-ups.
enum class sweep_metric : std::uint8_t {
    time,        ///< time in which a kernel was executing
    total_time,  ///< the same and the launch overhead
    cycles,      ///< core cycles, launch overhead included
};

/// The runs of a sweep specification.
struct sweep_plan {
    std::string folder;               ///< for results
    std::vector<std::string> inputs;  ///< the specification, and the files that it names
    std::vector<std::string> axes;
    std::vector<std::string> statistics;
    std::vector<sweep_run> runs;
    std::vector<sweep_curve> plots;
    std::optional<sweep_curve> pareto;  ///< two costs
    sweep_metric metric = sweep_metric::time;
    std::string baseline;                    ///< series that the others are compared with
    std::map<std::string, double> measured;  ///< core cycles measured on hardware, by workload
    unsigned timeout = 0;                    ///< per run, in seconds; 0: none
    std::vector<std::string> slurm;          ///< options for sbatch
    unsigned processors = 1;                 ///< per run, derived from --threads
};

/// Returns the command of a sweep_run pattern with the folder inserted.
std::vector<std::string> sweep_command(const std::vector<std::string>& pattern,
                                       const std::string& folder);

/// Reads and validates a specification (docs/studies.md): keys, options, statistics, files and
/// duplicates.
/// @param simtlm      path of the executable
/// @param statistics  names of printed values; `{word}` is a placeholder
/// @param shards      overrides the specification for workloads without a value of their own; 0: no
/// override
/// @throws support::user_error  "file:line: ..."
sweep_plan read_sweep(const std::string& file, const std::string& simtlm,
                      const std::vector<std::string>& statistics, unsigned shards = 0);
/// The same for the text of a specification. @param file  for messages and relative paths
sweep_plan parse_sweep(const std::string& text, const std::string& file, const std::string& simtlm,
                       const std::vector<std::string>& statistics, unsigned shards = 0);

}  // namespace simtlm::platform::study
