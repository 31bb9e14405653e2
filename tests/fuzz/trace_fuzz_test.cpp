// SPDX-License-Identifier: Apache-2.0
// No file may crash or hang the readers: seeded mutations of valid files either can be read or end
// in a user_error. Deterministic, so that the seed of a failure reproduces it.
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/trace_writer.h"
#include "tests/unit/trace/binary_bytes.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace {

using namespace simtlm;

// Faults are found under the sanitizers; without them it is checked that inputs are refused.
#if defined(__SANITIZE_ADDRESS__)
constexpr unsigned rounds = 6000;
#else
constexpr unsigned rounds = 1500;
#endif

const char valid_trace[] = R"(-kernel name = k
-kernel id = 1
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
cluster id = 0,0,0
warp = 0
insts = 6
0000 ffffffff 1 R1 MOV 0 0 0 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x7f5800000000 0x7f5800000100 0x10 0x20 0 0
0020 ffffffff 1 R5 LD.E 1 R2 4 1 0x7f0000000010 4 0 0
0030 000000ff 0 STS 2 R6 R5 4 2 0x0 4 4 -4 8 4 4 4 0 0
0040 ffffffff 0 BAR.SYNC 0 0 1 64
0050 ffffffff 0 EXIT 0 0 0 0

warp = 1
insts = 2
0000 ffffffff 1 R1 LDC.U8 1 UR4 1 1 0x0 0 0 0 NoVal
0050 ffffffff 0 DEPBAR.LE 0 0 3 0

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

const char asynchronous_trace[] = R"(-kernel name = k
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 1024
-nregs = 90
-binary version = 90
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0002000000
-nvbit version = 1.8
-accelsim tracer version = 6
-enable lineinfo = 0

#traces format = PC mask ...

#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 9
0000 00000001 0 SYNCS.EXCH.64 3 UR4 UR5 UR6 8 1 0x8 0 0 0 Val 1 0x0 1 0x1ffffe 1 0x0
0010 00000001 0 SYNCS.ARRIVE.TRANS64 2 R2 R3 8 1 0x8 0 0 0 Val 1 0x0 1 0x100
0020 00000001 0 UTMALDG.2D 2 UR8 UR4 0 0x8 0 256 64 3 2 0x1000 0x2000 0 0 NoVal
0030 00000001 0 UBLKCP.G.S 2 UR8 UR4 16 0x0 0 96 0 4 0x2000 3 32 -64 0 0 NoVal
0040 ffffffff 1 R24 HGMMA.64x64x16.F32 3 UR4 R24 UP0 1 0 0 0 NoVal
0050 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal
0060 00000003 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 0 0x8 0x8 0 0 Val 1 0x0 1 0x0
0070 00000001 0 UCGABAR_ARV 0 0 0 0 NoVal
0080 ffffffff 0 EXIT 0 0 0 0 NoVal

#END_TB
)";

const char* const words[] = {"0",
                             "-1",
                             "4294967295",
                             "4294967296",
                             "99999999999999999999999",
                             "0x",
                             "ffffffff",
                             "R255",
                             "R256",
                             "UR4",
                             "#BEGIN_TB",
                             "#END_TB",
                             "warp = 0",
                             "insts = 9",
                             "thread block = 0,0,0",
                             "\n",
                             " ",
                             "\t",
                             "\r\n",
                             "(0,0,0)",
                             "(1024,1,1)",
                             "(4294967295,4294967295,4294967295)",
                             "LDGSTS.128",
                             "-grid dim = ",
                             "STORE_DATA",
                             "2147483648"};

/// Mutates a text in one to four places.
std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n == 0 ? 0 : n - 1)(random);
    };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(text.size());
        switch (below(8)) {
            case 0:
                if (!text.empty()) text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, 1 + below(12));
                break;
            case 2:
                text.insert(at, words[below(std::size(words))]);
                break;
            case 3:
                text.resize(at);
                break;
            case 4: {  // duplicates a line
                const std::size_t begin = text.rfind('\n', at);
                const std::size_t end = text.find('\n', at);
                if (begin != std::string::npos && end != std::string::npos && begin < end) {
                    text.insert(end, text.substr(begin, end - begin));
                }
                break;
            }
            case 5: {  // removes a line
                const std::size_t begin = text.rfind('\n', at);
                const std::size_t end = text.find('\n', at);
                if (begin != std::string::npos && end != std::string::npos && begin < end) {
                    text.erase(begin, end - begin);
                }
                break;
            }
            case 6: {  // replaces a word
                const std::size_t begin = text.find_first_of(" =,", at);
                if (begin == std::string::npos) break;
                const std::size_t end = text.find_first_of(" ,\n", begin + 1);
                text.replace(begin + 1, end == std::string::npos ? end : end - begin - 1,
                             words[below(std::size(words))]);
                break;
            }
            default:
                if (!text.empty() && text[at] >= '0' && text[at] <= '9') {
                    text[at] = static_cast<char>('0' + below(10));
                }
                break;
        }
    }
    return text;
}

