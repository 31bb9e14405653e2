// SPDX-License-Identifier: Apache-2.0
// Statistics over time, and the keys that identify rows of the files.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>

namespace simtlm::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

/// A CSV file: rows by column name.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = cells_of(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = cells_of(line);
        EXPECT_EQ(names.size(), cells.size()) << line;
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
            row[names[i]] = cells[i];
    }
    return rows;
}

double number(const std::string& text) {
    return text.empty() ? 0 : std::stod(text);
}

class Intervals : public testing::Test {
protected:
    outcome run(std::vector<std::string> more) const {
        more.insert(more.end(), {"--interval-csv", folder.path("i.csv"), "--interval-db",
                                 folder.path("i.db"), "--stats-json", folder.path("s.json")});
        return simulate(on_tiny(sample("sample"), more));
    }
    scratch_folder folder;
};

TEST_F(Intervals, AddUpToTheStatisticsOfTheRun) {
    const outcome o = run({"--interval", "500", "--interval-counters", "sm.thread_instructions"});
    ASSERT_EQ(0, o.code) << o.err;
    const auto total = read_json(folder.path("s.json"))["total"];
    double cycles = 0, instructions = 0, counted = 0, by_sm = 0, read = 0;
    std::uint64_t last = 0;
    for (const auto& row : rows_of(read_file(folder.path("i.csv")))) {
        const double interval = number(row.at("cycles"));
        if (row.at("kind") == "sm") by_sm += number(row.at("ipc")) * interval;
        if (row.at("kind") == "channel") read += number(row.at("dram_read_bandwidth")) * interval;
        if (row.at("kind") != "gpu") continue;
        cycles += interval;
        instructions += number(row.at("ipc")) * interval;
        counted += number(row.at("sm.thread_instructions"));
        for (const char* share : {"l1d_hit_rate", "l2_hit_rate", "issuing", "dram_utilisation"})
            EXPECT_LE(number(row.at(share)), 1) << share;
        EXPECT_GT(std::stoull(row.at("cycle")), last);
        last = std::stoull(row.at("cycle"));
    }
    EXPECT_EQ(total["gpu_tot_sim_cycle"].get<double>(), cycles);
    EXPECT_NEAR(total["gpu_tot_sim_insn"].get<double>(), instructions, 1e-3);
    EXPECT_NEAR(total["gpu_tot_sim_insn"].get<double>(), by_sm, 1e-3);
    EXPECT_EQ(total["gpu_tot_sim_insn"].get<double>(), counted);
    EXPECT_GT(read, 0);
}

TEST_F(Intervals, ChangeNoStatistic) {
    ASSERT_EQ(0, run({"--interval", "100"}).code);
    const auto with = read_json(folder.path("s.json"))["total"];
    ASSERT_EQ(0, simulate(on_tiny(sample("sample"), {"--stats-json", folder.path("t.json")})).code);
    EXPECT_EQ(read_json(folder.path("t.json"))["total"], with);
}

/// Options for a power model of the small test GPU, which has no energies of its own.
std::vector<std::string> with_power(const scratch_folder& folder) {
    return {"-power_simulation_enabled",
            "1",
            "--energy-table",
            SIMTLM_PRESETS "/V100/energies.csv",
            "--power-report",
            folder.path("power.log")};
}

TEST_F(Intervals, OfPowerAddUpToTheEnergyOfTheKernelsAndComponentsToTheTotal) {
    std::vector<std::string> options = with_power(folder);
    options.insert(options.end(), {"--interval", "300", "-gpgpu_runtime_stat", "700"});
    const outcome o = run(options);
    ASSERT_EQ(0, o.code) << o.err;
    const auto json = read_json(folder.path("s.json"));
    const auto& all = json["blocks"]["gpu.power"]["counters"];
    const auto whole = all["total_energy"].get<double>();
    double components = 0, kernels = 0, intervals = 0, registers = 0;
    for (const auto& [name, energy] : all["energy"].items()) components += energy.get<double>();
    for (const auto& k : json["kernels"])
        kernels += k["counters"]["power"]["total_energy"].get<double>();
    const double picoseconds = 1e12 / json["gpu"]["clock_hz"]["core"].get<double>();
    for (const auto& row : rows_of(read_file(folder.path("i.csv")))) {
        if (row.at("kind") != "gpu") continue;
        const double time = number(row.at("cycles")) * picoseconds;
        intervals += number(row.at("power")) * time;
        registers += number(row.at("RFP")) * time;
    }
    EXPECT_GT(whole, 0);
    EXPECT_EQ(whole, components);
    EXPECT_EQ(whole, kernels);
    EXPECT_NEAR(whole, intervals, 1e-6 * whole);
    EXPECT_NEAR(all["energy"]["RFP"].get<double>(), registers, 1e-6 * registers);
    EXPECT_NEAR(whole * 1e-12, json["total"]["gpu_tot_energy"].get<double>(), 1e-9);
    EXPECT_THAT(o.out, HasSubstr("gpu_power[RFP] = "));
}

TEST_F(Intervals, OfPowerChangeNoOtherStatistic) {
    ASSERT_EQ(0, run(with_power(folder)).code);
    auto with = read_json(folder.path("s.json"))["total"];
    for (auto at = with.begin(); at != with.end();)
        at = at.key().find("power") != std::string::npos ||
                     at.key().find("energy") != std::string::npos
                 ? with.erase(at)
                 : std::next(at);
    ASSERT_EQ(0, run({}).code);
    EXPECT_EQ(read_json(folder.path("s.json"))["total"], with);
}

