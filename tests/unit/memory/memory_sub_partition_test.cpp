// SPDX-License-Identifier: Apache-2.0
// One sub-partition at its sockets and queues, with a network interface in front and a memory of
// fixed latency in place of the partition.
#include "tests/unit/memory/partition_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

namespace simtlm::memory {
namespace {

using protocol::access_type;

/// Drains and fills the sub-partition's queues like a partition: one request and one answer per
/// DRAM cycle, ten DRAM cycles apart.
class memory_end : public sc_core::sc_module {
public:
    struct seen {
        std::uint64_t address;
        unsigned bytes;
        bool write;
        access_type type;
    };
    std::vector<seen> requests;
    bool answers = true;

    memory_end(const sc_core::sc_module_name& name, simulation::phase_sequencer& s,
               memory_sub_partition& slice)
        : sc_module(name),
          slice_(slice),
          take_("take", s, protocol::phase::dram_arbitrate,
                simulation::on_edge<&memory_end::take>(this), true),
          give_("give", s, protocol::phase::dram_return,
                simulation::on_edge<&memory_end::give>(this), true) {
        slice.to_memory.set_reader(take_);
        slice.from_memory.set_writer(give_);
    }

private:
    void take() {
        if (!answers || slice_.to_memory.empty()) return;
        tlm::tlm_generic_payload& p = *slice_.to_memory.pop();
        const auto& e = protocol::extension(p);
        requests.push_back({p.get_address(), e.data_bytes, p.is_write(), e.type});
        under_way_.push_back({&p, take_.now() + 10});
    }
    void give() {
        if (under_way_.empty() || give_.now() < under_way_.front().second) return;
        tlm::tlm_generic_payload& p = *under_way_.front().first;
        if (protocol::is_posted(protocol::extension(p).type)) {
            slice_.consumed(p);
        } else {
            if (slice_.from_memory.full()) return;
            slice_.from_memory.push(&p);
        }
        under_way_.pop_front();
    }

    memory_sub_partition& slice_;
    simulation::clocked_process take_, give_;
    std::deque<std::pair<tlm::tlm_generic_payload*, std::uint64_t>> under_way_;
};

class MemorySubPartition : public testing::Test {
protected:
    static partition_config one_slice() {
        partition_config c = test::volta_partition();
        c.sub_partitions = 1;
        return c;
    }
    void build(unsigned number = 0) {
        mapping = std::make_unique<address_mapping>(test::volta_map(1, 1));
        slice = std::make_unique<memory_sub_partition>("slice", sequencer, config, *mapping, pool,
                                                       shared, number);
        network = std::make_unique<test::network_end>("network", sequencer, 7);
        network->socket.bind(slice->port);
        memory = std::make_unique<memory_end>("memory", sequencer, *slice);
        clocks.bind(sequencer);
    }
    tlm::tlm_generic_payload& add(bool write, std::uint64_t address, unsigned bytes,
                                  access_type type) {
        auto& p = test::make_request(pool, write, address, bytes, type);
        network->todo.push_back(&p);
        return p;
    }
    void expect_drained(std::uint64_t replies) {
        EXPECT_TRUE(network->done());
        EXPECT_EQ(network->replies, replies);
        EXPECT_TRUE(slice->idle());
        EXPECT_EQ(pool.outstanding(), 0u);
    }

