// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/memory_bridge.h"

#include "modules/simulation/spawn.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

using protocol::extension;

memory_bridge::memory_bridge(const sc_core::sc_module_name& name,
                             const memory::memory_channel_parts& parts, external_socket& external,
                             const external_memory& how)
    : memory_channel(name, parts.sequencer),
      port("port"),
      sequencer_(parts.sequencer),
      mapping_(parts.mapping),
      external_(external),
      how_(how),
      config_(parts.config),
      process_("process", parts.sequencer, protocol::phase::dram_channel,
               simulation::on_edge<&memory_bridge::cycle>(this)),
      data_(how.data) {
    sequencer_.stay_on_one_thread(protocol::phase::dram_channel);  // calls user code
    statistics_.banks.resize(parts.config.timing.nbk);
    statistics_.traffic.resize(parts.config.timing.nbk);
    port.register_nb_transport_fw(this, &memory_bridge::from_partition, 0);
    external_.register_nb_transport_bw(this, &memory_bridge::from_memory, 0);
    blocking_ = std::make_unique<blocking_requester>(
        [this](tlm::tlm_generic_payload& p, sc_core::sc_time& t) { external_->b_transport(p, t); },
        [this](tlm::tlm_generic_payload& p, const sc_core::sc_time& t) { answered(p, t); });
    loosely_timed_ = how.timing == memory_timing::loosely_timed;
    simulation::spawn_method("wake_process", [this] { wake_process(); }, {timer_});
    simulation::spawn_method("send", [this] { send(); }, {send_event_});
    simulation::spawn_method("end_responses", [this] { end_responses(); }, {end_event_});
}

// ---- partition side ----

tlm::tlm_sync_enum memory_bridge::from_partition(int, tlm::tlm_generic_payload& original,
                                                 tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_RESP) {
        port.response_ended();
        --under_way_;
        process_.wake();
        return tlm::TLM_COMPLETED;
    }
    sc_assert(phase == tlm::BEGIN_REQ);
    ++under_way_;
    tlm::tlm_generic_payload& payload = copy(original);
    bool room = true;
    if (loosely_timed_) {
        blocking_->request(payload);
    } else {
        to_send_.push_back(&payload);
        ++buffered_;
        if (requesting_ == nullptr) send_event_.notify(sc_core::SC_ZERO_TIME);
        room = has_space();
        if (!room) process_.wake();
    }
    const bool apart = config_.separate_write_queue && original.is_write();
    return port.accept_request(original, phase, room, apart ? 1 : 0);
}

/// Returns whether the buffer has room. A request that ended before this edge has left the buffer.
bool memory_bridge::has_space() {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    for (; !ends_.empty() && ends_.front() < now; ends_.pop_front()) --buffered_;
    return buffered_ < request_places;
}

tlm::tlm_generic_payload& memory_bridge::copy(tlm::tlm_generic_payload& original) {
    const protocol::memory_extension& theirs = extension(original);
    const std::uint64_t address = how_.addresses == memory_addresses::dense
                                      ? mapping_.channel_address(original.get_address())
                                      : original.get_address();
    tlm::tlm_generic_payload& payload =
        pool_.acquire(original.get_command(), address, original.get_data_length(), theirs.type);
    protocol::memory_extension& ours = extension(payload);
    ours = theirs;
    ours.parent = &original;
    count(payload);
    data_.prepare(payload, original.get_address());
    return payload;
}

void memory_bridge::count(const tlm::tlm_generic_payload& payload) {
    const protocol::memory_extension& e = extension(payload);
    const bool write = payload.is_write();
    ++statistics_.requests;
    ++(write ? statistics_.scheduled_writes : statistics_.scheduled_reads);
    auto& traffic = statistics_.traffic[e.location.bank % statistics_.traffic.size()];
    const std::uint64_t atoms = config_.atoms_of(e.data_bytes);
    (write ? traffic.writes : traffic.reads) += atoms;
    traffic.by_type[static_cast<unsigned>(e.type)] += atoms;
}

const memory::dram_statistics& memory_bridge::statistics() {
    statistics_.cycles = sequencer_.edges(protocol::dram_clock);
    statistics_.idle_cycles = statistics_.cycles;
    return statistics_;
}

/// Called in phase dram_channel.
void memory_bridge::cycle() {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    if (withholds_requests() && has_space())
        for (const unsigned kind : {0u, 1u}) port.end_request(kind);
    if (!port.response_pending() && !answers_.empty() && answers_.top().at < now) {
        tlm::tlm_generic_payload& payload = *answers_.top().payload;
        answers_.pop();
        respond(payload);
    }
    sc_core::sc_time next = sc_core::sc_max_time();
    if (!port.response_pending() && !answers_.empty()) next = answers_.top().at;
    if (withholds_requests() && !ends_.empty()) next = std::min(next, ends_.front());
    sleep_until(next);
}

