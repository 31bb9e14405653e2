// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/memory_bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::platform {

using protocol::extension;

memory_bridge::memory_bridge(const sc_core::sc_module_name& name,
                             kernel::phase_sequencer& sequencer, const memory::dram_config& config,
                             outside_socket& outside)
    : memory_channel(name),
      port("port"),
      sequencer_(sequencer),
      outside_(outside),
      atom_bytes_(config.atom_bytes()),
      process_("process", sequencer, protocol::dram_channel,
               kernel::on_edge<&memory_bridge::cycle>(this)) {
    using SC_CURRENT_USER_MODULE = memory_bridge;
    statistics_.banks.resize(config.timing.nbk);
    statistics_.traffic.resize(config.timing.nbk);
    port.register_nb_transport_fw(this, &memory_bridge::from_partition, 0);
    outside_.register_nb_transport_bw(this, &memory_bridge::from_memory, 0);
    SC_METHOD(wake_process);
    sensitive << alarm_;
    dont_initialize();
}

// Requests.

tlm::tlm_sync_enum memory_bridge::from_partition(int, tlm::tlm_generic_payload& original,
                                                 tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        tlm::tlm_generic_payload& payload = copy(original);
        ++under_way_;
        if (requesting_ != nullptr)
            waiting_.push_back(&payload);
        else
            send(payload);
        return tlm::TLM_ACCEPTED;
    }
    sc_assert(phase == tlm::END_RESP && presented_ != nullptr);
    tlm::tlm_generic_payload& payload = *std::exchange(presented_, nullptr);
    process_.wake();
    finish(payload, presented_owes_end_);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_generic_payload& memory_bridge::copy(tlm::tlm_generic_payload& original) {
    const protocol::memory_extension& theirs = extension(original);
    tlm::tlm_generic_payload& payload = pool_.acquire(
        original.get_command(), original.get_address(), original.get_data_length(), theirs.type);
    protocol::memory_extension& ours = extension(payload);
    const std::uint32_t id = ours.id;
    ours = theirs;
    ours.id = id;
    ours.parent = &original;
    count(payload);
    if (payload.is_write()) prepare_write(payload);
    return payload;
}

void memory_bridge::count(const tlm::tlm_generic_payload& payload) {
    const protocol::memory_extension& e = extension(payload);
    const bool write = payload.is_write();
    ++statistics_.requests;
    ++(write ? statistics_.scheduled_writes : statistics_.scheduled_reads);
    auto& traffic = statistics_.traffic[e.location.bank % statistics_.traffic.size()];
    const std::uint64_t atoms = e.data_bytes / atom_bytes_;
    (write ? traffic.writes : traffic.reads) += atoms;
    traffic.by_type[static_cast<unsigned>(e.type)] += atoms;
}

const memory::dram_statistics& memory_bridge::statistics() {
    statistics_.cycles = sequencer_.observed().edges[protocol::dram_clock];
    statistics_.idle_cycles = statistics_.cycles;
    return statistics_;
}

void memory_bridge::prepare_write(tlm::tlm_generic_payload& payload) {
    const unsigned bytes = payload.get_data_length();
    unsigned char* const data = payload.get_data_ptr();
    switch (data_) {
        case memory_data::zeros:
            std::fill_n(data, bytes, static_cast<unsigned char>(0));
            return;
        case memory_data::masked:
            payload.set_byte_enable_ptr(disabled_.data());
            break;
        case memory_data::pattern: {
            const std::uint64_t first = payload.get_address();
            const protocol::byte_mask& written = extension(payload).bytes;
            const auto offset = static_cast<unsigned>(first % 128);
            auto& enables = enables_[&payload];
            for (unsigned i = 0; i < bytes; ++i) {
                data[i] = static_cast<unsigned char>(first + i);
                const bool on = written.none() || (offset + i < 128 && written.test(offset + i));
                enables[i] = on ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            }
            payload.set_byte_enable_ptr(enables.data());
            break;
        }
    }
    payload.set_byte_enable_length(bytes);
}

