// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/kernel_sampler.h"

#include "platform/sampling/launch_chooser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace simtlm::platform {
namespace {

kernel_traits kernel_of(const std::string& name, double instructions = 100, double footprint = 64) {
    kernel_traits t;
    t.name = name;
    t.grid.x = 100;
    t.block.x = 256;
    t.instructions = instructions;
    t.mix[0] = 0.5;
    t.mix[1] = 0.5;
    t.footprint = footprint;
    return t;
}

sampling_options options_of(double budget = 0.08) {
    sampling_options o;
    o.groups = true;
    o.budget = budget;
    return o;
}

std::size_t chosen(const kernel_sampler& s, std::size_t kernels) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < kernels; ++k) n += s.simulated(k) ? 1 : 0;
    return n;
}

TEST(KernelSampler, GroupsKernelsThatExecuteTheSame) {
    kernel_sampler s(options_of(), 0);
    s.add(kernel_of("a"));
    s.add(kernel_of("b"));
    s.add(kernel_of("a", 105));  // within the similarity limit
    EXPECT_EQ(2u, s.result().groups);
    s.add(kernel_of("a", 150));
    EXPECT_EQ(3u, s.result().groups);
    s.add(kernel_of("a", 100, 640));
    EXPECT_EQ(4u, s.result().groups);
    kernel_traits other_mix = kernel_of("a");
    other_mix.mix[0] = 0.2;
    other_mix.mix[2] = 0.3;
    s.add(other_mix);
    EXPECT_EQ(5u, s.result().groups);
    kernel_traits other_grid = kernel_of("a");
    other_grid.grid.x = 101;
    s.add(other_grid);
    EXPECT_EQ(6u, s.result().groups);
    EXPECT_TRUE(s.is_repeated(2));
    EXPECT_FALSE(s.is_repeated(1));
}

TEST(KernelSampler, SimulatesOneOfEachGroupAndMoreWithinTheBudget) {
    kernel_sampler s(options_of(), 1000);
    constexpr std::size_t n = 300;
    for (std::size_t k = 0; k < n; ++k)
        s.add(k % 3 == 0 ? kernel_of("large", 10000) : kernel_of(k % 3 == 1 ? "b" : "c"));
    s.choose();
    for (const std::size_t first : {0u, 1u, 2u}) {
        bool any = false;
        for (std::size_t k = first; k < n; k += 3) any = any || s.simulated(k);
        EXPECT_TRUE(any) << first;
    }
    double all = 0, used = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double work = k % 3 == 0 ? 1e6 : 1e4;
        all += work;
        if (s.simulated(k)) used += work;
    }
    EXPECT_LE(used, 0.06 * all);
    EXPECT_LT(3u, chosen(s, n));
    EXPECT_GE(15u, chosen(s, n));
}

TEST(KernelSampler, ProjectsAGroupByItsSamplesAndTheFirstKernelSeparately) {
    kernel_sampler s(options_of(), 0);
    for (unsigned k = 0; k < 10; ++k) s.add(kernel_of("a"));
    s.measured(0, 1500, 0);
    s.measured(1, 1000, 0);
    s.measured(9, 1020, 0);
    const projection p = s.result();
    EXPECT_DOUBLE_EQ(1500 + 1000 + 1020 + 7 * 1010, p.cycles);
    EXPECT_DOUBLE_EQ(3520, p.simulated_cycles);
    EXPECT_EQ(3u, p.simulated);
    // The variance of the two samples, 200, over 9 kernels of which 7 were not simulated.
    ASSERT_TRUE(p.error.has_value());
    // In addition, seven kernels may have found caches as cold as the first: 490 cycles more.
    EXPECT_NEAR(12.71 * std::sqrt(9 * 7 * 200.0 / 2) + 7 * 490, *p.error, 0.1);
}

TEST(KernelSampler, AddsTheExcessOfOtherFirstKernelsToAFirstKernel) {
    kernel_sampler s(options_of(), 0);
    for (unsigned k = 0; k < 4; ++k) s.add(kernel_of(k % 2 == 0 ? "a" : "b"));
    s.measured(0, 1100, 0);
    s.measured(2, 1000, 0);
    s.measured(3, 2000, 0);
    EXPECT_DOUBLE_EQ(2200, s.cycles_of(1));
}

