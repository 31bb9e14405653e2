// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <vector>

namespace simtlm::platform {

/// SMs of each GPC (-gpgpu_gpc_sms); empty: all SMs are one. @param sms  of the GPU
/// @throws kernel::user_error  one has none
std::vector<unsigned> read_gpcs(const option_values& v, unsigned sms);

}  // namespace simtlm::platform
