// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/program/kernel_descriptor.h"

#include <vector>

namespace simtlm::dispatch {

/// Checks that a kernel can run in clusters.
/// @param size  CTAs per cluster
/// @param sm    any SM of the GPU
/// @throws support::user_error  if it cannot
void check_cta_cluster(const program::kernel_descriptor& kernel,
                       const core::kernel_context& context, unsigned size,
                       const core::multiprocessor& sm);

/// Selects SMs of a GPC for the CTAs of a cluster, by rank: each CTA goes to the SM with the fewest
/// CTAs, or the first of several, so that the SMs of a TPC get CTAs of neighbouring ranks. Empty if
/// there is no room for the whole cluster.
/// @param concurrent  SMs may hold CTAs of several kernels
std::vector<core::multiprocessor*> sms_for_cta_cluster(const core::gpc& gpc,
                                                       const core::kernel_context& kernel,
                                                       unsigned size, bool concurrent);

}  // namespace simtlm::dispatch
