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
#include <utility>

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
    /// @param trace  a shipped one
    outcome run(std::vector<std::string> more, const std::string& trace = "sample") const {
        more.insert(more.end(), {"--interval-csv", folder.path("i.csv"), "--interval-db",
                                 folder.path("i.db"), "--stats-json", folder.path("s.json")});
        return simulate(on_tiny(sample(trace), more));
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
                     at.key().find("energy") != std::string::npos ||
                     at.key().find("core_clock") != std::string::npos
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

/// The real-valued signals of a VCD file: values by name, one for each time at which any changes.
std::map<std::string, std::vector<double>> real_signals(const std::string& text) {
    std::map<std::string, std::string> names;
    std::map<std::string, double> now;
    std::map<std::string, std::vector<double>> values;
    std::vector<std::string> scopes;
    std::istringstream in(text);
    bool changed = false;
    const auto note = [&] {
        if (std::exchange(changed, false))
            for (const auto& [name, value] : now) values[name].push_back(value);
    };
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::vector<std::string> w(std::istream_iterator<std::string>(words), {});
        if (w.empty()) continue;
        if (w[0] == "$scope") scopes.push_back((scopes.empty() ? "" : scopes.back() + ".") + w[2]);
        if (w[0] == "$upscope") scopes.pop_back();
        if (w[0] == "$var" && w[1] == "real") names[w[3]] = scopes.back() + "." + w[4];
        if (w[0][0] == '#') note();
        if (w[0][0] != 'r') continue;
        now[names.at(w[1])] = std::stod(w[0].substr(1));
        changed = true;
    }
    note();
    return values;
}

/// A trace of 9,000 core cycles.
const char* const small = "sgemm_tile";

TEST_F(Intervals, OfPowerAreSignalsWhoseComponentsAndBlocksAddUpToTheTotal) {
    std::vector<std::string> options = with_power(folder);
    options[3] =
        folder.write("e.csv", "TABLE," SIMTLM_PRESETS
                              "/V100/energies.csv,1,pJ,x\n"
                              "TABLE," SIMTLM_PRESETS
                              "/V100/accelwattch.csv,1,pJ,x\n"
                              "DCP,DC_RH,1,pJ,x\n");  // only energies of events: blocks have all
    options.insert(options.end(), {"-gpgpu_runtime_stat", "300", "-power_per_cycle_dump", "1",
                                   "--vcd", folder.path("w.vcd"), "--vcd-scope",
                                   "gpu.power,*.power", "--timeline", folder.path("t.json")});
    const outcome o = run(options, small);
    ASSERT_EQ(0, o.code) << o.err;
    auto signals = real_signals(read_file(folder.path("w.vcd")));
    ASSERT_EQ(1u, signals.count("gpu.power.total"));
    const std::vector<double> total = signals["gpu.power.total"];
    std::vector<double> windows;
    std::istringstream report(read_file(folder.path("power.log")));
    for (std::string line; std::getline(report, line);)
        if (line.rfind("cycles ", 0) == 0)
            windows.push_back(std::stod(line.substr(line.find("power = ") + 8)));
    ASSERT_GT(windows.size(), 10u);
    ASSERT_EQ(windows.size() + 1, total.size());  // and 0 at the start
    for (std::size_t t = 1; t < total.size(); ++t) {
        EXPECT_NEAR(windows[t - 1], total[t], 1e-5 * total[t]);
        double groups = 0, components = 0, blocks = 0;
        for (const auto& [name, values] : signals)
            if (name.rfind("gpu.power.components.", 0) == 0)
                components += values[t];
            else if (name.rfind("gpu.power.", 0) != 0)
                blocks += values[t];
            else if (name != "gpu.power.total" && name != "gpu.power.core_clock_mhz")
                groups += values[t];
        EXPECT_NEAR(total[t], groups, 1e-6 * total[t]);
        EXPECT_NEAR(total[t], components, 1e-6 * total[t]);
        EXPECT_NEAR(total[t], blocks, 1e-6 * total[t]);
    }
    EXPECT_THAT(read_file(folder.path("t.json")), HasSubstr("\"power (dram)\""));
}

