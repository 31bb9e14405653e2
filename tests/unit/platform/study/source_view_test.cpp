// SPDX-License-Identifier: Apache-2.0
#include "platform/study/source_view.h"

#include "platform/outputs/provenance.h"
#include "platform/study/kernel_analysis.h"
#include "platform/study/run_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace simtlm::platform::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

namespace fs = std::filesystem;

class SourceView : public testing::Test {
protected:
    SourceView() {
        fs::create_directories(folder_);
        std::ofstream(file_) << "line of a file of the reader\n";
    }
    ~SourceView() override { fs::remove_all(folder_); }

    /// Source text shown for a statistics file that names the file.
    std::map<std::string, std::string> shown(const json& inputs,
                                             const std::vector<std::string>& given) const {
        json document = {{"schema", {{"name", "simtlm-statistics"}, {"version", 2}}},
                         {"provenance", {{"inputs", inputs}}},
                         {"config", json::object()},
                         {"total", json::object()}};
        document["kernels"] = json::array(
            {{{"name", "k"},
              {"counters", json::object()},
              {"instructions",
               json::array({{{"pc", 0u}, {"opcode", "MOV"}, {"source", file_ + ":1"}}})}}});
        const source_choice choice{given,
                                   [](const std::string& p) { return checksum_of(p).xxh128; }};
        return source_views(statistics_run("s.json", document), choice).at(0).source_text;
    }
    json input(const std::string& role, const std::string& sum) const {
        return json::array({{{"role", role}, {"path", file_}, {"xxh128", sum}}});
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("simtlm-source-view-" + std::to_string(::getpid()));
    std::string file_ = (folder_ / "k.cu").string();
};

TEST_F(SourceView, DoesNotShowFilesNamedOnlyByTheStatisticsFile) {
    EXPECT_THAT(shown(json::array(), {}), IsEmpty());
    EXPECT_THAT(shown(json::array({{{"role", "program"}, {"path", file_}}}), {}), IsEmpty());
    EXPECT_THAT(shown(input("program", std::string(32, '0')), {}), IsEmpty());
    EXPECT_THAT(shown(input("configuration", checksum_of(file_).xxh128), {}), IsEmpty());
}

TEST_F(SourceView, ShowsFilesOfTheUserAndThoseThatTheRunHasRecordedAndThatHaveNotChanged) {
    const auto line = ElementsAre(Pair("k.cu:1", "line of a file of the reader"));
    EXPECT_THAT(shown(json::array(), {file_}), line);
    EXPECT_THAT(shown(json::array(), {folder_.string()}), line);
    const json recorded = input("source", checksum_of(file_).xxh128);
    EXPECT_THAT(shown(recorded, {}), line);
    std::ofstream(file_) << "changed\n";
    EXPECT_THAT(shown(recorded, {}), IsEmpty());
}

TEST(InstructionEnergy, IsTheSumOfItsComponentsAndLaunches) {
    const json launch = {
        {"name", "k"},
        {"counters", json::object()},
        {"gpu_core_clock", 500.0},
        {"start_cycle", 1000},
        {"end_cycle", 1999},
        {"instructions",
         json::array({{{"pc", 0u}, {"opcode", "FFMA"}, {"energy", {{"RFP", 30}, {"FPUP", 12}}}}})}};
    const statistics_run run("s.json", {{"schema", {{"name", "simtlm-statistics"}, {"version", 2}}},
                                        {"provenance", json::object()},
                                        {"gpu", {{"clock_hz", {{"core", 1e9}}}}},
                                        {"config", json::object()},
                                        {"total", {{"gpu_tot_core_clock", 500.0}}},
                                        {"kernels", json::array({launch, launch})}});
    EXPECT_EQ(source_views(run, {}).at(0).rows.at(0).picojoules, 84);
    EXPECT_DOUBLE_EQ(analyse(run).at(0).seconds, 2e-6) << "at the clock of a power limit";
    EXPECT_DOUBLE_EQ(mean_core_hz(run), 500e6);
}

}  // namespace
}  // namespace simtlm::platform::study
