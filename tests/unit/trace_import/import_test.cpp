// SPDX-License-Identifier: Apache-2.0
#include "modules/trace_import/import.h"

#include "modules/support/error.h"
#include "modules/trace/kernel_trace.h"
#include "tests/unit/trace/temporary_folder.h"
#include "tests/unit/trace_import/protobuf_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>

namespace simtlm::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t shared_window = 0x7f0000000000;

std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Instructions of sm_80 with their words. The kernel calls the second function.
std::vector<protobuf_line> kernel_lines() {
    using word = sass::instruction_word;
    return {
        {"S2R", {"R3", "SR_TID.X"}, word{0x0000000000037919, 0x000e240000002100}, true},   // 000
        {"LDG.E", {"R4", "[R2.64]"}, word{0x0000000602047981, 0x000ea2000c1e1900}, true},  // 010
        {"LDG.E.64", {"R6", "[R6.64]"}, word{0x0000000406067981, 0x000ea2000c1e1b00}, true},
        {"LDS", {"R5", "[R8.X4]"}, word{0x000000000805a984, 0x000fe20000004800}, true},  // 030
        {"LDGSTS.E.BYPASS.128",
         {"[R15]", "[R2.64]"},
         word{0x00000000020f7fae, 0x0003e2000b901c44}},  // 040
        {"BAR.SYNC.DEFER_BLOCKING", {"0x0"}, word{0x0000000000007b1d, 0x000fec0000010000}},
        {"CALL.REL.NOINC", {"0x7e0"}, word{0x0000077000007944, 0x000fea0003c00000}},  // 060
        {"STG.E", {"[R2.64]", "R7"}, word{0x0000000702007986, 0x000fe2000c101904}},   // 070
        {"EXIT", {}, word{0x000000000000794d, 0x000fea0003800000}},                   // 080
    };
}
std::vector<protobuf_line> called_lines() {
    using word = sass::instruction_word;
    return {
        {"FADD", {"R13", "R15", "R15"}, word{0x0000000f0f0d7221, 0x000fc80000000000}, true},
        {"RET.REL.NODEC", {"R6", "0x0"}, word{0xfffff40006007950, 0x000fec0003c3ffff}},
    };
}

/// One block of one warp that executes the instructions above.
class Import : public testing::Test {
protected:
    Import() {
        trace_.add_function(4, "scale", 80, kernel_lines());
        trace_.add_function(7, "twice", 80, called_lines());
        trace_.add_copy(0, 0x7f5800000000, 4096);
        trace_.add_launch(1, 4, "scale", 1, 32).set_shared_bytes(512);
        auto& b = trace_.block(1, 0);
        execute(b, 4, 0x00);
        protobuf_folder::add_stride(execute(b, 4, 0x10), 0x7f5800000000, 4);
        protobuf_folder::add_list(execute(b, 4, 0x20, 0x00000005), {0x7f5800000100, 0x7f5800000040},
                                  8);
        // All lanes disabled: the tracer writes base and stride without a meaning.
        protobuf_folder::add_stride(execute(b, 4, 0x30, 0xffffffff, 0), 0, 77);
        auto& copy = execute(b, 4, 0x40, 0x80000101);
        protobuf_folder::add_distances(copy, 0x7f5800000000, {1024, -512}, 16);
        protobuf_folder::add_distances(copy, 0x10, {16, 32}, 16);
        execute(b, 4, 0x50);
        protobuf_folder::add_stride(execute(b, 4, 0x60), 0x8000, 0, 1);
        execute(b, 7, 0x00, 0xffffffff, 0x0000ffff);
        protobuf_folder::add_stride(execute(b, 7, 0x10), 0x8070, 0, 1);
        protobuf_folder::add_stride(execute(b, 4, 0x70, 0x00ff), shared_window + 64, -4);
        execute(b, 4, 0x80);
    }

    static trace_import::messages::instruction& execute(trace_import::messages::thread_block& b,
                                                        int function, std::uint32_t pc,
                                                        std::uint32_t active = 0xffffffff,
                                                        std::uint32_t guard = 0xffffffff) {
        return protobuf_folder::execute(b, 0, function, pc, active, guard);
    }

