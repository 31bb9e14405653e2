// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar.h"
#include "modules/interconnect/router_network.h"
#include "modules/support/archive.h"

namespace simtlm::interconnect {

bool network::begin_checkpoint(support::archive& a) {
    if (!a.block(name(), 2)) return false;
    for (const subnet s : {requests, replies}) {
        for (injector& i : injectors_[s]) a.history(i.packets, i.units, i.posted);
        for (ejector& e : ejectors_[s]) a.history(e.packets);
        for (taken& t : taken_[s]) a.history(t.units, t.packets);
    }
    a.history(injected_, stalls_);
    return true;
}

void network::checkpoint(support::archive& a) {
    begin_checkpoint(a);
}

void crossbar_switch::checkpoint(support::archive& a) {
    a(pass_, *arbiter_);
    if (links_) a(*links_);
}

void crossbar::checkpoint(support::archive& a) {
    if (!begin_checkpoint(a)) return;
    for (crossbar_switch& s : switches_) a(s);
}

void vc_router::checkpoint(support::archive& a) {
    a(*vc_allocator_, *switch_allocator_, first_vc_);
}

void router_subnet::checkpoint(support::archive& a) {
    for (vc_router& r : routers_) a(r);
    for (node& n : nodes_) {
        node_counters& c = n.counters;
        a(n.pushed, n.vc, n.last_vc, n.next_vc);
        a.history(c.sent_packets, c.sent_flits, c.accepted_packets, c.accepted_flits);
    }
}

void router_network::checkpoint(support::archive& a) {
    if (!begin_checkpoint(a)) return;
    a(halves_[requests], halves_[replies]);
    a.history(restarted_at_);
}

}  // namespace simtlm::interconnect
