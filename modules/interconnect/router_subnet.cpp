// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/router_subnet.h"

#include <algorithm>
#include <cmath>

namespace simtlm::interconnect {

void latency_record::add(const latency_record& o) {
    samples += o.samples;
    sum += o.sum;
    least = std::min(least, o.least);
    most = std::max(most, o.most);
    for (std::size_t i = 0; i < histogram.size(); ++i) histogram[i] += o.histogram[i];
}

router_subnet::router_subnet(const router_settings& settings, const topology& map)
    : settings_(settings),
      map_(map),
      nodes_(map.nodes(), node(settings)),
      active_routers_(map.routers()),
      injecting_(map.nodes()),
      ejecting_(map.nodes()) {
    routers_.reserve(map.routers());
    for (unsigned r = 0; r < map.routers(); ++r) routers_.emplace_back(settings, map, r);
}

router_subnet::~router_subnet() = default;
router_subnet::router_subnet(router_subnet&&) noexcept = default;

traveller* router_subnet::make_traveller() {
    if (free_.empty()) {
        constexpr std::size_t slab = 256;
        slabs_.push_back(std::make_unique<traveller[]>(slab));
        for (std::size_t i = slab; i-- > 0;) free_.push_back(&slabs_.back()[i]);
    }
    traveller* t = free_.back();
    free_.pop_back();
    return t;
}

void router_subnet::push(unsigned n, unsigned destination, const packet& p, vc_range vcs,
                         std::uint64_t created) {
    traveller& t = *make_traveller();
    t = traveller();
    t.payload = p.payload;
    t.destination = destination;
    t.flits = p.flits;
    t.vcs = vcs;
    t.tie = (nodes_[n].pushed++ & 1) != 0;
    t.created = created;
    nodes_[n].queue.push(&t);
    nodes_[n].queued += p.flits;
    flits_inside_ += p.flits;
    injecting_.insert(n);
}

tlm::tlm_generic_payload* router_subnet::head(unsigned n) {
    node& at = nodes_[n];
    if (at.chosen == ~0u) {
        unsigned vc = at.next_vc;
        for (unsigned i = 0; i < settings_.vcs && at.chosen == ~0u; ++i) {
            if (!at.boundaries[vc].complete.empty()) at.chosen = vc;
            if (++vc == settings_.vcs) vc = 0;
        }
        if (at.chosen == ~0u) return nullptr;
    }
    return at.boundaries[at.chosen].complete.front().payload;
}

unsigned router_subnet::remove_head(unsigned n) {
    node& at = nodes_[n];
    boundary& b = at.boundaries[at.chosen];
    const unsigned flits = b.complete.pop().flits;
    b.flits -= flits;
    at.next_vc = (at.chosen + 1) % settings_.vcs;
    at.chosen = ~0u;
    return flits;
}

bool router_subnet::idle() const {
    // A full boundary buffer keeps flits in the ejection buffers, which counts as busy.
    return flits_inside_ == 0 && channels_.empty() && active_routers_.empty();
}

void router_subnet::cycle(std::uint64_t now, port_set& arrived) {
    receive(now);
    ejecting_.for_each([&](unsigned n) { eject(n, now, arrived); });
    injecting_.for_each([&](unsigned n) { inject(n, now); });
    const double speedup = settings_.internal_speedup;
    const auto steps = static_cast<unsigned>(std::floor(static_cast<double>(now + 1) * speedup) -
                                             std::floor(static_cast<double>(now) * speedup));
    active_routers_.for_each([&](unsigned r) {
        routers_[r].cycle(now, steps);
        routers_[r].send(now, channels_);
        if (!routers_[r].active()) active_routers_.erase(r);
    });
}

void router_subnet::receive(std::uint64_t now) {
    channel_wheel::bucket& arrivals = channels_.arrivals(now);
    for (const auto& a : arrivals.flits) {
        if (a.to.router == endpoint::node) {
            node& at = nodes_[a.to.port];
            at.ejection[a.what.vc].push(a.what);
            ++at.ejecting;
            ejecting_.insert(a.to.port);
        } else {
            routers_[a.to.router].receive(a.to.port, a.what);
            active_routers_.insert(a.to.router);
        }
    }
    for (const auto& a : arrivals.credits) {
        if (a.to.router == endpoint::node) {
            nodes_[a.to.port].credits.receive(a.vcs);
        } else {
            routers_[a.to.router].receive_credits(a.to.port, a.vcs, now);
            active_routers_.insert(a.to.router);
        }
    }
    channels_.clear(now);
}

void router_subnet::eject(unsigned n, std::uint64_t now, port_set& arrived) {
    node& at = nodes_[n];
    for (unsigned vc = 0; vc < settings_.vcs && at.ejecting != 0; ++vc) {
        boundary& b = at.boundaries[vc];
        if (at.ejection[vc].empty() || b.flits >= settings_.boundary_buffer) continue;
        const flit f = at.ejection[vc].pop();
        --at.ejecting;
        ++b.flits;
        ++b.partial;
        if (f.tail) {
            b.complete.push({f.packet->payload, b.partial});
            b.partial = 0;
            arrived.insert(n);
        }
        at.ejected.push(f);
    }
    if (!at.ejected.empty()) {
        const flit f = at.ejected.pop();
        ++at.counters.accepted_flits;
        at.counters.accepted_packets += f.tail ? 1u : 0u;
        channels_.send_credit(now, map_.ejection(n), std::uint64_t{1} << f.vc);
        retire(f, now);
    }
    if (at.ejecting == 0 && at.ejected.empty()) ejecting_.erase(n);
}

void router_subnet::retire(const flit& f, std::uint64_t now) {
    traveller& t = *f.packet;
    --flits_inside_;
    records_.flit.add(now - f.injected);
    if (f.head) t.head_taken = now;
    if (!f.tail) return;
    records_.packet.add(now - t.created);
    records_.network.add(now - t.injected);
    records_.fragmentation.add(now - t.head_taken - (t.flits - 1u));
    records_.hops += t.hops;
    records_.flit_hops += std::uint64_t{t.hops} * t.flits;
    free_.push_back(&t);
}

void router_subnet::inject(unsigned n, std::uint64_t now) {
    node& at = nodes_[n];
    traveller& t = *at.queue.front();
    if (at.sent == 0) {
        // Selects the first free virtual channel after the one that was used last.
        const vc_range range = t.vcs;
        const unsigned count = range.last - range.first + 1u;
        const bool last_in_range = at.last_vc >= range.first && at.last_vc <= range.last;
        bool found = false;
        for (unsigned i = 1; i <= count && !found; ++i) {
            at.vc =
                last_in_range ? range.first + (at.last_vc - range.first + i) % count : range.first;
            found = at.credits.available(at.vc) && !at.credits.full(at.vc);
        }
        if (!found) return;
        at.credits.take(at.vc);
        at.last_vc = at.vc;
        t.injected = now;
        ++at.counters.sent_packets;
    } else if (at.credits.full(at.vc)) {
        return;
    }
    flit f;
    f.packet = &t;
    f.injected = now;
    f.vc = static_cast<std::uint16_t>(at.vc);
    f.head = at.sent == 0;
    f.tail = ++at.sent == t.flits;
    at.credits.send(at.vc, f.tail);
    ++at.counters.sent_flits;
    --at.queued;
    channels_.send(now, map_.injection(n), f);
    if (!f.tail) return;
    at.sent = 0;
    at.queue.pop();
    if (at.queue.empty()) injecting_.erase(n);
}

void router_subnet::restart_records() {
    const std::uint64_t flit_hops = records_.flit_hops;
    records_ = records();
    records_.flit_hops = flit_hops;
    for (node& n : nodes_) n.counters = node_counters();
}

}  // namespace simtlm::interconnect
