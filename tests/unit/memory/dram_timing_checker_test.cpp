// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_timing_checker.h"

#include "tests/unit/memory/harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto activate = dram_command::activate;
constexpr auto precharge = dram_command::precharge;
constexpr auto read = dram_command::read;
constexpr auto write = dram_command::write;
constexpr auto refresh = dram_command::refresh;
constexpr auto refresh_bank = dram_command::refresh_bank;

/// All intervals are different, so that a violation identifies one of them. Banks 0 and 4 are in
/// the same group.
class DramTimingChecker : public testing::Test {
protected:
    static dram_config odd_intervals() {
        dram_config c = test::hbm();
        dram_timing& t = c.timing;
        t.nbk = 16, t.nbkgrp = 4;
        t.tCCD = 2, t.tCCDL = 4, t.tRRD = 5, t.tRCD = 12, t.tRAS = 28, t.tRP = 13, t.tRC = 43;
        t.CL = 11, t.WL = 3, t.tCDLR = 6, t.tWR = 9, t.tRTPL = 7, t.tRFC = 50;
        return c;
    }
    void at(std::uint64_t cycle, dram_command kind, unsigned bank, std::uint32_t row = 1) {
        checker.command(cycle, kind, bank, row, 0);
    }
    const std::vector<std::string>& found() const { return checker.violations(); }

    dram_config config = odd_intervals();
    dram_timing_checker checker{"channel", config, false};
};

TEST_F(DramTimingChecker, AcceptsCommandsThatKeepEveryIntervalToTheCycle) {
    at(0, activate, 0);
    at(5, activate, 1);                 // RRD
    at(12, read, 0);                    // RCD
    at(17, read, 1);                    // RCD, CCD
    at(19, read, 0);                    // CCD; CCDL of group 0 since 12
    at(19 + 11 + 1 + 2 - 3, write, 0);  // CL + burst + 2 - WL
    at(30 + 3 + 1 + 6, read, 0);        // WL + burst + CDLR
    at(30 + 3 + 1 + 9, precharge, 1);
    at(48, precharge, 0);      // RTPL since 40, RAS, write recovery
    at(48 + 13, activate, 0);  // RP, RC
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_EQ(checker.commands(), 10u);
}

TEST_F(DramTimingChecker, NamesTheIntervalTheBankAndTheCycle) {
    at(0, activate, 3);
    at(11, read, 3);
    EXPECT_THAT(found(), ElementsAre("channel: cycle 11, bank 3: tRCD 12, only 11"));
}

struct shortfall {
    const char* name;
    std::vector<std::tuple<std::uint64_t, dram_command, unsigned>> commands;
    const char* what;
};
std::ostream& operator<<(std::ostream& out, const shortfall& s) {
    return out << s.name;
}

class EveryInterval : public DramTimingChecker, public testing::WithParamInterface<shortfall> {};