TEST(KernelSampler, ReportsNoErrorBoundWithoutTwoSamplesOfAGroup) {
    kernel_sampler s(options_of(), 0);
    for (unsigned k = 0; k < 3; ++k) s.add(kernel_of("a"));
    s.measured(1, 1000, 0);
    EXPECT_FALSE(s.result().error.has_value());
    EXPECT_THAT(s.text(), ::testing::HasSubstr("projected_error_bound = unknown\n"));
    s.measured(0, 1000, 0);
    s.measured(2, 1000, 0);
    ASSERT_TRUE(s.result().error.has_value());
    EXPECT_EQ(0, *s.result().error);  // nothing was projected
}

TEST(KernelSampler, DoesNotInferEqualKernelsFromAFewEqualSamples) {
    kernel_sampler s(options_of(), 0);
    for (unsigned k = 0; k < 10; ++k) s.add(kernel_of("a"));
    for (const std::size_t k : {0, 1, 9}) s.measured(k, 1000, 0);
    EXPECT_FALSE(s.result().error.has_value());
    // The kernels of another group differ by 10 % of their mean; the same spread is assumed for the
    // first.
    for (unsigned k = 0; k < 2; ++k) s.add(kernel_of("b"));
    s.measured(10, 2000, 0);
    s.measured(11, 2000, 0);
    for (unsigned k = 0; k < 2; ++k) s.add(kernel_of("b"));
    s.measured(12, 1900, 0);
    s.measured(13, 2100, 0);
    const double relative = 0.05 * std::sqrt(2.0 / 3);  // three degrees of freedom in all
    const double spread = 1000 * relative;
    ASSERT_TRUE(s.result().error.has_value());
    EXPECT_NEAR(3.18 * std::sqrt(9 * 7 * spread * spread / 2), *s.result().error, 1);
}

TEST(KernelSampler, CoversTheTrueValueInMostSamples) {
    // The cycles of kernels differ by a few percent at random: the bound holds in nearly all cases.
    unsigned held = 0;
    constexpr unsigned draws = 200;
    std::uint64_t random = 12345;
    const auto next = [&random] {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(random >> 40) / (1 << 24);
    };
    for (unsigned d = 0; d < draws; ++d) {
        kernel_sampler s(options_of(0.05), 100);
        constexpr std::size_t n = 400;
        double truth = 0;
        std::vector<double> cycles;
        for (std::size_t k = 0; k < n; ++k) {
            s.add(kernel_of(k % 4 == 0 ? "a" : k % 4 == 1 ? "b" : k % 4 == 2 ? "c" : "d"));
            cycles.push_back(1000.0 * static_cast<double>(1 + k % 4) * (1 + 0.05 * next()));
            truth += cycles.back();
        }
        s.choose();
        for (std::size_t k = 0; k < n; ++k)
            if (s.simulated(k)) s.measured(k, cycles[k], 0);
        const projection p = s.result();
        ASSERT_TRUE(p.error.has_value());
        EXPECT_NEAR(truth, p.cycles, 0.05 * truth);
        if (std::abs(p.cycles - truth) <= *p.error) ++held;
        EXPECT_LT(*p.error, 0.2 * truth);
    }
    EXPECT_LE(0.9 * draws, held);
}

/// Sampled kernels take the cycles of the test's model; one of them takes one cycle more, since
/// equal samples contain no information on the error.
void measure(kernel_sampler& s, const std::vector<double>& cycles) {
    std::size_t last = 0;
    for (std::size_t k = 0; k < cycles.size(); ++k)
        if (s.simulated(k)) last = k;
    for (std::size_t k = 0; k < cycles.size(); ++k)
        if (s.simulated(k)) s.measured(k, cycles[k] + (k == last ? 1 : 0), 0);
}

