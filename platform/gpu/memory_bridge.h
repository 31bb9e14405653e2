// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/memory_channel.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/target_port.h"
#include "modules/simulation/clocked_process.h"
#include "platform/gpu/blocking_requester.h"
#include "platform/gpu/external_memory.h"
#include "platform/gpu/gpu_sockets.h"
#include "platform/gpu/payload_data.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Bridge from a GPU channel to an external memory, used if the `memory` socket of the channel is
/// bound.
///
/// Inside, it is the target of a memory partition, with a buffer of a few requests. Outside, it is
/// a base protocol initiator for any target: one that responds immediately, with an annotated delay
/// or in four phases, late, out of order or with END_REQ withheld; or, if loosely timed, it calls
/// b_transport. A request is sent when the previous one has ended, at any time. A response is ended
/// on arrival, by a call of its own because not every target handles an end indicated by the return
/// value, and is kept in the bridge. External targets receive payloads owned by the bridge, with
/// the address that external_memory selects and, as an ignorable extension, a copy of the GPU's.
///
/// A response received at time t is seen by the GPU in phase dram_channel of the first DRAM clock
/// edge after t, at most one response per edge, so results do not depend on the process order at an
/// edge. User code runs in the bridge's method processes or in threads of its own.
class memory_bridge : public memory::memory_channel {
public:
    using external_socket = external_memory_socket;

    /// Capacity for requests that the memory has not ended. The first one is being sent to the
    /// memory.
    static constexpr std::size_t request_places = 4;

    protocol::target_port<memory_bridge, 2> port;

    /// @param parts     parameters of the channel from the GPU configuration
    /// @param external  socket of the GPU that users bind
    memory_bridge(const sc_core::sc_module_name& name, const memory::memory_channel_parts& parts,
                  external_socket& external, const external_memory& how);
    const char* kind() const override { return "memory_bridge"; }

    socket& target() override { return port; }
    /// Cycles, requests and traffic per bank; internal counters of an external controller are not
    /// available.
    const memory::dram_statistics& statistics() override;
    const memory::dram_statistics& counted() const override { return statistics_; }
    std::uint64_t requests_inside() const override { return under_way_; }
    std::size_t replies_queued() const override { return answers_.size(); }

    /// Sets the source of device memory contents for memory_data::values.
    void set_contents(payload_data::contents c) { data_.set_contents(std::move(c)); }

    /// Sets a callback for error responses, called from the process that delivers the response.
    void set_error_listener(std::function<void()> listener) { on_error_ = std::move(listener); }
    /// Number of responses other than TLM_OK_RESPONSE.
    std::uint64_t errors() const { return errors_; }

private:
    struct answer {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
        std::uint64_t order;
        /// Orders a priority queue by time, then by arrival: true if `o` comes first.
        bool operator<(const answer& o) const {
            return at > o.at || (at == o.at && order > o.order);
        }
    };

    // partition side
    tlm::tlm_sync_enum from_partition(int, tlm::tlm_generic_payload& original,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_generic_payload& copy(tlm::tlm_generic_payload& original);
    void count(const tlm::tlm_generic_payload& payload);
    void cycle();
    bool has_space();
    bool withholds_requests() const {
        return port.withheld(0) != nullptr || port.withheld(1) != nullptr;
    }
    void respond(tlm::tlm_generic_payload& payload);
    void sleep_until(const sc_core::sc_time& next);

    // memory side
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

    simulation::phase_sequencer& sequencer_;
    const memory::address_mapping& mapping_;
    external_socket& external_;
    const external_memory how_;
    const memory::dram_config& config_;
    protocol::transaction_pool pool_;
    simulation::clocked_process process_;
    sc_core::sc_event timer_;       // notified when the next response or request end is due
    sc_core::sc_event send_event_;  // notified when a request may be sent
    std::unique_ptr<blocking_requester> blocking_;  // used if loosely timed
    bool loosely_timed_ = false;
    /// Request that was sent by nb_transport before the memory turned out to be loosely timed,
    /// until its response has been delivered.
    const tlm::tlm_generic_payload* converted_ = nullptr;

    // Requests stay in the buffer until the edge after their end.
    std::deque<tlm::tlm_generic_payload*> to_send_;
    tlm::tlm_generic_payload* requesting_ = nullptr;  // sent, not yet ended
    sc_core::sc_time request_free_;      // end time of the previous request, possibly in the future
    std::deque<sc_core::sc_time> ends_;  // end times not yet seen by the GPU
    std::size_t buffered_ = 0;

    struct withheld_end {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
    };
    std::deque<withheld_end> withheld_ends_;  // END_RESP pending to the memory
    sc_core::sc_event end_event_;

    std::priority_queue<answer> answers_;
    std::uint64_t order_ = 0;
    std::uint64_t under_way_ = 0;

    memory::dram_statistics statistics_;
    std::uint64_t errors_ = 0;
    std::function<void()> on_error_;
    payload_data data_;
};

}  // namespace simtlm::platform
