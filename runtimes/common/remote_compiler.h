// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/remote_link.h"

#include <functional>
#include <string>
#include <vector>

namespace simtlm::runtime {

/// The address of the GPUs that another process simulates (`simtlm run --connect`); empty: this
/// process simulates them.
std::string server_address();

/// A request to compile, in a connection of its own, so that a program in a virtual machine needs
/// no compiler: what to do, and texts.
struct compile_request {
    std::string action;  ///< "missing", "compile", "link": of OpenCL; "ptx"
    unsigned gpu = 0;    ///< compute capability of the GPU: 80 for 8.0
    std::vector<std::string> texts;
};

/// Asks a server. @return the texts of its answer @throws std::runtime_error
std::vector<std::string> ask_compiler(const std::string& address, const compile_request& request);

/// Answers the request of a client.
/// @param first  message of the client  @throws link_error
void serve_compiler(device::remote_link& link, const device::message& first,
                    const std::function<std::vector<std::string>(const compile_request&)>& answer);

}  // namespace simtlm::runtime
