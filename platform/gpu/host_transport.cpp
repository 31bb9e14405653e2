// SPDX-License-Identifier: Apache-2.0
// Target port of host_interface: blocking, debug, DMI and non-blocking access, and the aperture.
#include "modules/protocol/sockets.h"
#include "platform/gpu/host_interface.h"
#include "platform/gpu/memory_aperture.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace simtlm::platform {

namespace {

constexpr std::uint32_t bus_bytes = 4;  // width of the port
/// Bytes of device memory transferred through the port per core cycle.
constexpr unsigned beat_bytes = 32;

}  // namespace

// ---- blocking, debug and direct access ----

void host_interface::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    p.set_dmi_allowed(false);
    if (memory_aperture::holds(p)) return access_memory(p, delay);
    const tlm::tlm_response_status verdict = check(p);
    if (verdict != tlm::TLM_OK_RESPONSE) {
        p.set_response_status(verdict);
    } else {
        if (delay != sc_core::SC_ZERO_TIME && needs_present_time(p)) {
            sc_core::wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        access(p, sc_core::sc_time_stamp() + delay);
    }
    delay += how_.latency;
}

unsigned host_interface::transport_dbg(tlm::tlm_generic_payload& p) {
    if (memory_aperture::holds(p)) return aperture_->debug_access(p);
    if (!p.is_read() || p.get_address() >= host::map_bytes) return 0;
    const auto first = static_cast<std::uint32_t>(p.get_address());
    const unsigned count = std::min(p.get_data_length(), host::map_bytes - first);
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t offset = first + i;
        const std::uint32_t value = peek(offset / bus_bytes * bus_bytes);
        std::array<unsigned char, bus_bytes> bytes{};
        std::memcpy(bytes.data(), &value, bus_bytes);
        p.get_data_ptr()[i] = bytes[offset % bus_bytes];
    }
    return count;
}

bool host_interface::get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (memory_aperture::holds(p)) return aperture_->grant(p, dmi, how_.latency);
    // Registers have side effects, so DMI is denied for reads and writes.
    dmi.set_start_address(0);
    dmi.set_end_address(host::aperture - 1);
    return false;
}

// ---- device memory ----

/// Returns whether nothing is executing that could access device memory, now or earlier in this
/// time step.
bool host_interface::memory_rests() const {
    if (device_.stopped()) return true;
    return commands_.empty() && (resting_since_ < sc_core::sc_time_stamp() || tickets_ == 0);
}

void host_interface::access_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (memory_rests()) {
        aperture_->access(p);
    } else {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        memory_access a{&p, sc_core::sc_time_stamp()};
        accesses_.push_back(&a);
        process_.wake();
        if (device_.stopped()) serve_accesses(sc_core::sc_max_time());
        while (!a.done) sc_core::wait(access_done_);
    }
    p.set_dmi_allowed(p.is_response_ok());
    delay += time_of(p);
}

/// Serves the accesses that arrived before a time. Called in phase core_dispatch_ctas, or when the
/// GPU has stopped.
void host_interface::serve_accesses(const sc_core::sc_time& before) {
    while (!accesses_.empty() && accesses_.front()->at < before) {
        memory_access& a = *accesses_.front();
        accesses_.pop_front();
        aperture_->access(*a.payload);
        a.done = true;
        access_done_.notify(sc_core::SC_ZERO_TIME);
        if (&a == &front_access_) serve_event_.notify(sc_core::SC_ZERO_TIME);
    }
}

/// Time from request to response.
sc_core::sc_time host_interface::time_of(const tlm::tlm_generic_payload& p) const {
    if (!memory_aperture::holds(p) || p.get_data_length() <= beat_bytes) return how_.latency;
    return how_.latency + (p.get_data_length() - 1) / beat_bytes * how_.cycle;
}

// ---- non-blocking access ----

tlm::tlm_sync_enum host_interface::nb_transport_fw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        p.set_dmi_allowed(false);
        if (!p.has_mm()) {
            SC_REPORT_ERROR("simtlm/host", "nb_transport_fw without a memory manager");
            p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        p.acquire();
        requests_.push_back({&p, sc_core::sc_time_stamp() + delay, false, {}});
        serve_event_.notify(delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_RESP && responding_ == &p) {
        responding_ = nullptr;
        response_free_ = sc_core::sc_time_stamp() + delay;
        p.release();
        serve_event_.notify(delay);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_RESP || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
        SC_REPORT_ERROR("simtlm/host", "phase out of order on the forward path");
    return tlm::TLM_ACCEPTED;
}

void host_interface::serve() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time next = accept_requests(now);
    while (responding_ == nullptr && !requests_.empty() && requests_.front().accepted) {
        const sc_core::sc_time at = std::max(requests_.front().ready, response_free_);
        if (at > now) {
            next = std::min(next, at);
            break;
        }
        if (!execute_front(now)) break;
        tlm::tlm_generic_payload& p = *requests_.front().payload;
        requests_.pop_front();
        respond(p, now);
    }
    if (next != sc_core::sc_max_time()) serve_event_.notify(next - now);
}

/// Accepts requests in order while the queue has room. The initiator may send its next request
/// during the call.
/// @return arrival time of the next request, or sc_max_time()
sc_core::sc_time host_interface::accept_requests(const sc_core::sc_time& now) {
    for (std::size_t i = 0; i < requests_.size() && i < how_.request_depth; ++i) {
        if (requests_[i].accepted) continue;
        if (requests_[i].at > now) return requests_[i].at;
        requests_[i].accepted = true;
        requests_[i].ready = now + time_of(*requests_[i].payload);
        protocol::end_request(port_, *requests_[i].payload);
    }
    return sc_core::sc_max_time();
}

/// @return false if the first request waits for a clock edge; serve_event_ is notified later
bool host_interface::execute_front(const sc_core::sc_time& now) {
    tlm::tlm_generic_payload& p = *requests_.front().payload;
    if (memory_aperture::holds(p)) {
        const bool waits = front_access_.payload == &p;
        if (waits && !front_access_.done) return false;
        if (!waits && !memory_rests()) {
            front_access_ = {&p, now};
            accesses_.push_back(&front_access_);
            process_.wake();
            return false;
        }
        if (!waits) aperture_->access(p);
        front_access_ = {};
        p.set_dmi_allowed(p.is_response_ok());
        return true;
    }
    const tlm::tlm_response_status verdict = check(p);
    if (verdict == tlm::TLM_OK_RESPONSE)
        access(p, now);
    else
        p.set_response_status(verdict);
    return true;
}

void host_interface::respond(tlm::tlm_generic_payload& p, const sc_core::sc_time& now) {
    responding_ = &p;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = port_->nb_transport_bw(p, phase, delay);
    if (responding_ == &p &&
        (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP))) {
        responding_ = nullptr;
        response_free_ = now + delay;
        p.release();
    }
    // The queue has room for another request.
    serve_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace simtlm::platform
