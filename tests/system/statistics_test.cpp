// SPDX-License-Identifier: Apache-2.0
#include "platform/report/statistics_table.h"
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace simtlm::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Names before "=" and ":" in the text of a report.
std::set<std::string> printed_names(const std::string& text) {
    static const std::regex one(R"(^\s*([A-Za-z_][\w \[\].]*?)\s*=\s*[^=]*$)");
    static const std::regex many(R"(([A-Za-z_]\w*)=)");
    std::set<std::string> names;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("DRAM[", 0) == 0 || line.find("kernel_name") == 0) continue;
        std::smatch m;
        if (line.rfind("tRRD=", 0) == 0 || line.find("_cache_core[") != std::string::npos ||
            line.rfind("L2_cache_bank[", 0) == 0)
            continue;
        if (std::regex_match(line, m, one)) {
            names.insert(m[1]);
        } else {
            for (std::sregex_iterator i(line.begin(), line.end(), many), end; i != end; ++i)
                names.insert((*i)[1]);
        }
    }
    return names;
}

struct full_run {
    explicit full_run(const std::string& trace, std::vector<std::string> more = {}) {
        const scratch_folder folder;
        more.insert(more.end(), {"--stats-json", folder.path("s.json"), "--stats-csv",
                                 folder.path("s.csv"), "--quiet"});
        result = simulate(on_tiny(sample(trace), more));
        EXPECT_EQ(0, result.code) << result.err;
        json = read_json(folder.path("s.json"));
        csv = read_file(folder.path("s.csv"));
        files = folder.files();
    }
    double total(const std::string& name) const { return json["total"].at(name); }
    /// The counters of all blocks of a kind, by hierarchical name.
    std::map<std::string, nlohmann::json> blocks(const std::string& kind) const {
        std::map<std::string, nlohmann::json> found;
        for (const auto& [name, block] : json["blocks"].items())
            if (block["kind"] == kind) found[name] = block["counters"];
        return found;
    }
    double sum_of(const std::string& kind, const std::string& counter) const {
        double sum = 0;
        for (const auto& [name, counters] : blocks(kind)) sum += counters.at(counter).get<double>();
        return sum;
    }

    outcome result;
    nlohmann::json json;
    std::string csv;
    std::vector<std::string> files;
};

TEST(Statistics, AreAllDocumented) {
    const full_run run("sample");
    for (const auto& [name, value] : run.json["total"].items())
        EXPECT_NE(nullptr, platform::find_statistic(name)) << name;
    for (const auto& [name, value] : run.json["histograms"].items())
        EXPECT_NE(nullptr, platform::find_statistic(name)) << name;
    for (const std::string& name : printed_names(run.result.out))
        EXPECT_NE(nullptr, platform::find_statistic(name)) << name;
}

TEST(Statistics, OfThePageAreInTheReport) {
    const full_run run("sample");
    std::set<std::string> names = printed_names(run.result.out);
    for (const char* part : {"total", "histograms"})
        for (const auto& [name, value] : run.json[part].items()) names.insert(name);
    const std::set<std::string> sections_of_other_configurations = {
        "Network: routers (-network_mode 1)", "Power and energy (-power_simulation_enabled)"};
    for (const platform::statistic_info& s : platform::statistics_table()) {
        if (sections_of_other_configurations.count(s.section) != 0) continue;
        if (std::string(s.name).rfind("min_", 0) == 0) continue;       // printed even if it is 0
        if (std::string(s.name) == "kernel_demangled_name") continue;  // only for mangled names
        const std::string stem = std::string(s.name).substr(0, std::string(s.name).find('{'));
        const bool in_text = !stem.empty() && run.result.out.find(stem) != std::string::npos;
        const bool in_values = std::any_of(names.begin(), names.end(), [&](const auto& n) {
            return platform::find_statistic(n) == &s;
        });
        EXPECT_TRUE(in_text || in_values) << s.name;
    }
}

TEST(Statistics, AreExplainedOnceEach) {
    std::set<std::string> names;
    for (const platform::statistic_info& s : platform::statistics_table()) {
        EXPECT_TRUE(names.insert(s.name).second) << s.name;
        EXPECT_NE('\0', *s.meaning) << s.name;
    }
    EXPECT_EQ(nullptr, platform::find_statistic("no_such_statistic"));
    EXPECT_EQ(nullptr, platform::find_statistic("warp_occ.W"));
    EXPECT_NE(nullptr, platform::find_statistic("warp_occ.W17"));
}

