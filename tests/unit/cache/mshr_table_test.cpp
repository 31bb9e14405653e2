// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/mshr_table.h"

#include <gtest/gtest.h>

namespace simtlm::cache {
namespace {

struct MshrTable : ::testing::Test {
    protocol::transaction_pool pool;
    tlm::tlm_generic_payload& read(std::uint64_t address) {
        return pool.acquire(tlm::TLM_READ_COMMAND, address, 32, protocol::access_type::global_read);
    }
};

TEST_F(MshrTable, ASecondMissToTheSameAddressMerges) {
    mshr_table t(1, 2);
    auto& a = read(0x100);
    auto& b = read(0x100);
    const auto e = t.add(t.find(0x100), 0x100, a);
    EXPECT_EQ(t.add(t.find(0x100), 0x100, b), e);
    EXPECT_TRUE(t.full(t.find(0x100))) << "two have merged";
    EXPECT_TRUE(t.full(t.find(0x200))) << "no free entry";
    t.mark_ready(e);
    EXPECT_EQ(&t.next_access(), &a);
    EXPECT_EQ(&t.next_access(), &b);
    EXPECT_FALSE(t.access_ready());
    EXPECT_TRUE(t.empty());
    EXPECT_FALSE(t.full(t.find(0x200)));
    a.release();
    b.release();
}

TEST_F(MshrTable, AccessesAreReadyInTheOrderOfTheirFills) {
    mshr_table t(2, 2);
    auto& a = read(0x100);
    auto& b = read(0x200);
    t.add(mshr_table::none, 0x100, a);
    t.add(mshr_table::none, 0x200, b);
    t.mark_ready(t.find(0x200));
    t.mark_ready(t.find(0x100));
    EXPECT_EQ(&t.next_access(), &b);
    EXPECT_EQ(&t.next_access(), &a);
    a.release();
    b.release();
}

TEST_F(MshrTable, AnEntryMarksAtomicsAndReadsAfterWrites) {
    mshr_table t(2, 4);
    auto& w = pool.acquire(tlm::TLM_WRITE_COMMAND, 0x100, 32, protocol::access_type::global_write);
    auto& r = read(0x100);
    protocol::extension(r).is_atomic = true;
    const auto e = t.add(mshr_table::none, 0x100, w);
    EXPECT_FALSE(t.read_after_write(e));
    EXPECT_FALSE(t.has_atomic(e));
    t.add(e, 0x100, r);
    EXPECT_TRUE(t.read_after_write(e));
    EXPECT_TRUE(t.has_atomic(e));
    w.release();
    r.release();
}

TEST_F(MshrTable, DistinguishesManyEntriesByAddress) {
    mshr_table t(300, 1);
    auto& a = read(0);
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 300; ++i) t.add(t.find(i * 32), i * 32, a);
        for (std::uint64_t i = 0; i < 300; ++i) {
            ASSERT_NE(t.find(i * 32), mshr_table::none);
            t.mark_ready(t.find(i * 32));
        }
        while (t.access_ready()) t.next_access();
        EXPECT_TRUE(t.empty());
        EXPECT_EQ(t.find(32), mshr_table::none);
    }
    a.release();
}

}  // namespace
}  // namespace simtlm::cache
