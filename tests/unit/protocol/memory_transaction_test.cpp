// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/memory_transaction.h"

#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace simtlm::protocol {
namespace {

using access = access_type;

TEST(TransactionPool, AllocatesAnInitializedPayload) {
    transaction_pool pool;
    auto& p = pool.acquire(tlm::TLM_WRITE_COMMAND, 0x7f0000001080, 96, access::local_write);
    EXPECT_TRUE(p.is_write());
    EXPECT_EQ(p.get_address(), 0x7f0000001080u);
    EXPECT_EQ(p.get_data_length(), 96u);
    EXPECT_EQ(p.get_streaming_width(), 96u);
    EXPECT_EQ(p.get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(p.get_ref_count(), 1);
    EXPECT_TRUE(p.has_mm());
    ASSERT_NE(p.get_data_ptr(), nullptr);
    std::memset(p.get_data_ptr(), 0xa5, 128);  // 128 bytes with undefined contents
    EXPECT_EQ(extension(p).type, access::local_write);
    EXPECT_EQ(extension(p).data_bytes, 96u);
    p.release();
}

TEST(TransactionPool, TakesLittleMemoryPerTransaction) {
    EXPECT_LE(sizeof(memory_extension), 120u) << "a large GPU has 100,000 of them under way";
    EXPECT_LE(sizeof(pooled_transaction), 256u);
}

TEST(HopTimes, HoldCycleCountsBeyond32Bits) {
    using simtlm::protocol::hop_times;
    const std::uint64_t now = (std::uint64_t{7} << 32) + 5;
    EXPECT_EQ(hop_times::between(hop_times::stamp(now - 9), now), 9u);
}

TEST(TransactionPool, ReusesReleasedPayloads) {
    transaction_pool pool;
    auto& p = pool.acquire(tlm::TLM_READ_COMMAND, 0, 32, access::global_read);
    p.release();
    auto& q = pool.acquire(tlm::TLM_READ_COMMAND, 64, 32, access::global_read);
    EXPECT_EQ(&p, &q);
    EXPECT_EQ(pool.acquired(), 2u);
    q.release();
}

TEST(TransactionPool, ClearsAPayloadOnReuse) {
    transaction_pool pool;
    auto& p = pool.acquire(tlm::TLM_WRITE_COMMAND, 0x100, 128, access::global_write);
    auto& parent = pool.acquire(tlm::TLM_READ_COMMAND, 0, 1, access::global_read);
    memory_extension& e = extension(p);
    e.profiled = 8;
    e.is_atomic = e.bypass_l1 = e.last_use = e.located = e.hit = true;
    e.sectors = 0xf;
    e.sm = e.warp = e.cluster = 9;
    e.lanes = 32;
    e.bytes.set(0, 128);
    e.parent = &parent;
    e.pending_parts = 4;
    e.owner = 6;
    e.when.created = e.when.received = 77;
    e.location.row = 5;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    p.set_dmi_allowed(true);
    p.release();
    auto& q = pool.acquire(tlm::TLM_READ_COMMAND, 0x200, 32, access::constant_read);
    ASSERT_EQ(&p, &q);
    const memory_extension& f = extension(q);
    EXPECT_FALSE(f.is_atomic || f.bypass_l1 || f.last_use || f.located || f.hit);
    EXPECT_EQ(f.sectors, 0u);
    EXPECT_EQ(f.sm + f.warp + f.cluster, 0);
    EXPECT_EQ(f.lanes, 0u);
    EXPECT_TRUE(f.bytes.none());
    EXPECT_EQ(f.parent, nullptr);
    EXPECT_EQ(f.pending_parts, 0);
    EXPECT_EQ(f.owner, 0u);
    EXPECT_EQ(f.when.created + f.when.received, 0u);
    EXPECT_EQ(f.location.row, 0u);
    EXPECT_EQ(f.profiled, 0u);
    EXPECT_EQ(q.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_FALSE(q.is_dmi_allowed());
    q.release();
    parent.release();
}

TEST(TransactionPool, CountsTransactionsUntilTheirLastReferenceIsReleased) {
    transaction_pool pool;
    EXPECT_EQ(pool.outstanding(), 0u);
    auto& p = pool.acquire(tlm::TLM_READ_COMMAND, 0, 32, access::global_read);
    p.acquire();
    p.release();
    EXPECT_EQ(pool.outstanding(), 1u);
    p.release();
    EXPECT_EQ(pool.outstanding(), 0u);
}

TEST(TransactionPool, NeverReusesAPayloadInUse) {
    transaction_pool pool;
    std::mt19937 random(5);
    std::vector<tlm::tlm_generic_payload*> held;
    for (unsigned n = 0; n < 20000; ++n) {
        if (held.size() < 1000 && random() % 5 < 3) {
            auto& p = pool.acquire(tlm::TLM_READ_COMMAND, n, 32, access::global_read);
            ASSERT_EQ(p.get_ref_count(), 1);
            extension(p).sm = static_cast<std::uint16_t>(n);
            held.push_back(&p);
        } else if (!held.empty()) {
            const std::size_t i = random() % held.size();
            ASSERT_EQ(extension(*held[i]).sm, held[i]->get_address());
            held[i]->release();
            held[i] = held.back();
            held.pop_back();
        }
        ASSERT_EQ(pool.outstanding(), held.size());
    }
    const std::set<tlm::tlm_generic_payload*> distinct(held.begin(), held.end());
    EXPECT_EQ(distinct.size(), held.size());
    for (auto* p : held) p->release();
}

TEST(TransactionPool, HasOnePoolPerBlockIfShared) {
    transaction_pool pool;
    EXPECT_EQ(&pool.of_block(), &pool);
    pool.share();
    transaction_pool &one = pool.of_block(), &other = pool.of_block();
    EXPECT_NE(&one, &other);
    auto& p = one.acquire(tlm::TLM_READ_COMMAND, 0, 32, access::global_read);
    auto& q = other.acquire(tlm::TLM_READ_COMMAND, 0, 32, access::global_read);
    EXPECT_EQ(pool.outstanding(), 2u) << "its parts count as well";
    EXPECT_EQ(pool.acquired(), 2u);
    p.release();
    q.release();
    EXPECT_EQ(pool.outstanding(), 0u);
    EXPECT_EQ(one.outstanding(), 0u);
}

TEST(TransactionPool, AcceptsReleasesFromOtherThreads) {
    transaction_pool pool;
    pool.share();
    constexpr unsigned blocks = 3, each = 20000;
    std::vector<transaction_pool*> of;
    for (unsigned b = 0; b < blocks; ++b) of.push_back(&pool.of_block());
    // Every block passes its transactions to the next one, which releases them.
    struct mailbox {
        std::mutex alone;
        std::vector<tlm::tlm_generic_payload*> held;
    };
    std::vector<mailbox> mailboxes(blocks);
    const auto work = [&](unsigned b) {
        for (unsigned n = 0; n < each; ++n) {
            auto& p = of[b]->acquire(tlm::TLM_READ_COMMAND, n, 32, access::global_read);
            extension(p).sm = static_cast<std::uint16_t>(n);
            {
                const std::lock_guard hold(mailboxes[(b + 1) % blocks].alone);
                mailboxes[(b + 1) % blocks].held.push_back(&p);
            }
            const std::lock_guard hold(mailboxes[b].alone);
            for (auto* q : mailboxes[b].held) {
                EXPECT_EQ(extension(*q).sm, static_cast<std::uint16_t>(q->get_address()));
                q->release();
            }
            mailboxes[b].held.clear();
        }
    };
    std::vector<std::thread> threads;
    for (unsigned b = 0; b < blocks; ++b) threads.emplace_back(work, b);
    for (std::thread& t : threads) t.join();
    for (mailbox& m : mailboxes)
        for (auto* p : m.held) p->release();
    EXPECT_EQ(pool.acquired(), blocks * each);
    EXPECT_EQ(pool.outstanding(), 0u);
}

TEST(ByteMask, SetsAndTestsBytesAcrossItsWords) {
    byte_mask m;
    EXPECT_TRUE(m.none());
    m.set(60, 8);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(m.test(i), i >= 60 && i < 68) << i;
    EXPECT_FALSE(m.none());
    m.set(127, 1);
    EXPECT_TRUE(m.test(127));
    m.set(3, 0);
    EXPECT_FALSE(m.test(3));
}

TEST(ByteMask, ReportsItsSectors) {
    byte_mask m;
    m.set(33, 2);
    m.set(94, 4);
    EXPECT_EQ(m.sector(0), 0u);
    EXPECT_EQ(m.sector(1), 0b110u);
    EXPECT_EQ(m.sector(2), 0xC0000000u);
    EXPECT_EQ(m.sector(3), 0b11u);
    byte_mask copy;
    for (unsigned s = 0; s < 4; ++s) copy.set_sector(s, m.sector(s));
    EXPECT_EQ(copy.bits, m.bits);
}

TEST(ByteMask, JoinsAnother) {
    byte_mask a, b;
    a.set(0, 4);
    b.set(2, 100);
    a |= b;
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(a.test(i), i < 102);
}

TEST(PacketSize, IsTheHeaderAndTheTransferredData) {
    transaction_pool pool;
    auto& read = pool.acquire(tlm::TLM_READ_COMMAND, 0, 128, access::global_read);
    EXPECT_EQ(request_bytes(read), 8u);
    EXPECT_EQ(reply_bytes(read), 136u);
    auto& write = pool.acquire(tlm::TLM_WRITE_COMMAND, 0, 32, access::global_write);
    EXPECT_EQ(request_bytes(write), 40u);
    EXPECT_EQ(reply_bytes(write), 8u);
    auto& atomic = pool.acquire(tlm::TLM_READ_COMMAND, 0, 32, access::global_read);
    extension(atomic).is_atomic = true;
    EXPECT_EQ(request_bytes(atomic), 40u);
    EXPECT_EQ(reply_bytes(atomic), 40u);
    auto& part = pool.acquire(tlm::TLM_READ_COMMAND, 0, 128, access::global_read);
    extension(part).data_bytes = 64;  // two of four sectors
    EXPECT_EQ(reply_bytes(part), 72u);
    for (auto* p : {&read, &write, &atomic, &part}) p->release();
}

TEST(MemoryExtension, ClonesAndCopiesItsContents) {
    transaction_pool pool;
    auto& p = pool.acquire(tlm::TLM_READ_COMMAND, 0x40, 32, access::texture_read);
    extension(p).warp = 13;
    extension(p).bytes.set(4, 8);
    const std::unique_ptr<memory_extension> clone(
        static_cast<memory_extension*>(extension(p).clone()));
    const memory_extension& c = *clone;
    EXPECT_EQ(c.warp, 13);
    EXPECT_EQ(c.type, access::texture_read);
    EXPECT_EQ(c.bytes.bits, extension(p).bytes.bits);
    memory_extension other;
    other.warp = 1;
    other.copy_from(*clone);
    EXPECT_EQ(other.warp, 13);
    p.release();
}

TEST(MemoryExtension, IsCopiedWithADeepCopyOfThePayload) {
    transaction_pool pool;
    auto& p = pool.acquire(tlm::TLM_WRITE_COMMAND, 0x40, 4, access::global_write);
    extension(p).sm = 7;
    p.get_data_ptr()[0] = 42;
    std::array<unsigned char, 128> data{};
    tlm::tlm_generic_payload copy;
    copy.set_data_ptr(data.data());
    copy.deep_copy_from(p);
    EXPECT_EQ(data[0], 42);
    ASSERT_NE(copy.get_extension<memory_extension>(), nullptr);
    EXPECT_NE(copy.get_extension<memory_extension>(), p.get_extension<memory_extension>());
    EXPECT_EQ(extension(copy).sm, 7);
    p.release();
}

TEST(AccessType, HasTheNamesThatScriptsParse) {
    EXPECT_STREQ(access_type_name(access::global_read), "GLOBAL_ACC_R");
    EXPECT_STREQ(access_type_name(access::instruction_read), "INST_ACC_R");
    EXPECT_STREQ(access_type_name(access::l2_write_allocate_read), "L2_WR_ALLOC_R");
    for (unsigned t = 0; t < access_type_count; ++t) {
        const auto type = static_cast<access>(t);
        EXPECT_EQ(is_posted(type), type == access::l1_writeback || type == access::l2_writeback);
    }
}

}  // namespace
}  // namespace simtlm::protocol