TEST(Statistics, PageMatchesTheOutputOfTheProgram) {
    std::ostringstream page;
    platform::write_statistics_markdown(page);
    EXPECT_EQ(page.str(), read_file(std::string(SIMTLM_DOCS) + "/statistics.md"))
        << "run simtlm --help-statistics > docs/statistics.md";
}

TEST(Statistics, OfRouterNetworksAreDocumented) {
    const scratch_folder folder;
    const std::string network = folder.write("mesh.icnt",
                                             "topology = mesh;\nk = 2;\nn = 2;\n"
                                             "routing_function = dor;\nuse_map = 0;\n");
    const full_run run("vecadd", {"-network_mode", "1", "-inter_config_file", network});
    EXPECT_TRUE(run.json["total"].contains("Packet latency average"));
    for (const auto& [name, value] : run.json["total"].items())
        EXPECT_NE(nullptr, platform::find_statistic(name)) << name;
}

class Sums : public testing::TestWithParam<std::string> {};

TEST_P(Sums, EverySchedulerCycleHasExactlyOneReason) {
    const full_run run(GetParam());
    EXPECT_EQ(run.total("scheduler_cycles"),
              run.total("scheduler_cycles[issue]") + run.total("scheduler_cycles[idle]") +
                  run.total("scheduler_cycles[scoreboard]") + run.total("scheduler_cycles[stall]"));
    for (const auto& [name, sm] : run.blocks("sm"))
        EXPECT_EQ(sm["cycles"].get<double>() * 4,
                  sm["issue_cycles"].get<double>() + sm["idle"].get<double>() +
                      sm["scoreboard"].get<double>() + sm["stall"].get<double>())
            << name;
}

TEST_P(Sums, IssuedInstructionsAreCompleted) {
    const full_run run(GetParam());
    double issued = run.total("warp_insn_issued_without_lanes"), threads = 0, classes = 0;
    for (unsigned w = 1; w <= 32; ++w) {
        issued += run.total(fmt::format("warp_occ.W{}", w));
        threads += w * run.total(fmt::format("warp_occ.W{}", w));
    }
    for (const auto& [name, value] : run.json["total"].items())
        if (name.rfind("warp_insn[", 0) == 0) classes += value.get<double>();
    EXPECT_EQ(run.total("gpgpu_n_tot_w_icount"), issued);
    EXPECT_EQ(run.total("gpgpu_n_tot_w_icount"), classes);
    EXPECT_EQ(run.total("gpu_tot_sim_insn"), threads);
    EXPECT_EQ(run.total("gpu_tot_issued_cta"), run.total("ctas_completed"));
    double single = 0;
    for (unsigned s = 0; s < 4; ++s)
        single += run.total(fmt::format("single_issue_nums.WS{}", s)) +
                  2 * run.total(fmt::format("dual_issue_nums.WS{}", s));
    EXPECT_EQ(issued, single);
}

TEST_P(Sums, IssuedInstructionsAreCountedByWarpSlotAndByUnit) {
    const full_run run(GetParam());
    double slots = 0, units = 0;
    for (const auto& [name, value] : run.json["total"].items()) {
        if (name.rfind("warp_slot_issue[", 0) == 0) slots += value.get<double>();
        if (name.rfind("unit_insn[", 0) == 0) units += value.get<double>();
    }
    EXPECT_EQ(run.total("gpgpu_n_tot_w_icount"), slots);
    EXPECT_EQ(run.total("gpgpu_n_tot_w_icount"), units);
    const std::size_t at = run.result.out.rfind("distro:\n");
    ASSERT_NE(std::string::npos, at);
    std::istringstream printed(run.result.out.substr(at + 8));
    double of_first_sm = 0, of_its_schedulers = 0;
    for (double n = 0; printed >> n; printed.ignore()) of_first_sm += n;
    const nlohmann::json first = run.blocks("sm").at("gpu.cluster0.sm0");
    for (const auto& [scheduler, cycles] : first["single_issue"].items())
        of_its_schedulers += cycles.get<double>();
    for (const auto& [scheduler, cycles] : first["dual_issue"].items())
        of_its_schedulers += 2 * cycles.get<double>();
    EXPECT_GT(of_first_sm, 0);
    EXPECT_EQ(of_first_sm, of_its_schedulers);
}

