// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/launch_script.h"

#include "modules/execution/functional/functional.h"
#include "modules/execution/functional/script_values.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/parser.h"
#include "modules/support/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text) {
    try {
        launch_script::parse(text, "a.launch");
    } catch (const support::user_error& e) {
        return e.what();
    }
    return {};
}

TEST(LaunchScript, ReadsBuffersLaunchesAndResults) {
    const auto s = launch_script::parse(
        "# a comment\n"
        "buffer a f32 8 ramp 1 2   # another\n"
        "launch k grid 2,3 block 64 shared 128 stream 4 cooperative \\\n"
        "  args a a+16 u32:7\n"
        "expect a values 1 3 tolerance 0.5\n",
        "a.launch");
    ASSERT_EQ(s.buffers.size(), 1u);
    EXPECT_EQ(s.buffers[0].count, 8u);
    ASSERT_EQ(s.launches.size(), 1u);
    const auto& l = s.launches[0];
    EXPECT_EQ(l.grid.y, 3u);
    EXPECT_EQ(l.shared, 128u);
    EXPECT_EQ(l.stream, 4u);
    EXPECT_TRUE(l.cooperative);
    ASSERT_EQ(l.arguments.size(), 3u);
    EXPECT_EQ(l.arguments[1].offset, 16u);
    EXPECT_EQ(l.arguments[2].value, "7");
    ASSERT_EQ(s.results.size(), 1u);
    EXPECT_EQ(s.results[0].tolerance, 0.5);
}

TEST(LaunchScript, NamesTheLineOfAMistake) {
    EXPECT_THAT(fault("\nbuffer a f99 8 zero\n"), HasSubstr("a.launch:2: 'f99' is not a type"));
    EXPECT_THAT(fault("lunch k\n"), HasSubstr("'lunch' is not a statement"));
    EXPECT_THAT(fault("launch k grid 1,2,3,4 block 1\n"), HasSubstr("three numbers are the most"));
    EXPECT_THAT(fault("buffer a u32 many zero\n"), HasSubstr("is not a number"));
    EXPECT_THAT(fault("buffer a u32\n"), HasSubstr("elements is missing"));
}

TEST(LaunchScript, RejectsNumbersThatDoNotFit) {
    EXPECT_THAT(fault("buffer a f64 2305843009213693953 zero\n"),
                HasSubstr("a.launch:1: 2305843009213693953 elements is too large"));
    EXPECT_THAT(fault("launch k grid 1 block 1 shared 4294967296\n"),
                HasSubstr("a.launch:1: 4294967296 bytes of shared memory is too large"));
    EXPECT_THAT(fault("buffer a u32 4294967295 ramp\n"), HasSubstr("too many to be filled"));
    EXPECT_THAT(fault("launch k grid 1 block 1 args a+999999999999999999999\n"),
                HasSubstr("is not a number (offset)"));
    EXPECT_THAT(fault("expect a values 1 tolerance close\n"), HasSubstr("is not a tolerance"));
}

