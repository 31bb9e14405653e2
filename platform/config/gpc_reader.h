// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <vector>

namespace simtlm::platform {

/// Number of SMs in each GPC (-gpgpu_gpc_sms); empty if all SMs belong to one GPC.
/// @param sms  number of SMs of the GPU
/// @throws support::user_error  if a GPC has no SM
std::vector<unsigned> read_gpcs(const option_values& v, unsigned sms);
/// The GPC of each cluster: that of its first SM.
/// @throws support::user_error  as read_gpcs()
std::vector<unsigned> read_gpcs_of_clusters(const option_values& v, unsigned clusters,
                                            unsigned sms_per_cluster);

}  // namespace simtlm::platform
