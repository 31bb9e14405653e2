// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

namespace simtlm::cuda {

class session;

/// An attribute other than the priority. It has no effect on the simulation; programs can read it.
struct stream_attribute {
    unsigned char bytes[32] = {};
};

/// @throws failure  for an outcome other than success
void require_success(device::status outcome);
/// Waits for a task submitted to a stream; no effect if it was captured. @throws failure  after a
/// fault
void finish(session& s, const device::task_ptr& t);

}  // namespace simtlm::cuda
