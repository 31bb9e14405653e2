// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_cluster.h"

#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/host_threads/worker_pool.h"
#include "modules/protocol/phases.h"
#include "modules/support/archive.h"

#include <fmt/format.h>

#include <utility>

namespace simtlm::core {

using protocol::extension;

namespace {

/// Whether SMs check for room in the network before they send: with the quirk sms-in-order, even
/// for a single SM per cluster. A cache whose miss finds no room keeps it in its queue, and still
/// sends at most one request in the next cycle if several packets have left the input buffer at
/// once.
bool checks_capacity(const simt_cluster_config& c) {
    return c.in_order() ||
           (c.sm.quirks.sms_in_order && c.sms_per_cluster == 1 && !c.clusters_in_order);
}

/// Identifies the socket in respond().
enum response_source { from_network, from_gpc_cache };

/// Whether a request reads code or constants, which the cache of the GPC holds.
bool is_read_only(const tlm::tlm_generic_payload& p) {
    const protocol::access_type type = extension(p).type;
    return type == protocol::access_type::instruction_read ||
           type == protocol::access_type::constant_read;
}

}  // namespace

simt_cluster::simt_cluster(const sc_core::sc_module_name& name,
                           simulation::phase_sequencer& sequencer,
                           const simt_cluster_config& config, unsigned number,
                           protocol::transaction_pool& transactions)
    : clocked_module(name, sequencer),
      network("network"),
      sequencer_(sequencer),
      config_(config),
      in_order_(config.in_order()),
      first_position_(config.clusters_in_order ? number * config.sms_per_cluster : 0),
      from_sm_("from_sm", config.sms_per_cluster),
      // A perfect memory may get the next request while the SM takes the response that leaves.
      responses_(config.ejection_buffer_size + (config.sm.ldst.perfect_memory ? 1 : 0)),
      acknowledged_(sequencer.host_threads()),
      receive_process_("receive", sequencer, protocol::phase::core_receive,
                       simulation::on_edge<&simt_cluster::receive>(this)),
      inject_process_("inject", sequencer, protocol::phase::core_inject,
                      simulation::on_edge<&simt_cluster::inject>(this)) {
    if (sequencer.shares_phases())
        acknowledge_process_.emplace("acknowledge", sequencer, protocol::phase::core_acknowledge,
                                     simulation::on_edge<&simt_cluster::acknowledge>(this));
    network.register_nb_transport_bw(this, &simt_cluster::respond, from_network);
    if (config.gpc_cache.caches() != 0)
        gpc_cache.emplace("gpc_cache")
            .register_nb_transport_bw(this, &simt_cluster::respond, from_gpc_cache);
    for (unsigned i = 0; i < config.sms_per_cluster; ++i) {
        from_sm_[i].register_nb_transport_fw(this, &simt_cluster::request, static_cast<int>(i));
        outbox_.emplace_back(config.sms_per_cluster > 1 ? outbox_entries : 0);
        const unsigned all = config.clusters * config.sms_per_cluster;
        const sm_identity who{number * config.sms_per_cluster + i, number, all,
                              !in_order_                 ? 1
                              : config.clusters_in_order ? all
                                                         : config.sms_per_cluster};
        const std::string sm_name = fmt::format("sm{}", i);
        const multiprocessor_parts parts{sm_name.c_str(), sequencer, config.sm, who,
                                         transactions.of_block()};
        sms_.push_back(config.make ? config.make(parts)
                                   : std::make_unique<simt_pipeline::simt_sm>(parts));
        sms_.back()->clk(clk);
        sms_.back()->memory.bind(from_sm_[i]);
        sms_.back()->count_cycles_in(cycles_);
        if (checks_capacity(config)) sms_.back()->share_outside(*this);
    }
    if (in_order_) order_sms(0);
}

bool simt_cluster::busy() const {
    if (!responses_.empty() || offered()) return true;
    for (const auto& box : outbox_)
        if (!box.empty()) return true;
    return false;
}

namespace {

unsigned class_of(const protocol::memory_extension& e) {
    return e.is_atomic && e.type == protocol::access_type::global_read
               ? packet_breakdown::atomic
               : static_cast<unsigned>(e.type);
}

}  // namespace

void simt_cluster::count(const tlm::tlm_generic_payload& p) {
    const protocol::memory_extension& e = extension(p);
    ++traffic_.requests_by_type[static_cast<unsigned>(e.type)];
    ++(p.is_write() ? traffic_.write_requests : traffic_.read_requests);
    traffic_.sent.add(class_of(e), protocol::request_bytes(p));
}

/// @return whether the network would accept another request
bool simt_cluster::send(tlm::tlm_generic_payload& p) {
    if (order_ != nullptr) order_->enters(p.get_address());
    if (config_.sm.ldst.perfect_memory) return answer(p);
    count(p);
    if (gpc_cache && is_read_only(p)) {
        protocol::begin_request(*gpc_cache, p);  // has room for all requests of the L1 caches
        return true;
    }
    const tlm::tlm_sync_enum answer = protocol::begin_request(network, p);
    if (answer == tlm::TLM_COMPLETED) deliver(p);
    if (answer == tlm::TLM_ACCEPTED) blocked_ = true;
    return answer != tlm::TLM_ACCEPTED;
}

/// Perfect memory: turns a request into its response.
/// @return whether another request can be answered
bool simt_cluster::answer(tlm::tlm_generic_payload& p) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    responses_.push(&p);
    receive_process_.wake();
    blocked_ = responses_.size() >= config_.ejection_buffer_size;
    return !blocked_;
}

