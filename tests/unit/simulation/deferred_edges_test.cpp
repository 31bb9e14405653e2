// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/clocked_process.h"
#include "modules/simulation/exact_clock.h"
#include "modules/simulation/spawn.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace simtlm::simulation {
namespace {

// Two domains beside the decoupled one, which has more edges than the others.
constexpr double frequencies[] = {1132e6, 850e6, 2500e6};
constexpr unsigned memory_domain = 2;

/// What a process observed when it ran: the cycles of the three domains, its local time, and the
/// messages it found. Spurious calls are not recorded.
using sight = std::array<std::uint64_t, 5>;

/// A process that occasionally sends messages to others and sleeps for random times.
class correspondent : public sc_core::sc_module {
public:
    std::vector<sight> seen;
    clocked_process process;

    correspondent(const sc_core::sc_module_name& name, phase_sequencer& sequencer, unsigned phase,
                  unsigned seed)
        : sc_module(name),
          process("process", sequencer, phase, on_edge<&correspondent::cycle>(this), true),
          sequencer_(sequencer),
          random_(seed) {}
    void write_to(correspondent& other) { others_.push_back(&other); }

private:
    void cycle() {
        if (process.now() < due_ && messages_ == 0) return process.sleep();
        seen.push_back({sequencer_.cycle(0), sequencer_.cycle(1), process.now(), messages_,
                        process.local_time().value()});
        messages_ = 0;
        const auto choice = random_() % 16;
        if (choice % 2 == 0 && !others_.empty()) {
            correspondent& other = *others_[random_() % others_.size()];
            ++other.messages_;
            other.process.wake();
        }
        constexpr unsigned longest[] = {1, 3, 30, 90, 300, 5000};
        due_ = process.now() + 1 + random_() % longest[choice % 6];
        process.sleep_until(due_);
    }
    phase_sequencer& sequencer_;
    std::mt19937 random_;
    std::vector<correspondent*> others_;
    std::uint64_t due_ = 0;
    std::uint64_t messages_ = 0;
};

struct form {
    bool defer = false;
    bool gated = false;
    phase_sequencer::options how = {};
};

/// A core process and memory processes in three partitions, which send messages to each other.
struct design : sc_core::sc_module {
    static constexpr unsigned parts = 6;
    std::vector<std::unique_ptr<exact_clock>> clocks;
    phase_sequencer sequencer;
    std::vector<std::unique_ptr<process_group>> groups;
    std::vector<std::unique_ptr<correspondent>> all;

