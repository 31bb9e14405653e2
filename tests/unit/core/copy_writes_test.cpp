// SPDX-License-Identifier: Apache-2.0
#include "modules/core/copy_writes.h"

#include "tests/unit/core/warps.h"

#include <gtest/gtest.h>

namespace simtlm::core {
namespace {

warp_instruction copy_of(unsigned lanes, std::uint8_t bytes, std::uint32_t group) {
    warp_instruction i;
    i.active_mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    i.data_size = bytes;
    i.warp = 1;
    i.copy_group = group;
    return i;
}

TEST(CopyWrites, TakeACyclePerRowOfTheBanks) {
    test::warps w(4);
    copy_writes copies(w.table, 128);
    EXPECT_EQ(copies.write(copy_of(32, 16, 0), 100), 104u);
    EXPECT_EQ(copies.write(copy_of(32, 4, 0), 101), 105u) << "after the one before";
    EXPECT_EQ(copies.write(copy_of(1, 4, 0), 200), 201u) << "a row at least";
}

TEST(CopyWrites, NotifyTheWarpWhenTheyAreComplete) {
    test::warps w(4);
    w.table.warp[1].copy_groups = {2};
    w.table.warp[1].copies = 2;
    copy_writes copies(w.table, 128);
    copies.write(copy_of(32, 16, 0), 100);
    copies.write(copy_of(32, 4, 0), 100);
    EXPECT_EQ(copies.next(), 104u);
    copies.advance(103);
    EXPECT_EQ(w.table.warp[1].copies, 2u);
    copies.advance(104);
    EXPECT_EQ(w.table.warp[1].copies, 1u);
    EXPECT_EQ(copies.next(), 105u);
    copies.advance(105);
    EXPECT_TRUE(copies.idle());
    EXPECT_EQ(w.table.warp[1].copy_groups[0], 0u);
}

}  // namespace
}  // namespace simtlm::core
