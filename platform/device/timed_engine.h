// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/copy_queue.h"
#include "platform/device/engine.h"
#include "platform/device/kernel_families.h"
#include "platform/device/kernel_launcher.h"
#include "platform/device/launch_selection.h"
#include "platform/device/simulated_gpus.h"
#include "platform/device/system_config.h"
#include "platform/device/timed_checkpoint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::device {

class debug_session;

/// Executes tasks on simulated GPUs: passes kernels and copies to their queues, advances simulated
/// time, and collects what has ended. SystemC is used only in the calling thread.
class timed_engine : public engine {
public:
    /// Builds the GPUs. The arguments must outlive the engine.
    /// @param debug    for the first GPU; nullptr: none
    /// @param sampler  nullptr: launches are not sampled
    /// @throws support::user_error
    timed_engine(shared_state& state, const system_config& config, host_checkpoint& checkpoint,
                 run_log& log, debug_session* debug, platform::launch_sampler* sampler);

    void start(const task_ptr& t) override;
    std::vector<task_ptr> run() override;
    std::vector<task_ptr> take_ready_for_dependents() override;
    bool busy() const override;
    std::uint64_t now() const override;
    /// A fault ends the simulation.
    bool survives_faults() const override { return false; }
    void finish() override;

private:
    void perform(const task_ptr& t);
    void end_copies();
    void warm_l2(const task& t);
    void simulate();
    void collect();
    void collect_kernels(platform::gpu& device);
    void check_faults(platform::gpu& device);
    /// @param how  "failed", "deadlock", or the option that ended the simulation
    void fail(const std::string& how, const std::string& why, status outcome);
    std::uint64_t clock_limit() const;

    shared_state& state_;
    run_log& log_;
    debug_session* debug_;
    host_checkpoint& checkpoint_;
    std::vector<task_ptr> done_;
    std::vector<task_ptr> ready_for_dependents_;
    status fault_ = status::success;  ///< ends all later tasks
    simulated_gpus gpus_;
    launch_selection selection_;
    timed_checkpoint replay_;
    copy_queue copies_;
    kernel_launcher launcher_;
    kernel_families families_;
};

}  // namespace simtlm::device
