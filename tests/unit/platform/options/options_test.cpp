// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include "platform/config/core_models.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace simtlm::platform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

/// A separate folder for the running test.
class OptionFiles : public testing::Test {
protected:
    OptionFiles() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() / (std::string("simtlm-") + test->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~OptionFiles() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) {
        const fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }

    fs::path folder_;
};

option_values read(const std::string& text) {
    option_values values;
    values.load_text(text, "my.config");
    return values;
}

TEST(OptionTable, NamesAndDescribesEveryOptionOnce) {
    std::set<std::string> names;
    for (const option_info& option : option_table()) {
        EXPECT_TRUE(names.insert(option.name).second) << option.name << " is there twice";
        EXPECT_EQ(option.name[0], '-');
        EXPECT_TRUE(!option.description.empty() || !option.effective()) << option.name;
    }
    for (const auto& [older, current] : option_aliases()) {
        EXPECT_EQ(names.count(older), 0u) << older;
        EXPECT_EQ(names.count(current), 1u) << current;
    }
}

TEST(OptionTable, HasDefaultsThatAreValuesOfTheirType) {
    for (const option_info& option : option_table()) {
        if (option.default_text.empty()) continue;
        option_values values;
        EXPECT_EQ(refusal([&] { values.set(option.name, option.default_text); }), "")
            << option.name;
    }
}

TEST(OptionFile, ReadsNamesValuesCommentsAndLinesOfSeveralOptions) {
    const option_values v = read(
        "# a comment\n"
        "-gpgpu_n_clusters 80 # another\n"
        "-gpgpu_n_mem 24#close\n"
        "   -gpgpu_shader_cta 16   -gpgpu_scheduler lrr\r\n"
        "-gpgpu_clock_domains\n 1132.0:1132.0:1132.0:850.0");
    EXPECT_EQ(v.number("-gpgpu_n_clusters"), 80u);
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 24u);
    EXPECT_EQ(v.number("-gpgpu_shader_cta"), 16u);
    EXPECT_EQ(v.text("-gpgpu_scheduler"), "lrr");
    EXPECT_EQ(v.text("-gpgpu_clock_domains"), "1132.0:1132.0:1132.0:850.0");
}

TEST(OptionFile, JoinsTheLinesOfAQuotedValue) {
    const option_values v =
        read("-gpgpu_dram_timing_opt \"nbk=16:CCD=1:\n      CL=12\"\n-gpgpu_n_mem 3\n");
    EXPECT_EQ(v.text("-gpgpu_dram_timing_opt"), "nbk=16:CCD=1: CL=12");
    EXPECT_EQ(v.value("-gpgpu_dram_timing_opt").origin.line, 1u);
    EXPECT_EQ(v.value("-gpgpu_n_mem").origin.line, 3u);
}

TEST(OptionFile, JoinsTheWordsOfAnUnfinishedList) {
    const option_values v =
        read("-gpgpu_cache:dl1 S:4:128:64, L:T:m:L:L,\n A:512:8,16:0,32 -gpgpu_n_mem 3");
    EXPECT_EQ(v.text("-gpgpu_cache:dl1"), "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32");
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 3u);
}

TEST(OptionFile, AcceptsASwitchWithoutValueAsOn) {
    const option_values v =
        read("-gpgpu_perfect_mem -gpgpu_flush_l1_cache 1 -gpgpu_flush_l2_cache 0");
    EXPECT_TRUE(v.flag("-gpgpu_perfect_mem"));
    EXPECT_TRUE(v.flag("-gpgpu_flush_l1_cache"));
    EXPECT_FALSE(v.flag("-gpgpu_flush_l2_cache"));
}

TEST(OptionFile, ReadsNegativeHexadecimalAndOctalNumbers) {
    const option_values v =
        read("-gpgpu_warpdistro_shader -1 -gpgpu_n_mem 0x18 -gpgpu_n_clusters 017");
    EXPECT_EQ(v.integer("-gpgpu_warpdistro_shader"), -1);
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 24u);
    EXPECT_EQ(v.number("-gpgpu_n_clusters"), 15u);
}

