// SPDX-License-Identifier: Apache-2.0
#include "platform/simtlm.h"

namespace simtlm {

gpu_config configure(const std::vector<std::string>& options, const std::string& config_folder) {
    const platform::preset_folders folders =
        config_folder.empty() ? platform::preset_folders()
                              : platform::preset_folders(std::vector<std::string>{config_folder});
    platform::option_values values(folders.finder());
    values.parse_command_line(options);
    return platform::make_gpu_config(values);
}

}  // namespace simtlm
