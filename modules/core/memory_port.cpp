// SPDX-License-Identifier: Apache-2.0
#include "modules/core/memory_port.h"

#include "modules/protocol/describe.h"
#include "modules/simulation/spawn.h"

#include <fmt/format.h>

namespace simtlm::core {

memory_port::memory_port(const sc_core::sc_module_name& name, std::size_t response_entries,
                         unsigned sources)
    : sc_module(name),
      from("from", sources),
      memory("memory"),
      response_entries_(response_entries),
      responses_(response_entries + overflow) {
    for (unsigned i = 0; i < sources; ++i)
        from[i].register_nb_transport_fw(this, &memory_port::request, static_cast<int>(i));
    memory.register_nb_transport_bw(this, &memory_port::respond, 0);
    simulation::spawn_method("act_late", [this] { act_on_delayed(); }, {delayed_event_});
}

tlm::tlm_sync_enum memory_port::request(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                        sc_core::sc_time&) {
    if (phase == tlm::END_RESP) {
        head_taken();
        return tlm::TLM_COMPLETED;
    }
    protocol::extension(p).source = static_cast<std::uint8_t>(id);
    if (outside_ != nullptr) {
        const bool room = outside_->has_room();
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
    if (blocked_) {
        const auto source = static_cast<unsigned>(id);
        held_[source] = &p;
        if (back_pressure_[source] != nullptr)
            back_pressure_[source]->stalled_now(simulation::back_pressure_counter::held);
        return tlm::TLM_ACCEPTED;
    }
    if (!send(static_cast<unsigned>(id), p)) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

bool memory_port::send(unsigned source, tlm::tlm_generic_payload& p) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = memory->nb_transport_fw(p, phase, delay);
    if (answer != tlm::TLM_ACCEPTED) {
        if (delay == sc_core::SC_ZERO_TIME) {
            if (answer == tlm::TLM_COMPLETED) {
                arrived(p);
            } else if (phase == tlm::BEGIN_RESP) {
                p.acquire();  // released after END_RESP
                arrived(p);
                phase = tlm::END_RESP;
                memory->nb_transport_fw(p, phase, delay);
                p.release();
            }
            return true;
        }
        postpone(p,
                 answer == tlm::TLM_COMPLETED ? message::completed
                 : phase == tlm::BEGIN_RESP   ? message::response
                                              : message::request_ended,
                 delay);
    }
    blocked_ = true;
    if (injection_order_ != nullptr) blocked_in_ = injection_order_->cycle(protocol::core_clock);
    blocked_source_ = static_cast<int>(source);
    blocked_request_ = &p;
    return false;
}

void memory_port::postpone(tlm::tlm_generic_payload& p, message what,
                           const sc_core::sc_time& delay) {
    delayed_.push_back({&p, what, sc_core::sc_time_stamp() + delay});
    delayed_event_.notify(delay);
}

void memory_port::act_on_delayed() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    for (std::size_t i = 0; i < delayed_.size();) {
        if (delayed_[i].at > now) {
            delayed_event_.notify(delayed_[i].at - now);
            ++i;
            continue;
        }
        const delayed_phase n = delayed_[i];
        delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(i));
        if (blocked_ && blocked_request_ == n.payload) unblocked();
        if (n.what == message::completed) {
            arrived(*n.payload);
        } else if (n.what == message::response) {
            n.payload->acquire();  // released after END_RESP
            if (take_response(*n.payload) == tlm::TLM_COMPLETED) {
                tlm::tlm_phase phase = tlm::END_RESP;
                sc_core::sc_time delay;
                memory->nb_transport_fw(*n.payload, phase, delay);
            }
            n.payload->release();
        }
    }
}

