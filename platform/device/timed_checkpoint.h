// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/launch.h"
#include "platform/device/copy_queue.h"
#include "platform/device/host_checkpoint.h"
#include "platform/device/simulated_gpus.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace simtlm::device {

class kernel_launcher;

/// The checkpoint of a host program in simulated time: replays what the host observed of the GPU up
/// to the checkpoint to be resumed, restores the GPU at its time, and saves the run when the GPU is
/// at rest.
class timed_checkpoint {
public:
    timed_checkpoint(host_checkpoint& file, shared_state& state, simulated_gpus& gpus);

    /// Simulated time in ps; during the replay, that of the saved run.
    std::uint64_t now() const { return file_.replays() ? now_ : gpus_.now(); }
    /// Returns whether replayed kernels have not ended.
    bool busy() const { return !kernels_.empty(); }
    /// Time before which an idle GPU gets no work, in units of the time resolution; nothing if the
    /// checkpoint does not decide it.
    std::optional<std::uint64_t> clock_limit() const;

    /// Replays a kernel if it ended before the checkpoint.
    /// @return what the GPU gets in its place until the checkpoint; nullptr: it is simulated
    std::shared_ptr<program::kernel_source> replay(const task_ptr& t, const execution::launch& l,
                                                   const execution::services& world);
    /// Replays the next completions, or restores the run when there are no more.
    /// @param done  receives the tasks that have ended
    void step(const kernel_launcher& kernels, const copy_queue& copies,
              std::vector<task_ptr>& done);
    /// Saves the run if that is due and the GPU comes to rest before thread blocks are placed.
    void save_if_due(const kernel_launcher& kernels);

private:
    /// A kernel that ended before the checkpoint being resumed.
    struct replayed_kernel {
        task_ptr owner;
        execution::launch launch;
        execution::services world;
    };

    void execute(replayed_kernel& k);
    void wait_for_host();
    void restore(std::uint64_t launches);

    host_checkpoint& file_;
    shared_state& state_;
    simulated_gpus& gpus_;
    std::map<std::uint64_t, replayed_kernel> kernels_;  ///< by task number
    std::uint64_t now_ = 0;
    std::uint64_t restored_at_ = 0;  ///< in units of the time resolution
    unsigned waited_ = 0;            ///< time spent waiting for the host, ms
};

}  // namespace simtlm::device