TEST(OptionFile, ReadsOlderSpellings) {
    const option_values v = read("-rop_latency 120 -gmem_skip_L1D 1");
    EXPECT_EQ(v.number("-gpgpu_l2_rop_latency"), 120u);
    EXPECT_TRUE(v.flag("-gpgpu_gmem_skip_L1D"));
    EXPECT_TRUE(v.given("-rop_latency"));
}

TEST(OptionFile, RejectsAnUnknownOptionWithItsLineAndTheNearestName) {
    EXPECT_EQ(refusal([] { read("\n-gpgpu_n_clutsers 4\n"); }),
              "my.config:2: unknown option -gpgpu_n_clutsers (did you mean -gpgpu_n_clusters?)");
}

TEST(OptionFile, RejectsAStrayWordAMissingValueAndAnOpenQuote) {
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem 4\n5\n"); }),
                HasSubstr("my.config:2: '5' is not an option"));
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem -gpgpu_n_clusters 4"); }),
                HasSubstr("my.config:1: -gpgpu_n_mem lacks a value"));
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem"); }), HasSubstr("lacks a value"));
    EXPECT_THAT(refusal([] { read("\n-gpgpu_dram_timing_opt \"nbk=16\n\n"); }),
                HasSubstr("my.config:2: a quoted value is not terminated"));
}

TEST(OptionFile, RejectsValuesOfTheWrongType) {
    EXPECT_EQ(refusal([] { read("-gpgpu_n_mem four"); }),
              "my.config:1: -gpgpu_n_mem four: is not an integer (syntax: N)");
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem 4k"); }), HasSubstr("is not an integer"));
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem -4"); }), HasSubstr("must not be negative"));
    EXPECT_THAT(refusal([] { read("-gpgpu_perfect_mem yes"); }), HasSubstr("is neither 0 nor 1"));
    EXPECT_THAT(refusal([] { read("-gpgpu_n_mem 99999999999999999999"); }),
                HasSubstr("is not an integer"));
}

TEST_F(OptionFiles, AreIncludedInPlaceAndFoundRelativeToTheIncludingFile) {
    write("inner/dram.config", "-gpgpu_n_mem 12 -gpgpu_n_clusters 2\n");
    write("inner/gpu.config", "-gpgpu_n_clusters 1\n-config dram.config\n-gpgpu_shader_cta 4\n");
    const std::string outer =
        write("outer.config", "-gpgpu_n_mem 1\n-config inner/gpu.config\n-gpgpu_shader_cta 8\n");
    option_values v;
    v.load_file(outer);
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 12u);
    EXPECT_EQ(v.number("-gpgpu_n_clusters"), 2u);
    EXPECT_EQ(v.number("-gpgpu_shader_cta"), 8u);
    EXPECT_THAT(v.value("-gpgpu_n_mem").origin.text(), HasSubstr("inner/dram.config:1"));
}

TEST_F(OptionFiles, ThatIncludeThemselvesAreRejected) {
    const std::string file = write("loop.config", "-config loop.config\n");
    option_values v;
    EXPECT_THAT(refusal([&] { v.load_file(file); }), HasSubstr("is included by itself"));
}

TEST_F(OptionFiles, ThatAreMissingAreReportedWithTheIncludingFile) {
    const std::string file = write("outer.config", "\n-config nowhere.config\n");
    option_values v;
    EXPECT_THAT(refusal([&] { v.load_file(file); }),
                HasSubstr("outer.config:2: configuration file nowhere.config: cannot be read"));
    EXPECT_THAT(refusal([&] {
                    v.parse_command_line({"-config", "nowhere"});
                }),
                HasSubstr("command line: configuration file nowhere: cannot be read"));
    EXPECT_THAT(refusal([&] { v.load_file(folder_.string()); }), HasSubstr("cannot be read"));
}

TEST_F(OptionFiles, ResolveFileNamesRelativeToTheirFolder) {
    write("sub/net.icnt", "k = 4;\n");
    const std::string file =
        write("sub/gpu.config", "-inter_config_file net.icnt\n--vcd out.vcd\n");
    option_values v;
    v.load_file(file);
    EXPECT_EQ(v.text("-inter_config_file"), (folder_ / "sub/net.icnt").string());
    EXPECT_EQ(v.text("--vcd"), "out.vcd") << "a file that does not exist yet is left as written";
}

