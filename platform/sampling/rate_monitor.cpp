// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/rate_monitor.h"

#include "modules/simulation/spawn.h"
#include "platform/gpu/gpu_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace simtlm::platform {

rate_monitor::rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread)
    : sc_module(name),
      device_(device),
      spread_(spread),
      window_(window_cycles / device.config().clocks.core, sc_core::SC_SEC) {
    simulation::spawn_method(
        "sample", [this] { sample(); }, {}, simulation::first_run::at_start);
}

/// The mean rate in instructions per core cycle from a window to the last one, and the standard
/// deviation of the rates of equal periods of this time.
/// @param counts  instructions at the end of each window @param from  index of the first
rate_monitor::rate rate_monitor::rate_of_periods(const std::vector<std::uint64_t>& counts,
                                                 std::size_t from) {
    const std::size_t all = counts.size() - 1 - from, period = all / periods;
    std::array<double, periods> rates{};
    std::size_t end = counts.size() - 1;
    for (double& r : rates) {
        r = static_cast<double>(counts[end] - counts[end - period]) /
            (static_cast<double>(period) * window_cycles);
        end -= period;
    }
    rate r;
    r.mean = static_cast<double>(counts.back() - counts[from]) /
             (static_cast<double>(all) * window_cycles);
    const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / periods;
    double squares = 0;
    for (const double one : rates) squares += (one - mean) * (one - mean);
    r.deviation = std::sqrt(squares / (periods - 1));
    return r;
}

/// The last window after which a whole wave of thread blocks has ended.
/// @pre a wave had ended before
std::size_t rate_monitor::wave_begin(std::uint64_t wave) const {
    const auto after =
        std::upper_bound(completed_.begin(), completed_.end(), completed_.back() - wave);
    // Windows in which no thread block ended belong to the wave.
    return static_cast<std::size_t>(
        std::lower_bound(completed_.begin(), completed_.end(), *std::prev(after)) -
        completed_.begin());
}

bool rate_monitor::is_stable_within_ctas() const {
    const std::size_t n = issued_.size() - 1;
    return work_of_ && within_ctas_ && n >= min_windows && n % (min_windows / 4) == 0 &&
           rate_of_periods(issued_, issued_.size() / 2).is_stable(spread_);
}

std::uint64_t rate_monitor::warp_instructions() const {
    std::uint64_t sum = 0;
    for (const auto& c : device_.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) sum += c->core(i).counted().warp_instructions;
    return sum;
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
    sample(*running, ctas.thread_instructions());
}

/// @param now  thread instructions of all SMs
void rate_monitor::sample(const dispatch::running_kernel& kernel, std::uint64_t now) {
    if (kernel.context.launch != launch_) {
        launch_ = kernel.context.launch;
        instructions_ = now;
        ctas_ = kernel.descriptor.grid.volume();
        ctas_left_ = 0;
        executed_.assign(1, now);
        completed_.assign(1, 0);
        issued_.assign(1, warp_instructions());
        within_ctas_ = true;
        work_.reset();
        return;
    }
    if (ctas_left_ != 0 || work_) return;
    if (kernel.ctas_running + kernel.ctas_completed == 0) {
        executed_.front() = now;
        return;
    }
    executed_.push_back(now);
    completed_.push_back(kernel.ctas_completed);
    if (work_of_) issued_.push_back(warp_instructions());
    const std::uint64_t wave = std::uint64_t{kernel.context.ctas_per_sm} * device_.config().sms();
    if (executed_.size() <= periods || kernel.ctas_completed < 2 * wave ||
        kernel.blocks_left < 2 * wave) {
        if (is_stable_within_ctas()) try_within_ctas(kernel);
        return;
    }
    rate_ = rate_of_periods(executed_, std::min(wave_begin(wave), executed_.size() - periods - 1));
    if (!rate_.is_stable(spread_)) return;
    ctas_left_ = kernel.blocks_left;
    device_.commands().ctas().abandon();
}

/// Ends the kernel within its CTAs if it supports that.
void rate_monitor::try_within_ctas(const dispatch::running_kernel& kernel) {
    within_ctas_ = false;  // a later attempt would leave less
    work_ = work_of_(kernel.list_number, ctas_);
    if (!work_) return;
    rate_ = rate_of_periods(issued_, issued_.size() / 2);
    ctas_left_ = kernel.blocks_left;
    resident_ = kernel.ctas_running;
    ctas_per_sm_ = kernel.context.ctas_per_sm;
    const double elapsed = static_cast<double>(issued_.size() - 1) * window_cycles;
    if (rest_within_ctas().cycles < min_rest * elapsed || !kernel.source->end_early()) {
        ctas_left_ = 0;
        work_.reset();
        return;
    }
    stopped_at_ = device_.core_cycles();
    device_.commands().ctas().abandon();
}

rate_monitor::remainder rate_monitor::take(std::uint64_t launch) {
    remainder r;
    if (launch != launch_ || (ctas_left_ == 0 && !work_)) return r;
    const std::uint64_t done = device_.commands().ctas().thread_instructions() - instructions_;
    r.ctas = ctas_left_;
    if (work_) {
        const remainder within = rest_within_ctas();
        r.cycles = within.cycles;
        r.uncertain = within.uncertain;
        r.work = work_;
        r.ending_cycles = device_.core_cycles() - stopped_at_;
        const double issued = issued_.back() - issued_.front();
        r.instructions = issued > 0 ? static_cast<double>(done) * within.instructions / issued : 0;
    } else {
        r.instructions = static_cast<double>(done) * static_cast<double>(r.ctas) /
                         static_cast<double>(ctas_ - r.ctas);
        r.cycles = r.instructions / rate_.mean;
        r.uncertain = r.cycles * rate_.deviation / rate_.mean;
    }
    ctas_left_ = 0;
    work_.reset();
    return r;
}

/// The remainder in warp instructions: of the resident CTAs, then of waves of the others.
rate_monitor::remainder rate_monitor::rest_within_ctas() const {
    const auto done = static_cast<double>(issued_.back() - issued_.front());
    const auto left = static_cast<double>(ctas_left_), resident = static_cast<double>(resident_);
    const auto placed = static_cast<double>(ctas_ - ctas_left_);
    const double last_resident = left == 0 ? work_->longest : work_->mean;
    const double of_resident = std::max(0.0, last_resident * placed - done) / rate_.mean;
    const double wave = work_->mean * resident / rate_.mean;
    const double waves = std::floor(left / resident);
    const double others = left - waves * resident;
    const double per_sm = std::ceil(others / device_.config().sms());
    const double last_wave =
        wave * std::max(others / resident, per_sm / static_cast<double>(ctas_per_sm_));
    remainder r;
    r.cycles = of_resident + waves * wave + last_wave;
    r.instructions = std::max(0.0, work_->mean * static_cast<double>(ctas_) - done);
    const double of_rate = r.cycles * rate_.deviation / rate_.mean;
    const double of_work = left == 0 ? (work_->longest - work_->mean) * placed / rate_.mean / 2
                                     : (waves * wave + last_wave) * work_->deviation / work_->mean;
    const double of_last = others > 0 ? (wave - last_wave) / 2 : 0;
    r.uncertain = std::hypot(of_rate, of_work, of_last);
    return r;
}

}  // namespace simtlm::platform
