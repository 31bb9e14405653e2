// SPDX-License-Identifier: Apache-2.0
#include "platform/study/json_schema.h"

#include "modules/support/error.h"
#include "platform/study/statistics_run.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;

json small() {
    return json::parse(R"({"schema": {"name": "simtlm-statistics", "version": 2},
        "provenance": {"presets": ["TINY"], "inputs": []}, "ended": "finished", "config": {},
        "gpu": {"sms": 2, "peaks": {"l2_bytes_per_second": 1.5}},
        "total": {"gpu_tot_sim_cycle": 10, "gpu_tot_sim_insn": 20, "gpu_tot_ipc": 2.0},
        "histograms": {"h": [1, 2]},
        "kernels": [{"name": "k", "counters": {"sm": {"cycles": 10, "stalls": {"a": 1}}},
                     "finished": true, "grid": [1, 1, 1], "registers": 8, "launch_uid": 1}],
        "blocks": {"gpu.sm0": {"kind": "sm", "counters": {"cycles": 10}}}})");
}

std::string refused(const json& document) {
    return refusal([&] { statistics_run("my.json", document); });
}

TEST(StatisticsSchema, AcceptsAStatisticsFile) {
    EXPECT_EQ("", refused(small()));
}

TEST(StatisticsSchema, NamesTheFileAndTheMemberOfAWrongType) {
    const std::pair<const char*, const char*> wrong[] = {
        {"/ended", "ended is a number instead of a string"},
        {"/kernels", "kernels is a number instead of an array"},
        {"/kernels/0/finished", "kernels[0].finished is a number instead of a boolean"},
        {"/kernels/0/grid", "kernels[0].grid is a number instead of an array"},
        {"/kernels/0/name", "kernels[0].name is a number instead of a string"},
        {"/kernels/0/counters", "kernels[0].counters is a number instead of an object"},
        {"/gpu/peaks", "gpu.peaks is a number instead of an object"},
        {"/histograms/h", "histograms.h is a number instead of an array"},
        {"/provenance/presets", "provenance.presets is a number instead of an array"},
        {"/total", "total is a number instead of an object"},
    };
    for (const auto& [place, message] : wrong) {
        json document = small();
        document[json::json_pointer(place)] = 7;
        EXPECT_THAT(refused(document), AllOf(HasSubstr("my.json: "), HasSubstr(message))) << place;
    }
    json document = small();
    for (const json& value : {json("8"), json(1.5), json(-1), json(nullptr), json::array()}) {
        document["kernels"][0]["registers"] = value;
        EXPECT_THAT(refused(document), HasSubstr("kernels[0].registers is ")) << value;
    }
}

TEST(StatisticsSchema, RejectsABlockWithoutCounters) {
    json document = small();
    document["blocks"]["gpu.sm0"].erase("counters");
    EXPECT_THAT(refused(document), HasSubstr("has a block 'gpu.sm0' without counters"));
}

TEST(StatisticsSchema, RejectsOtherDocumentsAndVersions) {
    for (const char* text : {"1", "[]", "{}", "null", R"({"schema": 1})", R"({"schema": {}})",
                             R"({"schema": {"name": 3, "version": {}}})"})
        EXPECT_THAT(refused(json::parse(text)), HasSubstr("holds no statistics")) << text;
    for (const json& version : {json(3), json("2"), json::array({2}), json(nullptr)}) {
        json document = small();
        document["schema"]["version"] = version;
        EXPECT_THAT(refused(document), HasSubstr("of the schema")) << version;
    }
}

TEST(Json, ThatIsNestedTooDeeplyIsRejected) {
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    EXPECT_THAT(refusal([&] { parse_json(deep, "deep.json", ""); }), HasSubstr("nested"));
    EXPECT_EQ("", refusal([&] { parse_json("[\"[[[[\\\"[[[\"]", "x", ""); }));
}

TEST(ReadableNumber, IsTextForEverySize) {
    EXPECT_EQ("9e+15", readable_number(9e15));
    EXPECT_EQ("1.7e+308", readable_number(1.7e308));
    EXPECT_EQ("-1.234e+20", readable_number(-1.234e20));
    EXPECT_EQ("8,999,999,999,999,999", readable_number(8999999999999999.0));
    EXPECT_EQ("1,235", readable_number(1234.6));
}

}  // namespace
}  // namespace simtlm::platform::study
