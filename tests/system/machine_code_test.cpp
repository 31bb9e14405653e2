// SPDX-License-Identifier: Apache-2.0
// Machine code against the PTX that it was made of: the same memory, bit for bit.
#include "tests/system/simulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace simtlm::test {
namespace {

const std::string kernels = SIMTLM_MACHINE_CODE "/kernels";

/// A kernel and how it is launched: threads read `a`, write `o`, and know how long `a` is.
struct launched_kernel {
    const char* name;
    const char* input;   ///< type and count
    const char* filled;  ///< with what
    unsigned count;
    const char* output;
    unsigned blocks, threads;
};
constexpr launched_kernel launched[] = {
    {"ints", "u32 256", "random 3", 256, "u32 8192", 2, 128},
    {"flts", "f32 256", "random 5 -100 100", 256, "f32 8192", 2, 128},
    {"dbls", "f64 256", "random 6 -100 100", 256, "f64 4096", 2, 128},
    {"ctl", "u32 1024", "random 7", 1024, "u32 1024", 4, 256},
    {"warp", "u32 1024", "random 8", 1024, "u32 1200", 4, 256},
    {"mem", "u32 1024", "random 9", 1024, "u32 8192", 4, 256},
    {"lock", "u32 64", "random 10", 64, "u32 128", 1, 64},
};

std::string script(const launched_kernel& k) {
    return fmt::format(
        "buffer a {} {}\nbuffer o {} zero\nlaunch {} grid {} block {} args a o s32:{}\n"
        "output o result.bin\n",
        k.input, k.filled, k.output, k.name, k.blocks, k.threads, k.count);
}

class MachineCode : public testing::TestWithParam<std::tuple<int, unsigned>> {};

TEST_P(MachineCode, LeavesTheSameMemoryAsItsPtx) {
    const launched_kernel& k = launched[std::get<0>(GetParam())];
    const scratch_folder folder;
    const std::string file = folder.write("run.launch", script(k));
    const outcome ptx =
        simulate({"-gpgpu_ptx_sim_mode", "1", "--ptx", kernels + ".ptx", "--launch", file});
    ASSERT_EQ(ptx.code, 0) << ptx.err;
    const std::string expected = read_file(folder.path("result.bin"));
    folder.write("result.bin", "");
    const outcome code = simulate({"-gpgpu_ptx_sim_mode", "1", "--cubin",
                                   fmt::format("{}.sm_{}.cubin", kernels, std::get<1>(GetParam())),
                                   "--launch", file});
    ASSERT_EQ(code.code, 0) << code.err;
    const std::string found = read_file(folder.path("result.bin"));
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found == expected);
}

INSTANTIATE_TEST_SUITE_P(Kernels, MachineCode,
                         testing::Combine(testing::Range(0, 7), testing::Values(75, 80, 86, 90)),
                         [](const auto& p) {
                             return fmt::format("{}_sm_{}", launched[std::get<0>(p.param)].name,
                                                std::get<1>(p.param));
                         });

TEST(MachineCodeProgram, RefusesBeforeTheLaunchWhatIsNotExecutedAndNamesIt) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch", "buffer a u32 32 zero\nlaunch prints grid 1 block 32 args a\n");
    const outcome run = simulate(
        {"-gpgpu_ptx_sim_mode", "1", "--cubin", kernels + ".sm_80.cubin", "--launch", file});
    EXPECT_EQ(run.code, 2);
    ASSERT_EQ(run.error_lines().size(), 1u) << run.err;
    EXPECT_NE(run.err.find("prints"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("vprintf"), std::string::npos) << run.err;
}

TEST(MachineCodeProgram, IsNotRunWithTime) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch", script(launched[0]));
    const outcome run =
        simulate({"--preset", "TINY", "--cubin", kernels + ".sm_75.cubin", "--launch", file});
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("-gpgpu_ptx_sim_mode"), std::string::npos) << run.err;
}

TEST(MachineCodeProgram, AFaultTellsWhereTheInstructionLies) {
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", "buffer a u32 64 zero\nlaunch lock grid 1 block 64 args a u64:16 s32:64\n");
    const outcome run = simulate(
        {"-gpgpu_ptx_sim_mode", "1", "--cubin", kernels + ".sm_75.cubin", "--launch", file});
    EXPECT_NE(run.code, 0);
    EXPECT_NE(run.err.find("lock+0x"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace simtlm::test
