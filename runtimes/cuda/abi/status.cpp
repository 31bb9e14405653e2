// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/status.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simtlm::cuda {

status status_of(device::status s) {
    constexpr std::pair<device::status, status> outcomes[] = {
        {device::status::success, status::success},
        {device::status::invalid_value, status::invalid_value},
        {device::status::out_of_memory, status::out_of_memory},
        {device::status::not_initialised, status::not_initialised},
        {device::status::invalid_configuration, status::invalid_configuration},
        {device::status::invalid_image, status::invalid_image},
        {device::status::no_binary_for_gpu, status::no_binary_for_gpu},
        {device::status::invalid_ptx, status::invalid_ptx},
        {device::status::illegal_address, status::illegal_address},
        {device::status::misaligned_address, status::misaligned_address},
        {device::status::illegal_instruction, status::illegal_instruction},
        {device::status::assertion, status::assertion},
        {device::status::launch_failure, status::launch_failure},
        {device::status::launch_timeout, status::launch_timeout},
        {device::status::launch_out_of_resources, status::launch_out_of_resources},
        {device::status::cooperative_launch_too_large, status::cooperative_launch_too_large},
        {device::status::invalid_cluster_size, status::invalid_cluster_size},
        {device::status::not_supported, status::not_supported},
        {device::status::host_memory_already_registered, status::host_memory_already_registered},
        {device::status::host_memory_not_registered, status::host_memory_not_registered},
    };
    const auto* const found = std::find_if(std::begin(outcomes), std::end(outcomes),
                                           [&](const auto& o) { return o.first == s; });
    return found != std::end(outcomes) ? found->second : status::unknown;
}

int driver_number(status s) {
    switch (s) {
        // Numbers of the runtime alone.
        case status::invalid_configuration:
        case status::invalid_pitch:
        case status::invalid_texture:
        case status::invalid_channel_descriptor:
        case status::invalid_copy_direction:
            return static_cast<int>(status::invalid_value);
        case status::invalid_symbol:
            return static_cast<int>(status::not_found);
        case status::invalid_device_function:
            return static_cast<int>(status::invalid_handle);
        default:
            return static_cast<int>(s);
    }
}

status status_of(const simtlm::support::user_error& e) {
    if (const auto* const f = dynamic_cast<const failure*>(&e)) return f->code();
    if (const auto* const f = dynamic_cast<const device::failure*>(&e)) return status_of(f->code());
    return status::unknown;
}

}  // namespace simtlm::cuda
