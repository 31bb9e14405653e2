// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/allocator.h"
#include "modules/interconnect/flit.h"
#include "modules/interconnect/port_set.h"
#include "modules/interconnect/router_settings.h"
#include "modules/interconnect/topology.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::interconnect {

/// An input-queued virtual-channel router (Dally and Towles, chapter 16; booksim's iq_router):
/// routing, virtual-channel allocation, switch allocation, switch traversal. With routing_delay 0,
/// routes are known on arrival. The simulation cost depends on the number of occupied virtual
/// channels.
///
/// In an icnt cycle the router performs `steps` internal steps. A stage of delay d finishes in the
/// first step of the cycle d - 1 after the one in which it started, and accepts no new input
/// meanwhile. Thus at internal speedup 1 a flit with all delays 1 and lookahead routing leaves two
/// cycles after its arrival, at internal speedup 2 one cycle.
class vc_router {
public:
    vc_router(const router_settings& settings, const topology& map, unsigned id);

    /// Receives a flit, at most one per input and cycle.
    void receive(unsigned input, const flit& f) {
        arrived_.insert(input);
        arriving_[input] = f;
    }
    /// Receives credits of an output's virtual channels; they count after the credit delay.
    void receive_credits(unsigned output, std::uint64_t vcs, std::uint64_t now) {
        credits_in_.push({output, vcs, now + settings_.credit_delay});
    }
    /// Performs the internal steps of a cycle.
    void cycle(std::uint64_t now, unsigned steps) {
        while (steps-- != 0) step(now);
    }
    /// Sends one flit per output and one credit per input.
    void send(std::uint64_t now, channel_wheel& channels);
    /// Whether any flit or credit is inside.
    bool active() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    enum class state : std::uint8_t { idle, routing, vc_alloc, active };
    struct input_vc {
        growing_fifo<flit> buffer;
        state now = state::idle;
        route wanted;
        std::uint16_t output = 0;
        std::uint16_t output_vc = 0;
    };
    struct output_port {
        explicit output_port(const router_settings& s) : credits(s) {}
        credit_counter credits;
        growing_fifo<flit> buffer;
    };
    /// A virtual channel in a pipeline stage, and its grant.
    struct bid {
        std::uint16_t input;
        std::uint16_t vc;
        unsigned grant = allocator::none;
    };
    struct crossing {
        flit what;
        std::uint16_t output;
    };
    struct credit_message {
        unsigned output;
        std::uint64_t vcs;
        std::uint64_t due;
    };
    /// A pipeline stage: a batch that has started, and the entries that wait for it to finish.
    template <class T>
    struct stage {
        std::vector<T> waiting;
        std::vector<T> batch;
        std::uint64_t done = 0;

        bool start(std::uint64_t now, unsigned delay) {
            if (!batch.empty() || waiting.empty()) return false;
            batch.swap(waiting);
            done = now + delay - 1;
            return true;
        }
        bool due(std::uint64_t now) const { return !batch.empty() && now >= done; }
        bool empty() const { return batch.empty() && waiting.empty(); }
    };
    /// A connection through the switch that is held for a packet.
    struct hold {
        unsigned output = allocator::none;  // of an expanded input
        unsigned vc = allocator::none;
    };

    input_vc& at(unsigned input, unsigned vc) { return inputs_[input * vcs_ + vc]; }
    unsigned expanded_input(const bid& b) const {
        return b.input * settings_.input_speedup + b.vc % settings_.input_speedup;
    }
    unsigned expanded_output(const bid& b, unsigned output) const {
        return output * settings_.output_speedup + b.input % settings_.output_speedup;
    }
    bool output_blocked(unsigned output) const {
        return settings_.output_buffer >= 0 &&
               outputs_[output].buffer.size() >= static_cast<unsigned>(settings_.output_buffer);
    }

    void step(std::uint64_t now);
    void take_arrivals(std::uint64_t now);
    void begin_packet(unsigned input, unsigned vc);
    void find_route(unsigned input, unsigned vc);
    void finish_routing();
    void allocate_vcs();
    void recheck_vcs();
    void finish_vcs();
    void check_holds();
    void finish_holds();
    void allocate_switch();
    void recheck_switch();
    void finish_switch();
    void finish_crossing();
    void forward(const bid& b, unsigned expanded_output, bool held);
    void release_hold(unsigned expanded_input);

    const router_settings& settings_;
    const topology& map_;
    unsigned id_;
    unsigned vcs_;
    std::vector<input_vc> inputs_;  // [input][vc]
    std::vector<output_port> outputs_;
    std::unique_ptr<allocator> vc_allocator_;
    std::unique_ptr<allocator> switch_allocator_;
    std::vector<std::uint16_t> bidder_;      // [expanded input][expanded output]: vc that bids
    std::vector<std::uint16_t> first_vc_;    // by expanded input: vc that bids first
    std::vector<hold> holds_;                // by expanded input
    std::vector<std::uint8_t> output_held_;  // by expanded output

    port_set arrived_;
    std::vector<flit> arriving_;  // by input
    growing_fifo<credit_message> credits_in_;
    stage<bid> routing_;
    stage<bid> vc_stage_;
    stage<bid> hold_stage_;
    stage<bid> switch_stage_;
    stage<crossing> crossing_;
    port_set crediting_;                // inputs that freed buffer entries in this step
    std::vector<std::uint64_t> freed_;  // by input
    std::vector<growing_fifo<std::uint64_t>> credits_out_;  // by input
    port_set sending_;                                      // outputs with flits to send
    port_set sending_credits_;                              // inputs with credits to send
};

}  // namespace simtlm::interconnect