TEST(LaunchScript, RejectsNonNumericAndSurplusWords) {
    const auto buffer = [](const std::string& contents) {
        return fault("buffer x f32 64 " + contents + "\nlaunch k grid 1 block 64\n");
    };
    for (const char* const valid :
         {"ramp", "ramp -1", "ramp 1 2.5", "ramp 0x10 1e3", "random", "random 7",
          "random 0x7 -1 1e3", "zero", "unwritten", "values nan inf -1", "file x"})
        EXPECT_EQ("", buffer(valid)) << valid;
    EXPECT_EQ("a.launch:1: 'abc' is not a number (START)", buffer("ramp abc 1"));
    EXPECT_EQ("a.launch:1: 'zz' is not a number (STEP)", buffer("ramp 1 zz"));
    EXPECT_EQ("a.launch:1: '3' is too much", buffer("ramp 1 2 3"));
    EXPECT_EQ("a.launch:1: 'inf' is not a number (START)", buffer("ramp inf"));
    EXPECT_EQ("a.launch:1: '1x' is not a number (SEED)", buffer("random 1x"));
    EXPECT_EQ("a.launch:1: '-1' is not a number (SEED)", buffer("random -1"));
    EXPECT_EQ("a.launch:1: HIGH is missing", buffer("random 1 2"));
    EXPECT_EQ("a.launch:1: 'nan' is not a number (LOW)", buffer("random 1 nan inf"));
    EXPECT_EQ("a.launch:1: '5' is not less than '1' (random SEED LOW HIGH)",
              buffer("random 1 5 1"));
    EXPECT_EQ("a.launch:1: '4' is too much", buffer("random 1 2 3 4"));
    EXPECT_EQ("a.launch:1: '0' is too much", buffer("zero 0"));
    EXPECT_EQ("a.launch:1: value is missing", buffer("values"));
    EXPECT_EQ("a.launch:1: 'y' is too much", buffer("file x y"));
    const auto launch = [](const std::string& clauses) { return fault("launch k " + clauses); };
    EXPECT_EQ("", launch("grid 4294967295,1 block 1,2,3"));
    for (const char* const size : {"1,", ",1", "1,,1", "4294967296", "-1", "1x", "0x1"})
        EXPECT_EQ("a.launch:1: '" + std::string(size) + "' is not a size (X, X,Y or X,Y,Z)",
                  launch("grid " + std::string(size)));
    EXPECT_EQ("a.launch:1: 'grid' is given twice", launch("grid 1 grid 2"));
    EXPECT_EQ("a.launch:1: 'tolerance' is too much", fault("output a file tolerance 1\n"));
    EXPECT_EQ("a.launch:1: 'inf' is not a tolerance", fault("expect a values 1 tolerance inf\n"));
    EXPECT_EQ("a.launch:1: 'nan' is not a tolerance", fault("expect a values 1 tolerance nan\n"));
}

TEST(LaunchScript, RejectsAFileThatLaunchesNothingOrEndsWithinAStatement) {
    EXPECT_THAT(fault("# nothing\n"), HasSubstr("a.launch: launches nothing"));
    EXPECT_THAT(fault("launch k grid 1 block 1\nexpect a values \\"),
                HasSubstr("a.launch:2: the file ends within a statement"));
}

class ScriptRun : public testing::Test {
protected:
    /// Runs a script on a kernel that doubles words. @return mismatches of the results
    std::vector<std::string> run(const std::string& text) {
        const auto script = launch_script::parse(text, "a.launch");
        script_run r(script, image_, memory_);
        for (const launch& l : r.launches()) execution::run(l, memory_, {});
        support::output_attempts attempt;
        return r.finish(attempt);
    }

    static device_memory::config small() {
        device_memory::config c;
        c.capacity = 1 << 24;
        return c;
    }
    device_memory memory_{small()};
    ptx_image image_{std::make_shared<const ptx::module>(ptx::parse(R"(
.version 7.0
.target sm_70
.address_size 64
.const .u32 factor = 2;
.visible .entry twice(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [p]; ld.param.u32 %r1, [n]; mov.u32 %r0, %tid.x;
  setp.ge.u32 %p1, %r0, %r1;
  @%p1 ret;
  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r2, [%rd0]; ld.const.u32 %r3, [factor]; mul.lo.u32 %r2, %r2, %r3;
  st.global.u32 [%rd0], %r2;
  ret;
}
)",
                                                                    "a.ptx")),
                     memory_};
};

TEST_F(ScriptRun, ComparesTheResultsOfLaunches) {
    EXPECT_TRUE(run("buffer a u32 4 ramp 1\nlaunch twice grid 1 block 32 args a u32:3\n"
                    "expect a values 2 4 6 4\n")
                    .empty());
}

