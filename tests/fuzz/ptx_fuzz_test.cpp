// SPDX-License-Identifier: Apache-2.0
// No text may crash or hang the PTX parser: seeded mutations of a valid module either parse into a
// consistent module or end in a user_error with a location.
#include "tests/fuzz/ptx_target.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>

namespace {

using namespace simtlm;

#if defined(__SANITIZE_ADDRESS__)
constexpr unsigned rounds = 20000;
#else
constexpr unsigned rounds = 5000;
#endif

const char valid_module[] = R"(// seed
.version 7.8
.target sm_80
.address_size 64
.file 1 "a.cu"
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func (.param .b32 r) later(.param .b32 a);
.global .align 4 .u32 table[2][2] = {{1, 2}, {3, -4}};
.global .u64 pointers[2] = {table+4, generic(table)};
.global .u8 bytes[2] = {0xFF(table), 0xFF00(table)};
.const .f32 half = 0f3F000000;
.extern .shared .align 16 .b8 dynamic[];
.global .texref tex0;
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .u32 n)
.maxntid 128, 1, 1
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<12>;
.reg .f32 %f<12>;
.reg .b64 %rd<6>;
.reg .v4 .f32 v;
.shared .align 8 .b32 s[32];
.local .b8 depot[16];
.loc 1 3 5
ld.param.u64 %rd1, [p];
ld.param.u32 %r2, [n];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
setp.ge.and.u32 %p1|%p2, %r1, %r2, !%p3;
@%p1 bra $L_end;
$L_loop:
mul.wide.s32 %rd3, %r1, 4;
add.s64 %rd4, %rd2, %rd3;
ld.global.nc.v2.f32 {%f1, %f2}, [%rd4+8];
fma.rn.ftz.f32 %f3, %f1, %f2, 0f3F800000;
mov.b64 {%r3, _}, %rd4;
cvt.rzi.s32.f32 %r4, %f3;
tex.2d.v4.f32.f32 v, [tex0, {%f1, %f2}];
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4,%f5,%f6,%f7}, {%r3,%r4}, {%r5}, {%f4,%f5,%f6,%f7};
atom.shared.cas.b32 %r5, [s+4], %r3, %r4;
shfl.sync.bfly.b32 %r6|%p2, %r5, 1, 31, 0xffffffff;
vadd.s32.u32.u32.sat.add %r6, %r5.b1, %r4.h0, (1 + 2) << 3;
bar.red.popc.u32 %r7, 0, 64, !%p1;
{
.reg .b32 t;
.param .b64 a0;
.param .b64 a1;
.param .b32 ret0;
st.param.b64 [a0+0], %rd1;
st.param.b64 [a1+0], %rd2;
call.uni (ret0), vprintf, (a0, a1);
ld.param.b32 t, [ret0];
proto: .callprototype (.param .b32 _) _ (.param .b32 _);
}
targets: .branchtargets $L_loop, $L_end;
brx.idx %r7, targets;
$L_end:
st.local.u8 [depot+3], %r1;
ret;
}
.func (.param .b32 r) later(.param .b32 a) { st.param.b32 [r], 1; ret; }
)";

const char* const words[] = {"0",
                             "-1",
                             "4294967296",
                             "99999999999999999999999",
                             "0x",
                             "0f",
                             "0d3FF",
                             "1e999",
                             "_",
                             "%r",
                             "%r99",
                             "%p1",
                             "%tid",
                             ".x",
                             ".b0",
                             ".h10",
                             "{",
                             "}",
                             "(",
                             ")",
                             "[",
                             "]",
                             ";",
                             ":",
                             ",",
                             "|",
                             "!",
                             "@",
                             "+",
                             "/*",
                             "*/",
                             "//",
                             "\"",
                             "\n",
                             ".reg .b32 %q<1000000>;",
                             ".v4",
                             ".global",
                             ".shared",
                             ".param",
                             ".f64",
                             ".pred",
                             ".align 0",
                             "::",
                             "ret;",
                             "call",
                             "bra",
                             "mov.b64",
                             "wgmma.mma_async",
                             ".version 9.9",
                             "k",
                             "table",
                             ".loc 1 2 3, function_name x, inlined_at 1 2 3",
                             ".callprototype _ () .",
                             "<<",
                             "?",
                             "~",
                             ".local .u8 a[1099511627776][1099511627776];",
                             ".global .u8 a[2][549755813888] = {{1},{2}};"};

/// End of the word at `at`: the next blank or punctuation character.
std::size_t word_end(const std::string& text, std::size_t at) {
    const std::size_t end = text.find_first_of(" ,;\n[]{}().", at + 1);
    return end == std::string::npos ? text.size() : end;
}

/// Mutates a text in one to three places.
std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n == 0 ? 0 : n - 1)(random);
    };
    for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = below(text.size());
        switch (below(7)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, 1 + below(8));
                break;
            case 2:
                text.insert(at, words[below(std::size(words))]);
                break;
            case 3:
                if (below(8) == 0) text.resize(at);
                break;
            case 4: {  // inserts a word from elsewhere
                const std::size_t from = below(text.size());
                const std::string word = text.substr(from, word_end(text, from) - from);
                text.replace(at, word_end(text, at) - at, word);
                break;
            }
            case 5: {  // duplicates a line
                const std::size_t end = text.find('\n', at);
                const std::size_t begin = text.rfind('\n', at);
                if (begin < end && end != std::string::npos)
                    text.insert(end, text.substr(begin, end - begin));
                break;
            }
            default:
                text.replace(at, word_end(text, at) - at, words[below(std::size(words))]);
                break;
        }
    }
    return text;
}

TEST(Fuzz, ParsesPtxOrReportsAUserErrorWithALocation) {
    bool accepted = false;
    ASSERT_TRUE(test::ptx_holds(valid_module, accepted));
    ASSERT_TRUE(accepted);
    unsigned read = 0;
    for (unsigned seed = 0; seed < rounds; ++seed) {
        std::mt19937 random(seed);
        ASSERT_TRUE(test::ptx_holds(mutated(valid_module, random), accepted)) << "seed " << seed;
        read += accepted ? 1 : 0;
    }
    EXPECT_GT(read, rounds / 20) << "mutations too coarse";
    EXPECT_LT(read, rounds - rounds / 20) << "mutations too fine";
}

TEST(Fuzz, RejectsOrParsesPathologicalPtxWithinItsTimeLimit) {
    const std::string head = ".version 7.0\n.target sm_70\n";
    const auto repeated = [](const std::string& text, unsigned n) {
        std::string all;
        for (unsigned i = 0; i < n; ++i) all += text;
        return all;
    };
    bool accepted = false;
    for (const std::string& text :
         {head + ".global .u32 a = " + repeated("(", 100000),
          head + ".global .u32 a = " + repeated("-", 100000),
          head + ".global .u32 a = " + repeated("1?1:", 100000),
          head + ".func f() " + repeated("{", 100000),
          head + ".global .u8 a[] = " + repeated("{", 100000),
          head + ".func f() { " + std::string(1000000, 'a'),
          head + ".func f() { mov.u32 " + std::string(1000000, '%') + ", 1; }",
          head + ".func f() { call " + repeated("[", 100000), head + repeated(".func f(); ", 20000),
          head + repeated(".reg", 100000), repeated(".version 1.0 ", 10000),
          head + ".func f() { " + repeated("bra L; ", 50000) + "L: }",
          head + ".func f() { " + repeated("{ bra L; ", 150) + repeated("} ", 150) + "L: }"}) {
        EXPECT_TRUE(test::ptx_holds(text, accepted)) << text.substr(0, 80);
    }
}

}  // namespace
