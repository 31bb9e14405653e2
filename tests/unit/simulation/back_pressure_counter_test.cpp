// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/back_pressure_counter.h"

#include "tests/unit/simulation/sequencer_rig.h"

#include <gtest/gtest.h>

namespace simtlm::simulation {
namespace {

/// A port that opens and closes in the phase before or after that of the sender.
struct doorway : sc_core::sc_module {
    sequencer_rig rig;
    recorder before, asker, after;
    back_pressure_counter back_pressure{asker.process};

    explicit doorway(const sc_core::sc_module_name& name)
        : sc_module(name),
          rig("rig", {1000}, {{0, "before"}, {0, "ask"}, {0, "after"}}),
          before("before", rig.sequencer, 0),
          asker("asker", rig.sequencer, 1, false),
          after("after", rig.sequencer, 2) {}

    void set(recorder& who, std::uint64_t cycle, back_pressure_counter::reason why, bool waits) {
        steps_.push_back({&who, cycle, why, waits});
        who.then = [this](recorder& r) {
            for (const step& s : steps_)
                if (s.who == &r && s.cycle == r.process.now()) back_pressure.set(s.why, s.waits);
        };
    }

private:
    struct step {
        recorder* who;
        std::uint64_t cycle;
        back_pressure_counter::reason why;
        bool waits;
    };
    std::vector<step> steps_;
};

TEST(BackPressureCounter, CountsEveryCycleOfASleepingBlock) {
    doorway d("d");
    d.set(d.before, 10, back_pressure_counter::queued, true);
    d.set(d.before, 25, back_pressure_counter::queued, false);
    d.rig.run_to(40);
    EXPECT_TRUE(d.asker.cycles.empty());
    EXPECT_EQ(d.back_pressure.up_to_date(), 15u) << "turns 10 to 24; that of 25 has room";
}

TEST(BackPressureCounter, BeginsInTheNextCycleIfThePhaseHasPassed) {
    doorway d("d");
    d.set(d.after, 10, back_pressure_counter::queued, true);
    d.set(d.after, 25, back_pressure_counter::queued, false);
    d.rig.run_to(40);
    EXPECT_EQ(d.back_pressure.up_to_date(), 15u) << "turns 11 to 25";
}

TEST(BackPressureCounter, CountsACycleOnceForTwoReasons) {
    doorway d("d");
    d.set(d.before, 10, back_pressure_counter::queued, true);
    d.set(d.before, 12, back_pressure_counter::held, true);
    d.set(d.before, 15, back_pressure_counter::queued, false);
    d.set(d.before, 20, back_pressure_counter::held, false);
    d.rig.run_to(40);
    EXPECT_EQ(d.back_pressure.up_to_date(), 10u);
}

TEST(BackPressureCounter, CountsTheCycleOfTheRequest) {
    doorway d("d");
    d.asker.process.wake();
    d.asker.then = [&d](recorder& r) {
        if (r.process.now() == 10) d.back_pressure.stalled_now(back_pressure_counter::held);
    };
    d.set(d.before, 11, back_pressure_counter::held, false);
    d.rig.run_to(40);
    EXPECT_EQ(d.back_pressure.up_to_date(), 1u);
}

TEST(BackPressureCounter, CanBeReadWhileItCounts) {
    doorway d("d");
    d.set(d.before, 10, back_pressure_counter::queued, true);
    d.rig.run_to(20);
    EXPECT_EQ(d.back_pressure.up_to_date(), 10u);
    EXPECT_EQ(d.back_pressure.up_to_date(), 10u) << "reading counts nothing twice";
    d.rig.run_to(30);
    EXPECT_EQ(d.back_pressure.up_to_date(), 20u);
    EXPECT_EQ(d.back_pressure.counted(), 20u);
}

}  // namespace
}  // namespace simtlm::simulation