TEST_F(ScriptRun, ReportsTheFirstWrongElement) {
    const auto wrong =
        run("buffer a u32 4 ramp 1\nlaunch twice grid 1 block 32 args a u32:3\n"
            "expect a values 2 5 6 7\n");
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_THAT(wrong[0], HasSubstr("2 of 4 elements of a are wrong; the first, a[1], is 4 "
                                    "instead of 5"));
}

TEST_F(ScriptRun, SetsVariablesOfTheModule) {
    EXPECT_TRUE(run("set factor u32 values 5\nbuffer a u32 2 values 7 8\n"
                    "launch twice grid 1 block 2 args a u32:2\nexpect a values 35 40\n")
                    .empty());
}

TEST_F(ScriptRun, ReadsTheBytesOfAParameterFromAFile) {
    const std::string path = testing::TempDir() + "launch_script_argument.bin";
    std::ofstream(path, std::ios::binary) << std::string("\3\0\0\0", 4);
    EXPECT_TRUE(run("buffer a u32 4 ramp 1\nlaunch twice grid 1 block 4 args a file:" + path +
                    "\nexpect a values 2 4 6 4\n")
                    .empty());
    std::ofstream(path, std::ios::binary) << "12";
    EXPECT_THROW(run("buffer a u32 4 zero\nlaunch twice grid 1 block 4 args a file:" + path + "\n"),
                 support::user_error);
    const auto s = launch_script::parse("launch k args file:x.bin\n", "dir/a.launch");
    ASSERT_EQ(s.inputs().size(), 1u);
    EXPECT_EQ(s.inputs()[0].path, "dir/x.bin");
    EXPECT_EQ(s.inputs()[0].where, "dir/a.launch:1");
    EXPECT_THAT(fault("launch k args file:\n"), HasSubstr("a.launch:1: file: without a path"));
}

TEST_F(ScriptRun, RejectsWrongArguments) {
    EXPECT_THROW(run("launch twice grid 1 block 1 args u32:1\n"), support::user_error);
    EXPECT_THROW(run("launch thrice grid 1 block 1\n"), support::user_error);
    EXPECT_THROW(run("launch twice grid 1 block 1 args b u32:1\n"), support::user_error);
}

