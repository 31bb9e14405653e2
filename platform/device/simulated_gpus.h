// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/engine.h"
#include "platform/gpu/gpu_blocks.h"

#include <memory>
#include <vector>

namespace simtlm::device {

/// The GPUs of a process and their simulated time: the only part of the device layer that runs
/// SystemC. Used by one thread. Times in ps unless stated otherwise.
class simulated_gpus {
public:
    /// Builds the GPUs. @throws support::user_error
    simulated_gpus(shared_state& state, const platform::gpu_config& config, unsigned count);
    ~simulated_gpus();

    const std::vector<platform::gpu*>& all() const { return all_; }
    platform::gpu& first() { return *all_.front(); }
    std::uint64_t now() const;
    /// Next time when the host can give work to an idle GPU, as far as known, in units of the time
    /// resolution.
    std::uint64_t next_pause() const;

    /// Ends the elaboration; observers must have been attached.
    void elaborate();
    /// Simulates until a GPU has made progress or failed, attention is requested, or a copy ends.
    /// @param copy_end  copy_queue::never: there is none
    void run(std::uint64_t copy_end);
    /// Simulates until a time.
    void advance_to(const sc_core::sc_time& until);
    /// Simulates a GPU to the end of a step with an edge of its core clock, where statistics are
    /// consistent.
    void step_core_cycle(platform::gpu& device);

    /// Submits a command. While commands are held, a GPU only collects them.
    void submit(dispatch::host_command c, unsigned device);
    void hold_commands() { holds_commands_ = true; }
    void release_commands();

private:
    class monitor;

    shared_state& state_;
    std::vector<std::unique_ptr<platform::gpu>> gpus_;
    std::vector<platform::gpu*> all_;
    std::unique_ptr<monitor> monitor_;
    bool holds_commands_ = false;
};

}  // namespace simtlm::device
