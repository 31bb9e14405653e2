// SPDX-License-Identifier: Apache-2.0
// Instructions of clusters of thread blocks, and elect.sync (sm_90).
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

struct warp;

/// barrier.cluster.arrive and barrier.cluster.wait. A failed wait lets other warps run, and is
/// executed again.
const operation* arrive_at_cluster(warp& w, const operation* op);
const operation* wait_for_cluster(warp& w, const operation* op);

/// mapa: the address in the CTA of a rank. destination, source[0]: addresses, 32-bit
/// shared::cluster or, if detail is 1, 64-bit generic; source[1]: ranks
const operation* map_to_rank(warp& w, const operation* op);
/// getctarank: the rank of the CTA of an address. Operands as for mapa; destination: 32 bits
const operation* rank_of_address(warp& w, const operation* op);

/// elect.sync: the lowest lane in source[0]. destination: its number; destination2: a mask
const operation* elect_lane(warp& w, const operation* op);

/// clusterlaunchcontrol.query_cancel.is_canceled: source[0]: high half of a launch_response;
/// destination: a mask
const operation* is_launch_cancelled(warp& w, const operation* op);
/// clusterlaunchcontrol.query_cancel.get_first_ctaid: source[0]: low half of a launch_response;
/// immediate: the dimension, 0 to 2; 3: the last element of a vector, zero. destination: 32 bits
const operation* first_cancelled_cta(warp& w, const operation* op);

}  // namespace simtlm::execution
