// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/engine.h"
#include "platform/device/launch_services.h"

#include <deque>
#include <vector>

namespace simtlm::device {

class debug_session;
class run_log;

/// Runs programs without a timing model, one task after the other. Simulated time only counts
/// tasks: each kernel, copy and fill takes 1 ns, so that event times reflect the order of the tasks
/// and no program divides by a duration of zero.
class functional_engine : public engine {
public:
    /// @param log    receives kernels that have completed or failed; nullptr: none
    /// @param debug  observes launches; nullptr: no debugger
    functional_engine(shared_state& state, unsigned sms, unsigned host_threads,
                      run_log* log = nullptr, debug_session* debug = nullptr)
        : state_(state),
          sms_(sms),
          host_threads_(host_threads),
          log_(log),
          debug_(debug),
          services_(state) {}

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
    run_log* log_;
    debug_session* debug_;
    launch_services services_;
    std::deque<task_ptr> waiting_;
    std::uint64_t launches_ = 0;
    std::uint64_t now_ = 0;  ///< ps
};

}  // namespace simtlm::device
