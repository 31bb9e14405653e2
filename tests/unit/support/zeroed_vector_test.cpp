// SPDX-License-Identifier: Apache-2.0
#include "modules/support/zeroed_vector.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace {

using simtlm::support::zeroed_vector;

struct entry {
    std::uint64_t address;
    std::uint16_t flags;
};

std::size_t resident_bytes() {
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(ZeroedVector, IsInitializedToZero) {
    for (const std::size_t n : {1u, 100u, 100000u}) {
        zeroed_vector<entry> v(n);
        EXPECT_TRUE(std::all_of(v.begin(), v.end(),
                                [](const entry& e) { return e.address == 0 && e.flags == 0; }));
    }
}

TEST(ZeroedVector, KeepsItsEntriesWhenItGrows) {
    zeroed_vector<std::uint32_t> v(3);
    v[1] = 7;
    v.resize(50000);
    EXPECT_EQ(v[1], 7u);
    EXPECT_EQ(v[49999], 0u);
    v.push_back(9);
    EXPECT_EQ(v.back(), 9u);
}

TEST(ZeroedVector, UsesNoMemoryForUntouchedEntries) {
    const std::size_t before = resident_bytes();
    zeroed_vector<std::uint64_t> v(std::size_t{64} << 17);  // 64 MB
    v[5] = 1;
    EXPECT_EQ(v[v.size() / 2], 0u);
    EXPECT_LT(resident_bytes(), before + (std::size_t{16} << 20));
}

}  // namespace
