// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/rate_monitor.h"

#include "modules/simulation/spawn.h"
#include "platform/gpu/gpu_blocks.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace simtlm::platform {

rate_monitor::rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread)
    : sc_module(name),
      device_(device),
      spread_(spread),
      window_(window_cycles / device.config().clocks.core, sc_core::SC_SEC) {
    simulation::spawn_method(
        "look", [this] { sample(); }, {}, simulation::first_run::at_start);
}

void rate_monitor::sample() {
    sc_core::next_trigger(window_);
    dispatch::cta_scheduler& ctas = device_.commands().ctas();
    const dispatch::running_kernel* running = nullptr;
    unsigned kernels = 0;
    for (const auto& k : ctas.running())
        if (k && !k->finished()) {
            running = k.get();
            ++kernels;
        }
    if (kernels == 0) return;
    if (kernels > 1) {  // the rate includes all of them
        launch_ = 0;
        return;
    }
    const std::uint64_t now = ctas.thread_instructions();
    if (running->context.launch != launch_) {
        launch_ = running->context.launch;
        instructions_ = before_ = now;
        ctas_ = running->descriptor.grid.volume();
        ctas_left_ = 0;
        rates_.clear();
        return;
    }
    const bool begun = running->ctas_running + running->ctas_completed != 0;
    if (ctas_left_ != 0 || !begun) {
        before_ = now;
        return;
    }
    rates_.push_back(static_cast<double>(now - std::exchange(before_, now)) / window_cycles);
    if (rates_.size() > windows) rates_.pop_front();
    const std::uint64_t wave = std::uint64_t{running->context.ctas_per_sm} * device_.config().sms();
    if (rates_.size() < windows || running->ctas_completed < wave ||
        running->blocks_left < 2 * wave)
        return;
    const double mean = std::accumulate(rates_.begin(), rates_.end(), 0.0) / windows;
    double squares = 0;
    for (const double r : rates_) squares += (r - mean) * (r - mean);
    const double deviation = std::sqrt(squares / (windows - 1));
    if (mean == 0 || deviation > spread_ * mean) return;
    rate_ = mean;
    deviation_ = deviation;
    ctas_left_ = running->blocks_left;
    ctas.abandon();
}

rate_monitor::remainder rate_monitor::take(std::uint64_t launch) {
    remainder r;
    if (launch != launch_ || ctas_left_ == 0) return r;
    const std::uint64_t done = device_.commands().ctas().thread_instructions() - instructions_;
    r.ctas = std::exchange(ctas_left_, 0);
    r.instructions = static_cast<double>(done) * static_cast<double>(r.ctas) /
                     static_cast<double>(ctas_ - r.ctas);
    r.cycles = r.instructions / rate_;
    r.uncertain = r.cycles * deviation_ / rate_;
    return r;
}

}  // namespace simtlm::platform
