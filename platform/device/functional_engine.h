// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_heap.h"
#include "modules/execution/functional.h"
#include "platform/device/engine.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace simtlm::device {

class debug_session;

/// Runs programs without time: one task after the other. Time goes on as the host's does.
class functional_engine : public engine {
public:
    /// Told of every kernel that has run.
    using listener = std::function<void(const task&, const execution::execution_summary&)>;

    /// @param failed  told of every kernel that has not come to its end
    /// @param debug   watches launches; nullptr: nobody does
    functional_engine(shared_state& state, unsigned sms, unsigned host_threads, listener ran,
                      std::function<void()> failed = {}, debug_session* debug = nullptr);

    void start(const task_ptr& t) override { waiting_.push_back(t); }
    std::vector<task_ptr> run() override;
    bool busy() const override { return !waiting_.empty(); }
    std::uint64_t now() const override;
    void finish() override;

private:
    void carry_out(task& t);
    void launch(task& t);

    shared_state& state_;
    unsigned sms_;
    unsigned host_threads_;
    listener ran_;
    std::function<void()> failed_;
    debug_session* debug_;
    std::unique_ptr<execution::device_heap> heap_;
    std::deque<task_ptr> waiting_;
    std::uint64_t launches_ = 0;
};

/// Carries out a copy or a host call, and a kernel by the function given: outcomes become the
/// task's, messages are told.
void attempt(task& t, const shared_state& state, const std::function<void()>& act);

}  // namespace simtlm::device
