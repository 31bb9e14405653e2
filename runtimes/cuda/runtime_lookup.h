// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::cuda {

/// A function of the driver library by name, or nullptr.
void* find_driver_function(const char* name);

}  // namespace simtlm::cuda
