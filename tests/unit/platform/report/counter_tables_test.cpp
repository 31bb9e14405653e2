// SPDX-License-Identifier: Apache-2.0
// Properties of every row of every table of counters.
#include "modules/cache/cache_statistics.h"
#include "modules/core/core_statistics.h"
#include "modules/core/cta_cluster_barrier.h"
#include "modules/core/simt_pipeline/dispatch_stage.h"
#include "modules/core/simt_pipeline/functional_unit.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/interconnect/crossbar_switch.h"
#include "modules/interconnect/router_subnet.h"
#include "modules/interconnect/sm_to_sm_network.h"
#include "modules/memory/dram_statistics.h"
#include "modules/memory/memory_statistics.h"
#include "modules/memory/memory_sub_partition.h"
#include "modules/power/energy_meter.h"
#include "modules/support/statistics.h"

#include <gtest/gtest.h>

#include <set>

namespace simtlm::platform {
namespace {

/// Gives vectors in a struct some elements.
template <typename Struct>
void prepare(Struct&) {}
void prepare(memory::dram_statistics& d) {
    d.banks.resize(3);
    d.traffic.resize(2);
}
void prepare(memory::memory_counts& m) {
    m.by_bank.resize(5);
}

template <typename Struct>
class Counters : public testing::Test {
protected:
    static const auto& table() { return counters_of(static_cast<const Struct*>(nullptr)); }

    /// A struct whose counters are all different.
    static Struct filled(std::uint64_t first) {
        Struct s;
        prepare(s);
        for (const auto& row : table())
            for (std::size_t i = 0; i < row.cells(s); ++i, first += 3) row.cell(s, i) = first;
        return s;
    }
};
using tables =
    testing::Types<core::core_statistics, core::traffic_statistics,
                   core::simt_pipeline::functional_unit::statistics,
                   core::simt_pipeline::dispatch_stage::statistics,
                   core::sub_core_pipeline::sub_core_statistics, cache::cache_statistics,
                   memory::memory_sub_partition::counters, memory::dram_statistics,
                   memory::memory_counts, simulation::occupancy,
                   core::cta_cluster_barrier_statistics, interconnect::sm_to_sm_network_statistics,
                   interconnect::crossbar_switch::counters, interconnect::router_subnet::records,
                   interconnect::router_subnet::node_counters, power::energy_statistics>;
TYPED_TEST_SUITE(Counters, tables);

TYPED_TEST(Counters, DoNotOverlap) {
    const TypeParam s = this->filled(1000);
    std::uint64_t expected = 1000;
    for (const auto& row : this->table())
        for (std::size_t i = 0; i < row.cells(s); ++i, expected += 3)
            ASSERT_EQ(row.value(s, i), expected) << row.name << " is overwritten by another row";
}

TYPED_TEST(Counters, AddUpAsTheirRowsSay) {
    // In one of the two orders each is the greater one.
    for (const std::uint64_t shift : {0u, 1u}) {
        const TypeParam a = this->filled(shift * 100000 + 5);
        const TypeParam b = this->filled((1 - shift) * 100000 + 7);
        TypeParam sum = a;
        support::add_up(sum, b);
        for (const auto& row : this->table())
            for (std::size_t i = 0; i < row.cells(a); ++i) {
                const std::uint64_t x = row.value(a, i), y = row.value(b, i);
                const std::uint64_t expected =
                    row.how == support::adding::sum       ? x + y
                    : row.how == support::adding::maximum ? std::max(x, y)
                    : row.how == support::adding::minimum ? std::min(x, y)
                                                          : y;
                ASSERT_EQ(row.value(sum, i), expected) << row.name;
            }
    }
}

TYPED_TEST(Counters, OfASingleBlockAreItsTotals) {
    const TypeParam a = this->filled(17);
    TypeParam sum;
    support::add_up(sum, a);
    for (const auto& row : this->table())
        for (std::size_t i = 0; i < row.cells(a); ++i)
            ASSERT_EQ(row.value(sum, i), row.value(a, i)) << row.name;
}

TYPED_TEST(Counters, HaveNamesUnitsAndMeanings) {
    std::set<std::string> names;
    for (const auto& row : this->table()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands for two counters";
        EXPECT_STRNE(row.unit, "") << row.name;
        EXPECT_STRNE(row.meaning, "") << row.name;
    }
}

TYPED_TEST(Counters, NameTheCellsOfArraysOnceEach) {
    TypeParam s;
    prepare(s);
    for (const auto& row : this->table()) {
        if (row.label == nullptr) {
            EXPECT_EQ(row.cells(s), 1u) << row.name << " is an array without labels";
            continue;
        }
        std::set<std::string> labels;
        for (std::size_t i = 0; i < row.cells(s); ++i) {
            const std::string label = row.label(static_cast<unsigned>(i));
            EXPECT_TRUE(label.empty() || labels.insert(label).second) << row.name << " " << label;
        }
        EXPECT_FALSE(labels.empty()) << row.name;
    }
}

// ---- the recipe of docs/extending.md: a statistic is a member and a row ---------------------

struct replay_statistics {
    std::uint64_t replays = 0;
    std::uint64_t longest = 0;  // the new statistic
};
constexpr support::counter<replay_statistics> replay_counters[] = {
    support::count<&replay_statistics::replays>("replays", "instructions", "issued once more"),
    support::maximum<&replay_statistics::longest>("longest", "cycles", "of a replay"),
};
constexpr const auto& counters_of(const replay_statistics*) {
    return replay_counters;
}
static_assert(support::covers(replay_counters));

TEST(AStatistic, AddedByTheRecipeIsListedAndAddsUp) {
    replay_statistics a{1, 20}, b{2, 10}, sum;
    support::add_up(sum, a);
    support::add_up(sum, b);
    EXPECT_EQ(sum.replays, 3u);
    EXPECT_EQ(sum.longest, 20u);
    support::statistics list;
    list.add("gpu.sm0.replay", "replay", a);
    ASSERT_EQ(list.blocks().at(0).cells.size(), 2u);
    EXPECT_STREQ(list.blocks()[0].cells[1].of->meaning, "of a replay");
    EXPECT_EQ(list.blocks()[0].cells[1].value, &a.longest);
}

}  // namespace
}  // namespace simtlm::platform
