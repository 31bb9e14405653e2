// SPDX-License-Identifier: Apache-2.0
#include "platform/options/presets.h"

#include "platform/config/config.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace simtlm::platform {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

preset_folders source_tree() {
    return preset_folders(std::vector<std::string>{SIMTLM_TEST_CONFIG_DIR});
}

option_values loaded(const std::string& name) {
    option_values values(source_tree().finder());
    values.load_preset(name);
    return values;
}

TEST(Presets, OfAnInstalledLibraryAreThoseOfItsPrefix) {
    const fs::path prefix = fs::path(testing::TempDir()) / "simtlm_presets_prefix";
    const fs::path configs = prefix / "share/simtlm/configs";
    fs::create_directories(configs / "MINE");
    std::ofstream(configs / "MINE/gpgpusim.config") << "-gpgpu_n_clusters 3\n";
    const auto installed = preset_folders::of_library(prefix / "lib/simtlm/libsimtlm_cuda.so");
    EXPECT_THAT(installed.folders(), testing::ElementsAre(configs.string()));
    EXPECT_THAT(installed.files("MINE"), testing::ElementsAre(EndsWith("MINE/gpgpusim.config")));
    EXPECT_THAT(refusal([&] { installed.files("QV100"); }), HasSubstr("unknown configuration"));
    fs::remove_all(prefix);
}

TEST(Presets, OfALibraryInABuildTreeAreThoseOfTheSources) {
    const auto built = preset_folders::of_library("/nowhere/build/lib/simtlm/libsimtlm_cuda.so");
    EXPECT_THAT(built.folders().front(), EndsWith("configs"));
    EXPECT_THAT(built.files("QV100").front(), EndsWith("QV100/gpgpusim.config"));
}

class EveryPreset : public testing::TestWithParam<std::string> {};

TEST_P(EveryPreset, HasTheSmOfItsComputeCapability) {
    if (GetParam() == "TINY") GTEST_SKIP() << "no GPU of NVIDIA";
    const gpu_config gpu = make_gpu_config(loaded(GetParam()));
    const core::sm_config& sm = gpu.cores.sm;
    const core::occupancy_rules& rules = core::occupancy_rules_of(gpu.binary_version());
    EXPECT_EQ(rules.capability, gpu.binary_version());
    EXPECT_EQ(sm.max_threads, rules.max_threads);
    EXPECT_EQ(sm.max_ctas, rules.max_ctas);
    EXPECT_EQ(sm.registers, rules.registers);
    EXPECT_EQ(sm.registers_per_block, rules.registers_per_block);
    EXPECT_EQ(sm.shared.bytes, rules.shared_kb * 1024);
    EXPECT_TRUE(sm.allocation == rules.allocation);
    if (sm.l1.adaptive) {
        EXPECT_EQ(sm.shared.carve_out_kb, rules.carve_out_kb);
    }
}

TEST(Presets, HaveTheParametersOfAccelSimWithItsCompatibilityModeWhereverThatIsGiven) {
    using arguments = std::vector<std::string>;
    const auto values_of = [](const arguments& given) {
        option_values values(source_tree().finder());
        values.parse_command_line(given);
        return values;
    };
    const gpu_config hardware = make_gpu_config(values_of({"--preset", "RTX3070"}));
    EXPECT_EQ(hardware.core, "modern");
    EXPECT_EQ(hardware.cores.sm.max_ctas, 16u);
    for (const arguments& given : {arguments{"--preset", "RTX3070", "--compat", "accel-sim"},
                                   arguments{"--compat=accel-sim", "--preset", "RTX3070"},
                                   arguments{"--preset", "RTX3070/accel-sim"}}) {
        const gpu_config reference = make_gpu_config(values_of(given));
        EXPECT_EQ(reference.core, "classic") << given.front();
        EXPECT_EQ(reference.cores.sm.max_ctas, 32u) << given.front();
    }
    EXPECT_EQ(make_gpu_config(values_of({"--preset", "RTX3070", "--compat", "accel-sim",
                                         "-gpgpu_shader_cta", "8"}))
                  .cores.sm.max_ctas,
              8u);
}

