// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

namespace platform_example {

/// Counters of a memory in the examples.
struct memory_counters {
    std::uint64_t reads = 0, writes = 0;
    unsigned inside = 0, max_in_flight = 0;
    std::uint64_t ended_in_return = 0;  // responses ended by a return value instead of END_RESP
    void arrived(const tlm::tlm_generic_payload& p) {
        ++(p.is_write() ? writes : reads);
        max_in_flight = std::max(max_in_flight, ++inside);
    }
};

/// An ideal approximately timed memory: it accepts a request per beat, answers everything after a
/// fixed latency, and takes a beat per answer. Four phases, in order, without back-pressure.
template <unsigned BusWidth>
class ideal_memory_of_width : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ideal_memory_of_width, BusWidth> socket;
    memory_counters counted;
    std::function<void(const tlm::tlm_generic_payload&)> on_request;  ///< optional callback

    /// @param beat  time that a request or an answer occupies the socket
    ideal_memory_of_width(const sc_core::sc_module_name& name, const sc_core::sc_time& latency,
                          const sc_core::sc_time& beat)
        : sc_module(name), socket("socket"), latency_(latency), beat_(beat) {
        socket.register_nb_transport_fw(this, &ideal_memory_of_width::nb_transport_fw);
        spawn("accept", accept_, [this] { accept(); });
        spawn("answer", answer_, [this] { answer(); });
    }
    bool idle() const { return counted.inside == 0; }

private:
    static void spawn(const char* name, const sc_core::sc_event& on, std::function<void()> action) {
        sc_core::sc_spawn_options on_event;
        on_event.spawn_method();
        on_event.set_sensitivity(&on);
        on_event.dont_initialize();
        sc_core::sc_spawn(std::move(action), name, &on_event);
    }

    struct entry {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time ready;
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            responding_ = nullptr;
            answer_.notify(beat_);
            p.release();
            return tlm::TLM_COMPLETED;
        }
        if (requesting_ != nullptr) SC_REPORT_ERROR("ideal_memory", "two requests at a time");
        counted.arrived(p);
        if (on_request) on_request(p);
        p.acquire();
        requesting_ = &p;
        accept_.notify(beat_);
        return tlm::TLM_ACCEPTED;
    }
    void accept() {
        tlm::tlm_generic_payload& p = *requesting_;
        requesting_ = nullptr;
        inside_.push_back({&p, sc_core::sc_time_stamp() + latency_});
        if (inside_.size() == 1 && responding_ == nullptr) answer_.notify(latency_);
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        socket->nb_transport_bw(p, phase, delay);
    }
    void answer() {
        if (inside_.empty() || responding_ != nullptr) return;
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        if (inside_.front().ready > now) return answer_.notify(inside_.front().ready - now);
        tlm::tlm_generic_payload& p = *inside_.front().payload;
        inside_.pop_front();
        --counted.inside;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        responding_ = &p;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum said = socket->nb_transport_bw(p, phase, delay);
        if (said == tlm::TLM_ACCEPTED) return;
        ++counted.ended_in_return;
        responding_ = nullptr;
        p.release();
        if (!inside_.empty()) answer_.notify(beat_);
    }

    const sc_core::sc_time latency_, beat_;
    tlm::tlm_generic_payload* requesting_ = nullptr;  // BEGIN_REQ without END_REQ
    tlm::tlm_generic_payload* responding_ = nullptr;  // BEGIN_RESP without END_RESP
    std::deque<entry> inside_;
    sc_core::sc_event accept_, answer_;
};

using ideal_memory = ideal_memory_of_width<32>;

/// A memory that implements only b_transport, and annotates its latency or waits for it.
class blocking_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<blocking_memory> socket;
    memory_counters counted;
    bool waits = false;
    std::function<sc_core::sc_time(const tlm::tlm_generic_payload&)> latency;
    std::function<void(const tlm::tlm_generic_payload&)> on_request;  ///< optional callback

    blocking_memory(const sc_core::sc_module_name& name, const sc_core::sc_time& always)
        : sc_module(name), socket("socket") {
        latency = [always](const auto&) { return always; };
        socket.register_b_transport(this, &blocking_memory::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        counted.arrived(p);
        if (on_request) on_request(p);
        if (waits)
            sc_core::wait(latency(p));
        else
            delay += latency(p);
        --counted.inside;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

}  // namespace platform_example
