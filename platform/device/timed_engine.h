// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_heap.h"
#include "modules/execution/launch.h"
#include "platform/device/child_kernels.h"
#include "platform/device/engine.h"
#include "platform/gpu/gpu.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {
class executed_kernel;
}

namespace simtlm::platform {
class launch_sampler;
}

namespace simtlm::device {

class debug_session;
class host_checkpoint;

/// Latency and bandwidth of copies. A bandwidth of 0 disables their timing.
struct link_timing {
    double latency = 0;    ///< seconds
    double bandwidth = 0;  ///< bytes per second, in each direction
};

/// Receives events and statistics of the GPUs.
class run_observer {
public:
    virtual ~run_observer();
    /// The GPUs have been built; nothing has run.
    virtual void built(const std::vector<platform::gpu*>& gpus) { static_cast<void>(gpus); }
    /// A kernel has ended. Called between steps of the simulation.
    virtual void kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel) {
        static_cast<void>(gpu), static_cast<void>(kernel);
    }
    /// A kernel is about to be submitted to a GPU. Returns the kernel to submit; a recorder wraps
    /// it.
    virtual std::shared_ptr<program::kernel_source> launched(
        std::shared_ptr<execution::executed_kernel> kernel);
    /// The host has copied to a GPU.
    virtual void copied(std::uint64_t address, std::uint64_t bytes) {
        static_cast<void>(address), static_cast<void>(bytes);
    }
    /// A task other than a kernel has ended: its times are known.
    virtual void task_ended(const task& t) { static_cast<void>(t); }
    /// Launches have been sampled. @param text  the projection  @param summary  the same in one
    /// line
    virtual void projected(const std::string& text, const std::string& summary) {
        static_cast<void>(text), static_cast<void>(summary);
    }
    /// An output could not be written.
    virtual void result_lost(const std::string& why) { static_cast<void>(why); }
    virtual void warned(const std::string& text) { static_cast<void>(text); }
    virtual void noted(const std::string& text) { static_cast<void>(text); }
    /// The simulation cannot continue. @param how  "failed", "deadlock", or the option that ended
    /// it
    virtual void failed(const std::string& how) { static_cast<void>(how); }
    /// A kernel could not be launched or has not completed.
    virtual void kernel_failed() {}
    /// The run has ended. May be called more than once.
    virtual void ended() {}
};

/// Executes tasks on simulated GPUs. SystemC is used only in the calling thread.
class timed_engine : public engine {
public:
    /// Parameters of the engine; pointers must outlive it.
    struct settings {
        platform::gpu_config gpu;  ///< configuration of every GPU
        unsigned gpus = 1;
        link_timing pcie;                             ///< between host and GPU
        link_timing nvlink;                           ///< between GPUs
        link_timing dram;                             ///< for copies inside a GPU
        debug_session* debug = nullptr;               ///< for the first GPU; nullptr: none
        platform::launch_sampler* sampler = nullptr;  ///< nullptr: every launch is simulated
        host_checkpoint* checkpoint = nullptr;  ///< nullptr: no checkpoint is written or resumed
        /// Called if a checkpoint cannot be written or resumed: ends the process.
        std::function<void(const std::string& why)> refuse;
    };

    /// Builds the GPUs. @throws support::user_error
    timed_engine(shared_state& state, const settings& how, run_observer& observer);
    ~timed_engine() override;

    void start(const task_ptr& t) override;
    std::vector<task_ptr> run() override;
    std::vector<task_ptr> take_ready_for_dependents() override;
    bool busy() const override;
    std::uint64_t now() const override;
    /// A fault ends the simulation.
    bool survives_faults() const override { return false; }
    void finish() override;

private:
    class monitor;
    struct unit {
        std::unique_ptr<platform::gpu> gpu;
        std::unique_ptr<execution::device_heap> heap;
        /// Parameters of launches by kernels.
        std::shared_ptr<execution::device_heap> launch_buffers;
        /// End of the last copy per direction, ps.
        std::uint64_t to_device_free = 0, to_host_free = 0, inside_free = 0;
    };

    /// A kernel that ended before the checkpoint being resumed.
    struct replayed_kernel {
        task_ptr owner;
        execution::launch launch;
        execution::services world;
    };

    void execute_rest(execution::executed_kernel& kernel);
    void launch(const task_ptr& t);
    void kernel_done(const task_ptr& t);
    void begin_children(const std::shared_ptr<child_kernels>& parent,
                        const std::vector<task_ptr>& children);
    execution::services world_of(const task_ptr& t);
    void submit(dispatch::host_command c, unsigned device);
    bool replays() const;
    void replay();
    void wait_for_host();
    void restore();
    void save_at_rest();
    std::vector<std::uint64_t> open_kernels() const;
    bool is_simulated(const execution::launch& l);
    bool may_overlap() const;
    void start_copy(const task_ptr& t);
    std::uint64_t copy_end(task& t);
    void carry_out(const task_ptr& t);
    void simulate();
    std::uint64_t gate_limit() const;
    void collect();
    void end_copies();
    /// Leaves the lines of a host copy in the L2.
    void leave_in_l2(const task& t);
    void fail_all(const std::string& how, const std::string& why, status outcome);

    shared_state& state_;
    settings how_;
    run_observer& observer_;
    std::vector<unit> units_;
    std::unique_ptr<monitor> monitor_;
    std::map<std::uint32_t, task_ptr> kernels_;  ///< by launch number
    /// Kernels that may launch kernels, and those that they have launched, until they complete.
    std::map<task_ptr, std::shared_ptr<child_kernels>> families_;
    std::multimap<std::uint64_t, task_ptr> copies_;  ///< by end time, ps
    std::vector<task_ptr> done_;
    std::vector<task_ptr> ready_for_dependents_;
    std::map<std::uint64_t, replayed_kernel> replayed_;  ///< by task number
    std::uint64_t replayed_now_ = 0;                     ///< ps, during replay of a checkpoint
    std::uint64_t replayed_until_ = 0;  ///< time of the checkpoint, in units of the time resolution
    unsigned waited_ = 0;               ///< time spent waiting for the host, ms
    std::uint32_t launches_ = 0;
    status dead_ = status::success;
    /// Selects the kernels to simulate; others run in functional mode.
    trace::kernel_selector selector_;
};

}  // namespace simtlm::device
