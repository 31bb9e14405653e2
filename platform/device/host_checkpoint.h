// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "platform/device/memory_space.h"
#include "platform/device/task.h"
#include "platform/gpu/gpu.h"
#include "platform/options/options.h"
#include "platform/outputs/checkpoint.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace simtlm::device {

class run_log;

/// Checkpoints of host programs (CUDA, OpenCL): --checkpoint and --resume of `simtlm run`.
///
/// A host has a state of its own, which is not saved: in the process that resumes, the program runs
/// again from its start. Up to the checkpoint the GPU is not simulated; the engine repeats what the
/// host could see of it, from a log in the checkpoint: in what order kernels ended, and when. What
/// copies brought to the host comes from that log, too, and kernels are skipped; where the program
/// could look into the GPU's memory in other ways (managed and pinned memory, printf, OpenCL's
/// mapped objects), they are executed without time instead. At the checkpoint, memory is restored,
/// or, where kernels were executed, compared.
///
/// Used in the engine's thread.
class host_checkpoint {
public:
    /// Kernels that ended at one time, by the numbers of their tasks.
    struct step {
        std::uint64_t now = 0;  ///< ps
        std::vector<std::uint64_t> kernels;
        void checkpoint(kernel::archive& a);
    };

    /// @param values  as long as this object, as the others
    /// @return nullptr where the options ask for none
    /// @throws kernel::user_error  options that do not go together; a file that cannot be resumed
    static std::unique_ptr<host_checkpoint> of(const platform::option_values& values,
                                               memory_space& memory, run_log& log);
    /// What goes wrong with these options for host programs. @throws kernel::user_error
    static void check(const platform::option_values& values);

    // ---- what the program does, in both runs ----

    /// A kernel is launched.
    void launched(const task& t);
    /// A copy has taken effect.
    void copied(task& t);

    // ---- the run that saves ----

    /// Not yet saved.
    bool saves() const { return !how_.write.empty() && !saved_; }
    /// Saved as soon as the GPU is at rest.
    bool is_due(platform::gpu& device) const;
    /// Some tasks have ended. @param now  ps
    void ended(std::uint64_t now, const std::vector<task_ptr>& tasks);
    /// A kernel has printed.
    void printed() { seen_otherwise_ = true; }
    /// @pre device.at_rest(), and the gate of the memory is held
    /// @param launches  so far  @param open  tasks of kernels that have not ended
    void save(platform::gpu& device, std::uint64_t launches, std::vector<std::uint64_t> open);
    /// What there is to be told at the end of a run that has not been saved.
    std::string unsaved() const;

    // ---- the run that resumes ----

    /// Before the checkpoint.
    bool replays() const { return resumed_.has_value(); }
    /// What ends next; nullptr: the checkpoint is reached.
    const step* next() const { return at_ < log_.steps.size() ? &log_.steps[at_] : nullptr; }
    void advance() { ++at_; }
    /// Whether the kernel with this task's number ended before the checkpoint.
    bool has_ended(std::uint64_t task) const { return ended_.count(task) != 0; }
    /// Whether kernels have to be executed.
    bool executes() const { return log_.executes; }
    /// Whether the kernels that have been launched and not ended are those of the saved run.
    bool is_complete(const std::vector<std::uint64_t>& open) const { return open == log_.open; }
    /// The time of the checkpoint.
    sc_core::sc_time time() const { return resumed_->time(); }
    /// Memory, the GPU and what has been counted. @pre the gate of the memory is held, the time is
    /// time(), and the GPU has been given the commands so far, which do not proceed
    /// @throws kernel::user_error
    void restore(platform::gpu& device, std::uint64_t launches);

private:
    /// What the host has seen of the GPU up to the checkpoint.
    struct host_view {
        std::string program;    ///< checksum of its file
        bool executes = false;  ///< its kernels, when it is run again
        std::vector<step> steps;
        std::string to_host;  ///< what copies have brought, one behind the other
        std::uint64_t launches = 0;
        std::uint64_t digest = 0;  ///< of launches and copies
        std::vector<std::uint64_t> open;
        void checkpoint(kernel::archive& a);
    };

    host_checkpoint(const platform::option_values& values, platform::checkpoint_options how,
                    memory_space& memory, run_log& log);
    void mix(const void* data, std::size_t bytes);
    void checkpoint_memory(kernel::archive& a);

    const platform::option_values& values_;
    platform::checkpoint_options how_;
    memory_space& memory_;
    run_log& report_;
    std::optional<platform::checkpoint> resumed_;  ///< until it is restored
    host_view log_;
    std::unordered_set<std::uint64_t> ended_;  ///< tasks of log_.steps
    std::size_t at_ = 0;                       ///< of log_.steps
    std::size_t taken_ = 0;                    ///< bytes of log_.to_host
    std::uint64_t digest_ = 0;
    bool seen_otherwise_ = false;
    bool saved_ = false;
};

}  // namespace simtlm::device
