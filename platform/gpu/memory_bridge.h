// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_process.h"
#include "modules/memory/memory_channel.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "platform/gpu/blocking_requester.h"
#include "platform/gpu/external_memory.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <systemc>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// The way out of a GPU to an external memory, for a channel whose pins are bound.
///
/// Inside it is the target of a memory partition, with a buffer of a few requests. Outside it is an
/// initiator of the base protocol that any target may serve: one that answers at once, at an
/// annotated time or in four phases, late, out of order, or with END_REQ withheld; or, loosely
/// timed, the caller of its b_transport. A request goes out when the one before has ended, at any
/// time; a response is ended when it has come, by a call of its own because not every target knows
/// the ends that a return value can tell, and kept here. Foreign targets see payloads of the
/// bridge's own, with the address that external_memory asks for and, as an ignorable extension, a
/// copy of the GPU's.
///
/// What the memory says at a time t is seen by the GPU in phase dram_channel of the first DRAM
/// clock edge after t, one response an edge, so that no result depends on the order of processes at
/// an edge. Foreign code runs in the bridge's method process or in threads of their own.
class memory_bridge : public memory::memory_channel {
public:
    using external_socket = tlm_utils::simple_initiator_socket_tagged_optional<memory_bridge, 32>;

    /// Requests that it holds for a memory that has not ended them. The first is at the memory.
    static constexpr std::size_t request_places = 4;

    protocol::target_socket<memory_bridge> port;

    /// @param parts    of the channel as the GPU's options describe it
    /// @param outside  socket of the GPU that users bind
    memory_bridge(const sc_core::sc_module_name& name, const memory::memory_channel_parts& parts,
                  external_socket& external, const external_memory& how);

    socket& target() override { return port; }
    /// Cycles, requests and traffic by bank; what a controller does inside is its own.
    const memory::dram_statistics& statistics() override;
    const memory::dram_statistics& counted() const override { return statistics_; }
    std::uint64_t requests_inside() const override { return under_way_; }
    std::size_t replies_queued() const override { return answers_.size(); }

    /// Contents of device memory, for memory_data::values. @return false: there are none
    using contents = std::function<bool(std::uint64_t address, unsigned bytes, unsigned char* to)>;
    void set_contents(contents c) { contents_ = std::move(c); }

    /// Called when the memory answers with an error, from the process that answers.
    void set_error_listener(std::function<void()> listener) { on_error_ = std::move(listener); }
    /// Responses that were not TLM_OK_RESPONSE.
    std::uint64_t errors() const { return errors_; }

private:
    struct answer {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
        std::uint64_t order;
        /// Whether another one comes first.
        bool operator<(const answer& o) const {
            return at > o.at || (at == o.at && order > o.order);
        }
    };

    // the partition's side
    tlm::tlm_sync_enum from_partition(int, tlm::tlm_generic_payload& original,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_generic_payload& copy(tlm::tlm_generic_payload& original);
    void count(const tlm::tlm_generic_payload& payload);
    void prepare(tlm::tlm_generic_payload& payload, std::uint64_t device_address);
    void enable_written(tlm::tlm_generic_payload& payload, unsigned char* enables);
    void cycle();
    bool has_room();
    void end_withheld_requests();
    void hand_over(tlm::tlm_generic_payload& payload);
    void sleep_until(const sc_core::sc_time& next);

    // the memory's side
    tlm::tlm_sync_enum from_memory(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
    void send();
    void send(tlm::tlm_generic_payload& payload);
    void request_ended(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void end_responses();
    static bool is_conversion_thread();
    void become_loosely_timed(tlm::tlm_generic_payload& first);
    void report_error(const tlm::tlm_generic_payload& payload);
    void wake_process() { process_.wake(); }

    kernel::phase_sequencer& sequencer_;
    const memory::address_mapping& mapping_;
    external_socket& external_;
    const external_memory how_;
    unsigned channel_;
    unsigned atom_bytes_;
    protocol::transaction_pool pool_;
    kernel::clocked_process process_;
    sc_core::sc_event alarm_;                       // an answer's time has come
    sc_core::sc_event send_event_;                  // a request may go
    std::unique_ptr<blocking_requester> blocking_;  // where loosely timed
    bool loosely_timed_ = false;
    /// What a memory without nb_transport was sent before that was known, until it is answered.
    const tlm::tlm_generic_payload* converted_ = nullptr;

    // Requests: in the buffer until the edge after their end.
    std::deque<tlm::tlm_generic_payload*> to_send_;
    tlm::tlm_generic_payload* requesting_ = nullptr;  // at the memory, not ended
    sc_core::sc_time request_free_;                   // the one before has ended, maybe annotated
    std::deque<sc_core::sc_time> ends_;               // not yet seen by the GPU
    std::size_t buffered_ = 0;
    std::vector<tlm::tlm_generic_payload*> withheld_;  // END_REQ owed to the partition

    struct owed_end {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
    };
    std::deque<owed_end> owed_ends_;  // of responses, to the memory
    sc_core::sc_event end_event_;

    std::priority_queue<answer> answers_;
    std::uint64_t order_ = 0;
    bool presented_ = false;  // BEGIN_RESP inside, no END_RESP yet
    std::uint64_t under_way_ = 0;

    memory::dram_statistics statistics_;
    std::uint64_t errors_ = 0;
    bool warned_ = false;
    std::function<void()> on_error_;
    contents contents_;
    std::array<unsigned char, 128> disabled_{}, zeros_{};
    std::array<unsigned char, 128> ignored_{};  // what reads give
    /// Of a payload whose contents count: its data, and what writes enable.
    struct buffer {
        std::array<unsigned char, 128> data, enables;
    };
    std::unordered_map<tlm::tlm_generic_payload*, buffer> buffers_;
};

}  // namespace simtlm::platform