    std::string source() const { return folder_.path("from"); }
    std::string result(const std::string& file) const { return folder_.path("to/" + file); }

    trace_import::import_result import() {
        trace_.write(source());
        return convert();
    }
    trace_import::import_result convert() {
        return trace_import::import_protobuf_trace(source(), folder_.path("to"), options_);
    }
    /// The message of a failed import, which leaves nothing.
    std::string failure() {
        try {
            convert();
        } catch (const support::user_error& e) {
            std::error_code ignored;
            EXPECT_TRUE(!std::filesystem::exists(folder_.path("to")) ||
                        std::filesystem::is_empty(folder_.path("to"), ignored));
            EXPECT_NE(e.remedy(), "");
            return e.what();
        }
        ADD_FAILURE() << "no error";
        return {};
    }
    std::string failure_of_written() {
        trace_.write(source());
        return failure();
    }

    temporary_folder folder_;
    protobuf_folder trace_;
    trace_import::import_options options_;
};

TEST_F(Import, WritesTheCodeWithItsControlBitsAndTheExecutions) {
    const trace_import::import_result r = import();
    EXPECT_EQ(r.list, result("kernelslist.g"));
    EXPECT_EQ(r.kernels, 1u);
    EXPECT_EQ(r.blocks, 1u);
    EXPECT_EQ(r.instructions, 11u);
    EXPECT_THAT(r.warnings, IsEmpty());
    EXPECT_EQ(read(r.list), "MemcpyHtoD,0x00007f5800000000,4096\nkernel-1.traceg\n");
    const std::string text = read(result("kernel-1.traceg"));
    for (const char* const line :
         {"-kernel name = scale\n", "-kernel id = 1\n", "-shmem = 512\n", "-nregs = 32\n",
          "-binary version = 80\n", "-cuda stream id = 0\n",
          "-shmem base_addr = 0x00007f0000000000\n", "-execution = 1\n", "-function 0 = 9\n",
          "-function 1 = 2\n"})
        EXPECT_THAT(text, HasSubstr(line));
    // Stall counts, barriers and reuse are those of the words; the function follows the kernel.
    EXPECT_THAT(text, HasSubstr(" control 712\n-instruction 1 = 10 LDG.E "));
    EXPECT_THAT(text, HasSubstr("-instruction 9 = 90 FADD 1 0 2 "));
    EXPECT_EQ(text.substr(text.find("#BEGIN_TB")),
              "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 11\n"
              "0000 ffffffff 1 R3 S2R 0 0 0 \n"
              "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f5800000000 4 0 \n"
              "0020 00000005 1 R6 LDG.E.64 1 R6 8 2 0x7f5800000100 -192 0 \n"
              "0030 00000000 1 R5 LDS 1 R8 4 1 0x0 0 0 \n"
              "0040 80000101 0 LDGSTS.E.BYPASS.128 2 R15 R2 16 2 0x7f5800000000 1024 -512 0 \n"
              "0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 \n"
              "0060 ffffffff 0 CALL.REL.NOINC 0 0 2016 \n"
              "0090 0000ffff 1 R13 FADD 2 R15 R15 0 0 \n"
              "00a0 ffffffff 0 RET.REL.NODEC 1 R6 0 0 \n"
              "0070 000000ff 0 STG.E 2 R2 R7 4 1 0x7f0000000040 -4 0 \n"
              "0080 ffffffff 0 EXIT 0 0 0 \n"
              "\n#END_TB\n");
}

