// SPDX-License-Identifier: Apache-2.0
// A run saved between two kernels and resumed in another process ends like an uninterrupted one:
// --checkpoint, --resume.
//
// SIMTLM_CONFIGURATIONS=200 tests more random GPUs, SIMTLM_SEED=7 different ones.
#include "tests/system/random_configuration.h"
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;

/// A list of kernels of the sample traces.
std::string list_of(const scratch_folder& folder, const std::vector<std::string>& samples) {
    std::string text;
    for (const std::string& s : samples) {
        const std::string file = folder.path(s + ".traceg.xz");
        if (!std::filesystem::exists(file))
            std::filesystem::copy_file(std::string(SIMTLM_TRACES) + "/" + s + "/kernel-1.traceg.xz",
                                       file);
        text += s + ".traceg.xz\n";
    }
    return folder.write("kernelslist.g", text);
}

struct result {
    outcome run;
    nlohmann::json statistics;
};

result run(const scratch_folder& folder, std::vector<std::string> arguments,
           const std::vector<std::string>& more) {
    const std::string file = folder.path("statistics.json");
    arguments.insert(arguments.end(), {"--quiet", "--stats-json", file});
    arguments.insert(arguments.end(), more.begin(), more.end());
    result r{simulate(arguments), {}};
    if (r.run.code != 0) return r;
    r.statistics = read_json(file);
    for (const char* how : {"config", "origins", "provenance"}) r.statistics.erase(how);
    return r;
}

/// The report after the opening line of every run.
std::string after_header(const std::string& report) {
    const std::size_t at = report.find("kernel_name");
    return at == std::string::npos ? "" : report.substr(at);
}

/// Compares a whole run, a saved run, and the resumed run.
/// @return whether a checkpoint could be written
bool compare(const scratch_folder& folder, const std::vector<std::string>& gpu, unsigned kernels,
             const std::vector<std::string>& otherwise = {}) {
    std::string line;
    for (const std::string& word : gpu) line += word + " ";
    SCOPED_TRACE(line);
    const std::string file = folder.path("checkpoint");
    std::filesystem::remove(file);
    const result whole = run(folder, gpu, {});
    if (whole.run.code != 0) return false;
    const result saved =
        run(folder, gpu, {"--checkpoint", file, "--checkpoint-at", std::to_string(kernels)});
    EXPECT_EQ("", first_difference(whole.run.report(), saved.run.report()));
    if (saved.run.code != 0) {
        EXPECT_THAT(saved.run.err, HasSubstr("is not written"));
        return false;
    }
    std::vector<std::string> resume = {"--resume", file};
    resume.insert(resume.end(), otherwise.begin(), otherwise.end());
    const result resumed = run(folder, gpu, resume);
    EXPECT_EQ(0, resumed.run.code) << resumed.run.err;
    EXPECT_TRUE(whole.statistics == resumed.statistics) << "the JSON files differ";
    // The resumed run prints exactly the remaining output of the whole run.
    const std::string all = whole.run.report(), rest = after_header(resumed.run.report());
    EXPECT_GE(all.size(), rest.size());
    EXPECT_FALSE(rest.empty());
    EXPECT_EQ("",
              first_difference(all.substr(all.size() - std::min(all.size(), rest.size())), rest));
    return true;
}

class CheckpointOnPreset : public testing::TestWithParam<const char*> {};

TEST_P(CheckpointOnPreset, ResumedRunHasTheStatisticsOfAnUninterruptedRun) {
    const scratch_folder folder;
    const std::string list =
        list_of(folder, {"vecadd", "reduction", "histogram", "vecadd", "async_copy"});
    const std::vector<std::string> gpu = {"--preset", GetParam(), "--any-binary-version", "-trace",
                                          list};
    for (const unsigned kernels : {1u, 3u}) EXPECT_TRUE(compare(folder, gpu, kernels));
}

INSTANTIATE_TEST_SUITE_P(Presets, CheckpointOnPreset,
                         testing::Values("TINY", "QV100", "RTX2060", "H100_PCIE"),
                         [](const auto& name) { return std::string(name.param); });