TEST(CommandLine, AcceptsOptionsInThreeSpellings) {
    option_values v;
    v.parse_command_line({"-trace", "a/kernelslist.g", "--vcd-window=10:20", "--stats-json",
                          "out.json", "--no-sleep", "-gpgpu_n_mem=6", "--quiet"});
    EXPECT_EQ(v.text("-trace"), "a/kernelslist.g");
    EXPECT_EQ(v.text("--vcd-window"), "10:20");
    EXPECT_EQ(v.text("--stats-json"), "out.json");
    EXPECT_TRUE(v.flag("--no-sleep"));
    EXPECT_TRUE(v.flag("--quiet"));
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 6u);
    EXPECT_EQ(v.value("-trace").origin.text(), "command line");
}

TEST(CommandLine, ParsesArgvWithoutTheProgramName) {
    const char* argv[] = {"simtlm", "-gpgpu_n_mem", "6", "-gpgpu_dram_timing_opt", "nbk=16: CL=1"};
    option_values v;
    v.parse_command_line(5, argv);
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 6u);
    EXPECT_EQ(v.text("-gpgpu_dram_timing_opt"), "nbk=16: CL=1");
}

TEST(CommandLine, RejectsUnknownOptions) {
    option_values v;
    EXPECT_EQ(refusal([&] {
                  v.parse_command_line({"--vdc", "x"});
              }),
              "command line: unknown option --vdc (did you mean --vcd?)");
    EXPECT_THAT(refusal([&] { v.parse_command_line({"trace.g"}); }), HasSubstr("is not an option"));
}

TEST_F(OptionFiles, OverrideEarlierAndYieldToLaterOptions) {
    const std::string file = write("a.config", "-gpgpu_n_mem 2\n-gpgpu_n_clusters 2\n");
    option_values v;
    v.parse_command_line({"-gpgpu_n_mem", "1", "-config", file, "-gpgpu_n_clusters", "3"});
    EXPECT_EQ(v.number("-gpgpu_n_mem"), 2u);
    EXPECT_EQ(v.number("-gpgpu_n_clusters"), 3u);
    EXPECT_EQ(v.value("-gpgpu_n_mem").origin.where(), file + ":1");
    EXPECT_EQ(v.value("-gpgpu_n_clusters").origin.where(), "command line");
    EXPECT_EQ(v.value("-gpgpu_shader_cta").origin.text(), "default");
}

TEST(OptionValues, CollectRepeatableOptions) {
    option_values v;
    v.parse_command_line({"--quirk", "ldc-is-alu", "--quirk", "single-barrier"});
    ASSERT_EQ(v.all("--quirk").size(), 2u);
    EXPECT_EQ(v.all("--quirk")[0].text, "ldc-is-alu");
    EXPECT_EQ(v.text("--quirk"), "single-barrier");
    EXPECT_THAT(v.all("--opcode-table"), IsEmpty());
}

TEST(OptionValues, DistinguishPresetsFromOtherFiles) {
    option_values v([](const std::string&, bool) -> std::vector<std::string> {
        return {SIMTLM_TEST_CONFIG_DIR "/TINY/gpgpusim.config"};
    });
    v.parse_command_line({"--preset", "TINY"});
    EXPECT_THAT(v.value("-gpgpu_n_clusters").origin.text(),
                HasSubstr("preset TINY (gpgpusim.config:"));
    EXPECT_THAT(v.value("-gpgpu_dram_timing_opt").origin.text(),
                HasSubstr("preset TINY (HBM2.config:"));
    EXPECT_THAT(v.presets(), ElementsAre("TINY"));
}

TEST(OptionValues, ReportIneffectiveOptionsOncePerReason) {
    const option_values v = read(
        "-gpgpu_ptx_use_cuobjdump 1 -gpgpu_experimental_lib_support 1 -n_regfile_gating_group 4\n"
        "-gpgpu_clock_gated_reg_file 1 -gpgpu_n_mem 4");
    const std::vector<std::string> notes = v.notes();
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_THAT(notes[0], HasSubstr("-gpgpu_ptx_use_cuobjdump, -gpgpu_experimental_lib_support "
                                    "(fat binaries are read in memory"));
    EXPECT_THAT(notes[1],
                HasSubstr("-n_regfile_gating_group, -gpgpu_clock_gated_reg_file (an access "
                          "of the register file"));
    EXPECT_THAT(option_values().notes(), IsEmpty());
}