/// Reads mutations of a trace, and issues the instructions of those that can be read.
void expect_no_crash(const char* valid) {
    const test::temporary_folder folder;
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    unsigned read = 0;
    unsigned refused = 0;
    for (unsigned seed = 0; seed < rounds; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const std::string file = folder.write("k.traceg", mutated(valid, random));
        trace::reader_options options;
        options.opcodes = &opcodes;
        options.unknown_opcode_is_error = seed % 2 == 0;
        options.quirks.base_stride_gap = seed % 3 == 0;
        options.quirks.base_delta_swallow = seed % 3 == 1;
        std::uint64_t lanes[32];
        try {
            trace::kernel_trace kernel(file, options, seed % 4 == 0 ? 2 : 0);
            while (auto block = kernel.next_block()) {
                for (const auto& warp : block->warps) {
                    ASSERT_LE(warp.first + warp.count, block->instructions.size());
                }
                for (const auto& inst : block->instructions) {
                    ASSERT_NE(inst.info, nullptr);
                    ASSERT_NE(inst.space, program::memory_space::generic);
                    program::expand_addresses(inst, block->addresses.data(), lanes);
                }
                for (unsigned w = 0; w < block->warps.size(); ++w) {
                    const program::warp_code code = block->warp(w);
                    for (const auto* i = code.window.next;
                         code.executor != nullptr && i != code.window.end; ++i) {
                        program::issue_effects effects;
                        program::lane_addresses addresses;
                        effects.can_suspend = true;
                        code.executor->issue(*i, 0, effects, addresses);
                        for (const program::bulk_transfer& t : code.executor->take_transfers())
                            for (const auto& arrival : t.arrivals) arrival.effect();
                        code.executor->retry_wait();
                    }
                }
                kernel.recycle(std::move(block));
            }
            kernel.take_warnings();
            ++read;
        } catch (const support::user_error& e) {
            ASSERT_FALSE(e.where().empty()) << e.what();
            ++refused;
        }
    }
    EXPECT_GT(read, rounds / 20) << "mutations too coarse";
    EXPECT_GT(refused, rounds / 20) << "mutations too fine";
}

TEST(Fuzz, ReadsKernelTracesOrReportsAUserError) {
    expect_no_crash(valid_trace);
}

TEST(Fuzz, ReadsTracesOfAsynchronousInstructionsOrReportsAUserError) {
    expect_no_crash(asynchronous_trace);
}

TEST(Fuzz, ChecksDetailsOfAsynchronousInstructionsBeforeUse) {
    trace::asynchronous_details valid;
    valid.barriers.resize(3);
    valid.transfers.resize(2);
    valid.transfers[0].ranges = {{0x1000, 64}, {0x2000, 32}};
    valid.transfers[1].arrivals.resize(1);
    valid.transfers[1].arrivals[0].rank = 3;
    valid.cluster.remote = 0x81;
    valid.cluster.addressed = 0x83;
    valid.cluster.rank[7] = 2;
    valid.cluster.barriers.resize(2);
    constexpr unsigned ranks = 4;
    std::vector<std::uint64_t> pool;
    trace::append_details(valid, pool);
    ASSERT_TRUE(trace::are_details(pool.data(), pool.size(), ranks));
    EXPECT_FALSE(trace::are_details(pool.data(), pool.size(), 3)) << "a CTA outside the cluster";
    unsigned good = 0;
    for (unsigned seed = 0; seed < rounds; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::uint64_t> words_now = pool;
        for (unsigned i = 0; i <= seed % 3; ++i)
            words_now[random() % words_now.size()] =
                seed % 2 == 0 ? random() % 8 : std::uint64_t{random()} << (random() % 33);
        if (seed % 5 == 0) words_now.resize(random() % words_now.size());
        if (!trace::are_details(words_now.data(), words_now.size(), ranks)) continue;
        ++good;
        const trace::asynchronous_details read = trace::details_at(words_now.data());
        for (const program::bulk_transfer& t : read.transfers)
            for (const program::memory_range& r : t.ranges) ASSERT_NE(r.bytes, 0U) << seed;
        for (const program::bulk_transfer& t : read.transfers)
            for (const auto& a : t.arrivals) ASSERT_LT(a.rank, ranks) << seed;
        for (std::uint32_t m = read.cluster.remote; m != 0; m &= m - 1)
            ASSERT_LT(read.cluster.rank[static_cast<unsigned>(__builtin_ctz(m))], ranks) << seed;
    }
    EXPECT_GT(good, rounds / 50);
    EXPECT_LT(good, rounds);
}

