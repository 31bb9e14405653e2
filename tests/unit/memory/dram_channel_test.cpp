// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/memory/harness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <random>

namespace simtlm::memory {
namespace {

/// An initiator that behaves like a partition: requests in phase dram_arbitrate, END_RESP in phase
/// dram_return.
class driver : public sc_core::sc_module {
public:
    protocol::initiator_socket<driver> socket;
    std::deque<tlm::tlm_generic_payload*> todo;
    std::map<tlm::tlm_generic_payload*, std::uint64_t> sent;  // dram cycle
    std::vector<std::uint64_t> latencies;                     // in order of completion
    std::uint64_t completed = 0, posted = 0, last_completion = 0;
    unsigned stall_percent = 0;
    unsigned hold_requests_percent = 0;
    bool separate = false;

    driver(const sc_core::sc_module_name& name, simulation::phase_sequencer& s, unsigned seed = 1)
        : sc_module(name),
          socket("socket"),
          random_(seed),
          request_("request", s, protocol::phase::dram_arbitrate,
                   simulation::on_edge<&driver::request>(this), true),
          response_("response", s, protocol::phase::dram_return,
                    simulation::on_edge<&driver::response>(this), true) {
        socket.register_nb_transport_bw(this, &driver::bw, 0);
    }
    bool done() const { return todo.empty() && sent.empty(); }

private:
    void request() {
        if (todo.empty() || random_() % 100 < hold_requests_percent) return;
        auto& p = *todo.front();
        const unsigned kind = separate && p.is_write() ? 1 : 0;
        if (blocked_[kind] != nullptr) return;
        todo.pop_front();
        sent[&p] = request_.now();
        const auto answer = protocol::begin_request(socket, p);
        if (answer == tlm::TLM_ACCEPTED) blocked_[kind] = &p;
    }
    void response() {
        if (held_ == nullptr || random_() % 100 < stall_percent) return;
        auto& p = *held_;
        held_ = nullptr;
        protocol::end_response(socket, p);
        finish(p);
    }
    void finish(tlm::tlm_generic_payload& p) {
        ++completed;
        EXPECT_TRUE(p.is_response_ok());
        EXPECT_EQ(sent.erase(&p), 1u);
        p.release();
    }
    tlm::tlm_sync_enum bw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            for (auto*& b : blocked_)
                if (b == &p) b = nullptr;
            return tlm::TLM_ACCEPTED;
        }
        latencies.push_back(request_.now() - sent.at(&p));
        last_completion = request_.now();
        const auto* e = p.get_extension<protocol::memory_extension>();
        if (e != nullptr && protocol::is_posted(e->type)) {
            ++posted;
            finish(p);
            return tlm::TLM_COMPLETED;
        }
        EXPECT_EQ(held_, nullptr);
        held_ = &p;
        return tlm::TLM_ACCEPTED;
    }

    std::mt19937 random_;
    simulation::clocked_process request_, response_;
    tlm::tlm_generic_payload* blocked_[2] = {};
    tlm::tlm_generic_payload* held_ = nullptr;
};

struct system_under_test {
    protocol::transaction_pool pool;
    address_mapping mapping{test::volta_map(1, 1)};
    simulation::phase_sequencer sequencer;
    driver initiator;
    dram_channel channel;

    system_under_test(const std::string& name, const dram_config& c,
                      const simulation::phase_sequencer::options& o = {})
        : sequencer((name + "_seq").c_str(), protocol::clock_domains, protocol::phase_table(), o),
          initiator((name + "_driver").c_str(), sequencer),
          channel((name + "_channel").c_str(), sequencer, c, mapping) {
        initiator.socket.bind(channel.port);
        initiator.separate = c.separate_write_queue;
    }
    tlm::tlm_generic_payload& add(bool write, std::uint64_t address,
                                  protocol::access_type type = protocol::access_type::global_read) {
        auto& p =
            pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, 32, type);
        initiator.todo.push_back(&p);
        return p;
    }
};

std::uint64_t bank_address(unsigned bank, unsigned row, unsigned column = 0) {
    // One channel: bit 8 is the lowest bank bit, 12..14 the others, 5..7 and 9..11 the column.
    return (std::uint64_t{row} << 15) | (std::uint64_t{bank >> 1} << 12) |
           (std::uint64_t{bank & 1u} << 8) | (std::uint64_t{column & 7u} << 5) |
           (std::uint64_t{column >> 3} << 9);
}

