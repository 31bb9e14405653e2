// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/spawn.h"
#include "modules/support/error.h"
#include "tests/unit/simulation/sequencer_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>

namespace simtlm::simulation {
namespace {

using ::testing::ElementsAre;

TEST(PhaseSequencer, VisitsThePhasesOfAnEdgeInTableOrder) {
    sequencer_rig rig("rig", {1000}, {{0, "a"}, {0, "b"}, {0, "c"}});
    std::string log;
    // Created in a different order than in the table.
    recorder c("c", rig.sequencer, 2), a("a", rig.sequencer, 0), b("b", rig.sequencer, 1);
    a.then = [&](recorder&) { log += 'a'; };
    b.then = [&](recorder&) { log += 'b'; };
    c.then = [&](recorder&) { log += 'c'; };
    rig.run_to(3);
    EXPECT_EQ(log, "abcabcabc");
    EXPECT_THAT(b.cycles, ElementsAre(0, 1, 2));
}

TEST(PhaseSequencer, InterleavesThePhasesOfCoincidentEdgesInTableOrder) {
    sequencer_rig rig("rig", {2000, 3000}, {{0, "x"}, {1, "y"}, {0, "z"}});
    std::string log;
    recorder y("y", rig.sequencer, 1), z("z", rig.sequencer, 2), x("x", rig.sequencer, 0);
    const auto note = [&](char who) {
        return [&log, who](recorder&) {
            log += std::to_string(static_cast<unsigned>(sc_core::sc_time_stamp() /
                                                        sc_core::sc_time(1, sc_core::SC_NS))) +
                   who + ' ';
        };
    };
    x.then = note('x');
    y.then = note('y');
    z.then = note('z');
    rig.run_to(4);
    EXPECT_EQ(log, "0x 0y 0z 2x 2z 3y 4x 4z 6x 6y 6z ");
    EXPECT_THAT(x.cycles, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(y.cycles, ElementsAre(0, 1, 2));
}

TEST(PhaseSequencer, EveryPhaseSeesTheEffectsOfEarlierPhases) {
    sequencer_rig rig("rig", {1000}, {{0, "produce"}, {0, "consume"}});
    recorder consumer("consumer", rig.sequencer, 1), producer("producer", rig.sequencer, 0);
    std::uint64_t wire = 99;
    std::vector<std::uint64_t> seen;
    producer.then = [&](recorder& r) { wire = r.process.now(); };
    consumer.then = [&](recorder&) { seen.push_back(wire); };
    rig.run_to(4);
    EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
}

TEST(PhaseSequencer, RunsEachOfManyProcessesOfAPhaseOncePerEdge) {
    sequencer_rig rig("rig", {1000}, {{0, "only"}});
    std::vector<std::unique_ptr<recorder>> all;
    for (unsigned i = 0; i < 200; ++i)
        all.push_back(std::make_unique<recorder>(("p" + std::to_string(i)).c_str(), rig.sequencer,
                                                 0, i % 3 != 0));
    rig.run_to(2);
    for (unsigned i = 0; i < 200; ++i) EXPECT_EQ(all[i]->cycles.size(), i % 3 != 0 ? 2u : 0u) << i;
}

TEST(PhaseSequencer, CountsEdgesStepsPhasesAndActivations) {
    sequencer_rig rig("rig", {2000, 3000}, {{0, "x"}, {1, "y"}, {0, "never"}});
    recorder a("a", rig.sequencer, 0), b("b", rig.sequencer, 0), y("y", rig.sequencer, 1);
    recorder idle("idle", rig.sequencer, 2, false);
    rig.run_to(6);  // edges of x at 0 2 4 6 8 10, of y at 0 3 6 9
    const auto& seen = rig.sequencer.observed();
    EXPECT_EQ(seen.edges[0], 6u);
    EXPECT_EQ(seen.edges[1], 4u);
    EXPECT_EQ(seen.steps, 8u);
    EXPECT_EQ(seen.deltas, 10u);
    EXPECT_THAT(seen.activations, ElementsAre(12, 4, 0));
    EXPECT_STREQ(rig.sequencer.phase_name(2), "never");
    EXPECT_EQ(rig.sequencer.phases(), 3u);
    EXPECT_EQ(rig.sequencer.domain_of(1), 1u);
}

TEST(PhaseSequencer, NotifiesItsObserverOfTheDomainsWithAnEdge) {
    struct observer : phase_sequencer::step_observer {
        std::vector<unsigned> notifications;
        void step_ended(unsigned ticked) override { notifications.push_back(ticked); }
    } watch;
    sequencer_rig rig("rig", {2000, 3000}, {{0, "x"}, {1, "y"}});
    recorder x("x", rig.sequencer, 0);
    rig.sequencer.observe(&watch);
    rig.run_to(4);
    // The last step (at 6 ns) is reported when the next one begins.
    EXPECT_THAT(watch.notifications, ElementsAre(3, 1, 2, 1));
}

TEST(PhaseSequencer, IgnoresEdgesAfterAFailure) {
    sequencer_rig rig("rig", {1000}, {{0, "x"}});
    recorder r("r", rig.sequencer, 0);
    r.then = [&](recorder& self) {
        if (self.process.now() != 3) return;
        rig.sequencer.fail(
            std::make_exception_ptr(support::user_error("k.traceg:7", "a bad mask")));
        rig.sequencer.fail(std::make_exception_ptr(support::user_error("", "a later one")));
    };
    struct listener : sc_core::sc_module {
        unsigned notified = 0;
        listener(const sc_core::sc_module_name& name, const sc_core::sc_event& e)
            : sc_module(name) {
            spawn_method("note", [this] { note(); }, {e});
        }
        void note() { ++notified; }
    } l("l", rig.sequencer.failed());
    EXPECT_NO_THROW(rig.sequencer.rethrow_failure());
    rig.run_to(20);
    EXPECT_THAT(r.cycles, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(l.notified, 1u);
    try {
        rig.sequencer.rethrow_failure();
        FAIL() << "nothing was thrown";
    } catch (const support::user_error& e) {
        EXPECT_STREQ(e.what(), "k.traceg:7: a bad mask");
    }
}

TEST(PhaseSequencer, ReportsTheFirstFailureOfAStepInAnyProcessOrder) {
    std::vector<std::unique_ptr<sequencer_rig>> rigs;
    std::vector<std::unique_ptr<recorder>> all;
    for (const way how : {way::called, way::threads})
        for (unsigned seed = 0; seed < 12; ++seed) {
            phase_sequencer::options options;
            options.shuffle_seed = seed;
            const std::string name = std::string(name_of(how)) + std::to_string(seed);
            rigs.push_back(std::make_unique<sequencer_rig>(name.c_str(), std::vector<unsigned>{10},
                                                           std::vector<phase>{{0, "p"}, {0, "q"}},
                                                           options, how));
            for (unsigned i = 0; i < 10; ++i) {  // all awake; the even ones act in the later phase
                all.push_back(std::make_unique<recorder>((name + "_" + std::to_string(i)).c_str(),
                                                         rigs.back()->sequencer,
                                                         i % 2 == 0 ? 1 : 0));
                all.back()->then = [i](recorder& r) {
                    if (r.process.now() == 3 && i >= 2)
                        throw support::user_error("process " + std::to_string(i), "fails");
                };
            }
        }
    sc_core::sc_start(100, sc_core::SC_PS);
    for (const auto& rig : rigs) {
        try {
            rig->sequencer.rethrow_failure();
            ADD_FAILURE() << "nobody has failed";
        } catch (const support::user_error& e) {
            EXPECT_STREQ(e.what(), "process 3: fails") << rig->name();
        }
    }
}

/// How the lanes of a random_design are formed.
enum class lanes_as {
    blocks,      ///< blocks in ungrouped phases, in two domains
    one_domain,  ///< the same in one domain
    groups,      ///< every lane is a group, in one domain
    partitions  ///< every lane is a partition, with blocks in phases of three kinds, in two domains
};

/// A design of three stages, of which the middle one has a clock domain of its own unless all use
/// one, and which sleep if idle: 20 sources wake 20 middle blocks, which wake 20 sinks after a
/// delay. Stages exchange only counts, so that the order within a phase is irrelevant.
class random_design : public sc_core::sc_module {
public:
    std::vector<std::vector<std::uint64_t>> log;

    random_design(const sc_core::sc_module_name& name, const phase_sequencer::options& options,
                  lanes_as how = lanes_as::blocks)
        : sc_module(name),
          log(lanes + 1),
          rig_("rig", {1132, 850},
               {{0, "source", kind(how, 1)},
                {how == lanes_as::blocks || how == lanes_as::partitions ? 1u : 0u, "middle",
                 kind(how, 2)},
                {0, "sink", kind(how, 3)},
                {0, "audit"}},
               options) {
        // Woken by all sinks, but not part of a lane.
        all_.push_back(std::make_unique<recorder>("audit", rig_.sequencer, 3, false));
        recorder* audit = all_.back().get();
        audit->then = [this](recorder& r) {
            if (updates_.exchange(false)) log[lanes].push_back(r.process.now());
            r.process.sleep();
        };
        for (unsigned i = 0; i < lanes; ++i) {
            const scheduling_partition_scope here(rig_.sequencer, i, lanes);
            if (how == lanes_as::groups)
                groups_.push_back(std::make_unique<process_group>(
                    ("cycle" + std::to_string(i)).c_str(), rig_.sequencer, 1));
            const auto made = [&](const char* kind, unsigned p) {
                all_.push_back(std::make_unique<recorder>((kind + std::to_string(i)).c_str(),
                                                          rig_.sequencer, p, p == 0));
                return all_.back().get();
            };
            recorder* source = made("source", 0);
            recorder* middle = made("middle", 1);
            recorder* sink = made("sink", 2);
            state* s = &lane_[i];
            s->random.seed(i);
            source->then = [s, middle](recorder& r) {
                if (r.process.now() < s->next) return;
                ++s->first;
                middle->process.wake();
                s->next = r.process.now() + 1 + s->random() % (s->random() % 8 == 0 ? 1500 : 9);
                r.process.sleep_until(s->next);
            };
            middle->then = [s, sink](recorder& r) {
                if (s->first == 0) {
                    r.process.sleep();
                    return;
                }
                if (s->due == 0) s->due = r.process.now() + s->first % 5 + 1;
                if (r.process.now() < s->due) {
                    r.process.sleep_until(s->due);
                    return;
                }
                s->second += s->first;
                s->first = s->due = 0;
                sink->process.wake();
                r.process.sleep();
            };
            sink->then = [this, s, i, audit](recorder& r) {
                if (s->second != 0) {
                    updates_ = true;
                    audit->process.wake();
                    log[i].push_back(r.process.now());
                    log[i].push_back(s->second);
                    s->second = 0;
                }
                r.process.sleep();
            };
            if (how == lanes_as::groups) groups_.back()->close();
        }
    }
    phase_sequencer::activity observed() const { return rig_.sequencer.observed(); }

private:
    static constexpr unsigned lanes = 20;
    static unsigned kind(lanes_as how, unsigned stage) {
        return how == lanes_as::groups ? 1 : how == lanes_as::partitions ? stage : 0;
    }
    struct state {
        std::mt19937 random;
        std::uint64_t next = 0, first = 0, due = 0, second = 0;
    };
    sequencer_rig rig_;
    std::vector<std::unique_ptr<process_group>> groups_;
    std::array<state, lanes> lane_;
    std::atomic<bool> updates_{false};
    std::vector<std::unique_ptr<recorder>> all_;
};

TEST(PhaseSequencer, IsIndependentOfProcessOrderAndSleep) {
    phase_sequencer::options plain, shuffled, sleepless, both;
    shuffled.shuffle_seed = 4711;
    sleepless.sleeping = false;
    both.sleeping = false;
    both.shuffle_seed = 3;
    random_design a("a", plain), b("b", shuffled), c("c", sleepless), d("d", both);
    sc_core::sc_start(30, sc_core::SC_US);
    EXPECT_GT(a.log[0].size(), 200u);
    EXPECT_EQ(a.log, b.log);
    EXPECT_EQ(a.log, c.log);
    EXPECT_EQ(a.log, d.log);
    // And the executed activations did differ.
    EXPECT_EQ(a.observed().activations, b.observed().activations);
    EXPECT_LT(a.observed().activations[1], c.observed().activations[1]);
}

TEST(ProcessGroup, BehavesAsItsIndividualProcesses) {
    phase_sequencer::options plain, shuffled, sleepless, threads, parallel;
    parallel.host_threads = 3;
    parallel.groups_a_thread = 1;
    shuffled.shuffle_seed = 4711;
    sleepless.sleeping = false;
    sleepless.shuffle_seed = 3;
    threads.clocked_threads = true;
    random_design apart("apart", plain, lanes_as::one_domain), a("a", plain, lanes_as::groups),
        b("b", shuffled, lanes_as::groups), c("c", sleepless, lanes_as::groups),
        d("d", threads, lanes_as::groups), e("e", parallel, lanes_as::groups);
    sc_core::sc_start(30, sc_core::SC_US);
    EXPECT_GT(apart.log[0].size(), 200u);
    EXPECT_EQ(apart.log, a.log);
    EXPECT_EQ(apart.log, b.log);
    EXPECT_EQ(apart.log, c.log);
    EXPECT_EQ(apart.log, d.log);
    EXPECT_EQ(apart.log, e.log);
    EXPECT_GT(e.observed().shared, 100u) << "host threads have shared the groups";
    EXPECT_EQ(a.observed().shared, 0u);
    // The same processes ran, in fewer visits.
    EXPECT_EQ(apart.observed().activations, a.observed().activations);
    EXPECT_LT(a.observed().deltas, apart.observed().deltas);
    EXPECT_GT(a.observed().groups, 0u);
    EXPECT_EQ(apart.observed().groups, 0u);
    EXPECT_EQ(d.observed().groups, 0u) << "threads of SystemC are started one by one";
}

TEST(PhaseSequencer, RunsPartitionsOfAPhaseOnHostThreads) {
    phase_sequencer::options plain, two, three;
    two.host_threads = 2;
    two.groups_a_thread = 1;
    three.host_threads = 3;
    three.groups_a_thread = 1;
    three.shuffle_seed = 4711;
    phase_sequencer::options sleepless = two;
    sleepless.sleeping = false;
    random_design alone("alone", plain), a("a", two, lanes_as::partitions),
        b("b", three, lanes_as::partitions), c("c", sleepless, lanes_as::partitions);
    sc_core::sc_start(30, sc_core::SC_US);
    EXPECT_GT(alone.log[0].size(), 200u);
    EXPECT_EQ(alone.log, a.log);
    EXPECT_EQ(alone.log, b.log);
    EXPECT_EQ(alone.log, c.log);
    EXPECT_EQ(alone.observed().activations, a.observed().activations);
    EXPECT_EQ(alone.observed().activations, b.observed().activations);
    EXPECT_EQ(alone.observed().deltas, a.observed().deltas);
    EXPECT_GT(a.observed().shared, 1000u);
    EXPECT_LT(a.observed().shared, a.observed().deltas) << "several phases at a time";
}

TEST(PhaseSequencer, ReportsTheFirstOfSeveralFailedPartitions) {
    phase_sequencer::options options;
    options.host_threads = 4;
    options.groups_a_thread = 1;
    constexpr unsigned partitions = 40;
    std::vector<std::unique_ptr<sequencer_rig>> rigs;
    std::vector<std::unique_ptr<recorder>> all;
    for (unsigned n = 0; n < 20; ++n) {
        rigs.push_back(std::make_unique<sequencer_rig>(
            ("rig" + std::to_string(n)).c_str(), std::vector<unsigned>{10},
            std::vector<phase>{{0, "p", 1}, {0, "q", 2}}, options));
        for (unsigned i = 0; i < partitions; ++i) {
            const scheduling_partition_scope here(rigs.back()->sequencer, i, partitions);
            all.push_back(std::make_unique<recorder>(
                ("r" + std::to_string(n) + "_" + std::to_string(i)).c_str(), rigs.back()->sequencer,
                i % 2 == 0 ? 1 : 0));
            all.back()->then = [i](recorder& r) {
                if (r.process.now() == 3 && i % 13 >= 5)
                    throw support::user_error("part " + std::to_string(i), "fails");
            };
        }
    }
    sc_core::sc_start(100, sc_core::SC_PS);
    for (const auto& rig : rigs) {
        try {
            rig->sequencer.rethrow_failure();
            ADD_FAILURE() << "nobody has failed";
        } catch (const support::user_error& e) {
            EXPECT_STREQ(e.what(), "part 5: fails");
        }
    }
}

TEST(PhaseSequencer, RunsOnOneThreadWhileParallelRegionsAreSuspended) {
    phase_sequencer::options options;
    options.host_threads = 2;
    options.groups_a_thread = 1;
    constexpr unsigned partitions = 20;
    sequencer_rig rig("rig", {10}, {{0, "p", 1}, {0, "q"}}, options);
    std::vector<std::unique_ptr<recorder>> all;
    for (unsigned i = 0; i < partitions; ++i) {
        const scheduling_partition_scope here(rig.sequencer, i, partitions);
        all.push_back(
            std::make_unique<recorder>(("r" + std::to_string(i)).c_str(), rig.sequencer, 0));
    }
    recorder switches("switches", rig.sequencer, 1);
    std::vector<std::uint64_t> regions;  // at the end of each edge
    switches.then = [&](recorder& r) {
        regions.push_back(rig.sequencer.observed().shared);
        if (r.process.now() == 2 || r.process.now() == 3) rig.sequencer.suspend_parallel_regions();
        if (r.process.now() == 5 || r.process.now() == 7) rig.sequencer.resume_parallel_regions();
    };
    sc_core::sc_start(105, sc_core::SC_PS);
    ASSERT_GE(regions.size(), 10u);
    EXPECT_EQ(regions[0] + 2, regions[2]);
    EXPECT_EQ(regions[2], regions[7]) << "until both suspensions have ended";
    EXPECT_EQ(regions[7] + 2, regions[9]);
}

TEST(PhaseSequencer, IsInterruptedByExceptionsOnHostThreadsButNotByReportedFailures) {
    phase_sequencer::options options;
    options.host_threads = 2;
    options.groups_a_thread = 1;
    constexpr unsigned partitions = 20;
    std::vector<std::unique_ptr<recorder>> all;
    const auto run = [&](const std::string& name, bool throws) {
        auto rig = std::make_unique<sequencer_rig>(name.c_str(), std::vector<unsigned>{10},
                                                   std::vector<phase>{{0, "p", 1}}, options);
        for (unsigned i = 0; i < partitions; ++i) {
            const scheduling_partition_scope here(rig->sequencer, i, partitions);
            all.push_back(
                std::make_unique<recorder>((name + std::to_string(i)).c_str(), rig->sequencer, 0));
            all.back()->then = [i, throws, &s = rig->sequencer](recorder& r) {
                if (r.process.now() != 3 || i < 7) return;
                if (throws) throw support::user_error("part " + std::to_string(i), "fails");
                s.fail(std::make_exception_ptr(
                    support::user_error("part " + std::to_string(i), "fails")));
            };
        }
        return rig;
    };
    const auto thrown = run("thrown", true), reported = run("reported", false);
    sc_core::sc_start(100, sc_core::SC_PS);
    for (const auto* rig : {&thrown, &reported}) try {
            (*rig)->sequencer.rethrow_failure();
            ADD_FAILURE() << "nobody has failed";
        } catch (const support::user_error& e) {
            EXPECT_STREQ(e.what(), "part 7: fails");
        }
    EXPECT_TRUE(thrown->sequencer.interrupted());
    EXPECT_FALSE(reported->sequencer.interrupted());
}

TEST(PhaseSequencer, SynchronizesHostThreadsBeforeAPhaseThatCrossesPartitions) {
    phase_sequencer::options options;
    options.host_threads = 2;
    options.groups_a_thread = 1;
    constexpr unsigned partitions = 20;
    sequencer_rig rig("rig", {10}, {{0, "tell", 1}, {0, "too", 1}, {0, "hear", 2, true}}, options);
    std::atomic<unsigned> notifications{0};
    std::vector<std::unique_ptr<recorder>> all;
    const auto make = [&](unsigned phase, std::function<void(recorder&)> then) {
        all.push_back(std::make_unique<recorder>(("r" + std::to_string(all.size())).c_str(),
                                                 rig.sequencer, phase));
        all.back()->then = std::move(then);
    };
    for (unsigned i = 0; i < partitions; ++i) {
        const scheduling_partition_scope here(rig.sequencer, i, partitions);
        for (const unsigned phase : {0u, 1u}) make(phase, [&](recorder&) { ++notifications; });
        make(2, [&](recorder& r) {
            EXPECT_EQ(notifications, 2 * partitions * (r.process.now() + 1));
        });
    }
    rig.run_to(50);
    EXPECT_EQ(notifications, 50 * 2 * partitions);
    EXPECT_EQ(rig.sequencer.observed().shared, 50u * 2);
}

TEST(ProcessGroup, RunsItsPhasesBeforeTheNextGroupAndSleepsAsOne) {
    sequencer_rig rig("rig", {1000},
                      {{0, "before"}, {0, "first", true}, {0, "second", true}, {0, "after"}});
    std::string log;
    std::vector<std::unique_ptr<recorder>> all;
    const auto make = [&](const char* name, unsigned phase) {
        all.push_back(std::make_unique<recorder>(name, rig.sequencer, phase));
        all.back()->then = [&log, name](recorder& r) {
            log += name;
            log += ' ';
            if (r.process.now() == 1) r.process.sleep();
        };
        return all.back().get();
    };
    process_group a("a", rig.sequencer, 1);
    make("A2", 2);
    make("A1", 1);
    a.close();
    process_group b("b", rig.sequencer, 1);
    make("B1", 1);
    make("B2", 2);
    make("x", 0);  // its phase belongs to no group
    b.close();
    recorder* last = make("y", 3);
    last->then = [&](recorder& r) {
        log += "y ";
        if (r.process.now() == 3) all[0]->process.wake();
        if (r.process.now() == 5) all[2]->process.wake_at(70);
    };
    rig.run_to(100);
    // SystemC may run groups in any order.
    for (std::size_t at; (at = log.find("B1 B2 A1 A2")) != std::string::npos;)
        log.replace(at, 11, "A1 A2 B1 B2");
    for (std::size_t at; (at = log.find("B1 A2")) != std::string::npos;)
        log.replace(at, 5, "A2 B1");
    std::string expected = "x A1 A2 B1 B2 y x A1 A2 B1 B2 y y y ";
    for (unsigned c = 4; c < 100; ++c) expected += c < 70 ? "A2 y " : "A2 B1 y ";
    EXPECT_EQ(log, expected);
    EXPECT_EQ(rig.sequencer.observed().groups, 2 * 2 + 96u + 30u);
    EXPECT_EQ(rig.sequencer.activations(1), 2 * 2 + 30u);
    EXPECT_EQ(rig.sequencer.activations(2), 2 * 2 + 96u);
}

class OrderedGroups : public ::testing::TestWithParam<bool> {};

TEST_P(OrderedGroups, RunAllPhasesAfterTheGroupsOfEarlierSubPhases) {
    phase_sequencer::options options;
    options.clocked_threads = GetParam();
    options.shuffle_seed = 5;
    sequencer_rig rig("rig", {1000}, {{0, "first", 1}, {0, "second", 1}, {0, "after"}}, options);
    std::string log;
    std::vector<std::unique_ptr<recorder>> all;
    const auto make = [&](const char* name, unsigned phase) {
        all.push_back(std::make_unique<recorder>(name, rig.sequencer, phase));
        all.back()->then = [&log, name](recorder&) { (log += name) += ' '; };
        return all.back().get();
    };
    std::vector<std::unique_ptr<process_group>> groups;
    const std::array<std::array<const char*, 2>, 3> names{
        {{"A1", "A2"}, {"B1", "B2"}, {"C1", "C2"}}};
    for (const auto& [first, second] : names) {
        groups.push_back(
            std::make_unique<process_group>(std::string(1, first[0]).c_str(), rig.sequencer, 1, 3));
        make(first, 0);
        make(second, 1);
        groups.back()->close();
    }
    const auto order = [&](std::uint64_t cycle) {
        for (unsigned k = 0; k < 3; ++k) groups[(cycle + k) % 3]->select_sub_phase(k);
    };
    order(0);
    make("after", 2)->then = [&](recorder& r) { order(r.process.now() + 1); };
    rig.run_to(4);
    EXPECT_EQ(log, "A1 A2 B1 B2 C1 C2 B1 B2 C1 C2 A1 A2 C1 C2 A1 A2 B1 B2 A1 A2 B1 B2 C1 C2 ");
}

INSTANTIATE_TEST_SUITE_P(Processes, OrderedGroups, ::testing::Bool(),
                         [](const auto& about) { return about.param ? "Threads" : "Methods"; });

TEST(PhaseSequencer, RunsEveryProcessOnEveryEdgeWithSleepingOff) {
    phase_sequencer::options options;
    options.sleeping = false;
    sequencer_rig rig("rig", {1000}, {{0, "x"}, {0, "y"}}, options);
    recorder a("a", rig.sequencer, 0, false), b("b", rig.sequencer, 1, true);
    a.then = b.then = [](recorder& r) { r.process.sleep(); };
    rig.run_to(5);
    EXPECT_EQ(a.cycles.size(), 5u);
    EXPECT_EQ(b.cycles.size(), 5u);
    EXPECT_FALSE(rig.sequencer.sleeping_enabled());
}

TEST(PhaseSequencer, ShufflingStartsTheProcessesOfAPhaseInAnotherOrder) {
    phase_sequencer::options options;
    options.shuffle_seed = 1;
    sequencer_rig rig("rig", {1000}, {{0, "x"}}, options);
    std::vector<std::unique_ptr<recorder>> all;
    std::vector<unsigned> order;
    for (unsigned i = 0; i < 100; ++i) {
        all.push_back(
            std::make_unique<recorder>(("p" + std::to_string(i)).c_str(), rig.sequencer, 0));
        all.back()->then = [&order, i](recorder&) { order.push_back(i); };
    }
    rig.run_to(1);
    ASSERT_EQ(order.size(), 100u);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace simtlm::simulation
