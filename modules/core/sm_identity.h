// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/request_order.h"

namespace simtlm::core {

/// Which SM it is, as its requests and addresses tell.
struct sm_identity {
    unsigned sm = 0;  ///< within the GPU
    unsigned cluster = 0;
    unsigned sms = 1;  ///< of the GPU: local memory is interleaved over them
    /// SMs that act one after the other in a core cycle, of which this is one; 1: in any order.
    unsigned sms_in_order = 1;
};

/// Signs the requests that the blocks of an SM make to its caches, and tells of them where the
/// order of requests decides something (protocol::request_order).
class request_tagger {
public:
    explicit request_tagger(const sm_identity& who) : who_(who) {}

    void set_order(protocol::request_order& order) { order_ = &order; }
    void tag(protocol::memory_extension& e) const {
        e.sm = static_cast<std::uint16_t>(who_.sm);
        e.cluster = static_cast<std::uint16_t>(who_.cluster);
    }
    void touches(std::uint64_t address, protocol::request_order::stage by) const {
        if (order_ != nullptr) order_->touched(who_.sm, address, by);
    }

private:
    sm_identity who_;
    protocol::request_order* order_ = nullptr;
};

}  // namespace simtlm::core
