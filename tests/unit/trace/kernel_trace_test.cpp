// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_trace.h"

#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace simtlm;
using program::address_mode;
using program::memory_space;
using support::user_error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string hexadecimal(std::uint32_t value) {
    std::ostringstream text;
    text << std::hex << value;
    return text.str();
}

/// Writes small traces and reads them back.
class KernelTrace : public ::testing::Test {
protected:
    KernelTrace() { options.opcodes = &opcodes; }

    /// A header with given values.
    struct header_text {
        std::string version = "-accelsim tracer version = 5\n";
        std::string grid = "(1,1,1)";
        std::string block = "(32,1,1)";
        std::string binary = "80";
        std::string bases =
            "-shmem base_addr = 0x00007f0001000000\n-local mem base_addr = 0x00007f0003000000\n";
        std::string more;
    };

    static std::string text_of(const header_text& h) {
        return "-kernel name = k\n-kernel id = 3\n-grid dim = " + h.grid +
               "\n-block dim = " + h.block +
               "\n-shmem = 64\n-nregs = 16\n-binary version = " + h.binary +
               "\n-cuda stream id = 7\n" + h.bases + "-nvbit version = 1.7\n" + h.version + h.more +
               "\n#traces format = ...\n\n\n";
    }

    /// One block with one warp of given instruction lines.
    static std::string block_of(const std::vector<std::string>& lines,
                                const std::string& index = "0,0,0") {
        std::string text = "\n#BEGIN_TB\n\nthread block = " + index +
                           "\n\nwarp = 0\ninsts = " + std::to_string(lines.size()) + "\n";
        for (const std::string& line : lines) text += line + "\n";
        return text + "\n#END_TB\n";
    }

    std::unique_ptr<trace::kernel_trace> open(const std::string& text, unsigned lookahead = 2) {
        return std::make_unique<trace::kernel_trace>(folder.write("k.traceg", text), options,
                                                     lookahead);
    }

    /// The only block of a trace that has the lines in one warp.
    std::unique_ptr<trace::block_trace> read(const std::vector<std::string>& lines) {
        kernel = open(text_of(header) + block_of(lines));
        auto block = kernel->next_block();
        EXPECT_NE(block, nullptr);
        EXPECT_EQ(kernel->next_block(), nullptr);
        return block;
    }

    /// The error message of opening or reading a file.
    std::string message_of(const std::string& text) {
        std::string first;
        for (unsigned lookahead : {0U, 2U}) {
            std::string message = "no error";
            try {
                kernel = open(text, lookahead);
                while (auto block = kernel->next_block()) kernel->recycle(std::move(block));
            } catch (const user_error& e) {
                message = e.what();
                EXPECT_THAT(message, HasSubstr("k.traceg")) << "names the file";
            }
            if (lookahead == 0) first = message;
            EXPECT_EQ(message, first) << "the same with and without a thread";
        }
        return first;
    }

    std::string message_of_lines(const std::vector<std::string>& lines) {
        return message_of(text_of(header) + block_of(lines));
    }

    static std::vector<std::uint64_t> addresses_of(const trace::block_trace& block, std::size_t i) {
        const program::dynamic_instruction& inst = block.instructions.at(i);
        std::uint64_t lanes[32] = {};
        const std::uint32_t mask = program::expand_addresses(inst, block.addresses.data(), lanes);
        std::vector<std::uint64_t> list;
        for (unsigned l = 0; l < 32; ++l) {
            if ((mask >> l & 1) != 0) list.push_back(lanes[l]);
        }
        return list;
    }

    test::temporary_folder folder;
    isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
    header_text header;
    std::unique_ptr<trace::kernel_trace> kernel;
};

TEST_F(KernelTrace, KeepsADynamicInstructionIn32Bytes) {
    EXPECT_EQ(sizeof(program::dynamic_instruction), 32U);
}

TEST_F(KernelTrace, ReadsTheHeaderBeforeAnyBlock) {
    header.grid = "(4,2,1)";
    header.more = "-enable lineinfo = 1\n-some newer key = 1\n";
    kernel = open(text_of(header));
    const trace::kernel_header& h = kernel->header();
    EXPECT_EQ(h.name, "k");
    EXPECT_EQ(h.id, 3U);
    EXPECT_EQ(h.grid.volume(), 8U);
    EXPECT_EQ(h.threads_per_block(), 32U);
    EXPECT_EQ(h.shared_memory, 64U);
    EXPECT_EQ(h.registers, 16U);
    EXPECT_EQ(h.binary_version, 80U);
    EXPECT_EQ(h.stream, 7U);
    EXPECT_EQ(h.shared_base, 0x7f0001000000U);
    EXPECT_EQ(h.local_base, 0x7f0003000000U);
    EXPECT_EQ(h.nvbit_version, "1.7");
    EXPECT_EQ(h.tracer_version, 5U);
    EXPECT_TRUE(h.line_info);
    EXPECT_THAT(kernel->take_warnings(), IsEmpty());
}