void memory_bridge::respond(tlm::tlm_generic_payload& payload) {
    tlm::tlm_generic_payload& original = *extension(payload).parent;
    original.set_response_status(payload.get_response_status());
    if (&payload == converted_)
        converted_ = nullptr;
    else if (loosely_timed_)
        blocking_->finished(payload);
    // A memory that keeps the payload longer must hold a reference of its own; the byte enables
    // stay valid until the payload is reused.
    payload.release();
    if (port.respond(original)) --under_way_;
}

/// Sleeps until `next`, or until a new request or response arrives, unless work is due at the next
/// edge.
void memory_bridge::sleep_until(const sc_core::sc_time& next) {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    if (next <= now) return;
    process_.sleep();
    timer_.cancel();
    if (next != sc_core::sc_max_time()) timer_.notify(next - now);
}

// ---- memory side ----

void memory_bridge::send() {
    while (!to_send_.empty() && requesting_ == nullptr) {
        const sc_core::sc_time& now = sc_core::sc_time_stamp();
        if (request_free_ > now) return send_event_.notify(request_free_ - now);
        tlm::tlm_generic_payload& payload = *to_send_.front();
        to_send_.pop_front();
        send(payload);
    }
}

void memory_bridge::send(tlm::tlm_generic_payload& payload) {
    requesting_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    switch (external_->nb_transport_fw(payload, phase, delay)) {
        case tlm::TLM_COMPLETED:
            answered(payload, delay);
            break;
        case tlm::TLM_UPDATED:
            if (phase == tlm::END_REQ) request_ended(payload, delay);
            if (phase != tlm::BEGIN_RESP) break;
            answered(payload, delay);
            protocol::end_response(external_, payload);
            break;
        case tlm::TLM_ACCEPTED:
            break;
    }
}

tlm::tlm_sync_enum memory_bridge::from_memory(int, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) request_ended(payload, delay);
    // Extended phases that are unknown may be ignored.
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    if (requesting_ == &payload && is_conversion_thread()) become_loosely_timed(payload);
    payload.acquire();  // released after END_RESP
    withheld_ends_.push_back({&payload, sc_core::sc_time_stamp() + delay});
    end_event_.notify(delay);
    answered(payload, delay);
    return tlm::TLM_ACCEPTED;
}

/// Returns whether the call comes from the conversion adapter of SystemC's simple_target_socket,
/// used by a memory that implements only b_transport: its processes have this name.
bool memory_bridge::is_conversion_thread() {
    const std::string name = sc_core::sc_get_current_process_handle().name();
    return name.compare(name.rfind('.') + 1, 11, "nb2b_thread") == 0;
}

/// The memory does not implement nb_transport, and the adapter would serialise the requests. From
/// now on the memory is called as a loosely timed one.
void memory_bridge::become_loosely_timed(tlm::tlm_generic_payload& first) {
    loosely_timed_ = true;
    converted_ = &first;
    std::deque<tlm::tlm_generic_payload*> held;
    held.swap(to_send_);
    for (tlm::tlm_generic_payload* p : held) {
        ends_.push_back(sc_core::sc_time_stamp());
        blocking_->request(*p);
    }
    process_.wake();
}

void memory_bridge::end_responses() {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    while (!withheld_ends_.empty() && withheld_ends_.front().at <= now) {
        tlm::tlm_generic_payload& payload = *withheld_ends_.front().payload;
        withheld_ends_.pop_front();
        protocol::end_response(external_, payload);
        payload.release();
    }
    if (!withheld_ends_.empty()) end_event_.notify(withheld_ends_.front().at - now);
}

void memory_bridge::request_ended(const tlm::tlm_generic_payload& payload,
                                  const sc_core::sc_time& delay) {
    if (requesting_ != &payload) return;
    requesting_ = nullptr;
    request_free_ = sc_core::sc_time_stamp() + delay;
    ends_.push_back(request_free_);
    if (withholds_requests()) process_.wake();
    if (!to_send_.empty()) send_event_.notify(delay);
}

void memory_bridge::answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    request_ended(payload, delay);
    answers_.push({&payload, sc_core::sc_time_stamp() + delay, order_++});
    process_.wake();
    if (!payload.is_response_ok()) report_error(payload);
}

void memory_bridge::report_error(const tlm::tlm_generic_payload& payload) {
    if (++errors_ == 1)
        SC_REPORT_WARNING(
            "simtlm/memory",
            fmt::format("{}: the memory responded with {} to a {} of {} bytes at {:#x}; the "
                        "simulation continues, further errors are only counted",
                        name(), payload.get_response_string(),
                        payload.is_write() ? "write" : "read", payload.get_data_length(),
                        payload.get_address())
                .c_str());
    if (on_error_) on_error_();
}

}  // namespace simtlm::platform
