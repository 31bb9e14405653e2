// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_process.h"
#include "modules/memory/memory_channel.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace simtlm::platform {

/// What the writes of a GPU do to a foreign memory. The GPU follows traces, which hold addresses
/// but no values: it has nothing to write.
enum class memory_data : std::uint8_t {
    masked,   ///< all byte enables off: the memory takes its time and keeps its contents
    pattern,  ///< bytes the GPU writes become the low byte of their address; others stay
    zeros     ///< no byte enables, data of zeros: for a memory that refuses byte enables
};

/// The way out of a GPU to a foreign memory, for a channel whose pins are bound.
///
/// Inside it is the target of a memory partition. Outside it is an initiator of the base protocol
/// that any target may serve: one that answers at once, at an annotated time or in four phases,
/// late, out of order, or with END_REQ withheld. Foreign targets see payloads of the bridge's own,
/// with the global device address and, as an ignorable extension, a copy of the GPU's. They act at
/// any time; what they answer at a time t reaches the GPU in phase dram_channel of the first DRAM
/// clock edge after t, so that no result depends on the order of processes at an edge.
class memory_bridge : public memory::memory_channel {
public:
    using outside_socket = tlm_utils::simple_initiator_socket_tagged_optional<memory_bridge, 32>;

    protocol::target_socket<memory_bridge> port;

    /// @param config   the channel's as the GPU's options describe it: banks and bytes of an access
    ///                 in the statistics
    /// @param outside  socket of the GPU that users bind
    memory_bridge(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                  const memory::dram_config& config, outside_socket& outside);

    socket& target() override { return port; }
    /// Cycles, requests and traffic by bank; what a controller does inside is its own.
    const memory::dram_statistics& statistics() override;
    const memory::dram_statistics& counted() const override { return statistics_; }
    std::uint64_t requests_inside() const override { return under_way_; }
    std::size_t replies_queued() const override { return answers_.size(); }

    void set_data(memory_data data) { data_ = data; }
    /// Called when the memory answers with an error, from the process that answers.
    void set_error_listener(std::function<void()> listener) { on_error_ = std::move(listener); }

    /// Responses that were not TLM_OK_RESPONSE.
    std::uint64_t errors() const { return errors_; }

private:
    struct answer {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
        std::uint64_t order;
        bool owes_end;  // END_RESP to the memory
    };

    tlm::tlm_sync_enum from_partition(int, tlm::tlm_generic_payload& original,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum from_memory(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
    tlm::tlm_generic_payload& copy(tlm::tlm_generic_payload& original);
    void count(const tlm::tlm_generic_payload& payload);
    void prepare_write(tlm::tlm_generic_payload& payload);
    void send(tlm::tlm_generic_payload& payload);
    void request_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay, bool owes_end);
    void hand_over(const answer& a);
    void finish(tlm::tlm_generic_payload& payload, bool owes_end);
    void cycle();
    void wake_process() { process_.wake(); }

    kernel::phase_sequencer& sequencer_;
    outside_socket& outside_;
    unsigned atom_bytes_;
    memory::dram_statistics statistics_;
    protocol::transaction_pool pool_;
    kernel::clocked_process process_;
    sc_core::sc_event alarm_;
    memory_data data_ = memory_data::masked;
    std::function<void()> on_error_;
    bool warned_ = false;

    std::deque<tlm::tlm_generic_payload*> waiting_;  // for the one before to end
    tlm::tlm_generic_payload* requesting_ = nullptr;
    bool end_of_request_ = false;  // END_REQ has come, or will at request_end_
    sc_core::sc_time request_end_;
    std::vector<answer> answers_;
    std::uint64_t order_ = 0;
    tlm::tlm_generic_payload* presented_ = nullptr;  // BEGIN_RESP inside, no END_RESP yet
    bool presented_owes_end_ = false;
    std::uint64_t under_way_ = 0;
    std::uint64_t errors_ = 0;
    std::array<unsigned char, 128> disabled_{};
    /// By payload: what the bytes of a pattern write are enabled with.
    std::unordered_map<tlm::tlm_generic_payload*, std::array<unsigned char, 128>> enables_;
};

}  // namespace simtlm::platform