TEST_F(Import, LeavesLatenciesToTheConfigurationOfTheReplay) {
    trace_.code["kernels"][1]["instructions"][0]["op_code"] = "HADD2.F32";
    // HADD2 R13, -RZ, R15.H0_H0: packed half arithmetic has half the interval of its class.
    trace_.code["kernels"][1]["instructions"][0]["encoded_instruction"] = {"0x2000000fff0d7230",
                                                                           "0x000fc80000004100"};
    import();
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
    options.opcodes = &opcodes;
    options.latencies[program::op_class::sp] = {6, 4};
    options.latencies[program::op_class::load] = {3, 2};
    trace::kernel_trace kernel(result("kernel-1.traceg"), options, 0);
    const auto& code = *kernel.header().code;
    const program::static_instruction& half = *code.find(0x90)->info;
    EXPECT_STREQ(half.opcode, "HADD2.F32");
    EXPECT_EQ(half.cls, program::op_class::sp);
    EXPECT_EQ(half.latency, 6);
    EXPECT_EQ(half.initiation_interval, 2);
    EXPECT_EQ(code.find(0x10)->info->latency, 3);
    EXPECT_EQ(code.find(0x10)->info->initiation_interval, 2);
    EXPECT_TRUE(code.find(0x10)->info->control.present);
    EXPECT_EQ(code.find(0x10)->info->control.write_barrier, 2);
}

TEST_F(Import, WritesTheFormatOfATracerWithoutMachineCode) {
    for (auto& function : trace_.code["kernels"]) {
        function["is_captured_from_binary"] = false;
        for (auto& line : function["instructions"])
            line["encoded_instruction"] = nlohmann::json::array();
    }
    const trace_import::import_result r = import();
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_THAT(r.warnings[0], HasSubstr("kernel scale executes functions whose machine code"));
    const std::string text = read(result("kernel-1.traceg"));
    EXPECT_THAT(text, Not(HasSubstr("-execution")));
    EXPECT_THAT(text, Not(HasSubstr("-control")));
    for (const char* const line :
         {"\n0000 ffffffff 1 R3 S2R 0 0 0 \n",
          "\n0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f5800000000 4 0 \n",
          "\n0040 80000101 0 LDGSTS.E.BYPASS.128 2 R15 R2 16 2 0x7f5800000000 1024 -512 0 \n",
          "\n0060 ffffffff 0 CALL.REL.NOINC 0 0 2016 \n",
          "\n0090 0000ffff 1 R13 FADD 2 R15 R15 0 0 \n",
          "\n00a0 ffffffff 0 RET.REL.NODEC 1 R6 0 0 \n"})
        EXPECT_THAT(text, HasSubstr(line));
}

TEST_F(Import, KeepsTheControlBitsOfAKernelThatCallsAFunctionWithoutMachineCode) {
    trace_.code["kernels"][1]["is_captured_from_binary"] = false;
    for (auto& line : trace_.code["kernels"][1]["instructions"])
        line["encoded_instruction"] = nlohmann::json::array();
    EXPECT_EQ(import().warnings.size(), 1u);
    const std::string text = read(result("kernel-1.traceg"));
    EXPECT_THAT(text, Not(HasSubstr("-execution")));
    EXPECT_THAT(text, HasSubstr("\n-control 10 = 751\n"));
    EXPECT_THAT(text, Not(HasSubstr("\n-control 90 = ")));
    EXPECT_THAT(text, HasSubstr("\n0090 0000ffff 1 R13 FADD 2 R15 R15 0 0 \n"));
}

