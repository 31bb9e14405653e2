// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"
#include "platform/device/status.h"
#include "runtimes/cuda/abi/abi.h"

#include <string>

namespace simtlm::cuda {

/// Outcome of a CUDA call, with the number that the runtime API (cudaError_t) has for it. The
/// driver API (CUresult) lacks some of them: convert with runtime_number() and driver_number().
enum class status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialised = 3,
    unloading = 4,
    invalid_configuration = 9,
    invalid_pitch = 12,
    invalid_symbol = 13,
    invalid_texture = 18,
    invalid_channel_descriptor = 20,
    invalid_copy_direction = 21,
    invalid_device_function = 98,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    invalid_ptx = 218,
    invalid_source = 300,
    file_not_found = 301,
    invalid_handle = 400,
    illegal_state = 401,
    lossy_query = 402,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    assertion = 710,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    launch_failure = 719,
    cooperative_launch_too_large = 720,
    not_permitted = 800,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_merge = 902,
    capture_unmatched = 903,
    capture_unjoined = 904,
    capture_isolation = 905,
    capture_implicit = 906,
    captured_event = 907,
    capture_wrong_thread = 908,
    graph_update_failure = 910,
    invalid_cluster_size = 912,
    unknown = 999,
};

/// The value of cudaError_t for an outcome.
constexpr int runtime_number(status s) {
    return static_cast<int>(s);
}
/// The value of CUresult for an outcome, as NVIDIA's driver reports it.
int driver_number(status s);

/// Names and descriptions of results.
const char* name_of(result r);
const char* text_of(result r);
/// CUDA_ERROR_...; nullptr for an unknown result.
const char* driver_name_of(result r);

/// CUDA status of an outcome of the device layer.
status status_of(device::status s);

/// A call that cannot be executed, with a message.
class failure : public simtlm::support::user_error {
public:
    failure(status code, const std::string& what, const std::string& remedy = {})
        : user_error("", what, remedy), code_(code) {}
    status code() const noexcept { return code_; }

private:
    status code_;
};

/// CUDA status of a failure of this library, of the device layer, or of any other user_error.
status status_of(const simtlm::support::user_error& e);

}  // namespace simtlm::cuda