/// A response has left the FIFO: there may be room for another request to a perfect memory.
void simt_cluster::response_left() {
    if (config_.sm.ldst.perfect_memory && blocked_ &&
        responses_.size() < config_.ejection_buffer_size)
        unblocked();
}

tlm::tlm_sync_enum simt_cluster::request(int sm, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                         sc_core::sc_time&) {
    const auto s = static_cast<unsigned>(sm);
    if (phase == tlm::END_RESP) {  // the SM has accepted the head
        from_sm_[s].response_ended();
        responses_.pop();
        next_hand_ = receive_process_.now() + 2;
        response_left();
        if (offered())
            receive_process_.wake();  // an entry is free now
        else if (!responses_.empty())
            receive_process_.wake_at(next_hand_);
        return tlm::TLM_COMPLETED;
    }
    bool room = true;
    if (in_order_) {
        send(p);
    } else if (order_ != nullptr) {
        outbox_[s].push(&p);
        room = false;
        order_->request_service();
    } else if (sms_.size() == 1) {
        room = send(p) || checks_capacity(config_);
    } else {
        outbox_[s].push(&p);
        inject_process_.wake();
        room = !outbox_[s].full() && !blocked_;
    }
    return from_sm_[s].accept_request(p, phase, room);
}

void simt_cluster::inject() {
    if (in_order_) {
        order_sms(inject_process_.now() + 1);
        if (config_.sim_order != 1 || !cycles_.active()) inject_process_.sleep();
        return;
    }
    inject_process_.sleep();  // unless an SM sends another request when its last one ends
    const auto n = static_cast<unsigned>(sms_.size());
    if (n > 1) {
        const unsigned first = first_sm(inject_process_.now());
        for (unsigned k = 0; k < n && !blocked_; ++k) {
            auto& box = outbox_[(first + k) % n];
            while (!box.empty() && !blocked_) send(*box.pop());
        }
        if (!blocked_)
            for (unsigned s = 0; s < n; ++s) from_sm_[s].end_request();
    }
}

/// Before a core cycle: orders the SMs, which act one after the other in it.
void simt_cluster::order_sms(std::uint64_t cycle) {
    const auto n = static_cast<unsigned>(sms_.size());
    const unsigned first = first_sm(cycle);
    for (unsigned k = 0; k < n; ++k) sms_[(first + k) % n]->set_position(first_position_ + k);
}

void simt_cluster::set_request_order(protocol::request_order& order) {
    order_ = &order;
    for (const auto& sm : sms_) sm->set_request_order(order);
}

void simt_cluster::inject_from(unsigned s) {
    while (!blocked_) {
        if (!outbox_[s].empty())
            send(*outbox_[s].pop());
        else if (from_sm_[s].withheld() != nullptr)
            from_sm_[s].end_request();  // the SM may send its next request immediately
        else
            return;
    }
}