void closed_form(const dram_config& c) {
    test::clocks clk;
    system_under_test read("read", c), write("write", c), conflict("conflict", c);
    for (auto* s : {&read, &write, &conflict}) clk.bind(s->sequencer);
    const dram_timing& t = c.timing;
    read.add(false, bank_address(2, 1));
    write.add(true, bank_address(2, 1), protocol::access_type::global_write);
    conflict.add(false, bank_address(2, 1));
    test::run_dram_cycles(400);
    conflict.add(false, bank_address(2, 2));
    test::run_dram_cycles(400);
    ASSERT_EQ(read.initiator.latencies.size(), 1u);
    // One cycle to reach the bank, activate, read, data.
    EXPECT_EQ(read.initiator.latencies[0], 1u + t.tRCD + t.CL);
    ASSERT_EQ(write.initiator.latencies.size(), 1u);
    EXPECT_EQ(write.initiator.latencies[0],
              1u + (t.tRCD > t.WL + 1 ? t.tRCD - t.WL - 1 : 0) + t.WL);
    ASSERT_EQ(conflict.initiator.latencies.size(), 2u);
    EXPECT_EQ(conflict.initiator.latencies[1], 1u + t.tRP + t.tRCD + t.CL);
    const auto& s = read.channel.statistics();
    EXPECT_EQ(s.activates, 1u);
    EXPECT_EQ(s.reads, 1u);
    EXPECT_EQ(s.idle_cycles + 2, s.cycles);
    EXPECT_GE(s.cycles, 799u);
    EXPECT_EQ(read.pool.outstanding() + write.pool.outstanding() + conflict.pool.outstanding(), 0u);
}

TEST(DramChannel, ServesOneAccessInTheLatencyOfHbm) {
    closed_form(test::hbm());
}
TEST(DramChannel, ServesOneAccessInTheLatencyOfGddr5x) {
    closed_form(test::gddr5x());
}
TEST(DramChannel, ServesOneAccessInTheLatencyOfGddr6) {
    closed_form(test::gddr6());
}
TEST(DramChannel, ServesOneAccessInTheLatencyOfFifo) {
    closed_form(test::gddr3_fifo());
}

void streaming(const dram_config& c, unsigned atoms_per_burst_cycle) {
    test::clocks clk;
    system_under_test s("s", c);
    clk.bind(s.sequencer);
    const unsigned n = 8000;
    // Rows of 64 atoms, interleaved over pairs of banks: the pattern of a linear stream.
    for (unsigned i = 0; i < n; ++i) s.add(false, 32ull * i);
    test::run_dram_cycles(n * atoms_per_burst_cycle * 2);
    ASSERT_TRUE(s.initiator.done());
    const double ideal = double(n) * atoms_per_burst_cycle;
    EXPECT_LT(double(s.initiator.last_completion), ideal * 1.03);
    EXPECT_TRUE(s.channel.checker()->violations().empty());
    EXPECT_EQ(s.channel.statistics().busy_data_cycles, std::uint64_t{n} * atoms_per_burst_cycle);
    EXPECT_GT(s.channel.statistics().row_locality(), 0.9);
    EXPECT_EQ(s.pool.outstanding(), 0u);
}
// A linear stream stays in one pair of banks per row, so it is limited by bank groups (tCCDL) on
// HBM.
TEST(DramChannel, StreamsAtThePeakBandwidthOfGddr6) {
    dram_config c = test::gddr6();
    c.timing.tCCDL = c.timing.tCCD;
    streaming(c, 4);
}
TEST(DramChannel, StreamsAtThePeakBandwidthOfHbm) {
    dram_config c = test::hbm();
    c.timing.tCCDL = c.timing.tCCD;
    streaming(c, 1);
}
TEST(DramChannel, StreamsAtThePeakBandwidthOfGddr5x) {
    dram_config c = test::gddr5x();
    c.timing.tCCDL = c.timing.tCCD;
    streaming(c, 2);
}

TEST(DramChannel, CountsARequestShorterThanABurst) {
    test::clocks clk;
    dram_config c = test::hbm();
    c.burst_length = 4;  // 64 bytes
    system_under_test s("s", c);
    clk.bind(s.sequencer);
    for (unsigned i = 0; i < 100; ++i) s.add(i % 4 == 0, 64ull * i);
    test::run_dram_cycles(4000);
    ASSERT_TRUE(s.initiator.done());
    const dram_statistics& d = s.channel.statistics();
    std::uint64_t reads = 0, writes = 0;
    for (const auto& bank : d.traffic) {
        reads += bank.reads;
        writes += bank.writes;
    }
    EXPECT_EQ(reads, 75u);
    EXPECT_EQ(writes, 25u);
    EXPECT_EQ(d.reads, 75u);
}