TEST(KernelSampler, ClustersGroupsThatDifferOnlyInTheirNames) {
    kernel_sampler s(options_of(0.05), 5000, 80);
    constexpr std::size_t n = 100;
    for (std::size_t k = 0; k < n; ++k) s.add(kernel_of(k % 4 == 0 ? "rare" : "frequent"));
    s.choose();
    for (std::size_t k = 0; k < n; k += 4) EXPECT_FALSE(s.simulated(k)) << k;
    measure(s, std::vector<double>(n, 6000));
    const projection p = s.result();
    EXPECT_EQ(2u, p.groups);
    EXPECT_EQ(1u, p.clusters);
    EXPECT_NEAR(6000, s.cycles_of(0), 2);
    // Every kernel counts once: in the total, and in the lines of the file.
    EXPECT_NEAR(6000 * n, p.cycles, 2 * n);
    ASSERT_TRUE(p.error.has_value());
    EXPECT_GT(20 * n, *p.error) << "nothing was put up with, and hardly anything varied";
}

TEST(KernelSampler, SeparatesGroupsWithDifferentProperties) {
    const auto clusters = [](const kernel_traits& other, double launch_cycles) {
        kernel_sampler s(options_of(), launch_cycles, 80);
        for (std::size_t k = 0; k < 100; ++k) s.add(k % 2 == 0 ? kernel_of("a", 4000) : other);
        s.choose();
        return s.result().clusters;
    };
    EXPECT_EQ(2u, clusters(kernel_of("b", 8000), 0)) << "instructions";
    EXPECT_EQ(2u, clusters(kernel_of("b", 4000, 640), 0)) << "memory";
    kernel_traits other = kernel_of("b", 4000);
    other.grid.x = 200;
    EXPECT_EQ(2u, clusters(other, 0)) << "thread blocks";
    other = kernel_of("b", 4000);
    other.mix[0] = 0.4;
    other.mix[2] = 0.1;
    EXPECT_EQ(2u, clusters(other, 0)) << "mix";
    EXPECT_EQ(1u, clusters(other, 1e6)) << "both take the time of a launch";
    EXPECT_EQ(1u, clusters(kernel_of("b", 4000), 0));
}

TEST(KernelSampler, SeparatesKernelsWithoutMeasurements) {
    kernel_sampler s(options_of(), 5000, 80);
    for (std::size_t k = 0; k < 20; ++k) s.add(kernel_of(k % 2 == 0 ? "a" : "b", 0));
    s.choose();
    EXPECT_EQ(2u, s.result().clusters);
}

TEST(KernelSampler, AddsTheSpreadWithinAClusterToTheErrorBound) {
    kernel_sampler s(options_of(0.05), 100000, 80);
    constexpr std::size_t n = 100;
    // Ten of 100 kernels execute 20 % more after the same launch latency.
    const auto is_longer = [](std::size_t k) { return k % 10 == 0; };
    std::vector<double> cycles;
    double truth = 0;
    for (std::size_t k = 0; k < n; ++k) {
        s.add(kernel_of(is_longer(k) ? "longer" : "a", is_longer(k) ? 12000 : 10000));
        cycles.push_back(is_longer(k) ? 124000 : 120000);
        truth += cycles.back();
    }
    s.choose();
    EXPECT_EQ(1u, s.result().clusters);
    for (std::size_t k = 0; k < n; k += 10) EXPECT_FALSE(s.simulated(k)) << k;
    measure(s, cycles);
    const projection p = s.result();
    ASSERT_TRUE(p.error.has_value());
    EXPECT_GT(*p.error, 0);
    EXPECT_LE(*p.error, 0.02 * truth);
    EXPECT_LT(p.cycles, truth);
    EXPECT_LE(truth - p.cycles, *p.error);
}

TEST(KernelSampler, RaisesTheErrorBoundWhenKernelsExceedTheirEstimates) {
    const auto error_of = [](double cycles) {
        kernel_sampler s(options_of(0.05), 100000, 80);
        for (std::size_t k = 0; k < 100; ++k)
            s.add(kernel_of(k % 10 == 0 ? "longer" : "a", k % 10 == 0 ? 12000 : 10000));
        s.choose();
        measure(s, std::vector<double>(100, 100000 + cycles));
        return s.result().error.value();
    };
    const double as_estimated = error_of(10000);
    EXPECT_LT(0, as_estimated);
    EXPECT_LT(2 * as_estimated, error_of(130000));
}