TEST_P(EveryInterval, IsCheckedToTheCycle) {
    for (const auto& [cycle, kind, bank] : GetParam().commands) at(cycle, kind, bank);
    EXPECT_THAT(found(), ElementsAre(HasSubstr(GetParam().what)));
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryInterval,
    testing::Values(
        shortfall{"Rrd", {{0, activate, 0}, {4, activate, 1}}, "tRRD 5, only 4"},
        shortfall{"Rcd", {{0, activate, 0}, {11, read, 0}}, "tRCD 12, only 11"},
        shortfall{"RcdOfWrites", {{0, activate, 0}, {7, write, 0}}, "tRCD - WL - 1 8, only 7"},
        shortfall{"Ras", {{0, activate, 0}, {27, precharge, 0}}, "tRAS 28, only 27"},
        shortfall{
            "Rp", {{0, activate, 0}, {40, precharge, 0}, {52, activate, 0}}, "tRP 13, only 12"},
        shortfall{
            "Rc", {{0, activate, 0}, {28, precharge, 0}, {42, activate, 0}}, "tRC 43, only 42"},
        shortfall{"Ccd",
                  {{0, activate, 0}, {5, activate, 1}, {20, read, 0}, {21, read, 1}},
                  "tCCD 2, only 1"},
        shortfall{"Ccdl",
                  {{0, activate, 0}, {5, activate, 4}, {20, read, 0}, {23, read, 4}},
                  "tCCDL 4, only 3"},
        shortfall{
            "ReadToWrite", {{0, activate, 0}, {12, read, 0}, {22, write, 0}}, "tRTW 11, only 10"},
        shortfall{
            "WriteToRead", {{0, activate, 0}, {12, write, 0}, {21, read, 0}}, "tWTR 10, only 9"},
        shortfall{"WriteToPrecharge",
                  {{0, activate, 0}, {20, write, 0}, {32, precharge, 0}},
                  "WL + burst + tWR 13, only 12"},
        shortfall{"ReadToPrechargeOfTheGroup",
                  {{0, activate, 0}, {5, activate, 4}, {30, read, 0}, {36, precharge, 4}},
                  "tRTPL 7, only 6"},
        shortfall{"TheRowBus",
                  {{0, activate, 0}, {5, activate, 1}, {40, precharge, 0}, {40, precharge, 1}},
                  "row commands per cycle 1, only 0"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST_F(DramTimingChecker, FindsCommandsThatTheStateOfABankDoesNotAllow) {
    at(0, read, 0);
    at(100, precharge, 0);
    at(200, activate, 0, 7);
    at(300, read, 0, 8);
    at(400, activate, 0, 8);
    at(500, read, 99);
    EXPECT_THAT(found(),
                ElementsAre(HasSubstr("column command to an idle bank"),
                            HasSubstr("precharge of an idle bank"),
                            HasSubstr("another row than the open one"),
                            HasSubstr("activate of an open bank"), HasSubstr("no such bank")));
}

TEST_F(DramTimingChecker, RequiresClosedBanksForARefreshAndNoCommandsDuringIt) {
    at(0, activate, 2);
    at(100, refresh, 0);
    EXPECT_THAT(found(), ElementsAre(HasSubstr("refresh with an open bank")));
    at(149, activate, 3);
    EXPECT_THAT(found().back(), HasSubstr("tRFC 50, only 49"));
}

TEST_F(DramTimingChecker, RequiresAClosedBankForItsRefreshAndNoCommandsDuringIt) {
    config.timing.tRFCSB = 40;
    dram_timing_checker strict("channel", config, false);
    strict.command(0, activate, 2, 1, 0);
    strict.command(100, refresh_bank, 2, 0, 0);
    EXPECT_THAT(strict.violations(), ElementsAre(HasSubstr("refresh of an open bank")));
    strict.command(200, refresh_bank, 3, 0, 0);
    strict.command(210, activate, 4, 1, 0);
    EXPECT_EQ(strict.violations().size(), 1u);
    strict.command(239, activate, 3, 1, 0);
    EXPECT_THAT(strict.violations().back(), HasSubstr("tRFCSB 40, only 39"));
}

TEST_F(DramTimingChecker, ChecksTheDataBusIfTheOptionsDefineOne) {
    config.burst_length = 8;  // four command cycles of data for a tCCD of 4
    config.timing.tCCD = 4;
    dram_timing_checker strict("channel", config, false);
    strict.command(0, activate, 0, 1, 0);
    strict.command(5, activate, 1, 1, 0);
    strict.command(20, read, 0, 1, 0);
    strict.command(23, read, 1, 1, 0);
    EXPECT_THAT(strict.violations(),
                ElementsAre(HasSubstr("tCCD 4"), HasSubstr("data bus: burst of 4")));
}

TEST_F(DramTimingChecker, ListsAtMostAHundredViolationsButCountsAll) {
    for (unsigned i = 0; i < 300; ++i) at(1000 * i, read, 0);
    EXPECT_EQ(found().size(), 100u);
    EXPECT_EQ(checker.commands(), 300u);
}

}  // namespace
}  // namespace simtlm::memory
