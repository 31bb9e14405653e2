// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"

#include <string>

namespace simtlm::protocol {

/// A transaction in a deadlock report: what it does, where, and for whom.
std::string describe(const tlm::tlm_generic_payload& p);

}  // namespace simtlm::protocol