/// There is room for another request.
void simt_cluster::unblocked() {
    blocked_ = false;
    if (checks_capacity(config_)) return;
    if (order_ != nullptr) {
        for (unsigned s = 0; s < sms_.size(); ++s)
            if (outbox_[s].empty()) from_sm_[s].end_request();
        order_->request_service();
    } else if (sms_.size() == 1) {
        from_sm_[0].end_request();
    } else {
        inject_process_.wake();
    }
}

tlm::tlm_sync_enum simt_cluster::respond(int from, tlm::tlm_generic_payload& p,
                                         tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
        unblocked();
        return tlm::TLM_ACCEPTED;
    }
    if (protocol::is_posted(extension(p).type)) {
        if (sequencer_.parallel()) {
            acknowledged_[host_threads::worker_pool::this_thread()].of.push_back(&p);
            acknowledge_process_->wake();
        } else {
            deliver(p);
        }
        return tlm::TLM_COMPLETED;
    }
    (from == from_network ? offered_ : offered_by_gpc_) = &p;
    protocol::prefetch(p);
    if (!responses_.full()) receive_process_.wake();
    return tlm::TLM_ACCEPTED;
}

/// The acknowledgement of a posted write, which the SM accepts at once.
void simt_cluster::deliver(tlm::tlm_generic_payload& p) {
    protocol::begin_response(from_sm_[local(p)], p);
}

/// Delivers acknowledgements collected by host threads; their order does not matter.
void simt_cluster::acknowledge() {
    acknowledge_process_->sleep();
    for (acknowledgements& by_thread : acknowledged_) {
        for (const tlm::tlm_generic_payload* p : by_thread.of) protocol::prefetch(*p);
        for (tlm::tlm_generic_payload* p : by_thread.of) deliver(*p);
        by_thread.of.clear();
    }
}

void simt_cluster::receive() {
    const std::uint64_t now = receive_process_.now();
    bool idle = true;
    for (unsigned n = 0; n < config_.responses_per_cycle; ++n) idle &= !receive_one(now);
    if (idle) receive_process_.note_idle();
    if (offered() && !responses_.full()) return;
    if (responses_.empty() || head_offered())
        receive_process_.sleep();
    else
        receive_process_.sleep_until(next_hand_);
}

/// @return whether a response has moved
bool simt_cluster::receive_one(std::uint64_t now) {
    bool moved = false;
    if (!responses_.empty() && now >= next_hand_ && !head_offered()) {
        tlm::tlm_generic_payload& p = *responses_.front();
        observe(p, now);
        if (from_sm_[local(p)].respond(p)) {
            responses_.pop();
            response_left();
            moved = true;
        }
    }
    if (offered_ != nullptr) moved |= take(network, offered_, now);
    if (offered_by_gpc_ != nullptr) moved |= take(*gpc_cache, offered_by_gpc_, now);
    return moved;
}

/// Accepts a response that has been offered. @return whether there was room
bool simt_cluster::take(protocol::initiator_socket<simt_cluster>& from,
                        tlm::tlm_generic_payload*& offered, std::uint64_t now) {
    if (responses_.full()) return false;
    tlm::tlm_generic_payload& p = *std::exchange(offered, nullptr);
    extension(p).when.received = protocol::hop_times::stamp(now);
    traffic_.received.add(class_of(extension(p)), protocol::reply_bytes(p));
    responses_.push(&p);
    protocol::end_response(from, p);  // may offer the next response
    return true;
}

/// Reports a response that is delivered to an SM to the observers, unless the cache of the GPC had
/// the data.
void simt_cluster::observe(const tlm::tlm_generic_payload& p, std::uint64_t now) {
    const bool perfect = config_.sm.ldst.perfect_memory;
    if (gpc_cache && !perfect && extension(p).when.injected == 0) return;
    const bool data = extension(p).type != protocol::access_type::instruction_read;
    if (data && observer_ != nullptr && !perfect) observer_->reply_received(p, now);
    for (reply_observer* watcher : watchers_) watcher->reply_received(p, now);
}

bool simt_cluster::at_rest() const {
    if (busy()) return false;
    for (const auto& s : sms_)
        if (!s->at_rest()) return false;
    return true;
}

void simt_cluster::checkpoint(support::archive& a) {
    if (a.block(name(), 3)) {
        a(cycles_, next_hand_);
        a.history(traffic_.sent.sizes, traffic_.received.sizes);
    }
    for (const auto& s : sms_) s->checkpoint(a);
}

}  // namespace simtlm::core
