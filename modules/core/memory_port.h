// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/kernel/back_pressure_counter.h"
#include "modules/kernel/ring_buffer.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"

#include <array>
#include <systemc>
#include <vector>

namespace simtlm::core {

/// Who of the SM sent a request: the port it came in by (extension.source).
/// The last of them only where an SM has an engine for bulk copies.
enum class memory_source : std::uint8_t { l1i, l1d, l1c, l1t, ldst, bulk };
inline constexpr unsigned most_memory_sources = 6;
inline constexpr unsigned memory_sources = 5;  ///< of an SM without

/// What is behind the ports of SMs that act one after the other: each sees what those before it
/// have left.
struct shared_outside {
    /// Whether it takes another request now.
    virtual bool has_room() const = 0;

protected:
    ~shared_outside() = default;
};

/// The port of an SM to the memory system: the caches and the load/store unit send their requests
/// through it in the order of the phases in which they act, and responses come back by it.
///
/// Instruction cache fills are handed on at once; everything else waits in the response FIFO
/// (-gpgpu_n_ldst_response_buffer_size) from which the load/store unit lets one pass per cycle.
class memory_port : public sc_core::sc_module {
public:
    sc_core::sc_vector<protocol::target_socket<memory_port>> from;  ///< by memory_source
    protocol::initiator_socket<memory_port> memory;

    struct client {
        virtual ~client() = default;
        /// A response has come in: deliver() has something to do.
        virtual void response_arrived() = 0;
    };

    /// @param sources  that are bound: the first so many of memory_source
    memory_port(const sc_core::sc_module_name& name, std::size_t response_entries, bool perfect,
                unsigned sources = memory_sources);

    void set_client(client& c) { client_ = &c; }
    /// Where the cycles are counted in which a request of a source waits here for the outside.
    void set_back_pressure_counter(memory_source source, kernel::back_pressure_counter& counter) {
        back_pressure_[static_cast<unsigned>(source)] = &counter;
    }

    /// The outside lets the SMs inject in turn, at the end of a core cycle: it answers no earlier,
    /// and a request of this cycle does not mean that there is no room for another.
    void wait_for_injection_order(const kernel::phase_sequencer& sequencer) {
        injection_order_ = &sequencer;
    }

    /// Requests are refused (protocol::refused, ask again in the next core cycle) while the outside
    /// has no room, and stay where they are. What it takes it answers with END_REQ at once.
    void share_outside(const shared_outside& outside) { outside_ = &outside; }

    /// The outside takes no more at the moment.
    bool blocked() const {
        if (outside_ != nullptr) return !outside_->has_room();
        return blocked_ && (injection_order_ == nullptr ||
                            blocked_in_ != injection_order_->cycle(protocol::core_clock));
    }
    bool has_response() const { return !responses_.empty(); }
    /// The oldest response is that of an uncached load. @pre has_response()
    bool response_is_uncached_read() const;
    /// Hands the oldest response to whoever sent the request. It stays at the head until its
    /// receiver has taken it.
    void deliver();
    bool idle() const { return responses_.empty(); }
    std::size_t responses_queued() const { return responses_.size(); }
    /// What waits in it, for a deadlock report; empty if nothing does.
    std::string describe() const;

private:
    static constexpr std::size_t overflow = 512;  // responses that come without being asked for

    tlm::tlm_sync_enum request(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    tlm::tlm_sync_enum respond(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    bool send(unsigned source, tlm::tlm_generic_payload& p);
    void unblocked();
    void arrived(tlm::tlm_generic_payload& p);
    void head_taken();
    bool hand_over(tlm::tlm_generic_payload& p);

    /// What a foreign target annotates with a time happens then.
    enum class message : std::uint8_t { request_ended, response, completed };
    struct delayed_phase {
        tlm::tlm_generic_payload* payload;
        message what;
        sc_core::sc_time at;
    };
    void postpone(tlm::tlm_generic_payload& p, message what, const sc_core::sc_time& delay);
    void act_on_delayed();
    tlm::tlm_sync_enum take_response(tlm::tlm_generic_payload& p);

    client* client_ = nullptr;
    bool perfect_;
    bool blocked_ = false;
    const kernel::phase_sequencer* injection_order_ = nullptr;
    std::uint64_t blocked_in_ = 0;  // core cycle, with injection_order_
    const shared_outside* outside_ = nullptr;
    int blocked_source_ = -1;  // whose END_REQ is withheld
    tlm::tlm_generic_payload* blocked_request_ = nullptr;
    std::array<tlm::tlm_generic_payload*, most_memory_sources> held_{};
    std::array<kernel::back_pressure_counter*, most_memory_sources> back_pressure_{};
    std::size_t response_entries_;
    kernel::ring_buffer<tlm::tlm_generic_payload*> responses_;
    bool head_announced_ = false;  // its receiver will send END_RESP
    bool head_is_part_ = false;
    tlm::tlm_generic_payload* waiting_ = nullptr;  // did not fit: END_RESP withheld
    std::vector<delayed_phase> delayed_;
    sc_core::sc_event delayed_event_;
};

}  // namespace simtlm::core
