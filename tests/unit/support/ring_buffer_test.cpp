// SPDX-License-Identifier: Apache-2.0
#include "modules/support/ring_buffer.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace simtlm::support {
namespace {

TEST(RingBuffer, HoldsItsCapacity) {
    for (const std::size_t capacity : {1u, 2u, 3u, 5u, 8u, 33u}) {
        ring_buffer<int> q(capacity);
        EXPECT_EQ(q.capacity(), capacity);
        EXPECT_TRUE(q.empty());
        for (std::size_t i = 0; i < capacity; ++i) {
            EXPECT_FALSE(q.full());
            EXPECT_EQ(q.room(), capacity - i);
            q.push(static_cast<int>(i));
        }
        EXPECT_TRUE(q.full());
        EXPECT_EQ(q.room(), 0u);
        for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(q.pop(), static_cast<int>(i));
        EXPECT_TRUE(q.empty());
    }
}

TEST(RingBuffer, IsAlwaysFullAndAlwaysEmptyWithoutCapacity) {
    const ring_buffer<int> q(0);
    EXPECT_TRUE(q.full());
    EXPECT_TRUE(q.empty());
    EXPECT_EQ(q.room(), 0u);
}

TEST(RingBuffer, BehavesAsADequeUnderRandomUse) {
    ring_buffer<unsigned> q(13);
    std::deque<unsigned> model;
    std::mt19937 random(7);
    for (unsigned n = 0; n < 20000; ++n) {
        if (random() % 2 == 0 && !q.full()) {
            q.push(n);
            model.push_back(n);
        } else if (!q.empty()) {
            ASSERT_EQ(q.pop(), model.front());
            model.pop_front();
        }
        ASSERT_EQ(q.size(), model.size());
        for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(q[i], model[i]);
        if (!model.empty()) {
            ASSERT_EQ(q.front(), model.front());
            ASSERT_EQ(q.back(), model.back());
        }
    }
}

TEST(RingBuffer, IsEmptiedByClearAndReset) {
    ring_buffer<int> q(4);
    q.push(1);
    q.push(2);
    q.clear();
    EXPECT_TRUE(q.empty());
    q.push(3);
    EXPECT_EQ(q.front(), 3);
    q.reset(9);
    EXPECT_TRUE(q.empty());
    EXPECT_EQ(q.room(), 9u);
}

TEST(RingBuffer, HoldsMoveOnlyObjects) {
    ring_buffer<std::unique_ptr<int>> q(2);
    q.push(std::make_unique<int>(5));
    const std::unique_ptr<int> out = q.pop();
    EXPECT_EQ(*out, 5);
    EXPECT_TRUE(q.empty());
}

}  // namespace
}  // namespace simtlm::support
