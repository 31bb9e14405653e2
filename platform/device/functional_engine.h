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

/// Runs programs without a timing model, one task after the other. Simulated time only counts
/// tasks: each kernel, copy and fill takes 1 ns, so that event times reflect the order of the tasks
/// and no program divides by a duration of zero.
class functional_engine : public engine {
public:
    /// Called for every kernel that has completed.
    using listener = std::function<void(const task&, const execution::execution_summary&)>;

    /// @param failed  called for every kernel that has not completed
    /// @param debug   observes launches; nullptr: no debugger
    functional_engine(shared_state& state, unsigned sms, unsigned host_threads, listener ran,
                      std::function<void()> failed = {}, debug_session* debug = nullptr);

    void start(const task_ptr& t) override { waiting_.push_back(t); }
    std::vector<task_ptr> run() override;
    bool busy() const override { return !waiting_.empty(); }
    std::uint64_t now() const override { return now_; }
    void finish() override;

private:
    void carry_out(task& t);
    void launch(task& t);
    /// Executes a kernel and then those that it launches.
    /// @param depth  0: launched by the host
    void execute(task& t, const execution::services& given, unsigned depth);

    shared_state& state_;
    unsigned sms_;
    unsigned host_threads_;
    listener ran_;
    std::function<void()> failed_;
    debug_session* debug_;
    std::unique_ptr<execution::device_heap> heap_;
    /// Parameters of launches by kernels.
    std::shared_ptr<execution::device_heap> launch_buffers_;
    std::deque<task_ptr> waiting_;
    std::uint64_t launches_ = 0;
    std::uint64_t now_ = 0;  ///< ps
};

/// Performs a copy, host call or kernel through `act`, stores the outcome in the task and reports
/// error messages.
void attempt(task& t, const shared_state& state, const std::function<void()>& act);

}  // namespace simtlm::device
