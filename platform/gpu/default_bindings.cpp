// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/default_bindings.h"

#include "modules/protocol/phases.h"

#include <algorithm>
#include <array>

namespace simtlm::platform {

void default_bindings::bind(sc_core::sc_vector<sc_core::sc_in<bool>>& clock,
                            simulation::phase_sequencer& sequencer, const gpu_config& config) {
    const std::array<simulation::rounded_clocks::member, protocol::clock_domains> domains = {
        {{"core_clock", config.clocks.core},
         {"icnt_clock", config.clocks.network},
         {"l2_clock", config.clocks.l2},
         {"dram_clock", config.clocks.dram}}};
    const bool all_made_here =
        std::all_of(clock.begin(), clock.end(), [](auto& c) { return c.bind_count() == 0; });
    if (all_made_here && config.clocks.quirk_rounded) {
        rounded_clocks_ = std::make_unique<simulation::rounded_clocks>(
            std::vector<simulation::rounded_clocks::member>(domains.begin(), domains.end()));
        for (unsigned d = 0; d < domains.size(); ++d) clock[d].bind((*rounded_clocks_)[d]);
    }
    for (unsigned d = 0; d < domains.size(); ++d) {
        if (clock[d].bind_count() != 0) continue;
        clocks_.push_back(
            std::make_unique<simulation::exact_clock>(domains[d].name, domains[d].frequency));
        clock[d].bind(*clocks_.back());
    }
    if (!all_made_here) return;
    std::vector<simulation::computed_clock*> made;
    for (unsigned d = 0; d < domains.size(); ++d)
        made.push_back(rounded_clocks_ ? &(*rounded_clocks_)[d] : clocks_[d].get());
    if (decouples_dram_ && !config.memory.channel)  // an external channel may sample its clock
        sequencer.decouple(protocol::dram_clock, *made[protocol::dram_clock]);
    if (gates_idle_clocks_) sequencer.gate(std::move(made), std::move(gate_limit_));
}

void default_bindings::bind(sc_core::sc_in<bool>& reset, sc_core::sc_out<bool>& irq) {
    const auto bind = [](auto& port, std::unique_ptr<sc_core::sc_signal<bool>>& to,
                         const char* name) {
        if (port.bind_count() != 0) return;
        to = std::make_unique<sc_core::sc_signal<bool>>(name);
        port.bind(*to);
    };
    bind(reset, reset_, "no_reset");
    bind(irq, irq_, "no_irq");
}

}  // namespace simtlm::platform
