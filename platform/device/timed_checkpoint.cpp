// SPDX-License-Identifier: Apache-2.0
#include "platform/device/timed_checkpoint.h"

#include "modules/execution/functional/functional.h"
#include "platform/device/kernel_launcher.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace simtlm::device {

namespace {

/// Maximum time to wait for other threads of a program to repeat the launches of the saved run, ms.
constexpr unsigned replay_timeout = 10'000;

/// Placeholder for a kernel that ended before the checkpoint; only its name is used.
class ended_kernel : public program::kernel_source {
public:
    explicit ended_kernel(const std::string& name) { kernel_.name = name; }
    const program::kernel_descriptor& descriptor() const override { return kernel_; }
    std::unique_ptr<program::cta> next_cta() override { return nullptr; }

private:
    program::kernel_descriptor kernel_;
};

}  // namespace

timed_checkpoint::timed_checkpoint(host_checkpoint& file, shared_state& state, simulated_gpus& gpus)
    : file_(file), state_(state), gpus_(gpus) {
    if (file_.replays()) gpus_.hold_commands();
}

std::optional<std::uint64_t> timed_checkpoint::clock_limit() const {
    if (restored_at_ > sc_core::sc_time_stamp().value()) return restored_at_;
    // A saved state must include the edges of all clocks up to one time.
    if (file_.replays() || file_.is_due(gpus_.first())) return 0;
    return std::nullopt;
}

std::shared_ptr<program::kernel_source> timed_checkpoint::replay(const task_ptr& t,
                                                                 const execution::launch& l,
                                                                 const execution::services& world) {
    if (!file_.replays() || !file_.has_ended(t->number)) return nullptr;
    kernels_.emplace(t->number, replayed_kernel{t, l, world});
    return std::make_shared<ended_kernel>(l.kernel->name);
}

void timed_checkpoint::step(const kernel_launcher& kernels, const copy_queue& copies,
                            std::vector<task_ptr>& done) {
    const host_checkpoint::step* const next = file_.next();
    if (next == nullptr) {
        if (copies.empty() && kernels_.empty() && file_.is_complete(kernels.open()))
            return restore(kernels.launches());
        return wait_for_host();
    }
    // Only copies end without action of the host, at the same times in both runs.
    const bool is_copy = next->kernels.empty();
    if (is_copy ? copies.empty() || copies.next_end() > next->now
                : !std::all_of(next->kernels.begin(), next->kernels.end(),
                               [&](std::uint64_t number) { return kernels_.count(number) != 0; }))
        return wait_for_host();
    waited_ = 0;
    now_ = next->now;
    for (const std::uint64_t number : next->kernels) {
        const auto at = kernels_.find(number);
        if (file_.executes()) execute(at->second);
        at->second.owner->finished_at = now_;
        done.push_back(at->second.owner);
        kernels_.erase(at);
    }
    file_.advance();
}

void timed_checkpoint::execute(replayed_kernel& k) {
    attempt(*k.owner, state_, [&] {
        const memory_space::access_scope access_scope(state_.memory, true);
        execution::functional_options how;
        how.give_up = &state_.give_up;
        execution::run(k.launch, state_.memory.table(), k.world, how);
    });
}

/// The host has not launched the next task yet.
void timed_checkpoint::wait_for_host() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (++waited_ > replay_timeout)
        file_.refuse(
            "the launches and copies of the program differ from those of the saved run: the "
            "checkpoint is not reached (a nondeterministic program cannot be resumed)");
}

/// The checkpoint is reached: advances the idle GPU to its time and restores the state.
void timed_checkpoint::restore(std::uint64_t launches) {
    const memory_space::access_scope access_scope(state_.memory, true);
    const sc_core::sc_time until = file_.time();
    restored_at_ = until.value();
    gpus_.advance_to(until);
    file_.restore(launches);
    gpus_.release_commands();
}

void timed_checkpoint::save_if_due(const kernel_launcher& kernels) {
    platform::gpu& device = gpus_.first();
    if (!file_.is_due(device)) return;
    // Drain the work of earlier kernels during the launch latency of the next one.
    while (!device.at_rest()) {
        if (!device.commands().at_rest() || device.sequencer().has_failed() || state_.give_up)
            return;
        gpus_.step_core_cycle(device);
    }
    file_.save(device, kernels.launches(), kernels.open());
}

}  // namespace simtlm::device