TEST_F(Import, ReadsOperandsOfEveryKind) {
    trace_.code["kernels"] = nlohmann::json::array();
    trace_.blocks.clear();
    trace_.add_function(4, "scale", 75,
                        {{"IADD3", {"R2", "P0", "-R4.reuse", "c[0x0][0x160]", "RZ"}, {}, true},
                         {"LDG.E.SYS", {"R0", "desc[UR4][R6.64+-0x10]"}, {}, true},
                         {"DEPBAR.LE", {"SB0", "0x2"}, {}},
                         {"IMAD.MOV.U32", {"R3", "|R5|", "~R7", "UR9"}, {}, true},
                         {"BAR.SYNC", {"R4", "R5"}, {}, true},
                         {"LDC", {"R8", "c[0x3][R9+0x4]"}, {}, true},
                         {"BRX", {"R10", "-0x1d0"}, {}},
                         {"EXIT", {}, {}}});
    auto& b = trace_.block(1, 0);
    for (std::uint32_t pc = 0; pc < 0x80; pc += 0x10) {
        auto& i = execute(b, 4, pc);
        if (pc == 0x10) protobuf_folder::add_stride(i, 0x7f5800000000, 4);
        if (pc == 0x50) protobuf_folder::add_list(i, std::vector<std::uint64_t>(32, 4));
    }
    const auto warnings = import().warnings;
    EXPECT_EQ(warnings.size(), 3u);
    EXPECT_THAT(warnings, testing::Contains(HasSubstr("no values of the registers of BAR.SYNC")));
    EXPECT_THAT(warnings, testing::Contains(HasSubstr("no addresses of loads of constants")));
    const std::string text = read(result("kernel-1.traceg"));
    EXPECT_EQ(text.substr(text.find("insts")),
              "insts = 8\n"
              "0000 ffffffff 1 R2 IADD3 2 R4 R255 0 0 \n"
              "0010 ffffffff 1 R0 LDG.E.SYS 1 R6 4 1 0x7f5800000000 4 0 \n"
              "0020 ffffffff 0 DEPBAR.LE 0 0 2 \n"
              "0030 ffffffff 1 R3 IMAD.MOV.U32 2 R5 R7 0 0 \n"
              "0040 ffffffff 1 R4 BAR.SYNC 1 R5 0 0 \n"
              "0050 ffffffff 1 R8 LDC 1 R9 0 0 \n"
              "0060 ffffffff 0 BRX 1 R10 0 -464 \n"
              "0070 ffffffff 0 EXIT 0 0 0 \n"
              "\n#END_TB\n");
}

TEST_F(Import, OrdersKernelsOfSeveralStreamsByTheirNumbers) {
    trace_.trace.Clear();
    trace_.blocks.clear();
    const auto launch = [&](int id, std::int64_t stream) {
        trace_.add_launch(id, 4, "scale", 2, 64, stream);
        for (int x = 0; x < 2; ++x)
            for (int w = 0; w < 2; ++w)
                protobuf_folder::execute(trace_.block(id, x, 0, 0, stream), w, 4, 0x80);
    };
    trace_.add_copy(0, 0x100, 1);
    launch(2, 0);
    trace_.add_copy(0, 0x200, 2);
    launch(4, 0);
    trace_.add_copy(0, 0x300, 3);
    trace_.add_copy(9, 0x400, 4);
    launch(1, 9);
    launch(3, 9);
    options_.jobs = 3;
    const trace_import::import_result r = import();
    EXPECT_EQ(r.kernels, 4u);
    EXPECT_EQ(r.blocks, 8u);
    EXPECT_EQ(r.instructions, 16u);
    EXPECT_EQ(read(r.list),
              "MemcpyHtoD,0x0000000000000400,4\nkernel-1.traceg\nMemcpyHtoD,0x0000000000000100,1\n"
              "kernel-2.traceg\nkernel-3.traceg\nMemcpyHtoD,0x0000000000000200,2\n"
              "kernel-4.traceg\nMemcpyHtoD,0x0000000000000300,3\n");
    EXPECT_THAT(read(result("kernel-3.traceg")), HasSubstr("\n-cuda stream id = 9\n"));
    EXPECT_THAT(read(result("kernel-3.traceg")), HasSubstr("\nthread block = 1,0,0\n"));
}

TEST_F(Import, ImportsTheSelectedDevice) {
    trace_.add_launch(1, 4, "scale", 1, 32, 0, 3);
    protobuf_folder::execute(trace_.block(1, 0, 0, 0, 0, 3), 0, 4, 0x80);
    EXPECT_THAT(failure_of_written(),
                HasSubstr("dynamic_trace.pb: contains kernels of several devices (choose one of "
                          "these with --device: 0 3)"));
    options_.device = 1;
    EXPECT_THAT(failure(), HasSubstr("contains no kernels of device 1"));
    options_.device = 3;
    EXPECT_EQ(convert().instructions, 1u);
}