TEST_F(Intervals, OfPowerStayWithinALimitWhateverTheHostThreads) {
    std::vector<std::string> options = with_power(folder);
    options[3] = folder.write("e.csv", "TABLE," SIMTLM_PRESETS
                                       "/V100/energies.csv,100,pJ,x\n"
                                       "VOLTAGE,200,0.5,V,x\nVOLTAGE,1000,1,V,x\n"
                                       "DCP,DC_RH,1,pJ,x\n");
    options.insert(options.end(), {"--interval", "500"});
    const auto power_of = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = options;
        all.insert(all.end(), more.begin(), more.end());
        const outcome o = run(all, small);
        EXPECT_EQ(0, o.code) << o.err;
        return read_json(folder.path("s.json"))["total"];
    };
    const auto free = power_of({});
    const double watts = free["gpu_tot_power"].get<double>() / 2;
    const std::vector<std::string> limit = {"--power-limit", std::to_string(watts),
                                            "--power-limit-interval", "1"};
    const auto limited = power_of(limit);
    EXPECT_LT(limited["gpu_tot_power"].get<double>(), 1.1 * watts);
    EXPECT_LT(limited["gpu_tot_core_clock"].get<double>(), 950);
    EXPECT_GE(limited["gpu_tot_core_clock"].get<double>(), 200);
    EXPECT_NE(free["gpu_tot_sim_cycle"], limited["gpu_tot_sim_cycle"]) << "DRAM keeps its clock";
    double joules = 0;
    for (const auto& row : rows_of(read_file(folder.path("i.csv"))))
        if (row.at("kind") == "gpu")
            joules += number(row.at("power")) * number(row.at("cycles")) /
                      (number(row.at("core_clock")) * 1e6);
    EXPECT_NEAR(limited["gpu_tot_energy"].get<double>(), joules, 1e-6 * joules);
    for (const std::vector<std::string>& how :
         {std::vector<std::string>{"--threads", "4", "--sms-a-thread", "1"},
          {"--no-sleep"},
          {"--shuffle-seed", "7"}}) {
        std::vector<std::string> more = limit;
        more.insert(more.end(), how.begin(), how.end());
        EXPECT_EQ(limited, power_of(more)) << how[0];
    }
}

TEST_F(Intervals, OfPowerDependOnTheTemperatureOfTheDie) {
    const auto leakage = [&](std::vector<std::string> more) {
        const std::vector<std::string> options = with_power(folder);
        more.insert(more.end(), options.begin(), options.end());
        EXPECT_EQ(0, run(more, small).code);
        const auto total = read_json(folder.path("s.json"))["total"];
        return std::pair(total["gpu_power[STATICP]"].get<double>(),
                         total.value("gpu_temperature", 0.0));
    };
    const double normal = leakage({}).first;
    EXPECT_NEAR(leakage({"--temperature", "65"}).first, normal, 1e-9 * normal);
    EXPECT_NEAR(leakage({"--temperature", "108"}).first, 2 * normal, 1e-6 * normal);
    EXPECT_GT(leakage({"--cooling", "0.5:0:25"}).second, 30) << "half a kelvin per watt";
}

TEST_F(Intervals, OfPowerAreAttributedToInstructions) {
    std::vector<std::string> options = with_power(folder);
    options.insert(options.end(), {"-enable_ptx_file_line_stats", "1"});
    ASSERT_EQ(0, run(options, small).code);
    const auto json = read_json(folder.path("s.json"));
    EXPECT_EQ("pJ", json["counters"]["instruction"]["energy"]["unit"]);
    for (const auto& kernel : json["kernels"]) {
        const auto& whole = kernel["counters"]["power"]["energy"];
        std::map<std::string, double> sums;
        for (const auto& i : kernel["instructions"])
            for (const auto& [component, energy] : i["energy"].items())
                sums[component] += energy.get<double>();
        const auto rows = static_cast<double>(kernel["instructions"].size());
        for (const char* component : {"IBP", "SCHEDP", "RFP", "PIPEP", "INTP", "FPUP", "INT_MULP",
                                      "FP_MULP", "SHRDP", "DCP"})
            EXPECT_NEAR(whole.value(component, 0.0), sums[component], rows + 1) << component;
        for (const auto& [component, energy] : sums)
            EXPECT_LE(energy, whole.value(component, 0.0) + rows + 1) << component;
        EXPECT_GT(sums["RFP"], 0);
        EXPECT_EQ(0u, sums.count("CONSTP") + sums.count("STATICP"));
    }
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
