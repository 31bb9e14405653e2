// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

namespace simtlm::cuda {

class session;

/// @throws failure  for an outcome other than success
void require_success(device::status outcome);
/// Waits for a task submitted to a stream; no effect if it was captured. @throws failure  after a
/// fault
void finish(session& s, const device::task_ptr& t);

}  // namespace simtlm::cuda