void memory_bridge::send(tlm::tlm_generic_payload& payload) {
    requesting_ = &payload;
    end_of_request_ = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    switch (outside_->nb_transport_fw(payload, phase, delay)) {
        case tlm::TLM_COMPLETED:
            answered(payload, delay, false);
            break;
        case tlm::TLM_UPDATED:
            if (phase == tlm::END_REQ)
                request_ended(payload, delay);
            else if (phase == tlm::BEGIN_RESP)
                answered(payload, delay, true);
            break;
        case tlm::TLM_ACCEPTED:
            break;
    }
}

// What the memory says.

tlm::tlm_sync_enum memory_bridge::from_memory(int, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ)
        request_ended(payload, delay);
    else if (phase == tlm::BEGIN_RESP)
        answered(payload, delay, true);
    // Phases that extend the base protocol may be ignored.
    return tlm::TLM_ACCEPTED;
}

void memory_bridge::request_ended(tlm::tlm_generic_payload& payload,
                                  const sc_core::sc_time& delay) {
    if (requesting_ != &payload || end_of_request_) return;
    end_of_request_ = true;
    request_end_ = sc_core::sc_time_stamp() + delay;
    process_.wake();
}

void memory_bridge::answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay,
                             bool owes_end) {
    request_ended(payload, delay);
    answers_.push_back({&payload, sc_core::sc_time_stamp() + delay, order_++, owes_end});
    process_.wake();
    if (payload.is_response_ok()) return;
    ++errors_;
    if (!warned_) {
        warned_ = true;
        SC_REPORT_WARNING("simtlm/memory",
                          fmt::format("{}: the memory answered {} to a {} of {} bytes at {:#x}; "
                                      "the GPU goes on, further errors are only counted",
                                      name(), payload.get_response_string(),
                                      payload.is_write() ? "write" : "read",
                                      payload.get_data_length(), payload.get_address())
                              .c_str());
    }
    if (on_error_) on_error_();
}

// In phase dram_channel.

void memory_bridge::cycle() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (requesting_ != nullptr && end_of_request_ && request_end_ < now) {
        tlm::tlm_generic_payload& original = *extension(*requesting_).parent;
        requesting_ = nullptr;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        port->nb_transport_bw(original, phase, delay);
        if (!waiting_.empty() && requesting_ == nullptr) {
            tlm::tlm_generic_payload& next = *waiting_.front();
            waiting_.pop_front();
            send(next);
        }
    }
    if (presented_ == nullptr) {
        auto first = answers_.end();
        for (auto a = answers_.begin(); a != answers_.end(); ++a)
            // The partition hears the end of a request before its answer.
            if (a->at < now && a->payload != requesting_ &&
                (first == answers_.end() || a->at < first->at ||
                 (a->at == first->at && a->order < first->order)))
                first = a;
        if (first != answers_.end()) {
            const answer chosen = *first;
            answers_.erase(first);
            hand_over(chosen);
        }
    }
    // Awake while something is due at the next edge, else until it is due or something comes.
    sc_core::sc_time next = sc_core::sc_max_time();
    if (requesting_ != nullptr && end_of_request_) next = request_end_;
    if (presented_ == nullptr)
        for (const answer& a : answers_) next = std::min(next, a.at);
    if (next <= now) return;
    process_.sleep();
    alarm_.cancel();
    if (next != sc_core::sc_max_time()) alarm_.notify(next - now);
}

void memory_bridge::hand_over(const answer& a) {
    tlm::tlm_generic_payload& original = *extension(*a.payload).parent;
    original.set_response_status(a.payload->get_response_status());
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    presented_ = a.payload;
    presented_owes_end_ = a.owes_end;
    if (port->nb_transport_bw(original, phase, delay) == tlm::TLM_COMPLETED) {
        presented_ = nullptr;
        finish(*a.payload, a.owes_end);
    }
}

void memory_bridge::finish(tlm::tlm_generic_payload& payload, bool owes_end) {
    --under_way_;
    if (owes_end) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        outside_->nb_transport_fw(payload, phase, delay);
    }
    // A memory that keeps the payload for longer has a reference of its own, and the enables stay
    // where they are until the payload is used again.
    payload.release();
}

}  // namespace simtlm::platform