TEST_P(Sums, OccupancyIsAveragedOverActiveSms) {
    const full_run run(GetParam());
    const double slots = run.total("core_cycles_busy") * 32;  // of TINY
    EXPECT_GE(run.total("warp_cycles"), run.total("core_cycles_busy"));
    EXPECT_LE(run.total("warp_cycles"), slots);
    EXPECT_NEAR(run.total("gpu_tot_occupancy"), 100 * run.total("warp_cycles") / slots, 1e-9);
}

TEST_P(Sums, EveryPacketHasAType) {
    const full_run run(GetParam());
    for (const auto& [direction, entered] :
         {std::pair{"coretomem", "icnt_total_pkts_simt_to_mem"},
          std::pair{"memtocore", "icnt_total_pkts_mem_to_simt"}}) {
        // Lines of the last report: NAME = BYTES {SIZE:PACKETS,...}
        std::map<std::string, std::pair<double, double>> by_type;  // packets, bytes
        std::istringstream in(run.result.out);
        const std::string start = std::string("traffic_breakdown_") + direction;
        for (std::string line; std::getline(in, line);) {
            if (line.rfind(start, 0) != 0) continue;
            double packets = 0, bytes = 0;
            static const std::regex pair(R"((\d+):(\d+),)");
            for (std::sregex_iterator i(line.begin(), line.end(), pair), end; i != end; ++i) {
                packets += std::stod((*i)[2]);
                bytes += std::stod((*i)[1]) * std::stod((*i)[2]);
            }
            by_type[line.substr(0, line.find(" ="))] = {packets, bytes};
        }
        double packets = 0;
        for (const auto& [name, sums] : by_type) {
            packets += sums.first;
            EXPECT_EQ(run.total(name), sums.second) << name;
        }
        EXPECT_EQ(run.total(entered), packets);
    }
}

TEST_P(Sums, QueueOccupancyIsAtMostTheCapacity) {
    const full_run run(GetParam());
    double kept = 0;
    for (const char* queue : {"icnt_to_L2", "L2_to_dram", "dram_to_L2", "L2_to_icnt"}) {
        const double mean = run.total(fmt::format("L2_queue_avg[{}]", queue));
        const double most = run.total(fmt::format("L2_queue_max[{}]", queue));
        EXPECT_LE(mean, most) << queue;
        EXPECT_LE(most, 64) << queue;
        kept += run.sum_of(queue, "occupancy_sum");
    }
    EXPECT_GT(kept, 0);
}

TEST_P(Sums, EveryL2AccessIsAnswered) {
    const full_run run(GetParam());
    // A request for a whole line is split: its sectors are accessed and answered one by one.
    EXPECT_GE(run.total("L2_total_cache_accesses"), run.total("icnt_total_pkts_simt_to_mem"));
    EXPECT_EQ(run.total("L2_total_cache_accesses"), run.total("icnt_total_pkts_mem_to_simt"));
    double by_type = 0;
    for (const auto& [name, value] : run.json["total"].items())
        if (name.rfind("L2_cache_stats_breakdown", 0) == 0 &&
            name.find("[TOTAL_ACCESS]") != std::string::npos)
            by_type += value.get<double>();
    EXPECT_EQ(run.total("L2_total_cache_accesses"), by_type);
}

TEST_P(Sums, TotalsAreTheSumsOfTheBlocks) {
    const full_run run(GetParam());
    EXPECT_EQ(run.total("gpu_tot_sim_insn"), run.sum_of("sm", "thread_instructions"));
    EXPECT_EQ(run.total("dram_n_act"), run.sum_of("dram", "activates"));
    EXPECT_EQ(run.total("L2_total_cache_misses"), run.sum_of("l2", "misses"));
}

/// The numbers of the table below a title, row by row.
std::vector<double> table_below(const std::string& text, const std::string& title) {
    std::vector<double> numbers;
    std::istringstream in(text.substr(text.find(title + ":\n") + title.size() + 2));
    for (std::string line; std::getline(in, line) && line.rfind("dram[", 0) == 0;) {
        std::istringstream row(line.substr(line.find(':') + 1));
        for (std::string cell; row >> cell;)
            numbers.push_back(cell == "none" ? 0 : std::stod(cell));
    }
    return numbers;
}

