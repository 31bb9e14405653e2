// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/cta_cluster_unit.h"

#include "modules/core/sub_core_pipeline/memory_latency.h"

#include <algorithm>
#include <array>
#include <utility>

namespace simtlm::core::sub_core_pipeline {

using protocol::sm_to_sm_message;
using protocol::sm_to_sm_packet;

namespace {
constexpr unsigned row_bytes = 128;     // of shared memory, and of a packet
constexpr unsigned detached_bytes = 8;  // of an arrival at an mbarrier
}  // namespace

cta_cluster_unit::cta_cluster_unit(const sc_core::sc_module_name& name, const sm_config& config,
                                   const sm_timing& timing, unsigned sm, const blocks& of_sm)
    : sc_module(name),
      network("network"),
      config_(config),
      timing_(timing),
      sm_number_(sm),
      warps_(of_sm.warps),
      sub_cores_(of_sm.sub_cores),
      posted_(of_sm.warps),
      ctas_(config.max_ctas) {
    network.register_nb_transport_bw(this, &cta_cluster_unit::from_network, 0);
}

// ---- CTAs --------------------------------------------------------------------------------------

void cta_cluster_unit::cta_starts(unsigned slot, std::shared_ptr<cta_cluster> cluster,
                                  unsigned rank, program::cta& block, warp_mask warps) {
    cta_cluster::member& m = cluster->members[rank];
    m.at = this;
    m.slot = slot;
    m.live = warps;
    m.arrived = 0;
    ctas_[slot] = {std::move(cluster), rank, dynamic_cast<program::clustered_cta*>(&block), 0, 0};
    sc_assert(ctas_[slot].block != nullptr);
}

// ---- the barrier -------------------------------------------------------------------------------

void cta_cluster_unit::arrives(unsigned warp, std::uint64_t at) {
    slot_of(warp).pending |= warp_bit(warp);
    arrivals_.push_back({at, static_cast<std::uint16_t>(warp)});
}

void cta_cluster_unit::waits(unsigned warp) {
    cta_slot& c = slot_of(warp);
    if ((c.pending & warp_bit(warp)) == 0) return;
    c.waiting |= warp_bit(warp);
    warps_.at_barrier |= warp_bit(warp);
}

void cta_cluster_unit::warp_ends(unsigned warp) {
    const cta_slot& c = slot_of(warp);
    if (c.cluster != nullptr) barrier_->ends(sm_number_, c.cluster, c.rank, warp);
}

bool cta_cluster_unit::has_arrivals(unsigned warp) const {
    for (const arrival& a : arrivals_)
        if (a.warp == warp) return true;
    return false;
}

std::uint64_t cta_cluster_unit::synchronise(std::uint64_t now) {
    std::uint64_t next = ~std::uint64_t{0};
    std::size_t left = 0;
    for (arrival& a : arrivals_) {
        const warp_state& w = warps_.warp[a.warp];
        // An arrival has release semantics: the warp's writes must be visible first.
        if (a.at <= now && w.stores != 0) a.at = now + 1;
        if (a.at <= now) {
            const cta_slot& c = slot_of(a.warp);
            barrier_->arrives(sm_number_, c.cluster, c.rank, a.warp);
            continue;
        }
        next = std::min(next, a.at);
        arrivals_[left++] = a;
    }
    arrivals_.resize(left);
    return next;
}

void cta_cluster_unit::barrier_completed(unsigned slot, const cta_cluster& cluster) {
    cta_slot& c = ctas_[slot];
    if (c.cluster.get() != &cluster) return;  // the CTA has ended
    c.block->cta_cluster_barrier_completed();
    c.pending = 0;
    for (warp_mask m = std::exchange(c.waiting, 0); m != 0; m &= m - 1)
        warps_.stops_waiting(warps_.at_barrier, static_cast<unsigned>(__builtin_ctzll(m)));
}

std::string cta_cluster_unit::describe(unsigned slot) const {
    const cta_slot& c = ctas_[slot];
    return c.cluster != nullptr && c.pending != 0 ? describe_barrier(*c.cluster) : std::string();
}

// ---- accesses ----------------------------------------------------------------------------------

/// Splits an access into packets for each CTA, one per row of shared memory.
void cta_cluster_unit::split(access& a, const program::lane_addresses& lanes,
                             const program::cta_cluster_effects& effects, unsigned bytes) {
    std::uint32_t remote = effects.remote_lanes;
    const unsigned most = std::max(1u, std::min(32u, row_bytes / std::max(bytes, 1u)));
    while (remote != 0) {
        const unsigned rank = effects.rank[static_cast<unsigned>(__builtin_ctz(remote))];
        std::uint32_t rest = 0, todo = 0;
        unsigned count = 0;
        for (std::uint32_t m = remote; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(m));
            if (effects.rank[lane] != rank || count == most) {
                rest |= 1u << lane;
                continue;
            }
            todo |= 1u << lane;
            ++count;
        }
        remote = rest;
        // Row k contains the k-th word of every bank.
        while (todo != 0) {
            std::array<std::uint64_t, 32> word;
            std::array<bool, 32> taken{};
            std::uint32_t row = 0;
            unsigned words = 0;
            for (std::uint32_t m = todo; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctz(m));
                const std::uint64_t w = lanes.address[0][lane] / 4;
                const auto bank = static_cast<unsigned>(w % 32);
                if (taken[bank] && word[bank] != w) continue;
                words += taken[bank] ? 0 : 1;
                taken[bank] = true;
                word[bank] = w;
                row |= 1u << lane;
            }
            todo &= ~row;
            a.packets.push_back({row, static_cast<std::uint16_t>(rank),
                                 static_cast<std::uint16_t>(words * std::max(bytes, 4u))});
        }
    }
}

