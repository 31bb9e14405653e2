// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <systemc>
#include <vector>

namespace simtlm::kernel {

/// Base of the blocks that act on edges of a clock: a module with a clock input, which binds like
/// any port of SystemC. What the block does is run by the processes of its clocked_process and
/// process_group members, which the phase sequencer triggers after a rising edge; nothing is
/// sensitive to the port itself.
///
/// The clock domain of a block follows from what its clock inputs are bound to: each has to be
/// bound to the clock of one of the sequencer's domains, and the phases in which processes of the
/// block act have to be of these domains. Anything else is an error when elaboration ends. Blocks
/// inside it that are plain modules, as the pipeline stages of an SM, act on its clocks.
class clocked_module : public sc_core::sc_module {
public:
    /// Left unbound, it takes the clock of the block around it, or that of the sequencer.
    sc_core::sc_in<bool> clk;

    /// Traces the signals of this block and those below, by the names of docs/waveforms.md, in a
    /// trace file of SystemC. Before the simulation starts.
    void trace(sc_core::sc_trace_file* file) const override;

    /// The domains that drive the clock inputs, a bit each. Once elaboration has ended.
    unsigned clock_domains() const;

protected:
    /// @param domain  of the clock that `clk` takes when it is left unbound
    clocked_module(const sc_core::sc_module_name& name, phase_sequencer& sequencer,
                   unsigned domain = 0)
        : sc_module(name), clk("clk"), clocked_by_(sequencer) {
        add_clock(clk, domain);
    }
    /// Another clock input of a block that stands between clock domains. In its constructor.
    void add_clock(sc_core::sc_in<bool>& input, unsigned domain) {
        inputs_.push_back({&input, domain});
    }
    /// Binds the inputs that are left unbound.
    void before_end_of_elaboration() override;

private:
    struct clock_input {
        sc_core::sc_in<bool>* port;
        unsigned domain;  // unless it is bound to another one
    };
    /// The input of the nearest block around an object that is meant for a domain, or nullptr.
    static sc_core::sc_in<bool>* input_around(const sc_core::sc_object& of, unsigned domain);

    phase_sequencer& clocked_by_;
    std::vector<clock_input> inputs_;
};

}  // namespace simtlm::kernel
