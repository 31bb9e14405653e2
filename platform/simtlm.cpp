// SPDX-License-Identifier: Apache-2.0
#include "platform/simtlm.h"

namespace simtlm {

namespace {

platform::option_values values_of(const std::vector<std::string>& options,
                                  const std::string& config_folder) {
    const platform::preset_folders folders =
        config_folder.empty() ? platform::preset_folders()
                              : platform::preset_folders(std::vector<std::string>{config_folder});
    platform::option_values values(folders.finder());
    values.parse_command_line(options, "configure()");
    return values;
}

}  // namespace

gpu_config configure(const std::vector<std::string>& options, const std::string& config_folder) {
    return platform::make_gpu_config(values_of(options, config_folder));
}

configuration::configuration(const std::vector<std::string>& options,
                             const std::string& config_folder)
    : values_(values_of(options, config_folder)), parameters_(values_) {}

}  // namespace simtlm
