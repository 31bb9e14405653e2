// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "platform/options/options.h"

#include <string>
#include <vector>

namespace simtlm::platform {

struct gpu_config;

/// A pipeline of SMs (core::multiprocessor), which --core selects by name.
struct core_model {
    const char* name;
    const char* alias;  ///< its other name, also in statistics files
    /// Reads the options of the pipeline. @return what constructs an SM
    /// @throws support::user_error  if the pipeline does not fit the configuration
    core::multiprocessor_maker (*read)(const option_values& v, gpu_config& config);
    std::vector<option_group> groups;  ///< of options that concern no other pipeline
    /// Options of other groups that concern no other pipeline; a name that ends in _ is a prefix.
    std::vector<const char*> options;
};

/// All pipelines. The first is the one of --compat accel-sim.
const std::vector<core_model>& core_models();
/// The pipeline that the options select. @throws support::user_error  if there is none
const core_model& core_model_of(const option_values& v);
/// Whether an option concerns the pipeline and the network that the options select.
bool has_effect(const option_values& v, const option_info& option);
/// Notes about options without effect: option_values::notes(), and those on the command line that
/// concern another pipeline or another network, or times that control bits replace.
std::vector<std::string> notes_on(const option_values& v);

}  // namespace simtlm::platform
