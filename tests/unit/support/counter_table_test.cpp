// SPDX-License-Identifier: Apache-2.0
#include "modules/support/counter_table.h"

#include "modules/support/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace simtlm::support {
namespace {

using testing::ElementsAre;

std::string colour(unsigned cell) {
    constexpr const char* names[] = {"red", "", "blue"};
    return names[cell];
}

struct bin {
    std::uint64_t in = 0;
    std::uint64_t fullest = 0;
};
struct parcels {
    std::uint64_t sent = 0;
    std::uint64_t heaviest = 0;
    std::uint64_t lightest = ~std::uint64_t{0};
    std::uint64_t on_the_way = 0;
    std::array<std::uint64_t, 3> by_colour{};
    std::array<std::array<std::uint64_t, 2>, 2> by_place{};
    bin first;
    std::vector<bin> others;
};
constexpr counter<parcels> parcel_counters[] = {
    count<&parcels::sent>("sent", "parcels", "that left"),
    maximum<&parcels::heaviest>("heaviest", "g", "of them"),
    minimum<&parcels::lightest>("lightest", "g", "of them"),
    state<&parcels::on_the_way>("on_the_way", "parcels", "now"),
    count<&parcels::by_colour>("by_colour", "parcels", "by colour", colour),
    count<&parcels::by_place>("by_place", "parcels", "by street and side", number_label),
    count<&parcels::first, &bin::in>("first_in", "parcels", "put into the first bin"),
    maximum<&parcels::first, &bin::fullest>("first_fullest", "parcels", "in the first bin"),
    count<&parcels::others, &bin::in>("others_in", "parcels", "by bin", number_label),
    maximum<&parcels::others, &bin::fullest>("others_fullest", "parcels", "by bin", number_label),
};
constexpr const auto& counters_of(const parcels*) {
    return parcel_counters;
}
static_assert(covers(parcel_counters));

TEST(CounterTable, DetectsMissingMembers) {
    constexpr counter<bin> half[] = {count<&bin::in>("in", "parcels", "put in")};
    EXPECT_FALSE(covers(half));
    EXPECT_TRUE(covers(half, sizeof(std::uint64_t))) << "the other member holds no counter";
    constexpr counter<parcels> without_a_bin_member[] = {
        parcel_counters[0], parcel_counters[1], parcel_counters[2],
        parcel_counters[3], parcel_counters[4], parcel_counters[5],
        parcel_counters[6], parcel_counters[7], parcel_counters[8]};
    EXPECT_FALSE(covers(without_a_bin_member));
}

TEST(CounterTable, CombinesEveryCounterByTheRuleOfItsRow) {
    parcels sum, a, b;
    a = {3, 90, 10, 7, {1, 2, 3}, {{{1, 2}, {3, 4}}}, {5, 6}, {{1, 8}, {2, 9}}};
    b = {4, 70, 20, 2, {10, 20, 30}, {{{10, 20}, {30, 40}}}, {50, 1}, {{10, 80}, {20, 1}}};
    add_up(sum, a);
    add_up(sum, b);
    EXPECT_EQ(sum.sent, 7u);
    EXPECT_EQ(sum.heaviest, 90u);
    EXPECT_EQ(sum.lightest, 10u);
    EXPECT_EQ(sum.on_the_way, 2u);
    EXPECT_THAT(sum.by_colour, ElementsAre(11, 22, 33));
    EXPECT_THAT(sum.by_place[1], ElementsAre(33, 44));
    EXPECT_EQ(sum.first.in, 55u);
    EXPECT_EQ(sum.first.fullest, 6u);
    ASSERT_EQ(sum.others.size(), 2u) << "grown";
    EXPECT_EQ(sum.others[1].in, 22u);
    EXPECT_EQ(sum.others[1].fullest, 9u);
}

TEST(CounterTable, ListsABlockWithTheNamesOfItsCells) {
    parcels p;
    p.others.resize(2);
    statistics list;
    list.add("gpu.post", "post", p);
    static constexpr counter_info late{"late", "days", "behind schedule"};
    const std::uint64_t days = 3;
    list.add("gpu.post", "post", late, days);
    ASSERT_EQ(list.blocks().size(), 1u);
    EXPECT_EQ(list.blocks()[0].kind, "post");
    std::map<std::string, const std::uint64_t*> cells;
    for (const statistics::cell& c : list.blocks()[0].cells)
        cells[std::string(c.of->name) + (c.label.empty() ? "" : ".") + c.label] = c.value;
    EXPECT_EQ(cells.count("by_colour.red"), 1u);
    EXPECT_EQ(cells.count("by_colour.blue"), 1u);
    EXPECT_EQ(cells.count("by_colour"), 0u) << "the cell without a name is not used";
    EXPECT_EQ(cells.at("others_in.1"), &p.others[1].in);
    EXPECT_EQ(cells.at("by_place.3"), &p.by_place[1][1]);
    EXPECT_EQ(*cells.at("late"), 3u);
}

}  // namespace
}  // namespace simtlm::support
