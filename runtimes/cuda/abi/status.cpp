// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/status.h"

namespace simtlm::cuda {

status status_of(device::status s) {
    switch (s) {
        case device::status::success:
            return status::success;
        case device::status::invalid_value:
            return status::invalid_value;
        case device::status::out_of_memory:
            return status::out_of_memory;
        case device::status::not_initialised:
            return status::not_initialised;
        case device::status::invalid_configuration:
            return status::invalid_configuration;
        case device::status::invalid_image:
            return status::invalid_image;
        case device::status::no_binary_for_gpu:
            return status::no_binary_for_gpu;
        case device::status::invalid_ptx:
            return status::invalid_ptx;
        case device::status::illegal_address:
            return status::illegal_address;
        case device::status::misaligned_address:
            return status::misaligned_address;
        case device::status::illegal_instruction:
            return status::illegal_instruction;
        case device::status::assertion:
            return status::assertion;
        case device::status::launch_failure:
            return status::launch_failure;
        case device::status::launch_timeout:
            return status::launch_timeout;
        case device::status::launch_out_of_resources:
            return status::launch_out_of_resources;
        case device::status::cooperative_launch_too_large:
            return status::cooperative_launch_too_large;
        case device::status::invalid_cluster_size:
            return status::invalid_cluster_size;
        case device::status::not_supported:
            return status::not_supported;
        case device::status::host_memory_already_registered:
            return status::host_memory_already_registered;
        case device::status::host_memory_not_registered:
            return status::host_memory_not_registered;
    }
    return status::unknown;
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
