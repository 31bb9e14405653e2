// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"

namespace simtlm::cuda {

class session;

/// Records an event in a stream, or in the capture that the stream takes part in.
void record_event(session& s, device::event& e, device::stream& stream);

}  // namespace simtlm::cuda
