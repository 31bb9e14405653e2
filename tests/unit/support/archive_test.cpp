// SPDX-License-Identifier: Apache-2.0
#include "modules/support/archive.h"

#include "modules/support/error.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace simtlm::support {
namespace {

/// Two blocks, the first of which has a count of the past.
struct design {
    std::uint32_t first = 0, second = 0, counted = 0, after = 0;
    bool restored_first = false, restored_second = false;

    void checkpoint(archive& a) {
        restored_first = a.block("first");
        if (restored_first) {
            a(first);
            a.history(counted);
            a(after);
        }
        restored_second = a.block("second", 3);
        if (restored_second) a(second);
    }
};

std::string saved() {
    design d{1, 2, 3, 4};
    archive a;
    d.checkpoint(a);
    return a.take();
}

TEST(Archive, RestoresTheMembersOfAllBlocks) {
    design d;
    archive a(saved());
    d.checkpoint(a);
    a.finish();
    EXPECT_EQ(d.first, 1u);
    EXPECT_EQ(d.second, 2u);
    EXPECT_EQ(d.counted, 3u);
    EXPECT_EQ(d.after, 4u);
}

TEST(Archive, ForAnotherConfigurationRestoresUnchangedBlocksWithoutTheirPast) {
    design d;
    auto a = archive::for_another_configuration(saved(), [](std::string_view name) {
        return std::string(name == "second" ? "it is larger" : "");
    });
    d.checkpoint(a);
    EXPECT_EQ(d.first, 1u);
    EXPECT_EQ(d.counted, 0u);
    EXPECT_EQ(d.after, 4u) << "members after those of the past";
    EXPECT_EQ(d.second, 0u);
    using outcome = archive::transfer::outcome;
    const auto done = a.transfers_done();
    EXPECT_EQ(done.at("first").what, outcome::restored);
    EXPECT_EQ(done.at("second").what, outcome::initial);
    EXPECT_EQ(done.at("second").why, "it is larger");
}

TEST(Archive, ForAnotherConfigurationFindsBlocksInAnyOrderAndNamesThoseItLacks) {
    auto a = archive::for_another_configuration(saved(), {});
    std::uint32_t second = 0, first = 0;
    ASSERT_TRUE(a.portable_block("second", 3));
    a(second);
    EXPECT_EQ(second, 2u);
    EXPECT_FALSE(a.block("third"));
    EXPECT_THROW(a(first), std::logic_error) << "members of a block that is not restored";
    const auto done = a.transfers_done();
    EXPECT_EQ(done.at("third").what, archive::transfer::outcome::initial);
    EXPECT_EQ(done.at("first").what, archive::transfer::outcome::dropped);
}

TEST(Archive, ForAnotherConfigurationRestoresPortableBlocksWhateverDiffers) {
    auto a = archive::for_another_configuration(
        saved(), [](std::string_view) { return std::string("all differs"); });
    EXPECT_FALSE(a.block("first"));
    ASSERT_TRUE(a.portable_block("first"));
    EXPECT_FALSE(a.unchanged());
    std::uint32_t first = 0;
    a(first);
    EXPECT_EQ(first, 1u);
    a.note_reinserted("first");
    EXPECT_EQ(a.transfers_done().at("first").what, archive::transfer::outcome::reinserted);
}

TEST(Archive, RejectsABlockOfAnotherVersionOrSize) {
    archive other(saved());
    EXPECT_THROW(other.block("first", 2), user_error);
    auto transfer = archive::for_another_configuration(saved(), {});
    EXPECT_THROW(transfer.block("second", 2), user_error);
    ASSERT_TRUE(transfer.block("second", 3));
    std::uint64_t larger = 0;
    EXPECT_THROW(transfer(larger), user_error) << "the block has four bytes";
    archive shorter(saved());
    shorter.block("first");
    EXPECT_THROW(shorter.block("second", 3), user_error) << "members are left";
    EXPECT_THROW(archive::for_another_configuration(saved().substr(0, 40), {}), user_error);
}

}  // namespace
}  // namespace simtlm::support
