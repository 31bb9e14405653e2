// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/clock_domains.h"
#include "modules/simulation/exact_clock.h"
#include "modules/simulation/phase_sequencer.h"
#include "modules/simulation/rounded_clocks.h"
#include "platform/config/config.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Internal clocks and signals, bound to the ports of a GPU that the user has left unbound.
class default_bindings {
public:
    /// See gpu::gate_idle_clocks(), gpu::decouple_dram(). No effect with clocks of the user.
    void gate_idle_clocks(std::function<std::uint64_t()> limit) {
        gates_idle_clocks_ = true;
        gate_limit_ = std::move(limit);
    }
    void decouple_dram() { decouples_dram_ = true; }

    /// Binds the clock inputs. Call when elaboration ends.
    void bind(sc_core::sc_vector<sc_core::sc_in<bool>>& clock,
              simulation::phase_sequencer& sequencer, const gpu_config& config);
    void bind(sc_core::sc_in<bool>& reset, sc_core::sc_out<bool>& irq);

    /// Whether set_frequency() is possible: no clock has been bound by the user, and none is
    /// rounded (quirk rounded-clocks).
    bool may_change_clocks() const { return clocks_.size() == protocol::clock_domains; }
    /// Changes the frequency of a domain.
    /// @param from  number of the rising edge, from 0, with which the new period begins: the third
    ///              one from now, since SystemC knows two
    /// @pre may_change_clocks()
    void set_frequency(protocol::clock_domain domain, double hertz, std::uint64_t from) {
        clocks_[domain]->set_frequency(hertz, from);
    }

private:
    std::vector<std::unique_ptr<simulation::exact_clock>> clocks_;
    std::unique_ptr<simulation::rounded_clocks> rounded_clocks_;
    bool gates_idle_clocks_ = false;
    std::function<std::uint64_t()> gate_limit_;
    bool decouples_dram_ = false;
    std::unique_ptr<sc_core::sc_signal<bool>> reset_, irq_;
};

}  // namespace simtlm::platform
