// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/host_session.h"

#include <cstdint>

namespace simtlm::runtime {

/// A call of an API while such an object exists, for the timeline (--timeline): from the simulated
/// time at which it begins to that at which it returns. Costs a test of a flag where there is none.
class call_span {
public:
    /// @param name  of the function; lives as long as the program
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