TEST(DumpedConfiguration, ReadsBackAsTheSameConfiguration) {
    const option_values first = read(
        "-gpgpu_dram_timing_opt \"nbk=16:CCD=1: CL=12\"\n-gpgpu_n_mem 24\n--quirk ldc-is-alu\n"
        "--quirk single-barrier\n--no-sleep\n-gpgpu_ptx_force_max_capability 70\n--vcd \"a "
        "b.vcd\"\n");
    std::ostringstream dump;
    write_config(dump, first);
    EXPECT_THAT(dump.str(), testing::ContainsRegex("-gpgpu_n_mem 24 +# my.config:2\n"));
    EXPECT_THAT(dump.str(), testing::ContainsRegex("-gpgpu_n_clusters 10 +# default\n"));

    option_values second;
    second.load_text(dump.str(), "dump.config");
    for (const option_info& option : option_table()) {
        EXPECT_EQ(first.text(option.name), second.text(option.name)) << option.name;
        if (option.repeatable) {
            EXPECT_EQ(first.all(option.name).size(), second.all(option.name).size()) << option.name;
        }
    }
    EXPECT_FALSE(second.given("--shuffle-seed")) << "what was not set stays unset";
}

std::string effect_refusal(const std::vector<std::string>& arguments, run_kind kind) {
    option_values v;
    v.parse_command_line(arguments);
    return refusal([&] { check_effects(v, kind); });
}

TEST(OptionTable, DescribesTheUseOfEveryFile) {
    for (const option_info& o : option_table()) {
        if (o.type == option_type::path && o.effective()) {
            EXPECT_NE(file_use::none, o.files) << o.name;
        }
        for (const std::string& other : o.depends_on)
            EXPECT_NE(nullptr, find_option(other)) << o.name << " depends on " << other;
        EXPECT_NE(0, o.runs) << o.name;
    }
}

TEST(OptionTable, HasNoOutputOrLimitThatFunctionalModeIgnoresSilently) {
    for (const option_info& o : option_table()) {
        if (!o.effective() || o.action) continue;
        const bool asks = o.files == file_use::output || o.files == file_use::output_folder ||
                          o.group == option_group::output;
        if (!asks || (o.runs & functional_program) != 0) continue;
        const std::string value = o.type == option_type::boolean ? "1" : "7";
        EXPECT_THAT(effect_refusal({o.name, value}, functional_program), HasSubstr(o.name));
    }
}

TEST(OptionEffects, DependOnRequiredOptions) {
    for (const std::vector<std::string>& alone :
         std::vector<std::vector<std::string>>{{"--vcd-scope", "a"},
                                               {"--timeline-window", "3:4"},
                                               {"--timeline-sample", "5"},
                                               {"--interval", "100"},
                                               {"--sms-a-thread", "3"},
                                               {"--sms-a-thread", "3", "--threads", "1"},
                                               {"-ptx_line_stats_filename", "p"},
                                               {"-enable_ptx_file_line_stats", "1"}})
        EXPECT_THAT(effect_refusal(alone, replay), HasSubstr(alone.front() + " has no effect"));
    for (const std::vector<std::string>& whole : std::vector<std::vector<std::string>>{
             {"--vcd-scope", "a", "--vcd", "w"},
             {"--interval", "100", "--interval-db", "x"},
             {"--sms-a-thread", "3", "--threads", "2"},
             {"-ptx_line_stats_filename", "p", "-enable_ptx_file_line_stats", "1"},
             {"-visualizer_enabled", "0"},
             {"-gpgpu_n_clusters", "3"}})
        EXPECT_EQ("", effect_refusal(whole, replay)) << whole.front();
}

