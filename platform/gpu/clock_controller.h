// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/clock_governor.h"
#include "platform/gpu/default_bindings.h"

namespace simtlm::platform {

/// Lowers the clocks of a GPU to keep its power within --power-limit. Core, network and L2 have one
/// voltage, so that their clocks change in proportion; the clock of DRAM is constant.
class clock_controller : private power::energy_meter::window_watcher {
public:
    /// All arguments must outlive this object. @pre config.power.limit, clocks.may_change_clocks()
    clock_controller(power::energy_meter& meter, const gpu_config& config, default_bindings& clocks,
                     const simulation::phase_sequencer& sequencer)
        : meter_(meter),
          config_(config.clocks),
          clocks_(clocks),
          sequencer_(sequencer),
          governor_(meter.table(), *config.power.limit) {
        meter.watch(*this);
    }
    ~clock_controller() override { meter_.unwatch(*this); }

private:
    void window_ended(const power::energy_meter::window& w) override {
        if (!governor_.add(w)) return;
        constexpr double mega = 1e6;
        const double hertz = governor_.hertz(), ratio = hertz / config_.core;
        change(protocol::core_clock, hertz);
        change(protocol::icnt_clock, config_.network * ratio);
        change(protocol::l2_clock, config_.l2 * ratio);
        meter_.change_clock(hertz, meter_.table().volts_at(hertz / mega));
    }

    void change(protocol::clock_domain domain, double hertz) {
        constexpr unsigned announced = 2;
        clocks_.set_frequency(domain, hertz, sequencer_.edges(domain) + announced);
    }

    power::energy_meter& meter_;
    const clock_config& config_;
    default_bindings& clocks_;
    const simulation::phase_sequencer& sequencer_;
    power::clock_governor governor_;
};

}  // namespace simtlm::platform
