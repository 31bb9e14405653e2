// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/executed_code.h"

#include "modules/trace/executed_text.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

namespace simtlm::trace {
namespace {

using program::dynamic_instruction;
using program::memory_space;
using program::static_instruction;

/// Three instructions: two of a kernel, one of a function.
struct sample_code {
    std::array<static_instruction, 3> info;
    std::array<dynamic_instruction, 3> code;

    sample_code() {
        for (unsigned n = 0; n < 3; ++n) {
            info[n].pc = 8 * n;
            info[n].code_bytes = 8;
            info[n].opcode = "add.u32";
            code[n].info = &info[n];
        }
        info[1].opcode = "ld.v2.u32";
        info[1].cls = program::op_class::load;
        info[1].is_load = true;
        info[1].space = memory_space::generic;
        info[1].data_size = 8;
        info[1].latency = 5;
        info[1].n_dst = 2;
        info[1].dst = {300, 7};
        info[1].n_src = 1;
        info[1].src[0] = 41;
        info[1].uncollected = 1;
        info[1].immediate = -3;
        info[2].control = program::control_bits::decode(0x12345);
    }
    std::vector<program::instruction_window> functions() const {
        return {{&code[0], &code[2]}, {&code[2], code.data() + 3}};
    }
};

/// Passes header lines to a code.
bool take_all(executed_code& to, const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const std::size_t equals = line.find(" = ");
        const std::string key = line.substr(1, equals - 1);
        if (key != "execution" && !to.take(key, line.substr(equals + 3))) return false;
    }
    return true;
}

TEST(ExecutedCode, RoundTripsThroughItsText) {
    const sample_code sample;
    executed_code read;
    ASSERT_TRUE(take_all(read, executed_code::text_of(sample.functions())));
    ASSERT_TRUE(read.seal());
    const dynamic_instruction* const load = read.find(8);
    ASSERT_NE(nullptr, load);
    const static_instruction& i = *load->info;
    EXPECT_STREQ("ld.v2.u32", i.opcode);
    EXPECT_EQ(program::op_class::load, i.cls);
    EXPECT_EQ(memory_space::generic, i.space);
    EXPECT_TRUE(i.is_load && !i.is_store && !i.is_atomic);
    EXPECT_EQ(8, i.data_size);
    EXPECT_EQ(5, i.latency);
    EXPECT_EQ(2, i.n_dst);
    EXPECT_EQ(300, i.dst[0]);
    EXPECT_EQ(41, i.src[0]);
    EXPECT_EQ(1u, i.uncollected);
    EXPECT_EQ(-3, i.immediate);
    EXPECT_EQ(301u, read.register_numbers());
    EXPECT_FALSE(i.control.present);
    EXPECT_TRUE(read.find(16)->info->control.present);
    EXPECT_EQ(0x12345u, read.find(16)->info->control.encode());
}

TEST(ExecutedCode, EndsWindowsAtTheirFunction) {
    const sample_code sample;
    executed_code read;
    ASSERT_TRUE(take_all(read, executed_code::text_of(sample.functions())));
    ASSERT_TRUE(read.seal());
    const auto window = read.window_from(read.find(0));
    EXPECT_EQ(2, window.end - window.next);
    const auto callee = read.window_from(read.find(16));
    EXPECT_EQ(1, callee.end - callee.next);
    EXPECT_EQ(nullptr, read.find(24));
}

TEST(ExecutedCode, RejectsTruncatedAndOutOfBoundsText) {
    const sample_code sample;
    std::string text = executed_code::text_of(sample.functions());
    text.resize(text.rfind("-instruction"));
    executed_code cut;
    EXPECT_TRUE(take_all(cut, text));
    EXPECT_FALSE(cut.seal());
    executed_code wrong;
    EXPECT_FALSE(wrong.take("instruction 0", "0 add 99 1 1 8 0 0 0 0 0 0 0 0 0 0"));
    EXPECT_FALSE(
        wrong.take("instruction 0", "0 add 1 1 1 8 0 0 0 0 0 0 0 0 9 1 2 3 4 5 6 7 8 9 0"));
    EXPECT_FALSE(wrong.take("instruction 0", "0 add 1 1"));
}

TEST(ExecutedText, NamesTheSpaceOfAGenericAccessAfterTheOpcode) {
    const sample_code sample;
    program::issue_effects effects;
    effects.active_mask = 0xf;
    effects.space = memory_space::shared;
    program::lane_addresses addresses;
    addresses.lanes = 0xf;
    for (unsigned lane = 0; lane < 4; ++lane) addresses.address[0][lane] = 0x100 + 8 * lane;
    std::string text;
    EXPECT_EQ(1u, append_lines(text, sample.info[1], effects, addresses));
    EXPECT_EQ("0008 0000000f 2 R45 R7 ld.v2.u32@shared 1 R41 8 1 0x100 8\n", text);
    program::issue_effects read;
    read_suffix("ld.v2.u32@shared", sample.info[1], read);
    EXPECT_EQ(memory_space::shared, read.space);
}

TEST(ExecutedText, ListsNonContiguousAddressesAndALinePerWord) {
    const sample_code sample;
    program::issue_effects effects;
    effects.active_mask = 0x5;
    effects.space = memory_space::global;
    program::lane_addresses addresses;
    addresses.lanes = 0x5;
    addresses.words = 2;
    for (unsigned w = 0; w < 2; ++w)
        for (unsigned lane = 0; lane < 3; ++lane)
            addresses.address[w][lane] = 0x1000 * (w + 1) + lane;
    std::string text;
    EXPECT_EQ(2u, append_lines(text, sample.info[1], effects, addresses));
    EXPECT_NE(std::string::npos, text.find(" 8 0 0x1000 0x1002\n"));
    EXPECT_NE(std::string::npos, text.find(" 8 0 0x2000 0x2002\n"));
}

}  // namespace
}  // namespace simtlm::trace