TEST_F(KernelTrace, ReadsVersionsBeforeThreeWithBlockAndWarpPrefix) {
    for (const char* version :
         {"", "-accelsim tracer version = 1.2\n", "-accelsim tracer version = 2\n"}) {
        header.version = version;
        const auto block = read({"0 0 0 0 0010 ffffffff 1 R4 IADD3 2 R6 R255 0 "});
        EXPECT_EQ(block->instructions.at(0).info->pc, 0x10U);
        EXPECT_EQ(block->instructions.at(0).info->n_src, 2);
    }
}

TEST_F(KernelTrace, ReadsVersionsThreeToSixWithTheirSuffixes) {
    for (const char* tail : {"0 ", "0", "0 0", "0 -264 ", "0 1 2 ", "0 0 0 NoVal",
                             "0 5 0 Val 0x10 0x20", "0 0 STORE_DATA I32 1 REG0:T0:0x0"}) {
        const auto block = read({std::string{"0010 ffffffff 1 R4 IADD3 2 R6 R255 "} + tail,
                                 std::string{"0020 ffffffff 0 STG.E 2 R6 R9 4 1 0x10 4 "} + tail});
        EXPECT_THAT(block->instructions, SizeIs(2)) << tail;
        EXPECT_EQ(addresses_of(*block, 1).at(31), 0x10U + 31 * 4) << tail;
    }
}

TEST_F(KernelTrace, ReadsHoppersBulkCopiesAndWarnsThatTheyCauseNoTraffic) {
    header.version = "-accelsim tracer version = 6\n";
    header.binary = "90";
    const auto block = read({"0000 00000001 0 UTMALDG.2D 2 UR8 UR4 0 0 NoVal",
                             "0010 ffffffff 2 R24 R25 HGMMA.64x64x16.F32 3 R24 UR4 !UPT 0 0 NoVal",
                             "0020 00000001 0 UTMASTG.2D 2 UR8 UR4 0 0 Val 0x10",
                             "0030 00000001 0 UTMALDG.3D 2 UR8 UR4 0 0 NoVal"});
    EXPECT_THAT(block->instructions, SizeIs(4));
    EXPECT_EQ(block->instructions[1].info->cls, program::op_class::spec3);
    EXPECT_EQ(block->instructions[0].mode, address_mode::none);
    EXPECT_THAT(kernel->take_warnings(),
                ElementsAre(HasSubstr("UTMALDG of kernel"), HasSubstr("UTMASTG of kernel")))
        << "once each";
}

/// The details of an instruction of a block.
trace::asynchronous_details details_of(const trace::block_trace& block, std::size_t i) {
    const program::dynamic_instruction& inst = block.instructions.at(i);
    EXPECT_EQ(inst.mode, address_mode::details);
    return trace::details_at(block.addresses.data() + inst.address_offset);
}

TEST_F(KernelTrace, ReadsDetailsOfBulkCopies) {
    header.version = "-accelsim tracer version = 6\n";
    header.binary = "90";
    for (const bool share : {false, true}) {
        options.share_paths = share;
        const auto block =
            read({"0000 00000001 0 UTMALDG.2D 2 UR8 UR4 0 0x40 0 256 64 3 3 0x1000 0x1080 0x4000 "
                  "0 0 NoVal",
                  "0010 ffffffff 0 UBLKCP.G.S 2 UR8 UR4 16 0x0 0 96 0 4 0x2000 3 32 -64 0 0 NoVal",
                  "0020 00000000 0 UTMALDG.2D 2 UR8 UR4 0 0x40 0 256 0 4 0x0 0 0 0 NoVal"});
        ASSERT_TRUE(block->has_details);
        EXPECT_FALSE(block->in_cluster);
        program::warp_code code = block->warp(0);
        ASSERT_NE(code.executor, nullptr);
        const auto transfers_of = [&](std::size_t i) {
            program::issue_effects effects;
            program::lane_addresses lanes;
            code.executor->issue(code.window.next[i], 0, effects, lanes);
            return code.executor->take_transfers();
        };
        const auto loads = transfers_of(0);
        ASSERT_THAT(loads, SizeIs(1));
        EXPECT_EQ(loads[0].what, program::bulk_transfer::kind::load);
        EXPECT_EQ(loads[0].bytes, 256U);
        // 192 bytes inside of the tensor; two of the three accesses are far apart.
        ASSERT_THAT(loads[0].ranges, SizeIs(3));
        EXPECT_EQ(loads[0].ranges[0].address, 0x1000U);
        EXPECT_EQ(loads[0].ranges[2].address, 0x4000U);
        EXPECT_EQ(loads[0].ranges[0].bytes, 64U);
        ASSERT_THAT(loads[0].arrivals, SizeIs(1));
        EXPECT_EQ(loads[0].arrivals[0].mbarrier, 0x40U);
        EXPECT_EQ(loads[0].arrivals[0].bytes, 256U);
        const auto stores = transfers_of(1);
        ASSERT_THAT(stores, SizeIs(1));
        EXPECT_EQ(stores[0].what, program::bulk_transfer::kind::store);
        ASSERT_THAT(stores[0].ranges, SizeIs(2)) << "contiguous accesses are one range";
        EXPECT_EQ(stores[0].ranges[0].address, 0x2000U);
        EXPECT_EQ(stores[0].ranges[0].bytes, 64U);
        EXPECT_EQ(stores[0].ranges[1].address, 0x1fe0U);
        EXPECT_THAT(stores[0].arrivals, IsEmpty());
        EXPECT_THAT(transfers_of(2), IsEmpty()) << "no lane executes it";
    }
    options.share_paths = false;
}

