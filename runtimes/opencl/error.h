// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/status.h"
#include "runtimes/opencl/headers.h"

#include <stdexcept>
#include <string>

namespace simtlm::opencl {

/// A failing call: OpenCL error code and message.
class error : public std::runtime_error {
public:
    explicit error(cl_int code, const std::string& what = {})
        : std::runtime_error(what), code_(code) {}
    cl_int code() const noexcept { return code_; }

private:
    cl_int code_;
};

/// OpenCL error code for a failure of the device.
cl_int code_of(device::status s);

/// @throws error  unless the condition holds
inline void require(bool good, cl_int otherwise, const char* why = "") {
    if (!good) throw error(otherwise, why);
}
inline void require(bool good, cl_int otherwise, const std::string& why) {
    if (!good) throw error(otherwise, why);
}

}  // namespace simtlm::opencl