TEST(KernelSampler, DistinguishesRecordingsBySize) {
    // Their first thread blocks are similar, but one is ten times as long.
    kernel_sampler s(options_of(), 5000, 80);
    kernel_traits small = kernel_of("a"), large = small;
    small.recorded = 100000;
    large.recorded = 1000000;
    s.add(small);
    s.add(large);
    s.add(small);
    EXPECT_EQ(2u, s.result().groups);
    EXPECT_DOUBLE_EQ(10 * small.work(), large.work());
}

TEST(KernelSampler, FormsClustersReproducibly) {
    const auto chosen_of = [] {
        kernel_sampler s(options_of(), 5000, 80);
        for (std::size_t k = 0; k < 200; ++k)
            s.add(kernel_of(std::string(1, static_cast<char>('a' + k * 7 % 11)),
                            100 + 10 * static_cast<double>(k * 7 % 11),
                            64.0 * static_cast<double>(1 + k % 3)));
        s.choose();
        return s.json();
    };
    const std::string first = chosen_of();
    EXPECT_EQ(first, chosen_of());
    EXPECT_THAT(first, ::testing::HasSubstr("\"sampled_clusters\""));
}

TEST(KernelSampler, ProjectsCyclesLinearlyInTheInstructionCount) {
    kernel_sampler s(options_of(), 100);
    launch_chooser chooser;
    const auto cycles = [](double instructions) { return 700 + 2 * instructions; };
    double truth = 0;
    for (unsigned k = 0; k < 20; ++k) {
        const double instructions = k % 2 == 0 ? 100 : 1000;
        truth += cycles(instructions);
        const std::size_t number = s.add_unknown();
        const bool simulated = chooser.choose(0);
        EXPECT_EQ(0u, s.assign(number, kernel_of("a", instructions), k == 0));
        chooser.observed(0, 0, simulated);
        if (simulated)
            s.measured(number, cycles(instructions), instructions);
        else
            s.executed(number, instructions);
    }
    EXPECT_NEAR(cycles(100), s.cycles_of(12), 1e-6);
    EXPECT_NEAR(cycles(1000), s.cycles_of(13), 1e-6);
    EXPECT_NEAR(truth, s.result().cycles, 1e-6 * truth);
}

/// Traits of a kernel that behaves differently in every third launch.
kernel_traits launch_of(unsigned k) {
    kernel_traits t = kernel_of("a");
    if (k % 3 == 2) {
        t.mix[0] = 0.1;
        t.mix[2] = 0.4;
    }
    return t;
}

TEST(KernelSampler, GroupsLaunchesOfAProgramByInstructionMixAndMemory) {
    kernel_sampler s(options_of(), 100);
    EXPECT_EQ(0u, s.assign(s.add_unknown(), launch_of(0), true));
    EXPECT_EQ(0u, s.assign(s.add_unknown(), launch_of(1), false));
    EXPECT_EQ(1u, s.assign(s.add_unknown(), launch_of(2), false)) << "mix";
    EXPECT_EQ(2u, s.assign(s.add_unknown(), kernel_of("a", 100, 6400), false)) << "memory";
    EXPECT_EQ(0u, s.assign(s.add_unknown(), kernel_of("a", 900), false)) << "the line tells";
    EXPECT_EQ(3u, s.assign(s.add_unknown(), kernel_of("b"), true));
}