TEST_F(KernelTrace, ReadsDetailsOfMbarrierInstructions) {
    header.version = "-accelsim tracer version = 6\n";
    header.binary = "90";
    const auto block = read(
        {"0000 00000001 0 SYNCS.EXCH.64 3 UR4 UR5 UR6 8 1 0x8 0 0 0 Val 1 0x0 1 0x1ffff8 1 0x0",
         "0010 00000003 1 R7 SYNCS.ARRIVE.TRANS64 2 R2 R3 8 1 0x8 0 0 0 Val 1 0x0 1 0x0 1 0x100",
         "0020 00000006 0 SYNCS.ARRIVE.TRANS64.ART0 2 R2 R3 8 0 0x8 0x10 0 0 Val 1 0x0 32 0 1 2 3 "
         "4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f",
         "0030 00000001 0 SYNCS.ARRIVE.TRANS64.A1T0.OPTOUT 2 R2 R255 8 1 0x8 0 0 0 Val 1 0x0 1 0x0",
         "0040 00000001 0 SYNCS.ARRIVE.TRANS64.A0TX 2 R2 R3 8 1 0x8 0 0 0 Val 1 0x0 1 0x100",
         "0050 00000001 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 1 0x8 0 0 0 Val 1 0x0 1 0x0 "
         "1 0x80000000"});
    EXPECT_THAT(kernel->take_warnings(), IsEmpty());
    const auto one = [&](std::size_t i, std::size_t n, std::size_t count) {
        const auto all = details_of(*block, i).barriers;
        EXPECT_THAT(all, SizeIs(count)) << i;
        return all.at(n);
    };
    using kind = program::mbarrier_operation::kind;
    EXPECT_EQ(one(0, 0, 1).what, kind::set);
    const auto state = program::mbarrier_state::decode(one(0, 0, 1).value);
    EXPECT_EQ(state.expected, 4U);
    EXPECT_EQ(state.pending, 4U);
    EXPECT_EQ(one(1, 1, 2).arrivals, 1U);
    EXPECT_EQ(one(1, 1, 2).bytes, 0x100);
    EXPECT_EQ(one(2, 0, 2).arrivals, 1U) << "lane 1";
    EXPECT_EQ(one(2, 1, 2).arrivals, 2U) << "lane 2";
    EXPECT_EQ(one(2, 1, 2).address, 0x10U);
    EXPECT_TRUE(one(3, 0, 1).drops);
    EXPECT_EQ(one(4, 0, 1).bytes, -0x100);
    EXPECT_EQ(one(4, 0, 1).arrivals, 0U);
    EXPECT_EQ(one(5, 0, 1).what, kind::wait);
    EXPECT_EQ(one(5, 0, 1).value, 1U);
    EXPECT_EQ(block->instructions[5].info->special, program::special_op::mbarrier_wait);
}

TEST_F(KernelTrace, ReadsGroupsOfProductsAndOfBulkCopies) {
    header.version = "-accelsim tracer version = 6\n";
    header.binary = "90";
    const auto block = read(
        {"0000 ffffffff 1 R24 HGMMA.64x64x16.F32 3 UR4 R24 UP0 0 0 0 0 NoVal",
         "0010 ffffffff 1 R24 HGMMA.64x64x16.F32 4 R8 UR4 R24 UP0 1 0 0 0 NoVal",
         "0020 ffffffff 1 R24 HGMMA.SP.64x64x32.F32 3 UR4 R24 R40 0 0 0 0 NoVal",
         "0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal",
         "0040 00000001 0 UTMACMDFLUSH 0 0 0 0 NoVal", "0050 ffffffff 0 DEPBAR.LE 0 0 3 0 NoVal"});
    const auto info = [&](std::size_t i) { return *block->instructions.at(i).info; };
    using program::special_op;
    EXPECT_EQ(info(0).special, special_op::warpgroup_mma);
    EXPECT_EQ(info(0).immediate, 0);
    EXPECT_EQ(info(1).immediate, 3) << "A in registers, closes a group";
    EXPECT_EQ(info(2).immediate, 0) << "the third register holds the metadata";
    EXPECT_EQ(info(3).special, special_op::warpgroup_wait);
    EXPECT_EQ(info(3).immediate, 1);
    EXPECT_EQ(info(4).special, special_op::bulk_commit);
    EXPECT_EQ(info(5).special, special_op::bulk_wait_read);
    EXPECT_EQ(info(5).immediate, 3);
}

TEST_F(KernelTrace, DoesNotWaitForMbarriersOfClusters) {
    header.version = "-accelsim tracer version = 6\n";
    header.binary = "90";
    const auto block = read(
        {"0000 00000001 0 SYNCS.EXCH.64 3 UR4 UR5 UR6 8 1 0x8 0 0 0 Val 1 0x0 1 0x1ffffe 1 0x0",
         "0010 00000001 0 UTMALDG.2D.MULTICAST 2 UR8 UR4 0 0x8 1 0x3 128 0 3 1 0x1000 0 0 NoVal",
         "0020 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 1 0x8 0 0 0 Val 1 0x0 1 0x0"});
    EXPECT_TRUE(block->in_cluster);
    program::warp_code code = block->warp(0);
    program::issue_effects effects;
    program::lane_addresses lanes;
    effects.can_suspend = true;
    for (std::size_t i = 0; i < 3; ++i)
        code.executor->issue(code.window.next[i], 0, effects, lanes);
    EXPECT_FALSE(effects.suspended);
    EXPECT_TRUE(
        read({"0000 ffffffff 0 UCGABAR_ARV 0 0 0", "0010 ffffffff 0 EXIT 0 0 0"})->in_cluster);
}