TEST_F(Import, AcceptsTheMainFileAndFindsAKernelByItsName) {
    // The tracer describes equal functions once, by the first of their numbers.
    trace_.trace.mutable_devices()->at(0).mutable_streams()->at(0).mutable_kernels(0)->set_function(
        5);
    for (auto& i : *(*trace_.block(1, 0).mutable_warps())[0].mutable_instructions())
        if (i.function() == 4) i.set_function(5);
    trace_.write(source());
    const auto r = trace_import::import_protobuf_trace(source() + "/dynamic_trace.pb",
                                                       folder_.path("to"), options_);
    EXPECT_EQ(r.instructions, 11u);
}

TEST_F(Import, WarnsOfAddressesThatTheTracerLacks) {
    trace_.block(1, 0).mutable_warps()->at(0).mutable_instructions(1)->clear_operands();
    const auto warnings = import().warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], "the trace has no addresses of LDG.E, which cause no memory traffic");
    EXPECT_THAT(read(result("kernel-1.traceg")),
                HasSubstr("\n0010 ffffffff 1 R4 LDG.E 1 R2 0 0 \n"));
}

TEST_F(Import, WarnsOfInstructionWordsThatContradictTheText) {
    trace_.code["kernels"][0]["instructions"][1]["op_code"] = "STG.E";
    const auto warnings = import().warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0],
                HasSubstr("function scale___0: 1 instructions have other opcodes than "
                          "their text says, the first at 0x10 LDG.E instead of STG.E"));
}

TEST_F(Import, RejectsAnExecutedInstructionOfUnknownEncodingOnly) {
    auto& words = trace_.code["kernels"][1]["instructions"][0]["encoded_instruction"];
    words[0] = "0x0000000000000fff";
    EXPECT_THAT(failure_of_written(),
                HasSubstr("enhanced_execution_info.json: function twice___0: the FADD at 0x0 is "
                          "encoded as 0x0000000000000fff 0x000fc80000000000, which is no known "
                          "instruction of sm_80"));
    trace_.block(1, 0).mutable_warps()->at(0).mutable_instructions(7)->set_function(4);
    EXPECT_EQ(import().kernels, 1u);
}

TEST_F(Import, RejectsArchitecturesThatItCannotDecode) {
    trace_.code["kernels"][0]["architecture_version"] = 120;
    EXPECT_THAT(failure_of_written(),
                HasSubstr("function scale___0 is machine code of sm_120 (that of sm_70 to sm_90 "
                          "can be imported)"));
    trace_.code["kernels"][0]["architecture_version"] = 86;
    EXPECT_THAT(failure_of_written(),
                HasSubstr("executes function twice___0 of sm_80 in a kernel of sm_86"));
    trace_.code["kernels"][0]["is_captured_from_binary"] = false;
    trace_.code["kernels"][0]["architecture_version"] = 20;
    EXPECT_THAT(failure_of_written(), HasSubstr("function scale___0: unknown binary version 20"));
}

TEST_F(Import, RejectsMissingAndDamagedFiles) {
    const std::string block = protobuf_folder::block_file(1, 0);
    std::filesystem::create_directory(source());
    EXPECT_THAT(failure(), HasSubstr("dynamic_trace.pb: is missing"));
    trace_.write(source());
    const auto damage = [&](const std::string& file, const std::string& contents) {
        trace_.write(source());
        protobuf_folder::write(source(), file, contents);
        return failure();
    };
    const std::string whole = trace_.trace.SerializeAsString();
    EXPECT_THAT(damage("dynamic_trace.pb", whole.substr(0, whole.size() / 2)),
                HasSubstr("dynamic_trace.pb: is damaged"));
    EXPECT_THAT(damage("dynamic_trace.pb", ""), HasSubstr("dynamic_trace.pb: contains no kernels"));
    const std::string code = "extra_info/enhanced_execution_info.json";
    EXPECT_THAT(damage(code, trace_.code.dump().substr(0, 100)),
                HasSubstr("enhanced_execution_info.json: is damaged: "));
    EXPECT_THAT(damage(code, "{\"kernels\": [{}]}"),
                HasSubstr("enhanced_execution_info.json: is damaged: "));
    const std::string executions = trace_.block(1, 0).SerializeAsString();
    EXPECT_THAT(damage(block, executions.substr(0, executions.size() - 3)),
                HasSubstr(block + ": is damaged"));
    std::filesystem::remove(source() + "/" + block);
    EXPECT_THAT(failure(), HasSubstr(block + ": is missing; it contains a thread block"));
    std::filesystem::remove(source() + "/" + code);
    EXPECT_THAT(failure(), HasSubstr(code + ": is missing"));
}