TEST(Sums, TheMeanLatencyOfABankIsAtMostItsMaximum) {
    const outcome run = simulate(on_tiny(sample("sample"), {"--quiet"}));
    const std::string last = run.out.substr(run.out.rfind("kernel_name"));
    const std::vector<double> mean = table_below(last, "average mf latency per bank");
    const std::vector<double> most = table_below(last, "maximum mf latency per bank");
    ASSERT_EQ(32u, mean.size()) << "two channels of 16 banks";
    ASSERT_EQ(mean.size(), most.size());
    for (std::size_t bank = 0; bank < mean.size(); ++bank) {
        EXPECT_GT(mean[bank], 0) << bank;
        EXPECT_LE(mean[bank], most[bank]) << bank;
    }
}

TEST(Report, OmitsMemoryLatenciesOnRequest) {
    const scratch_folder folder;
    const outcome run =
        simulate(on_tiny(sample("vecadd"), {"--quiet", "-gpgpu_memlatency_stat", "0",
                                            "--stats-json", folder.path("s.json")}));
    EXPECT_THAT(run.out, Not(HasSubstr("maxmflatency")));
    EXPECT_THAT(run.out, Not(HasSubstr("average mf latency per bank")));
    EXPECT_THAT(run.out, HasSubstr("Memory Partition 0"));
    EXPECT_GT(read_json(folder.path("s.json"))["total"]["maxmflatency"], 0);
}

