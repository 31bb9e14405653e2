// SPDX-License-Identifier: Apache-2.0
// The binary form of kernel traces: the simulation receives the same data as from the text, and all
// damage is detected.
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_header.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/warp_path.h"
#include "tests/unit/trace/binary_bytes.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace simtlm;
using support::user_error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Every kind of line: address modes, gaps in masks, no lanes, immediates, a warp without
/// instructions, a backward jump, a non-memory instruction with addresses.
std::string odd_trace(const std::string& header, bool prefixed, bool numbered) {
    const std::vector<std::string> lines = {
        "0000 ffffffff 1 R1 MOV 0 0 0 -264",
        "0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f5800000000 0x7f5800000100 0x10 0x20 0 0",
        "0020 ffffffff 1 R5 LD.E 1 R2 4 1 0x7f0000000010 4 0 0",
        "0030 000000ff 0 STS 2 R6 R5 4 2 0x0 4 4 -4 8 4 4 4 0 0",
        "0010 0000001b 1 R4 LDG.E.64 1 R2 8 1 0x100 8 3",
        "0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f5800001000 0x7f5800001100 0x1010 0x1020 0 0",
        "0010 00000000 1 R4 LDG.E.64 1 R2 0 0",
        "0010 00000000 1 R4 LDG.E.64 1 R2 8 1 0x40 8 0",
        "0010 00000000 1 R4 LDG.E.64 1 R2 8 2 0x0",
        "0018 00000003 1 R4 FADD 1 R2 4 2 0x10 4 6 7",
        "0040 ffffffff 0 BAR.SYNC 0 0 1 64",
        "0040 ffffffff 0 BAR.SYNC 0 0 2 64",
        "0040 00000003 0 BAR.SYNC 0 4 2 0x10 4 1 64",
        "0048 ffffffff 0 DEPBAR.LE 0 0 3",
        "fffffffffffffff0 80000001 1 R1 LDG.E 1 R2 4 2 0xffffffffffffffff 9223372036854775807 0",
        "0050 ffffffff 1 UR4 ULDC.64 2 P0 !PT 0 NoVal",
        "0060 00000001 0 EXIT 0 0 0"};
    std::string text = header;
    for (unsigned b = 0; b < 3; ++b) {
        text += "\n#BEGIN_TB\n\nthread block = " + std::to_string(2 - b) + ",0,0\n";
        for (const unsigned w : {1u, 0u, 3u, 2u}) {  // in a different order
            const std::size_t n = w >= 2 ? 0 : lines.size();
            text += "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(n) + "\n";
            for (std::size_t i = 0; i < n; ++i) {
                if (prefixed) text += "0 0 0 0 ";
                if (numbered) text += std::to_string(i % 5 + w) + " ";
                text += lines[i] + "\n";
            }
        }
        text += "\n#END_TB\n";
    }
    return text;
}

std::string odd_header(const std::string& more) {
    return "-kernel name = k\n-kernel id = 3\n-grid dim = (3,1,1)\n-block dim = (128,1,1)\n"
           "-shmem = 1\n-nregs = 16\n-binary version = 80\n-cuda stream id = 7\n"
           "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0002000000\n"
           "-nvbit version = 1.7\n-some newer key = 1\n" +
           more + "\n#traces format = ...\n\n";
}

