// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/phase_sequencer.h"

#include <systemc>
#include <vector>

namespace simtlm::simulation {

/// Base class of blocks that act on clock edges: a module with a clock input, which is bound like
/// any SystemC port. The behaviour of the block is run by the processes of its clocked_process and
/// process_group members, which the phase sequencer triggers after a rising edge; no process is
/// sensitive to the port itself.
///
/// The clock domain of a block follows from the binding of its clock inputs: each must be bound to
/// the clock of one of the sequencer's domains, and every phase in which a process of the block
/// acts must belong to one of these domains. Violations are reported at end_of_elaboration. Plain
/// modules inside the block, such as the pipeline stages of an SM, use its clocks.
class clocked_module : public sc_core::sc_module {
public:
    /// If left unbound, it is bound to the clock of the enclosing block, or to that of the
    /// sequencer.
    sc_core::sc_in<bool> clk;

    /// Traces the signals of this block and of its descendants, under the names of
    /// docs/waveforms.md, in a SystemC trace file. Call before the simulation starts.
    void trace(sc_core::sc_trace_file* file) const override;

    /// @return the domains that drive the clock inputs, one bit each; valid after elaboration
    unsigned clock_domains() const;

protected:
    /// @param domain  the domain that drives `clk` if it is left unbound
    clocked_module(const sc_core::sc_module_name& name, phase_sequencer& sequencer,
                   unsigned domain = 0)
        : sc_module(name), clk("clk"), clocked_by_(sequencer) {
        add_clock(clk, domain);
    }
    /// Registers another clock input of a block between clock domains. Call in its constructor.
    void add_clock(sc_core::sc_in<bool>& input, unsigned domain) {
        inputs_.push_back({&input, domain});
    }
    /// Binds the inputs that were left unbound.
    void before_end_of_elaboration() override;

private:
    struct clock_input {
        sc_core::sc_in<bool>* port;
        unsigned domain;  // default, if the port is left unbound
    };
    /// @return the clock input for a domain of the nearest enclosing block of an object, or nullptr
    static sc_core::sc_in<bool>* input_around(const sc_core::sc_object& of, unsigned domain);

    phase_sequencer& clocked_by_;
    std::vector<clock_input> inputs_;
};

}  // namespace simtlm::simulation
