// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/input_links.h"
#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/interconnect/switch_arbiter.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/counter_table.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::interconnect {

/// A crossbar: one FIFO per input, one FIFO per output, and an arbiter. The simulation cost of a
/// cycle depends on the number of waiting and moving packets, not on the number of ports.
///
/// Buffer space is counted in one of two ways. With `whole_packets` every packet is one unit and
/// moves in the cycle of its grant, and an input may send several in one cycle (as in GPGPU-Sim).
/// Otherwise a packet has as many units as flits, and occupies its input and its output for that
/// many cycles; it is in the output buffer after the last of them.
///
/// With a speedup of N the switch arbitrates and moves flits N times per icnt cycle: an input sends
/// and an output receives up to N flits, as in a combined input and output queued switch.
class crossbar_switch {
public:
    /// Counters of the switch, in icnt cycles, packets or flits.
    struct counters {
        std::uint64_t busy_cycles = 0;  ///< cycles in which an input buffer held a packet at the
                                        ///< start
        std::uint64_t conflicts = 0;    ///< inputs in excess of one that requested the same output
        std::uint64_t granted = 0;      ///< packets granted
        std::uint64_t flit_hops = 0;    ///< flits of granted packets; each passes one switch
        std::uint64_t out_full = 0;     ///< full outputs (iSLIP), or inputs stalled by one (RR)
        std::uint64_t in_units = 0;     ///< units in input buffers, summed over cycles
        std::uint64_t out_units = 0;    ///< units in output buffers, summed over cycles
        std::uint64_t link_waits = 0;   ///< inputs that waited for their link, summed over cycles
    };

    /// @param in_limit, out_limit  capacity of a port's buffer, in units
    crossbar_switch(unsigned inputs, unsigned outputs, unsigned in_limit, unsigned out_limit,
                    bool whole_packets, std::unique_ptr<switch_arbiter> arbiter,
                    unsigned speedup = 1);
    /// Has packets pass links before they participate in the arbitration. Call before the first
    /// packet.
    void connect(std::unique_ptr<input_links> links) { links_ = std::move(links); }

    // Functions for the network.
    unsigned room(unsigned input) const { return in_limit_ - inputs_[input].units; }
    /// Adds a packet, which participates from the next advance() on.
    void push(unsigned input, const packet& p);
    // Between two calls of advance(), several host threads may read and remove heads, for different
    // outputs.
    tlm::tlm_generic_payload* head(unsigned output) const {
        const auto& queue = outputs_[output].queue;
        return queue.empty() ? nullptr : queue.front().payload;
    }
    /// @return its units, which stay allocated in the output until has_left()
    unsigned remove_head(unsigned output) { return outputs_[output].queue.pop().flits; }
    /// Frees the space of a packet that has been removed. @param units  as returned by
    /// remove_head()
    void has_left(unsigned output, unsigned units) {
        add_units(output, -static_cast<std::int32_t>(units));
    }
    /// Performs one icnt cycle. @param arrived  outputs that received a packet are added
    void advance(std::uint64_t cycle, port_set& arrived);
    /// Whether no packet is inside; heads removed but not yet reported by has_left() count as
    /// inside.
    bool idle() const { return in_units_ == 0 && out_sum_ == 0; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    const counters& counted() const { return counters_; }
    unsigned inputs() const { return static_cast<unsigned>(inputs_.size()); }
    unsigned outputs() const { return static_cast<unsigned>(outputs_.size()); }

    // Functions for the arbiter.
    /// Outputs requested by the head of an input.
    port_set& requested() { return requested_; }
    /// Inputs whose head requests an output.
    const port_set& requesters(unsigned output) const { return requesters_[output]; }
    /// Inputs whose head requests an output, for all outputs.
    const port_set& waiting() const { return waiting_; }
    unsigned waiting_inputs() const { return waiting_inputs_; }
    unsigned requested_outputs() const { return requested_outputs_; }
    unsigned full_outputs() const { return full_outputs_; }
    const packet& front(unsigned input) const { return inputs_[input].queue.front(); }
    /// Whether no packet is being transferred to the output, and this one fits.
    bool accepts(unsigned output, const packet& p) const {
        return !receiving_[output] && out_units_[output] + p.flits <= out_limit_;
    }
    bool full(unsigned output) const { return out_units_[output] >= out_limit_; }
    /// The packet at the head of an input starts to cross the switch.
    void grant(unsigned input);
    counters& count() { return counters_; }

private:
    struct input_port {
        growing_fifo<packet> queue;
        unsigned units = 0;
        unsigned transferred = 0;  // packets at its head that have passed the link
        bool reserved = false;     // its head requests an output or is being transferred
    };
    /// The packets of an output, in a cache line that is only accessed by the receiver's thread.
    struct alignas(64) output_port {
        growing_fifo<packet> queue;
    };
    struct crossing {
        unsigned input;
        std::uint64_t done;  // pass in which the last flit moves
    };

    void add_units(unsigned output, std::int32_t units);
    void enter(unsigned input);
    void request(unsigned input);
    void withdraw(unsigned input);
    void deliver(unsigned input);
    void pass();

    unsigned in_limit_;
    unsigned out_limit_;
    bool whole_packets_;
    std::unique_ptr<switch_arbiter> arbiter_;
    std::unique_ptr<input_links> links_;  // if inputs share links
    std::vector<input_port> inputs_;
    std::vector<output_port> outputs_;
    std::vector<bool> receiving_;           // by output: a packet is being transferred
    std::vector<std::uint32_t> out_units_;  // by output, including packets being transferred
    std::vector<port_set> requesters_;
    std::vector<unsigned> requests_;  // number of requesters_, by output
    port_set requested_;
    port_set waiting_;
    unsigned waiting_inputs_ = 0;
    unsigned requested_outputs_ = 0;
    unsigned full_ = 0;          // number of full outputs
    unsigned full_outputs_ = 0;  // the same, at the start of the cycle
    std::uint64_t in_units_ = 0;
    std::uint64_t out_sum_ = 0;  // of out_units_
    std::vector<crossing> crossings_;
    port_set* arrived_ = nullptr;
    unsigned speedup_;
    std::uint64_t pass_ = 0;  // icnt cycles x speedup
    counters counters_;
};

inline constexpr support::counter<crossbar_switch::counters> crossbar_counters[] = {
    support::count<&crossbar_switch::counters::busy_cycles>("busy_cycles", "icnt cycles",
                                                            "that began with a packet waiting"),
    support::count<&crossbar_switch::counters::conflicts>(
        "conflicts", "packets", "heads of inputs that wanted the same output as another one"),
    support::count<&crossbar_switch::counters::granted>("granted", "packets", "that crossed"),
    support::count<&crossbar_switch::counters::flit_hops>("flit_hops", "switches",
                                                          "passed, over all flits"),
    support::count<&crossbar_switch::counters::out_full>(
        "out_buffer_full", "occurrences",
        "full output buffers (iSLIP), heads kept waiting by one (round-robin)"),
    support::count<&crossbar_switch::counters::in_units>(
        "in_buffer_units", "units x cycles", "occupancy of input buffers, summed over cycles"),
    support::count<&crossbar_switch::counters::out_units>(
        "out_buffer_units", "units x cycles", "occupancy of output buffers, summed over cycles"),
    support::count<&crossbar_switch::counters::link_waits>(
        "link_waits", "inputs x cycles", "in which a packet waited for the link of its GPC"),
};
constexpr const auto& counters_of(const crossbar_switch::counters*) {
    return crossbar_counters;
}
static_assert(support::covers(crossbar_counters));

}  // namespace simtlm::interconnect
