// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <cstdint>
#include <exception>
#include <string>

namespace simtlm::device {

/// Outcome of a request to the device layer. Each runtime library maps it to its own error codes.
enum class status : std::uint8_t {
    success,
    invalid_value,
    out_of_memory,
    not_initialised,
    invalid_configuration,  ///< invalid grid or thread block dimensions
    invalid_image,
    no_binary_for_gpu,
    invalid_ptx,
    illegal_address,
    misaligned_address,
    illegal_instruction,
    assertion,
    launch_failure,  ///< a fault without a code of its own
    launch_timeout,
    launch_out_of_resources,
    cooperative_launch_too_large,
    invalid_cluster_size,
    not_supported,
    host_memory_already_registered,
    host_memory_not_registered,
};

/// A request that cannot be executed, with a message.
class failure : public support::user_error {
public:
    failure(status code, const std::string& what, const std::string& remedy = {})
        : user_error("", what, remedy), code_(code) {}
    status code() const noexcept { return code_; }

private:
    status code_;
};

/// Status for an exception that ended a kernel: a fault of its program, or any other.
status status_of_fault(const std::exception& e);

}  // namespace simtlm::device
