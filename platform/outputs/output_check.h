// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"

#include <vector>

namespace simtlm::platform {

/// An output file of a run and what requests it.
struct named_output {
    std::string file;
    std::string option;      ///< or a location in a launch file
    bool is_folder = false;  ///< a folder that is filled
    bool is_beside = false;  ///< written beside the file that the option names, if it is needed
};

/// Default file for kernel reports of a CUDA program, if --stats-file is not given.
inline constexpr const char* default_reports_file = "simtlm-stats.txt";

/// The output files that the options request; for several GPUs, the names are numbered.
/// @param kind  of the run that writes them
std::vector<named_output> outputs_of(const option_values& values, const gpu_config& config,
                                     run_kind kind, unsigned gpus = 1);

/// Checks before a run that every output can be written, that none is an input or another output,
/// and that none would replace the file that stdout or stderr refers to. The inputs are the files
/// that options name (option_info::files) and those of `work`.
/// @param work     input files that define what is run
/// @param outputs  all output files @throws support::user_error
void check_outputs(const option_values& values, const gpu_config& config,
                   const std::vector<provenance::file>& work,
                   const std::vector<named_output>& outputs);

}  // namespace simtlm::platform