class Checkpoint : public testing::Test {
protected:
    scratch_folder folder_;
    std::string file_ = folder_.path("checkpoint");
    std::string list_ = list_of(folder_, {"vecadd", "reduction", "vecadd"});
    std::vector<std::string> with(std::vector<std::string> more) const {
        return on_tiny(list_, std::move(more));
    }
    void save() const {
        const outcome o = simulate(with({"--checkpoint", file_, "--checkpoint-at", "1"}));
        ASSERT_EQ(0, o.code) << o.err;
    }
};

TEST_F(Checkpoint, SavesKernelsOfSeveralStreamsBeforeAnyOfThemBegins) {
    EXPECT_TRUE(compare(folder_,
                        on_tiny(sample("streams"), {"-gpgpu_kernel_launch_latency", "5000",
                                                    "-gpgpu_max_concurrent_kernel", "1"}),
                        1));
}

TEST_F(Checkpoint, ResumesWithShuffledProcessesOtherThreadsAndWithoutSleep) {
    for (const std::vector<std::string>& way :
         {std::vector<std::string>{"--no-sleep"}, std::vector<std::string>{"--threads", "2"},
          std::vector<std::string>{"--processes", "block"},
          std::vector<std::string>{"--shuffle-seed", "5"}})
        EXPECT_TRUE(compare(folder_, with({}), 2, way)) << way.front();
}

TEST_F(Checkpoint, IsWrittenAndResumedBySeveralHostThreads) {
    EXPECT_TRUE(compare(
        folder_, {"--preset", "QV100", "--threads", "2", "--any-binary-version", "-trace", list_},
        1, {"--threads", "3"}));
}

TEST_F(Checkpoint, AcceptsTheOptionNamesOfAccelSim) {
    const std::string here = "cd " + folder_.path("") + ";";
    const outcome saved = simulate_from_shell(
        here, with({"-checkpoint_option", "1", "-checkpoint_kernel", "2"}), ">saved");
    ASSERT_EQ(0, saved.code) << saved.err;
    EXPECT_TRUE(std::filesystem::exists(folder_.path("checkpoint_files/kernel_2.checkpoint")));
    const outcome resumed =
        simulate_from_shell(here, with({"-resume_option", "1", "-resume_kernel", "2"}), ">resumed");
    EXPECT_EQ(0, resumed.code) << resumed.err;
    const std::string rest = after_header(read_file(folder_.path("resumed")));
    EXPECT_THAT(rest, HasSubstr("kernel_launch_uid = 3"));
}

/// A checkpoint within a kernel pauses it: the run that writes it and the resumed one are equal.
void compare_within_kernel(const scratch_folder& folder, const std::vector<std::string>& gpu,
                           const std::vector<std::string>& place,
                           const std::vector<std::string>& otherwise = {}) {
    const std::string file = folder.path("checkpoint");
    std::vector<std::string> save = {"--checkpoint", file};
    save.insert(save.end(), place.begin(), place.end());
    const result saved = run(folder, gpu, save);
    ASSERT_EQ(0, saved.run.code) << saved.run.err;
    std::vector<std::string> resume = {"--resume", file};
    resume.insert(resume.end(), otherwise.begin(), otherwise.end());
    const result resumed = run(folder, gpu, resume);
    ASSERT_EQ(0, resumed.run.code) << resumed.run.err;
    EXPECT_TRUE(saved.statistics == resumed.statistics) << "the JSON files differ";
    const std::string all = saved.run.report(), rest = after_header(resumed.run.report());
    EXPECT_FALSE(rest.empty());
    EXPECT_EQ("",
              first_difference(all.substr(all.size() - std::min(all.size(), rest.size())), rest));
}

