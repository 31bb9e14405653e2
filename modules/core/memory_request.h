// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sm_identity.h"
#include "modules/core/warp_table.h"
#include "modules/protocol/memory_transaction.h"

#include <cstdint>
#include <tlm>

namespace simtlm::core {

/// Creates memory transactions for the coalesced accesses of instructions, for the load/store unit
/// of any core model.
struct memory_request_factory {
    const requester_identity& identity;
    warp_table& warps;
    protocol::transaction_pool& transactions;
    bool perfect_constant_cache;  ///< constant accesses do not affect the order of requests

    /// @param inst  its last access becomes the transaction and remains in the list
    /// @param now   core cycle
    tlm::tlm_generic_payload& make(warp_instruction& inst, std::uint64_t now) const;
};

}  // namespace simtlm::core
