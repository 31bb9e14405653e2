// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/array.h"
#include "platform/device/host_checkpoint.h"
#include "platform/device/loaded_module.h"
#include "platform/device/run_log.h"
#include "platform/device/scheduler.h"
#include "platform/device/system_config.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {
class launch_sampler;
}

namespace simtlm::device {

class debug_session;
class remote_device;

/// A point in a stream; can be recorded repeatedly.
struct event {
    unsigned device = 0;
    unsigned flags = 0;
    task_ptr recorded;  ///< most recent record; nullptr: never recorded
};

/// All GPUs of a process and their driver: the interface that the runtime libraries use.
/// Thread-safe.
class system {
public:
    /// @param options  must outlive this object
    /// @param log      destination of reports
    /// @param from     provenance for files of statistics
    /// @param quit     called if the user quits in the debugger; from any thread
    /// @throws support::user_error
    /// @param remote   GPUs that another process simulates; nullptr: this one does
    system(const platform::option_values& options, const run_log::outputs& log,
           platform::provenance from = {}, std::function<void()> quit = {},
           std::unique_ptr<remote_device> remote = nullptr);
    ~system();
    system(const system&) = delete;
    system& operator=(const system&) = delete;

    const system_config& config() const { return config_; }
    unsigned devices() const { return config_.gpus; }
    shared_state& state() { return state_; }
    memory_space& memory() { return state_.memory; }
    scheduler& work() { return work_; }
    run_log& log() { return log_; }

    /// Whether another process simulates the GPUs, so that device memory is not accessible here.
    bool is_remote() const { return remote_ != nullptr; }

    /// Loads a module into a GPU. @throws failure
    /// @param placement  of its variables, as in another process; nullptr: they are placed here
    std::shared_ptr<loaded_module> load(
        const module_source& source,
        execution::device_memory::static_placement* placement = nullptr);

    /// Makes a copy between addresses, each of the host or of a GPU. The task has not been
    /// submitted to
    /// a stream yet.
    /// @throws failure  if a range is not within one allocation
    task_ptr make_copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes,
                       copy_direction direction);
    /// Fills an area of rows with elements of 1, 2 or 4 bytes.
    task_ptr make_fill(std::uint64_t to, std::uint64_t pitch, std::uint32_t value, unsigned element,
                       std::uint64_t width, std::uint64_t height);
    /// Throws unless [address, address + bytes) is within one allocation or is host memory.
    void check_range(std::uint64_t address, std::uint64_t bytes) const;

    /// Direction of a copy, derived from its addresses.
    copy_direction direction_of(std::uint64_t to, std::uint64_t from) const;
    /// DRAM accesses per byte of a copy: 2 if both addresses are GPU or managed memory, otherwise
    /// 0.
    unsigned dram_accesses_of(std::uint64_t to, std::uint64_t from, copy_direction direction) const;

    /// Bind textures and surfaces to handles.
    std::uint64_t bind_texture(const execution::texture_binding& binding);
    void bind_texture(std::uint64_t handle, const execution::texture_binding& binding);
    void release_texture(std::uint64_t handle);

    /// Waits for the device, then frees the allocation at this address. @throws failure
    void free(std::uint64_t address);

    /// Places device memory, in which nothing has been allocated, as in another process.
    /// @throws failure
    void place_memory(std::uint64_t static_begin);
    /// Builds the GPUs for a caller that executes tasks itself, instead of the scheduler: a server.
    /// @param stop  called by shut_down(): ends their execution; from any thread
    /// @throws support::user_error
    std::unique_ptr<engine> make_engine(std::function<void(bool abandon)> stop);

    /// Ends the run, at process exit or on a signal, and writes statistics.
    /// @param why  reason of an interruption, which abandons work; empty: there is none
    void shut_down(const std::string& why);

private:
    std::unique_ptr<engine> make_engine();
    std::unique_ptr<debug_session> debug_of(const platform::option_values& options,
                                            std::function<void()> quit);
    std::optional<std::pair<std::uint64_t, std::uint64_t>> find_variable(const std::string& name);

    const platform::option_values& options_;
    system_config config_;
    std::unique_ptr<remote_device> remote_;
    std::atomic<bool> engine_made_{false};
    std::function<void(bool)> stop_;  ///< see make_engine(); empty: the scheduler executes tasks
    inspection inspection_;
    shared_state state_;
    run_log log_;
    std::unique_ptr<debug_session> debug_;  ///< nullptr: no debugger
    host_checkpoint checkpoint_;
    std::unique_ptr<platform::launch_sampler> sampler_;  ///< nullptr: every launch is simulated
    scheduler work_;
    std::uint64_t handles_ = 0;
    std::mutex mutex_;
    /// For loading modules; protected by mutex_.
    std::optional<execution::instruction_timing> timing_;
    std::vector<std::weak_ptr<loaded_module>> modules_;  ///< loaded modules; protected by mutex_
};

}  // namespace simtlm::device
