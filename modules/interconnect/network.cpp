// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/network.h"

#include "modules/host_threads/worker_pool.h"
#include "modules/interconnect/crossbar.h"
#include "modules/interconnect/perfect_network.h"
#include "modules/interconnect/router_network.h"
#include "modules/protocol/describe.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::interconnect {

namespace {
constexpr const char* violation = "/simtlm/interconnect/protocol";

/// Adds the GPU's extension, with defaults, to a transaction of an external initiator.
protocol::memory_extension& extension_of(tlm::tlm_generic_payload& payload) {
    if (auto* e = protocol::find_extension(payload)) return *e;
    auto* e = new protocol::memory_extension;
    e->type = payload.is_write() ? protocol::access_type::global_write
                                 : protocol::access_type::global_read;
    e->data_bytes =
        static_cast<std::uint16_t>(std::min<unsigned>(payload.get_data_length(), 0xffffu));
    if (payload.has_mm())
        payload.set_auto_extension(e);
    else
        payload.set_extension(e);
    return *e;
}
}  // namespace

network::network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 const interconnect_config& config, unsigned flit_bytes, address_decoder decoder)
    : clocked_module(name, sequencer, protocol::icnt_clock),
      from_cluster("from_cluster", config.clusters),
      to_memory("to_memory", config.memories),
      sequencer_(sequencer),
      process_("transfer", sequencer, protocol::phase::network_transfer,
               simulation::on_edge<&network::on_edge>(this)),
      decoder_(std::move(decoder)),
      flit_bytes_(flit_bytes),
      ports_{config.clusters, config.memories},
      message_buffers_(sequencer.host_threads()) {
    for (unsigned c = 0; c < config.clusters; ++c) {
        const int port = static_cast<int>(c);
        from_cluster[c].register_nb_transport_fw(this, &network::on_cluster_forward, port);
        from_cluster[c].register_b_transport(this, &network::on_blocking, port);
        from_cluster[c].register_transport_dbg(this, &network::on_debug, port);
    }
    for (unsigned m = 0; m < config.memories; ++m)
        to_memory[m].register_nb_transport_bw(this, &network::on_memory_backward,
                                              static_cast<int>(m));
    for (const subnet s : {requests, replies}) {
        injectors_[s].resize(injection_ports(s));
        ejectors_[s].resize(ejection_ports(s));
        taken_[s].resize(injection_ports(s));
        withheld_[s] = port_set(injection_ports(s));
        fresh_[s] = port_set(ejection_ports(s));
        if (!sequencer.shares_phases()) continue;
        for (unsigned port = 0; port < ejection_ports(s); ++port) {
            const bool memory = s == requests;
            const unsigned a_part = memory ? config.memories_per_partition : 1;
            const simulation::scheduling_partition_scope receiver(
                sequencer, port / a_part, ejection_ports(s) / a_part,
                memory ? simulation::scheduling_partition_size::large
                       : simulation::scheduling_partition_size::small);
            presenters_[s].emplace_back(*this, s, port);
        }
    }
}

network::presenter::presenter(network& n, subnet s, unsigned p)
    : owner(n),
      half(s),
      port(p),
      process(fmt::format("present_{}{}", s == requests ? "request" : "reply", port).c_str(),
              n.sequencer_, protocol::phase::network_present,
              simulation::on_edge<&presenter::present>(this)) {}

void network::presenter::present() {
    process.sleep();
    if (const auto* p = owner.head(half, port)) protocol::prefetch(*p);
    owner.present(half, port);
}

network::~network() = default;

unsigned network::largest_packet() const {
    return units(protocol::control_bytes + 128);
}

unsigned network::memory_of(tlm::tlm_generic_payload& payload) {
    const auto* e = protocol::find_extension(payload);
    const unsigned m = e != nullptr && e->located     ? e->location.sub_partition
                       : e != nullptr && e->misrouted ? decoder_(e->location.partition_address)
                                                      : decoder_(payload.get_address());
    if (m >= to_memory.size()) SC_REPORT_ERROR(violation, "no such sub-partition");
    return m;
}

