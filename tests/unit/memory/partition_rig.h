// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/unit/memory/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::memory::test {

inline simulation::phase_sequencer::options awake() {
    simulation::phase_sequencer::options o;
    o.sleeping = false;
    return o;
}
inline simulation::phase_sequencer::options shuffled() {
    simulation::phase_sequencer::options o;
    o.shuffle_seed = 99;
    return o;
}

/// The network's interface to one sub-partition: presents requests, takes replies, and stalls at
/// random.
class network_end : public sc_core::sc_module {
public:
    protocol::initiator_socket<network_end> socket;
    std::deque<tlm::tlm_generic_payload*> todo;
    std::map<tlm::tlm_generic_payload*, std::uint64_t> taken;  // core cycle of END_REQ
    std::vector<std::uint64_t> latencies;                      // core cycles, END_REQ to BEGIN_RESP
    std::uint64_t replies = 0, parts = 0, posted = 0;
    unsigned stall_percent = 0;

    network_end(const sc_core::sc_module_name& name, simulation::phase_sequencer& s, unsigned seed)
        : sc_module(name),
          socket("socket"),
          sequencer_(s),
          random_(seed),
          process_("transfer", s, protocol::phase::network_transfer,
                   simulation::on_edge<&network_end::transfer>(this), true) {
        socket.register_nb_transport_bw(this, &network_end::bw, 0);
    }
    bool done() const { return todo.empty() && taken.empty() && offered_ == nullptr; }

private:
    std::uint64_t now() const { return sequencer_.cycle(protocol::core_clock); }
    void transfer() {
        if (owed_ != nullptr && random_() % 100 >= stall_percent) {
            auto& p = *owed_;
            owed_ = nullptr;
            protocol::end_response(socket, p);
            drop(p);
        }
        if (offered_ == nullptr && !todo.empty() && random_() % 100 >= stall_percent / 2) {
            offered_ = todo.front();
            todo.pop_front();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time t;
            auto* p = offered_;
            const auto answer = socket->nb_transport_fw(*p, phase, t);
            if (answer == tlm::TLM_COMPLETED) {
                offered_ = nullptr;
                p->release();
            }
        }
    }
    /// Drops the receiver's reference to a chunk, or the initiator's to a request.
    void drop(tlm::tlm_generic_payload& p) {
        const auto* e = p.get_extension<protocol::memory_extension>();
        auto request = taken.find(&p);
        if (request == taken.end()) {
            ASSERT_NE(e, nullptr);
            ASSERT_NE(e->parent, nullptr);
            tlm::tlm_generic_payload& parent = *e->parent;
            ++parts;
            p.release();
            ASSERT_NE(taken.find(&parent), taken.end());
            if (--protocol::extension(parent).pending_parts == 0) finish(parent);
            return;
        }
        finish(p);
    }
    void finish(tlm::tlm_generic_payload& p) {
        latencies.push_back(now() - taken.at(&p));
        taken.erase(&p);
        ++replies;
        p.release();
    }
    tlm::tlm_sync_enum bw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            EXPECT_EQ(offered_, &p);
            offered_ = nullptr;
            taken[&p] = now();
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_TRUE(phase == tlm::BEGIN_RESP);
        EXPECT_TRUE(p.is_response_ok());
        const auto* e = p.get_extension<protocol::memory_extension>();
        if (e != nullptr && protocol::is_posted(e->type)) {
            ++posted;
            drop(p);
            return tlm::TLM_COMPLETED;
        }
        EXPECT_EQ(owed_, nullptr);
        if (stall_percent != 0 && random_() % 2 == 0) {
            owed_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        drop(p);
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }

    simulation::phase_sequencer& sequencer_;
    std::mt19937 random_;
    simulation::clocked_process process_;
    tlm::tlm_generic_payload* offered_ = nullptr;
    tlm::tlm_generic_payload* owed_ = nullptr;
};

/// A payload as created by SMs.
inline tlm::tlm_generic_payload& make_request(protocol::transaction_pool& pool, bool write,
                                              std::uint64_t address, unsigned bytes,
                                              protocol::access_type type) {
    auto& p =
        pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes, type);
    auto& e = protocol::extension(p);
    const unsigned offset = address % 128;
    for (unsigned s = offset / 32; s <= (offset + bytes - 1) / 32; ++s)
        e.sectors |= static_cast<std::uint8_t>(1u << s);
    e.bytes.set(offset, bytes);
    return p;
}

/// A memory partition between network interfaces and its channel.
struct partition_rig {
    protocol::transaction_pool pool;
    address_mapping mapping;
    memory_statistics shared;
    simulation::phase_sequencer sequencer;
    const dram_config dram;
    memory_partition partition;
    std::unique_ptr<memory_channel> channel;
    std::vector<std::unique_ptr<network_end>> ends;

