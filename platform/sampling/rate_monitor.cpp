// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/rate_monitor.h"

#include "modules/simulation/spawn.h"
#include "platform/gpu/gpu_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace simtlm::platform {

namespace {

/// Windows before a kernel may be ended within its thread blocks, and between two attempts.
constexpr std::size_t min_windows = 32, windows_per_attempt = 8;

}  // namespace

rate_monitor::rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread,
                           end_resident end)
    : sc_module(name),
      device_(device),
      spread_(spread),
      end_(std::move(end)),
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
        scale_ = 1;
        rates_.clear();
        all_rates_.clear();
        return;
    }
    const bool begun = running->ctas_running + running->ctas_completed != 0;
    if (ctas_left_ != 0 || scale_ != 1 || !begun) {
        before_ = now;
        return;
    }
    rates_.push_back(static_cast<double>(now - std::exchange(before_, now)) / window_cycles);
    if (rates_.size() > windows) rates_.pop_front();
    if (end_ && running->blocks_left == 0 && running->ctas_completed == 0 &&
        running->cta_cluster_size == 1) {
        all_rates_.push_back(rates_.back());
        if (is_stable_within_blocks())
            if (const auto scale = end_(running->list_number)) scale_ = *scale;
        return;
    }
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

/// Whether the rate has become constant; sets it.
bool rate_monitor::is_stable_within_blocks() {
    const std::size_t count = all_rates_.size();
    if (count < min_windows || count % windows_per_attempt != 0) return false;
    const auto quarter = static_cast<std::ptrdiff_t>(count / 4);
    double means[3];
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
        const auto first = all_rates_.begin() + (i + 1) * quarter;
        means[i] = std::accumulate(first, first + quarter, 0.0) / static_cast<double>(quarter);
    }
    rate_ = (means[0] + means[1] + means[2]) / 3;
    deviation_ = 0;
    for (const double mean : means) deviation_ = std::max(deviation_, std::abs(mean - rate_));
    return rate_ != 0 && deviation_ <= spread_ * rate_;
}

rate_monitor::remainder rate_monitor::take(std::uint64_t launch) {
    remainder r;
    if (launch != launch_ || (ctas_left_ == 0 && scale_ == 1)) return r;
    const std::uint64_t done = device_.commands().ctas().thread_instructions() - instructions_;
    r.ctas = std::exchange(ctas_left_, 0);
    r.scale = r.ctas == 0 ? std::exchange(scale_, 1)
                          : static_cast<double>(ctas_) / static_cast<double>(ctas_ - r.ctas);
    r.instructions = static_cast<double>(done) * (r.scale - 1);
    r.cycles = r.instructions / rate_;
    r.uncertain = r.cycles * deviation_ / rate_;
    return r;
}

}  // namespace simtlm::platform
