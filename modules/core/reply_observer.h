// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

namespace simtlm::core {

/// Is notified of responses that reach their cluster, for the latency statistics.
struct reply_observer {
    virtual ~reply_observer() = default;
    /// @param core_now  core cycle
    virtual void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) = 0;
};

}  // namespace simtlm::core
