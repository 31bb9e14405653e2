// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/device/array.h"
#include "platform/device/loaded_module.h"
#include "platform/device/run_log.h"
#include "platform/device/scheduler.h"
#include "platform/device/timed_engine.h"

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
class host_checkpoint;

/// How a host sees the GPUs, from options.
struct system_config {
    platform::gpu_config gpu;
    std::string name = "simtlm";  ///< of the GPU
    unsigned gpus = 1;
    std::vector<unsigned> gpc_sms;  ///< SMs of each GPC; empty: all SMs are one
    bool functional = false;
    unsigned functional_threads = 1;
    std::uint64_t memory_bytes = std::uint64_t{32} << 30;  ///< of each GPU
    std::uint64_t stack_limit = 1024, heap_limit = 8 << 20;
    unsigned grace_ms = 300;
    link_timing pcie, nvlink;
    code_preference code = code_preference::ptx;
    unsigned max_ptx_capability = 0;  ///< of PTX chosen from a fat binary; 0: that of the GPU

    /// @throws kernel::user_error
    static system_config from(const platform::option_values& values);
    unsigned capability() const {
        return max_ptx_capability != 0 ? max_ptx_capability : gpu.binary_version();
    }
};

/// How many clusters of a kernel's thread blocks the GPU holds at once, each on one GPC.
/// @param size  blocks of a cluster
unsigned active_clusters(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared, unsigned size);

/// How many thread blocks of a kernel an SM holds at once.
unsigned resident_blocks(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared);

/// A point in a stream. Recorded again and again.
struct event {
    unsigned device = 0;
    unsigned flags = 0;
    task_ptr recorded;  ///< last; nullptr: never
};

/// All GPUs of a process and their driver: the one thing that runtime libraries talk to. Calls may
/// come from any thread.
class system {
public:
    /// @param options  as long as this object
    /// @param log      where reports go
    /// @param from     for files of statistics
    /// @param quit     the user of the debugger wants the process to end; called by any thread
    /// @throws kernel::user_error
    system(const platform::option_values& options, const run_log::outputs& log,
           platform::provenance from = {}, std::function<void()> quit = {});
    ~system();
    system(const system&) = delete;
    system& operator=(const system&) = delete;

    const system_config& config() const { return config_; }
    unsigned devices() const { return config_.gpus; }
    shared_state& state() { return state_; }
    memory_space& memory() { return state_.memory; }
    scheduler& work() { return work_; }
    run_log& log() { return log_; }

    /// Loads PTX into a GPU. @throws failure
    std::shared_ptr<loaded_module> load(const module_source& source);

    /// Copies of bytes between addresses; each may be the host's or a GPU's. The task has no place
    /// in a stream yet.
    /// @throws failure  an address is not inside of one allocation
    task_ptr make_copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes,
                       copy_direction direction);
    /// Fills an area of rows with elements of 1, 2 or 4 bytes.
    task_ptr make_fill(std::uint64_t to, std::uint64_t pitch, std::uint32_t value, unsigned element,
                       std::uint64_t width, std::uint64_t height);
    /// A launch, checked. @throws failure
    task_ptr make_launch(unsigned device, launch_request request);
    /// Throws unless [address, address + bytes) is inside of one allocation, or is the host's.
    void check_range(std::uint64_t address, std::uint64_t bytes) const;

    /// Direction of a copy by its addresses.
    copy_direction direction_of(std::uint64_t to, std::uint64_t from) const;
    /// Accesses to DRAM per byte of a copy: 2 where both addresses are a GPU's or managed, else 0.
    unsigned dram_accesses_of(std::uint64_t to, std::uint64_t from, copy_direction direction) const;

    /// Textures and surfaces.
    std::uint64_t bind_texture(const execution::texture_binding& binding);
    void bind_texture(std::uint64_t handle, const execution::texture_binding& binding);
    void release_texture(std::uint64_t handle);

    /// Waits for a device, then gives back what begins at the address. @throws failure
    void free(std::uint64_t address);

    /// The process ends, or is told to by a signal: statistics are written.
    void shut_down(bool abandon);

private:
    std::unique_ptr<debug_session> debug_of(const platform::option_values& options,
                                            std::function<void()> quit);
    std::optional<std::pair<std::uint64_t, std::uint64_t>> find_variable(const std::string& name);

    system_config config_;
    inspection look_;
    shared_state state_;
    run_log log_;
    std::unique_ptr<debug_session> debug_;               ///< nullptr: nothing is looked at
    std::unique_ptr<host_checkpoint> checkpoint_;        ///< nullptr: none is asked for
    std::unique_ptr<platform::launch_sampler> sampler_;  ///< nullptr: every launch is simulated
    scheduler work_;
    std::uint64_t handles_ = 0;
    std::mutex mutex_;
    std::optional<execution::instruction_timing> timing_;  ///< of modules, by mutex_
    std::vector<std::weak_ptr<loaded_module>> modules_;    ///< that have been loaded, by mutex_
};

}  // namespace simtlm::device
