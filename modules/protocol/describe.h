// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"

#include <string>

namespace simtlm::protocol {

/// Describes a transaction for a deadlock report: its operation, address and originator.
std::string describe(const tlm::tlm_generic_payload& p);

}  // namespace simtlm::protocol