TEST_F(KernelTrace, RejectsCorruptBulkCopies) {
    header.binary = "90";
    for (const auto& [columns, message] : std::vector<std::pair<const char*, const char*>>{
             {"0 0x40 2 256 0 3 1 0x1000", "whether it is a multicast"},
             {"0 0x40 0 99999999999 0 3 1 0x1000", "the number of bytes of a bulk copy"},
             {"0 0x40 0 256 0 5 1 0x1000", "the address mode"},
             {"0 0x40 0 256 0 3 9999999 0x1000", "the number of addresses of a bulk copy"},
             {"0 0x40 0 256 0 3 2 0x1000", "an address of a bulk copy is missing"},
             {"0 0x40 0 256 0 4 0x1000 3 32", "a distance between addresses"}})
        EXPECT_THAT(
            message_of_lines({std::string("0000 00000001 0 UTMALDG.2D 2 UR8 UR4 ") + columns}),
            HasSubstr(message));
}

TEST_F(KernelTrace, ReadsSourceLinesAndClusters) {
    header.more = "-enable lineinfo = 1\n";
    kernel = open(text_of(header) +
                  "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0\n"
                  "cluster rank = 0\n\n\nwarp = 0\n\ninsts = 2\n\n"
                  "12 0xc1c0 0xffffffff 0 NOP 0 0 0\n\n13 c1c0 ffffffff 0 NOP 0 0 0\n#END_TB");
    const auto block = kernel->next_block();
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->instructions.at(0).info->source_line, 12U);
    EXPECT_EQ(block->instructions.at(1).info->source_line, 13U);
    EXPECT_EQ(block->instructions.at(1).info->pc, 0xc1c0U);
}

TEST_F(KernelTrace, IgnoresUniformRegistersAndPredicatesInOperandLists) {
    const auto block = read({"0000 ffffffff 1 UR4 ULDC.64 1 P0 0 0",
                             "0010 ffffffff 1 R4 LDG.E 3 R2 UR4 !PT 4 1 0x10 4 0",
                             "0020 ffffffff 1 RZ SHFL.IDX 4 R255 R255 RZ R1 0 0"});
    EXPECT_EQ(block->instructions[0].info->n_dst, 0);
    EXPECT_EQ(block->instructions[0].info->n_src, 0);
    EXPECT_EQ(block->instructions[1].info->n_src, 1);
    EXPECT_EQ(block->instructions[2].info->dst[0], program::register_zero);
    EXPECT_EQ(block->instructions[2].info->n_src, 4);
}

TEST_F(KernelTrace, ExpandsAllThreeAddressModes) {
    const auto block =
        read({"0000 00000105 1 R1 LDG.E 1 R2 4 0 0x10 20 0x00000030 0 0",
              "0010 0000000f 1 R1 LDG.E 1 R2 4 1 0x100 -4 0",
              "0020 80000003 1 R1 LDG.E 1 R2 4 2 0x100 16 -32 7",
              "0030 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 0", "0040 00000000 1 R1 LDG.E 1 R2 0 0",
              "0050 00000001 1 R1 LDG.E 1 R2 4 2 0x100 0"});
    EXPECT_THAT(addresses_of(*block, 0), ElementsAre(0x10, 0x20, 0x30));
    EXPECT_THAT(addresses_of(*block, 1), ElementsAre(0x100, 0xfc, 0xf8, 0xf4));
    EXPECT_THAT(addresses_of(*block, 2), ElementsAre(0x100, 0x110, 0xf0));
    EXPECT_EQ(block->instructions[3].mode, address_mode::none);
    EXPECT_EQ(block->instructions[4].mode, address_mode::none);
    EXPECT_THAT(addresses_of(*block, 5), ElementsAre(0x100));
}

TEST_F(KernelTrace, ExpandsStridesOverActiveLanesExceptUnderTheQuirk) {
    const std::vector<std::string> lines = {"0000 0000001b 1 R1 LDG.E 1 R2 4 1 0x100 8 0",
                                            "0010 0000001e 1 R1 LDG.E 1 R2 4 1 0x100 8 0"};
    EXPECT_THAT(addresses_of(*read(lines), 0), ElementsAre(0x100, 0x108, 0x110, 0x118));
    options.quirks.base_stride_gap = true;
    const auto block = read(lines);
    EXPECT_THAT(addresses_of(*block, 0), ElementsAre(0x100, 0x108, 0, 0));
    EXPECT_THAT(addresses_of(*block, 1), ElementsAre(0x100, 0x108, 0x110, 0x118));
}

