// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/device_memory.h"

#include "modules/support/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;

device_memory::config small() {
    device_memory::config c;
    c.capacity = 1 << 20;
    return c;
}

TEST(DeviceMemory, AllocatesAlignedDisjointRanges) {
    device_memory m(small());
    const device_address a = m.allocate(100);
    const device_address b = m.allocate(1);
    EXPECT_EQ(a, 0xc0000000u);
    EXPECT_EQ(b, a + 256);
    EXPECT_EQ(m.used(), 101u);
}

TEST(DeviceMemory, TakesAllocationsAtTheirPlacesInAnotherProcess) {
    device_memory m(small());
    EXPECT_TRUE(m.allocate_at(0xc0000200, 100, {}));
    EXPECT_EQ(m.used(), 100u);
    EXPECT_FALSE(m.allocate_at(0xc0000263, 1, {})) << "overlaps";
    EXPECT_FALSE(m.allocate_at(0xc0000100, 0x101, {})) << "overlaps";
    EXPECT_FALSE(m.allocate_at(0x1000, 1, {})) << "below";
    EXPECT_FALSE(m.allocate_at(0xc0000000, 2 << 20, {})) << "reaches beyond the end";
    EXPECT_EQ(m.allocate(600), 0xc0000300u) << "behind it, where there is room";
    const std::uint64_t before = m.ranges().front().serial;
    EXPECT_TRUE(m.release(0xc0000200));
    EXPECT_TRUE(m.allocate_at(0xc0000200, 100, {}));
    EXPECT_NE(m.ranges().front().serial, before) << "another allocation at the same place";
}

TEST(DeviceMemory, PlacesVariablesAsInAnotherProcess) {
    device_memory here(small()), there(small());
    here.allocate_static(1000, 256, "first");
    device_memory::static_placement placement;
    here.place_statics_by(&placement);
    const device_address a = here.allocate_static(8, 8, "a"), b = here.allocate_static(8, 8, "b");
    here.place_statics_by(nullptr);
    placement.replays = true;
    there.place_statics_by(&placement);
    EXPECT_EQ(there.allocate_static(8, 8, "a"), a);
    EXPECT_EQ(there.allocate_static(8, 8, "b"), b);
    EXPECT_THROW(there.allocate_static(8, 8, "more than was recorded"), support::user_error);
}

TEST(DeviceMemory, ReusesFreedMemoryZeroed) {
    device_memory m(small());
    const device_address a = m.allocate(10000);
    m.allocate(100);
    m.fill(a, 0x5a, 10000);
    EXPECT_TRUE(m.release(a));
    EXPECT_FALSE(m.release(a));
    EXPECT_EQ(m.allocate(10000), a);
    std::vector<unsigned char> bytes(10000, 1);
    m.read(bytes.data(), a, bytes.size());
    EXPECT_EQ(bytes, std::vector<unsigned char>(10000, 0));
}

TEST(DeviceMemory, WritesAndReadsNothingWithoutAHostAddress) {
    device_memory memory(small());
    const device_address a = memory.allocate(16);
    memory.write(a, nullptr, 0);  // a null pointer must not be passed to memcpy
    memory.read(nullptr, a, 0);
    std::uint32_t word = 1;
    memory.read(&word, a, sizeof word);
    EXPECT_EQ(word, 0u);
}

TEST(DeviceMemory, FindsTheAllocationOfAnAddress) {
    device_memory m(small());
    const device_address a = m.allocate(100);
    EXPECT_EQ(m.find(a - 1), nullptr);
    ASSERT_NE(m.find(a + 99), nullptr);
    EXPECT_EQ(m.find(a + 99)->begin, a);
    EXPECT_EQ(m.find(a + 100), nullptr);
    EXPECT_THAT(m.nearest(a + 104), HasSubstr("4 bytes behind allocation"));
}

TEST(DeviceMemory, PlacesHostMemoryAtTheOtherEndOfTheHeap) {
    device_memory m(small());
    const device_address end = 0xc0000000 + (1 << 20);
    const device_address h = m.allocate_for_host(1000);
    EXPECT_EQ(h, end - 1024);
    const device_address below = m.allocate_for_host(256);
    EXPECT_EQ(below, h - 256);
    EXPECT_EQ(m.allocate(100), 0xc0000000u);
    m.release(h);
    EXPECT_EQ(m.allocate_for_host(512), end - 512);
    EXPECT_EQ(m.allocate_for_host(2048), below - 2048);
    EXPECT_THROW(m.allocate_for_host(1 << 20), support::user_error);
    EXPECT_EQ(m.used(), 100u + 256 + 512 + 2048);
}

TEST(DeviceMemory, DoesNotReuseFreedHostMemoryIfAllocationsAreSeparated) {
    device_memory m(small());
    m.keep_apart();
    const device_address a = m.allocate_for_host(256);
    EXPECT_LE(a + 256 + 512, 0xc0000000 + (1 << 20));
    m.release(a);
    EXPECT_LE(m.allocate_for_host(256) + 512, a);
    EXPECT_THAT(m.nearest(a + 8), HasSubstr("which has been freed"));
}

TEST(DeviceMemory, RejectsWhatDoesNotFit) {
    device_memory m(small());
    EXPECT_THROW(m.allocate(2 << 20), support::user_error);
    const device_address a = m.allocate(16);
    EXPECT_THROW(m.write(a + 8, "0123456789", 10), support::user_error);
}

TEST(DeviceMemory, KeepsVariablesBelowTheHeap) {
    device_memory m(small());
    const device_address v = m.allocate_static(12, 8, "counter");
    EXPECT_LT(v, 0xc0000000u);
    EXPECT_EQ(m.find(v)->label, "counter");
    EXPECT_EQ(m.used(), 0u);
}

TEST(DeviceMemory, KeepsVariablesApartFromSharedMemoryOfClusters) {
    device_memory m(small());
    const auto is_global = [](device_address first, std::uint64_t bytes) {
        return address_windows::in_global(first) && address_windows::in_global(first + bytes - 1) &&
               (first >= address_windows::cluster) == (first + bytes > address_windows::cluster);
    };
    for (const std::uint64_t mebibytes : {500u, 400u, 600u, 300u}) {
        const std::uint64_t bytes = mebibytes << 20;
        EXPECT_PRED2(is_global, m.allocate_static(bytes, 256, "large"), bytes) << mebibytes;
    }
    EXPECT_THROW(m.allocate_static(std::uint64_t{2} << 30, 256, "larger"), support::user_error);
    EXPECT_FALSE(m.allocate_at(address_windows::cluster - 256, 512, "across"));
}

}  // namespace
}  // namespace simtlm::execution
