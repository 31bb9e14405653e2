// SPDX-License-Identifier: Apache-2.0
// Debug output for locating a faulty instruction, as described in the GPGPU-Sim manual.
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace simtlm::test {
namespace {

const char* const small = R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry small(.param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 1;
    mov.f32 %f1, 0f3FC00000;
    @%p1 bra END;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
END:
    ret;
}
)";

class ProgramDebug : public testing::Test {
protected:
    std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
        more.insert(more.begin(),
                    {"--ptx", folder_.write("small.ptx", small), "--launch",
                     folder_.write("small.launch",
                                   "buffer out u32 1 zero\nlaunch small grid 2 block 2 args out\n"
                                   "launch small grid 1 block 2 args out\n"),
                     "-gpgpu_ptx_sim_mode", "1"});
        return more;
    }
    outcome at_level(const std::string& environment) const {
        return simulate_from_shell("export " + environment + ";", arguments(), "");
    }
    static std::ptrdiff_t count(const std::string& text, const std::string& part) {
        std::ptrdiff_t n = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
        return n;
    }
    scratch_folder folder_;
};

TEST_F(ProgramDebug, LevelsAreCumulative) {
    EXPECT_EQ(0, count(at_level("PTX_SIM_DEBUG=0").out, "begins"));
    const std::string blocks = at_level("PTX_SIM_DEBUG=1").out;
    EXPECT_EQ(3, count(blocks, "of small begins")) << blocks;
    EXPECT_EQ(0, count(blocks, "[thd="));
    const std::string memory = at_level("PTX_SIM_DEBUG=3").out;
    EXPECT_EQ(1, count(memory, "control flow of small"));
    EXPECT_EQ(1, count(memory, "buffer out: 4 bytes at 0x"));
    const std::string instructions = at_level("PTX_SIM_DEBUG=5").out;
    // One thread of every pair takes the branch, the other continues.
    EXPECT_EQ(3 * (6 + 5), count(instructions, "[thd=")) << instructions;
    EXPECT_EQ(0, count(instructions, "%f1 = "));
    const std::string results = at_level("PTX_SIM_DEBUG=6").out;
    EXPECT_EQ(6, count(results, "    %f1 = 0x3fc00000 (1.5)\n")) << results;
    EXPECT_EQ(3, count(results, "    %p1 = true\n"));
    const std::string registers = at_level("PTX_SIM_DEBUG=10").out;
    EXPECT_LT(20, count(registers, "    %f1 = 0x3fc00000 (1.5)\n"));
    EXPECT_EQ(1, count(at_level("PTX_SIM_DEBUG=100").out, ".visible .entry small"));
}

TEST_F(ProgramDebug, PrintsRegistersAndPredicatesOfMachineCodeWithItsAddresses) {
    const std::string launch = folder_.write(
        "careful.launch",
        "buffer in u32 128 ramp\nbuffer out u32 128 zero\nlaunch careful grid 1 block 128 args in "
        "out\n");
    for (const char* const preset : {"", " --preset A100"}) {
        std::vector<std::string> arguments = {
            "--cubin", SIMTLM_MACHINE_CODE "/careless.sm_80.cubin", "--launch", launch};
        if (*preset == 0)
            arguments.insert(arguments.end(), {"-gpgpu_ptx_sim_mode", "1"});
        else
            arguments.insert(arguments.end(), {"--preset", "A100"});
        const std::string output =
            simulate_from_shell("export PTX_SIM_DEBUG=6 PTX_SIM_DEBUG_THREAD_UID=34;", arguments,
                                "")
                .out;
        const std::string plain = simulate_from_shell("export PTX_SIM_DEBUG=0;", arguments, "").out;
        EXPECT_LT(0, count(output, "[thd=34] : ctaid=(0,0,0) tid=(33,0,0) ("));
        EXPECT_LT(0, count(output, "careless.sm_80.cubin:careful+0x")) << output;
        EXPECT_EQ(1, count(output, " - EXIT)\n"));
        // SR_TID.X
        EXPECT_LT(0, count(output, " = 0x00000021\n")) << output;
        EXPECT_LT(0, count(output, "    P0 = ")) << output;
        EXPECT_EQ(0, count(plain, "[thd="));
    }
}

TEST_F(ProgramDebug, IsRestrictedToOneThread) {
    const std::string out = at_level("PTX_SIM_DEBUG=5 PTX_SIM_DEBUG_THREAD_UID=5").out;
    EXPECT_LT(0, count(out, "[thd=5] : ctaid=(0,0,0) tid=(0,0,0)")) << out;
    EXPECT_EQ(count(out, "[thd="), count(out, "[thd=5]"));
    EXPECT_EQ(2, simulate_from_shell("export PTX_SIM_DEBUG=much;", arguments(), "").code);
}

TEST_F(ProgramDebug, WritesInstructionsAndRegistersToAFile) {
    const std::string file = folder_.path("log.txt");
    const outcome o =
        simulate(arguments({"-gpgpu_ptx_inst_debug_to_file", "1", "-gpgpu_ptx_inst_debug_file",
                            file, "-gpgpu_ptx_inst_debug_thread_uid", "2"}));
    EXPECT_EQ(0, o.code) << o.err;
    const std::string log = read_file(file);
    EXPECT_EQ(0u, log.find("[thd=2] : ctaid=(0,0,0) tid=(1,0,0) (")) << log;
    EXPECT_EQ(count(log, "[thd="), count(log, "[thd=2]"));
    EXPECT_EQ(count(log, "[thd="), count(log, "  registers:\n"));
    EXPECT_NE(std::string::npos, log.find("small.ptx:11 - setp.eq.u32 %p1, %r1, 1;)"));
    EXPECT_EQ(2, simulate(arguments({"-gpgpu_ptx_inst_debug_to_file", "1",
                                     "-gpgpu_ptx_inst_debug_file", folder_.path("small.ptx")}))
                     .code);
}

TEST_F(ProgramDebug, CountsInstructionsByClass) {
    const outcome o = simulate(arguments({"-gpgpu_ptx_instruction_classification", "1"}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ(2, count(o.out, "\nclass"));
    EXPECT_EQ(2, count(o.out, "\nglobal memory"));
    EXPECT_EQ(0, count(simulate(arguments()).out, "\nclass"));
}

TEST_F(ProgramDebug, ChangesNothingUnderTheTimingModel) {
    std::vector<std::string> timing = arguments({"--preset", "TINY", "--quiet"});
    timing.erase(timing.begin() + 4, timing.begin() + 6);
    const outcome plain = simulate(timing);
    timing.insert(timing.end(), {"-gpgpu_ptx_inst_debug_to_file", "1", "-gpgpu_ptx_inst_debug_file",
                                 folder_.path("timing.txt"), "-gpgpu_ptx_inst_debug_thread_uid",
                                 "0", "--check", "all"});
    const outcome logged = simulate(timing);
    EXPECT_EQ(0, logged.code) << logged.err;
    EXPECT_EQ(plain.values()["gpu_tot_sim_cycle"], logged.values()["gpu_tot_sim_cycle"]);
    EXPECT_NE(std::string::npos, read_file(folder_.path("timing.txt")).find("[thd=6]"));
}

}  // namespace
}  // namespace simtlm::test