TEST(KernelSampler, ProjectsDissimilarLaunchesOfAKernelByTheirOwnSamples) {
    kernel_sampler s(options_of(), 100);
    launch_chooser chooser;
    constexpr unsigned launches = 90;
    double truth = 0;
    unsigned simulated = 0;
    for (unsigned k = 0; k < launches; ++k) {
        const double cycles = k % 3 == 2 ? 5000 : 1000;
        truth += cycles;
        const std::size_t number = s.add_unknown();
        const bool chosen = chooser.choose(0);
        chooser.observed(0, s.assign(number, launch_of(k), k == 0), chosen);
        simulated += chosen ? 1 : 0;
        if (chosen)
            s.measured(number, cycles, 10000);
        else
            s.executed(number, 10000);
    }
    EXPECT_GT(20u, simulated);
    EXPECT_NEAR(truth, s.result().cycles, 0.01 * truth);
}

TEST(KernelSampler, ProjectsUnsimulatedGroupsByTheMostSimilarLaunches) {
    kernel_sampler s(options_of(), 100);
    for (unsigned k = 0; k < 3; ++k) s.assign(s.add_unknown(), launch_of(k), k == 0);
    s.measured(0, 1100, 1000);
    s.measured(1, 1000, 1000);
    s.executed(2, 2000);
    EXPECT_DOUBLE_EQ(1900, s.cycles_of(2)) << "launch latency, and twice the instructions";
    const projection p = s.result();
    EXPECT_DOUBLE_EQ(4000, p.cycles);
}

kernel_traits launch_of_grid(unsigned ctas, double instructions = 100) {
    kernel_traits t = kernel_of("a", instructions);
    t.grid.x = ctas;
    return t;
}

/// Launches of one kernel, one per grid, of which some are simulated.
struct shrinking_grids {
    kernel_sampler s{options_of(), 500};
    double truth = 0;

    static double cycles(unsigned ctas) { return 500 + 40 * std::pow(ctas, 0.8); }

    shrinking_grids(unsigned largest, const std::vector<unsigned>& simulated) {
        for (unsigned ctas = largest; ctas != 0; --ctas) {
            const std::size_t k = s.add_unknown();
            s.assign(k, launch_of_grid(ctas), ctas == largest);
            truth += cycles(ctas);
            if (std::count(simulated.begin(), simulated.end(), ctas) != 0)
                s.measured(k, cycles(ctas), 100.0 * ctas);
            else
                s.executed(k, 100.0 * ctas);
        }
    }
};

TEST(KernelSampler, InterpolatesLaunchesBetweenGridsThatWereSimulated) {
    const shrinking_grids few(64, {64, 16, 4});
    // Grid 40 is half way between 64 and 16.
    EXPECT_DOUBLE_EQ((shrinking_grids::cycles(64) + shrinking_grids::cycles(16)) / 2,
                     few.s.cycles_of(64 - 40));
    // Grid 1 is on the line through the nearest two points.
    EXPECT_NEAR(
        shrinking_grids::cycles(4) - (shrinking_grids::cycles(16) - shrinking_grids::cycles(4)) / 4,
        few.s.cycles_of(64 - 1), 1e-6);
    const shrinking_grids more(64, {64, 63, 32, 16, 8, 4, 2, 1});
    for (const shrinking_grids* const one : {&few, &more}) {
        const projection p = one->s.result();
        ASSERT_TRUE(p.error.has_value());
        EXPECT_LT(std::abs(p.cycles - one->truth), *p.error);
    }
    EXPECT_LT(*more.s.result().error, *few.s.result().error);
    EXPECT_LT(*more.s.result().error, 0.1 * more.truth);
}

TEST(KernelSampler, ReportsNoErrorBoundForAnInterpolationBetweenTwoGrids) {
    EXPECT_FALSE(shrinking_grids(64, {64, 1}).s.result().error.has_value());
}