TEST(Presets, ThatWereReadBeforeTheCompatibilityModeAreRejectedIfItHasOtherFiles) {
    option_values values = loaded("QV100");
    EXPECT_THAT(refusal([&] {
                    values.parse_command_line({"--compat", "accel-sim"});
                }),
                HasSubstr("--compat accel-sim selects other files of preset QV100"));
    option_values without = loaded("A100");
    without.parse_command_line({"--compat", "accel-sim"});
}

TEST_P(EveryPreset, LoadsAndMakesAGpu) {
    const option_values values = loaded(GetParam());
    EXPECT_THAT(values.notes(), IsEmpty()) << "our own files hold effective options only";
    const gpu_config gpu = make_gpu_config(values);
    EXPECT_GT(gpu.sms(), 0u);
    for (const preset_info& preset : preset_table()) {
        if (preset.name == GetParam()) {
            EXPECT_EQ(preset.binary, gpu.binary_version());
        }
    }
}

TEST_P(EveryPreset, DumpsAConfigurationThatReadsBackAsTheSame) {
    const option_values first = loaded(GetParam());
    std::ostringstream dump;
    write_config(dump, first);
    option_values second;
    second.load_text(dump.str(), "dump.config");
    for (const option_info& option : option_table()) {
        if (!option.action) {
            EXPECT_EQ(first.text(option.name), second.text(option.name)) << option.name;
        }
    }
    EXPECT_EQ(refusal([&] { make_gpu_config(second); }), "");
}

TEST_P(EveryPreset, AcceptsAnyDramTechnologyWithAStatedNumberOfChannels) {
    for (const auto& entry : fs::directory_iterator(SIMTLM_TEST_CONFIG_DIR "/dram")) {
        option_values values = loaded(GetParam());
        values.load_preset("dram/" + entry.path().stem().string());
        values.set("-gpgpu_n_mem", values.text("-gpgpu_n_mem"));
        EXPECT_EQ(refusal([&] { make_gpu_config(values); }), "") << entry.path();
    }
}

TEST(DramTechnologies, BringTheirClock) {
    option_values values = loaded("QV100");
    values.load_preset("dram/HBM");
    EXPECT_EQ(values.text("-gpgpu_clock_domains"), "1132:1132:1132:500");
    EXPECT_DOUBLE_EQ(make_gpu_config(values).clocks.dram, 500e6);
    values.parse_command_line({"-dram_clock", "600"});
    EXPECT_EQ(values.text("-gpgpu_clock_domains"), "1132:1132:1132:600");
}

TEST(DramTechnologies, DoNotReplaceTheClockOfAGpuThatIncludesThem) {
    EXPECT_DOUBLE_EQ(make_gpu_config(loaded("H100_PCIE")).clocks.dram, 1593e6);
}

TEST(DramTechnologies, OfAnotherBusWidthNeedANumberOfChannels) {
    option_values values = loaded("QV100");
    values.load_preset("dram/HBM3");
    EXPECT_THAT(
        refusal([&] { make_gpu_config(values); }),
        HasSubstr("32 channels of this technology have a bus of 128 bytes; that of the GPU "
                  "has 512 (state the number of channels: -gpgpu_n_mem 128 keeps the width, "
                  "-gpgpu_n_mem 32 keeps the channels)"));
    values.parse_command_line({"-gpgpu_n_mem", "128", "-gpgpu_memory_partition_indexing", "6"});
    EXPECT_EQ(refusal([&] { make_gpu_config(values); }), "");
}

TEST(DramTechnologies, BringTheChannelsThatKeepTheWidthIfTheSlicesDivideEvenly) {
    option_values values = loaded("QV100");
    values.load_preset("dram/GDDR5");
    EXPECT_EQ(values.number("-gpgpu_n_mem"), 64u);
    EXPECT_EQ(values.number("-gpgpu_n_sub_partition_per_mchannel"), 1u);
    EXPECT_EQ(refusal([&] { make_gpu_config(values); }), "");
    values.load_preset("dram/HBM2");
    EXPECT_EQ(values.number("-gpgpu_n_mem"), 32u) << "the width is that of the GPU's own memory";
}

