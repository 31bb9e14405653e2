// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/host_session.h"

#include <cstdint>

namespace simtlm::runtime {

/// Records an API call on the timeline (--timeline) for the lifetime of this object, from the
/// simulated time of the call to that of its return. Costs one test of a flag if there is no
/// timeline.
class call_span {
public:
    /// @param name  of the function; must have static storage duration
    call_span(host_session& session, const char* name)
        : session_(session.gpus().log().records_calls() ? &session : nullptr), name_(name) {
        if (session_ != nullptr) from_ = session_->work().time();
    }
    ~call_span() {
        if (session_ != nullptr && !session_->ended())
            session_->gpus().log().called(name_, from_, session_->work().time());
    }
    call_span(const call_span&) = delete;
    call_span& operator=(const call_span&) = delete;

private:
    host_session* session_;
    const char* name_;
    std::uint64_t from_ = 0;
};

}  // namespace simtlm::runtime
