// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/memory/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace simtlm::memory {
namespace {

using test::volta_partition;

using protocol::access_type;

/// The network's end at one sub-partition: presents requests, takes replies, stalls now and then.
class network_end : public sc_core::sc_module {
public:
    protocol::initiator_socket<network_end> socket;
    std::deque<tlm::tlm_generic_payload*> todo;
    std::map<tlm::tlm_generic_payload*, std::uint64_t> taken;  // core cycle of END_REQ
    std::vector<std::uint64_t> latencies;                      // core cycles, END_REQ to BEGIN_RESP
    std::uint64_t replies = 0, parts = 0, posted = 0;
    unsigned stall_percent = 0;

    network_end(const sc_core::sc_module_name& name, kernel::phase_sequencer& s, unsigned seed)
        : sc_module(name),
          socket("socket"),
          sequencer_(s),
          random_(seed),
          process_("transfer", s, protocol::network_transfer,
                   kernel::on_edge<&network_end::transfer>(this), true) {
        socket.register_nb_transport_bw(this, &network_end::bw, 0);
    }
    bool done() const { return todo.empty() && taken.empty() && offered_ == nullptr; }

private:
    std::uint64_t now() const { return sequencer_.cycle(protocol::core_clock); }
    void transfer() {
        if (owed_ != nullptr && random_() % 100 >= stall_percent) {
            auto& p = *owed_;
            owed_ = nullptr;
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time t;
            socket->nb_transport_fw(p, phase, t);
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
    /// The receiver's reference to a part, the initiator's to a request.
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

    kernel::phase_sequencer& sequencer_;
    std::mt19937 random_;
    kernel::clocked_process process_;
    tlm::tlm_generic_payload* offered_ = nullptr;
    tlm::tlm_generic_payload* owed_ = nullptr;
};

/// A foreign memory: answers in any order, with annotated delays, early, and late.
class foreign_memory : public sc_core::sc_module {
public:
    protocol::target_socket<foreign_memory> port;
    foreign_memory(const sc_core::sc_module_name& name, kernel::phase_sequencer& s)
        : sc_module(name),
          port("port"),
          process_("process", s, protocol::dram_channel,
                   kernel::on_edge<&foreign_memory::cycle>(this), true) {
        port.register_nb_transport_fw(this, &foreign_memory::fw, 0);
    }
    std::uint64_t served = 0;

private:
    tlm::tlm_sync_enum fw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time& t) {
        if (phase == tlm::END_RESP) {
            presented_ = nullptr;
            return tlm::TLM_COMPLETED;
        }
        EXPECT_EQ(owed_, nullptr);
        ++served;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        const auto kind = random_() % 4;
        if (kind == 0) {
            t += sc_core::sc_time(static_cast<double>(random_() % 50), sc_core::SC_NS);
            return tlm::TLM_COMPLETED;
        }
        waiting_.push_back(&p);
        if (kind == 1) {
            owed_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        t += sc_core::sc_time(static_cast<double>(random_() % 5), sc_core::SC_NS);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void cycle() {
        if (owed_ != nullptr && random_() % 20 == 0) {
            auto& p = *owed_;
            owed_ = nullptr;
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time t;
            port->nb_transport_bw(p, phase, t);
        }
        if (presented_ != nullptr || waiting_.empty() || random_() % 3 != 0) return;
        const auto i = random_() % waiting_.size();
        auto& p = *waiting_[i];
        if (&p == owed_) return;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        presented_ = &p;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time t(static_cast<double>(random_() % 10), sc_core::SC_NS);
        const auto answer = port->nb_transport_bw(p, phase, t);
        if (answer == tlm::TLM_COMPLETED) presented_ = nullptr;
    }
    std::mt19937 random_{3};
    std::vector<tlm::tlm_generic_payload*> waiting_;
    tlm::tlm_generic_payload* owed_ = nullptr;
    tlm::tlm_generic_payload* presented_ = nullptr;
    kernel::clocked_process process_;
};

struct system_under_test {
    protocol::transaction_pool pool;
    address_mapping mapping;
    memory_statistics shared;
    kernel::phase_sequencer sequencer;
    memory_partition partition;
    std::unique_ptr<dram_channel> channel;
    std::unique_ptr<foreign_memory> foreign;
    std::vector<std::unique_ptr<network_end>> ends;

    system_under_test(const std::string& name, const partition_config& c,
                      const kernel::phase_sequencer::options& o = {}, bool use_foreign = false)
        : mapping(test::volta_map(1, c.sub_partitions)),
          shared(1, c.dram.timing.nbk),
          sequencer((name + "_seq").c_str(), protocol::clock_domains, protocol::phase_table(), o),
          partition((name + "_partition").c_str(), sequencer, c, mapping, pool, shared, 0) {
        if (use_foreign) {
            foreign = std::make_unique<foreign_memory>((name + "_foreign").c_str(), sequencer);
            partition.memory.bind(foreign->port);
        } else {
            channel = std::make_unique<dram_channel>((name + "_channel").c_str(), sequencer, c.dram,
                                                     mapping);
            partition.memory.bind(channel->port);
        }
        for (unsigned i = 0; i < c.sub_partitions; ++i) {
            const std::string n = name + "_end" + std::to_string(i);
            ends.push_back(std::make_unique<network_end>(n.c_str(), sequencer, 11 + i));
            ends[i]->socket.bind(partition.sub_partition(i).port);
        }
    }
    tlm::tlm_generic_payload& make(bool write, std::uint64_t address, unsigned bytes,
                                   access_type type) {
        auto& p = pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                               bytes, type);
        auto& e = protocol::extension(p);
        const unsigned offset = address % 128;
        for (unsigned s = offset / 32; s <= (offset + bytes - 1) / 32; ++s)
            e.sectors |= static_cast<std::uint8_t>(1u << s);
        e.bytes.set(offset, bytes);
        return p;
    }
    tlm::tlm_generic_payload& add(bool write, std::uint64_t address, unsigned bytes,
                                  access_type type) {
        auto& p = make(write, address, bytes, type);
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
};

void run_cycles(unsigned n) {
    sc_core::sc_start(sc_core::sc_time(884, sc_core::SC_PS) * n);
}

void fill_random(system_under_test& s, unsigned n, unsigned lines, bool l1_write_backs = true) {
    std::mt19937 random(5);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint64_t line = std::uint64_t{random() % lines} * 128;
        const unsigned sector = random() % 4;
        const unsigned k = random() % 16;
        if (k < 7)
            s.add(false, line + sector * 32, 32, access_type::global_read);
        else if (k < 9)
            s.add(false, line, 128, access_type::instruction_read);
        else if (k < 11)
            s.add(true, line + sector * 32, 32, access_type::global_write);
        else if (k < 13) {  // part of a sector
            auto& p = s.add(true, line + sector * 32, 32, access_type::global_write);
            protocol::extension(p).bytes = {};
            protocol::extension(p).bytes.set(sector * 32, 8);
        } else if (k < 14)
            s.add(false, line + sector * 32, 32, access_type::texture_read);
        else if (k < 15) {
            auto& p = s.add(false, line + sector * 32, 32, access_type::global_read);
            protocol::extension(p).is_atomic = true;
        } else if (l1_write_backs)
            s.add(true, line, 128, access_type::l1_writeback);
        else
            s.add(true, line, 128, access_type::global_write);
    }
}

void expect_clean(system_under_test& s, std::uint64_t n) {
    EXPECT_TRUE(s.done());
    EXPECT_EQ(s.replies(), n);
    EXPECT_TRUE(s.partition.idle());
    EXPECT_EQ(s.pool.outstanding(), 0u);
    if (s.channel && s.channel->checker() != nullptr) {
        EXPECT_TRUE(s.channel->checker()->violations().empty());
    }
}

std::string text(system_under_test& s) {
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
    if (s.channel) {
        const auto& d = s.channel->statistics();
        for (auto v : {d.cycles, d.idle_cycles, d.activates, d.precharges, d.reads, d.writes,
                       d.write_backs, d.queue_sum, d.latency_sum, d.row_hits})
            add(v);
    }
    for (auto v : {s.shared.request_network.sum, s.shared.requests, s.shared.request_cycles,
                   s.shared.replies})
        add(v);
    return r;
}

void conservation(const partition_config& c, unsigned stall, unsigned lines = 4000,
                  bool foreign = false) {
    test::clocks clk;
    kernel::phase_sequencer::options awake, shuffled;
    awake.sleeping = false;
    shuffled.shuffle_seed = 99;
    std::vector<std::unique_ptr<system_under_test>> all;
    all.push_back(
        std::make_unique<system_under_test>("a", c, kernel::phase_sequencer::options(), foreign));
    all.push_back(std::make_unique<system_under_test>("b", c, awake, foreign));
    all.push_back(std::make_unique<system_under_test>("d", c, shuffled, foreign));
    for (auto& s : all) {
        clk.bind(s->sequencer);
        fill_random(*s, 4000, lines);
        for (auto& e : s->ends) e->stall_percent = stall;
    }
    run_cycles(150000);
    for (auto& s : all) expect_clean(*s, 4000);
    EXPECT_EQ(text(*all[0]), text(*all[1]));
    EXPECT_EQ(text(*all[0]), text(*all[2]));
}

TEST(memory_partition, conserves_random_traffic) {
    conservation(volta_partition(), 0);
}
TEST(memory_partition, conserves_with_stalls) {
    conservation(volta_partition(), 60);
}
TEST(memory_partition, conserves_with_small_queues) {
    partition_config c = volta_partition();
    c.icnt_to_l2 = 8;
    c.l2_to_dram = c.dram_to_l2 = c.l2_to_icnt = 2;
    c.dram.scheduler_queue_size = 4;
    c.dram.return_queue_size = 2;
    c.l2.mshr_entries = 4;
    c.l2.miss_queue_size = 4;
    c.l2.sets = 4;
    c.l2.ways = 4;
    conservation(c, 50, 300);
}
TEST(memory_partition, conserves_on_gddr6) {
    partition_config c = volta_partition();
    c.dram = test::gddr6();
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_an_unlimited_queue) {
    partition_config c = volta_partition();
    c.dram.scheduler_queue_size = 0;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_fifo_dram) {
    partition_config c = volta_partition();
    c.dram = test::gddr3_fifo();
    conservation(c, 20);
}
TEST(memory_partition, conserves_without_l2) {
    partition_config c = volta_partition();
    c.l2.enabled = false;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_a_texture_only_l2) {
    partition_config c = volta_partition();
    c.l2_texture_only = true;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_an_ideal_l2) {
    partition_config c = volta_partition();
    c.ideal_l2 = true;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_simple_dram) {
    partition_config c = volta_partition();
    c.simple_dram = true;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_a_line_cache) {
    partition_config c = volta_partition();
    c.l2.kind = cache::cache_kind::normal;
    c.l2.write_allocate = cache::write_allocate_policy::write_allocate;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_fetch_on_write) {
    partition_config c = volta_partition();
    c.l2.write_allocate = cache::write_allocate_policy::fetch_on_write;
    conservation(c, 20);
}
TEST(memory_partition, conserves_with_write_through) {
    partition_config c = volta_partition();
    c.l2.write = cache::write_policy::write_through;
    c.l2.write_allocate = cache::write_allocate_policy::no_write_allocate;
    conservation(c, 20);
}
TEST(memory_partition, bears_a_foreign_memory) {
    conservation(volta_partition(), 20, 4000, true);
}

TEST(memory_partition, latency_of_one_access) {
    test::clocks clk;
    const partition_config c = volta_partition();
    system_under_test miss("miss", c), warm("warm", c), simple("simple", [&] {
        partition_config s = c;
        s.simple_dram = true;
        return s;
    }());
    for (auto* s : {&miss, &warm, &simple}) clk.bind(s->sequencer);
    miss.add(false, 0x40, 32, access_type::global_read);
    simple.add(false, 0x40, 32, access_type::global_read);
    warm.add(false, 0x40, 32, access_type::global_read);
    warm.partition.sub_partition(0).warm(0x40, 0);
    run_cycles(2000);
    for (auto* s : {&miss, &warm, &simple}) expect_clean(*s, 1);
    // Hit: ROP latency, one cycle in icnt→L2, one in L2→icnt.
    EXPECT_EQ(warm.ends[0]->latencies.at(0), c.rop_latency + 2u);
    // Miss: access, miss queue to L2→dram a cycle later, latency, DRAM, fill, ready, reply.
    const double ratio = 1176.0 / 884.0;
    const dram_timing& t = c.dram.timing;
    const double dram = (1.0 + t.tRCD + t.CL + 1) * ratio;
    const double expected = c.rop_latency + 1 + 1 + c.dram_latency + dram + 1 + 1 + 1;
    EXPECT_NEAR(double(miss.ends[0]->latencies.at(0)), expected, 4.0);
    EXPECT_NEAR(double(simple.ends[0]->latencies.at(0)), expected - dram, 4.0);
    EXPECT_EQ(warm.partition.sub_partition(0).cache_statistics()->accesses, 1u);
    EXPECT_EQ(warm.partition.sub_partition(0).cache_statistics()->misses, 0u);
    // Asleep in between.
    EXPECT_LT(miss.sequencer.observed().activations[protocol::l2_bank], 40u);
}

TEST(memory_partition, serves_an_initiator_that_knows_nothing_of_the_gpu) {
    test::clocks clk;
    system_under_test s("s", volta_partition());
    clk.bind(s.sequencer);
    struct manager : tlm::tlm_mm_interface {
        unsigned freed = 0;
        void free(tlm::tlm_generic_payload*) override { ++freed; }
    } mm;
    unsigned char data[128];
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
    const struct {
        std::uint64_t address;
        unsigned bytes;
    } accesses[] = {{0x1000, 128}, {0x44, 4}, {0x82, 60}, {0x10f0, 64}};
    for (const auto& a : accesses) {
        payloads.push_back(std::make_unique<tlm::tlm_generic_payload>(&mm));
        auto& p = *payloads.back();
        p.set_read();
        p.set_address(a.address);
        p.set_data_ptr(data);
        p.set_data_length(a.bytes);
        p.acquire();
        s.ends[0]->todo.push_back(&p);
    }
    run_cycles(2000);
    EXPECT_TRUE(s.done());
    EXPECT_EQ(mm.freed, 4u);
    EXPECT_EQ(s.replies(), 3u);  // the last crosses a line
    EXPECT_EQ(payloads[3]->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    for (auto& p : payloads) EXPECT_EQ(p->get_extension<protocol::memory_extension>(), nullptr);
    EXPECT_EQ(s.pool.outstanding(), 0u);
}

TEST(memory_partition, streaming_reaches_the_peak_of_the_channel) {
    test::clocks clk;
    partition_config c = volta_partition();
    system_under_test s("s", c);
    clk.bind(s.sequencer);
    const unsigned n = 6000;
    for (unsigned i = 0; i < n; ++i) s.add(false, 32ull * i, 32, access_type::global_read);
    run_cycles(n * 3);
    expect_clean(s, n);
    const auto& d = s.channel->statistics();
    EXPECT_EQ(d.reads, n);
    EXPECT_GT(double(d.utilised) / double(d.cycles - d.unused), 0.9);
}

TEST(memory_partition, a_flush_forgets_and_dirty_sectors_are_written_back_on_eviction) {
    test::clocks clk;
    partition_config c = volta_partition();
    c.l2.sets = 4;
    c.l2.ways = 2;
    system_under_test s("s", c);
    clk.bind(s.sequencer);
    for (unsigned i = 0; i < 200; ++i) s.add(true, 128ull * i, 32, access_type::global_write);
    run_cycles(6000);
    expect_clean(s, 200);
    const auto written = s.channel->statistics().write_backs;
    EXPECT_EQ(written, 200u - 2u * 4u * 2u);
    for (unsigned i = 0; i < 2; ++i) s.partition.sub_partition(i).flush();
    s.add(true, 0, 32, access_type::global_write);
    run_cycles(1000);
    EXPECT_EQ(s.channel->statistics().write_backs, written);
}

TEST(memory_partition, transport_dbg_reads_nothing_yet) {
    test::clocks clk;
    system_under_test s("s", volta_partition());
    clk.bind(s.sequencer);
    run_cycles(1);
    tlm::tlm_generic_payload p;
    EXPECT_EQ(s.ends[0]->socket->transport_dbg(p), 0u);
}

}  // namespace
}  // namespace simtlm::memory
