// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/data_cache.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/core_timer.h"
#include "modules/memory/entry_delay.h"
#include "modules/memory/far_copies.h"
#include "modules/memory/host_copy.h"
#include "modules/memory/l2_slice.h"
#include "modules/memory/memory_config.h"
#include "modules/memory/memory_statistics.h"
#include "modules/protocol/target_port.h"
#include "modules/simulation/clock_crossing_fifo.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/counter_table.h"

#include <array>
#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::memory {

/// A memory sub-partition: a slice of the L2 cache with its queues, between the network and the
/// DRAM channel that it shares with other sub-partitions.
///
///     network → (ROP delay) → icnt→L2 → L2 cache ⇄ to_memory / from_memory ⇄ partition
///     network ←                L2→icnt ←
///
/// Atomics may have a longer delay, as may requests that cross from the other half of the GPU if
/// the L2 consists of two partitions (far_copies.h).
///
/// `port` is a target of the base protocol (protocol/sockets.h): a request is presented with
/// BEGIN_REQ and accepted, at most one per L2 cycle, with END_REQ in phase l2_slice. Replies are
/// sent with BEGIN_RESP in phase reply_inject, at most one per network cycle and only after
/// END_RESP of the previous one. A request for more than one sector of a sectored cache is split on
/// entry; its parts are replied to individually (extension.parent is the request), and the
/// reference of a part passes to the receiver. A request without the GPU's extension is split and
/// reassembled: its initiator sees one request and one response.
class memory_sub_partition : public simulation::clocked_module, public copy_target {
public:
    /// The network clock, for replies, and the core clock, in whose cycles the ROP latency is
    /// specified. `clk` is the L2 clock.
    sc_core::sc_in<bool> icnt_clk, core_clk;
    protocol::target_port<memory_sub_partition> port;

    /// Queues to and from the DRAM channel; the partition reads the former and writes the latter.
    simulation::clock_crossing_fifo<tlm::tlm_generic_payload*> to_memory;
    simulation::clock_crossing_fifo<tlm::tlm_generic_payload*> from_memory;

    /// @param number  of the sub-partition in the GPU
    memory_sub_partition(const sc_core::sc_module_name& name,
                         simulation::phase_sequencer& sequencer, const partition_config& config,
                         const address_mapping& mapping, protocol::transaction_pool& pool,
                         memory_statistics& shared, unsigned number);
    const char* kind() const override { return "memory_sub_partition"; }

    /// Counters of the sub-partition.
    struct counters {
        std::uint64_t requests = 0;       ///< accepted from the network
        std::uint64_t replies = 0;        ///< sent into the network
        std::uint64_t stalled_full = 0;   ///< L2 cycles without room for a request
                                          ///< (gpu_stall_dramfull)
        std::uint64_t stalled_reply = 0;  ///< network cycles in which a reply waits
                                          ///< (gpu_stall_icnt2sh)
        std::uint64_t to_memory = 0;      ///< requests sent towards DRAM
        std::uint64_t far_requests = 0;   ///< requests that crossed from the other half of the GPU
        std::uint64_t near_copies = 0;    ///< reads served by a copy in the other half
        std::uint64_t atomic_waits = 0;   ///< L2 cycles in which an atomic waited for the unit
    };
    /// Counters up to the last completed edge. Call between steps.
    const counters& statistics();
    /// The L2 slice's counters; nullptr without an L2.
    const cache::cache_statistics* cache_statistics();
    /// Observes the accesses of the L2 slice, if there is one.
    void observe(cache::access_observer& o) {
        if (engine_) engine_->observe(o);
    }
    const cache::data_cache* engine() const { return engine_ ? engine_.get() : nullptr; }

    /// Whether no request is in the sub-partition.
    bool idle() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    /// @param with_lines  of the L2
    void checkpoint(support::archive& a, bool with_lines = true);
    /// Inserts lines of the L2 in a checkpoint, of this and other slices; see tag_array::insert().
    void insert(std::vector<cache::tag_array::saved_line> lines);
    /// Makes all modified lines clean and invalid; as in GPGPU-Sim, their data are not sent to
    /// DRAM.
    void flush();
    /// Drops all lines of the L2.
    void invalidate();
    const cache::tag_array* tags() const override { return engine_ ? &engine_->tags() : nullptr; }
    void warm(std::uint64_t address, std::uint64_t core_now) override;
    void skip(std::uint64_t sectors) override { memcpy_offset_ += sectors; }

    /// For the partition: prefetches the host memory that the fill by a response will read first.
    void prefetch_fill(const tlm::tlm_generic_payload& response) const {
        if (engine_) engine_->prefetch_fill(response);
    }
    /// For the partition: the channel has consumed a posted write of this sub-partition.
    void consumed(tlm::tlm_generic_payload& write);
    unsigned number() const { return number_; }

    // ---- occupancy, for waveforms ----
    std::size_t requests_queued() const { return to_cache_.size(); }   ///< icnt→L2
    std::size_t replies_queued() const { return to_network_.size(); }  ///< L2→icnt
    std::size_t requests_delayed() const { return rop_.size(); }
    /// Delayed requests that cross from the other half of the GPU.
    std::size_t requests_crossing() const { return rop_.crossing(); }
    /// Whether the network has presented a request that has not been accepted.
    bool request_waits() const { return port.withheld() != nullptr; }
    /// Whether the network has not yet accepted the last reply.
    bool reply_blocked() const { return port.response_pending(); }
    /// Counters that may not include cycles in which the sub-partition sleeps.
    const counters& counted() const { return counters_; }

