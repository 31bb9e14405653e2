// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/recorded_trace.h"
#include "modules/trace/trace_writer.h"
#include "tests/unit/trace/temporary_folder.h"
#include "tests/unit/trace/tracez_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace simtlm::trace {
namespace {

using test::tracez_writer;
using testing::HasSubstr;

const char text[] = R"(-kernel name = k
-kernel id = 7
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 1024
-nregs = 16
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0002000000
-nvbit version = 1.8
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask ...

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 5
0000 ffffffff 1 R1 MOV 0 0 0 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f5800000000 0x7f5800000100 0x10 0x20 0 0
0020 ffffffff 1 R5 LD.E 1 R2 4 1 0x7f0000000010 4 0 0
0040 ffffffff 0 BAR.SYNC 0 0 1 64
0050 ffffffff 0 EXIT 0 0 0 0

warp = 1
insts = 1
0050 ffffffff 0 EXIT 0 0 0 0

#END_TB

#BEGIN_TB

thread block = 1,0,0

warp = 0
insts = 1
0050 00000000 0 EXIT 0 0 0 0

warp = 1
insts = 0

#END_TB
)";

class Tracez : public testing::Test {
protected:
    std::string text_of(const std::string& file) {
        std::string all;
        const auto source = open_recorded_trace(file);
        write_text_trace(*source, [&all](const std::string& part) { all += part; });
        return all;
    }
    void expect_refused(const std::string& bytes, const std::string& part) {
        try {
            text_of(folder.write("bad.tracez", bytes));
            ADD_FAILURE() << "was read: " << part;
        } catch (const support::user_error& e) {
            EXPECT_THAT(e.what(), HasSubstr(part));
            EXPECT_THAT(e.what(), HasSubstr("bad.tracez"));
        }
    }
    const test::temporary_folder folder;
};

TEST_F(Tracez, IsTheTextThatItWasMadeFrom) {
    const std::string plain = text_of(folder.write("k.traceg", text));
    for (const unsigned chunk : {1u, 2u, 3u, 100u})
        for (const char* dictionary : {"", "0050 ffffffff 0 EXIT 0 0 0 0 R2 LDG.E.64 0x7f58"})
            for (const bool flag : {true, false}) {
                const tracez_writer::settings how{chunk, dictionary, flag, !flag, flag};
                EXPECT_EQ(plain,
                          text_of(folder.write("k.tracez", tracez_writer::pack_text(text, how))))
                    << chunk << dictionary << flag;
            }
}

TEST_F(Tracez, IsReadByTheSimulatorsReader) {
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    reader_options options;
    options.opcodes = &opcodes;
    kernel_trace kernel(folder.write("k.tracez", tracez_writer::pack_text(text, {})), options, 2);
    EXPECT_EQ("k", kernel.header().name);
    EXPECT_EQ(16u, kernel.header().registers);
    auto first = kernel.next_block();
    ASSERT_NE(nullptr, first);
    EXPECT_EQ(5u, first->warps[0].count);
    EXPECT_EQ(1u, first->warps[1].count);
    kernel.recycle(std::move(first));
    ASSERT_NE(nullptr, kernel.next_block());
    EXPECT_EQ(nullptr, kernel.next_block());
}

TEST_F(Tracez, ReportsDamageWithFileAndByte) {
    const std::string good = tracez_writer::pack_text(text, {});
    for (std::size_t n = 0; n < good.size(); n += 7)
        expect_refused(good.substr(0, n), n == 0 ? "header" : "bad.tracez");
    std::string index = good;
    index[good.size() - 1] = '\x7f';
    expect_refused(index, "index");
    std::string frame = good;
    const std::size_t magic = good.find("\x28\xb5\x2f\xfd");
    ASSERT_NE(std::string::npos, magic);
    frame[magic] = 'x';
    expect_refused(frame, "damaged");
    expect_refused("-kernel name = k\n", "zero byte");
}

TEST_F(Tracez, NeverCrashesTheReader) {
    const std::string good = tracez_writer::pack_text(text, {2, "EXIT 0 0 0 0", true, true, false});
    unsigned read = 0;
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        std::string bytes = good;
        for (unsigned n = 0; n <= seed % 3; ++n)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (seed % 7 == 0) bytes.resize(random() % bytes.size());
        try {
            text_of(folder.write("f.tracez", bytes));
            ++read;
        } catch (const support::user_error& e) {
            ASSERT_FALSE(e.where().empty()) << e.what();
        }
    }
    EXPECT_GT(read, 50u);
}

}  // namespace
}  // namespace simtlm::trace