TEST(DramTechnologies, NeedAGpu) {
    EXPECT_THAT(refusal([] { loaded("dram/HBM2"); }), HasSubstr("but no GPU"));
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const preset_info& preset : preset_table()) all.emplace_back(preset.name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(Shipped, EveryPreset, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(Presets, AreAllInTheTable) {
    for (const auto& entry : fs::directory_iterator(SIMTLM_TEST_CONFIG_DIR)) {
        const std::string folder = entry.path().filename().string();
        if (entry.is_directory() && folder != "dram") {
            EXPECT_THAT(names(), testing::Contains(folder));
        }
    }
}

TEST(Presets, CoverTheDramTechnologies) {
    for (const char* technology :
         {"GDDR3", "GDDR5", "GDDR5X", "GDDR6", "GDDR6X", "HBM", "HBM2", "HBM2E", "HBM3"})
        EXPECT_EQ(source_tree().files(std::string("dram/") + technology).size(), 1u) << technology;
}

TEST(Presets, AreSuggestedForAnUnknownName) {
    EXPECT_THAT(refusal([] { loaded("QV10"); }),
                EndsWith("(did you mean QV100? --list-configs lists them all)"));
    EXPECT_THAT(refusal([] { loaded("../platform"); }), HasSubstr("is no folder"));
    EXPECT_THAT(refusal([] { loaded("a/../platform"); }), HasSubstr("unknown configuration"));
    EXPECT_THAT(refusal([] { preset_folders(std::vector<std::string>{"nowhere"}).files("QV100"); }),
                HasSubstr("there are no presets in nowhere"));
    EXPECT_THAT(refusal([] { loaded(""); }), HasSubstr("unknown configuration"));
}

TEST(Presets, AreListed) {
    std::ostringstream list;
    write_presets(list, source_tree());
    for (const std::string& name : names()) EXPECT_THAT(list.str(), HasSubstr(name));
    EXPECT_THAT(list.str(), HasSubstr("dram/HBM2E"));
    EXPECT_THAT(list.str(), HasSubstr("QV100/accel-sim"));
    EXPECT_THAT(list.str(), testing::Not(HasSubstr("not installed")));
}

TEST(Presets, OfTheUserAreFoundByTheirPathAndInFoldersOfTheSearchPath) {
    const fs::path folder = fs::path(testing::TempDir()) / "simtlm_own_presets";
    fs::create_directories(folder / "MINE");
    std::ofstream(folder / "MINE/gpgpusim.config") << "-gpgpu_n_clusters 3\n";
    std::ofstream(folder / "all.config") << "--preset ./MINE\n";
    EXPECT_EQ(loaded((folder / "MINE").string()).text("-gpgpu_n_clusters"), "3");
    EXPECT_THAT(refusal([&] { loaded((folder / "THEIRS").string()); }),
                HasSubstr("is no folder with a gpgpusim.config"));
    option_values beside(source_tree().finder());
    beside.load_file((folder / "all.config").string());
    EXPECT_EQ(beside.text("-gpgpu_n_clusters"), "3");
    fs::create_directories(folder / "COPY");
    fs::copy_file(SIMTLM_TEST_CONFIG_DIR "/QV100/gpgpusim.config", folder / "COPY/gpgpusim.config");
    EXPECT_EQ(make_gpu_config(loaded((folder / "COPY").string())).sms(), 80u)
        << "what it includes from beside it is found among the presets";
    setenv("SIMTLM_PRESET_PATH", ("nowhere:" + folder.string()).c_str(), 1);
    const preset_folders searched;
    unsetenv("SIMTLM_PRESET_PATH");
    EXPECT_THAT(searched.files("MINE"), testing::ElementsAre(EndsWith("MINE/gpgpusim.config")));
    std::ostringstream list;
    write_presets(list, searched);
    EXPECT_THAT(list.str(), HasSubstr("Others (--preset NAME):\n  COPY\n  MINE\n  all\n"));
    fs::remove_all(folder);
}

TEST(Presets, AreRecommendedByBinaryVersion) {
    EXPECT_STREQ(preset_for_binary(86)->name, "RTX3070");
    EXPECT_STREQ(preset_for_binary(80)->name, "A100");
    EXPECT_STREQ(preset_for_binary(60)->name, "TITAN_X_PASCAL");
    EXPECT_STREQ(preset_for_binary(103)->name, "B300");
    EXPECT_STREQ(preset_for_binary(120)->name, "RTX5090");
    EXPECT_EQ(preset_for_binary(130), nullptr);
}

TEST(Presets, DescribeTheQuadroV100) {
    const gpu_config gpu = make_gpu_config(loaded("QV100"));
    EXPECT_EQ(gpu.sms(), 80u);
    EXPECT_EQ(gpu.sub_partitions(), 64u);
    EXPECT_DOUBLE_EQ(gpu.clocks.core, 1132e6);
    EXPECT_DOUBLE_EQ(gpu.clocks.dram, 850e6);
    EXPECT_EQ(gpu.memory.partition.l2.bytes() * gpu.sub_partitions(), 6u * 1024 * 1024);
    EXPECT_EQ(gpu.memory.partition.dram.timing.tRC, 40u);
    EXPECT_TRUE(gpu.memory.partition.dram.dual_bus_interface);
    EXPECT_EQ(gpu.cores.sm.max_warps, 64u);
}

TEST(Presets, DescribeTheQuadroV100OfAccelSim) {
    const gpu_config gpu = make_gpu_config(loaded("QV100/accel-sim"));
    EXPECT_EQ(gpu.cores.sm.pipelines[core::pipe_spec + 2].label, "TENSOR");
    EXPECT_EQ(gpu.dispatch.kernel_launch_latency, 5000u);
}

TEST(Presets, AssignTheSmsOfAV100ToItsSixGpcs) {
    const interconnect::crossbar_config network = make_gpu_config(loaded("V100")).network.crossbar;
    EXPECT_EQ(network.gpc_flits, 4000u);
    ASSERT_EQ(network.gpc_of_cluster.size(), 86u);  // 80 SMs, and a cache of each GPC
    std::array<unsigned, 6> ports{};
    for (const unsigned gpc : network.gpc_of_cluster) ++ports.at(gpc);
    EXPECT_THAT(ports, ::testing::ElementsAre(15, 15, 15, 15, 13, 13));
}

TEST(Presets, HaveTheMemoryOfTheirCards) {
    // For cards sold with several sizes, the size in Accel-Sim's configuration or of the measured
    // card.
    const std::pair<const char*, double> cards[] = {
        {"GTX480", 1.5},   {"TITAN_X_PASCAL", 12}, {"TITAN_V", 12},   {"QV100", 32},
        {"V100", 32},      {"RTX2060", 6},         {"RTX2080TI", 11}, {"RTX3070", 8},
        {"RTX3080", 10},   {"RTX3090", 24},        {"RTXA6000", 48},  {"A100", 40},
        {"H100_PCIE", 80}, {"RTX4070", 12},        {"RTX4090", 24},   {"RTX5090", 32},
        {"B200", 180},     {"B300", 268.59375}};
    constexpr double gibibyte = 1u << 30;
    for (const auto& [preset, size] : cards)
        EXPECT_EQ(static_cast<double>(loaded(preset).natural("--device-memory")), size * gibibyte)
            << preset;
}

TEST(Presets, DescribeTheTitanXWithItsRouters) {
    const gpu_config gpu = make_gpu_config(loaded("TITAN_X_PASCAL"));
    EXPECT_EQ(gpu.network.kind, interconnect::network_kind::router);
    EXPECT_EQ(gpu.network.router.values.at("k"), "52");
    EXPECT_EQ(gpu.network.clusters + gpu.network.memories, 52u);
    EXPECT_EQ(gpu.cores.sm.l1.data.allocation, cache::allocation_policy::streaming);
    EXPECT_TRUE(gpu.cores.sm.ignore_resource_limits);
}

}  // namespace
}  // namespace simtlm::platform