    design(const sc_core::sc_module_name& name, const form& f)
        : sc_module(name),
          sequencer("sequencer", 3,
                    {{1, "reply"}, {2, "take", 1}, {2, "serve", 1}, {0, "core", 2}, {1, "ask"}},
                    f.how) {
        std::vector<computed_clock*> gates;
        for (unsigned d = 0; d < std::size(frequencies); ++d) {
            clocks.push_back(std::make_unique<exact_clock>(sc_core::sc_gen_unique_name("clock"),
                                                           frequencies[d]));
            sequencer.clock[d].bind(*clocks.back());
            gates.push_back(clocks.back().get());
        }
        if (f.defer) sequencer.decouple(memory_domain, *gates[memory_domain]);
        if (f.gated) sequencer.gate(gates);
        for (unsigned p = 0; p < parts; ++p) {
            const scheduling_partition_scope here(sequencer, p, parts);
            groups.push_back(std::make_unique<process_group>(("memory" + std::to_string(p)).c_str(),
                                                             sequencer, 1));
            correspondent &take = make(1), &serve = make(2), &helper = make(2);
            groups.back()->close();
            groups.push_back(std::make_unique<process_group>(("core" + std::to_string(p)).c_str(),
                                                             sequencer, 2));
            correspondent& core = make(3);
            groups.back()->close();
            correspondent &reply = make(0), &ask = make(4);
            take.write_to(serve), take.write_to(helper), take.write_to(reply);
            serve.write_to(take), serve.write_to(core), helper.write_to(core);
            core.write_to(take), core.write_to(serve), core.write_to(helper);
            ask.write_to(take), reply.write_to(core);
        }
    }
    correspondent& make(unsigned phase) {
        const auto number = static_cast<unsigned>(all.size());
        all.push_back(std::make_unique<correspondent>(("c" + std::to_string(number)).c_str(),
                                                      sequencer, phase, number));
        return *all.back();
    }
};

void expect_the_same(const design& one, const design& other) {
    for (unsigned i = 0; i < one.all.size(); ++i) {
        const auto &a = one.all[i]->seen, &b = other.all[i]->seen;
        ASSERT_EQ(a.size(), b.size()) << i;
        for (std::size_t k = 0; k < a.size(); ++k)
            ASSERT_EQ(a[k], b[k]) << "run " << k << " of process " << i;
    }
}

TEST(DecoupledDomain, ShowsEveryProcessTheCyclesAndLocalTimesOfItsEdges) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    phase_sequencer::options two, restless, shuffled;
    two.host_threads = 2;
    two.groups_a_thread = 1;
    restless.sleeping = false;
    shuffled.shuffle_seed = 5;
    design plain("plain", {}), defer("deferred", {true}), gated("gated", {true, true}),
        threads("threads", {true, true, two}), awake("awake", {true, true, restless}),
        another_order("another_order", {true, true, shuffled});
    for (unsigned run = 1; run <= 7; ++run) {  // occasionally observed from outside
        sc_core::sc_start(run * run * 2001.3, sc_core::SC_NS);
        for (design* d : {&defer, &gated, &threads, &awake, &another_order}) {
            d->sequencer.synchronize();
            expect_the_same(*d, plain);
            if (::testing::Test::HasFatalFailure()) FAIL() << d->name() << ", run " << run;
        }
        for (const design* d : {&defer, &awake})
            EXPECT_EQ(d->sequencer.edges(), plain.sequencer.edges()) << d->name();
    }
    for (const auto& c : plain.all) EXPECT_GT(c->seen.size(), 100u) << c->name();
    EXPECT_LT(defer.sequencer.steps(), plain.sequencer.steps() / 2);
    EXPECT_LT(gated.sequencer.steps(), defer.sequencer.steps());
    EXPECT_GT(threads.sequencer.observed().shared, 1000u);
}

TEST(DecoupledDomain, SuppressesMostOfItsEdges) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design d("design", {true});
    unsigned rises = 0;
    spawn_method("rise", [&] { ++rises; }, {d.clocks[memory_domain]->posedge_event()});
    sc_core::sc_start(10, sc_core::SC_US);
    EXPECT_NEAR(rises, 25000 / 65, 2);
    d.sequencer.synchronize();
    EXPECT_NEAR(static_cast<double>(d.sequencer.edges(memory_domain)), 25000, 1);
}

TEST(DecoupledDomain, ReportsItsDeferredEdgesUntilItIsSynchronized) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design d("design", {true});
    bool lagged = false;
    for (unsigned i = 0; i < 200; ++i) {
        sc_core::sc_start(331, sc_core::SC_PS);
        const sc_core::sc_time local_time_offset = d.sequencer.local_time_offset();
        EXPECT_LT(local_time_offset, sc_core::sc_time(1.2, sc_core::SC_NS))
            << "a cycle of the slowest clock";
        lagged |= local_time_offset != sc_core::SC_ZERO_TIME;
        const sc_core::sc_time before = sc_core::sc_time_stamp();
        d.sequencer.synchronize();
        EXPECT_EQ(d.sequencer.local_time_offset(), sc_core::SC_ZERO_TIME);
        EXPECT_EQ(sc_core::sc_time_stamp(), before);
    }
    EXPECT_TRUE(lagged);
}

TEST(DecoupledDomain, IsCoupledWhileStepsAreObservedOrItHasOtherBlocks) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    struct : phase_sequencer::step_observer {
        unsigned notifications = 0;
        void step_ended(unsigned ticked) override { notifications += ticked >> memory_domain & 1u; }
    } watch;
    design observed("observed", {true}), mixed("mixed", {true}), kept("kept", {true}),
        plain("plain", {});
    observed.sequencer.observe(&watch);
    correspondent outsider("outsider", mixed.sequencer, 2, 1);
    kept.sequencer.stay_on_one_thread(1);
    sc_core::sc_start(1, sc_core::SC_US);
    for (const design* d : {&observed, &mixed, &kept})
        EXPECT_EQ(d->sequencer.steps(), plain.sequencer.steps()) << d->name();
    EXPECT_NEAR(watch.notifications, 2500, 2);
}

}  // namespace
}  // namespace simtlm::simulation
