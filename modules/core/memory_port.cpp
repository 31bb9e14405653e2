// SPDX-License-Identifier: Apache-2.0
#include "modules/core/memory_port.h"

#include "modules/protocol/describe.h"

#include <fmt/format.h>

#include <utility>

namespace simtlm::core {

memory_port::memory_port(const sc_core::sc_module_name& name, std::size_t response_entries,
                         unsigned sources)
    : sc_module(name),
      from("from", sources),
      memory("memory", *this),
      responses_(response_entries) {
    for (unsigned i = 0; i < sources; ++i)
        from[i].register_nb_transport_fw(this, &memory_port::request, static_cast<int>(i));
}

tlm::tlm_sync_enum memory_port::request(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                        sc_core::sc_time&) {
    if (phase == tlm::END_RESP) {
        head_taken();
        return tlm::TLM_COMPLETED;
    }
    protocol::extension(p).source = static_cast<std::uint8_t>(id);
    if (outside_ != nullptr) {
        const bool room = outside_->has_space();
        if (simulation::back_pressure_counter* const counter = back_pressure_[id]) {
            if (room)
                counter->set(simulation::back_pressure_counter::held, false);
            else
                counter->stalled_now(simulation::back_pressure_counter::held);
        }
        if (!room) {
            phase = protocol::refused;
            return tlm::TLM_UPDATED;
        }
    }
    if (memory.blocked()) {
        const auto source = static_cast<unsigned>(id);
        held_[source] = &p;
        if (back_pressure_[source] != nullptr)
            back_pressure_[source]->stalled_now(simulation::back_pressure_counter::held);
        return tlm::TLM_ACCEPTED;
    }
    if (!send(p)) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// @return whether the downstream port would accept another request
bool memory_port::send(tlm::tlm_generic_payload& p) {
    memory.try_send(p);
    if (memory.response_waiting()) memory.retry();  // a target may respond in its return
    if (!memory.blocked()) return true;
    if (injection_order_ != nullptr) blocked_in_ = injection_order_->cycle(protocol::core_clock);
    return false;
}

void memory_port::request_ended(tlm::tlm_generic_payload& ended) {
    protocol::end_request(from[protocol::extension(ended).source], ended);
    for (unsigned i = 0; i < max_memory_sources && !memory.blocked(); ++i) {
        if (held_[i] == nullptr) continue;
        tlm::tlm_generic_payload& p = *std::exchange(held_[i], nullptr);
        if (back_pressure_[i] != nullptr)
            back_pressure_[i]->set(simulation::back_pressure_counter::held, false);
        if (send(p)) protocol::end_request(from[i], p);
    }
}

bool memory_port::accept_response(tlm::tlm_generic_payload& p) {
    const protocol::memory_extension& e = protocol::extension(p);
    if (protocol::is_posted(e.type) || e.type == protocol::access_type::instruction_read) {
        const bool part = protocol::is_part(p);  // evaluated before the receiver may release the
                                                 // payload
        protocol::begin_response(from[e.source], p);
        if (part) p.release();
        return true;
    }
    if (responses_.full()) return false;
    responses_.push(&p);
    client_->response_arrived();
    return true;
}

bool memory_port::response_is_uncached_read() const {
    const tlm::tlm_generic_payload& p = *responses_.front();
    return protocol::extension(p).source == static_cast<unsigned>(memory_source::ldst) &&
           !p.is_write();
}

void memory_port::deliver() {
    if (responses_.empty() || head_announced_) return;
    head_announced_ = true;
    // Evaluated before the receiver gets the payload, because it may release it.
    tlm::tlm_generic_payload& p = *responses_.front();
    head_is_part_ = protocol::is_part(p);
    if (protocol::begin_response(from[protocol::extension(p).source], p)) head_taken();
}

void memory_port::head_taken() {
    head_announced_ = false;
    tlm::tlm_generic_payload& taken = *responses_.pop();
    if (head_is_part_) taken.release();
    memory.retry();
}

std::string memory_port::describe() const {
    std::string text;
    const auto add = [&](const std::string& what) {
        text += fmt::format("  {}: {}\n", name(), what);
    };
    if (memory.blocked())
        add("the network has not taken " + protocol::describe(memory.unanswered()));
    for (const tlm::tlm_generic_payload* p : held_)
        if (p != nullptr) add("waits behind it: " + protocol::describe(*p));
    if (!responses_.empty())
        add(fmt::format("{} responses wait for the SM, first {}{}", responses_.size(),
                        protocol::describe(*responses_.front()),
                        head_announced_ ? ", which has been offered" : ""));
    if (memory.response_waiting())
        add("no room for the response " + protocol::describe(memory.waiting_response()));
    return text;
}

}  // namespace simtlm::core
