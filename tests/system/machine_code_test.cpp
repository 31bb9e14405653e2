// SPDX-License-Identifier: Apache-2.0
// Machine code compared with the PTX that it was compiled from: identical memory contents.
#include "modules/execution/state/tensor_map.h"
#include "tests/system/simulator.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

const std::string kernels = SIMTLM_MACHINE_CODE "/kernels";

/// A kernel and its launch: threads read `a`, write `o`, and know the length of `a`.
struct launched_kernel {
    const char* name;
    const char* input;   ///< type and count
    const char* filled;  ///< fill pattern
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
                         testing::Combine(testing::Range(0, 7),
                                          testing::Values(75, 80, 86, 90, 120)),
                         [](const auto& p) {
                             return fmt::format("{}_sm_{}", launched[std::get<0>(p.param)].name,
                                                std::get<1>(p.param));
                         });

/// A kernel of generated.cu.
struct generated_kernel {
    const char* name;
    const char* input;
    const char* arguments;
    unsigned words;  ///< number of results
};
constexpr generated_kernel generated_kernels[] = {
    {"generated", "u32 2048 random 12", "a o s32:3", 640},
    {"leaves_loops", "u32 8192 random 13",
     "a a+4096 o s64:1 s64:133 s64:11 s64:1 s64:1 s64:5 s64:4 s64:25", 32},
    {"past_the_end", "u32 2048 random 14", "a o s32:3", 32},
};
class GeneratedCode : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(GeneratedCode, LeavesTheSameMemoryAsItsPtx) {
    const generated_kernel& k = generated_kernels[std::get<0>(GetParam())];
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", fmt::format("buffer a {}\nbuffer o u32 {} zero\n"
                                  "launch {} grid 1 block 32 args {}\noutput o result.bin\n",
                                  k.input, k.words, k.name, k.arguments));
    const auto run = [&](const char* what, const std::string& code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", what, SIMTLM_MACHINE_CODE "/" + code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("--ptx", "generated.ptx");
    ASSERT_EQ(expected.size(), 4 * k.words);
    EXPECT_EQ(run("--cubin", fmt::format("{}.cubin", std::get<1>(GetParam()))), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, GeneratedCode,
    testing::Combine(testing::Range(0, 3),
                     testing::Values("generated.sm_80", "generated.sm_86", "generated.sm_90",
                                     "generated_relocatable.sm_80", "generated_relocatable.sm_90",
                                     "generated_unoptimised.sm_90")),
    [](const auto& p) {
        std::string name = std::get<1>(p.param);
        name.erase(name.find('.'), 1);
        return fmt::format("{}_{}", generated_kernels[std::get<0>(p.param)].name, name);
    });

/// An architecture, a GPU that has it, and a program with stored machine code for it.
struct stored_program {
    unsigned architecture;
    const char* preset;
    const char* name;
    unsigned words;  ///< number of results
    const char* kernel = "tensor";
};
void PrintTo(const stored_program& p, std::ostream* to) {
    *to << p.preset;
}
class StoredProgram : public testing::TestWithParam<stored_program> {};

TEST_P(StoredProgram, LeavesTheSameMemoryAsItsPtx) {
    const stored_program& p = GetParam();
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch", fmt::format("buffer a u32 2048 random 11\nbuffer o u32 {} zero\n"
                                               "launch {} grid 1 block 32 args a o s32:3\n"
                                               "output o result.bin\n",
                                               p.words, p.kernel));
    const std::string path = SIMTLM_MACHINE_CODE "/" + std::string(p.name);
    const auto run = [&](const char* what, const std::string& code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", "--preset", p.preset, what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    // Tensor cores sum like those of the GPU, whatever target the PTX names.
    const std::string expected = run("--ptx", path + ".ptx");
    ASSERT_EQ(expected.size(), 4 * p.words);
    EXPECT_EQ(run("--cubin", fmt::format("{}.sm_{}.cubin", path, p.architecture)), expected);
}

