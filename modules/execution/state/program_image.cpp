// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/program_image.h"

#include <algorithm>

namespace simtlm::execution {

program_image::~program_image() = default;

const kernel_image* program_image::find_kernel(std::string_view name) const {
    for (const kernel_image& k : kernels_)
        if (k.name == name) return &k;
    return nullptr;
}

std::pair<device_address, std::uint64_t> program_image::find_variable(std::string_view name) const {
    for (const program_variable& v : variables_)
        if (v.name == name) return {v.address, v.bytes};
    return {0, 0};
}

bool program_image::is_constant(device_address a) const {
    return std::any_of(variables_.begin(), variables_.end(), [a](const program_variable& v) {
        return v.space == program_variable::space_kind::constant && a - v.address < v.bytes;
    });
}

lane_buffer program_image::launch_constants(const launch&, std::uint32_t) const {
    return {};
}

}  // namespace simtlm::execution