TEST_F(Checkpoint, WithinAKernelIsWrittenBetweenItsThreadBlocks) {
    compare_within_kernel(folder_, with({}), {"--checkpoint-blocks", "3"});
    compare_within_kernel(folder_, with({}), {"--checkpoint-at", "1", "--checkpoint-blocks", "2"},
                          {"--shuffle-seed", "5"});
    compare_within_kernel(folder_,
                          {"--preset", "H100_PCIE", "--any-binary-version", "-gpgpu_n_clusters",
                           "4", "-trace", list_},
                          {"--checkpoint-at", "1", "--checkpoint-blocks", "2"});
    const outcome o =
        simulate(with({"--checkpoint", file_, "--checkpoint-at", "1", "--checkpoint-blocks", "2"}));
    EXPECT_THAT(o.out + o.err, HasSubstr("the checkpoint is within a kernel: after 2 of its"));
    const outcome few = simulate(with({"--checkpoint", file_, "--checkpoint-blocks", "99999"}));
    EXPECT_EQ(2, few.code);
    EXPECT_THAT(few.err, HasSubstr("fewer than 99999 thread blocks were placed"));
}

TEST_F(Checkpoint, RestoresTheMemoryOfAProgram) {
    const std::string ptx = folder_.write("increment.ptx", R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry increment(.param .u64 p) {
    .reg .u64 %rd<4>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd3], %r3;
    ret;
}
)");
    const std::string launches = folder_.write("increment.launch",
                                               "buffer data u32 4 values 1 2 3 4\n"
                                               "launch increment grid 1 block 4 args data\n"
                                               "launch increment grid 1 block 4 args data\n"
                                               "launch increment grid 1 block 4 args data\n"
                                               "expect data values 4 5 6 7\n");
    EXPECT_TRUE(compare(folder_, {"--preset", "QV100", "--ptx", ptx, "--launch", launches}, 2));
    const std::string blocks = folder_.write("blocks.launch",
                                             "buffer data u32 4 values 1 2 3 4\n"
                                             "launch increment grid 6 block 4 args data\n"
                                             "launch increment grid 1 block 4 args data\n");
    compare_within_kernel(
        folder_, {"--preset", "TINY", "--any-binary-version", "--ptx", ptx, "--launch", blocks},
        {"--checkpoint-blocks", "4"});
}

TEST_F(Checkpoint, OfAnotherGpuIsRejectedNamingTheOptionThatDiffers) {
    save();
    const outcome o = simulate(with({"--resume", file_, "-gpgpu_l2_rop_latency", "77"}));
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("-gpgpu_l2_rop_latency"));
    EXPECT_THAT(o.err, HasSubstr("instead of 77"));
}

TEST_F(Checkpoint, OfAnotherTraceIsRejected) {
    save();
    const scratch_folder other;
    const outcome o = simulate(
        on_tiny(list_of(other, {"histogram", "reduction", "vecadd"}), {"--resume", file_}));
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("other contents"));
}

TEST_F(Checkpoint, OfATraceWithOtherContentsUnderTheSameNamesIsRejected) {
    save();
    namespace fs = std::filesystem;
    for (const char* after : {"reduction", "vecadd"}) {  // the first kernel is vecadd
        const std::string file = folder_.path(std::string(after) + ".traceg.xz");
        const std::string before = read_file(file);
        fs::copy_file(std::string(SIMTLM_TRACES) + "/histogram/kernel-1.traceg.xz", file,
                      fs::copy_options::overwrite_existing);
        const outcome o = simulate(with({"--resume", file_}));
        folder_.write(std::string(after) + ".traceg.xz", before);
        if (std::string(after) == "reduction") continue;  // has not run when the run was saved
        EXPECT_EQ(2, o.code);
        EXPECT_THAT(o.err, HasSubstr("other contents"));
    }
}

TEST_F(Checkpoint, WithAChangedHeaderIsRejected) {
    save();
    const std::string text = read_file(file_);
    const std::size_t at = text.find("\"time\":") + 7;
    ASSERT_LT(at, text.size());
    for (const char* time : {"3", "930000000", "9223372036854775808"}) {
        std::string other = text;
        other.replace(at, other.find_first_of(",}", at) - at, time);
        const outcome o = simulate(with({"--resume", folder_.write("changed", other)}));
        EXPECT_EQ(2, o.code) << time;
        EXPECT_THAT(o.err, HasSubstr("is truncated or damaged"));
    }
}