TEST(KernelSampler, InterpolatesOnlyBetweenLaunchesWithEqualCtas) {
    kernel_sampler s(options_of(), 500);
    kernel_traits wide = launch_of_grid(64);
    wide.block.x = 512;
    EXPECT_TRUE(s.scale_with_grid(launch_of_grid(64), launch_of_grid(8)));
    EXPECT_FALSE(s.scale_with_grid(launch_of_grid(64), launch_of_grid(8, 200)));
    EXPECT_FALSE(s.scale_with_grid(launch_of_grid(64), wide));
    // The total memory is the same, so each CTA has more of it.
    kernel_traits all = launch_of_grid(8);
    all.footprint *= 8;
    EXPECT_TRUE(s.scale_with_grid(launch_of_grid(64), all));
    all.footprint *= 4;
    EXPECT_FALSE(s.scale_with_grid(launch_of_grid(64), all));

    s.assign(s.add_unknown(), launch_of_grid(64), true);
    s.assign(s.add_unknown(), launch_of_grid(16), true);
    s.assign(s.add_unknown(), launch_of_grid(32, 200), true);
    s.measured(0, 1780, 6400);
    s.measured(1, 820, 1600);
    s.executed(2, 6400);
    // The most similar launch, with the same number of instructions, determines the cycles per
    // instruction.
    EXPECT_DOUBLE_EQ(1780, s.cycles_of(2));
}

TEST(LaunchChooser, SkipsRareFamiliesThatOthersCover) {
    launch_chooser chooser;
    std::vector<std::size_t> taken;
    for (unsigned k = 0; k < 12; ++k) {
        const bool chosen = chooser.choose(0, true);
        if (chosen) taken.push_back(k + 1);
        chooser.observed(0, 0, chosen);
    }
    EXPECT_EQ((std::vector<std::size_t>{5, 6, 7, 10}), taken)
        << "what it has missed is made up for";
}

TEST(LaunchChooser, ChoosesOddAndEvenMembersOfAnAlternatingGroup) {
    launch_chooser chooser;
    std::vector<std::size_t> taken;
    for (unsigned k = 0; k < 50; ++k) {
        const bool chosen = chooser.choose(0);
        if (chosen) taken.push_back(k + 1);
        chooser.observed(0, 0, chosen);
    }
    EXPECT_EQ((std::vector<std::size_t>{1, 2, 5, 10, 21, 42}), taken);
}

TEST(LaunchChooser, PredictsTheNextGroupOfAPattern) {
    launch_chooser chooser;
    std::vector<unsigned> samples(2);
    for (unsigned k = 0; k < 200; ++k) {
        const std::size_t group = k % 10 == 7 ? 1 : 0;  // one of ten launches behaves differently
        const bool chosen = chooser.choose(0);
        samples[group] += chosen ? 1 : 0;
        chooser.observed(0, group, chosen);
    }
    EXPECT_LE(2u, samples[1]) << "it is sampled although it is rare";
    EXPECT_GE(40u, samples[0] + samples[1]);
}

TEST(LaunchChooser, SimulatesAtMostAQuarterOfUnpredictableLaunches) {
    launch_chooser chooser;
    unsigned samples = 0;
    for (unsigned k = 0; k < 400; ++k) {
        const bool chosen = chooser.choose(0);
        samples += chosen ? 1 : 0;
        chooser.observed(0, k, chosen);  // each behaves differently
    }
    EXPECT_GE(103u, samples);
}

TEST(LaunchChooser, ChoosesTheFirstLaunchesAndOfLargeOnesTheFirstOnly) {
    launch_chooser chooser(3);
    std::vector<std::size_t> taken, large;
    for (unsigned k = 0; k < 12; ++k) {
        const bool small_chosen = chooser.choose(0), large_chosen = chooser.choose(1, false, k > 0);
        if (small_chosen) taken.push_back(k + 1);
        if (large_chosen) large.push_back(k + 1);
        chooser.observed(0, 0, small_chosen);
        chooser.observed(1, 0, large_chosen);
    }
    EXPECT_EQ((std::vector<std::size_t>{1, 2, 3}), taken);
    EXPECT_EQ((std::vector<std::size_t>{1}), large) << "known to be large once it has run";
}

TEST(LaunchChooser, CountsPendingLaunches) {
    launch_chooser chooser;
    EXPECT_TRUE(chooser.choose(0));
    EXPECT_TRUE(chooser.choose(0));
    EXPECT_FALSE(chooser.choose(0));
    EXPECT_FALSE(chooser.choose(0));
    EXPECT_TRUE(chooser.choose(1)) << "another family";
}

}  // namespace
}  // namespace simtlm::platform