TEST(NetworkBackPressure, EqualsTheStallsCountedByConnectedBlocks) {
    for (const bool sleeping : {true, false}) {
        std::vector<std::string> narrow = {"-icnt_in_buffer_limit", "8", "-icnt_out_buffer_limit",
                                           "8"};
        if (!sleeping) narrow.emplace_back("--no-sleep");
        const full_run run("vecadd", narrow);
        double by_cores = 0;
        for (const char* cache : {"l1i", "l1d", "l1c", "l1t"})
            by_cores += run.sum_of(cache, "network_refusals");
        const auto halves = run.blocks("network_half");
        by_cores += run.total("gpgpu_stall_shd_mem[gl_mem][icnt_stall]");
        const double by_memory = run.total("gpu_stall_icnt2sh");
        EXPECT_GT(by_cores, 0);
        EXPECT_GT(by_memory, 0);
        EXPECT_EQ(halves.at("gpu.network.requests").at("in_buffer_full"), by_cores);
        EXPECT_EQ(halves.at("gpu.network.replies").at("in_buffer_full"), by_memory);
        const double cycles = run.total("Req_Network_cycles");
        EXPECT_NEAR(run.total("Req_Network_in_buffer_full_per_cycle"), by_cores / cycles, 1e-4);
        EXPECT_NEAR(run.total("Reply_Network_in_buffer_full_per_cycle"), by_memory / cycles, 1e-4);
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, Sums, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

TEST(StatisticsFiles, ContainEveryKernelAndTheRun) {
    const full_run run("sample");
    const nlohmann::json& kernels = run.json["kernels"];
    ASSERT_EQ(4u, kernels.size());
    double cycles = 0, instructions = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        EXPECT_EQ(k + 1, kernels[k]["launch_uid"]);
        EXPECT_TRUE(kernels[k]["finished"]);
        EXPECT_LE(kernels[k]["start_cycle"], kernels[k]["end_cycle"]);
        cycles += kernels[k]["gpu_sim_cycle"].get<double>();
        instructions += kernels[k]["gpu_sim_insn"].get<double>();
    }
    EXPECT_EQ(run.total("gpu_tot_sim_cycle"), cycles);
    EXPECT_EQ(run.total("gpu_tot_sim_insn"), instructions);
    EXPECT_EQ("finished", run.json["ended"]);
    EXPECT_EQ("TINY", std::string(run.json["config"].contains("-trace") ? "TINY" : ""));
}

TEST(StatisticsFiles, AgreeWithWhatIsPrinted) {
    const full_run run("sample");
    const auto printed = run.result.values();
    unsigned compared = 0;
    for (const auto& [name, value] : run.json["total"].items()) {
        const auto text = printed.find(name);
        if (text == printed.end()) continue;
        EXPECT_NEAR(value.get<double>(), std::stod(text->second), 6e-4) << name;
        ++compared;
    }
    EXPECT_GT(compared, 200u);
}

TEST(StatisticsFiles, GiveUnitAndMeaningOfEveryBlockCounter) {
    const full_run run("vecadd");
    unsigned counters = 0;
    for (const auto& [name, block] : run.json["blocks"].items()) {
        const nlohmann::json& meanings = run.json["counters"].at(block["kind"].get<std::string>());
        for (const auto& [counter, value] : block["counters"].items()) {
            ++counters;
            ASSERT_TRUE(meanings.contains(counter)) << name << " " << counter;
            EXPECT_NE("", meanings[counter]["unit"]) << counter;
            EXPECT_NE("", meanings[counter]["meaning"]) << counter;
        }
    }
    EXPECT_GT(counters, 100u);
    std::ostringstream page;
    platform::write_statistics_markdown(page);
    for (const auto& [kind, meanings] : run.json["counters"].items())
        for (const auto& [counter, meaning] : meanings.items())
            EXPECT_THAT(page.str(), HasSubstr("| `" + counter + "` |")) << kind;
}

TEST(StatisticsFiles, NameTheirOrigin) {
    const full_run run("sample", {"--shuffle-seed", "7"});
    EXPECT_EQ("simtlm-statistics", run.json["schema"]["name"]);
    EXPECT_EQ(2, run.json["schema"]["version"]);
    const nlohmann::json& from = run.json["provenance"];
    for (const char* name : {"version", "commit", "started", "host"})
        EXPECT_FALSE(from[name].get<std::string>().empty()) << name;
    EXPECT_THAT(from["command_line"], Contains("--shuffle-seed"));
    EXPECT_EQ(7, from["shuffle_seed"]);
    EXPECT_THAT(from["presets"], Contains("TINY"));
    std::map<std::string, unsigned> roles;
    for (const nlohmann::json& f : from["inputs"]) {
        ++roles[f["role"]];
        EXPECT_GT(f["bytes"], 0u) << f["path"];
        EXPECT_EQ(32u, f["xxh128"].get<std::string>().size()) << f["path"];
    }
    EXPECT_EQ(1u, roles["command list"]);
    EXPECT_GE(roles["configuration"], 1u);
    EXPECT_GE(roles["kernel trace"], 1u);
    EXPECT_EQ("command line", run.json["origins"]["--shuffle-seed"]);
    EXPECT_THAT(run.json["origins"]["-gpgpu_n_mem"].get<std::string>(), HasSubstr("TINY"));
}

TEST(StatisticsFiles, GiveEveryKernelItsOwnCounters) {
    const full_run run("sample");
    std::map<std::string, double> sums;
    for (const nlohmann::json& k : run.json["kernels"]) {
        EXPECT_EQ(k["gpu_sim_insn"], k["counters"]["sm"]["thread_instructions"]);
        EXPECT_EQ(k["ctas"], k["counters"]["sm"]["ctas_completed"]);
        for (const auto& [kind, counters] : k["counters"].items())
            for (const auto& [name, value] : counters.items())
                if (value.is_number()) sums[kind + "." + name] += value.get<double>();
    }
    EXPECT_EQ(run.total("gpu_tot_sim_insn"), sums["sm.thread_instructions"]);
    EXPECT_EQ(run.total("L2_total_cache_misses"), sums["l2.misses"]);
    EXPECT_EQ(run.total("dram_n_act"), sums["dram.activates"]);
    // The maximum of the run is that of the kernel that reached it.
    double longest = 0;
    for (const nlohmann::json& k : run.json["kernels"])
        longest = std::max(longest, k["counters"]["memory"].value("round_trip_max", 0.0));
    EXPECT_EQ(run.total("maxmflatency"), longest);
}

TEST(StatisticsFiles, ContainTheProfiledInstructionsOfEveryKernel) {
    const scratch_folder folder;
    const full_run run("sample",
                       {"-enable_ptx_file_line_stats", "1", "-ptx_line_stats_filename",
                        folder.path("lines.txt"), "--stats-csv-long", folder.path("long.csv")});
    double of_run = 0;
    for (const nlohmann::json& k : run.json["kernels"]) {
        double issues = 0;
        for (const nlohmann::json& i : k["instructions"]) {
            issues += i["issues"].get<double>();
            EXPECT_NE("", i["opcode"]);
            for (const auto& [name, value] : i.items()) {
                const bool which = name == "pc" || name == "opcode" || name == "line";
                EXPECT_TRUE(which || run.json["counters"]["instruction"].contains(name)) << name;
            }
        }
        EXPECT_EQ(k["counters"]["sm"]["warp_instructions"], issues);
        of_run += issues;
    }
    const std::regex row(R"(.*,instruction,issues,"\d+ \S+ ",(\d+),"warp instructions",sum)");
    std::istringstream in(read_file(folder.path("long.csv")));
    std::smatch found;
    double in_csv = 0;
    for (std::string line; std::getline(in, line);)
        if (std::regex_match(line, found, row)) in_csv += std::stod(found[1]);
    EXPECT_EQ(of_run, in_csv);
    EXPECT_EQ(0u, read_file(folder.path("lines.txt")).find("kernel line : count latency"));
    EXPECT_FALSE(full_run("vecadd").json["kernels"][0].contains("instructions"));
}

TEST(StatisticsFiles, AsLongCsvHaveARowForEachKernelAndCounter) {
    const scratch_folder folder;
    const full_run run("sample", {"--stats-csv-long", folder.path("long.csv")});
    std::istringstream in(read_file(folder.path("long.csv")));
    std::string line;
    std::getline(in, line);
    EXPECT_EQ("launch_uid,kernel,list_number,kernel_id,kind,counter,cell,value,unit,adds", line);
    std::map<std::string, double> decoded;  // by kernel
    while (std::getline(in, line)) {
        std::vector<std::string> cells(1);
        for (const char c : line)
            if (c == ',')
                cells.emplace_back();
            else
                cells.back() += c;
        if (cells.size() > 7 && cells[4] == "sm" && cells[5] == "decoded")
            decoded[cells[0]] += std::stod(cells[7]);
    }
    ASSERT_EQ(5u, decoded.size()) << "four kernels and the run";
    const double whole = decoded[""];
    decoded.erase("");
    double sum = 0;
    for (const auto& [launch, number] : decoded) sum += number;
    EXPECT_EQ(whole, sum);
    EXPECT_EQ(whole, run.total("warp_insn_decoded"));
}

TEST(StatisticsFiles, AsCsvHaveTheCountersOfEveryKernel) {
    const full_run run("sample");
    EXPECT_THAT(run.csv, HasSubstr("\"sm.decoded\""));
    EXPECT_THAT(run.csv, HasSubstr("\"sm.issued_lanes.W32\""));
}

TEST(CompactReport, HasTheStatisticsOfTheFullReportInFewerLines) {
    const outcome full = simulate(on_tiny(sample("sample"), {"--quiet"}));
    const outcome compact = simulate(on_tiny(sample("sample"), {"--quiet", "--stats", "compact"}));
    EXPECT_LT(compact.out.size(), full.out.size() / 2);
    const auto lines = [](const std::string& text, const std::string& start) {
        std::vector<std::string> found;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            if (line.rfind(start, 0) == 0) found.push_back(line);
        return found;
    };
    for (const char* name : {"kernel_name", "gpu_sim_cycle", "gpu_tot_sim_insn"})
        EXPECT_EQ(lines(full.out, name), lines(compact.out, name));
    EXPECT_THAT(compact.out, testing::Not(HasSubstr("gpgpu_n_sstarr_insn")));
}

TEST(StatisticsFiles, AsCsvHaveARowForEachKernelAndOneForTheRun) {
    const full_run run("sample");
    std::istringstream in(run.csv);
    std::vector<std::size_t> columns;
    std::string last;
    for (std::string line; std::getline(in, line); last = line)
        columns.push_back(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')));
    ASSERT_EQ(6u, columns.size());
    EXPECT_THAT(columns, testing::Each(columns.front()));
    EXPECT_THAT(last, testing::StartsWith("total,"));
    EXPECT_THAT(run.files, testing::ElementsAre("s.csv", "s.json")) << "and no drafts";
}

TEST(Report, MatchesTheExpressionsOfAccelSimsScripts) {
    const outcome run = simulate(on_tiny(sample("sample"), {"--quiet"}));
    for (const char* expression :
         {R"(gpu_tot_sim_insn\s*=\s*(.*))",
          R"(gpgpu_simulation_time\s*=.*\(([0-9]+) sec\).*)",
          R"(gpu_tot_sim_cycle\s*=\s*(.*))",
          R"(\s+L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[HIT\]\s*=\s*(.*))",
          R"(\s+L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[TOTAL_ACCESS\]\s*=\s*(.*))",
          R"(\s+L2_cache_stats_breakdown\[GLOBAL_ACC_W\]\[HIT\]\s*=\s*(.*))",
          R"(\s+L2_cache_stats_breakdown\[GLOBAL_ACC_W\]\[TOTAL_ACCESS\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[HIT\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[MSHR_HIT\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[TOTAL_ACCESS\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_W\]\[HIT\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_W\]\[TOTAL_ACCESS\]\s*=\s*(.*))",
          R"(\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_W\]\[MISS\]\s*=\s*(.*))",
          R"(gpgpu_n_tot_w_icount\s*=\s*(.*))",
          R"(gpu_occupancy\s*=\s*(.*)%)",
          R"(gpu_tot_occupancy\s*=\s*(.*)%)",
          R"(ctas_completed (\d+), Shader 0 warp_id)",
          R"(total dram reads\s*=\s*(.*))",
          R"(total dram writes\s*=\s*(.*))",
          R"(kernel_launch_uid\s*=\s*(.*))",
          R"(gpgpu_n_shmem_bkconflict\s*=\s*(.*))",
          R"(gpu_ipc\s*=\s*(.*))",
          R"(L2_BW\s*=\s*(.*)GB\/Sec)",
          R"(L2_Alloc\s*=\s*(.*))",
          R"(Read\s*=\s*(.*))",
          R"(gpgpu_simulation_rate\s+=\s+(.*)\s+\(inst\/sec\))",
          R"(gpgpu_simulation_rate\s+=\s+(.*)\s+\(cycle\/sec\))",
          R"(gpgpu_silicon_slowdown\s*=\s*(.*)x)",
          R"(kernel_name\s+=\s+(.*))",
          R"(GPGPU-Sim: \*\*\* exit detected \*\*\*)",
          R"(Stall:(\d+)\tW0_Idle:(\d+)\tW0_Scoreboard:(\d+)\tW1:(\d+))",
          R"((^|\n)Accel-Sim.*\[build\s+(.*)\].*)",
          R"((^|\n).*GPGPU-Sim.*\[build\s+(.*)\].*)"})
        EXPECT_TRUE(std::regex_search(run.out, std::regex(expression))) << expression;
}

TEST(Report, HasMangledAndDemangledKernelNames) {
    const scratch_folder folder;
    small_trace trace;
    trace.header["kernel name"] = "_Z6vecAddPfS_i";
    const std::string json = folder.path("s.json");
    const outcome o =
        simulate({"--preset", "TINY", "-trace", trace.write(folder), "--stats-json", json});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("kernel_name = _Z6vecAddPfS_i \n"));
    EXPECT_THAT(o.out, HasSubstr("kernel_demangled_name = vecAdd(float*, float*, int)\n"));
    EXPECT_EQ("vecAdd(float*, float*, int)", read_json(json)["kernels"][0]["demangled_name"]);
}

TEST(Report, IsTheOnlyOutputOnStdout) {
    const outcome run = simulate(on_tiny(sample("vecadd")));
    const std::size_t first_line = run.out.find('\n');
    EXPECT_THAT(run.out.substr(0, first_line), testing::StartsWith("Accel-Sim [build "));
    const std::size_t second_line = run.out.find('\n', first_line + 1);
    EXPECT_THAT(run.out.substr(first_line + 1), testing::StartsWith("GPGPU-Sim"));
    EXPECT_EQ(second_line + 1, run.out.find("kernel_name = vecadd"));
    EXPECT_THAT(run.out + run.err, testing::Not(HasSubstr("SystemC 2")));
}

}  // namespace
}  // namespace simtlm::test