network::message_buffer::half& network::message_buffer_of(subnet s) {
    return message_buffers_[host_threads::worker_pool::this_thread()].of[s];
}

/// Whether the buffer of an injection port has room. The buffer is only read if the known lower
/// bound does not suffice: messages that have not been read yet are not in it.
bool network::has_space(subnet s, unsigned port, unsigned units) {
    injector& in = injectors_[s][port];
    if (in.room < units)
        in.room = room(s, port) - static_cast<unsigned>(in.units - taken_[s][port].units);
    return in.room >= units;
}

/// Sends a packet to the thread of the next transfer. @pre has_space()
void network::post(subnet s, unsigned port, const packet& p) {
    injector& in = injectors_[s][port];
    in.room -= p.flits;
    in.units += p.flits;
    message_buffer_of(s).entered.push_back({p, in.posted++});
}

void network::take(subnet s, const packet& p) {
    push(s, p.source, p);
    taken_[s][p.source].units += p.flits;
    ++taken_[s][p.source].packets;
}

bool network::inject(subnet s, unsigned port, const packet& p, bool end_withheld) {
    injector& in = injectors_[s][port];
    ++in.packets;
    process_.wake();
    const auto core_cycle = protocol::hop_times::stamp(sequencer_.cycle(protocol::core_clock));
    protocol::hop_times& when = protocol::extension(*p.payload).when;
    (s == requests ? when.injected : when.replied) = core_cycle;
    if (in.staged.payload == nullptr && has_space(s, port, p.flits)) {
        post(s, port, p);
    } else {
        if (in.staged.payload != nullptr)
            SC_REPORT_ERROR(violation, "a packet was sent while END_REQ or END_RESP was withheld");
        in.staged = p;
    }
    if (in.staged.payload == nullptr && has_space(s, port, 1)) return true;
    in.withheld = true;
    message_buffer_of(s).withheld.push_back(static_cast<std::uint16_t>(port));
    if (end_withheld) in.end_withheld = p.payload;
    return false;
}

bool network::inject_reply(unsigned memory, tlm::tlm_generic_payload& payload, bool end_withheld) {
    packet p;
    p.payload = &payload;
    p.source = static_cast<std::uint16_t>(memory);
    p.destination = protocol::extension(payload).cluster;
    p.flits = static_cast<std::uint16_t>(units(protocol::reply_bytes(payload)));
    p.writes = payload.is_write();
    return inject(replies, memory, p, end_withheld);
}