TEST(OptionEffects, DependOnTheKindOfRun) {
    EXPECT_THAT(effect_refusal({"--functional-threads", "3"}, timed_program),
                HasSubstr("with timing"));
    EXPECT_EQ("", effect_refusal({"--functional-threads", "3"}, functional_program));
    for (const std::vector<std::string>& timed :
         std::vector<std::vector<std::string>>{{"--checkpoint", "c"},
                                               {"--resume", "c"},
                                               {"--interval", "100"},
                                               {"--check-dram"},
                                               {"--threads", "0"},
                                               {"-visualizer_enabled", "1"}})
        EXPECT_THAT(effect_refusal(timed, functional_program), HasSubstr("in functional mode"))
            << timed.front();
    EXPECT_THAT(effect_refusal({"--launch", "l"}, replay), HasSubstr("on traces"));
    EXPECT_THAT(effect_refusal({"--ctas", "1"}, timed_program), HasSubstr("on programs"));
    EXPECT_THAT(effect_refusal({"--gpus", "2"}, replay), HasSubstr("simtlm run"));
    EXPECT_THAT(effect_refusal({"-trace", "t"}, timed_host), HasSubstr("with simtlm run"));
}

TEST(OptionEffects, OfConfigurationFilesAreCheckedForOptionsOfThisSimulatorOnly) {
    EXPECT_THAT(refusal([&] { check_effects(read("--checkpoint c\n"), functional_program); }),
                HasSubstr("my.config:1"));
    EXPECT_EQ("", refusal([&] {
                  check_effects(read("-visualizer_enabled 1\n-gpgpu_runtime_stat 500\n"),
                                functional_program);
              }));
}

TEST(Help, NamesEveryOption) {
    std::ostringstream help;
    write_help(help, "simtlm");
    for (const option_info& option : option_table())
        EXPECT_THAT(help.str(), HasSubstr("  " + option.name)) << option.name;
    for (const quirk_info& quirk : quirk_table()) EXPECT_THAT(help.str(), HasSubstr(quirk.name));
}

TEST(Help, OnATopicNamesTheOptionsOfAGroupOrWithAName) {
    const auto help_on = [](const char* topic) {
        std::ostringstream help;
        write_help_on(help, topic);
        return help.str();
    };
    EXPECT_THAT(help_on("dram"), testing::AllOf(HasSubstr("-gpgpu_dram_timing_opt"),
                                                testing::Not(HasSubstr("-gpgpu_scheduler"))));
    EXPECT_THAT(help_on("-gpgpu_scheduler"), HasSubstr("-gpgpu_scheduler"));
    EXPECT_THAT(refusal([&] { help_on("carburettor"); }), HasSubstr("no option concerns"));
    std::ostringstream run;
    write_help_on_run(run);
    EXPECT_THAT(run.str(), testing::AllOf(HasSubstr("usage: simtlm run"), HasSubstr("--stats-file"),
                                          testing::Not(HasSubstr("-gpgpu_dram_timing_opt"))));
}

TEST(OptionsPage, IsCurrent) {
    std::ifstream in(SIMTLM_TEST_DOCS_DIR "/options.md");
    ASSERT_TRUE(in) << "docs/options.md is missing";
    std::ostringstream page, current;
    page << in.rdbuf();
    write_options_markdown(current);
    EXPECT_TRUE(page.str() == current.str())
        << "docs/options.md is out of date: write it anew with simtlm --help-markdown";
}

TEST(FormerOptions, AreNotOptionsAndNameTheirReplacements) {
    for (const auto& [name, remedy] : former_options()) {
        EXPECT_EQ(find_option(name), nullptr) << name;
        EXPECT_EQ(unknown_option_remedy(name), remedy);
        // Every name in a remedy is an option.
        for (std::size_t at = 0; (at = remedy.find(" -", at)) != std::string::npos; ++at) {
            const std::size_t end = remedy.find_first_of(" ;,", at + 1);
            const std::string option = remedy.substr(at + 1, end - at - 1);
            EXPECT_NE(find_option(option), nullptr) << name << ": " << option;
        }
    }
}

TEST(FormerOptions, OfGpgpuSim40HaveTheirCurrentNames) {
    option_values values;
    values.load_text(
        "-l1_latency 28 -inct_in_buffer_limit 128 -memory_partition_indexing 4\n"
        "-adaptive_volta_cache_config 1 -sub_core_model 1 -mem_unit_ports 1\n",
        "old.config");
    EXPECT_EQ(values.text("-gpgpu_l1_latency"), "28");
    EXPECT_EQ(values.text("-icnt_in_buffer_limit"), "128");
    EXPECT_EQ(values.text("-gpgpu_memory_partition_indexing"), "4");
    EXPECT_TRUE(values.flag("-gpgpu_adaptive_cache_config"));
    EXPECT_TRUE(values.flag("-gpgpu_sub_core_model"));
}