void memory_port::unblocked() {
    blocked_ = false;
    const auto released = [this](unsigned source, tlm::tlm_generic_payload& p) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        from[source]->nb_transport_bw(p, phase, delay);
    };
    if (blocked_source_ >= 0) {
        const auto source = static_cast<unsigned>(blocked_source_);
        blocked_source_ = -1;
        tlm::tlm_generic_payload* const done = blocked_request_;
        blocked_request_ = nullptr;
        released(source, *done);
    }
    for (unsigned i = 0; i < max_memory_sources && !blocked_; ++i) {
        if (held_[i] == nullptr) continue;
        tlm::tlm_generic_payload& p = *held_[i];
        held_[i] = nullptr;
        if (back_pressure_[i] != nullptr)
            back_pressure_[i]->set(simulation::back_pressure_counter::held, false);
        if (send(i, p)) released(i, p);
    }
}

tlm::tlm_sync_enum memory_port::respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) {
        postpone(p, phase == tlm::END_REQ ? message::request_ended : message::response, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        unblocked();
        return tlm::TLM_ACCEPTED;
    }
    sc_assert(phase == tlm::BEGIN_RESP);
    if (blocked_ && blocked_request_ == &p) unblocked();  // BEGIN_RESP implies END_REQ
    return take_response(p);
}

tlm::tlm_sync_enum memory_port::take_response(tlm::tlm_generic_payload& p) {
    const protocol::memory_extension& e = protocol::extension(p);
    if (protocol::is_posted(e.type) || e.type == protocol::access_type::instruction_read ||
        responses_.size() < response_entries_) {
        arrived(p);
        return tlm::TLM_COMPLETED;
    }
    waiting_ = &p;
    return tlm::TLM_ACCEPTED;
}

void memory_port::arrived(tlm::tlm_generic_payload& p) {
    const protocol::memory_extension& e = protocol::extension(p);
    if (protocol::is_posted(e.type) || e.type == protocol::access_type::instruction_read) {
        const bool part = protocol::is_part(p);  // evaluated before the receiver may release the
                                                 // payload
        hand_over(p);
        if (part) p.release();
        return;
    }
    responses_.push(&p);
    client_->response_arrived();
}

bool memory_port::response_is_uncached_read() const {
    const tlm::tlm_generic_payload& p = *responses_.front();
    return protocol::extension(p).source == static_cast<unsigned>(memory_source::ldst) &&
           !p.is_write();
}

bool memory_port::hand_over(tlm::tlm_generic_payload& p) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    return from[protocol::extension(p).source]->nb_transport_bw(p, phase, delay) !=
           tlm::TLM_ACCEPTED;
}

void memory_port::deliver() {
    if (responses_.empty() || head_announced_) return;
    head_announced_ = true;
    // Evaluated before the receiver gets the payload, because it may release it.
    head_is_part_ = protocol::is_part(*responses_.front());
    if (hand_over(*responses_.front())) head_taken();
}

void memory_port::head_taken() {
    head_announced_ = false;
    tlm::tlm_generic_payload& taken = *responses_.pop();
    if (head_is_part_) taken.release();
    if (waiting_ == nullptr || responses_.size() >= response_entries_) return;
    tlm::tlm_generic_payload& p = *waiting_;
    waiting_ = nullptr;
    arrived(p);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    memory->nb_transport_fw(p, phase, delay);
}

std::string memory_port::describe() const {
    std::string text;
    const auto add = [&](const std::string& what) {
        text += fmt::format("  {}: {}\n", name(), what);
    };
    if (blocked_ && blocked_request_ != nullptr)
        add("the network has not taken " + protocol::describe(*blocked_request_));
    for (const tlm::tlm_generic_payload* p : held_)
        if (p != nullptr) add("waits behind it: " + protocol::describe(*p));
    if (!responses_.empty())
        add(fmt::format("{} responses wait for the SM, first {}{}", responses_.size(),
                        protocol::describe(*responses_.front()),
                        head_announced_ ? ", which has been offered" : ""));
    if (waiting_ != nullptr) add("no room for the response " + protocol::describe(*waiting_));
    return text;
}

}  // namespace simtlm::core