TEST_F(Intervals, OfPowerTakeTheEnergiesOfAnotherTableTimesAFactor) {
    const auto registers = [&](const std::string& factor) {
        std::vector<std::string> options = with_power(folder);
        options[3] = folder.write("e.csv", "TABLE," SIMTLM_PRESETS "/V100/energies.csv," + factor +
                                               ",pJ,x\n" + "DCP,DC_RH,1,pJ,x\n");
        EXPECT_EQ(0, run(options).code);
        const auto energy =
            read_json(folder.path("s.json"))["blocks"]["gpu.power"]["counters"]["energy"];
        EXPECT_EQ(energy.value("CONSTP", 0.0), 0) << "has another unit";
        return energy["RFP"].get<double>();
    };
    const double once = registers("1");
    EXPECT_GT(once, 0);
    EXPECT_NEAR(registers("2"), 2 * once, 1e-6 * once);
}

TEST_F(Intervals, OfPowerAreSummarisedByKernelInTheFormatOfAccelWattch) {
    std::vector<std::string> options = with_power(folder);
    options.insert(options.end(), {"-power_trace_enabled", "1", "-power_per_cycle_dump", "1"});
    ASSERT_EQ(0, run(options).code);
    const std::string report = read_file(folder.path("power.log"));
    std::vector<std::string> lines;
    std::istringstream in(report);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const auto name = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
        return line.rfind("kernel_name = ", 0) == 0;
    });
    ASSERT_LT(name + 4, lines.end());  // where AccelWattch's scripts expect the power
    EXPECT_EQ(0u, name[4].rfind("kernel_avg_power = ", 0)) << name[4];
    for (const char* part :
         {"gpu_avg_RFP, = ", "gpu_tot_TOT_INST, = ", "Kernel Maximum Power Data:",
          "gpu_min_STATICP = ", "gpu_tot_avg_power = ", "cycles 0 to "})
        EXPECT_THAT(report, HasSubstr(part));
    EXPECT_FALSE(read_file(folder.path("power_trace.log.gz")).empty());
}

/// The values of a query with a single column.
std::vector<double> query(const std::string& file, const char* sql) {
    sqlite3* db = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr));
    sqlite3_stmt* s = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &s, nullptr)) << sqlite3_errmsg(db);
    std::vector<double> values;
    while (sqlite3_step(s) == SQLITE_ROW) values.push_back(sqlite3_column_double(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return values;
}

TEST_F(Intervals, AreWrittenToTheDatabase) {
    ASSERT_EQ(0, run({"--interval", "1000"}).code);
    std::vector<double> ipc;
    std::size_t units = 0;
    for (const auto& row : rows_of(read_file(folder.path("i.csv")))) {
        units += row.at("cycle") == "1000";
        if (row.at("kind") == "gpu") ipc.push_back(number(row.at("ipc")));
    }
    EXPECT_EQ(ipc, query(folder.path("i.db"),
                         "SELECT value FROM named_data WHERE kind = 'gpu' AND "
                         "statistic = 'ipc' ORDER BY cycle"));
    EXPECT_EQ(static_cast<double>(units),
              query(folder.path("i.db"), "SELECT count(*) FROM units").front());
    EXPECT_THAT(folder.files(), testing::ElementsAre("i.csv", "i.db", "s.json"));
}

TEST_F(Intervals, AreRestrictedToSelectedBlocks) {
    ASSERT_EQ(0, run({"--interval", "1000", "--interval-scope", "gpu"}).code);
    for (const auto& row : rows_of(read_file(folder.path("i.csv"))))
        EXPECT_EQ("gpu", row.at("unit"));
}

TEST_F(Intervals, WithoutAFileOrWithAnUnknownNameAreRejected) {
    const outcome nowhere = simulate(on_tiny(sample("vecadd"), {"--interval", "100"}));
    EXPECT_EQ(2, nowhere.code);
    EXPECT_THAT(nowhere.err, HasSubstr("--interval-csv"));
    const outcome wrong = run({"--interval-counters", "sm.instrctions"});
    EXPECT_EQ(2, wrong.code);
    EXPECT_THAT(wrong.err, HasSubstr("--interval-counters"));
    EXPECT_THAT(folder.files(), testing::Not(testing::Contains("i.db")));
}

TEST(Rows, OfPartialRunsHaveTheKernelNumbersOfTheWholeList) {
    const scratch_folder folder;
    const auto rows = [&](std::vector<std::string> more) {
        more.insert(more.end(),
                    {"--stats-csv", folder.path("s.csv"), "--stats-json", folder.path("s.json")});
        const outcome o = simulate(on_tiny(sample("sample"), more));
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, HasSubstr("kernel_list_number = 3\n"));
        return rows_of(read_file(folder.path("s.csv")));
    };
    const auto whole = rows({}), some = rows({"--kernels", "3-4"});
    ASSERT_EQ(5u, whole.size());
    ASSERT_EQ(3u, some.size());
    for (unsigned i = 0; i < 2; ++i)
        for (const char* key : {"kernel", "list_number", "kernel_id", "demangled_name"})
            EXPECT_EQ(whole[i + 2].at(key), some[i].at(key)) << key;
    EXPECT_EQ("3", some[0].at("list_number"));
    EXPECT_EQ("1", some[0].at("launch_uid")) << "counts launches of this run";
    const auto kernel = read_json(folder.path("s.json"))["kernels"][0];
    EXPECT_EQ(3, kernel["list_number"]);
    EXPECT_EQ(std::stoi(some[0].at("kernel_id")), kernel["kernel_id"]);
}

}  // namespace
}  // namespace simtlm::test
