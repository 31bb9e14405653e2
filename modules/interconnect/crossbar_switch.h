// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/interconnect/switch_arbiter.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/counter_table.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::interconnect {

/// One crossbar: a FIFO per input, a FIFO per output, and an arbiter between them. Work per cycle
/// follows the number of packets that wait and move, not the number of ports.
///
/// Two ways to count space: with `whole_packets` every packet is one unit and moves in the cycle of
/// its grant, and an input may send several in one cycle (the reference). Without, a packet is as
/// many units as it has flits, and holds its input and its output for as many cycles; it stands in
/// the output buffer after the last of them.
///
/// With a speedup of N the switch arbitrates and moves flits N times in an icnt cycle: an input
/// sends and an output receives up to N flits, as in a combined input and output queued switch.
class crossbar_switch {
public:
    struct counters {
        std::uint64_t busy_cycles = 0;  ///< cycles that began with a packet in an input buffer
        std::uint64_t conflicts = 0;    ///< inputs that wanted an output that another one wanted
        std::uint64_t granted = 0;      ///< packets granted
        std::uint64_t flit_hops = 0;    ///< their flits, each of which passes one switch
        std::uint64_t out_full = 0;     ///< full outputs (iSLIP), inputs kept waiting by one (RR)
        std::uint64_t in_units = 0;     ///< units in input buffers, summed over cycles
        std::uint64_t out_units = 0;    ///< units in output buffers, summed over cycles
    };

    /// @param in_limit, out_limit  units, per port
    crossbar_switch(unsigned inputs, unsigned outputs, unsigned in_limit, unsigned out_limit,
                    bool whole_packets, std::unique_ptr<switch_arbiter> arbiter,
                    unsigned speedup = 1);

    // The network's side.
    unsigned room(unsigned input) const { return in_limit_ - inputs_[input].units; }
    /// It takes part from the next advance() on.
    void push(unsigned input, const packet& p);
    // Heads are taken on several threads of the host, for different outputs and while nothing else
    // happens.
    tlm::tlm_generic_payload* head(unsigned output) const {
        const auto& queue = outputs_[output].queue;
        return queue.empty() ? nullptr : queue.front().payload;
    }
    /// @return its units, which the output has until has_left()
    unsigned remove_head(unsigned output) { return outputs_[output].queue.pop().flits; }
    void has_left(unsigned output, unsigned units) {
        add_units(output, -static_cast<std::int32_t>(units));
    }
    /// One icnt cycle. @param arrived  outputs that received a packet are added
    void advance(std::uint64_t cycle, port_set& arrived);
    /// Nothing is inside; heads that have been removed and not left are.
    bool idle() const { return in_units_ == 0 && out_sum_ == 0; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(kernel::archive& a);
    const counters& counted() const { return counters_; }
    unsigned inputs() const { return static_cast<unsigned>(inputs_.size()); }
    unsigned outputs() const { return static_cast<unsigned>(outputs_.size()); }

    // The arbiter's side.
    /// Outputs that the head of an input wants.
    port_set& requested() { return requested_; }
    /// Inputs whose head wants an output.
    const port_set& requesters(unsigned output) const { return requesters_[output]; }
    /// Inputs with a head that wants an output.
    const port_set& waiting() const { return waiting_; }
    unsigned waiting_inputs() const { return waiting_inputs_; }
    unsigned requested_outputs() const { return requested_outputs_; }
    unsigned full_outputs() const { return full_outputs_; }
    const packet& front(unsigned input) const { return inputs_[input].queue.front(); }
    /// No packet is on its way into the output, and this one would fit.
    bool accepts(unsigned output, const packet& p) const {
        return !receiving_[output] && out_units_[output] + p.flits <= out_limit_;
    }
    bool full(unsigned output) const { return out_units_[output] >= out_limit_; }
    void grant(unsigned input);
    counters& count() { return counters_; }

private:
    struct input_port {
        growing_fifo<packet> queue;
        unsigned units = 0;
        bool engaged = false;  // its head wants an output, or is on its way there
    };
    /// By output: its packets, in a cache line that only the receiving thread touches.
    struct alignas(64) output_port {
        growing_fifo<packet> queue;
    };
    struct crossing {
        unsigned input;
        std::uint64_t done;  // the pass in which the last flit moves
    };

    void add_units(unsigned output, std::int32_t units);
    void request(unsigned input);
    void withdraw(unsigned input);
    void deliver(unsigned input);
    void pass();

    unsigned in_limit_;
    unsigned out_limit_;
    bool whole_packets_;
    std::unique_ptr<switch_arbiter> arbiter_;
    std::vector<input_port> inputs_;
    std::vector<output_port> outputs_;
    std::vector<bool> receiving_;           // by output: a packet is on its way there
    std::vector<std::uint32_t> out_units_;  // by output, those of crossing packets included
    std::vector<port_set> requesters_;
    std::vector<unsigned> requests_;  // inputs in requesters_, by output
    port_set requested_;
    port_set waiting_;
    unsigned waiting_inputs_ = 0;
    unsigned requested_outputs_ = 0;
    unsigned full_ = 0;          // outputs
    unsigned full_outputs_ = 0;  // of these, when the cycle began
    std::uint64_t in_units_ = 0;
    std::uint64_t out_sum_ = 0;  // of out_units_
    std::vector<crossing> crossings_;
    port_set* arrived_ = nullptr;
    unsigned speedup_;
    std::uint64_t pass_ = 0;  // icnt cycles times speedup
    counters counters_;
};

inline constexpr kernel::counter<crossbar_switch::counters> crossbar_counters[] = {
    kernel::count<&crossbar_switch::counters::busy_cycles>("busy_cycles", "icnt cycles",
                                                           "that began with a packet waiting"),
    kernel::count<&crossbar_switch::counters::conflicts>(
        "conflicts", "packets", "heads of inputs that wanted the same output as another one"),
    kernel::count<&crossbar_switch::counters::granted>("granted", "packets", "that crossed"),
    kernel::count<&crossbar_switch::counters::flit_hops>("flit_hops", "switches",
                                                         "passed, over all flits"),
    kernel::count<&crossbar_switch::counters::out_full>(
        "out_buffer_full", "occurrences",
        "full output buffers (iSLIP), heads kept waiting by one (round-robin)"),
    kernel::count<&crossbar_switch::counters::in_units>(
        "in_buffer_units", "units x cycles", "occupancy of input buffers, summed over cycles"),
    kernel::count<&crossbar_switch::counters::out_units>(
        "out_buffer_units", "units x cycles", "occupancy of output buffers, summed over cycles"),
};
constexpr const auto& counters_of(const crossbar_switch::counters*) {
    return crossbar_counters;
}
static_assert(kernel::covers(crossbar_counters));

}  // namespace simtlm::interconnect
