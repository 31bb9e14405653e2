// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// One run of the simulator that a sweep asks for.
struct sweep_run {
    std::string id;  ///< name of its folder
    std::string workload, preset, configuration;
    std::vector<std::pair<std::string, std::string>> axes;  ///< option and value
    std::vector<std::string> command;
    std::map<std::string, std::string> environment;
    std::string folder;          ///< where its files go
    std::string working_folder;  ///< where it runs; empty: where the sweep does
    std::string fingerprint;     ///< of the command and of what it reads; another one runs it again
    bool wants_statistics = true;

    unsigned shards = 0;   ///< its kernels are spread over so many runs; 0: it is one run
    unsigned warm_up = 0;  ///< kernels that each of them simulates before its own
    std::string trace;     ///< its list of kernels; empty: a program
    std::vector<std::string> pattern;   ///< its command, for any folder: see sweep_command()
    std::size_t choice_at = 0;          ///< where in it options of one shard go
    std::vector<std::string> counting;  ///< the program without time, for any folder

    /// What tells it from other runs of its workload: "QV100 big-l1 -gpgpu_n_clusters 40".
    std::string series;
};

/// What a specification comes down to.
struct sweep_plan {
    std::string folder;  ///< of results
    std::vector<std::string> axes;
    std::vector<std::string> statistics;
    std::vector<sweep_run> runs;
    std::string baseline;                    ///< series that others are compared with
    std::map<std::string, double> measured;  ///< core cycles of hardware, by workload
    unsigned timeout = 0;                    ///< seconds of a run; 0: none
    std::vector<std::string> slurm;          ///< options of sbatch
    unsigned processors = 1;                 ///< of each run: of --threads
};

/// The words of a pattern of sweep_run, with its folder put in.
std::vector<std::string> sweep_command(const std::vector<std::string>& pattern,
                                       const std::string& folder);

/// Reads a specification (docs/studies.md) and checks all of it: keys, options, statistics, files,
/// and that nothing is said twice.
/// @param simtlm      the executable
/// @param statistics  names of printed figures, `{word}` for several
/// @param shards      of workloads that do not say, in place of the specification's; 0: its own
/// @throws kernel::user_error "file:line: ..."
sweep_plan read_sweep(const std::string& file, const std::string& simtlm,
                      const std::vector<std::string>& statistics, unsigned shards = 0);

}  // namespace simtlm::platform::study
