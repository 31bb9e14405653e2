// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cluster_multiprocessor.h"
#include "modules/program/kernel_descriptor.h"

#include <vector>

namespace simtlm::dispatch {

/// Whether a kernel can run in clusters at all.
/// @param size  CTAs of a cluster
/// @param sm    some SM of the GPU; nullptr: SMs take no part in clusters
/// @throws kernel::user_error  it cannot
void check_cluster(const program::kernel_descriptor& kernel, const core::kernel_context& context,
                   unsigned size, const core::cluster_multiprocessor* sm);

/// The SMs of a GPC for the CTAs of a cluster, by rank: each goes to the SM with the fewest CTAs,
/// the first of several, so that the SMs of a TPC get CTAs of neighbouring ranks. Empty: there is
/// no room for all of them.
/// @param concurrent  SMs may hold CTAs of several kernels
std::vector<core::cluster_multiprocessor*> places_of_cluster(const core::gpc& gpc,
                                                             const core::kernel_context& kernel,
                                                             unsigned size, bool concurrent);

}  // namespace simtlm::dispatch
