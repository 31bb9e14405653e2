// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/atomic_effect.h"

#include <gtest/gtest.h>

namespace simtlm::protocol {
namespace {

TEST(AtomicEffect, IsAppliedOnceByAnyPerformer) {
    transaction_pool pool;
    auto& request = pool.acquire(tlm::TLM_READ_COMMAND, 64, 32, access_type::global_read);
    extension(request).is_atomic = true;
    unsigned times = 0;
    atomic_effect::attach(request, [&] { ++times; });
    atomic_effect::perform(request);
    atomic_effect::perform(request);
    EXPECT_EQ(1u, times);
    request.release();
}

TEST(AtomicEffect, OfASplitRequestIsAppliedWithItsFirstPart) {
    transaction_pool pool;
    auto& request = pool.acquire(tlm::TLM_READ_COMMAND, 0, 64, access_type::global_read);
    extension(request).is_atomic = true;
    unsigned times = 0;
    atomic_effect::attach(request, [&] { ++times; });
    for (unsigned s = 0; s < 2; ++s) {
        auto& part = pool.acquire(tlm::TLM_READ_COMMAND, 32 * s, 32, access_type::global_read);
        extension(part).is_atomic = true;
        extension(part).parent = &request;
        extension(part).pending_parts = part_mark;
        atomic_effect::perform(part);
        part.release();
    }
    EXPECT_EQ(1u, times);
    request.release();
}

TEST(AtomicEffect, IsClearedWhenAPayloadIsReused) {
    transaction_pool pool;
    auto& first = pool.acquire(tlm::TLM_READ_COMMAND, 64, 32, access_type::global_read);
    extension(first).is_atomic = true;
    bool happened = false;
    atomic_effect::attach(first, [&] { happened = true; });
    first.release();
    auto& again = pool.acquire(tlm::TLM_READ_COMMAND, 64, 32, access_type::global_read);
    ASSERT_EQ(&first, &again);
    atomic_effect::perform(again);
    EXPECT_FALSE(happened);
    again.release();
}

}  // namespace
}  // namespace simtlm::protocol