tlm::tlm_sync_enum network::on_cluster_forward(int port, tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time&) {
    const auto cluster = static_cast<unsigned>(port);
    if (phase == tlm::BEGIN_REQ) {
        if (injectors_[requests][cluster].withheld)
            SC_REPORT_ERROR(violation, "BEGIN_REQ while END_REQ was withheld");
        protocol::memory_extension& e = extension_of(payload);
        e.cluster = static_cast<std::uint16_t>(cluster);
        packet p;
        p.payload = &payload;
        p.source = e.cluster;
        p.destination = static_cast<std::uint16_t>(memory_of(payload));
        p.flits = static_cast<std::uint16_t>(units(protocol::request_bytes(payload)));
        p.link_flits = static_cast<std::uint8_t>(protocol::link_flits(payload));
        p.writes = payload.is_write();
        if (!inject(requests, cluster, p, true)) return tlm::TLM_ACCEPTED;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    if (phase == tlm::END_RESP) {
        if (protocol::is_posted(protocol::extension(payload).type)) {
            // The cluster has delayed END_RESP of a posted write: forward it.
            protocol::end_response(to_memory[memory_of(payload)], payload);
        } else {
            if (!ejectors_[replies][cluster].presented)
                SC_REPORT_ERROR(violation, "END_RESP without BEGIN_RESP");
            leave(replies, cluster);
            present(replies, cluster);
        }
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR(violation, "unexpected phase from a cluster");
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum network::on_memory_backward(int port, tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const auto memory = static_cast<unsigned>(port);
    const bool implied_end = phase == tlm::BEGIN_RESP && ejectors_[requests][memory].presented &&
                             head(requests, memory) == &payload;
    if (phase == tlm::END_REQ || implied_end) {
        if (!ejectors_[requests][memory].presented)
            SC_REPORT_ERROR(violation, "END_REQ without BEGIN_REQ");
        leave(requests, memory);
        present(requests, memory);
        if (!implied_end) return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        if (protocol::is_posted(protocol::extension(payload).type))
            return from_cluster[protocol::extension(payload).cluster]->nb_transport_bw(
                payload, phase, delay);
        if (injectors_[replies][memory].end_withheld != nullptr)
            SC_REPORT_ERROR(violation, "BEGIN_RESP while END_RESP was withheld");
        if (!inject_reply(memory, payload, true)) return tlm::TLM_ACCEPTED;
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }
    SC_REPORT_ERROR(violation, "unexpected phase from the memory side");
    return tlm::TLM_ACCEPTED;
}

void network::leave(subnet s, unsigned port) {
    ejectors_[s][port].presented = false;
    ++ejectors_[s][port].packets;
    const unsigned units = remove_head(s, port);
    message_buffer_of(s).left.push_back(
        {static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(units)});
}

void network::present(subnet s, unsigned port) {
    while (!ejectors_[s][port].presented) {
        // A memory that completed early has overfilled its reply port, which must drain first.
        if (s == requests && injectors_[replies][port].withheld &&
            injectors_[replies][port].end_withheld == nullptr)
            return;
        tlm::tlm_generic_payload* payload = head(s, port);
        if (payload == nullptr) return;
        ejectors_[s][port].presented = true;
        if (s == replies) {
            if (!protocol::begin_response(from_cluster[port], *payload)) return;
            leave(replies, port);
            continue;
        }
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum answer = to_memory[port]->nb_transport_fw(*payload, phase, delay);
        if (answer == tlm::TLM_ACCEPTED) return;
        leave(requests, port);
        const bool begins_response = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
        if (answer != tlm::TLM_COMPLETED && !begins_response) continue;
        if (protocol::is_posted(protocol::extension(*payload).type)) {
            protocol::begin_response(from_cluster[protocol::extension(*payload).cluster], *payload);
        } else if (inject_reply(port, *payload, begins_response) && begins_response) {
            protocol::end_response(to_memory[port], *payload);
        }
    }
}

void network::resume_injectors(subnet s) {
    withheld_[s].for_each([this, s](unsigned port) {
        injector& in = injectors_[s][port];
        if (in.staged.payload != nullptr && has_space(s, port, in.staged.flits)) {
            post(s, port, in.staged);
            in.staged.payload = nullptr;
        }
        if (in.staged.payload != nullptr || !has_space(s, port, 1)) return;
        withheld_[s].erase(port);
        in.withheld = false;
        if (s == replies) fresh_[requests].insert(port);
        if (in.end_withheld == nullptr) return;
        tlm::tlm_generic_payload& payload = *std::exchange(in.end_withheld, nullptr);
        if (s == requests)
            protocol::end_request(from_cluster[port], payload);
        else
            protocol::end_response(to_memory[port], payload);
    });
}

/// Processes the events at the ports of a half since its last transfer, those of one port in order
/// of time.
void network::take_messages(subnet s) {
    const auto wait = [this, s](const message_buffer::message& l) {
        return l.number - taken_[s][l.what.source].packets;
    };
    std::vector<message_buffer::message>& early = early_[s];
    for (message_buffer& by_thread : message_buffers_) {
        message_buffer::half& half = by_thread.of[s];
        for (const message_buffer::message& l : half.entered) {
            if (wait(l) == 0)
                take(s, l.what);
            else
                early.push_back(l);
        }
        for (const unsigned port : half.withheld) withheld_[s].insert(port);
        for (const message_buffer::departure& d : half.left) has_left(s, d.port, d.units);
        half.entered.clear();
        half.withheld.clear();
        half.left.clear();
    }
    if (early.empty()) return;
    std::sort(early.begin(), early.end(), [&](const auto& a, const auto& b) {
        return a.what.source != b.what.source ? a.what.source < b.what.source : wait(a) < wait(b);
    });
    for (const message_buffer::message& l : early) take(s, l.what);
    early.clear();
}

bool network::inputs_idle() const {
    return std::all_of(message_buffers_.begin(), message_buffers_.end(),
                       [](const message_buffer& m) {
                           return m.of[requests].entered.empty() && m.of[replies].entered.empty() &&
                                  m.of[requests].withheld.empty() && m.of[replies].withheld.empty();
                       });
}

std::uint64_t network::units_entered(subnet s) const {
    std::uint64_t units = 0;
    for (const message_buffer& m : message_buffers_)
        for (const message_buffer::message& l : m.of[s].entered) units += l.what.flits;
    return units;
}

void network::on_edge() {
    const auto move = [](void* self, unsigned half) {
        auto& n = *static_cast<network*>(self);
        n.take_messages(static_cast<subnet>(half));
        n.transfer(static_cast<subnet>(half));
    };
    sequencer_.do_in_parallel(subnets, move, this);
    // Withheld END phases come before new heads: a transaction's END_REQ precedes its arrival, and
    // its END_RESP precedes its use by the cluster.
    resume_injectors(requests);
    resume_injectors(replies);
    for (const subnet s : {requests, replies})
        fresh_[s].for_each([this, s](unsigned port) {
            fresh_[s].erase(port);
            if (presenters_[s].empty())
                present(s, port);
            else
                presenters_[s][port].process.wake();
        });
    if (inputs_idle() && withheld_[requests].empty() && withheld_[replies].empty() &&
        is_quiescent())
        process_.sleep();
}

void network::update_counters() {
    for (const subnet s : {requests, replies}) injected_[s] = packets_injected(s);
}

std::string network::half_name(subnet s) const {
    return std::string(name()) + (s == requests ? ".requests" : ".replies");
}

void network::list_statistics(support::statistics& list) const {
    list.add(name(), "network", cycles_counter, sequencer_.edges(protocol::icnt_clock));
    for (const subnet s : {requests, replies}) {
        list.add(half_name(s), half_kind, injected_counter, injected_[s]);
        list.add(half_name(s), half_kind, stall_counter, stalls_[s]);
    }
}

void network::on_blocking(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    to_memory[memory_of(payload)]->b_transport(payload, delay);
}

unsigned network::on_debug(int, tlm::tlm_generic_payload& payload) {
    return to_memory[decoder_(payload.get_address())]->transport_dbg(payload);
}

std::unique_ptr<network> make_network(const sc_core::sc_module_name& name,
                                      simulation::phase_sequencer& sequencer,
                                      const interconnect_config& config, address_decoder decoder) {
    if (config.clusters == 0 || config.memories == 0)
        throw support::user_error("-network_mode", "a network needs clusters and sub-partitions");
    switch (config.kind) {
        case network_kind::crossbar:
            return std::make_unique<crossbar>(name, sequencer, config, std::move(decoder));
        case network_kind::perfect:
            return std::make_unique<perfect_network>(name, sequencer, config, std::move(decoder));
        case network_kind::router:
            return std::make_unique<router_network>(name, sequencer, config, std::move(decoder));
    }
    throw support::user_error("-network_mode", "unknown network mode", "1, 2 or 3");
}

std::string network::describe() {
    std::string text;
    for (const subnet s : {requests, replies}) {
        const char* const from = s == requests ? "cluster" : "sub-partition";
        const char* const to = s == requests ? "sub-partition" : "cluster";
        if (packets_inside(s) != 0)
            text += fmt::format("  {}: {} {} inside\n", name(), packets_inside(s),
                                s == requests ? "requests" : "replies");
        for (unsigned port = 0; port < injection_ports(s); ++port) {
            const injector& i = injectors_[s][port];
            if (!i.withheld) continue;
            text += fmt::format("  {}: {} {} finds no room", name(), from, port);
            if (i.staged.payload != nullptr)
                text += " for " + protocol::describe(*i.staged.payload);
            text += '\n';
        }
        for (unsigned port = 0; port < ejection_ports(s); ++port)
            if (ejectors_[s][port].presented)
                text += fmt::format("  {}: {} {} does not take {}\n", name(), to, port,
                                    protocol::describe(*head(s, port)));
    }
    return text;
}

}  // namespace simtlm::interconnect
