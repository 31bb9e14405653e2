// SPDX-License-Identifier: Apache-2.0
#include "platform/device/engine.h"

namespace simtlm::device {

engine::~engine() = default;

}  // namespace simtlm::device
