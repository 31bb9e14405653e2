// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/texture_table.h"
#include "modules/support/archive_fwd.h"
#include "platform/device/memory_space.h"
#include "platform/device/task.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/options/options.h"
#include "platform/outputs/checkpoint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace simtlm::device {

class run_log;

/// Checkpoints of host programs (CUDA, OpenCL): --checkpoint and --resume of `simtlm run`.
///
/// The state of the host process is not saved: on resume, the program runs again from its start. Up
/// to the checkpoint the GPU is not simulated; the engine replays what the host observed of it from
/// a log in the checkpoint, that is the order and time of kernel completions. Data copied to the
/// host is replayed from that log as well, and kernels are skipped. If the program could observe
/// GPU memory in other ways (managed and pinned memory, printf, mapped objects of OpenCL), kernels
/// are executed in functional mode instead. At the checkpoint, memory is restored or, if kernels
/// were executed, compared.
///
/// The log contains a digest of everything that decides what a launch, copy or fill does: code,
/// arguments, textures, sizes, values, and copied data. A program that does something else is
/// rejected at the first difference.
///
/// Used in the engine's thread.
class host_checkpoint {
public:
    /// Kernels that ended at the same time, by task number.
    struct step {
        std::uint64_t now = 0;  ///< ps
        std::vector<std::uint64_t> kernels;
        void checkpoint(support::archive& a);
    };

    /// Without effect if the options request no checkpoint.
    /// @param values  must outlive this object, as must the other arguments
    /// @throws support::user_error  for incompatible options or a file that cannot be resumed
    host_checkpoint(const platform::option_values& values, memory_space& memory,
                    const execution::texture_table& textures, run_log& log);
    /// Checks the options for use with host programs. @throws support::user_error
    static void check(const platform::option_values& values);

    /// Returns whether a checkpoint is written or resumed.
    bool is_used() const { return how_.any(); }
    /// Ends the process because a run cannot be saved or resumed.
    [[noreturn]] void refuse(const std::string& why);

    // ---- actions of the program, in both runs; refused if they differ from the saved run ----

    /// A kernel has been launched.
    void launched(const task& t);
    /// A copy has been performed.
    void copied(task& t);

    // ---- saving ----

    /// Returns whether a checkpoint is still to be written.
    bool saves() const { return !how_.write.empty() && !saved_; }
    /// Returns whether the checkpoint is to be saved as soon as the GPU is at rest.
    bool is_due(platform::gpu& device) const;
    /// Records completed tasks. @param now  ps
    void ended(std::uint64_t now, const std::vector<task_ptr>& tasks);
    /// A kernel has printed.
    void printed() { seen_otherwise_ = true; }
    /// Writes the checkpoint. @pre device.at_rest(), and the memory gate is held
    /// @param launches  number of launches so far  @param open  task numbers of unfinished kernels
    void save(platform::gpu& device, std::uint64_t launches, std::vector<std::uint64_t> open);
    /// Message for the end of a run that has not been saved; empty if none.
    std::string unsaved() const;

    // ---- resuming ----

    /// Returns whether the checkpoint has not been reached yet.
    bool replays() const { return resumed_.has_value(); }
    /// Next completion to replay, or nullptr if the checkpoint is reached.
    const step* next() const { return at_ < log_.steps.size() ? &log_.steps[at_] : nullptr; }
    void advance() { ++at_; }
    /// Returns whether the kernel with this task number ended before the checkpoint.
    bool has_ended(std::uint64_t task) const { return ended_.count(task) != 0; }
    /// Returns whether kernels must be executed during replay.
    bool executes() const { return log_.executes; }
    /// Returns whether the unfinished kernels are those of the saved run.
    bool is_complete(const std::vector<std::uint64_t>& open) const { return open == log_.open; }
    /// The time of the checkpoint.
    sc_core::sc_time time() const { return resumed_->time(); }
    /// Restores memory, the GPU and its statistics.
    /// @pre the memory gate is held, the simulation time is time(), and the GPU holds the commands
    /// so far without proceeding
    void restore(std::uint64_t launches);

private:
    /// What the host has observed of the GPU up to the checkpoint.
    struct host_view {
        std::string program;    ///< checksum of the executable
        bool executes = false;  ///< kernels are executed during replay
        std::vector<step> steps;
        std::string to_host;  ///< data of all copies to the host, concatenated
        std::uint64_t launches = 0;
        /// Digests of launches, copies and fills in the order in which they were performed.
        std::vector<std::uint64_t> actions;
        std::vector<std::uint64_t> open;
        void checkpoint(support::archive& a);
    };

    [[noreturn]] void refuse_difference(const std::string& what);
    void performed(std::uint64_t digest, const std::string& what);
    void checkpoint_memory(support::archive& a);

    const platform::option_values& values_;
    platform::checkpoint_options how_;
    memory_space& memory_;
    const execution::texture_table& textures_;
    run_log& report_;
    std::optional<platform::checkpoint> resumed_;  ///< until it has been restored
    host_view log_;
    std::unordered_set<std::uint64_t> ended_;  ///< tasks completed in log_.steps
    std::size_t at_ = 0;                       ///< position in log_.steps
    std::size_t taken_ = 0;                    ///< bytes consumed of log_.to_host
    std::vector<std::uint64_t> actions_;       ///< of this run
    bool seen_otherwise_ = false;
    bool saved_ = false;
};

}  // namespace simtlm::device