void fill_random(system_under_test& s, unsigned n, unsigned seed) {
    std::mt19937 random(seed);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint64_t a = bank_address(random() % 16, random() % 4, random() % 64);
        const unsigned k = random() % 10;
        if (k < 6)
            s.add(false, a,
                  k == 0 ? protocol::access_type::l2_write_allocate_read
                         : protocol::access_type::global_read);
        else
            s.add(
                true, a,
                k < 8 ? protocol::access_type::l2_writeback : protocol::access_type::global_write);
    }
}

/// All counters as text.
std::string text(const dram_statistics& s) {
    std::string r;
    const auto add = [&](std::uint64_t v) { r += std::to_string(v) + ' '; };
    for (auto v : {s.cycles,          s.idle_cycles,
                   s.active_cycles,   s.activates,
                   s.precharges,      s.refreshes,
                   s.requests,        s.reads,
                   s.allocate_reads,  s.writes,
                   s.write_backs,     s.busy_data_cycles,
                   s.command_cycles,  s.row_commands,
                   s.column_commands, s.dual_commands,
                   s.utilised,        s.wasted_column,
                   s.wasted_row,      s.unused,
                   s.limit_rcd,       s.limit_rcd_write,
                   s.limit_wtr,       s.limit_wtr_alone,
                   s.limit_rtw,       s.limit_rtw_alone,
                   s.limit_ccdl,      s.limit_ccdl_alone,
                   s.limit_pipeline,  s.accesses,
                   s.row_hits,        s.banks_waiting,
                   s.waiting_cycles,  s.waiting_cycles_after,
                   s.banks_open,      s.open_cycles,
                   s.banks_ready,     s.ready_cycles,
                   s.open_groups,     s.queue_sum,
                   s.queue_max,       s.queue_max_push,
                   s.latency_sum,     s.latency_max})
        add(v);
    for (auto v : s.writing_of_open) add(v);
    for (const auto& b : s.banks) {
        add(b.reads);
        add(b.idle);
        add(b.max_row_service);
        add(b.max_same_row);
    }
    return r;
}

void conservation(dram_config c, unsigned stall, unsigned hold) {
    test::clocks clk;
    simulation::phase_sequencer::options awake, shuffled;
    awake.sleeping = false;
    shuffled.shuffle_seed = 17;
    system_under_test a("a", c), b("b", c, awake), d("d", c, shuffled);
    for (auto* s : {&a, &b, &d}) {
        clk.bind(s->sequencer);
        fill_random(*s, 3000, 5);
        s->initiator.stall_percent = stall;
        s->initiator.hold_requests_percent = hold;
    }
    test::run_dram_cycles(150000);
    for (auto* s : {&a, &b, &d}) {
        EXPECT_TRUE(s->initiator.done()) << s->initiator.todo.size();
        EXPECT_EQ(s->initiator.completed, 3000u);
        EXPECT_GT(s->initiator.posted, 400u);
        EXPECT_EQ(s->pool.outstanding(), 0u);
        EXPECT_TRUE(s->channel.idle());
        if (c.check_timing) {
            EXPECT_TRUE(s->channel.checker()->violations().empty());
        }
        const auto& t = s->channel.statistics();
        EXPECT_EQ(t.reads + t.allocate_reads + t.writes + t.write_backs, 3000u);
        EXPECT_EQ(t.utilised + t.wasted_column + t.wasted_row + t.unused, t.cycles);
        EXPECT_EQ(t.command_cycles + t.idle_cycles, t.cycles);
        EXPECT_EQ(t.row_commands, t.activates + t.precharges + t.refreshes);
    }
    EXPECT_EQ(text(a.channel.statistics()), text(b.channel.statistics()));
    EXPECT_EQ(text(a.channel.statistics()), text(d.channel.statistics()));
    EXPECT_EQ(a.initiator.latencies, b.initiator.latencies);
    EXPECT_EQ(a.initiator.latencies, d.initiator.latencies);
}