INSTANTIATE_TEST_SUITE_P(TensorProducts, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "tensor_75", 672},
                                         stored_program{70, "QV100", "tensor_70", 3072},
                                         stored_program{80, "A100", "tensor_80", 3296},
                                         stored_program{86, "RTX3070", "tensor_80", 3296},
                                         stored_program{90, "H100_PCIE", "tensor_80", 3296}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(NegatedRegisters, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "negated", 128},
                                         stored_program{80, "A100", "negated", 128},
                                         stored_program{86, "RTX3070", "negated", 128},
                                         stored_program{90, "H100_PCIE", "negated", 128}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(SparseProducts, StoredProgram,
                         testing::Values(stored_program{80, "A100", "sparse_80", 5760, "sparse"},
                                         stored_program{86, "RTX3070", "sparse_80", 5760, "sparse"},
                                         stored_program{90, "H100_PCIE", "sparse_80", 5760,
                                                        "sparse"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });
INSTANTIATE_TEST_SUITE_P(
    SparseNibbles, StoredProgram,
    testing::Values(stored_program{80, "A100", "nibbles_80", 3072, "nibbles"},
                    stored_program{86, "RTX3070", "nibbles_80", 3072, "nibbles"},
                    stored_program{90, "H100_PCIE", "nibbles_80", 3072, "nibbles"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// I2IP on all architectures, F2IP from sm_86 on.
INSTANTIATE_TEST_SUITE_P(NarrowIntegers, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "narrow", 1728, "narrow"},
                                         stored_program{86, "RTX3070", "narrow", 1728, "narrow"},
                                         stored_program{90, "H100_PCIE", "narrow", 1728, "narrow"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// I2IP whose third source is the upper half of a register.
INSTANTIATE_TEST_SUITE_P(
    NarrowIntegersAndHalves, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "narrow_halves", 128, "narrow_halves"},
                    stored_program{80, "A100", "narrow_halves", 128, "narrow_halves"},
                    stored_program{90, "H100_PCIE", "narrow_halves", 128, "narrow_halves"},
                    stored_program{120, "RTX5090", "narrow_halves", 128, "narrow_halves"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Double-precision shapes introduced by Hopper.
INSTANTIATE_TEST_SUITE_P(DoubleProducts, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "doubles_90", 768,
                                                        "doubles"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(Tf32, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "tf32_90", 128, "tf32"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Minimum and maximum of three, of sums and of halves (DPX), and warp reductions.
INSTANTIATE_TEST_SUITE_P(DynamicProgramming, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "dpx_90", 5376, "dpx"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// blackwell.ptx has what sm_90 lacks, scaled_120.ptx and sparse_scaled_120.ptx the products of
// sm_120; products of single bits are functions of ptxas.
INSTANTIATE_TEST_SUITE_P(
    Blackwell, StoredProgram,
    testing::Values(stored_program{100, "RTX5090", "blackwell", 2048, "blackwell"},
                    stored_program{120, "RTX5090", "blackwell", 2048, "blackwell"},
                    stored_program{120, "RTX5090", "scaled_120", 1536, "scaled"},
                    stored_program{120, "RTX5090", "sparse_scaled_120", 768, "sparse_scaled"},
                    stored_program{100, "RTX5090", "single_bits", 640, "single_bits"},
                    stored_program{120, "RTX5090", "single_bits", 640, "single_bits"},
                    stored_program{100, "RTX5090", "accesses", 544, "accesses"},
                    stored_program{120, "RTX5090", "accesses", 544, "accesses"},
                    stored_program{100, "RTX5090", "conditions", 384, "conditions"},
                    stored_program{120, "RTX5090", "conditions", 384, "conditions"},
                    stored_program{100, "RTX5090", "dpx_90", 5376, "dpx"},
                    stored_program{110, "RTX5090", "dpx_90", 5376, "dpx"},
                    stored_program{120, "RTX5090", "dpx_90", 5376, "dpx"}),
    [](const auto& p) { return fmt::format("{}_sm_{}", p.param.name, p.param.architecture); });

// The low words of some comparisons of 64 bits need not be compared.
INSTANTIATE_TEST_SUITE_P(HighWords, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "high_words", 192,
                                                        "high_words"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// A constant in a conversion of 64 bits is the high word.
INSTANTIATE_TEST_SUITE_P(
    HighConstants, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "high_constants", 512, "high_constants"},
                    stored_program{90, "H100_PCIE", "high_constants", 512, "high_constants"},
                    stored_program{120, "RTX5090", "high_constants", 512, "high_constants"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Constants are also loaded by products of zeros in bfloat16.
INSTANTIATE_TEST_SUITE_P(BfloatConstants, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "bfloat_constant_90", 32,
                                                        "bfloat_constant"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Code for Hopper that was compiled without the reserved part of shared memory.
INSTANTIATE_TEST_SUITE_P(SharedMemoryFromAddress0, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "unreserved_90", 32,
                                                        "unreserved"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Uniform registers that are kept in registers meanwhile, conversions and sign extensions of
// uniform values and constants, bytes of a word, sums of 128 bits, differences of halves of a word.
INSTANTIATE_TEST_SUITE_P(
    BlackwellForms, StoredProgram,
    testing::Values(stored_program{100, "RTX5090", "uniform_120", 384, "uniform"},
                    stored_program{120, "RTX5090", "uniform_120", 384, "uniform"},
                    stored_program{120, "RTX5090", "wide_sums", 416, "wide_sums"},
                    stored_program{120, "RTX5090", "packed_120", 896, "packed"},
                    stored_program{120, "RTX5090", "uniform_conversions_120", 96, "conversions"},
                    stored_program{100, "RTX5090", "uniform_spills", 64, "spills"},
                    stored_program{120, "RTX5090", "uniform_spills", 64, "spills"},
                    stored_program{100, "RTX5090", "uniform_spills", 96, "converts"},
                    stored_program{120, "RTX5090", "uniform_spills", 96, "converts"}),
    [](const auto& p) { return fmt::format("{}_sm_{}", p.param.kernel, p.param.architecture); });

TEST(UniformForms, LeaveTheSameMemoryAsTheirPtx) {
    const char* const names[] = {
        "mask",         "clamped_mask",  "saturated",       "packed_bytes", "packed_halves",
        "byte",         "floor_byte",    "saturated_sum",   "half_word",    "bfloat_half_word",
        "bfloat",       "numbers",       "unsigned_bfloat", "less",         "rounded_bfloat",
        "rounded_tf32", "truncated_tf32"};
    std::string text = fmt::format("buffer o u32 {} zero\n", 4 * std::size(names));
    for (unsigned n = 0; n < std::size(names); ++n)
        text += fmt::format("launch {} grid 1 block 1 args o+{}\n", names[n], 16 * n);
    const scratch_folder folder;
    const std::string file = folder.write("run.launch", text + "output o result.bin\n");
    const std::string path = SIMTLM_MACHINE_CODE "/uniform_forms_120";
    const auto run = [&](const char* what, const std::string& code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", "--preset", "RTX5090", what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("--ptx", path + ".ptx");
    ASSERT_EQ(expected.size(), 16 * std::size(names));
    EXPECT_EQ(run("--cubin", path + ".sm_120.cubin"), expected);
}

// Lanes that wait for lanes of their warp pass convergence barriers in their loop; those that wait
// for them outside of it continue nevertheless.
TEST(MachineCodeProgram, LanesContinueWhileOthersPassBarriersInALoop) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch",
                     "buffer a u32 2048 random 11\nbuffer o u32 64 zero\n"
                     "launch permits grid 1 block 32 args a o s32:3\noutput o result.bin\n");
    const outcome o = simulate({"-gpgpu_ptx_sim_mode", "1", "--preset", "RTX2060", "--cubin",
                                SIMTLM_MACHINE_CODE "/permits.sm_75.cubin", "--launch", file});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::string result = read_file(folder.path("result.bin"));
    ASSERT_EQ(result.size(), 256u);
    std::array<std::uint32_t, 64> words;
    std::memcpy(words.data(), result.data(), sizeof words);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(words[lane], lane + 1);
        EXPECT_EQ(words[32 + lane], 3u);
    }
    const std::size_t at = o.out.find("NANOSLEEP");
    ASSERT_NE(at, std::string::npos) << o.out;
    const std::size_t number = o.out.find_first_of("0123456789", at);
    EXPECT_LT(std::stoul(o.out.substr(number)), 200u) << o.out;
}

// Absolute values of pairs of floats.
INSTANTIATE_TEST_SUITE_P(AbsolutePairs, StoredProgram,
                         testing::Values(stored_program{100, "B200", "absolute_pairs_100", 384,
                                                        "pairs"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Words of pairs of 4-bit floats.
INSTANTIATE_TEST_SUITE_P(
    PackedFloats, StoredProgram,
    testing::Values(stored_program{100, "B200", "packed_floats_100", 64, "packed"},
                    stored_program{100, "B200", "packed_floats_100", 128, "unpacked"}),
    [](const auto& p) { return p.param.kernel; });

// Loads of tensor memory with a reduction.
INSTANTIATE_TEST_SUITE_P(ReducedLoads, StoredProgram,
                         testing::Values(stored_program{103, "B200", "reduced_loads_103", 768,
                                                        "reduced"}),
                         [](const auto& p) { return p.param.kernel; });

// Stochastic rounding.
INSTANTIATE_TEST_SUITE_P(StochasticRounding, StoredProgram,
                         testing::Values(stored_program{100, "B200", "stochastic_100", 320,
                                                        "stochastic"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Signs of uniform registers.
INSTANTIATE_TEST_SUITE_P(
    UniformSaturation, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "uniform_saturation", 7, "saturation"},
                    stored_program{90, "H100_PCIE", "uniform_saturation", 7, "saturation"},
                    stored_program{100, "B200", "uniform_saturation", 7, "saturation"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Minima and maxima of three halves.
INSTANTIATE_TEST_SUITE_P(
    ThreeHalves, StoredProgram,
    testing::Values(stored_program{90, "H100_PCIE", "halves_90", 256, "halves"},
                    stored_program{100, "RTX5090", "halves_90", 256, "halves"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// mma.m8n8k4 is executed in steps, also on Turing.
INSTANTIATE_TEST_SUITE_P(QuadPairs, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "tensor_70", 3072}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(CooperativeGroups, StoredProgram,
                         testing::Values(stored_program{80, "A100", "tiles", 224, "tiles"},
                                         stored_program{86, "RTX3070", "tiles", 224, "tiles"},
                                         stored_program{90, "H100_PCIE", "tiles", 224, "tiles"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Products of 8-bit floats, introduced by Ada.
INSTANTIATE_TEST_SUITE_P(BytesOfFloats, StoredProgram,
                         testing::Values(stored_program{89, "RTX4090", "bytes_89", 1152, "bytes"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// ptxas computes sparse products of 8-bit floats with those of halves on sm_90, and rearranges
// their metadata.
INSTANTIATE_TEST_SUITE_P(SparseBytesOfFloats, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "sparse_bytes_90", 128,
                                                        "sparse_bytes"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(UniformIndexedBranches, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "jumps", 128, "jumps"},
                                         stored_program{80, "A100", "jumps", 128, "jumps"},
                                         stored_program{90, "H100_PCIE", "jumps", 128, "jumps"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// A barrier of the CTA waits for each lane of a warp separately.
INSTANTIATE_TEST_SUITE_P(
    LateLanes, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "late_lanes", 32, "late_lanes"},
                    stored_program{80, "A100", "late_lanes", 32, "late_lanes"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Atomic exchange, atomics through generic pointers, loads of narrow constants, special registers.
INSTANTIATE_TEST_SUITE_P(Accesses, StoredProgram,
                         testing::Values(stored_program{70, "QV100", "accesses", 544, "accesses"},
                                         stored_program{75, "RTX2060", "accesses", 544, "accesses"},
                                         stored_program{80, "A100", "accesses", 544, "accesses"},
                                         stored_program{86, "RTX3070", "accesses", 544, "accesses"},
                                         stored_program{90, "H100_PCIE", "accesses", 544,
                                                        "accesses"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Multicast instructions are refused when they are executed.
INSTANTIATE_TEST_SUITE_P(Multicast, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "multimem_90", 32,
                                                        "multimem"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

TEST(Multicast, IsRejectedByNameWhenItIsExecuted) {
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", "buffer a u32 32 zero\nlaunch multimem grid 1 block 32 args a a s32:4\n");
    const std::string path = SIMTLM_MACHINE_CODE "/multimem_90";
    for (const auto& [what, code, name] :
         {std::tuple{"--ptx", ".ptx", "multimem.ld_reduce.relaxed.sys.global.add.u32"},
          std::tuple{"--cubin", ".sm_90.cubin", "LDGMC.E.ADD.32.STRONG.SYS"}}) {
        const outcome o = simulate({"-gpgpu_ptx_sim_mode", "1", "--preset", "H100_PCIE", what,
                                    path + code, "--launch", file});
        EXPECT_EQ(o.code, 2);
        EXPECT_NE(o.err.find(name), std::string::npos) << o.err;
    }
}

/// An architecture and a GPU that has it.
class WideConstants : public testing::TestWithParam<std::pair<unsigned, const char*>> {};

TEST_P(WideConstants, AreReadBeyond32KilobytesOfTheirBank) {
    const auto [architecture, preset] = GetParam();
    const scratch_folder folder;
    std::string block;  // the last parameter of 32,760 bytes
    for (unsigned i = 0; i < 32744; ++i) block += static_cast<char>(i * 37 / 5);
    folder.write("block.bin", block);
    const std::string file = folder.write("run.launch",
                                          "buffer a u32 2048 random 11\nbuffer o u32 256 zero\n"
                                          "launch wide_constants grid 1 block 32 args a o "
                                          "file:block.bin\noutput o result.bin\n");
    const std::string path = SIMTLM_MACHINE_CODE "/wide_constants";
    const auto run = [&](const char* what, const std::string& code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", "--preset", preset, what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("--ptx", path + ".ptx");
    ASSERT_EQ(expected.size(), 1024u);
    std::uint32_t first[8];
    std::memcpy(first, expected.data(), sizeof first);
    std::uint32_t last = 0;
    std::memcpy(&last, &block[32740], sizeof last);
    EXPECT_EQ(first[0], last);
    EXPECT_EQ(first[4], 8447u * 7);
    EXPECT_EQ(run("--cubin", fmt::format("{}.sm_{}.cubin", path, architecture)), expected);
}

INSTANTIATE_TEST_SUITE_P(Gpus, WideConstants,
                         testing::Values(std::pair{75u, "RTX2060"}, std::pair{80u, "A100"},
                                         std::pair{90u, "H100_PCIE"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.first); });

/// A cubin of recursion.ptx, optimised or not.
struct recursive_program {
    const char* preset;
    const char* cubin;
};
void PrintTo(const recursive_program& p, std::ostream* to) {
    *to << p.cubin;
}
class RecursiveMachineCode : public testing::TestWithParam<recursive_program> {
protected:
    /// @param what  an option and its value: the program
    outcome run(const char* kernel, const std::vector<std::string>& what, std::string& result) {
        const scratch_folder folder;
        const std::string file =
            folder.write("run.launch", fmt::format("buffer a u32 2048 random 11\n"
                                                   "buffer o u32 672 zero\n"
                                                   "launch {} grid 1 block 32 args a o s32:2\n"
                                                   "output o result.bin\n",
                                                   kernel));
        folder.write("result.bin", "");
        std::vector<std::string> arguments{"-gpgpu_ptx_sim_mode", "1",        "--preset",
                                           GetParam().preset,     "--launch", file};
        arguments.insert(arguments.end(), what.begin(), what.end());
        const outcome o = simulate(arguments);
        result = read_file(folder.path("result.bin"));
        return o;
    }
    const std::string ptx = SIMTLM_MACHINE_CODE "/recursion.ptx";
    const std::string cubin = SIMTLM_MACHINE_CODE "/" + std::string(GetParam().cubin) + ".cubin";
};

TEST_P(RecursiveMachineCode, LeavesTheSameMemoryAsItsPtx) {
    std::string expected, found;
    const auto deep = [](const char* option, const std::string& program) {
        return std::vector<std::string>{option, program, "-gpgpu_stack_size_limit", "32768"};
    };
    const outcome of_ptx = run("recursion", deep("--ptx", ptx), expected);
    ASSERT_EQ(of_ptx.code, 0) << of_ptx.err;
    const outcome of_cubin = run("recursion", deep("--cubin", cubin), found);
    ASSERT_EQ(of_cubin.code, 0) << of_cubin.err;
    ASSERT_EQ(expected.size(), 4 * 672u);
    EXPECT_TRUE(found == expected);
}

TEST_P(RecursiveMachineCode, UsesTheConfiguredStackSize) {
    std::string expected, found;
    ASSERT_EQ(run("shallow", {"--ptx", ptx}, expected).code, 0);
    const outcome enough = run("shallow", {"--cubin", cubin}, found);
    ASSERT_EQ(enough.code, 0) << enough.err;
    EXPECT_TRUE(found == expected);
    const outcome little =
        run("shallow", {"--cubin", cubin, "-gpgpu_stack_size_limit", "64"}, found);
    EXPECT_NE(little.code, 0);
    EXPECT_NE(little.err.find("of local memory, which has"), std::string::npos) << little.err;
}

INSTANTIATE_TEST_SUITE_P(Programs, RecursiveMachineCode,
                         testing::Values(recursive_program{"RTX2060", "recursion.sm_75"},
                                         recursive_program{"A100", "recursion.sm_80"},
                                         recursive_program{"RTX3070", "recursion.sm_86"},
                                         recursive_program{"H100_PCIE", "recursion.sm_90"},
                                         recursive_program{"RTX2060", "recursion_debug.sm_75"},
                                         recursive_program{"H100_PCIE", "recursion_debug.sm_90"}),
                         [](const auto& p) {
                             std::string name = p.param.cubin;
                             name.replace(name.find('.'), 1, "_");
                             return name;
                         });

/// The expected result of the kernel of collectives.cu, computed for 32 lanes that proceed together
/// from one collective operation to the next.
class lockstep {
public:
    static std::vector<std::uint32_t> results(unsigned n) {
        std::vector<std::uint32_t> o;
        const auto keep = [&](const lanes& r) { o.insert(o.end(), r.begin(), r.end()); };
        keep(climb(n + 2));
        lanes r{};
        for (unsigned t = 0; t < 32; ++t) r[t] = t * 7;
        for (unsigned i = 0; i < 2 * n + 1; ++i) exchange_through_memory(r, i);
        keep(r);
        for (unsigned i = 0; i < 2 * n + 1; ++i) exchange_by_shuffles(r, i);
        keep(r);
        return o;
    }

private:
    using lanes = std::array<std::uint32_t, 32>;

    static std::uint32_t ballot(const lanes& r, const lanes& bits) {
        std::uint32_t b = 0;
        for (unsigned t = 0; t < 32; ++t)
            b |= static_cast<std::uint32_t>((r[t] & bits[t]) != 0) << t;
        return b;
    }
    static lanes climb(unsigned levels) {
        lanes r{}, ones{};
        ones.fill(1);
        for (unsigned t = 0; t < 32; ++t) r[t] = t + 1;
        for (unsigned level = 0; level < levels; ++level)
            for (std::uint32_t& v : r) v = (v & 1) != 0 ? v * 3 + 1 : v / 2;
        for (unsigned level = 0; level < levels; ++level) {
            const lanes before = r;
            const auto odd = static_cast<std::uint32_t>(__builtin_popcount(ballot(before, ones)));
            for (unsigned t = 0; t < 32; ++t) r[t] = before[t] + odd + before[t ^ 1];
        }
        return r;
    }
    static void exchange_through_memory(lanes& r, unsigned i) {
        lanes s{};
        for (unsigned t = 0; t < 32; ++t) s[t] = ((t + i) & 1) != 0 ? r[t] * i : r[t] - i;
        for (unsigned t = 0; t < 32; ++t)
            r[t] = ((t + i) & 1) != 0 ? (r[t] + s[t ^ 1]) * 3 : (r[t] ^ t) + 2 * s[t ^ 1];
    }
    static void exchange_by_shuffles(lanes& r, unsigned i) {
        lanes sent{}, bits{};
        for (unsigned t = 0; t < 32; ++t) {
            const bool first = ((t + i) & 1) != 0;
            r[t] = first ? r[t] + i : r[t] ^ t;
            sent[t] = first ? r[t] : r[t] + 5;
            bits[t] = first ? 2 : 1;
        }
        for (unsigned t = 0; t < 32; ++t)
            r[t] = (((t + i) & 1) != 0 ? r[t] : r[t] * 3) + sent[t ^ 1];
        const std::uint32_t b = ballot(r, bits);
        for (unsigned t = 0; t < 32; ++t) r[t] = ((t + i) & 1) != 0 ? r[t] ^ b : r[t] + b;
    }
};

class CollectiveMachineCode : public testing::TestWithParam<stored_program> {};

/// Runs the kernel of collectives.cu with the timing model and functionally.
/// @param code  option and file of the program
void expect_lockstep(const char* preset, const std::vector<std::string>& code) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch",
                     "buffer a u32 1 zero\nbuffer o u32 96 zero\n"
                     "launch collectives grid 1 block 32 args a o s32:3\noutput o result.bin\n");
    for (const char* const mode : {"0", "1"}) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", mode, "--preset", preset, "--launch", file, code[0], code[1]});
        ASSERT_EQ(o.code, 0) << o.err;
        const std::string bytes = read_file(folder.path("result.bin"));
        std::vector<std::uint32_t> found(bytes.size() / 4);
        std::memcpy(found.data(), bytes.data(), 4 * found.size());
        EXPECT_EQ(found, lockstep::results(3));
    }
}

// Lanes in different branches and at different calls synchronise in shuffles, votes and barriers.
TEST_P(CollectiveMachineCode, ReconvergesTheLanesOfDifferentPaths) {
    const stored_program& p = GetParam();
    expect_lockstep(
        p.preset,
        {"--cubin", fmt::format(SIMTLM_MACHINE_CODE "/collectives.sm_{}.cubin", p.architecture)});
}

TEST(CollectivePtx, ReconvergesTheLanesOfDifferentPaths) {
    expect_lockstep("RTX2060", {"--ptx", SIMTLM_MACHINE_CODE "/collectives.ptx"});
}

INSTANTIATE_TEST_SUITE_P(Architectures, CollectiveMachineCode,
                         testing::Values(stored_program{75, "RTX2060", "collectives", 96},
                                         stored_program{80, "A100", "collectives", 96},
                                         stored_program{90, "H100_PCIE", "collectives", 96}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Lanes of a warp that wait for each other in loops, which may count or sleep while they wait.
INSTANTIATE_TEST_SUITE_P(
    LanesThatWaitForLanes, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "waiting_lanes", 72, "waiting_lanes"},
                    stored_program{80, "A100", "waiting_lanes", 72, "waiting_lanes"},
                    stored_program{90, "H100_PCIE", "waiting_lanes", 72, "waiting_lanes"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Lanes of a warp that reach a barrier of the block with different instructions.
INSTANTIATE_TEST_SUITE_P(
    BarriersInBranches, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "branch_barriers", 32, "branch_barriers"},
                    stored_program{80, "A100", "branch_barriers", 32, "branch_barriers"},
                    stored_program{90, "H100_PCIE", "branch_barriers", 32, "branch_barriers"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(
    BarriersInRegisters, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "register_barriers", 32, "register_barriers"},
                    stored_program{80, "A100", "register_barriers", 32, "register_barriers"},
                    stored_program{90, "H100_PCIE", "register_barriers", 32, "register_barriers"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

class TimedLanes : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

// With the timing model the results are the same as without.
TEST_P(TimedLanes, OfAWarpSynchronizeWithEachOtherAndAtBarriers) {
    const auto& [program, core] = GetParam();
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", fmt::format("buffer a u32 2048 random 11\nbuffer o u32 128 zero\n"
                                  "launch {} grid 1 block 32 args a o s32:3\n"
                                  "output o result.bin\n",
                                  program));
    const std::string path = SIMTLM_MACHINE_CODE "/" + std::string(program);
    const auto run = [&](std::vector<std::string> words) {
        folder.write("result.bin", "");
        words.insert(words.end(), {"--launch", file});
        const outcome o = simulate(words);
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin")).substr(0, 128);
    };
    const std::string expected = run({"-gpgpu_ptx_sim_mode", "1", "--ptx", path + ".ptx"});
    EXPECT_EQ(run({"--preset", "TINY", "--core", core, "--cubin", path + ".sm_75.cubin"}),
              expected);
    if (std::string(program) != "waiting_lanes") {
        EXPECT_EQ(run({"--preset", "TINY", "--core", core, "--any-binary-version", "--ptx",
                       path + ".ptx"}),
                  expected);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cores, TimedLanes,
    testing::Combine(testing::Values("waiting_lanes", "branch_barriers", "register_barriers"),
                     testing::Values("classic", "modern")),
    [](const auto& p) { return fmt::format("{}_{}", std::get<0>(p.param), std::get<1>(p.param)); });

// Comparisons with float results, saturation, and atomics on signed 64-bit integers.
INSTANTIATE_TEST_SUITE_P(
    Conditions, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "conditions", 384, "conditions"},
                    stored_program{80, "A100", "conditions", 384, "conditions"},
                    stored_program{86, "RTX3070", "conditions", 384, "conditions"},
                    stored_program{90, "H100_PCIE", "conditions", 384, "conditions"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Operands whose halves are exchanged, one of them negated.
INSTANTIATE_TEST_SUITE_P(
    ComplexNumbers, StoredProgram,
    testing::Values(stored_program{86, "RTX3070", "complex_86", 128, "complex_86"},
                    stored_program{90, "H100_PCIE", "complex_86", 128, "complex_86"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

// Functions of halves, packs of narrow integers, and results that are not numbers.
INSTANTIATE_TEST_SUITE_P(
    Functions, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "functions", 1024, "functions"},
                    stored_program{80, "A100", "functions", 1024, "functions"},
                    stored_program{86, "RTX3070", "functions", 1024, "functions"},
                    stored_program{90, "H100_PCIE", "functions", 1024, "functions"},
                    stored_program{103, "B200", "functions", 1024, "functions"},
                    stored_program{90, "H100_PCIE", "bfloats_90", 320, "bfloats_90"},
                    stored_program{103, "B200", "bfloats_90", 320, "bfloats_90"}),
    [](const auto& p) { return fmt::format("{}_sm_{}", p.param.name, p.param.architecture); });

// Shared-memory mbarriers before Hopper.
INSTANTIATE_TEST_SUITE_P(
    EarlyBarriers, StoredProgram,
    testing::Values(stored_program{80, "A100", "early_barriers", 256, "early_barriers"},
                    stored_program{86, "RTX3070", "early_barriers", 256, "early_barriers"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(Signs, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "signs_90", 384, "signs"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(RoundedBfloats, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "rounding_90", 64,
                                                        "rounding"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(
    ConstantsAtGenericAddresses, StoredProgram,
    testing::Values(stored_program{75, "RTX2060", "constants", 128, "constants"},
                    stored_program{80, "A100", "constants", 128, "constants"},
                    stored_program{90, "H100_PCIE", "constants", 128, "constants"}),
    [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

INSTANTIATE_TEST_SUITE_P(PrefetchesAtTheOrigin, StoredProgram,
                         testing::Values(stored_program{90, "H100_PCIE", "origin_90", 32,
                                                        "origin"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

/// Instructions with one operand: the kernels of values.ptx.
struct value_kernel {
    const char* name;
    bool half = false;  ///< two-byte operand
    unsigned since = 70;
};
constexpr value_kernel value_kernels[] = {
    {"popc"},
    {"clz"},
    {"brev"},
    {"bfind_signed"},
    {"abs_of_an_integer"},
    {"neg_of_a_float"},
    {"abs_of_a_float"},
    {"rcp"},
    {"sqrt"},
    {"round_to_even"},
    {"floor"},
    {"truncate"},
    {"float_to_signed"},
    {"float_to_unsigned"},
    {"signed_to_float"},
    {"unsigned_to_float"},
    {"through_double"},
    {"to_bfloat", false, 80},
    {"saturated_to_one"},
    {"is_normal"},
    {"half_to_float", true},
    {"half_to_signed", true},
    {"half_through_float", true},
    {"half_times_itself", true},
    {"neg_of_a_half", true},
    {"byte_of_a_short", true},
};
struct architecture {
    unsigned number;
    const char* preset;
};
void PrintTo(const architecture& a, std::ostream* to) {
    *to << a.preset;
}
class ValuesOfMachineCode : public testing::TestWithParam<architecture> {};

// All two-byte values; of the four-byte values those spread by a prime step, or all of them with
// scripts/compare-values.
TEST_P(ValuesOfMachineCode, AreThoseOfPtx) {
    const architecture gpu = GetParam();
    const scratch_folder folder;
    std::string launches;
    for (const value_kernel& k : value_kernels) {
        if (gpu.number < k.since) continue;
        const unsigned threads = k.half ? 65536 : 131072, step = k.half ? 1 : 32771;
        launches += fmt::format(
            "buffer {0} u32 {1} zero\nlaunch {0} grid {2} block 256 args {0} u32:{3} u32:0 u32:1\n"
            "output {0} {0}.bin\n",
            k.name, threads, threads / 256, step);
    }
    const std::string file = folder.write("run.launch", launches);
    const auto run = [&](const char* what, const std::string& code) {
        std::map<std::string, std::string> results;
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", "--preset", gpu.preset, what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        for (const value_kernel& k : value_kernels) {
            if (gpu.number < k.since) continue;
            const std::string path = folder.path(std::string(k.name) + ".bin");
            results[k.name] = read_file(path);
            folder.write(std::string(k.name) + ".bin", "");
        }
        return results;
    };
    const auto expected = run("--ptx", SIMTLM_MACHINE_CODE "/values.ptx");
    const auto found =
        run("--cubin", fmt::format(SIMTLM_MACHINE_CODE "/values.sm_{}.cubin", gpu.number));
    for (const auto& [name, bytes] : expected) {
        EXPECT_GE(bytes.size(), 4 * 65536u) << name;
        EXPECT_TRUE(found.at(name) == bytes) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, ValuesOfMachineCode,
                         testing::Values(architecture{70, "QV100"}, architecture{75, "RTX2060"},
                                         architecture{80, "A100"}, architecture{86, "RTX3070"},
                                         architecture{89, "RTX4090"},
                                         architecture{90, "H100_PCIE"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.number); });

/// A kernel of hopper.ptx, with its numbers of CTAs and threads.
struct hopper_kernel {
    const char* name;
    unsigned blocks, threads;
    unsigned words;  ///< number of results
};
void PrintTo(const hopper_kernel& k, std::ostream* to) {
    *to << k.name;
}
class HopperMachineCode : public testing::TestWithParam<hopper_kernel> {
protected:
    /// Writes the launch file of the kernel. @param times  its number of CTAs is multiplied by this
    std::string launch_file(unsigned times = 1) const {
        const hopper_kernel& k = GetParam();
        // Words, with a tensor map after the first 2,048, whose fields the kernel replaces.
        std::string input;
        std::uint32_t seed = 7;
        for (unsigned i = 0; i < 4096; ++i) {
            seed = seed * 1664525 + 1013904223;
            const std::uint32_t word = seed ^ seed >> 16;
            input.append(reinterpret_cast<const char*>(&word), sizeof word);
        }
        execution::tensor_map map;
        map.rank = 1;
        map.box.fill(1);
        map.step.fill(1);
        map.encode(reinterpret_cast<std::byte*>(input.data() + 8192));
        // Followed by three maps in im2col mode, for images of 4 channels in one, two and three
        // dimensions.
        for (unsigned rank = 3; rank <= execution::tensor_map::max_dimensions; ++rank) {
            execution::tensor_map columns;
            columns.type = execution::tensor_map::element::u32;
            columns.rank = static_cast<std::uint8_t>(rank);
            columns.mode = execution::tensor_map::access_mode::im2col;
            columns.pixels = 32;
            columns.box[0] = 4;
            columns.step.fill(1);
            columns.last = {3, 8, 5, 4, 3};
            columns.lower_corner.fill(-1);
            columns.upper_corner = {-1, 0, -2};
            std::uint64_t stride = 16;
            for (unsigned d = 1; d < rank; ++d) {
                columns.strides[d - 1] = stride;
                stride *= columns.last[d] + 1;
            }
            columns.encode(reinterpret_cast<std::byte*>(input.data() + 8192 + 128 * (rank - 2)));
        }
        folder_.write("a.bin", input);
        return folder_.write("run.launch",
                             fmt::format("buffer a u32 4096 file a.bin\nbuffer o u32 {} zero\n"
                                         "launch {} grid {} block {} args a o s32:3\n"
                                         "output o result.bin\n",
                                         k.words * times, k.name, k.blocks * times, k.threads));
    }
    /// Contents of `o` after the run. @param options  of the simulator
    std::string run(const std::vector<std::string>& options,
                    const std::string& preset = "H100_PCIE") const {
        const std::string file = launch_file();
        folder_.write("result.bin", "");
        std::vector<std::string> arguments{"--preset", preset, "--launch", file};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const outcome o = simulate(arguments);
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder_.path("result.bin"));
    }
    const std::string path = SIMTLM_MACHINE_CODE "/hopper";
    scratch_folder folder_;
};

/// With several CTAs on every SM.
class ManyHopperBlocks : public HopperMachineCode {};

TEST_P(ManyHopperBlocks, TakeTheSameCyclesInAnyProcessOrderWithAndWithoutSleep) {
    const std::string file = launch_file(48);
    const auto run = [&](const std::vector<std::string>& way) {
        std::vector<std::string> arguments{"--preset",
                                           "H100_PCIE",
                                           "-gpgpu_n_clusters",
                                           "12",
                                           "-gpgpu_gpc_sms",
                                           "6,6",
                                           "--quiet",
                                           "--ptx",
                                           path + ".ptx",
                                           "--launch",
                                           file};
        arguments.insert(arguments.end(), way.begin(), way.end());
        const outcome o = simulate(arguments);
        EXPECT_EQ(o.code, 0) << o.err;
        return o.report();
    };
    const std::string first = run({});
    for (const std::vector<std::string>& way : std::vector<std::vector<std::string>>{
             {"--shuffle-seed", "1"}, {"--shuffle-seed", "2"}, {"--no-sleep"}})
        EXPECT_EQ("", first_difference(first, run(way))) << way.front();
}

INSTANTIATE_TEST_SUITE_P(Kernels, ManyHopperBlocks,
                         testing::Values(hopper_kernel{"barriers", 2, 128, 16384},
                                         hopper_kernel{"clusters", 4, 128, 32768},
                                         hopper_kernel{"boxes", 1, 128, 16384},
                                         hopper_kernel{"columns", 1, 128, 4096}),
                         [](const auto& p) { return std::string(p.param.name); });

TEST_P(HopperMachineCode, LeavesTheSameMemoryAsItsPtx) {
    const std::string expected = run({"-gpgpu_ptx_sim_mode", "1", "--ptx", path + ".ptx"});
    ASSERT_EQ(expected.size(), 4 * GetParam().words);
    EXPECT_EQ(run({"-gpgpu_ptx_sim_mode", "1", "--cubin", path + ".sm_90.cubin"}), expected);
}

TEST_P(HopperMachineCode, ForBlackwellLeavesTheSameMemoryAsItsPtx) {
    // Blackwell has no products of warpgroups; multicast of sm_120 is a function of the system.
    const std::string name = GetParam().name;
    const std::set<std::string> absent{"halves",   "swizzled", "narrow",
                                       "integers", "sparse",   "bits"};
    if (absent.count(name) != 0) return;
    const std::string expected = run({"-gpgpu_ptx_sim_mode", "1", "--ptx", path + ".ptx"});
    for (const auto& [code, preset] : {std::pair{"100", "B200"}, std::pair{"120", "RTX5090"}}) {
        if (name == "clusters" && std::string(code) == "120") continue;
        const std::string cubin = path + ".sm_" + code + ".cubin";
        EXPECT_EQ(run({"-gpgpu_ptx_sim_mode", "1", "--cubin", cubin}, preset), expected) << code;
        EXPECT_EQ(run({"--cubin", cubin}, preset), expected) << code << " with the timing model";
    }
}

TEST_P(HopperMachineCode, LeavesTheSameMemoryUnderTheTimingModel) {
    const std::vector<std::string> code{"--cubin", path + ".sm_90.cubin"};
    std::vector<std::string> without_time = code;
    without_time.insert(without_time.end(), {"-gpgpu_ptx_sim_mode", "1"});
    const std::string expected = run(without_time);
    ASSERT_EQ(expected.size(), 4 * GetParam().words);
    EXPECT_EQ(run(code), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, HopperMachineCode,
    testing::Values(hopper_kernel{"barriers", 2, 128, 16384},
                    hopper_kernel{"clusters", 4, 128, 32768}, hopper_kernel{"boxes", 1, 128, 16384},
                    hopper_kernel{"halves", 1, 128, 14848},
                    hopper_kernel{"swizzled", 1, 128, 20480}, hopper_kernel{"narrow", 1, 128, 6656},
                    hopper_kernel{"integers", 1, 128, 8704}, hopper_kernel{"sparse", 1, 128, 4608},
                    hopper_kernel{"matrices", 1, 32, 1024},
                    hopper_kernel{"conversions", 1, 128, 1024}, hopper_kernel{"bits", 1, 128, 3072},
                    hopper_kernel{"columns", 1, 128, 4096}, hopper_kernel{"extrema", 1, 128, 1088}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(MbarrierWait, EndsBeforeAPhaseThatItsOwnWarpCompletes) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch",
                                          "buffer a u32 4 zero\nbuffer o u32 64 zero\n"
                                          "launch single_buffer grid 2 block 32 args a o\n"
                                          "output o result.bin\n");
    std::string expected;
    for (unsigned block = 0; block < 2; ++block)
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const std::uint32_t word = 200 + lane;  // 100 if the phase had been complete
            expected.append(reinterpret_cast<const char*>(&word), sizeof word);
        }
    const std::string path = SIMTLM_MACHINE_CODE "/single_buffer_90";
    using strings = std::vector<std::string>;
    for (const strings& code : {strings{"H100_PCIE", "--ptx", path + ".ptx"},
                                strings{"H100_PCIE", "--cubin", path + ".sm_90.cubin"},
                                strings{"B200", "--cubin", path + ".sm_100.cubin"}})
        for (const char* const mode : {"0", "1"}) {
            folder.write("result.bin", "");
            const outcome o = simulate({"--preset", code[0], "--launch", file, code[1], code[2],
                                        "-gpgpu_ptx_sim_mode", mode});
            EXPECT_EQ(0, o.code) << o.err;
            EXPECT_EQ(expected, read_file(folder.path("result.bin"))) << code[2] << ' ' << mode;
        }
}

/// A kernel of tensor_memory_100.ptx: tcgen05, with its number of CTAs.
using tensor_memory_kernel = std::tuple<const char*, unsigned, unsigned>;
class TensorMemoryCode : public testing::TestWithParam<tensor_memory_kernel> {};

TEST_P(TensorMemoryCode, LeavesTheSameMemoryAsItsPtxUnderTheTimingModel) {
    const auto& [name, blocks, words] = GetParam();
    const scratch_folder folder;
    execution::tensor_map map;  // of 256 rows of 32 words, whose address the kernel sets
    map.type = execution::tensor_map::element::u32;
    map.rank = 2;
    map.last = {31, 255};
    map.strides[0] = 128;
    map.box.fill(1);
    map.box[0] = 32;
    map.step.fill(1);
    std::string bytes(execution::tensor_map::bytes, '\0');
    map.encode(reinterpret_cast<std::byte*>(bytes.data()));
    folder.write("map.bin", bytes);
    const std::string file = folder.write(
        "run.launch", fmt::format("buffer a u32 8192 random 11\nbuffer o u32 {} zero\n"
                                  "buffer m u8 128 file map.bin\n"
                                  "launch {} grid {} block 128 args a o m\noutput o result.bin\n",
                                  words, name, blocks));
    const std::string path = SIMTLM_MACHINE_CODE "/tensor_memory_100";
    const auto run = [&](const char* functional, const char* what, const std::string& code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"--preset", "B200", "-gpgpu_ptx_sim_mode", functional, what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("1", "--ptx", path + ".ptx");
    ASSERT_EQ(expected.size(), 4 * words);
    EXPECT_EQ(run("0", "--cubin", path + ".sm_100.cubin"), expected);
}

INSTANTIATE_TEST_SUITE_P(Kernels, TensorMemoryCode,
                         testing::Values(tensor_memory_kernel{"accesses", 1, 1920},
                                         tensor_memory_kernel{"products", 1, 2816},
                                         tensor_memory_kernel{"convolution", 1, 2560},
                                         tensor_memory_kernel{"pairs", 2, 1024},
                                         tensor_memory_kernel{"copies", 2, 16384}),
                         [](const auto& p) { return std::string(std::get<0>(p.param)); });

TEST(UnoptimisedHopperCode, MultipliesAMatrixAtAddressZero) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch",
                     "buffer a u32 1024 random 11\nbuffer o u32 512 zero\n"
                     "launch product grid 1 block 128 args a o s32:3\noutput o result.bin\n");
    const auto run = [&](const char* what, const char* code) {
        folder.write("result.bin", "");
        const outcome o = simulate(
            {"-gpgpu_ptx_sim_mode", "1", "--preset", "H100_PCIE", what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("--ptx", SIMTLM_MACHINE_CODE "/product_90.ptx");
    ASSERT_EQ(expected.size(), 2048u);
    EXPECT_EQ(run("--cubin", SIMTLM_MACHINE_CODE "/product_90.sm_90.cubin"), expected);
}

/// Accesses to a CTA of the cluster by its rank: `how` of ranks_90.ptx.
class RanksOfACluster : public testing::TestWithParam<std::tuple<int, const char*>> {
protected:
    struct result {
        outcome run;
        std::string memory;
    };
    /// Runs the program in clusters of two CTAs. @param code  option and file
    result run(const std::vector<std::string>& code, unsigned rank) const {
        const scratch_folder folder;
        folder.write("result.bin", "");
        const std::string file = folder.write(
            "run.launch", fmt::format("buffer o u32 128 zero\n"
                                      "launch ranks grid 2 block 64 args o u32:{} u32:{}\n"
                                      "output o result.bin\n",
                                      rank, std::get<0>(GetParam())));
        std::vector<std::string> arguments{
            "--preset", "H100_PCIE", "-gpgpu_ptx_sim_mode", std::get<1>(GetParam()),
            "--launch", file};
        arguments.insert(arguments.end(), code.begin(), code.end());
        result r{simulate(arguments), {}};
        r.memory = read_file(folder.path("result.bin"));
        return r;
    }
    const std::vector<std::string> ptx{"--ptx", SIMTLM_MACHINE_CODE "/ranks_90.ptx"};
    const std::vector<std::string> cubin{"--cubin", SIMTLM_MACHINE_CODE "/ranks_90.sm_90.cubin"};
};

TEST_P(RanksOfACluster, LeaveTheSameMemoryAsMachineCode) {
    const result expected = run(ptx, 1), found = run(cubin, 1);
    ASSERT_EQ(expected.run.code, 0) << expected.run.err;
    ASSERT_EQ(found.run.code, 0) << found.run.err;
    ASSERT_EQ(expected.memory.size(), 512u);
    EXPECT_TRUE(found.memory == expected.memory);
}

TEST_P(RanksOfACluster, MustExist) {
    for (const unsigned rank : {2u, 15u, 200u}) {
        for (const auto& code : {ptx, cubin}) {
            const result r = run(code, rank);
            EXPECT_EQ(r.run.code, 2) << code[0] << " " << rank;
            EXPECT_NE(r.run.err.find("names a rank that the cluster does not have"),
                      std::string::npos)
                << code[0] << " " << rank << ": " << r.run.err;
        }
    }
}

std::string name_of_rank_access(const testing::TestParamInfo<std::tuple<int, const char*>>& p) {
    constexpr const char* names[] = {"load",        "store",       "atomic",         "arrival",
                                     "expectation", "genericLoad", "genericArrival", "storeAsync"};
    return fmt::format("{}{}", names[std::get<0>(p.param)],
                       *std::get<1>(p.param) == '1' ? "Functional" : "Timed");
}
INSTANTIATE_TEST_SUITE_P(AccessesByRank, RanksOfACluster,
                         testing::Combine(testing::Range(0, 8), testing::Values("0", "1")),
                         name_of_rank_access);

TEST(AddressesOfSharedVariables, HaveTheRankOfTheCtaInTheSameBitsAsThoseOfMachineCode) {
    const scratch_folder folder;
    folder.write("result.bin", "");
    const std::string launch = folder.write("run.launch",
                                            "buffer o u32 1024 zero\n"
                                            "launch rank_bits grid 4 block 32 shared 512 args o\n"
                                            "output o result.bin\n");
    std::string expected;
    for (const char* const functional : {"1", "0"})
        for (const auto& [option, suffix] :
             {std::pair("--ptx", ".ptx"), {"--cubin", ".sm_90.cubin"}}) {
            const outcome run = simulate(
                {"--preset", "H100_PCIE", "-gpgpu_ptx_sim_mode", functional, option,
                 SIMTLM_MACHINE_CODE "/rank_bits_90" + std::string(suffix), "--launch", launch});
            ASSERT_EQ(run.code, 0) << run.err;
            const std::string memory = read_file(folder.path("result.bin"));
            if (expected.empty()) {
                std::vector<std::uint32_t> words(1024);
                ASSERT_EQ(memory.size(), sizeof words[0] * words.size());
                std::memcpy(words.data(), memory.data(), memory.size());
                // Thread 3 of rank 3: what rank 2 has, and what rank 2 stored.
                const std::vector<std::uint32_t> last{1067, 2067, 3067, 515, 21, 32, 51, 1099};
                EXPECT_EQ(std::vector(&words[(3 * 32 + 3) * 8], &words[(3 * 32 + 4) * 8]), last);
                expected = memory;
            }
            EXPECT_TRUE(memory == expected) << option << " " << functional;
        }
}

/// The line with the cycles of the first kernel; empty if there is none.
std::string cycles(const outcome& o) {
    const std::size_t at = o.out.find("gpu_sim_cycle = ");
    return at == std::string::npos ? std::string() : o.out.substr(at, o.out.find('\n', at) - at);
}

TEST(RecordedHopperMachineCode, WithMbarriersAndCopiesReplaysInTheSameCycles) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch",
                                          "buffer a u32 4096 random 3\nbuffer o u32 16384 zero\n"
                                          "launch barriers grid 2 block 128 args a o s32:3\n");
    const std::string cubin = SIMTLM_MACHINE_CODE "/hopper.sm_90.cubin";
    const outcome plain = simulate({"--preset", "H100_PCIE", "--cubin", cubin, "--launch", file});
    ASSERT_EQ(plain.code, 0) << plain.err;
    const outcome recorded =
        simulate({"--preset", "H100_PCIE", "--cubin", cubin, "--launch", file, "--record-trace",
                  folder.path("T"), "--record-form", "text"});
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    EXPECT_EQ(cycles(recorded), cycles(plain));
    const std::string trace = read_file(folder.path("T/kernel-1.traceg"));
    EXPECT_NE(trace.find("SYNCS.ARRIVE.TRANS64"), std::string::npos);
    EXPECT_NE(trace.find("SYNCS.PHASECHK"), std::string::npos);
    EXPECT_NE(trace.find(" Asynchronous "), std::string::npos);
    const std::vector<std::string> replay = {"--preset", "H100_PCIE", "-trace",
                                             folder.path("T/kernelslist.g")};
    const outcome replayed = simulate(replay);
    EXPECT_EQ(replayed.code, 0) << replayed.err;
    EXPECT_EQ(cycles(replayed), cycles(plain));
    // The front end of Accel-Sim neither knows the code nor the details.
    std::vector<std::string> compatible = replay;
    compatible.insert(compatible.end(), {"--compat", "accel-sim"});
    const outcome other = simulate(compatible);
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_FALSE(cycles(other).empty());
    // Only text describes asynchronous instructions.
    const outcome converted =
        trace_tool({"convert", folder.path("T/kernelslist.g"), folder.path("b")});
    EXPECT_EQ(converted.code, 2);
    EXPECT_NE(
        converted.err.find("the trace has asynchronous instructions, which only text can describe"),
        std::string::npos)
        << converted.err;
}

TEST(RecordedMachineCode, WithAConstantTableReplaysInTheSameCycles) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch",
                                          "buffer a u32 1024 random 9\nbuffer o u32 8192 zero\n"
                                          "launch mem grid 4 block 256 args a o s32:1024\n");
    const outcome executed =
        simulate({"--preset", "RTX2080TI", "--cubin", SIMTLM_MACHINE_CODE "/kernels.sm_75.cubin",
                  "--launch", file, "--record-trace", folder.path("T")});
    ASSERT_EQ(executed.code, 0) << executed.err;
    const outcome text = trace_tool({"text", folder.path("T/kernel-1.simtlm")});
    EXPECT_NE(text.out.find(" LDC"), std::string::npos);
    const outcome replayed =
        simulate({"--preset", "RTX2080TI", "-trace", folder.path("T/kernelslist.g")});
    ASSERT_EQ(replayed.code, 0) << replayed.err;
    ASSERT_FALSE(cycles(executed).empty());
    EXPECT_EQ(cycles(replayed), cycles(executed));
}

/// A kernel with products of warpgroups, and one in clusters.
class RecordedHopperKernel : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kernels, RecordedHopperKernel,
                         testing::Values("halves grid 1", "clusters grid 8"), [](const auto& p) {
                             return std::string(p.param).substr(0, 8) == "clusters" ? "clusters"
                                                                                    : "halves";
                         });

TEST_P(RecordedHopperKernel, ReplaysInTheSameCycles) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch", fmt::format("buffer a u32 4096 random 3\n"
                                               "buffer o u32 65536 zero\n"
                                               "launch {} block 128 args a o s32:3\n",
                                               GetParam()));
    const outcome executed =
        simulate({"--preset", "H100_PCIE", "--cubin", SIMTLM_MACHINE_CODE "/hopper.sm_90.cubin",
                  "--launch", file, "--record-trace", folder.path("T")});
    ASSERT_EQ(executed.code, 0) << executed.err;
    const outcome replayed =
        simulate({"--preset", "H100_PCIE", "-trace", folder.path("T/kernelslist.g")});
    ASSERT_EQ(replayed.code, 0) << replayed.err;
    ASSERT_FALSE(cycles(executed).empty());
    EXPECT_EQ(cycles(replayed), cycles(executed));
    // Also after the trace tool has written it.
    const outcome text = trace_tool({"text", folder.path("T/kernel-1.simtlm")});
    ASSERT_EQ(text.code, 0) << text.err;
    folder.write("T/kernel-1.simtlm", text.out);
    const outcome again =
        simulate({"--preset", "H100_PCIE", "-trace", folder.path("T/kernelslist.g")});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(cycles(again), cycles(executed));
}

// A kernel and functions compiled separately: calls by address, recursion, function pointers.
INSTANTIATE_TEST_SUITE_P(LinkedCode, StoredProgram,
                         testing::Values(stored_program{75, "RTX2060", "linked", 32, "linked"},
                                         stored_program{90, "H100_PCIE", "linked", 32, "linked"}),
                         [](const auto& p) { return fmt::format("sm_{}", p.param.architecture); });

/// A kernel of parts_kernels.cu, and the mode of the simulator.
class LinkedFiles : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(LinkedFiles, LeaveTheSameMemoryAsThePtxOfTheWholeProgram) {
    const auto [architecture, mode] = GetParam();
    const char* const preset = architecture == 75   ? "RTX2060"
                               : architecture == 80 ? "A100"
                               : architecture == 90 ? "H100_PCIE"
                                                    : "RTX5090";
    const auto files = [architecture = architecture](const char* name) {
        return fmt::format(SIMTLM_MACHINE_CODE "/parts_{}.sm_{}.cubin", name, architecture);
    };
    for (const char* kernel : {"parts", "dynamic_parts"}) {
        const scratch_folder folder;
        const std::string file = folder.write(
            "run.launch", fmt::format("buffer a u32 2048 random 11\nbuffer o u32 64 zero\n"
                                      "launch {} grid 1 block 32 shared 128 args a o s32:3\n"
                                      "output o result.bin\n",
                                      kernel));
        const auto run = [&](const std::vector<std::string>& code) {
            folder.write("result.bin", "");
            std::vector<std::string> arguments{
                "-gpgpu_ptx_sim_mode", mode, "--preset", preset, "--launch", file};
            arguments.insert(arguments.end(), code.begin(), code.end());
            const outcome o = simulate(arguments);
            EXPECT_EQ(o.code, 0) << o.err;
            return read_file(folder.path("result.bin"));
        };
        const std::string expected = run({"--ptx", SIMTLM_MACHINE_CODE "/parts.ptx"});
        ASSERT_EQ(expected.size(), 256u);
        EXPECT_EQ(run({"--cubin", files("kernels"), "--cubin", files("functions")}), expected)
            << kernel;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, LinkedFiles,
                         testing::Combine(testing::Values(75, 80, 90, 120),
                                          testing::Values("0", "1")),
                         [](const auto& p) {
                             return fmt::format(
                                 "sm_{}_{}", std::get<0>(p.param),
                                 *std::get<1>(p.param) == '0' ? "timed" : "functional");
                         });

// Groups of several warps synchronise through reserved shared memory: after the CTA's own on sm_80,
// before it on sm_90.
TEST(MachineCode, UsesReservedSharedMemoryForTilesOfSeveralWarps) {
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch",
        "buffer a u32 256 random 11\nbuffer o u32 512 zero\n"
        "launch warp_tiles grid 2 block 256 shared 1024 args a o s32:3\noutput o result.bin\n");
    const std::string path = SIMTLM_MACHINE_CODE "/warp_tiles";
    const auto run = [&](const char* preset, const char* what, const std::string& code,
                         const char* mode) {
        folder.write("result.bin", "");
        const outcome o = simulate({"-gpgpu_ptx_sim_mode", mode, "--check", "memory,races,init",
                                    "--preset", preset, what, code, "--launch", file});
        EXPECT_EQ(o.code, 0) << o.err;
        return read_file(folder.path("result.bin"));
    };
    const std::string expected = run("A100", "--ptx", path + ".ptx", "1");
    ASSERT_EQ(expected.size(), 2048u);
    for (const char* mode : {"0", "1"}) {
        EXPECT_EQ(run("A100", "--cubin", path + ".sm_80.cubin", mode), expected);
        EXPECT_EQ(run("H100_PCIE", "--cubin", path + ".sm_90.cubin", mode), expected);
    }
}

TEST(LinkedFiles, ThatCannotBeLinkedAreRejected) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch", "buffer a u32 64 zero\n");
    const auto error = [&](std::vector<std::string> cubins) {
        std::vector<std::string> arguments{"-gpgpu_ptx_sim_mode", "1", "--launch", file};
        for (const std::string& c : cubins) {
            arguments.push_back("--cubin");
            arguments.push_back(SIMTLM_MACHINE_CODE "/" + c);
        }
        const outcome o = simulate(arguments);
        EXPECT_EQ(o.code, 2);
        return o.err;
    };
    EXPECT_THAT(error({"parts_kernels.sm_80.cubin", "parts_kernels.sm_80.cubin"}),
                testing::HasSubstr("Multiple definition of 'parts'"));
    EXPECT_THAT(error({"parts_functions.sm_75.cubin", "parts_kernels.sm_80.cubin"}),
                testing::HasSubstr("parts_functions.sm_75.cubin: it has no machine code"));
    EXPECT_THAT(error({"parts_kernels.sm_80.cubin", "kernels.sm_80.cubin"}),
                testing::HasSubstr("kernels.sm_80.cubin: it is complete"));
}

TEST(MachineCode, DeferredAtomicsHaveTheResultsOfFunctionalExecution) {
    const scratch_folder folder;
    const std::string file =
        folder.write("run.launch",
                     "buffer a u32 2048 random 11\nbuffer o u32 544 zero\n"
                     "launch accesses grid 1 block 32 args a o s32:3\noutput o result.bin\n");
    const std::string cubin = SIMTLM_MACHINE_CODE "/accesses.sm_75.cubin";
    ASSERT_EQ(simulate({"-gpgpu_ptx_sim_mode", "1", "--cubin", cubin, "--launch", file}).code, 0);
    const std::string expected = read_file(folder.path("result.bin"));
    folder.write("result.bin", "");
    const outcome timed =
        simulate({"--preset", "TINY", "--any-binary-version", "--cubin", cubin, "--launch", file});
    ASSERT_EQ(timed.code, 0) << timed.err;
    ASSERT_FALSE(expected.empty());
    EXPECT_TRUE(read_file(folder.path("result.bin")) == expected);
}

class TimedMachineCode : public testing::TestWithParam<std::tuple<int, unsigned>> {
protected:
    /// Arguments of a timed run of the kernel, which writes result.bin.
    std::vector<std::string> arguments(const scratch_folder& folder) const {
        const std::string file =
            folder.write("run.launch", script(launched[std::get<0>(GetParam())]));
        return {"--preset",
                "TINY",
                "--any-binary-version",
                "--cubin",
                fmt::format("{}.sm_{}.cubin", kernels, std::get<1>(GetParam())),
                "--launch",
                file};
    }
};

TEST_P(TimedMachineCode, LeavesTheMemoryOfFunctionalExecutionAndItsTraceTakesTheSameCycles) {
    const scratch_folder folder;
    std::vector<std::string> words = arguments(folder);
    std::vector<std::string> functional(words.begin() + 3, words.end());
    functional.insert(functional.begin(), {"-gpgpu_ptx_sim_mode", "1"});
    ASSERT_EQ(simulate(functional).code, 0);
    const std::string expected = read_file(folder.path("result.bin"));
    ASSERT_FALSE(expected.empty());
    std::string cycles;
    for (const char* const form : {"text", "text6", "binary"}) {
        folder.write("result.bin", "");
        std::vector<std::string> recorded = words;
        const std::string traces = folder.path(form);
        recorded.insert(recorded.end(), {"--record-trace", traces, "--record-form", form});
        const outcome run = simulate(recorded);
        ASSERT_EQ(run.code, 0) << run.err;
        EXPECT_TRUE(read_file(folder.path("result.bin")) == expected);
        if (cycles.empty()) cycles = run.values()["gpu_sim_cycle"];
        EXPECT_EQ(run.values()["gpu_sim_cycle"], cycles);
        const outcome replay = simulate(
            {"--preset", "TINY", "--any-binary-version", "-trace", traces + "/kernelslist.g"});
        ASSERT_EQ(replay.code, 0) << replay.err;
        EXPECT_EQ(replay.values()["gpu_sim_cycle"], cycles) << form;
        EXPECT_EQ(replay.values()["gpu_sim_insn"], run.values()["gpu_sim_insn"]) << form;
        // Also in the form written by the tracer itself.
        const outcome plain = simulate({"--preset", "TINY", "--any-binary-version", "--compat",
                                        "accel-sim", "-trace", traces + "/kernelslist.g"});
        EXPECT_EQ(plain.code, 0) << plain.err;
        EXPECT_EQ(plain.values()["gpu_sim_insn"], run.values()["gpu_sim_insn"]) << form;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TimedMachineCode,
                         testing::Values(std::make_tuple(0, 75u), std::make_tuple(2, 80u),
                                         std::make_tuple(3, 86u), std::make_tuple(4, 90u)),
                         [](const auto& p) {
                             return fmt::format("{}_sm_{}", launched[std::get<0>(p.param)].name,
                                                std::get<1>(p.param));
                         });

TEST(MachineCodeTrace, IsWrittenAsTheTracerOfAccelSimWritesIt) {
    const scratch_folder folder;
    const std::string file = folder.write("run.launch", script(launched[5]));
    const outcome run =
        simulate({"--preset", "TINY", "--any-binary-version", "--cubin", kernels + ".sm_75.cubin",
                  "--launch", file, "--record-trace", folder.path("t"), "--record-form", "text"});
    ASSERT_EQ(run.code, 0) << run.err;
    const std::string text = read_file(folder.path("t/kernel-1.traceg"));
    for (const char* const line :
         {"\n-binary version = 75\n", "\n-accelsim tracer version = 5\n",
          "\n0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0 \n", " EXIT 0 0 0 \n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
    // Base and stride: the local memory of every lane begins at the same address of its own window.
    EXPECT_NE(text.find(" STL.128 2 R1 R16 16 1 0x0 0 "), std::string::npos);
}

TEST(MachineCodeProgram, PrintsWhatItsPtxPrints) {
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", "buffer a u32 32 random 3\nlaunch prints grid 1 block 32 args a\n");
    const outcome ptx =
        simulate({"-gpgpu_ptx_sim_mode", "1", "--ptx", kernels + ".ptx", "--launch", file});
    ASSERT_EQ(ptx.code, 0) << ptx.err;
    const std::string printed = ptx.out.substr(0, ptx.out.find("kernel 1"));
    EXPECT_GT(printed.size(), 64u);
    for (const unsigned architecture : {75, 80, 86, 90}) {
        const std::string cubin = fmt::format("{}.sm_{}.cubin", kernels, architecture);
        const outcome run =
            simulate({"-gpgpu_ptx_sim_mode", "1", "--cubin", cubin, "--launch", file});
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(run.out.substr(0, printed.size()), printed) << architecture;
    }
}

/// Runs a kernel of refused.cu. @param timed  on a simulated A100, otherwise functionally
outcome run_refused(bool timed, unsigned texture_mode) {
    const scratch_folder folder;
    const std::string file = folder.write(
        "run.launch", fmt::format("buffer o u32 4 zero\n"
                                  "launch queries_texture grid 1 block 4 args u64:0 o u32:{}\n"
                                  "expect o values 0 1 2 3\n",
                                  texture_mode));
    std::vector<std::string> options{"--cubin",  SIMTLM_MACHINE_CODE "/refused.sm_80.cubin",
                                     "--launch", file,
                                     "--preset", "A100"};
    if (!timed) options.insert(options.end(), {"-gpgpu_ptx_sim_mode", "1"});
    return simulate(options);
}

class UnsupportedInstruction : public testing::TestWithParam<bool> {};

TEST_P(UnsupportedInstruction, IsReportedByNameWhenALaneExecutesIt) {
    const outcome run = run_refused(GetParam(), 1);
    EXPECT_EQ(run.code, 2);
    ASSERT_EQ(run.error_lines().size(), 1u) << run.err;
    for (const char* part : {"queries_texture+0x0090", "not supported", "[UMOV UR5", "run its PTX"})
        EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

TEST_P(UnsupportedInstruction, DoesNotPreventOtherInstructionsFromExecuting) {
    const outcome run = run_refused(GetParam(), 0);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(run.error_lines().empty()) << run.err;
}

INSTANTIATE_TEST_SUITE_P(WithTime, UnsupportedInstruction, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "timed" : "functional"; });

/// Code of three instructions without EXIT. @param timed  on a simulated A100
class CodeWithoutExit : public testing::TestWithParam<bool> {};

TEST_P(CodeWithoutExit, IsAnErrorWhenALaneReachesItsEnd) {
    const scratch_folder folder;
    std::string bytes = read_file(SIMTLM_MACHINE_CODE "/generated.sm_80.cubin");
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (unsigned n = 0; n < header.e_shnum; ++n) {
        char* const at = &bytes[header.e_shoff + n * sizeof(Elf64_Shdr)];
        Elf64_Shdr section;
        std::memcpy(&section, at, sizeof section);
        if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_EXECINSTR) == 0) continue;
        section.sh_size = 48;
        std::memcpy(at, &section, sizeof section);
    }
    const std::string cubin = folder.write("cut.cubin", bytes);
    const std::string file = folder.write("run.launch",
                                          "buffer a u32 2048 zero\nbuffer o u32 32 zero\n"
                                          "launch past_the_end grid 2 block 64 args a o s32:3\n");
    std::vector<std::string> options{"--cubin", cubin, "--launch", file, "--preset", "A100"};
    if (!GetParam()) options.insert(options.end(), {"-gpgpu_ptx_sim_mode", "1"});
    const outcome run = simulate(options);
    EXPECT_EQ(run.code, 2);
    ASSERT_EQ(run.error_lines().size(), 1u) << run.err;
    EXPECT_NE(run.err.find("past_the_end+0x0030"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("ends without EXIT"), std::string::npos) << run.err;
}

INSTANTIATE_TEST_SUITE_P(WithTime, CodeWithoutExit, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "timed" : "functional"; });

TEST(MachineCodeProgram, FaultsNameTheAddressOfTheInstruction) {
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