    partition_rig(const std::string& name, const memory_config& m,
                  const simulation::phase_sequencer::options& o = {})
        : mapping(volta_map(1, m.partition.sub_partitions)),
          shared(1, m.partition.dram.timing.nbk),
          sequencer((name + "_seq").c_str(), protocol::clock_domains, protocol::phase_table(), o),
          dram(m.partition.dram),
          partition((name + "_partition").c_str(), sequencer, m.partition, mapping, pool, shared,
                    0) {
        const std::string channel_name = name + "_channel";
        const memory_channel_parts parts{channel_name.c_str(), sequencer, dram, mapping, 0};
        channel = m.channel ? m.channel(parts) : make_dram_channel(parts);
        partition.memory.bind(channel->target());
        for (unsigned i = 0; i < m.partition.sub_partitions; ++i) {
            const std::string n = name + "_end" + std::to_string(i);
            ends.push_back(std::make_unique<network_end>(n.c_str(), sequencer, 11 + i));
            ends[i]->socket.bind(partition.sub_partition(i).port);
        }
    }
    partition_rig(const std::string& name, const partition_config& c,
                  const simulation::phase_sequencer::options& o = {})
        : partition_rig(name, config_of(c), o) {}

    tlm::tlm_generic_payload& add(bool write, std::uint64_t address, unsigned bytes,
                                  protocol::access_type type) {
        auto& p = make_request(pool, write, address, bytes, type);
        ends[mapping.decode(address).sub_partition]->todo.push_back(&p);
        return p;
    }
    bool done() const {
        return std::all_of(ends.begin(), ends.end(), [](const auto& e) { return e->done(); });
    }
    std::uint64_t replies() const {
        std::uint64_t n = 0;
        for (const auto& e : ends) n += e->replies;
        return n;
    }
    /// The timing checker of a built-in channel.
    const dram_timing_checker* checker() const {
        const auto* built_in = dynamic_cast<const dram_channel*>(channel.get());
        return built_in != nullptr ? built_in->checker() : nullptr;
    }

private:
    static memory_config config_of(const partition_config& c) {
        memory_config m;
        m.partition = c;
        return m;
    }
};

inline void run_core_cycles(unsigned n) {
    sc_core::sc_start(sc_core::sc_time(884, sc_core::SC_PS) * n);
}

inline void fill_random(partition_rig& s, unsigned n, unsigned lines, bool l1_write_backs = true) {
    std::mt19937 random(5);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint64_t line = std::uint64_t{random() % lines} * 128;
        const unsigned sector = random() % 4;
        const unsigned k = random() % 16;
        if (k < 7)
            s.add(false, line + sector * 32, 32, protocol::access_type::global_read);
        else if (k < 9)
            s.add(false, line, 128, protocol::access_type::instruction_read);
        else if (k < 11)
            s.add(true, line + sector * 32, 32, protocol::access_type::global_write);
        else if (k < 13) {  // part of a sector
            auto& p = s.add(true, line + sector * 32, 32, protocol::access_type::global_write);
            protocol::extension(p).bytes = {};
            protocol::extension(p).bytes.set(sector * 32, 8);
        } else if (k < 14)
            s.add(false, line + sector * 32, 32, protocol::access_type::texture_read);
        else if (k < 15) {
            auto& p = s.add(false, line + sector * 32, 32, protocol::access_type::global_read);
            protocol::extension(p).is_atomic = true;
        } else if (l1_write_backs)
            s.add(true, line, 128, protocol::access_type::l1_writeback);
        else
            s.add(true, line, 128, protocol::access_type::global_write);
    }
}

inline void expect_clean(partition_rig& s, std::uint64_t n) {
    EXPECT_TRUE(s.done());
    EXPECT_EQ(s.replies(), n);
    EXPECT_TRUE(s.partition.idle());
    EXPECT_TRUE(s.channel->idle());
    EXPECT_EQ(s.pool.outstanding(), 0u);
    if (s.checker() != nullptr) {
        EXPECT_TRUE(s.checker()->violations().empty());
    }
}

/// Counters as text.
inline std::string report_values(partition_rig& s) {
    std::string r;
    const auto add = [&](std::uint64_t v) { r += std::to_string(v) + ' '; };
    for (unsigned i = 0; i < s.partition.sub_partitions(); ++i) {
        const auto& c = s.partition.sub_partition(i).statistics();
        for (auto v : {c.requests, c.replies, c.stalled_full, c.stalled_reply, c.to_memory}) add(v);
        if (const auto* k = s.partition.sub_partition(i).cache_statistics()) {
            for (auto v : {k->accesses, k->misses, k->pending_hits, k->reservation_fails,
                           k->port_cycles, k->data_port_busy, k->fill_port_busy})
                add(v);
            for (const auto& o : k->outcomes)
                for (auto v : o) add(v);
        }
        for (auto v : s.ends[i]->latencies) add(v);
    }
    const auto& d = s.channel->statistics();
    for (auto v : {d.cycles, d.idle_cycles, d.activates, d.precharges, d.reads, d.writes,
                   d.write_backs, d.queue_sum, d.latency_sum, d.row_hits})
        add(v);
    s.shared.gather();
    for (auto v : {s.shared.request_network.sum, s.shared.requests, s.shared.request_cycles,
                   s.shared.replies})
        add(v);
    return r;
}

}  // namespace simtlm::memory::test