TEST(DramChannel, ConservesRandomTrafficHbm) {
    conservation(test::hbm(), 30, 0);
}
TEST(DramChannel, ConservesRandomTrafficGddr5x) {
    conservation(test::gddr5x(), 30, 0);
}
TEST(DramChannel, ConservesRandomTrafficGddr6) {
    conservation(test::gddr6(), 0, 20);
}
TEST(DramChannel, ConservesRandomTrafficFifo) {
    conservation(test::gddr3_fifo(), 30, 0);
}
TEST(DramChannel, ConservesSparseTraffic) {
    conservation(test::hbm(), 0, 97);
}
TEST(DramChannel, ConservesRequestsWithASmallReturnQueue) {
    dram_config c = test::hbm();
    c.return_queue_size = 2;
    c.scheduler_queue_size = 8;
    conservation(c, 90, 0);
}
TEST(DramChannel, Holds1024RepliesWithAReturnQueueOfZero) {
    test::clocks clk;
    dram_config c = test::hbm();
    c.return_queue_size = 0;
    system_under_test s("s", c);
    clk.bind(s.sequencer);
    s.initiator.stall_percent = 100;  // accepts nothing
    for (unsigned k = 0; k < 1200; ++k) s.add(false, 32 * k);
    test::run_dram_cycles(8000);
    EXPECT_EQ(s.channel.replies_queued(), 1024u);
    s.initiator.stall_percent = 0;
    test::run_dram_cycles(8000);
    EXPECT_TRUE(s.initiator.done());
    EXPECT_EQ(s.initiator.completed, 1200u);
}
TEST(DramChannel, ConservesRequestsWithASeparateWriteQueue) {
    dram_config c = test::hbm();
    c.separate_write_queue = true;
    // The last writes below the high watermark would wait forever.
    c.write_queue_size = 8;
    c.write_high_watermark = 1;
    c.write_low_watermark = 1;
    conservation(c, 20, 0);
}
// Values that no DRAM has, but that GPGPU-Sim accepts.
TEST(DramChannel, ConservesRequestsWithABurstShorterThanACommandCycle) {
    dram_config c = test::hbm();
    c.data_command_freq_ratio = 4;
    conservation(c, 30, 0);
}
TEST(DramChannel, ConservesRequestsWithWritesSlowerThanReadsAndActivation) {
    dram_config c = test::hbm();
    c.timing.WL = c.timing.CL + 3;
    c.timing.tRCD = 5;
    c.check_timing = false;
    conservation(c, 30, 0);
}

TEST(DramChannel, ConservesRequestsWithHashedBanks) {
    dram_config c = test::hbm();
    c.bank_index = bank_indexing::ipoly;
    conservation(c, 0, 0);
}
TEST(DramChannel, RefreshesAllBanks) {
    dram_config c = test::hbm();
    c.timing.tREFI = 1000;
    c.timing.tRFC = 100;
    conservation(c, 10, 50);
}
dram_config with_bank_refreshes(dram_config c, unsigned interval, unsigned duration) {
    c.timing.tREFI = interval;
    c.timing.tRFCSB = duration;
    return c;
}
TEST(DramChannel, RefreshesPerBankHbm) {
    conservation(with_bank_refreshes(test::hbm(), 1600, 100), 10, 50);
}
TEST(DramChannel, RefreshesPerBankGddr6) {
    conservation(with_bank_refreshes(test::gddr6(), 1600, 100), 10, 50);
}
TEST(DramChannel, RefreshesPerBankFifo) {
    conservation(with_bank_refreshes(test::gddr3_fifo(), 1600, 100), 10, 50);
}

/// Refreshes of a channel by bank.
struct refresh_recorder : command_observer {
    std::vector<std::vector<std::uint64_t>> cycles = std::vector<std::vector<std::uint64_t>>(16);
    unsigned of_all = 0;
    void command(std::uint64_t cycle, dram_command kind, unsigned bank, std::uint32_t,
                 std::uint32_t) override {
        if (kind == dram_command::refresh_bank) cycles[bank].push_back(cycle);
        of_all += kind == dram_command::refresh ? 1 : 0;
    }
};

TEST(DramChannel, RefreshesEveryBankOncePerInterval) {
    test::clocks clk;
    system_under_test s("s", with_bank_refreshes(test::hbm(), 1600, 100));
    clk.bind(s.sequencer);
    refresh_recorder recorder;
    s.channel.observe(recorder);
    fill_random(s, 3000, 5);
    test::run_dram_cycles(16100);
    EXPECT_EQ(recorder.of_all, 0u);
    for (const auto& bank : recorder.cycles) {
        ASSERT_EQ(bank.size(), 10u);
        // Late only by the request that the bank was serving, and its precharge.
        for (std::size_t i = 1; i < bank.size(); ++i)
            EXPECT_NEAR(double(bank[i] - bank[i - 1]), 1600, 150);
    }
    EXPECT_EQ(s.channel.statistics().refreshes, 160u);
}