TEST(Fuzz, ReadsArchivesOrReportsAUserError) {
    const test::temporary_folder folder;
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
    options.opcodes = &opcodes;
    std::ifstream in(SIMTLM_TRACES "/divergence/kernel-1.traceg.xz", std::ios::binary);
    const std::string valid{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    ASSERT_FALSE(valid.empty());
    for (unsigned seed = 0; seed < rounds / 10; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string bytes = valid;
        for (unsigned i = 0; i <= seed % 3; ++i) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        if (seed % 5 == 0) bytes.resize(random() % bytes.size());
        try {
            trace::kernel_trace kernel(folder.write("k.traceg.xz", bytes), options, 0);
            while (auto block = kernel.next_block()) kernel.recycle(std::move(block));
        } catch (const support::user_error&) {
        }
    }
}

/// Mutations that checksums do not detect, in one to four places.
std::string mutated_binary(std::string bytes, std::mt19937& random) {
    const std::uint64_t first = sizeof(trace::binary_head);
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n == 0 ? 0 : n - 1)(random);
    };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        trace::binary_tail tail = test::tail_of(bytes);
        const std::uint64_t end = bytes.size() - sizeof tail;
        const std::uint64_t at = first + below(end - first);
        switch (below(4)) {
            case 0:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 1: {  // a number of maximum length, or a large one
                const std::size_t n = std::min<std::size_t>(end - at, 1 + below(10));
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), n,
                            below(2) == 0 ? '\xff' : '\x80');
                break;
            }
            case 2: {  // moves a section
                std::uint64_t* const places[] = {&tail.header_at, &tail.statics_at, &tail.index_at,
                                                 &tail.static_count, &tail.block_count};
                std::uint64_t& value = *places[below(std::size(places))];
                value = below(3) == 0 ? ~std::uint64_t{0} >> below(64) : value + below(9) - 4;
                std::memcpy(bytes.data() + end, &tail, sizeof tail);
                break;
            }
            default:  // copies bytes from elsewhere
                for (std::size_t i = 0, n = 1 + below(12); i < n && at + i < end; ++i) {
                    bytes[at + i] = bytes[first + below(end - first)];
                }
                break;
        }
    }
    test::reseal(bytes);
    return bytes;
}

TEST(Fuzz, ReadsBinaryTracesOrReportsAUserError) {
    const test::temporary_folder folder;
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    test::convert(folder.write("k.traceg", valid_trace), folder.path("k.simtlm"));
    const std::string valid = test::bytes_of_file(folder.path("k.simtlm"));
    unsigned read = 0;
    unsigned refused = 0;
    for (unsigned seed = 0; seed < rounds; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const std::string file = folder.write("f.simtlm", mutated_binary(valid, random));
        trace::reader_options options;
        options.opcodes = &opcodes;
        options.unknown_opcode_is_error = seed % 2 == 0;
        options.share_paths = seed % 5 == 0;
        options.quirks.base_stride_gap = seed % 3 == 0;
        options.quirks.base_delta_swallow = seed % 3 == 1;
        std::uint64_t lanes[32];
        try {
            trace::kernel_trace kernel(file, options, seed % 4 == 0 ? 2 : 0);
            while (auto block = kernel.next_block()) {
                for (const auto& warp : block->warps) {
                    const program::dynamic_instruction* inst = block->begin_of(warp);
                    for (std::uint32_t i = 0; i < warp.count; ++i, ++inst) {
                        ASSERT_NE(inst->info, nullptr);
                        ASSERT_NE(inst->space, program::memory_space::generic);
                        program::expand_addresses(*inst, block->addresses_of(warp), lanes);
                    }
                }
                kernel.recycle(std::move(block));
            }
            kernel.take_warnings();
            ++read;
        } catch (const support::user_error& e) {
            ASSERT_FALSE(e.where().empty()) << e.what();
            ++refused;
        }
        try {
            test::text_of(file);
        } catch (const support::user_error& e) {
            ASSERT_FALSE(e.where().empty()) << e.what();
        }
    }
    EXPECT_GT(read, rounds / 20) << "mutations too coarse";
    EXPECT_GT(refused, rounds / 20) << "mutations too fine";
}

TEST(Fuzz, ReadsRecordedTextsOrReportsAUserError) {
    const test::temporary_folder folder;
    for (unsigned seed = 0; seed < rounds / 4; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const std::string file = folder.write("k.traceg", mutated(valid_trace, random));
        try {
            test::convert(file, folder.path("k.simtlm"));
            ASSERT_EQ(test::text_of(file), test::text_of(folder.path("k.simtlm")));
        } catch (const support::user_error& e) {
            ASSERT_FALSE(e.where().empty()) << e.what();
        }
    }
}

TEST(Fuzz, ReadsCommandListsOrReportsAUserError) {
    const test::temporary_folder folder;
    folder.write("kernel-1.traceg", "");
    const std::string valid =
        "MemcpyHtoD,0x00007f5800000000,65536\n\nkernel-1.traceg\n# c\ncudaDeviceSynchronize\n"
        "MemcpyDtoH,0x00007f5800000000,65536\nkernel-1.traceg.xz\n";
    for (unsigned seed = 0; seed < rounds; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const std::string file = folder.write("list", mutated(valid, random));
        try {
            trace::read_command_list(file);
        } catch (const support::user_error&) {
        }
    }
}

TEST(Fuzz, ReadsOpcodeFilesOrReportsAUserError) {
    const std::string valid =
        "# mine\n[ampere]\nsp half: FADD2\n[new : hopper] 100 120\nload shared ldsm: LDT LDU\n";
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    for (unsigned seed = 0; seed < rounds / 4; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        isa::opcode_tables copy = opcodes;
        try {
            copy.load_text(mutated(valid, random), "fuzz");
        } catch (const support::user_error&) {
        }
    }
}

}  // namespace
