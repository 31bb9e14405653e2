// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/port_buffer.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/back_pressure_counter.h"
#include "modules/support/ring_buffer.h"

#include <array>
#include <systemc>

namespace simtlm::core {

/// The block of an SM that sent a request: the input port of the request (extension.source). `bulk`
/// exists only if the SM has an engine for bulk copies.
enum class memory_source : std::uint8_t { l1i, l1d, l1c, l1t, ldst, bulk };
inline constexpr unsigned max_memory_sources = 6;
inline constexpr unsigned memory_sources = 5;  ///< of an SM without bulk copies

/// The downstream port of SMs that act one after the other: each sees the room left by its
/// predecessors.
struct shared_outside {
    /// Whether it accepts another request now.
    virtual bool has_space() const = 0;

protected:
    ~shared_outside() = default;
};

/// The port of an SM to the memory system: the caches and the load/store unit send their requests
/// through it, in the order of the phases in which they act, and receive the responses.
///
/// Instruction cache fills are delivered immediately; all other responses wait in the response FIFO
/// (-gpgpu_n_ldst_response_buffer_size), from which the load/store unit delivers one per cycle.
class memory_port : public sc_core::sc_module, private protocol::port_buffer::client {
public:
    sc_core::sc_vector<protocol::target_socket<memory_port>> from;  ///< by memory_source
    protocol::port_buffer memory;

    /// Interface of the unit that receives the responses.
    struct client {
        virtual ~client() = default;
        /// A response has arrived: deliver() can be called.
        virtual void response_arrived() = 0;
    };

    /// @param sources  number of ports that are bound: the first ones of memory_source
    memory_port(const sc_core::sc_module_name& name, std::size_t response_entries,
                unsigned sources = memory_sources);
    const char* kind() const override { return "memory_port"; }

    void set_client(client& c) { client_ = &c; }
    /// Sets the counter of cycles in which a request of a source is stalled here by the downstream
    /// port.
    void set_back_pressure_counter(memory_source source,
                                   simulation::back_pressure_counter& counter) {
        back_pressure_[static_cast<unsigned>(source)] = &counter;
    }

    /// The downstream port lets the SMs inject one after the other, at the end of a core cycle: it
    /// does not answer earlier, so that a request sent in this cycle does not show whether there is
    /// room for another.
    void wait_for_injection_order(const simulation::phase_sequencer& sequencer) {
        injection_order_ = &sequencer;
    }

    /// Requests are refused (protocol::refused; retried in the next core cycle) while the
    /// downstream port has no room, and stay with their senders. Accepted requests are answered
    /// with END_REQ immediately.
    void share_outside(const shared_outside& outside) { outside_ = &outside; }

    /// Whether the downstream port currently accepts no request.
    bool blocked() const {
        if (outside_ != nullptr) return !outside_->has_space();
        return memory.blocked() && (injection_order_ == nullptr ||
                                    blocked_in_ != injection_order_->cycle(protocol::core_clock));
    }
    bool has_response() const { return !responses_.empty(); }
    /// Whether the oldest response is that of an uncached load. @pre has_response()
    bool response_is_uncached_read() const;
    /// Delivers the oldest response to the sender of its request. It stays at the head until the
    /// receiver has accepted it.
    void deliver();
    bool idle() const { return responses_.empty(); }
    std::size_t responses_queued() const { return responses_.size(); }
    /// Describes the waiting requests and responses, for a deadlock report; empty if there are
    /// none.
    std::string describe() const;

private:
    tlm::tlm_sync_enum request(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    bool send(tlm::tlm_generic_payload& p);
    void request_ended(tlm::tlm_generic_payload& p) override;
    bool accept_response(tlm::tlm_generic_payload& p) override;
    void head_taken();

    client* client_ = nullptr;
    const simulation::phase_sequencer* injection_order_ = nullptr;
    std::uint64_t blocked_in_ = 0;  // core cycle, with injection_order_
    const shared_outside* outside_ = nullptr;
    /// Requests that have not been sent, by source. Their END_REQ is withheld, as is that of the
    /// request that blocks `memory`.
    std::array<tlm::tlm_generic_payload*, max_memory_sources> held_{};
    std::array<simulation::back_pressure_counter*, max_memory_sources> back_pressure_{};
    support::ring_buffer<tlm::tlm_generic_payload*> responses_;
    bool head_announced_ = false;  // its receiver will send END_RESP
    bool head_is_part_ = false;
};

}  // namespace simtlm::core