TEST(DramChannel, DelaysOnlyRequestsOfARefreshedBank) {
    test::clocks clk;
    // Bank 0 from cycle 1000 on.
    system_under_test s("s", with_bank_refreshes(test::hbm(), 16000, 5000));
    clk.bind(s.sequencer);
    test::run_dram_cycles(1010);
    s.add(false, 0);
    test::run_dram_cycles(500);
    EXPECT_EQ(s.initiator.completed, 0u);
    for (std::uint64_t address = 0x80; address < 0x4000; address <<= 1) s.add(false, address);
    test::run_dram_cycles(500);
    EXPECT_GT(s.initiator.completed, 0u);
    EXPECT_FALSE(s.initiator.done());
    test::run_dram_cycles(5000);
    EXPECT_TRUE(s.initiator.done());
}

TEST(DramChannel, ConservesRequestsWithoutTurnaround) {
    dram_config c = test::hbm();
    c.eliminate_rw_turnaround = true;
    conservation(c, 0, 0);
}

TEST(DramChannel, ServesAPayloadWithoutExtension) {
    test::clocks clk;
    system_under_test s("s", test::hbm());
    clk.bind(s.sequencer);
    struct manager : tlm::tlm_mm_interface {
        unsigned freed = 0;
        void free(tlm::tlm_generic_payload*) override { ++freed; }
    } mm;
    tlm::tlm_generic_payload p(&mm);
    unsigned char data[64];
    p.set_read();
    p.set_address(0x40);
    p.set_data_ptr(data);
    p.set_data_length(64);
    p.acquire();
    s.initiator.todo.push_back(&p);
    test::run_dram_cycles(100);
    EXPECT_EQ(mm.freed, 1u);
    EXPECT_EQ(s.channel.statistics().reads, 2u);  // two atoms
}

TEST(DramChannel, SleepsWhenIdle) {
    test::clocks clk;
    system_under_test s("s", test::hbm());
    clk.bind(s.sequencer);
    s.add(false, 0);
    test::run_dram_cycles(2000);
    EXPECT_LT(s.sequencer.activations(protocol::phase::dram_channel), 10u);
    EXPECT_NEAR(double(s.channel.statistics().cycles), 2000.0, 1.0);
}

/// Sends requests at long intervals to a channel that defers its refreshes, and to one that is
/// observed and refreshes in time.
void refresh_afterwards(const dram_config& c) {
    test::clocks clk;
    dram_config unobserved = c;
    unobserved.check_timing = false;
    system_under_test deferring("deferring", unobserved), timely("timely", c);
    for (auto* s : {&deferring, &timely}) clk.bind(s->sequencer);
    refresh_recorder recorder;
    timely.channel.observe(recorder);
    std::mt19937 random(3);
    for (unsigned i = 0; i < 60; ++i) {
        test::run_dram_cycles(random() % 900);
        const bool write = random() % 4 == 0;
        const auto type =
            write ? protocol::access_type::global_write : protocol::access_type::global_read;
        const std::uint64_t address = bank_address(random() % 16, random() % 4, random() % 64);
        for (auto* s : {&deferring, &timely}) s->add(write, address, type);
        if (i % 7 == 0) deferring.channel.statistics();
    }
    test::run_dram_cycles(3000);
    EXPECT_EQ(deferring.initiator.completed, 60u);
    EXPECT_EQ(deferring.initiator.latencies, timely.initiator.latencies);
    const dram_statistics &a = deferring.channel.statistics(), &b = timely.channel.statistics();
    EXPECT_GT(a.refreshes, 15u);
    for (const auto& counter : dram_counters)
        for (std::size_t i = 0; i < counter.cells(a); ++i)
            EXPECT_EQ(counter.value(a, i), counter.value(b, i)) << counter.name << " " << i;
    const auto activations = [](const system_under_test& s) {
        return s.sequencer.activations(protocol::phase::dram_channel);
    };
    EXPECT_LT(activations(deferring), activations(timely));
}

TEST(DramChannel, PerformsRefreshesOfAllBanksAfterwardsIfItIsIdle) {
    dram_config c = test::hbm();
    c.timing.tREFI = 1000;
    c.timing.tRFC = 100;
    refresh_afterwards(c);
}
TEST(DramChannel, PerformsRefreshesPerBankAfterwardsIfItIsIdle) {
    refresh_afterwards(with_bank_refreshes(test::hbm(), 1600, 100));
}

}  // namespace
}  // namespace simtlm::memory