TEST_F(KernelTrace, SkipsTheValueAfterDeltasOnlyUnderTheQuirk) {
    const std::vector<std::string> lines = {"0000 00000003 1 R1 LDG.E 1 R2 4 2 0x100 16 7"};
    EXPECT_THAT(addresses_of(*read(lines), 0), ElementsAre(0x100, 0x110));
    options.quirks.base_delta_swallow = true;
    EXPECT_THAT(addresses_of(*read(lines), 0), ElementsAre(0x100, 0x110));
}

TEST_F(KernelTrace, DecodesAnInstructionOncePerCounterAndText) {
    const auto block = read({"0000 ffffffff 1 R4 MOV 0 0 0", "0000 0000000f 1 R4 MOV 0 0 0",
                             "0000 ffffffff 1 R40 MOV 0 0 0", "0000 ffffffff 1 R4 FADD 0 0 0",
                             "0000 ffffffff 1 R4 MOV 0 0 0"});
    const auto& i = block->instructions;
    EXPECT_EQ(i[0].info, i[1].info);
    EXPECT_EQ(i[0].info, i[4].info);
    EXPECT_NE(i[0].info, i[2].info);
    EXPECT_NE(i[0].info, i[3].info);
    EXPECT_EQ(i[2].info->dst[0], 40);
    EXPECT_STREQ(i[3].info->opcode, "FADD");
    EXPECT_EQ(i[1].active_mask, 0xfU);
}

TEST_F(KernelTrace, DistinguishesWaitsAndBarriersByTheirImmediates) {
    const auto block = read({"0000 ffffffff 0 DEPBAR.LE 0 0 3", "0000 ffffffff 0 DEPBAR.LE 0 0 0",
                             "0000 ffffffff 0 DEPBAR.LE 0 0 3", "0010 ffffffff 0 BAR.SYNC 0 0 1",
                             "0020 ffffffff 0 BAR.SYNC 0 0 2 64", "0030 ffffffff 0 BAR.ARV 0 0"});
    const auto& i = block->instructions;
    EXPECT_EQ(i[0].info->immediate, 3);
    EXPECT_EQ(i[1].info->immediate, 0);
    EXPECT_EQ(i[2].info, i[0].info);
    EXPECT_EQ(i[3].info->barrier_id, 1);
    EXPECT_EQ(i[4].info->barrier_id, 2);
    EXPECT_EQ(i[4].info->barrier_threads, 64);
    EXPECT_EQ(i[5].info->barrier_id, -1);
    EXPECT_EQ(i[5].info->barrier, program::barrier_kind::arrive);
}

TEST_F(KernelTrace, ResolvesGenericAccessesByTheFirstActiveLane) {
    const std::vector<std::string> lines = {"0000 00000001 1 R1 LD.E 1 R2 4 1 0x7f0001000010 4",
                                            "0010 00000001 1 R1 LD.E 1 R2 4 1 0x7f0003008000 4",
                                            "0020 00000001 0 ST.E 2 R2 R1 4 1 0x7f9900000000 4",
                                            "0030 00000001 1 R1 LD.E 1 R2 4 1 0x7f0002800000 4"};
    const auto spaces = [&] {
        const auto block = read(lines);
        std::vector<memory_space> s;
        for (const auto& i : block->instructions) s.push_back(i.space);
        return s;
    };
    EXPECT_THAT(spaces(), ElementsAre(memory_space::shared, memory_space::local,
                                      memory_space::global, memory_space::global));
    options.quirks.generic_windows = true;
    EXPECT_THAT(spaces(), ElementsAre(memory_space::shared, memory_space::global,
                                      memory_space::global, memory_space::shared));
    header.bases = "";
    EXPECT_THAT(spaces(), ::testing::Each(memory_space::shared));
}

TEST_F(KernelTrace, RejectsABlockThatLacksAWarp) {
    header.block = "(96,1,1)";
    EXPECT_THAT(
        message_of(text_of(header) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2\ninsts = 0\n"
                                     "warp = 0\ninsts = 0\n#END_TB\n"),
        HasSubstr("no warp 1 of the 3"));
}

TEST_F(KernelTrace, RejectsADuplicateBlock) {
    header.grid = "(2,1,1)";
    const std::string block = block_of({"0000 ffffffff 0 EXIT 0 0"});
    EXPECT_THAT(message_of(text_of(header) + block + block), HasSubstr("0,0,0 twice"));
}

TEST_F(KernelTrace, RejectsAnUnknownTracerVersion) {
    EXPECT_THAT(message_of("-accelsim tracer version = 7\n" + text_of(header)),
                HasSubstr("tracer version 7"));
}

TEST_F(KernelTrace, RejectsADuplicateHeaderField) {
    EXPECT_THAT(message_of("-nregs = 16\n" + text_of(header)), HasSubstr("a second 'nregs'"));
}

TEST_F(KernelTrace, RejectsAnInvalidAccessWidth) {
    EXPECT_THAT(
        message_of(text_of(header) + block_of({"0000 ffffffff 1 R1 LDG.E 1 R4 1048576 1 0x10 4"})),
        HasSubstr("1048576 bytes"));
}

TEST_F(KernelTrace, SkipsAByteOrderMark) {
    kernel = open("\xef\xbb\xbf" + text_of(header) + block_of({"0000 ffffffff 0 EXIT 0 0"}));
    EXPECT_NE(nullptr, kernel->next_block());
}