/// Everything visible to the simulation in a trace, as text: instructions, addresses, and which
/// warps share a path.
class description {
public:
    description(const std::string& file, const trace::reader_options& options) {
        trace::kernel_trace kernel(file, options, 0);
        const trace::kernel_header& h = kernel.header();
        out_ << h.name << ' ' << h.id << ' ' << h.grid.volume() << ' ' << h.block.volume() << ' '
             << h.shared_memory << ' ' << h.registers << ' ' << h.binary_version << ' ' << h.stream
             << ' ' << h.shared_base << ' ' << h.local_base << ' ' << h.nvbit_version << ' '
             << h.tracer_version << ' ' << h.line_info << '\n';
        std::vector<std::unique_ptr<trace::block_trace>> blocks;  // keep the paths alive
        while (auto block = kernel.next_block()) {
            out_ << "block " << block->index.x << ' ' << block->index.y << ' ' << block->index.z
                 << '\n';
            for (const auto& warp : block->warps) describe(*block, warp);
            blocks.push_back(std::move(block));
        }
        for (const std::string& w : kernel.take_warnings()) {
            out_ << "warning" << w.substr(w.find(": ")) << '\n';
        }
    }
    std::string text() const { return out_.str(); }

private:
    void describe(const trace::block_trace& block, const trace::block_trace::warp_range& warp) {
        out_ << "warp " << warp.count << " path "
             << paths_.emplace(warp.path.get(), paths_.size()).first->second << '\n';
        const program::dynamic_instruction* i = block.begin_of(warp);
        for (std::uint32_t k = 0; k < warp.count; ++k, ++i) {
            const program::static_instruction& s = *i->info;
            out_ << statics_.emplace(&s, statics_.size()).first->second << ' ' << s.pc << ' '
                 << s.opcode << ' ' << s.source_line << ' ' << s.latency << ' '
                 << s.initiation_interval << ' ' << int(s.cls) << ' ' << int(s.space) << ' '
                 << int(s.cache_op) << ' ' << int(s.special) << ' ' << int(s.barrier) << ' '
                 << s.is_load << s.is_store << s.is_atomic << ' ' << int(s.data_size) << ' '
                 << s.immediate << ' ' << s.barrier_id << ' ' << s.barrier_threads;
            for (unsigned r = 0; r < s.n_dst; ++r) out_ << " d" << int(s.dst.at(r));
            for (unsigned r = 0; r < s.n_src; ++r) out_ << " s" << int(s.src.at(r));
            out_ << " : " << i->active_mask << ' ' << int(i->mode) << ' ' << int(i->space);
            std::uint64_t lanes[32] = {};
            const std::uint32_t mask =
                program::expand_addresses(*i, block.addresses_of(warp), lanes);
            for (unsigned l = 0; l < 32; ++l)
                if ((mask >> l & 1) != 0) out_ << ' ' << lanes[l];
            out_ << '\n';
        }
    }
    std::ostringstream out_;
    std::map<const void*, std::size_t> paths_, statics_;
};

class BinaryTrace : public ::testing::Test {
protected:
    BinaryTrace() { options.opcodes = &opcodes; }

    /// Reads a file in both ways. @returns the error message, or an empty text
    std::string message_of(const std::string& file) {
        std::string message;
        try {
            trace::kernel_trace kernel(file, options, 0);
            while (auto block = kernel.next_block()) kernel.recycle(std::move(block));
        } catch (const user_error& e) {
            message = e.what();
        }
        std::string recorded;
        try {
            test::text_of(file);
        } catch (const user_error& e) {
            recorded = e.what();
        }
        EXPECT_EQ(message.empty(), recorded.empty()) << message << "\n" << recorded;
        return message;
    }

    /// A small binary trace with a given name.
    std::string small(const std::string& name = "small.simtlm") {
        const std::string text = folder.write(
            "small.traceg", odd_trace(odd_header("-accelsim tracer version = 5\n"), false, false));
        test::convert(text, folder.path(name));
        return folder.path(name);
    }

    test::temporary_folder folder;
    isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
};

void set_quirks(trace::reader_options& o, unsigned set) {
    o.share_paths = (set & 1) != 0;
    o.quirks.base_delta_swallow = (set & 2) != 0;
    o.quirks.base_stride_gap = (set & 4) != 0;
    o.quirks.single_barrier = (set & 8) != 0;
    o.quirks.ldc_is_alu = o.quirks.generic_windows = o.quirks.typed_width_is_word = (set & 16) != 0;
}

TEST_F(BinaryTrace, OfEverySampleSuppliesTheSameInstructions) {
    for (const char* sample : {"sample", "vecadd", "reduction", "sgemm_tile", "pchase", "histogram",
                               "async_copy", "streams", "divergence"}) {
        const std::string list = std::string{SIMTLM_TRACES} + "/" + sample + "/kernelslist.g";
        for (const trace::command& c : trace::read_command_list(list)) {
            if (c.what != trace::command::kind::kernel) continue;
            const std::string binary = folder.path("k.simtlm");
            test::convert(c.file, binary);
            for (const bool share : {false, true}) {
                options.share_paths = share;
                ASSERT_TRUE(description(c.file, options).text() ==
                            description(binary, options).text())
                    << c.file << ", shared paths: " << share;
            }
            std::string printed = test::text_of(binary);
            EXPECT_TRUE(printed == test::text_of(c.file)) << c.file;
            trace::line_source lines(c.file);
            trace::line_source::line line;
            std::string original;
            while (lines.next(line)) original.append(line.begin, line.end) += '\n';
            EXPECT_TRUE(printed == original) << c.file << " is not printed as it was written";
        }
    }
}

