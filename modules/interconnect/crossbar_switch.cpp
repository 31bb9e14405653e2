// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar_switch.h"

#include <utility>

namespace simtlm::interconnect {

crossbar_switch::crossbar_switch(unsigned inputs, unsigned outputs, unsigned in_limit,
                                 unsigned out_limit, bool whole_packets,
                                 std::unique_ptr<switch_arbiter> arbiter, unsigned speedup)
    : in_limit_(in_limit),
      out_limit_(out_limit),
      whole_packets_(whole_packets),
      arbiter_(std::move(arbiter)),
      inputs_(inputs),
      outputs_(outputs),
      receiving_(outputs, false),
      out_units_(outputs, 0),
      requesters_(outputs, port_set(inputs)),
      requests_(outputs, 0),
      requested_(outputs),
      waiting_(inputs),
      speedup_(speedup) {}

void crossbar_switch::push(unsigned input, const packet& p) {
    input_port& in = inputs_[input];
    in.queue.push(p);
    in.units += p.flits;
    in_units_ += p.flits;
    if (links_)
        links_->push(input, p.link_flits);
    else
        enter(input);
}

/// A packet of an input may participate in the arbitration.
void crossbar_switch::enter(unsigned input) {
    input_port& in = inputs_[input];
    ++in.transferred;
    if (!in.reserved) request(input);
}

/// @param units  added to an output; negative: removed from it
void crossbar_switch::add_units(unsigned output, std::int32_t units) {
    if (full(output)) --full_;
    out_units_[output] += static_cast<std::uint32_t>(units);
    out_sum_ += static_cast<std::uint64_t>(std::int64_t{units});
    if (full(output)) ++full_;
}

void crossbar_switch::request(unsigned input) {
    const unsigned output = front(input).destination;
    inputs_[input].reserved = true;
    waiting_.insert(input);
    ++waiting_inputs_;
    requesters_[output].insert(input);
    if (requests_[output]++ == 0) {
        requested_.insert(output);
        ++requested_outputs_;
    }
}

void crossbar_switch::withdraw(unsigned input) {
    const unsigned output = front(input).destination;
    waiting_.erase(input);
    --waiting_inputs_;
    requesters_[output].erase(input);
    if (--requests_[output] == 0) {
        requested_.erase(output);
        --requested_outputs_;
    }
}

void crossbar_switch::grant(unsigned input) {
    ++counters_.granted;
    withdraw(input);
    const packet& p = front(input);
    counters_.flit_hops += p.flits;
    add_units(p.destination, p.flits);
    if (whole_packets_) {
        deliver(input);
    } else {
        receiving_[p.destination] = true;
        crossings_.push_back({input, pass_ + p.flits - 1});
    }
}

void crossbar_switch::deliver(unsigned input) {
    input_port& in = inputs_[input];
    const packet p = in.queue.pop();
    __builtin_prefetch(p.payload);  // accessed when it is presented, at the end of the cycle
    in.units -= p.flits;
    in_units_ -= p.flits;
    outputs_[p.destination].queue.push(p);
    arrived_->insert(p.destination);
    in.reserved = false;
    if (--in.transferred != 0) request(input);
}

void crossbar_switch::advance(std::uint64_t cycle, port_set& arrived) {
    arrived_ = &arrived;
    full_outputs_ = full_;
    if (in_units_ != 0) ++counters_.busy_cycles;
    if (links_) {
        links_->advance(cycle, [this](unsigned input) { enter(input); });
        counters_.link_waits += links_->waiting();
    }
    for (unsigned n = 0; n < speedup_; ++n) {
        pass_ = cycle * speedup_ + n;
        pass();
    }
    counters_.in_units += in_units_;
    counters_.out_units += out_sum_;
}

void crossbar_switch::pass() {
    arbiter_->arbitrate(*this, pass_);
    for (std::size_t i = 0; i < crossings_.size();) {
        if (crossings_[i].done != pass_) {
            ++i;
            continue;
        }
        const unsigned input = crossings_[i].input;
        receiving_[front(input).destination] = false;
        deliver(input);
        crossings_[i] = crossings_.back();
        crossings_.pop_back();
    }
}

}  // namespace simtlm::interconnect