    /// Describes the requests in its queues and why they wait, one per line, for a deadlock report;
    /// empty if idle.
    std::string describe();

    using queue = simulation::clock_crossing_fifo<tlm::tlm_generic_payload*>;
    /// A queue and the name under which its occupancy is reported.
    struct named_queue {
        const char* name;
        queue* of;
    };
    /// The four queues around the L2, for their occupancy (in L2 cycles).
    std::array<named_queue, 4> queues() {
        return {{{"icnt_to_L2", &to_cache_},
                 {"L2_to_dram", &to_memory},
                 {"dram_to_L2", &from_memory},
                 {"L2_to_icnt", &to_network_}}};
    }

private:
    struct external_request {
        tlm::tlm_generic_payload* payload;
        std::unique_ptr<protocol::memory_extension> extension;
    };
    struct memory_sink : protocol::request_sink {
        explicit memory_sink(memory_sub_partition& s) : owner(s) {}
        bool try_send(tlm::tlm_generic_payload& request) override;
        memory_sub_partition& owner;
    };

    tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    unsigned transport_dbg(int, tlm::tlm_generic_payload&) { return 0; }

    void cycle();
    void prefetch_heads() const;
    void take_request();
    void split(tlm::tlm_generic_payload& request, protocol::memory_extension& e);
    void add_part(tlm::tlm_generic_payload& request, const protocol::memory_extension& e,
                  unsigned sector);
    void delay(tlm::tlm_generic_payload& request, const protocol::memory_extension& e);
    bool crosses(const tlm::tlm_generic_payload& request, const protocol::memory_extension& e);
    void take_ready_access();
    void take_from_memory();
    void access();
    bool atomic_unit_free();
    void access_cache(tlm::tlm_generic_payload& request);
    void prefetch(tlm::tlm_generic_payload& request);
    bool fetch(const tlm::tlm_generic_payload& cause, std::uint64_t address);
    unsigned fetched_bytes(const protocol::memory_extension& e) const;
    void fetch_block(const tlm::tlm_generic_payload& cause, std::uint64_t first, unsigned bytes);
    bool cached(const tlm::tlm_generic_payload& request) const;
    void sleep_if_idle(std::uint64_t core_now);

    void reply(tlm::tlm_generic_payload& request);
    void answer_posted(tlm::tlm_generic_payload& request);
    void send_replies();

    void locate(const tlm::tlm_generic_payload& request, protocol::memory_extension& e) const;
    void register_external(tlm::tlm_generic_payload& request);
    bool is_external(const tlm::tlm_generic_payload& request) const;
    void release_external(tlm::tlm_generic_payload& request);
    std::uint64_t core_now() const { return sequencer_.cycle(protocol::core_clock); }

    simulation::phase_sequencer& sequencer_;
    const partition_config config_;
    const address_mapping& mapping_;
    protocol::transaction_pool& pool_;
    memory_statistics& shared_;
    unsigned number_;
    simulation::clocked_process process_;
    simulation::clocked_process reply_process_;
    core_timer rop_timer_;

    simulation::clock_crossing_fifo<tlm::tlm_generic_payload*> to_cache_;    // icnt→L2
    simulation::clock_crossing_fifo<tlm::tlm_generic_payload*> to_network_;  // L2→icnt
    entry_delay rop_;
    far_copies copies_;
    std::unique_ptr<l2_slice> engine_;
    memory_sink sink_{*this};

    bool stalled_ = false;                // a reply has been waiting since stalled_since_
    std::uint64_t stalled_since_ = 0;     // network cycle
    std::uint64_t memcpy_offset_ = 0;     // host copies so far, which make tags newer without
                                          // simulated time
    std::uint64_t atomic_unit_free_ = 0;  // thousandths of an L2 cycle
    std::uint64_t accounted_ = 0;         // L2 cycles accounted for by the engine
    std::vector<external_request> external_;
    counters counters_;
};

inline constexpr support::counter<memory_sub_partition::counters> sub_partition_counters[] = {
    support::count<&memory_sub_partition::counters::requests>("requests", "requests",
                                                              "taken from the network"),
    support::count<&memory_sub_partition::counters::replies>("replies", "replies",
                                                             "put into the network"),
    support::count<&memory_sub_partition::counters::stalled_full>("stalled_full", "L2 cycles",
                                                                  "a request found no room"),
    support::count<&memory_sub_partition::counters::stalled_reply>(
        "stalled_reply", "network cycles", "a reply waited for the network"),
    support::count<&memory_sub_partition::counters::to_memory>("to_memory", "requests",
                                                               "sent towards DRAM"),
    support::count<&memory_sub_partition::counters::far_requests>(
        "far_requests", "requests", "that crossed from the other half of the GPU"),
    support::count<&memory_sub_partition::counters::near_copies>(
        "near_copies", "requests", "reads of the other half that a copy there served"),
    support::count<&memory_sub_partition::counters::atomic_waits>(
        "atomic_waits", "L2 cycles", "an atomic waited for the atomic unit"),
};
constexpr const auto& counters_of(const memory_sub_partition::counters*) {
    return sub_partition_counters;
}
static_assert(support::covers(sub_partition_counters));

}  // namespace simtlm::memory