TEST_F(BinaryTrace, OfUnusualLinesSuppliesTheSameInstructionsUnderEveryQuirk) {
    struct variant {
        std::string header;
        bool prefixed, numbered;
    };
    for (const variant& v :
         {variant{"-accelsim tracer version = 5\n", false, false},
          variant{"-accelsim tracer version = 2\n", true, false},
          variant{"-accelsim tracer version = 6\n-enable lineinfo = 1\n", false, true}}) {
        const std::string text =
            folder.write("k.traceg", odd_trace(odd_header(v.header), v.prefixed, v.numbered));
        const std::string binary = folder.path("k.simtlm");
        test::convert(text, binary);
        for (unsigned set = 0; set < 32; ++set) {
            set_quirks(options, set);
            ASSERT_EQ(description(text, options).text(), description(binary, options).text())
                << v.header << " quirks " << set;
        }
        const std::string again = folder.write("again.traceg", test::text_of(binary));
        for (unsigned set = 0; set < 32; ++set) {
            set_quirks(options, set);
            ASSERT_EQ(description(text, options).text(), description(again, options).text())
                << v.header << " quirks " << set;
        }
        test::convert(again, folder.path("again.simtlm"));
        EXPECT_EQ(test::text_of(binary), test::text_of(folder.path("again.simtlm")));
        test::convert(binary, folder.path("again.simtlm"));
        EXPECT_EQ(test::bytes_of_file(binary), test::bytes_of_file(folder.path("again.simtlm")));
    }
}

TEST_F(BinaryTrace, IsDetectedByItsContent) {
    const std::string binary = small("kernel-1.traceg");
    EXPECT_EQ(message_of(binary), "");
    const std::string text = folder.write(
        "k.simtlm", odd_trace(odd_header("-accelsim tracer version = 5\n"), false, false));
    EXPECT_EQ(description(binary, options).text(), description(text, options).text());
    std::vector<std::string> warnings;
    EXPECT_EQ(trace::read_kernel_header(binary, warnings).grid.volume(), 3U);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("shmem = 1 bytes")));
}

TEST_F(BinaryTrace, ReportsUnknownOpcodesAsATextDoes) {
    std::string text = odd_trace(odd_header("-accelsim tracer version = 5\n"), false, false);
    for (std::size_t at = 0; (at = text.find("FADD", at)) != std::string::npos;) {
        text.replace(at, 4, "FOOX");
    }
    const std::string file = folder.write("k.traceg", text);
    const std::string binary = folder.path("k.simtlm");
    test::convert(file, binary);
    const auto error = [&](const std::string& of) {
        try {
            description d(of, options);
        } catch (const user_error& e) {
            return std::string(e.what()).substr(e.where().size());
        }
        return std::string("no error");
    };
    EXPECT_THAT(error(file), HasSubstr("unknown opcode FOOX at program counter 0x18"));
    EXPECT_EQ(error(file), error(binary));
    options.unknown_opcode_is_error = false;
    const auto warnings = [&](const std::string& of) {
        trace::kernel_trace kernel(of, options, 2);
        while (kernel.next_block()) {
        }
        std::vector<std::string> list = kernel.take_warnings();
        for (std::string& w : list) w.erase(0, w.find(": "));
        return list;
    };
    EXPECT_THAT(warnings(binary), ElementsAre(HasSubstr("shmem"), HasSubstr("FOOX")));
    EXPECT_EQ(warnings(file), warnings(binary));
}

TEST_F(BinaryTrace, TruncatedAnywhereIsRejected) {
    const std::string file = small();
    const std::string bytes = test::bytes_of_file(file);
    ASSERT_EQ(message_of(file), "");
    ASSERT_LT(bytes.size(), 3000U);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_NE(message_of(folder.write("cut.simtlm", bytes.substr(0, n))), "") << n;
    }
    EXPECT_THAT(message_of(folder.write("cut.simtlm", bytes + "x")), HasSubstr("damaged"));
    EXPECT_THAT(message_of(folder.write("cut.simtlm", bytes.substr(0, 500))),
                HasSubstr("cut.simtlm: damaged binary trace: it is cut short"));
}