void cta_cluster_unit::prepare(warp_instruction& inst, const program::cta_cluster_effects& effects,
                               const program::lane_addresses& lanes, bool detached,
                               std::uint64_t now) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint16_t>(accesses_.size()));
        accesses_.emplace_back();
    }
    const std::uint16_t number = free_.back();
    free_.pop_back();
    access& a = accesses_[number];
    const program::static_instruction& i = *inst.info;
    a.inst = nullptr;
    a.executor = static_cast<program::clustered_executor*>(warps_.warp[inst.warp].executor);
    a.request = effects.request;
    a.local_lanes = inst.active_mask & ~effects.remote_lanes;
    a.warp = inst.warp;
    a.atomic = i.is_atomic;
    a.loads = !detached && i.is_load && (!i.is_atomic || i.n_dst > 0);
    a.packets.clear();
    a.to.clear();
    split(a, lanes, effects, detached ? detached_bytes : inst.data_size);
    const cta_cluster& cluster = *slot_of(inst.warp).cluster;
    for (const packet& p : a.packets) a.to.push_back(cluster.members[p.rank].at);
    a.left = static_cast<std::uint16_t>(a.packets.size());
    if (!a.loads && !a.atomic) warps_.store_sent(inst.warp, a.left);
    if (!detached) {
        inst.pending = static_cast<std::uint16_t>(number + 1);
        return;
    }
    const memory_queue_config& q = timing_.memory_queue;
    send_packets(number, now + q.stages + q.uniform_cycles);
}

void cta_cluster_unit::start(warp_instruction& inst, std::uint64_t now) {
    const auto number = static_cast<std::uint16_t>(std::exchange(inst.pending, 0) - 1);
    access& a = accesses_[number];
    if (a.atomic && a.local_lanes != 0)
        warps_.atomics_finished(inst.warp,
                                static_cast<unsigned>(__builtin_popcount(a.local_lanes)));
    if (a.loads || a.atomic)
        a.inst = &inst;
    else
        sub_cores_[inst.scheduler]->writes_result(inst, now + 2);
    send_packets(number, now);
}

void cta_cluster_unit::send_packets(std::uint16_t number, std::uint64_t earliest) {
    const access& a = accesses_[number];
    for (unsigned k = 0; k < a.packets.size(); ++k) {
        sm_to_sm_message m;
        m.what = a.loads && !a.atomic ? sm_to_sm_packet::read_request : sm_to_sm_packet::write;
        m.to = static_cast<std::uint16_t>(a.to[k]->sm());
        m.bytes = a.loads && !a.atomic ? 0 : a.packets[k].bytes;
        m.earliest = earliest;
        m.receiver = this;
        m.tag[0] = number;
        m.tag[1] = k;
        send(m);
    }
}

/// A message has arrived at the other SM, or a response at this one.
void cta_cluster_unit::arrived(const sm_to_sm_message& m) {
    const auto number = static_cast<std::uint16_t>(m.tag[0]);
    access& a = accesses_[number];
    const packet& p = a.packets[m.tag[1]];
    if (!is_response(m.what)) {
        a.executor->perform_remote(a.request, p.lanes);
        a.to[m.tag[1]]->shared_memory_changed(m.at + 1);
        sm_to_sm_message answer = m;
        answer.what = a.loads ? sm_to_sm_packet::read_response : sm_to_sm_packet::acknowledgement;
        answer.to = m.from;
        answer.bytes = a.loads ? p.bytes : 0;
        answer.earliest = m.at + timing_.cta_clusters.access_latency;
        a.to[m.tag[1]]->send(answer);
        return;
    }
    if (a.atomic)
        warps_.atomics_finished(a.warp, static_cast<unsigned>(__builtin_popcount(p.lanes)));
    else if (!a.loads)
        warps_.store_acknowledged(a.warp);
    if (--a.left != 0) return;
    if (a.inst != nullptr)
        sub_cores_[a.inst->scheduler]->writes_result(*a.inst, m.at + timing_.link_cycles);
    free_.push_back(number);
}

