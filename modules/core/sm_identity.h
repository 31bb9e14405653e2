// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/request_order.h"

namespace simtlm::core {

/// Identifies an SM in its requests and addresses.
struct sm_identity {
    unsigned sm = 0;  ///< within the GPU
    unsigned cluster = 0;
    unsigned sms = 1;  ///< number of SMs in the GPU, over which local memory is interleaved
    /// Number of SMs, including this one, that act one after the other in a core cycle; 1: any
    /// order.
    unsigned sms_in_order = 1;
};

/// Tags the requests of an SM's blocks to its caches with their origin, and reports them if results
/// depend on the order of requests (protocol::request_order).
class requester_identity {
public:
    explicit requester_identity(const sm_identity& who) : who_(who) {}

    void set_order(protocol::request_order& order) { order_ = &order; }
    /// Writes SM and cluster into a transaction.
    void tag(protocol::memory_extension& e) const {
        e.sm = static_cast<std::uint16_t>(who_.sm);
        e.cluster = static_cast<std::uint16_t>(who_.cluster);
    }
    /// Reports an access to the external order of requests, if there is one.
    void touches(std::uint64_t address, protocol::request_order::stage by) const {
        if (order_ != nullptr) order_->touched(who_.sm, address, by);
    }

private:
    sm_identity who_;
    protocol::request_order* order_ = nullptr;
};

}  // namespace simtlm::core