TEST_F(Checkpoint, ThatIsDamagedOrOfAnotherFormatIsRejected) {
    save();
    std::string text = read_file(file_);
    const std::string missing = folder_.path("missing");
    const std::string none = folder_.write("none", "hello\n");
    const std::string cut = folder_.write("cut", text.substr(0, text.size() - 100));
    text[text.size() - 50] = static_cast<char>(text[text.size() - 50] ^ 0x55);
    const std::string damaged = folder_.write("damaged", text);
    for (const std::string& file : {missing, none, cut, damaged}) {
        const outcome o = simulate(with({"--resume", file}));
        EXPECT_EQ(2, o.code) << file;
        EXPECT_EQ(1u, o.error_lines().size()) << o.err;
        EXPECT_THAT(o.err, HasSubstr(file));
    }
}

TEST_F(Checkpoint, ThatCouldNotBeWrittenIsAnError) {
    const outcome o = simulate(with({"--checkpoint", file_, "--checkpoint-at", "3"}));
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("is not written"));
    EXPECT_FALSE(std::filesystem::exists(file_));
    for (const std::string& f : folder_.files()) EXPECT_EQ(std::string::npos, f.find(".part")) << f;
}

TEST_F(Checkpoint, RejectsIncompatibleOptions) {
    save();
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--checkpoint", file_},
          std::vector<std::string>{"--checkpoint-at", "2"},
          std::vector<std::string>{"--checkpoint-at", "0"},
          std::vector<std::string>{"--resume", file_, "--sample"},
          std::vector<std::string>{"--resume", file_, "--vcd", folder_.path("w.vcd")}}) {
        const outcome o = simulate(with(more));
        EXPECT_EQ(2, o.code) << more.back() << o.err;
    }
}

TEST_F(Checkpoint, OfAProgramWithFunctionalLaunchesIsRejectedInOneLine) {
    for (const std::vector<std::string>& choice :
         {std::vector<std::string>{"--kernels", "2"},
          std::vector<std::string>{"--skip-kernels", "1"}}) {
        std::vector<std::string> arguments = {"--preset",        "TINY",
                                              "--ptx",           SIMTLM_PROGRAMS "/saxpy.ptx",
                                              "--launch",        SIMTLM_PROGRAMS "/saxpy.launch",
                                              "--checkpoint",    folder_.path("program.checkpoint"),
                                              "--checkpoint-at", "1"};
        arguments.insert(arguments.end(), choice.begin(), choice.end());
        const outcome o = simulate(arguments);
        EXPECT_EQ(2, o.code);
        EXPECT_THAT(o.err, HasSubstr("cannot be combined with checkpoints of programs"));
        EXPECT_EQ(1, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
        EXPECT_FALSE(std::filesystem::exists(folder_.path("program.checkpoint")));
    }
}

class CheckpointOfRandomGpu : public testing::TestWithParam<unsigned> {};

constexpr unsigned parts = 2;  // tests that can run in parallel

TEST_P(CheckpointOfRandomGpu, ResumedRunHasTheStatisticsOfAnUninterruptedRun) {
    const std::uint64_t seed = from_environment("SIMTLM_SEED", 3);
    const std::uint64_t wanted = from_environment("SIMTLM_CONFIGURATIONS", 12);
    std::uint64_t drawn = 0, tried = 0;
    for (std::uint64_t number = GetParam(); tried * parts + GetParam() < wanted; number += parts) {
        ASSERT_LT(drawn, 4 * wanted + 20) << "most GPUs are refused, or never at rest";
        ++drawn;
        const scratch_folder folder;
        const random_configuration gpu(seed, number, folder);
        std::vector<std::string> arguments = gpu.options;
        const std::string trace = gpu.trace == "sample" ? "vecadd" : gpu.trace;
        arguments.insert(arguments.end(),
                         {"-trace", list_of(folder, {trace, "vecadd", trace, "reduction"})});
        SCOPED_TRACE("number " + std::to_string(number));
        if (compare(folder, arguments, 1 + static_cast<unsigned>(number % 3))) ++tried;
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, CheckpointOfRandomGpu, testing::Range(0u, parts));

}  // namespace
}  // namespace simtlm::test