TEST_F(Import, RejectsContradictions) {
    const protobuf_folder valid = trace_;
    const auto message = [&](auto change) {
        trace_ = valid;
        change();
        return failure_of_written();
    };
    const auto warp = [&]() -> trace_import::messages::warp& {
        return trace_.block(1, 0).mutable_warps()->at(0);
    };
    const auto stream = [&]() -> trace_import::messages::stream& {
        return trace_.trace.mutable_devices()->at(0).mutable_streams()->at(0);
    };
    EXPECT_THAT(message([&] { stream().mutable_kernels(0)->mutable_block()->set_x(64); }),
                HasSubstr("has no instructions of warp 1"));
    EXPECT_THAT(message([&] { stream().mutable_kernels(0)->mutable_grid()->set_y(0); }),
                HasSubstr("kernel 1: a grid of (1,0,1)"));
    EXPECT_THAT(message([&] { stream().add_events("kernel-1.trace"); }),
                HasSubstr("stream 0 launches kernel 1 again or without a description"));
    EXPECT_THAT(message([&] { stream().clear_events(); }),
                HasSubstr("kernel 1 is in no event of stream 0"));
    EXPECT_THAT(message([&] {
                    stream().mutable_kernels(0)->set_function(99);
                    stream().mutable_kernels(0)->set_name("other");
                }),
                HasSubstr("lacks function 99, which is kernel other"));
    EXPECT_THAT(message([&] { warp().mutable_instructions(7)->set_function(8); }),
                HasSubstr("executes function 8, which "));
    EXPECT_THAT(message([&] {
                    trace_.add_launch(2, 7, "twice", 1, 32);
                    trace_.block(2, 0);
                }),
                HasSubstr("executes twice___0, which is another kernel"));
    EXPECT_THAT(message([&] { warp().mutable_instructions(7)->set_pc(0x20); }),
                HasSubstr("executes an instruction at 0x20 of twice___0, which has 2"));
    EXPECT_THAT(
        message([&] { warp().mutable_instructions(2)->mutable_operands(0)->add_values(1); }),
        HasSubstr("has 3 addresses of 2 lanes"));
    EXPECT_THAT(message([&] { warp().mutable_instructions(1)->mutable_operands(0)->set_form(3); }),
                HasSubstr("has addresses in the unknown form 3"));
    EXPECT_THAT(message([&] { trace_.block(1, 0).mutable_index()->set_y(1); }),
                HasSubstr("contains thread block 0,1,0"));
    EXPECT_THAT(message([&] { trace_.code["kernels"][1]["unique_function_id"] = 4; }),
                HasSubstr("function 4 occurs twice"));
    EXPECT_THAT(message([&] { trace_.code["kernels"][1]["unique_function_id"] = 1e36; }),
                HasSubstr("function twice___0: unique_function_id is 1e+36"));
    EXPECT_THAT(message([&] { trace_.code["kernels"][1]["architecture_version"] = 1L << 40; }),
                HasSubstr("architecture_version is 1099511627776"));
    EXPECT_THAT(message([&] { trace_.code["kernels"][1]["instructions"].erase(0); }),
                HasSubstr("function twice___0: its instruction 0 has the program counter 0x10"));
    EXPECT_THAT(message([&] {
                    trace_.code["kernels"][1]["instructions"][0]["encoded_instruction"][0] = "0xz";
                }),
                HasSubstr("the words of a FADD are no hexadecimal numbers"));
}

TEST_F(Import, RejectsAFolderThatIsNotEmpty) {
    trace_.write(source());
    protobuf_folder::write(folder_.path("to"), "mine.txt", "");
    try {
        convert();
        FAIL() << "no error";
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("is not empty"));
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("to")), {}), 1);
}

}  // namespace
}  // namespace simtlm::test
