// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/base_protocol_checker.h"

#include <sstream>
#include <utility>

namespace simtlm::protocol {

namespace {

bool of_base_protocol(const tlm::tlm_phase& phase) {
    return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP ||
           phase == tlm::END_RESP;
}

std::string phase_text(const tlm::tlm_phase& phase) {
    std::ostringstream text;
    text << phase;
    return text.str();
}

std::string address_text(std::uint64_t address) {
    std::ostringstream text;
    text << "0x" << std::hex << address;
    return text.str();
}

}  // namespace

base_protocol_rules::base_protocol_rules(std::string socket_name, violation_policy policy)
    : name_(std::move(socket_name)), policy_(policy) {}

void base_protocol_rules::broken(const tlm::tlm_generic_payload& p, const std::string& rule) {
    std::ostringstream text;
    text << name_ << " at " << sc_core::sc_time_stamp() << ", address "
         << address_text(p.get_address()) << ": " << rule;
    violations_.push_back(text.str());
    if (policy_ == violation_policy::report)
        SC_REPORT_ERROR("simtlm/base_protocol", violations_.back().c_str());
}

base_protocol_rules::attributes base_protocol_rules::snapshot(const tlm::tlm_generic_payload& p) {
    attributes a;
    a.command = p.get_command();
    a.data = p.get_data_ptr();
    a.length = p.get_data_length();
    a.enables = p.get_byte_enable_ptr();
    a.enable_length = p.get_byte_enable_length();
    a.streaming = p.get_streaming_width();
    a.extensions.resize(tlm::max_num_extensions());
    for (unsigned i = 0; i < a.extensions.size(); ++i) a.extensions[i] = p.get_extension(i);
    return a;
}

base_protocol_rules::transaction* base_protocol_rules::find(const tlm::tlm_generic_payload& p) {
    const auto t = open_.find(&p);
    return t == open_.end() ? nullptr : &t->second;
}

// Rules of the generic payload.

void base_protocol_rules::check_request(const tlm::tlm_generic_payload& p) {
    if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
        broken(p, "a request must carry TLM_INCOMPLETE_RESPONSE");
    if (p.is_dmi_allowed()) broken(p, "a request must not carry the DMI hint");
    if (p.get_command() != tlm::TLM_IGNORE_COMMAND) {
        if (p.get_data_ptr() == nullptr) broken(p, "a request needs a data pointer");
        if (p.get_data_length() == 0) broken(p, "a request needs a data length");
        if (p.get_streaming_width() == 0) broken(p, "a request needs a streaming width");
    }
    if (p.get_byte_enable_ptr() != nullptr && p.get_byte_enable_length() == 0)
        broken(p, "byte enables need a length");
}

void base_protocol_rules::check_unchanged(const tlm::tlm_generic_payload& p,
                                          const attributes& before) {
    if (p.get_command() != before.command) broken(p, "the command was changed under way");
    if (p.get_data_ptr() != before.data) broken(p, "the data pointer was changed under way");
    if (p.get_data_length() != before.length) broken(p, "the data length was changed under way");
    if (p.get_byte_enable_ptr() != before.enables ||
        p.get_byte_enable_length() != before.enable_length)
        broken(p, "the byte enables were changed under way");
    if (p.get_streaming_width() != before.streaming)
        broken(p, "the streaming width was changed under way");
    for (unsigned i = 0; i < before.extensions.size(); ++i)
        if (before.extensions[i] != nullptr && p.get_extension(i) != before.extensions[i])
            broken(p, "an extension of the initiator was removed or replaced under way");
}

void base_protocol_rules::check_references(const tlm::tlm_generic_payload& p) {
    if (!p.has_mm())
        broken(p, "a non-blocking transaction needs a memory manager");
    else if (p.get_ref_count() < 1)
        broken(p, "nobody holds a reference to this transaction");
}

void base_protocol_rules::check_response(const tlm::tlm_generic_payload& p, transaction& t) {
    t.status = p.get_response_status();
    if (t.status == tlm::TLM_INCOMPLETE_RESPONSE)
        broken(p, "a response must set the response status");
    check_unchanged(p, t.snapshot);
}

void base_protocol_rules::advance(const tlm::tlm_generic_payload& p, transaction& t,
                                  const sc_core::sc_time& delay) {
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (at < t.last) broken(p, "its effective time lies before that of its last phase");
    t.last = std::max(t.last, at);
}

// Ends of phases.

void base_protocol_rules::request_ended(const tlm::tlm_generic_payload& p,
                                        const sc_core::sc_time& at) {
    if (requesting_ != &p) return;
    requesting_ = nullptr;
    request_free_ = at;
}

void base_protocol_rules::response_begun(const tlm::tlm_generic_payload& p) {
    if (responding_ != nullptr && responding_ != &p)
        broken(p, "response exclusion: BEGIN_RESP before the last response has ended");
    responding_ = &p;
}

void base_protocol_rules::finish(const tlm::tlm_generic_payload& p) {
    if (requesting_ == &p) requesting_ = nullptr;
    if (responding_ == &p) responding_ = nullptr;
    open_.erase(&p);
}

// Non-blocking transport.

void base_protocol_rules::forward_call(const tlm::tlm_generic_payload& p,
                                       const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
    check_references(p);
    transaction* t = find(p);
    if (phase == tlm::BEGIN_REQ) {
        if (t != nullptr || blocking_.count(&p) != 0)
            return broken(p, "BEGIN_REQ for a transaction that is under way");
        if (requesting_ != nullptr)
            broken(p, "request exclusion: BEGIN_REQ before the last request has ended");
        else if (sc_core::sc_time_stamp() + delay < request_free_)
            broken(p, "request exclusion: BEGIN_REQ before the annotated time of END_REQ");
        check_request(p);
        ++transactions_;
        requesting_ = &p;
        transaction begun;
        begun.snapshot = snapshot(p);
        begun.last = sc_core::sc_time_stamp() + delay;
        begun.called_with = delay;
        begun.called_phase = phase;
        begun.address = p.get_address();
        open_.emplace(&p, std::move(begun));
        return;
    }
    if (t == nullptr) {
        if (of_base_protocol(phase))
            broken(p, phase_text(phase) + " for a transaction that has not begun");
        return;
    }
    t->called_with = delay;
    t->called_phase = phase;
    if (phase == tlm::END_RESP) {
        if (t->at != state::responded) broken(p, "END_RESP before BEGIN_RESP");
        if (p.get_response_status() != t->status)
            broken(p, "the response status was changed after BEGIN_RESP");
        advance(p, *t, delay);
        check_unchanged(p, t->snapshot);
        // The target may free the payload within this call.
        finish(p);
        return;
    }
    if (of_base_protocol(phase) || phase == tlm::UNINITIALIZED_PHASE)
        broken(p, phase_text(phase) + " on the forward path");
}

void base_protocol_rules::forward_return(const tlm::tlm_generic_payload& p,
                                         tlm::tlm_sync_enum status, const tlm::tlm_phase& phase,
                                         const sc_core::sc_time& delay) {
    transaction* t = find(p);
    if (t == nullptr || t->called_phase == tlm::END_RESP) return;  // already finished
    if (status == tlm::TLM_ACCEPTED) return;
    if (delay < t->called_with) broken(p, "a return must not take annotated time back");
    if (status == tlm::TLM_COMPLETED) {
        if (!of_base_protocol(t->called_phase)) return;
        advance(p, *t, delay);
        check_response(p, *t);
        request_ended(p, t->last);
        finish(p);
        return;
    }
    if (!of_base_protocol(t->called_phase)) {  // an ignorable phase
        broken(p, "an ignorable phase must be answered with TLM_ACCEPTED or TLM_COMPLETED");
        return;
    }
    advance(p, *t, delay);
    if (phase == tlm::END_REQ) {
        if (t->at != state::requested) broken(p, "END_REQ twice");
        t->at = state::accepted;
        request_ended(p, t->last);
    } else if (phase == tlm::BEGIN_RESP) {
        if (t->at == state::responded) broken(p, "BEGIN_RESP twice");
        t->at = state::responded;
        request_ended(p, t->last);
        check_response(p, *t);
        response_begun(p);
    } else {
        broken(p, "TLM_UPDATED with " + phase_text(phase) + " on return from BEGIN_REQ");
    }
}

void base_protocol_rules::backward_call(const tlm::tlm_generic_payload& p,
                                        const tlm::tlm_phase& phase,
                                        const sc_core::sc_time& delay) {
    transaction* t = find(p);
    if (t == nullptr) {
        if (of_base_protocol(phase))
            broken(p, phase_text(phase) + " for a transaction that is not under way");
        return;
    }
    check_references(p);
    t->called_with = delay;
    t->called_phase = phase;
    if (phase == tlm::END_REQ) {
        if (t->at != state::requested) broken(p, "END_REQ twice or after BEGIN_RESP");
        t->at = std::max(t->at, state::accepted);
        advance(p, *t, delay);
        request_ended(p, t->last);
    } else if (phase == tlm::BEGIN_RESP) {
        if (t->at == state::responded) broken(p, "BEGIN_RESP twice");
        advance(p, *t, delay);
        request_ended(p, t->last);
        t->at = state::responded;
        check_response(p, *t);
        response_begun(p);
    } else if (of_base_protocol(phase) || phase == tlm::UNINITIALIZED_PHASE) {
        broken(p, phase_text(phase) + " on the backward path");
    }
}

void base_protocol_rules::backward_return(const tlm::tlm_generic_payload& p,
                                          tlm::tlm_sync_enum status, const tlm::tlm_phase& phase,
                                          const sc_core::sc_time& delay) {
    // A payload that is not known any more may have been freed and must not be accessed.
    transaction* t = find(p);
    if (t == nullptr || status == tlm::TLM_ACCEPTED) return;
    if (!of_base_protocol(t->called_phase)) return;
    const bool responding = t->called_phase == tlm::BEGIN_RESP;
    const bool ends = status == tlm::TLM_COMPLETED || phase == tlm::END_RESP;
    if (!responding || !ends) {
        broken(p, "an initiator may answer " + phase_text(t->called_phase) +
                      (responding ? " with TLM_ACCEPTED, TLM_COMPLETED or END_RESP only"
                                  : " with TLM_ACCEPTED only"));
        return;
    }
    if (delay < t->called_with) broken(p, "a return must not take annotated time back");
    finish(p);
}

// Blocking transport, debug transport.

void base_protocol_rules::blocking_call(const tlm::tlm_generic_payload& p,
                                        const sc_core::sc_time& delay) {
    if (find(p) != nullptr || blocking_.count(&p) != 0)
        return broken(p, "b_transport for a transaction that is under way");
    check_request(p);
    ++transactions_;
    ++blocking_count_;
    transaction begun;
    begun.snapshot = snapshot(p);
    begun.last = sc_core::sc_time_stamp() + delay;
    begun.address = p.get_address();
    blocking_.emplace(&p, std::move(begun));
}

void base_protocol_rules::blocking_return(const tlm::tlm_generic_payload& p,
                                          const sc_core::sc_time& delay) {
    const auto found = blocking_.find(&p);
    if (found == blocking_.end()) return;
    transaction t = std::move(found->second);
    blocking_.erase(found);
    advance(p, t, delay);
    check_response(p, t);
    if (p.has_mm()) return;
    for (unsigned i = 0; i < t.snapshot.extensions.size(); ++i)
        if (t.snapshot.extensions[i] == nullptr && p.get_extension(i) != nullptr)
            broken(p, "an extension was left on a transaction without a memory manager");
}

void base_protocol_rules::debug_call(const tlm::tlm_generic_payload& p) {
    debug_time_ = sc_core::sc_time_stamp();
    if (p.get_data_length() != 0 && p.get_data_ptr() == nullptr)
        broken(p, "a debug access needs a data pointer");
}

void base_protocol_rules::debug_return(const tlm::tlm_generic_payload& p, unsigned count) {
    if (sc_core::sc_time_stamp() != debug_time_) broken(p, "a debug access must not take time");
    if (count > p.get_data_length()) broken(p, "more bytes debugged than asked for");
}

// End of simulation.

std::string base_protocol_rules::describe_in_flight() const {
    std::string text;
    const auto add = [&](const transaction& t, const char* what) {
        text += name_ + ": " + address_text(t.address) + " " + what + "\n";
    };
    for (const auto& [p, t] : open_)
        add(t, t.at == state::requested  ? "waits for END_REQ"
               : t.at == state::accepted ? "waits for BEGIN_RESP"
                                         : "waits for END_RESP");
    for (const auto& [p, t] : blocking_) add(t, "is in b_transport");
    return text;
}

void base_protocol_rules::check_finished() {
    if (in_flight() == 0) return;
    violations_.push_back("transactions that never finished:\n" + describe_in_flight());
    if (policy_ == violation_policy::report)
        SC_REPORT_ERROR("simtlm/base_protocol", violations_.back().c_str());
}

}  // namespace simtlm::protocol