TEST_F(KernelTrace, ReadsOnlyChosenBlocks) {
    header.grid = "(2,3,1)";
    std::string text = text_of(header);
    for (const char* at : {"0,0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"})
        text += block_of({"0000 ffffffff 0 EXIT 0 0"}, at);
    options.ctas = {1, 2};
    kernel = open(text);
    EXPECT_EQ(2u, kernel->header().grid.volume());
    EXPECT_EQ(1u, kernel->next_block()->index.x);
    EXPECT_EQ(1u, kernel->next_block()->index.y);
    EXPECT_EQ(nullptr, kernel->next_block());
    options.ctas = {6, 9};
    EXPECT_THROW(open(text), simtlm::support::user_error);
}

TEST_F(KernelTrace, LeavesAWarpWithoutLinesEmpty) {
    header.block = "(96,1,1)";
    kernel = open(text_of(header) +
                  "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2\ninsts = 1\n0000 1 0 EXIT 0 0\n"
                  "warp = 0\ninsts = 0\nwarp = 1\ninsts = 0\n#END_TB\n");
    const auto block = kernel->next_block();
    ASSERT_EQ(block->warps.size(), 3U);
    EXPECT_EQ(block->warps[0].count, 0U);
    EXPECT_EQ(block->warps[1].count, 0U);
    EXPECT_EQ(block->warps[2].first, 0U);
    EXPECT_EQ(block->warps[2].count, 1U);
}

TEST_F(KernelTrace, SuppliesBlocksInFileOrderAndReusesTheirStorage) {
    header.grid = "(500,1,1)";
    std::string text = text_of(header);
    for (int b = 0; b < 500; ++b) {
        text += block_of({"0000 ffffffff 0 EXIT 0 0"}, std::to_string(b) + ",0,0");
    }
    for (unsigned lookahead : {0U, 1U, 8U}) {
        kernel = open(text, lookahead);
        kernel->start();
        for (std::uint32_t b = 0; b < 500; ++b) {
            auto block = kernel->next_block();
            ASSERT_NE(block, nullptr);
            ASSERT_EQ(block->index.x, b);
            ASSERT_EQ(block->instructions.size(), 1U);
            kernel->recycle(std::move(block));
        }
        EXPECT_EQ(kernel->next_block(), nullptr);
        EXPECT_EQ(kernel->next_block(), nullptr);
    }
    kernel = open(text);
    kernel->next_block();  // destroyed while the decoder is running
}

TEST_F(KernelTrace, SuppliesBlocksLargerThanTheLookahead) {
    // Half of the blocks have 3 MB of lane addresses, of which at most 4 MiB are decoded ahead.
    std::string line = "0000 ffffffff 1 R1 LDG.E 1 R2 4 0";
    for (unsigned lane = 0; lane < 32; ++lane) line += " " + std::to_string(lane * lane * 64);
    const std::vector<std::string> many(12000, line);
    header.grid = "(8,1,1)";
    std::string text = text_of(header);
    for (int b = 0; b < 8; ++b)
        text += block_of(b % 2 == 0 ? many : std::vector<std::string>{line},
                         std::to_string(b) + ",0,0");
    for (unsigned lookahead : {1U, 2U, 3U, 64U}) {
        kernel = open(text, lookahead);
        for (std::uint32_t b = 0; b < 8; ++b) {
            auto block = kernel->next_block();
            ASSERT_NE(block, nullptr);
            ASSERT_EQ(block->index.x, b);
            ASSERT_EQ(block->instructions.size(), b % 2 == 0 ? many.size() : 1U);
            kernel->recycle(std::move(block));
        }
        EXPECT_EQ(kernel->next_block(), nullptr);
    }
}

TEST_F(KernelTrace, RejectsATruncatedFile) {
    const std::string whole = text_of(header) + block_of({"0000 ffffffff 0 EXIT 0 0"});
    EXPECT_EQ(message_of(whole), "no error");
    EXPECT_THAT(message_of(whole.substr(0, whole.size() - 9)), HasSubstr("#END_TB is missing"));
    EXPECT_THAT(message_of(text_of(header)), HasSubstr("after 0 of 1 thread blocks"));
    header.grid = "(2,1,1)";
    EXPECT_THAT(message_of(text_of(header) + block_of({})), HasSubstr("after 1 of 2"));
    EXPECT_THAT(message_of(""), HasSubstr("no header of a kernel trace"));
}

TEST_F(KernelTrace, RejectsAWrongInstructionCount) {
    const std::string start = text_of(header) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n";
    EXPECT_THAT(message_of(start + "insts = 2\n0000 1 0 EXIT 0 0\n#END_TB\n"),
                HasSubstr("warp 0 of thread block 0,0,0 has 1 instructions, not insts = 2"));
    EXPECT_THAT(message_of(start + "insts = 1\n0000 1 0 NOP 0 0\n0010 1 0 EXIT 0 0\n#END_TB\n"),
                HasSubstr("more instructions than insts = 1"));
    EXPECT_THAT(message_of(start + "#END_TB\n"), HasSubstr("without 'insts ='"));
    EXPECT_THAT(message_of(start + "0000 1 0 EXIT 0 0\n"), HasSubstr("before 'warp ='"));
    EXPECT_THAT(message_of(start + "insts = 4294967295\n#END_TB\n"), HasSubstr("has 0 instruc"));
    EXPECT_THAT(message_of(start + "insts = x\n"), HasSubstr("insts = N"));
}

