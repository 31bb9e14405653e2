// SPDX-License-Identifier: Apache-2.0
#include "modules/core/cta_slots.h"

#include <gtest/gtest.h>

namespace simtlm::core {
namespace {

struct CtaSlots : testing::Test {
    CtaSlots() {
        config.max_threads = 512;
        config.max_ctas = 4;
        config.registers = 16384;
        config.shared.bytes = 8192;
    }
    static kernel_context kernel(unsigned threads, unsigned registers, unsigned shared) {
        kernel_context k;
        k.needs = {threads, registers, shared};
        k.ctas_per_sm = 4;
        return k;
    }

    sm_config config;
};

TEST_F(CtaSlots, PlaceACtaAtAMultipleOfItsPaddedSize) {
    cta_slots slots(config);
    kernel_context small = kernel(33, 8, 0), large = kernel(256, 8, 0);
    EXPECT_EQ(slots.allocate(small, nullptr), 0u);
    EXPECT_EQ(slots[0].padded_threads, 64u);
    EXPECT_EQ(slots.allocate(large, nullptr), 1u);
    EXPECT_EQ(slots[1].first_thread, 256u) << "threads 0 to 63 are occupied";
    EXPECT_EQ(slots.allocate(small, nullptr), 2u);
    EXPECT_EQ(slots[2].first_thread, 64u);
}

TEST_F(CtaSlots, LimitConcurrentKernelsByThreadsRegistersSharedMemoryAndSlots) {
    cta_slots slots(config);
    kernel_context resident = kernel(128, 32, 4096);
    slots.allocate(resident, nullptr);
    EXPECT_TRUE(slots.fits(kernel(128, 8, 0), true));
    EXPECT_FALSE(slots.fits(kernel(512, 8, 0), true)) << "384 threads are free, not contiguous 512";
    EXPECT_TRUE(slots.fits(kernel(128, 96, 0), true)) << "12,288 registers are free";
    EXPECT_FALSE(slots.fits(kernel(128, 97, 0), true)) << "a warp gets 3,328 registers";
    EXPECT_TRUE(slots.fits(kernel(32, 8, 4096), true));
    EXPECT_FALSE(slots.fits(kernel(32, 8, 4097), true));
    kernel_context tiny = kernel(32, 8, 0);
    for (int i = 0; i < 3; ++i) slots.allocate(tiny, nullptr);
    EXPECT_FALSE(slots.fits(tiny, true)) << "all four slots are occupied";
}

TEST_F(CtaSlots, AllocateAWarpRegistersOfItsSubCore) {
    config.max_ctas = 8;
    cta_slots slots(config);
    // 3,072 registers per warp, 4,096 in each of four parts: one warp in each.
    kernel_context large = kernel(32, 96, 0), small = kernel(32, 24, 0);
    EXPECT_EQ(slots.capacity_for(large, true), 4u);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(slots[slots.allocate(large, nullptr)].first_thread, 32 * i);
        EXPECT_EQ(slots.capacity_for(large, true), 3 - i);
    }
    EXPECT_EQ(slots.capacity_for(small, true), 4u) << "768 registers";
    slots.release(2);
    EXPECT_TRUE(slots.fits(large, true));
    EXPECT_FALSE(slots.fits(kernel(64, 96, 0), true)) << "two warps need two parts";
    EXPECT_EQ(slots[slots.allocate(large, nullptr)].first_thread, 64u);
}

TEST_F(CtaSlots, LimitOneKernelByItsOccupancy) {
    cta_slots slots(config);
    kernel_context k = kernel(32, 8, 0);
    k.ctas_per_sm = 2;
    EXPECT_EQ(slots.capacity_for(k, false), 2u);
    slots.allocate(k, nullptr);
    EXPECT_EQ(slots.capacity_for(k, false), 1u);
    slots.allocate(k, nullptr);
    EXPECT_FALSE(slots.fits(k, false));
    EXPECT_EQ(slots.capacity_for(k, false), 0u);
}

TEST_F(CtaSlots, CapacityIsTheMinimumOverAllResources) {
    cta_slots slots(config);
    EXPECT_EQ(slots.capacity_for(kernel(256, 8, 0), true), 2u) << "threads";
    EXPECT_EQ(slots.capacity_for(kernel(64, 128, 0), true), 2u) << "registers";
    EXPECT_EQ(slots.capacity_for(kernel(64, 8, 2731), true), 2u) << "shared memory";
    EXPECT_EQ(slots.capacity_for(kernel(32, 8, 0), true), 4u) << "slots";
}

TEST_F(CtaSlots, AreFreedWhenTheLastWarpExitsAndTheCtaIsReleased) {
    cta_slots slots(config);
    kernel_context k = kernel(40, 32, 8192);
    const unsigned slot = slots.allocate(k, nullptr);
    EXPECT_EQ(slots.resident(), 1u);
    EXPECT_FALSE(slots.fits(k, true));
    EXPECT_FALSE(slots.warp_exits(slot, 32));
    EXPECT_TRUE(slots.warp_exits(slot, 8)) << "the second warp has eight threads";
    EXPECT_EQ(&slots.release(slot), &k);
    EXPECT_EQ(slots.resident(), 0u);
    EXPECT_TRUE(slots.fits(k, true));
}

}  // namespace
}  // namespace simtlm::core