TEST_F(ScriptRun, RejectsValuesThatTheirTypeCannotHold) {
    const auto reported = [&](const std::string& text) {
        try {
            run(text);
        } catch (const support::user_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_THAT(
        reported("buffer a u32 1 zero\nlaunch twice grid 1 block 1 args a u32:4294967297\n"),
        HasSubstr("a.launch:2: '4294967297' is not a value of type u32"));
    EXPECT_THAT(reported("buffer a u8 1 values 300\nlaunch twice grid 1 block 1 args a u32:0\n"),
                HasSubstr("'300' is not a value of type u8"));
    EXPECT_THAT(reported("buffer a s8 1 values -129\nlaunch twice grid 1 block 1 args a u32:0\n"),
                HasSubstr("'-129' is not a value of type s8"));
    EXPECT_THAT(reported("buffer a u32 1 zero\nlaunch twice grid 1 block 1 args a f64:1\n"),
                HasSubstr("argument 2 has 8 bytes; n takes 4"));
    EXPECT_THAT(
        reported("buffer a u32 9999999999 zero\nlaunch twice grid 1 block 1 args a u32:1\n"),
        HasSubstr("a.launch:1: buffer a: device memory is full"));
    EXPECT_THAT(reported("buffer a u32 4 zero\nlaunch twice grid 1 block 1 args a u32:0\n"
                         "expect a values 0 0\n"),
                HasSubstr("a.launch:3: 2 values are expected of the 4 elements of a"));
    const auto filled = [&](const std::string& buffer) {
        return reported("buffer a " + buffer + "\nlaunch twice grid 1 block 1 args a u32:0\n");
    };
    for (const char* const good :
         {"u8 4 ramp 254 1", "s8 4 ramp 100 -1", "u32 4 ramp -1 -1",
          "u64 2 ramp 0xffffffffffffffff", "u8 4 ramp 0.5 0.25", "u8 4 random 1 -128 256",
          "u64 4 random 1 0 1.8e19", "f32 4 ramp 1e38 1e30", "f32 3 values 3.4e38 inf -nan"})
        EXPECT_EQ("", filled(good)) << good;
    EXPECT_EQ("a.launch:1: 4 elements of type u8 cannot hold 'ramp 300'", filled("u8 4 ramp 300"));
    for (const char* const bad :
         {"u8 4 ramp 1 300", "u8 4 ramp 0.5 100", "u32 4 ramp 1e300 1", "s64 4 ramp 1.5 1e19",
          "f32 4 ramp 1e39", "f32 4 ramp 0 3e38", "u8 4 random 1 0 257", "s16 4 random 1 -40000 1",
          "f32 4 random 1 0 1e39", "f64 4 random 1 -1.7e308 1.7e308"})
        EXPECT_THAT(filled(bad), HasSubstr("cannot hold")) << bad;
    EXPECT_THAT(filled("f32 1 values 1e39"), HasSubstr("'1e39' is not a value of type f32"));
    EXPECT_THAT(filled("f64 1 values 1e999"), HasSubstr("'1e999' is not a value of type f64"));
    EXPECT_THAT(reported("buffer a u32 4 zero\nbuffer b u32 5 zero\n"
                         "launch twice grid 1 block 1 args a u32:0\nexpect a buffer b\n"),
                HasSubstr("a.launch:4: buffer b has 20 bytes; 16 are needed"));
    EXPECT_THAT(reported("launch twice grid 1,65536 block 1 args u64:0 u32:0\n"),
                HasSubstr("a.launch:1: a grid of 1,65536,1 blocks"));
    EXPECT_THAT(reported("launch twice grid 1 block 4194304,4194304,1048576 args u64:0 u32:0\n"),
                HasSubstr("a block of 4194304 threads (1024 are the most)"));
    EXPECT_THAT(reported("launch twice grid 1 block 1 cluster 0 args u64:0 u32:0\n"),
                HasSubstr("cluster must not be empty"));
}

TEST(ScriptValues, RampsOfIntegersAreExactAndWrapAround) {
    std::vector<std::byte> data(3 * sizeof(std::uint64_t));
    const auto at = [&](std::size_t i) {
        std::uint64_t v = 0;
        std::memcpy(&v, data.data() + i * sizeof v, sizeof v);
        return v;
    };
    ASSERT_TRUE(fill_ramp(ptx::type::u64, data, {"9007199254740993", "2"}));
    EXPECT_EQ(9007199254740993u, at(0));
    EXPECT_EQ(9007199254740997u, at(2));
    ASSERT_TRUE(fill_ramp(ptx::type::u64, data, {"0xffffffffffffffff"}));
    EXPECT_EQ(0u, at(1));
    ASSERT_TRUE(fill_ramp(ptx::type::u64, data, {"1", "-1"}));
    EXPECT_EQ(~std::uint64_t{0}, at(2));
    ASSERT_TRUE(fill_ramp(ptx::type::u64, data, {"0x10", "-0x1"}));
    EXPECT_EQ(14u, at(2));
    ASSERT_TRUE(fill_ramp(ptx::type::u64, data, {"0.5", "0.5"}));
    EXPECT_EQ(1u, at(2));
}

TEST(ScriptValues, AreTheSameForTheSameSeed) {
    std::vector<std::byte> a(64), b(64);
    fill_random(ptx::type::f32, a, 3, -1, 1);
    fill_random(ptx::type::f32, b, 3, -1, 1);
    EXPECT_EQ(a, b);
    fill_random(ptx::type::f32, b, 4, -1, 1);
    EXPECT_NE(a, b);
}

}  // namespace
}  // namespace simtlm::execution