TEST_F(KernelTrace, RejectsAWarpIdOutsideTheBlock) {
    EXPECT_THAT(message_of(text_of(header) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n"),
                HasSubstr("warp 1 of thread block 0,0,0, which has 1 warps"));
    EXPECT_THAT(message_of(text_of(header) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
                                             "insts = 0\nwarp = 0\n"),
                HasSubstr("warp 0 twice"));
}

TEST_F(KernelTrace, RejectsBlocksThatTheGridDoesNotHave) {
    EXPECT_THAT(message_of(text_of(header) + block_of({}, "1,0,0")), HasSubstr("outside the grid"));
    EXPECT_THAT(message_of(text_of(header) + block_of({}) + block_of({})),
                HasSubstr("more thread blocks than the grid of 1,1,1 has"));
    EXPECT_THAT(message_of(text_of(header) + block_of({}) + "0000 ffffffff 0 EXIT 0 0\n"),
                HasSubstr("text behind the last thread block"));
}

TEST_F(KernelTrace, RejectsMalformedStructure) {
    const std::string h = text_of(header);
    EXPECT_THAT(message_of(h + "#END_TB\n"), HasSubstr("without #BEGIN_TB"));
    EXPECT_THAT(message_of(h + "#BEGIN_TB\n#BEGIN_TB\n"), HasSubstr("inside a thread block"));
    EXPECT_THAT(message_of(h + "#BEGIN_TB\n#END_TB\n"), HasSubstr("without 'thread block"));
    EXPECT_THAT(message_of(h + "#BEGIN_TB\nwarp = 0\n"), HasSubstr("before 'thread block"));
    EXPECT_THAT(message_of(h + "#BEGIN_TB\nhello\n"), HasSubstr("neither an instruction"));
    EXPECT_THAT(message_of(h + "hello\n"), HasSubstr("outside #BEGIN_TB"));
    EXPECT_THAT(message_of("hello\n"), HasSubstr("is this a kernel trace"));
}

TEST_F(KernelTrace, RejectsInvalidHeaders) {
    const auto with = [&](auto change) {
        header_text h;
        change(h);
        return message_of(text_of(h) + block_of({}));
    };
    EXPECT_THAT(with([](auto& h) { h.grid = "(0,1,1)"; }), HasSubstr("no thread blocks"));
    EXPECT_THAT(with([](auto& h) { h.block = "(32,0,1)"; }), HasSubstr("of no threads"));
    EXPECT_THAT(with([](auto& h) { h.block = "(32,33,1)"; }), HasSubstr("more than 1024 threads"));
    EXPECT_THAT(with([](auto& h) { h.grid = "(1,70000,1)"; }), HasSubstr("CUDA allows"));
    EXPECT_THAT(with([](auto& h) { h.grid = "1,1,1"; }), HasSubstr("(x,y,z)"));
    EXPECT_THAT(with([](auto& h) { h.binary = "77"; }), HasSubstr("unknown binary version 77"));
    EXPECT_THAT(with([](auto& h) { h.binary = "x"; }), HasSubstr("binary version is no number"));
}

TEST_F(KernelTrace, RejectsMalformedInstructions) {
    EXPECT_THAT(message_of_lines({"0000 fffffffg 0 NOP 0 0"}), HasSubstr("active mask"));
    EXPECT_THAT(message_of_lines({"0000 1ffffffff 0 NOP 0 0"}), HasSubstr("active mask"));
    EXPECT_THAT(message_of_lines({"00x0 ffffffff 0 NOP 0 0"}), HasSubstr("program counter"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff"}), HasSubstr("destination registers"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 0"}), HasSubstr("no opcode"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 0 NOP"}), HasSubstr("source registers"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 0 NOP 0"}), HasSubstr("memory width"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 1 R256 NOP 0 0"}), HasSubstr("no register"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 1 X1 NOP 0 0"}), HasSubstr("'X1' is no register"));
    EXPECT_THAT(message_of_lines({"0000 ffffffff 99 R1 NOP 0 0"}), HasSubstr("too many"));
    EXPECT_THAT(message_of_lines({"0000 f 0 LDG 0 4 3 0x10"}), HasSubstr("address mode"));
    EXPECT_THAT(message_of_lines({"0000 f 0 LDG 0 4 0 1 2 3"}), HasSubstr("address 4 of 4"));
    EXPECT_THAT(message_of_lines({"0000 f 0 LDG 0 4 1 0x10"}), HasSubstr("stride"));
    EXPECT_THAT(message_of_lines({"0000 f 0 LDG 0 4 2 0x10 1 2"}), HasSubstr("delta 3 of 3"));
    EXPECT_THAT(message_of_lines({"0000 f 0 LDG 0 4 1 zz 1"}), HasSubstr("base address"));
}

