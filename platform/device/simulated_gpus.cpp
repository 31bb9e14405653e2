// SPDX-License-Identifier: Apache-2.0
#include "platform/device/simulated_gpus.h"

#include "modules/simulation/finish_instant.h"
#include "modules/simulation/spawn.h"
#include "platform/device/copy_queue.h"
#include "platform/outputs/gpu_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <systemc>

namespace simtlm::device {

namespace {

/// Core cycles between polls; large enough to make the cost of poll() negligible.
constexpr double cycles_between_polls = 1024.3;

}  // namespace

/// Pauses the simulation when a task has ended or attention is requested.
class simulated_gpus::monitor : public sc_core::sc_module {
public:
    monitor(const sc_core::sc_module_name& name, const std::vector<platform::gpu*>& gpus,
            shared_state& state, sc_core::sc_time period)
        : sc_module(name), gpus_(gpus), state_(state), period_(period) {
        std::vector<simulation::trigger> triggers{copy_ended_};
        for (platform::gpu* const g : gpus) {
            triggers.emplace_back(g->commands().progress());
            triggers.emplace_back(g->sequencer().failed());
        }
        simulation::spawn_method(
            "pause", [] { sc_core::sc_pause(); }, triggers);
        simulation::spawn_method(
            "poll", [this] { poll(); }, {}, simulation::first_run::at_start);
    }

    /// Sets the time until the end of the next copy; nothing: there is none.
    void pause_after(const std::optional<sc_core::sc_time>& copy) {
        copy_pause_ = sc_core::sc_max_time();
        if (!copy) return;
        copy_ended_.cancel();
        copy_ended_.notify(*copy);
        copy_pause_ = sc_core::sc_time_stamp() + *copy;
    }

    std::uint64_t next_pause() const { return std::min(copy_pause_, next_poll_).value(); }

private:
    void poll() {
        next_poll_ = sc_core::sc_time_stamp() + period_;
        sc_core::next_trigger(period_);
        if (state_.attention.load(std::memory_order_relaxed) || state_.memory.wanted())
            sc_core::sc_pause();
        check_progress();
    }

    /// Ends a program that makes no progress. The first GPU with a kernel checks for all, since
    /// they share the memory.
    void check_progress() {
        execution::device_memory& memory = state_.memory.table();
        if (copy_pause_ != sc_core::sc_max_time()) memory.progress().note_change();
        for (platform::gpu* const g : gpus_) {
            if (g->commands().idle()) continue;
            g->check_progress(memory, host_timeout);
            return;
        }
    }

    const std::vector<platform::gpu*>& gpus_;
    shared_state& state_;
    sc_core::sc_event copy_ended_;
    sc_core::sc_time copy_pause_ = sc_core::sc_max_time();
    sc_core::sc_time period_, next_poll_;
};

simulated_gpus::simulated_gpus(shared_state& state, const platform::gpu_config& config,
                               unsigned count)
    : state_(state) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    for (unsigned i = 0; i < count; ++i) {
        const std::string name = count == 1 ? "gpu" : fmt::format("gpu{}", i);
        platform::gpu_config own = config;
        if (count > 1) platform::number_files(own.run, i);
        gpus_.push_back(std::make_unique<platform::gpu>(name.c_str(), std::move(own)));
        gpus_.back()->decouple_dram();
        all_.push_back(gpus_.back().get());
    }
    monitor_ = std::make_unique<monitor>(
        "monitor", all_, state,
        sc_core::sc_time(cycles_between_polls / config.clocks.core, sc_core::SC_SEC));
}

simulated_gpus::~simulated_gpus() {
    // Destroying a large SystemC hierarchy takes noticeable time, and the process ends anyway.
    for (auto& g : gpus_) static_cast<void>(g.release());
    static_cast<void>(monitor_.release());
}

std::uint64_t simulated_gpus::now() const {
    return static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e12 + 0.5);
}

std::uint64_t simulated_gpus::next_pause() const {
    return monitor_->next_pause();
}

void simulated_gpus::elaborate() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void simulated_gpus::run(std::uint64_t copy_end) {
    std::optional<sc_core::sc_time> left;
    if (copy_end != copy_queue::never)
        left.emplace(static_cast<double>(copy_end - now()) * 1e-12, sc_core::SC_SEC);
    monitor_->pause_after(left);
    sc_core::sc_start();
    simulation::finish_instant();
    for (platform::gpu* const g : all_) g->sequencer().synchronize();
}

void simulated_gpus::advance_to(const sc_core::sc_time& until) {
    while (sc_core::sc_time_stamp() < until && !state_.give_up)
        sc_core::sc_start(until - sc_core::sc_time_stamp());
    simulation::finish_instant(first().sequencer());
}

void simulated_gpus::step_core_cycle(platform::gpu& device) {
    const std::uint64_t cycles = device.core_cycles();
    while (device.core_cycles() == cycles && !device.sequencer().has_failed()) {
        const std::uint64_t instant = sc_core::sc_time_stamp().value();
        const std::uint64_t next = std::max(device.sequencer().next_edge(), instant + 1);
        sc_core::sc_start(sc_core::sc_time::from_value(next - instant));
        simulation::finish_instant(device.sequencer());
    }
}

void simulated_gpus::submit(dispatch::host_command c, unsigned device) {
    dispatch::command_processor& commands = all_[device]->commands();
    commands.submit(std::move(c));
    if (!holds_commands_) commands.proceed();
}

void simulated_gpus::release_commands() {
    holds_commands_ = false;
    for (platform::gpu* const g : all_) g->commands().proceed();
}

}  // namespace simtlm::device