// ---- the network -------------------------------------------------------------------------------

void cta_cluster_unit::send(sm_to_sm_message m) {
    m.from = static_cast<std::uint16_t>(sm_number_);
    if (!is_response(m.what)) {
        outbox_.push_back(m);
        pump();
        return;
    }
    protocol::begin_request(network, m);
}

void cta_cluster_unit::pump() {
    while (!blocked_ && !outbox_.empty()) {
        sm_to_sm_message m = outbox_.front();
        outbox_.pop_front();
        blocked_ = protocol::begin_request(network, m) == tlm::TLM_ACCEPTED;
    }
}

/// Sends a message to the CTA of a rank, with effects to be performed there.
void cta_cluster_unit::post(unsigned warp, unsigned rank, sm_to_sm_message m,
                            std::vector<std::function<void()>> effects) {
    if (posted_.free.empty()) {
        posted_.free.push_back(static_cast<std::uint32_t>(posted_.entries.size()));
        posted_.entries.emplace_back();
    }
    const std::uint32_t number = posted_.free.back();
    posted_.free.pop_back();
    cta_cluster_endpoint* const to = slot_of(warp).cluster->members[rank].at;
    posted_.entries[number] = {std::move(effects), to, warp};
    m.to = static_cast<std::uint16_t>(to->sm());
    m.receiver = &posted_;
    m.tag[0] = number;
    ++warps_.warp[warp].transfers;
    send(m);
}

void cta_cluster_unit::posted_effects::arrived(const sm_to_sm_message& m) {
    const entry e = std::exchange(entries[m.tag[0]], {});
    free.push_back(static_cast<std::uint32_t>(m.tag[0]));
    for (const auto& effect : e.effects) effect();
    e.to->shared_memory_changed(m.at + 1);
    --warps.warp[e.warp].transfers;
    warps.may_leave(e.warp);
}

void cta_cluster_unit::signal_arrival(unsigned warp, const program::bulk_transfer& what,
                                      const program::bulk_transfer::arrival& of,
                                      std::uint64_t now) {
    sm_to_sm_message m;
    m.what = sm_to_sm_packet::bulk;
    const bool sent = what.what == program::bulk_transfer::kind::send;
    const cta_cluster_timing& t = timing_.cta_clusters;
    if (sent)
        m.bytes = what.bytes;
    else  // the L2 delivers to all SMs
        m.earliest = now + t.multicast_latency - std::min(t.multicast_latency, t.near_latency);
    post(warp, of.rank, m, {of.effect});
}

bool cta_cluster_unit::store_asynchronously(unsigned warp,
                                            std::vector<program::bulk_transfer> transfers,
                                            std::uint64_t now) {
    const unsigned own = rank_of(warp);
    bool local = false;
    const auto ranks = static_cast<unsigned>(slot_of(warp).cluster->members.size());
    for (unsigned rank = 0; rank < ranks; ++rank) {
        std::vector<std::function<void()>> effects;
        std::uint32_t bytes = 0;
        for (program::bulk_transfer& t : transfers)
            for (program::bulk_transfer::arrival& a : t.arrivals) {
                if (a.rank != rank) continue;
                bytes += t.bytes;
                if (rank == own)
                    a.effect();
                else
                    effects.push_back(std::move(a.effect));
            }
        local = local || (rank == own && bytes != 0);
        if (effects.empty()) continue;
        const memory_queue_config& q = timing_.memory_queue;
        sm_to_sm_message m;
        m.what = sm_to_sm_packet::write;
        m.bytes = bytes;
        m.earliest = now + q.stages + q.uniform_cycles;
        post(warp, rank, m, std::move(effects));
    }
    return local;
}

tlm::tlm_sync_enum cta_cluster_unit::from_network(int, sm_to_sm_message& m, tlm::tlm_phase& phase,
                                                  sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
        blocked_ = false;
        pump();
        return tlm::TLM_ACCEPTED;
    }
    m.receiver->arrived(m);
    return tlm::TLM_COMPLETED;
}

}  // namespace simtlm::core::sub_core_pipeline