TEST_F(KernelTrace, NamesAnUnknownOpcodeWithKernelCounterAndLine) {
    const std::string message = message_of_lines({"0a0 f 1 R1 FROB.X 0 0"});
    EXPECT_THAT(message, HasSubstr("unknown opcode FROB.X"));
    EXPECT_THAT(message, HasSubstr("0xa0"));
    EXPECT_THAT(message, HasSubstr("kernel k"));
    EXPECT_THAT(message, HasSubstr("ampere"));
    EXPECT_THAT(message, HasSubstr("k.traceg:24:"));
}

TEST_F(KernelTrace, TreatsUnknownOpcodesAsIntegersWithOneWarning) {
    options.unknown_opcode_is_error = false;
    const auto block = read({"0000 f 1 R1 FROB.X 0 0", "0010 f 1 R1 FROB.Y 0 4 1 0x10 4"});
    EXPECT_EQ(block->instructions[1].info->cls, program::op_class::integer);
    EXPECT_EQ(block->instructions[1].mode, address_mode::none);
    EXPECT_THAT(kernel->take_warnings(), ElementsAre(HasSubstr("FROB.X")));
    EXPECT_THAT(kernel->take_warnings(), IsEmpty());
}

TEST_F(KernelTrace, WarnsOfCorruptHeaderValuesAndKeepsThem) {
    std::string text = text_of(header) + block_of({});
    text.replace(text.find("-nregs = 16"), 11, "-nregs = 21955");
    text.replace(text.find("-shmem = 64"), 11, "-shmem = 1");
    text.replace(text.find("-kernel id = 3"), 14, "-kernel id = ?");
    kernel = open(text);
    EXPECT_EQ(kernel->header().registers, 21955U);
    EXPECT_EQ(kernel->header().shared_memory, 1U);
    EXPECT_THAT(kernel->take_warnings(),
                ElementsAre(HasSubstr("kernel id"), HasSubstr("21955"), HasSubstr("shmem = 1")));
}

TEST_F(KernelTrace, SharesThePathOfWarpsThatDifferOnlyInBaseAddresses) {
    header.block = "(128,1,1)";
    options.share_paths = true;
    const auto warp = [](int id, const std::string& base, const std::string& deltas) {
        return "warp = " + std::to_string(id) + "\ninsts = 3\n0000 ffffffff 1 R1 LDG.E 1 R4 4 1 " +
               base + " 4\n0010 0000000f 1 R2 LDG.E 1 R4 4 2 " + base + " " + deltas +
               "\n0020 00000003 1 R3 LDG.E 1 R4 4 0 " + base + " 0x7fff00000000\n\n";
    };
    kernel = open(text_of(header) + "#BEGIN_TB\n\nthread block = 0,0,0\n\n" +
                  warp(0, "0x1000", "8 8 -4") + warp(1, "0x9000", "8 8 -4") +
                  warp(2, "0x5000", "8 12 -4") + "warp = 3\ninsts = 0\n#END_TB\n");
    const auto block = kernel->next_block();
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->warps[0].path, block->warps[1].path);
    EXPECT_NE(block->warps[0].path, block->warps[2].path) << "its lanes lie elsewhere";
    EXPECT_EQ(block->warps[3].count, 0U);
    const std::uint64_t bases[] = {0x1000, 0x9000, 0x5000};
    for (unsigned w = 0; w < 3; ++w) {
        const auto& range = block->warps[w];
        ASSERT_EQ(range.count, 3U);
        const program::dynamic_instruction* i = block->begin_of(range);
        std::uint64_t lanes[32] = {};
        program::expand_addresses(i[0], block->addresses_of(range), lanes);
        EXPECT_EQ(lanes[31], bases[w] + 31 * 4);
        program::expand_addresses(i[1], block->addresses_of(range), lanes);
        EXPECT_EQ(lanes[3], bases[w] + (w == 2 ? 16 : 12));
        program::expand_addresses(i[2], block->addresses_of(range), lanes);
        EXPECT_EQ(lanes[1], 0x7fff00000000U) << "too far for a short distance";
    }
}

TEST_F(KernelTrace, AssignsTheControlBitsOfTheHeader) {
    // SM 8.0: stall 2, write barrier 1, wait for barriers 0 and 2, reuse of the second operand.
    program::control_bits bits;
    bits.stall = 2;
    bits.write_barrier = 1;
    bits.wait_mask = 5;
    bits.reuse = 2;
    header.more = "-control 0x10 = " + hexadecimal(bits.encode()) + "\n";
    const auto block =
        read({"0000 ffffffff 1 R1 IADD3 2 R2 R3 0", "0010 ffffffff 1 R4 FADD 2 R1 R2 0"});
    ASSERT_EQ(block->warps.size(), 1u);
    const program::dynamic_instruction* const i = block->begin_of(block->warps[0]);
    EXPECT_FALSE(i[0].info->control.present);
    ASSERT_TRUE(i[1].info->control.present);
    EXPECT_EQ(i[1].info->control.encode(), bits.encode());
    EXPECT_EQ(i[1].info->control.wait_mask, 5);
}

TEST_F(KernelTrace, RejectsControlBitsWithoutAnInstruction) {
    for (const char* const line :
         {"-control 10 = 200000\n", "-control xyz = 1\n", "-control 10 = \n"}) {
        header.more = line;
        EXPECT_THAT(message_of(text_of(header) + block_of({})), HasSubstr("control bits")) << line;
    }
}

}  // namespace
