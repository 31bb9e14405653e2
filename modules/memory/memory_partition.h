// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/growing_ring.h"
#include "modules/memory/memory_sub_partition.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"

#include <array>
#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::memory {

/// Observes the requests to a channel, for a profile. Must not change them.
struct channel_observer {
    virtual ~channel_observer() = default;
    /// Called when a request of a sub-partition has been selected for the channel.
    virtual void request_sent(const tlm::tlm_generic_payload& request) = 0;
};

/// A memory partition: L2 sub-partitions that share one DRAM channel.
///
/// Arbitrates the channel among the sub-partitions, round-robin with credits (each has one private
/// credit, the others are shared), delays requests by the fixed latency between L2 and controller,
/// and returns responses to the sub-partition of the request.
///
/// `memory` is a base-protocol initiator: bind it to a dram_channel, or to any TLM-2.0 target. It
/// supports annotated delays on the backward path and on returns, responses out of order, early
/// completion, and END_REQ withheld for any time. With config.dram.separate_write_queue, the
/// exclusion rule applies to reads and writes separately, as dram_channel requires.
class memory_partition : public simulation::clocked_module {
public:
    /// Clocks of the sub-partitions. `clk` is the DRAM command clock, by which the partition
    /// arbitrates.
    sc_core::sc_in<bool> l2_clk, icnt_clk, core_clk;
    protocol::initiator_socket<memory_partition> memory;

    /// @param number  of the partition, i.e. of its channel
    memory_partition(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const partition_config& config, const address_mapping& mapping,
                     protocol::transaction_pool& pool, memory_statistics& shared, unsigned number);
    const char* kind() const override { return "memory_partition"; }

    unsigned sub_partitions() const { return static_cast<unsigned>(sub_partitions_.size()); }
    memory_sub_partition& sub_partition(unsigned local) { return *sub_partitions_[local]; }
    const memory_sub_partition& sub_partition(unsigned local) const {
        return *sub_partitions_[local];
    }

    /// Sets the observer of the DRAM channel.
    void observe(channel_observer& o) {
        observer_ = &o;
        sequencer_.stay_on_one_thread(protocol::phase::dram_arbitrate);  // the observer may be
                                                                         // shared by several
                                                                         // partitions
    }

    /// The process group that must be open while the partition's channel is constructed.
    simulation::process_group& channel_group() { return dram_group_; }

    /// Whether no request is in the partition or in its channel.
    bool idle() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    /// @param with_lines  of the L2; otherwise its slices receive them by
    ///                    memory_sub_partition::insert()
    void checkpoint(support::archive& a, bool with_lines = true);
    /// Describes the requests that wait in it and in its sub-partitions, for a deadlock report;
    /// empty if idle.
    std::string describe();
    /// Number of requests delayed by the latency between L2 and controller; in_channel() is the
    /// number of those in the channel.
    std::size_t requests_delayed() const { return latency_.size(); }
    std::uint64_t in_channel() const { return in_channel_; }

private:
    static constexpr unsigned no_limit = ~0u;
    struct delayed {
        tlm::tlm_generic_payload* payload = nullptr;
        std::uint64_t ready = 0;  // core cycle
    };
    struct response {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
        std::uint64_t order;
        bool withholds_end;  // END_RESP is required
    };

    void checkpoint_arbiter(support::archive& a);
    tlm::tlm_sync_enum nb_transport_bw(int, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void return_cycle();
    void return_simple();
    bool deliver(tlm::tlm_generic_payload& payload);
    void arbitrate_cycle();
    void arbitrate();
    void send(tlm::tlm_generic_payload& payload);
    void accept(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay,
                bool withholds_end);
    void consume(tlm::tlm_generic_payload& payload);
    void end_of_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);

    bool channel_full(const tlm::tlm_generic_payload& next) const;
    bool has_credit(unsigned local) const {
        return private_credit_[local] < 1 || shared_credit_ < shared_limit_;
    }
    void take_shared_credit(unsigned local);
    void return_credit(unsigned local);
    unsigned local_of(const tlm::tlm_generic_payload& payload) const;

    simulation::phase_sequencer& sequencer_;
    const partition_config config_;
    // One process runs all three groups, which are open while the blocks are constructed.
    simulation::process_group reply_group_;
    simulation::process_group dram_group_;
    simulation::process_group l2_group_;
    simulation::clocked_process return_process_;
    simulation::clocked_process arbitrate_process_;
    core_timer latency_timer_;
    std::vector<std::unique_ptr<memory_sub_partition>> sub_partitions_;
    unsigned first_;  // global number of the first sub-partition

    growing_ring<delayed> latency_;
    std::vector<response> responses_;  // few: the built-in channel returns one at a time
    std::uint64_t response_order_ = 0;
    std::array<tlm::tlm_generic_payload*, 2> unanswered_{};  // BEGIN_REQ without END_REQ
    sc_core::sc_time next_request_;                          // annotated time of END_REQ
    std::uint64_t in_channel_ = 0;
    channel_observer* observer_ = nullptr;

    std::vector<unsigned> private_credit_;
    unsigned shared_credit_ = 0;
    unsigned shared_limit_;
    unsigned last_borrower_;
};

}  // namespace simtlm::memory