    test::clocks clocks;
    partition_config config = one_slice();
    protocol::transaction_pool pool;
    memory_statistics shared{4, 16};
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    std::unique_ptr<address_mapping> mapping;
    std::unique_ptr<memory_sub_partition> slice;
    std::unique_ptr<test::network_end> network;
    std::unique_ptr<memory_end> memory;
};

TEST_F(MemorySubPartition, AMissIsReadOnceAndThenHits) {
    build();
    add(false, 0x40, 32, access_type::global_read);
    test::run_core_cycles(400);
    add(false, 0x40, 32, access_type::global_read);
    test::run_core_cycles(400);
    expect_drained(2);
    ASSERT_EQ(memory->requests.size(), 1u);
    EXPECT_EQ(memory->requests[0].address, 0x40u);
    EXPECT_EQ(memory->requests[0].bytes, 32u);
    EXPECT_GT(network->latencies[0], network->latencies[1]);
    EXPECT_EQ(network->latencies[1], config.rop_latency + 2u);  // through both queues
    EXPECT_EQ(slice->statistics().to_memory, 1u);
}

TEST_F(MemorySubPartition, APrefetchIsAcknowledgedImmediatelyAndLaterReadsHit) {
    build();
    auto& p = add(false, 0x40, 32, access_type::global_read);
    protocol::extension(p).is_prefetch = true;
    protocol::extension(p).l2_block = protocol::l2_block_code(128);
    EXPECT_EQ(protocol::reply_bytes(p), protocol::control_bytes);
    test::run_core_cycles(400);
    ASSERT_EQ(network->latencies.size(), 1u);
    EXPECT_EQ(network->latencies[0], config.rop_latency + 2u) << "as long as a hit";
    EXPECT_EQ(memory->requests.size(), 4u) << "the line";
    for (const std::uint64_t a : {0x00u, 0x20u, 0x40u, 0x60u})
        add(false, a, 32, access_type::global_read);
    test::run_core_cycles(400);
    expect_drained(5);
    EXPECT_EQ(memory->requests.size(), 4u);
}

TEST_F(MemorySubPartition, AMissFetchesTheBlockThatItsLoadNames) {
    build();
    for (const auto& [address, block, requests] :
         {std::tuple{0x1060u, 64u, 2u}, std::tuple{0x2040u, 128u, 4u},
          std::tuple{0x3040u, 256u, 8u}, std::tuple{0x4040u, 0u, 1u}}) {
        memory->requests.clear();
        for (int again = 0; again < 2; ++again) {
            auto& p = add(false, address, 32, access_type::global_read);
            protocol::extension(p).l2_block = protocol::l2_block_code(block);
            test::run_core_cycles(600);
        }
        EXPECT_EQ(memory->requests.size(), requests) << block;
        for (const memory_end::seen& r : memory->requests)
            EXPECT_EQ(r.address / std::max(block, 32u), address / std::max(block, 32u));
    }
    expect_drained(8);
}

TEST_F(MemorySubPartition, AReadThatMissesFetchesABlockOfTheFetchGranularity) {
    config.fetch_granularity = 64;
    build();
    add(false, 0x1060, 32, access_type::global_read);
    test::run_core_cycles(600);
    ASSERT_EQ(memory->requests.size(), 2u);
    EXPECT_EQ(memory->requests[0].address, 0x1060u) << "the sector that was read comes first";
    EXPECT_EQ(memory->requests[1].address, 0x1040u);
    add(false, 0x1040, 32, access_type::global_read);
    test::run_core_cycles(600);
    EXPECT_EQ(memory->requests.size(), 2u) << "a hit";

    auto& p = add(false, 0x2000, 32, access_type::global_read);
    protocol::extension(p).l2_block = protocol::l2_block_code(128);
    test::run_core_cycles(600);
    EXPECT_EQ(memory->requests.size(), 6u) << "the larger block of the instruction";
    expect_drained(3);
}

TEST_F(MemorySubPartition, AWriteThatMissesFetchesNoBlock) {
    config.fetch_granularity = 128;
    build();
    add(true, 0x1000, 32, access_type::global_write);
    test::run_core_cycles(600);
    EXPECT_TRUE(memory->requests.empty());
}

TEST_F(MemorySubPartition, ARequestFromTheOtherPartitionCrossesUntilALocalCopyExists) {
    config.far_latency = 150;
    config.sms = 2;
    config.slices = 2;  // this is the first slice, in the half of SM 0
    build();
    const auto request = [&](unsigned sm, bool write) {
        auto& p =
            add(write, 0x40, 32, write ? access_type::global_write : access_type::global_read);
        protocol::extension(p).sm = static_cast<std::uint16_t>(sm);
        test::run_core_cycles(1000);
    };
    request(0, false);  // read from memory
    for (const unsigned sm : {0u, 1u, 1u}) request(sm, false);
    request(0, true);  // ends the copy
    request(1, false);
    expect_drained(6);
    const unsigned near = config.rop_latency + 2;
    EXPECT_EQ(network->latencies[1], near);
    EXPECT_EQ(network->latencies[2], near + 150);
    EXPECT_EQ(network->latencies[3], near);
    EXPECT_EQ(network->latencies[5], near + 150);
    EXPECT_EQ(slice->statistics().far_requests, 2u);
    EXPECT_EQ(slice->statistics().near_copies, 1u);
}

TEST_F(MemorySubPartition, ACopyInTheOtherPartitionOccupiesALine) {
    config.far_latency = 150;
    config.sms = 2;
    config.slices = 2;
    config.l2.sets = 1;
    config.l2.ways = 4;
    build();
    const auto read = [&](unsigned sm, std::uint64_t line) {
        auto& p = add(false, line * 128, 32, access_type::global_read);
        protocol::extension(p).sm = static_cast<std::uint16_t>(sm);
        test::run_core_cycles(1000);
    };
    for (const std::uint64_t line : {0u, 1u, 2u, 3u, 0u}) read(0, line);
    EXPECT_EQ(memory->requests.size(), 4u) << "four lines fit";
    for (const std::uint64_t line : {4u, 5u}) read(1, line);  // two lines and two copies
    EXPECT_EQ(memory->requests.size(), 6u);
    read(1, 4);
    EXPECT_EQ(slice->statistics().near_copies, 1u);
    for (const std::uint64_t line : {0u, 1u, 2u, 3u}) read(0, line);
    EXPECT_EQ(memory->requests.size(), 10u) << "no line was left";
    read(1, 4);
    EXPECT_EQ(slice->statistics().near_copies, 1u) << "the copy has been replaced as well";
    expect_drained(13);
}

TEST_F(MemorySubPartition, SectorsLeaveForTheOtherPartitionAtAnInterval) {
    config.far_latency = 150;
    config.far_interval = 20500;  // 20.5 core cycles
    config.sms = 2;
    config.slices = 2;
    build();
    for (const unsigned line : {0u, 1u, 2u, 3u}) slice->warm(line * 128, 0);
    const auto request = [&](unsigned line, bool write) {
        auto& p = add(write, line * 128, 32,
                      write ? access_type::global_write : access_type::global_read);
        protocol::extension(p).sm = 1;
    };
    for (const unsigned line : {0u, 1u, 2u, 0u}) request(line, false);
    request(3, true);
    test::run_core_cycles(1000);
    expect_drained(5);
    std::vector<std::uint64_t> latencies(network->latencies.begin(), network->latencies.end());
    // In order of the replies: line 0, the write, lines 1 and 2, and the copy of line 0 behind
    // them.
    const unsigned far = config.rop_latency + 2 + 150;
    EXPECT_EQ(latencies, (std::vector<std::uint64_t>{far, far, far + 19, far + 39, far + 39}));
}

TEST_F(MemorySubPartition, LinesOfAHostCopyAreWrittenBackWithinTheLimitOfModifiedOnes) {
    config.copies_modify = true;
    config.l2.sets = 1;
    config.l2.ways = 4;
    config.l2.dirty_limit_percent = 50;
    build();
    for (const unsigned line : {0u, 1u, 2u, 3u}) slice->warm(line * 128, 0);
    add(false, 0, 32, access_type::global_read);
    test::run_core_cycles(1000);
    EXPECT_TRUE(memory->requests.empty()) << "a hit";
    for (const unsigned line : {4u, 5u, 6u, 7u})
        add(false, line * 128, 32, access_type::global_read);
    test::run_core_cycles(1000);
    std::vector<std::uint64_t> written;
    for (const memory_end::seen& r : memory->requests)
        if (r.write) written.push_back(r.address);
    EXPECT_EQ(written, (std::vector<std::uint64_t>{2 * 128, 3 * 128})) << "the last two copied";
    expect_drained(5);
}

TEST_F(MemorySubPartition, AdjacentChannelsAreInDifferentPartitions) {
    // So that consecutive data are near and far alternately.
    config.far_latency = 150;
    config.sms = 2;
    config.slices = 4;
    build(1);
    for (const unsigned sm : {0u, 1u}) {
        protocol::extension(add(false, 0x40, 32, access_type::global_read)).sm =
            static_cast<std::uint16_t>(sm);
        test::run_core_cycles(1000);
    }
    expect_drained(2);
    EXPECT_EQ(slice->statistics().far_requests, 1u) << "of SM 0";
    EXPECT_EQ(network->latencies[1], config.rop_latency + 2u);
}

TEST_F(MemorySubPartition, ThePartitionsNeedNotBeContiguousSms) {
    config.far_latency = 150;
    config.half_of_sm = {0, 1, 0, 1};
    config.sms = 4;
    config.slices = 2;
    build();
    for (const unsigned sm : {0u, 1u, 2u, 3u}) {
        auto& p = add(false, 0x40 + 0x100 * sm, 32, access_type::global_read);
        protocol::extension(p).sm = static_cast<std::uint16_t>(sm);
        test::run_core_cycles(1000);
    }
    expect_drained(4);
    EXPECT_EQ(slice->statistics().far_requests, 2u) << "of SM 1 and SM 3";
}

TEST_F(MemorySubPartition, TheParityOfSomeAddressBitsSelectsThePartition) {
    config.far_latency = 150;
    config.half_bits = 0x5000;
    config.sms = 2;
    config.slices = 4;
    build(1);  // an odd channel, which is irrelevant here
    for (const std::uint64_t address : {0x40u, 0x1040u, 0x2040u, 0x4040u, 0x5040u}) {
        protocol::extension(add(false, address, 32, access_type::global_read)).sm = 0;
        test::run_core_cycles(1000);
    }
    expect_drained(5);
    EXPECT_EQ(slice->statistics().far_requests, 2u) << "0x1040 and 0x4040";
}

TEST_F(MemorySubPartition, AnAtomicTakesLongerThanARead) {
    config.atomic_latency = 28;
    build();
    add(false, 0x40, 32, access_type::global_read);
    test::run_core_cycles(1000);
    protocol::extension(add(false, 0x40, 32, access_type::global_read)).is_atomic = true;
    add(false, 0x40, 32, access_type::global_read);
    test::run_core_cycles(1000);
    expect_drained(3);
    // In order of completion: the read does not wait for the atomic.
    EXPECT_EQ(network->latencies[1], config.rop_latency + 2u);
    EXPECT_EQ(network->latencies[2], config.rop_latency + 2u + 28);
}

TEST_F(MemorySubPartition, PerformsAtomicsAtTheIntervalOfItsUnit) {
    config.atomic_interval = 2500;  // 2.5 L2 cycles
    build();
    add(false, 0x40, 32, access_type::global_read);  // fetches the sector into the L2
    test::run_core_cycles(1000);
    for (int n = 0; n < 5; ++n)
        protocol::extension(add(false, 0x40, 32, access_type::global_read)).is_atomic = true;
    test::run_core_cycles(1000);
    expect_drained(6);
    // Begin in cycles 0, 2.5, 5, 7.5 and 10 after the first, each in the cycle that contains it.
    EXPECT_EQ(slice->statistics().atomic_waits, 1u + 2 + 1 + 2);
}

TEST_F(MemorySubPartition, ALineIsSplitIntoSectorsThatAreAnsweredIndividually) {
    build();
    add(false, 0x80, 128, access_type::instruction_read);
    test::run_core_cycles(600);
    expect_drained(1);
    EXPECT_EQ(network->parts, 4u);
    ASSERT_EQ(memory->requests.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(memory->requests[i].address, 0x80u + 32 * i);
        EXPECT_EQ(memory->requests[i].bytes, 32u);
    }
    EXPECT_EQ(slice->statistics().requests, 1u);
    EXPECT_EQ(slice->statistics().replies, 4u);
}

TEST_F(MemorySubPartition, TextureReadsSkipTheRopDelay) {
    build();
    slice->warm(0x40, 0);
    add(false, 0x40, 32, access_type::texture_read);
    test::run_core_cycles(100);
    expect_drained(1);
    EXPECT_EQ(network->latencies[0], 1u);
}

TEST_F(MemorySubPartition, AWriteIsAnsweredByTheL2AndReachesMemoryWhenItsLineIsEvicted) {
    config.l2.sets = 1;
    config.l2.ways = 1;
    build();
    add(true, 0x000, 32, access_type::global_write);
    test::run_core_cycles(400);
    EXPECT_EQ(network->replies, 1u);
    EXPECT_TRUE(memory->requests.empty());
    add(true, 0x100, 32, access_type::global_write);
    test::run_core_cycles(400);
    expect_drained(2);
    ASSERT_EQ(memory->requests.size(), 1u);
    EXPECT_EQ(memory->requests[0].type, access_type::l2_writeback);
    EXPECT_EQ(memory->requests[0].address, 0x000u);
}

TEST_F(MemorySubPartition, AFlushDiscardsDirtyLines) {
    config.l2.sets = 1;
    config.l2.ways = 1;
    build();
    add(true, 0x000, 32, access_type::global_write);
    test::run_core_cycles(400);
    slice->flush();
    add(true, 0x100, 32, access_type::global_write);
    test::run_core_cycles(400);
    expect_drained(2);
    EXPECT_TRUE(memory->requests.empty());
}

TEST_F(MemorySubPartition, RequestsWaitInTheNetworkWhileMemoryIsFull) {
    config.icnt_to_l2 = 8;
    config.l2_to_dram = 2;
    config.l2.miss_queue_size = 2;
    build();
    memory->answers = false;
    for (unsigned i = 0; i < 400; ++i) add(false, 0x80 * i, 32, access_type::global_read);
    test::run_core_cycles(2000);
    EXPECT_TRUE(slice->request_waits());
    EXPECT_EQ(slice->to_memory.size(), 2u);
    EXPECT_GT(slice->statistics().stalled_full, 1000u);
    EXPECT_EQ(network->replies, 0u);
    memory->answers = true;
    test::run_core_cycles(4000);
    expect_drained(400);
}

TEST_F(MemorySubPartition, RepliesWaitWhileTheNetworkIsFull) {
    config.l2_to_icnt = 4;
    build();
    for (unsigned i = 0; i < 20; ++i) {
        slice->warm(0x80 * i, 0);
        add(false, 0x80 * i, 32, access_type::global_read);
    }
    test::run_core_cycles(100);
    network->stall_percent = 100;  // withholds every second reply forever
    test::run_core_cycles(1000);
    EXPECT_TRUE(slice->reply_blocked());
    EXPECT_GT(slice->statistics().stalled_reply, 500u);
    network->stall_percent = 0;
    test::run_core_cycles(1000);
    expect_drained(20);
}

TEST_F(MemorySubPartition, SleepsDuringAMiss) {
    build();
    add(false, 0x40, 32, access_type::global_read);
    test::run_core_cycles(3000);
    expect_drained(1);
    EXPECT_LT(sequencer.activations(protocol::phase::l2_slice), 40u);
}

TEST_F(MemorySubPartition, ForwardsEveryRequestWithoutAnL2) {
    config.l2.enabled = false;
    build();
    add(false, 0x40, 32, access_type::global_read);
    add(true, 0x60, 32, access_type::global_write);
    test::run_core_cycles(600);
    expect_drained(2);
    EXPECT_EQ(memory->requests.size(), 2u);
    EXPECT_EQ(slice->cache_statistics(), nullptr);
}

}  // namespace
}  // namespace simtlm::memory