TEST_F(BinaryTrace, WithAnyByteChangedIsRejected) {
    const std::string bytes = test::bytes_of_file(small());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int change : {0x01, 0x80, 0xff}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            EXPECT_NE(message_of(folder.write("flipped.simtlm", changed)), "")
                << at << " ^ " << change;
        }
    }
}

TEST_F(BinaryTrace, WithForgedChecksumsIsReadWithinBoundsOrRejected) {
    const std::string file = small();
    const std::string bytes = test::bytes_of_file(file);
    unsigned read = 0, refused = 0;
    for (std::size_t at = 0; at < bytes.size() - sizeof(trace::binary_tail); ++at) {
        for (const int change : {0x01, 0x10, 0x80, 0xff}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            test::reseal(changed);
            // The two ways of reading may find different errors, because opcodes matter only for
            // one of them.
            const std::string name = folder.write("resealed.simtlm", changed);
            try {
                for (const bool share : {false, true}) {
                    options.share_paths = share;
                    description d(name, options);
                }
                ++read;
            } catch (const user_error& e) {
                ASSERT_FALSE(e.where().empty()) << e.what();
                ++refused;
            }
            try {
                test::text_of(name);
            } catch (const user_error&) {
            }
        }
    }
    EXPECT_GT(read, 100U);
    EXPECT_GT(refused, 100U);
}

TEST_F(BinaryTrace, OfAnotherVersionOrByteOrderIsRejectedByName) {
    std::string bytes = test::bytes_of_file(small());
    std::string other = bytes;
    other[8] = 2;
    EXPECT_THAT(message_of(folder.write("k.simtlm", other)),
                HasSubstr("its version is 2, not 1 (convert the trace"));
    other = bytes;
    std::swap(other[12], other[15]);
    std::swap(other[13], other[14]);
    EXPECT_THAT(message_of(folder.write("k.simtlm", other)), HasSubstr("another byte order"));
}

TEST_F(BinaryTrace, WithFewerBlocksThanItsGridIsRejected) {
    std::string bytes = test::bytes_of_file(small());
    const std::size_t at = bytes.find("(3,1,1)");
    ASSERT_NE(at, std::string::npos);
    bytes[at + 1] = '4';
    test::reseal(bytes);
    EXPECT_THAT(message_of(folder.write("k.simtlm", bytes)), HasSubstr("3 of 4 thread blocks"));
}

TEST_F(BinaryTrace, TruncatedDuringReadingIsAnError) {
    const std::string file = small();
    trace::kernel_trace kernel(file, options, 0);
    ASSERT_NE(kernel.next_block(), nullptr);
    std::filesystem::resize_file(file, 100);
    try {
        kernel.next_block();
        FAIL() << "no error";
    } catch (const user_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("was changed while it was read"));
    }
}

TEST_F(BinaryTrace, WritesNoFileForAMalformedText) {
    const std::string whole = odd_trace(odd_header("-accelsim tracer version = 5\n"), false, false);
    const std::string file = folder.write("k.traceg", whole.substr(0, whole.size() / 2));
    try {
        test::convert(file, folder.path("k.simtlm"));
        FAIL() << "no error";
    } catch (const user_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("k.traceg:"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path("k.simtlm")));
    EXPECT_FALSE(std::filesystem::exists(folder.path("k.simtlm.part")));
}

TEST_F(BinaryTrace, HoldsLongRunsAndManyInstructions) {
    std::string text = odd_header("-accelsim tracer version = 3\n");
    const std::size_t at = text.find("(3,1,1)");
    text.replace(at, 7, "(1,1,1)");
    text += "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 6000\n";
    for (unsigned i = 0; i < 6000; ++i) {
        char line[64];
        std::snprintf(line, sizeof line, "%04x ffffffff 1 R%u MOV 0 0 \n", i % 5000 * 16, i % 200);
        text += line;
    }
    for (const char* w : {"1", "2", "3"}) text += std::string("warp = ") + w + "\ninsts = 0\n";
    text += "#END_TB\n";
    const std::string file = folder.write("k.traceg", text);
    const trace::written_trace written = test::convert(file, folder.path("k.simtlm"));
    EXPECT_EQ(written.instructions, 6000U);
    EXPECT_EQ(description(file, options).text(),
              description(folder.path("k.simtlm"), options).text());
    const trace::binary_tail tail = test::tail_of(test::bytes_of_file(folder.path("k.simtlm")));
    EXPECT_LT(tail.header_at - sizeof(trace::binary_head), 40U) << "runs are not written as such";
}

}  // namespace