TEST(Notes, NameOptionsOfTheOtherCoreOnTheCommandLine) {
    option_values simt, sub_cores;
    simt.parse_command_line({"-modern_alu", "8,2", "-gpgpu_num_sp_units", "4"});
    ASSERT_EQ(notes_on(simt).size(), 1u);
    EXPECT_EQ(
        notes_on(simt)[0],
        "accepted without effect: -modern_alu (of --core sub-core; this run uses --core simt)");
    sub_cores.parse_command_line({"--core", "modern", "-modern_alu", "8,2", "-gpgpu_num_sp_units",
                                  "4", "-gpgpu_num_reg_banks", "8"});
    ASSERT_EQ(notes_on(sub_cores).size(), 2u);
    EXPECT_THAT(notes_on(sub_cores)[1],
                HasSubstr("-modern_alu (the latency, where code has control bits"));
    EXPECT_NE(notes_on(sub_cores)[0].find("-gpgpu_num_reg_banks, -gpgpu_num_sp_units"),
              std::string::npos);
}

TEST(Notes, NameCopiesThatAreToModifyTheL2WithoutEffect) {
    option_values given;
    given.parse_command_line({"-gpgpu_l2_copy_modified", "1", "-gpgpu_perf_sim_memcpy", "0"});
    ASSERT_EQ(notes_on(given).size(), 1u);
    EXPECT_EQ(notes_on(given)[0],
              "accepted without effect: -gpgpu_l2_copy_modified (-gpgpu_perf_sim_memcpy 0)");
}

TEST(Notes, NameTheLatencyOfACacheOfAGpcThatThereIsNot) {
    option_values given;
    given.parse_command_line({"-gpgpu_gpc_cache_latency", "62"});
    ASSERT_EQ(notes_on(given).size(), 1u);
    EXPECT_EQ(notes_on(given)[0],
              "accepted without effect: -gpgpu_gpc_cache_latency (-gpgpu_cache:gpc none)");
    given.parse_command_line({"-gpgpu_cache:gpc", "N:64:128:16,L:R:f:N,S:64:64,64"});
    EXPECT_EQ(notes_on(given).size(), 0u);
}

TEST(Notes, NameOptionsThatTheSubCorePipelineAndTheNetworkIgnore) {
    option_values sub_cores;
    sub_cores.parse_command_line({"--core", "sub-core", "-gpgpu_scheduler", "lrr",
                                  "-gpgpu_smem_latency", "30", "-gpgpu_l1_latency", "30",
                                  "-network_mode", "3", "-icnt_gpc_flits", "2"});
    const auto notes = notes_on(sub_cores);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_THAT(notes[0], HasSubstr("-gpgpu_scheduler, -gpgpu_l1_latency, -gpgpu_smem_latency (of "
                                    "--core simt"));
    EXPECT_THAT(notes[1], HasSubstr("-icnt_gpc_flits (of another network than -network_mode 3)"));
    EXPECT_FALSE(has_effect(sub_cores, *find_option("-gpgpu_scheduler")));
    EXPECT_FALSE(has_effect(sub_cores, *find_option("-icnt_gpc_flits")));
    EXPECT_TRUE(has_effect(sub_cores, *find_option("-modern_alu")));
    option_values crossbar;
    crossbar.parse_command_line(
        {"-network_mode", "2", "-icnt_gpc_flits", "2", "-gpgpu_scheduler", "lrr"});
    EXPECT_EQ(notes_on(crossbar).size(), 0u);
}

TEST(CoreModels, AreSelectedByNameOrAliasAndListedForAnUnknownName) {
    const auto selected = [](const char* name) {
        option_values v;
        v.parse_command_line({"--core", name});
        return std::string(core_model_of(v).name);
    };
    for (const core_model& m : core_models()) {
        EXPECT_EQ(selected(m.name), m.name);
        EXPECT_EQ(selected(m.alias), m.name);
    }
    EXPECT_THAT(refusal([&] { selected("vector"); }), HasSubstr("sub-core (modern)"));
}

}  // namespace
}  // namespace simtlm::platform
