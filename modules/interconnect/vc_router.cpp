// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/vc_router.h"

namespace simtlm::interconnect {

vc_router::vc_router(const router_settings& settings, const topology& map, unsigned id)
    : settings_(settings),
      map_(map),
      id_(id),
      vcs_(settings.vcs),
      inputs_(std::size_t{map.ports()} * settings.vcs),
      outputs_(map.ports(), output_port(settings)),
      vc_allocator_(make_allocator(settings.vc_allocator, map.ports() * vcs_, map.ports() * vcs_)),
      arrived_(map.ports()),
      arriving_(map.ports()),
      crediting_(map.ports()),
      freed_(map.ports(), 0),
      credits_out_(map.ports()),
      sending_(map.ports()),
      sending_credits_(map.ports()) {
    const unsigned ins = map.ports() * settings.input_speedup;
    const unsigned outs = map.ports() * settings.output_speedup;
    switch_allocator_ = make_allocator(settings.sw_allocator, ins, outs);
    bidder_.assign(std::size_t{ins} * outs, 0);
    holds_.resize(ins);
    output_held_.assign(outs, 0);
    for (unsigned i = 0; i < ins; ++i)
        first_vc_.push_back(static_cast<std::uint16_t>(i % settings.input_speedup));
}

bool vc_router::active() const {
    return !(vc_stage_.empty() && switch_stage_.empty() && crossing_.empty() && routing_.empty() &&
             hold_stage_.empty() && credits_in_.empty() && sending_.empty() &&
             sending_credits_.empty() && arrived_.empty());
}

void vc_router::step(std::uint64_t now) {
    take_arrivals(now);
    // All stages first start on the results of the previous step, and then all of them act.
    routing_.start(now, settings_.routing_delay);
    if (vc_stage_.start(now, settings_.vc_alloc_delay)) allocate_vcs();
    if (settings_.vc_alloc_delay > 1 && vc_stage_.due(now)) recheck_vcs();
    if (hold_stage_.start(now, 1)) check_holds();
    if (switch_stage_.start(now, settings_.sw_alloc_delay)) allocate_switch();
    if (settings_.sw_alloc_delay > 1 && switch_stage_.due(now)) recheck_switch();
    crossing_.start(now, settings_.crossbar_delay);

    if (routing_.due(now)) finish_routing();
    if (vc_stage_.due(now)) finish_vcs();
    if (hold_stage_.due(now)) finish_holds();
    if (switch_stage_.due(now)) finish_switch();
    if (crossing_.due(now)) finish_crossing();
    crediting_.for_each([this](unsigned input) {
        crediting_.erase(input);
        credits_out_[input].push(std::exchange(freed_[input], 0));
        sending_credits_.insert(input);
    });
}

void vc_router::take_arrivals(std::uint64_t now) {
    arrived_.for_each([this](unsigned input) {
        arrived_.erase(input);
        const flit& f = arriving_[input];
        input_vc& channel = at(input, f.vc);
        channel.buffer.push(f);
        const bid b{static_cast<std::uint16_t>(input), f.vc};
        if (channel.now == state::idle)
            begin_packet(input, f.vc);
        else if (channel.now == state::active && channel.buffer.size() == 1)
            (holds_[expanded_input(b)].vc == f.vc ? hold_stage_ : switch_stage_)
                .waiting.push_back(b);
    });
    while (!credits_in_.empty() && credits_in_.front().due <= now) {
        const credit_message m = credits_in_.pop();
        outputs_[m.output].credits.receive(m.vcs);
    }
}

/// The head of a packet has reached the front of its virtual channel.
void vc_router::begin_packet(unsigned input, unsigned vc) {
    const bid b{static_cast<std::uint16_t>(input), static_cast<std::uint16_t>(vc)};
    if (settings_.routing_delay != 0) {
        at(input, vc).now = state::routing;
        routing_.waiting.push_back(b);
    } else {
        find_route(input, vc);
        vc_stage_.waiting.push_back(b);
    }
}

void vc_router::find_route(unsigned input, unsigned vc) {
    input_vc& channel = at(input, vc);
    traveller& p = *channel.buffer.front().packet;
    channel.wanted = map_.next(id_, input, p.destination, p.vcs, p.ring_class, p.tie);
    channel.now = state::vc_alloc;
}

void vc_router::finish_routing() {
    for (const bid& b : routing_.batch) {
        find_route(b.input, b.vc);
        vc_stage_.waiting.push_back(b);
    }
    routing_.batch.clear();
}

void vc_router::allocate_vcs() {
    for (const bid& b : vc_stage_.batch) {
        const route& wanted = at(b.input, b.vc).wanted;
        const credit_counter& credits = outputs_[wanted.output].credits;
        std::uint64_t free = credits.available() & wanted.vcs.mask();
        for (; free != 0; free &= free - 1) {
            const auto vc = static_cast<unsigned>(__builtin_ctzll(free));
            if (settings_.vc_busy_when_full && credits.full(vc)) continue;
            vc_allocator_->request(b.input * vcs_ + b.vc, wanted.output * vcs_ + vc);
        }
    }
    vc_allocator_->allocate();
    for (bid& b : vc_stage_.batch) b.grant = vc_allocator_->granted(b.input * vcs_ + b.vc);
    vc_allocator_->clear();
}

/// Grants that took several cycles may have become invalid.
void vc_router::recheck_vcs() {
    for (bid& b : vc_stage_.batch) {
        if (b.grant == allocator::none) continue;
        const credit_counter& credits = outputs_[b.grant / vcs_].credits;
        const unsigned vc = b.grant % vcs_;
        if (!credits.available(vc) || (settings_.vc_busy_when_full && credits.full(vc)))
            b.grant = allocator::none;
    }
}

void vc_router::finish_vcs() {
    for (const bid& b : vc_stage_.batch) {
        const bid again{b.input, b.vc};
        if (b.grant == allocator::none) {
            vc_stage_.waiting.push_back(again);
            continue;
        }
        input_vc& channel = at(b.input, b.vc);
        channel.output = static_cast<std::uint16_t>(b.grant / vcs_);
        channel.output_vc = static_cast<std::uint16_t>(b.grant % vcs_);
        channel.now = state::active;
        outputs_[channel.output].credits.take(channel.output_vc);
        switch_stage_.waiting.push_back(again);
    }
    vc_stage_.batch.clear();
}

void vc_router::check_holds() {
    for (bid& b : hold_stage_.batch) {
        const input_vc& channel = at(b.input, b.vc);
        b.grant = outputs_[channel.output].credits.full(channel.output_vc)
                      ? allocator::none
                      : expanded_output(b, channel.output);
    }
}

void vc_router::finish_holds() {
    for (const bid& b : hold_stage_.batch) {
        if (b.grant != allocator::none && !output_blocked(at(b.input, b.vc).output)) {
            forward(b, b.grant, true);
        } else {
            release_hold(expanded_input(b));
            switch_stage_.waiting.push_back({b.input, b.vc});
        }
    }
    hold_stage_.batch.clear();
}

void vc_router::release_hold(unsigned expanded_input) {
    output_held_[holds_[expanded_input].output] = 0;
    holds_[expanded_input] = hold();
}

void vc_router::allocate_switch() {
    const unsigned outs = static_cast<unsigned>(output_held_.size());
    for (const bid& b : switch_stage_.batch) {
        const input_vc& channel = at(b.input, b.vc);
        if (outputs_[channel.output].credits.full(channel.output_vc) ||
            output_blocked(channel.output))
            continue;
        const unsigned in = expanded_input(b);
        const unsigned out = expanded_output(b, channel.output);
        if (holds_[in].output != allocator::none || output_held_[out] != 0) continue;
        std::uint16_t& bidder = bidder_[in * outs + out];
        if (switch_allocator_->requested(in, out)) {
            const unsigned first = first_vc_[in];
            if ((b.vc + vcs_ - first) % vcs_ < (bidder + vcs_ - first) % vcs_) bidder = b.vc;
        } else {
            switch_allocator_->request(in, out);
            bidder = b.vc;
        }
    }
    switch_allocator_->allocate();
    for (bid& b : switch_stage_.batch) {
        const unsigned in = expanded_input(b);
        const unsigned out = switch_allocator_->granted(in);
        b.grant = allocator::none;
        // Another virtual channel of this input may have been selected.
        if (out == allocator::none || bidder_[in * outs + out] != b.vc) continue;
        b.grant = out;
        first_vc_[in] = static_cast<std::uint16_t>((b.vc + settings_.input_speedup) % vcs_);
    }
    switch_allocator_->clear();
}

void vc_router::recheck_switch() {
    for (bid& b : switch_stage_.batch) {
        if (b.grant == allocator::none) continue;
        const input_vc& channel = at(b.input, b.vc);
        if (holds_[expanded_input(b)].output != allocator::none || output_held_[b.grant] != 0 ||
            outputs_[channel.output].credits.full(channel.output_vc))
            b.grant = allocator::none;
    }
}

void vc_router::finish_switch() {
    for (const bid& b : switch_stage_.batch) {
        if (b.grant == allocator::none)
            switch_stage_.waiting.push_back({b.input, b.vc});
        else
            forward(b, b.grant, false);
    }
    switch_stage_.batch.clear();
}

/// Moves the front flit of a virtual channel into the switch. @param held  through a held
/// connection
void vc_router::forward(const bid& b, unsigned expanded_output, bool held) {
    input_vc& channel = at(b.input, b.vc);
    flit f = channel.buffer.pop();
    if (f.tail) ++f.packet->hops;
    f.vc = channel.output_vc;
    outputs_[channel.output].credits.send(f.vc, f.tail);
    crossing_.waiting.push_back({f, channel.output});
    crediting_.insert(b.input);
    freed_[b.input] |= std::uint64_t{1} << b.vc;

    const unsigned in = expanded_input(b);
    const bool empty = channel.buffer.empty();
    if (held && (empty || f.tail)) release_hold(in);
    if (f.tail) {
        channel.now = state::idle;
        if (!empty) begin_packet(b.input, b.vc);
    } else if (!empty) {
        if (settings_.hold_switch_for_packet && !held) {
            holds_[in] = {expanded_output, b.vc};
            output_held_[expanded_output] = 1;
        }
        (settings_.hold_switch_for_packet ? hold_stage_ : switch_stage_)
            .waiting.push_back({b.input, b.vc});
    }
}

void vc_router::finish_crossing() {
    for (const crossing& c : crossing_.batch) {
        outputs_[c.output].buffer.push(c.what);
        sending_.insert(c.output);
    }
    crossing_.batch.clear();
}

void vc_router::send(std::uint64_t now, channel_wheel& channels) {
    sending_.for_each([&](unsigned output) {
        growing_fifo<flit>& buffer = outputs_[output].buffer;
        channels.send(now, map_.output(id_, output), buffer.pop());
        if (buffer.empty()) sending_.erase(output);
    });
    sending_credits_.for_each([&](unsigned input) {
        channels.send_credit(now, map_.upstream(id_, input), credits_out_[input].pop());
        if (credits_out_[input].empty()) sending_credits_.erase(input);
    });
}

}  // namespace simtlm::interconnect
