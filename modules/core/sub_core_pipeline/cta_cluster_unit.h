// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cta_cluster.h"
#include "modules/core/cta_cluster_barrier.h"
#include "modules/core/sub_core_pipeline/mbarrier_unit.h"
#include "modules/core/sub_core_pipeline/sm_timing.h"
#include "modules/core/sub_core_pipeline/sub_core.h"
#include "modules/core/warp_table.h"
#include "modules/program/cta_cluster_source.h"
#include "modules/protocol/sm_to_sm_message.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// An SM's interface to thread block clusters: its port to the SM-to-SM network, the accesses of
/// its warps to shared memory of other SMs, and its end of the cluster barrier.
///
/// An access of a warp is split into packets of up to 128 bytes to one CTA each, one per row of
/// shared memory banks. Loads and atomics are complete when their last response has arrived;
/// stores, reductions and arrivals at mbarriers count as stores of the warp until they are
/// acknowledged. Their effects are performed when the message arrives at the other SM.
class cta_cluster_unit : public sc_core::sc_module,
                         public cta_cluster_endpoint,
                         private protocol::sm_to_sm_receiver {
public:
    protocol::sm_to_sm_initiator<cta_cluster_unit> network;

    /// References to the parts of the SM that the unit uses.
    struct blocks {
        warp_table& warps;
        std::vector<sub_core*> sub_cores;
    };
    cta_cluster_unit(const sc_core::sc_module_name& name, const sm_config& config,
                     const sm_timing& timing, unsigned sm, const blocks& of_sm);
    const char* kind() const override { return "cta_cluster_unit"; }

    void set_mbarriers(mbarrier_unit& unit) { mbarriers_ = &unit; }
    void set_barrier(cta_cluster_barrier& barrier) { barrier_ = &barrier; }

    // ---- CTAs ----

    /// A CTA of a cluster has been placed. @param warps  of the SM, those with instructions to
    /// execute
    void cta_starts(unsigned slot, std::shared_ptr<cta_cluster> cluster, unsigned rank,
                    program::cta& block, warp_mask warps);
    void cta_ends(unsigned slot) { ctas_[slot] = {}; }
    /// The cluster of the CTA in a slot, or nullptr.
    const cta_cluster* cta_cluster_of(unsigned slot) const { return ctas_[slot].cluster.get(); }
    /// Whether a resident warp's CTA belongs to a cluster.
    bool is_in_cta_cluster(unsigned warp) const { return slot_of(warp).cluster != nullptr; }

    // ---- the barrier ----

    /// A warp has issued barrier.cluster.arrive with the last of its lanes.
    /// @param at  core cycle from which the arrival counts, once the warp's stores have been
    ///            acknowledged
    void arrives(unsigned warp, std::uint64_t at);
    /// A warp has issued barrier.cluster.wait: it is at_barrier from now on, if it must wait.
    void waits(unsigned warp);
    bool is_waiting(unsigned warp) const { return (slot_of(warp).waiting & warp_bit(warp)) != 0; }
    /// A warp has issued its last instruction.
    void warp_ends(unsigned warp);
    /// All warps have ended: those at the barrier wait no more.
    void discard_waits() {
        for (cta_slot& c : ctas_) c.waiting = 0;
    }
    /// Processes arrivals that count from this cycle on. @return the cycle to call it again, or ~0
    std::uint64_t synchronise(std::uint64_t now);
    /// Whether arrivals of a warp have not been processed yet.
    bool has_arrivals(unsigned warp) const;

    // ---- accesses of other SMs' shared memory ----

    /// An instruction that accesses shared memory of other CTAs has issued.
    /// @param detached  it bypasses the memory unit (arrivals at mbarriers) and is sent immediately
    /// The instruction's `pending` identifies the access from now on, until start().
    void prepare(warp_instruction& inst, const program::cta_cluster_effects& effects,
                 const program::lane_addresses& lanes, bool detached, std::uint64_t now);
    /// Whether an instruction waits for start().
    static bool is_prepared(const warp_instruction& inst) {
        return inst.space == program::memory_space::shared && inst.pending != 0;
    }
    /// Whether the memory unit may start another access.
    bool has_space() const { return outbox_.size() < outbox_entries; }
    /// Starts an access, on behalf of the memory unit. The result is written when the last response
    /// has arrived.
    void start(warp_instruction& inst, std::uint64_t now);

    // ---- the network ----

    unsigned sm() const override { return sm_number_; }
    void send(protocol::sm_to_sm_message message) override;
    /// Rank of a resident warp's CTA in its cluster.
    unsigned rank_of(unsigned warp) const { return slot_of(warp).rank; }
    /// The data of a warp's bulk copy have arrived: signals mbarriers of another CTA. Data that go
    /// from SM to SM arrive after their serialisation time, those of a multicast after a fixed
    /// latency.
    void signal_arrival(unsigned warp, const program::bulk_transfer& what,
                        const program::bulk_transfer::arrival& of, std::uint64_t now);
    /// A warp has issued st.async; the transfers describe its lanes.
    /// @return whether some of them are for mbarriers of the warp's own CTA, which are then
    ///         signalled
    bool store_asynchronously(unsigned warp, std::vector<program::bulk_transfer> transfers,
                              std::uint64_t now);
    void shared_memory_changed(std::uint64_t at) override {
        if (mbarriers_ != nullptr) mbarriers_->changes(at);
    }
    void barrier_completed(unsigned slot, const cta_cluster& cluster) override;

    /// Number of warps that wait at the barriers of their clusters.
    unsigned warps_at_barrier() const {
        warp_mask all = 0;
        for (const cta_slot& c : ctas_) all |= c.waiting;
        return static_cast<unsigned>(__builtin_popcountll(all));
    }
    /// Number of incomplete accesses to other SMs' shared memory.
    std::size_t accesses_in_flight() const { return accesses_.size() - free_.size(); }
    /// Describes what a CTA waits for, for a deadlock report.
    std::string describe(unsigned slot) const;

private:
    static constexpr std::size_t outbox_entries = 8;
    struct packet {
        std::uint32_t lanes;
        std::uint16_t rank;
        std::uint16_t bytes;
    };
    struct access {
        warp_instruction* inst = nullptr;  // for loads and atomics
        program::clustered_executor* executor = nullptr;
        std::uint32_t request = 0;
        std::uint32_t local_lanes = 0;
        std::uint16_t warp = 0;
        std::uint16_t left = 0;  // packets that have not been acknowledged
        bool loads = false;      // returns data
        bool atomic = false;
        std::vector<packet> packets;
        std::vector<cta_cluster_endpoint*> to;  // by packet
    };
    /// Calls the effects of posted messages when they arrive.
    struct posted_effects final : protocol::sm_to_sm_receiver {
        struct entry {
            std::vector<std::function<void()>> effects;
            cta_cluster_endpoint* to = nullptr;
            unsigned warp = 0;  // sender
        };
        explicit posted_effects(warp_table& of) : warps(of) {}
        warp_table& warps;
        std::vector<entry> entries;
        std::vector<std::uint32_t> free;
        void arrived(const protocol::sm_to_sm_message& m) override;
    };
    struct cta_slot {
        std::shared_ptr<cta_cluster> cluster;
        unsigned rank = 0;
        program::clustered_cta* block = nullptr;
        warp_mask waiting = 0;  // warps that wait at the barrier
        warp_mask pending = 0;  // warps that have arrived, as far as the SM knows
    };
    struct arrival {
        std::uint64_t at;
        std::uint16_t warp;
    };

    tlm::tlm_sync_enum from_network(int, protocol::sm_to_sm_message& m, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay);
    void arrived(const protocol::sm_to_sm_message& m) override;
    void performed(const protocol::sm_to_sm_message& m);
    void split(access& a, const program::lane_addresses& lanes,
               const program::cta_cluster_effects& effects, unsigned bytes);
    void send_packets(std::uint16_t number, std::uint64_t earliest);
    void pump();
    void post(unsigned warp, unsigned rank, protocol::sm_to_sm_message m,
              std::vector<std::function<void()>> effects);
    cta_slot& slot_of(unsigned warp) { return ctas_[warps_.warp[warp].cta]; }
    const cta_slot& slot_of(unsigned warp) const { return ctas_[warps_.warp[warp].cta]; }

    const sm_config& config_;
    const sm_timing& timing_;
    const unsigned sm_number_;
    warp_table& warps_;
    std::vector<sub_core*> sub_cores_;
    posted_effects posted_;
    cta_cluster_barrier* barrier_ = nullptr;
    mbarrier_unit* mbarriers_ = nullptr;
    std::vector<cta_slot> ctas_;
    std::vector<arrival> arrivals_;
    std::vector<access> accesses_;
    std::vector<std::uint16_t> free_;
    std::deque<protocol::sm_to_sm_message> outbox_;  // requests for which the network has no room
    bool blocked_ = false;                           // END_REQ is outstanding
};

}  // namespace simtlm::core::sub_core_pipeline
