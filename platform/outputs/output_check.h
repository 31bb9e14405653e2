// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"

#include <vector>

namespace simtlm::platform {

/// A file that a run writes, and what asks for it.
struct named_output {
    std::string file;
    std::string option;  ///< or a place in a launch file
};

/// Where the reports of kernels of a CUDA program go without --stats-file.
inline constexpr const char* default_reports_file = "simtlm-stats.txt";

/// The files that the options ask for of so many GPUs, whose names have numbers when there are
/// several.
std::vector<named_output> outputs_of(const gpu_config& config, unsigned gpus = 1);

/// Makes sure, before the run, that every output can be written, that none is an input or another
/// output, and that none would replace the file that stdout or stderr goes to.
/// @param work     files that tell what is run
/// @param outputs  all of them @throws kernel::user_error
void check_outputs(const option_values& values, const gpu_config& config,
                   const std::vector<provenance::file>& work,
                   const std::vector<named_output>& outputs);

}  // namespace simtlm::platform
