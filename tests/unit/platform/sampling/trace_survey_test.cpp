// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/trace_survey.h"

#include "modules/isa/opcode_tables.h"
#include "modules/trace/kernel_header.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace simtlm::platform {
namespace {

/// A kernel of two thread blocks with one warp each and a number of instructions.
std::string trace_of(unsigned instructions, const std::string& address, unsigned registers = 8) {
    std::string text =
        "-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n"
        "-shmem = 0\n-nregs = " +
        std::to_string(registers) +
        "\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
        "-local mem base_addr = 0x00007f2000000000\n-nvbit version = 1.5.5\n"
        "-accelsim tracer version = 3\n\n"
        "#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num "
        "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n";
    for (const char* const block : {"0,0,0", "1,0,0"}) {
        text += "#BEGIN_TB\n\nthread block = " + std::string(block) +
                "\n\nwarp = 0\ninsts = " + std::to_string(instructions + 2) + "\n";
        text += "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 " + address + " 4\n";
        for (unsigned i = 0; i < instructions; ++i) text += "0010 ffffffff 1 R1 FADD 2 R1 R2 0\n";
        text += "0020 ffffffff 0 EXIT 0 0\n\n#END_TB\n\n";
    }
    return text;
}

class TraceSurvey : public testing::Test {
protected:
    const kernel_traits& survey(trace_survey& s, const std::string& file) {
        std::vector<std::string> warnings;
        return s.of(file, traits_of_header(trace::read_kernel_header(file, warnings)));
    }
    trace_survey empty() const {
        trace::reader_options options;
        options.opcodes = &opcodes_;
        return {options, 0.01};
    }
    isa::opcode_tables opcodes_ = isa::opcode_tables::builtin();
    test::temporary_folder folder_;
};

TEST_F(TraceSurvey, ReadsOneOfTwoKernelsThatDifferOnlyInAddresses) {
    const std::string a = folder_.write("1.traceg", trace_of(100, "0x7f1000000000"));
    const std::string b = folder_.write("2.traceg", trace_of(100, "0x7f1000abc000"));
    trace_survey s = empty();
    EXPECT_EQ(102, survey(s, a).instructions);
    EXPECT_EQ(102, survey(s, b).instructions);
    EXPECT_EQ(survey(s, a).footprint, survey(s, b).footprint);
    EXPECT_EQ(1u, s.files_read());
}

TEST_F(TraceSurvey, ReadsKernelsWhoseHeadersOrSizesDiffer) {
    const std::string a = folder_.write("1.traceg", trace_of(100, "0x7f1000000000"));
    const std::string longer = folder_.write("2.traceg", trace_of(110, "0x7f1000000000"));
    const std::string other = folder_.write("3.traceg", trace_of(100, "0x7f1000000000", 9));
    trace_survey s = empty();
    EXPECT_EQ(102, survey(s, a).instructions);
    EXPECT_EQ(112, survey(s, longer).instructions);
    EXPECT_EQ(102, survey(s, other).instructions);
    EXPECT_EQ(3u, s.files_read());
    EXPECT_EQ(102, survey(s, other).longest_warp);
    EXPECT_EQ(static_cast<double>(trace_of(100, "0x7f1000000000", 9).size()),
              survey(s, other).recorded);
}

}  // namespace
}  // namespace simtlm::platform
