// SPDX-License-Identifier: Apache-2.0
// Programs executed by the timing model: results, time, and options that must not change either.
#include "tests/system/random_program.h"
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

namespace simtlm::test {
namespace {

/// Every thread draws a ticket from a shared counter and writes its number to the position given by
/// the ticket, so that the order of atomics becomes a result. Half of the threads also count in
/// shared memory; even and odd lanes diverge.
const char* const tickets = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry tickets(.param .u64 counter, .param .u64 list, .param .u64 sums)
{
    .shared .align 4 .u32 here;
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [list];
    ld.param.u64 %rd5, [sums];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ne.u32 %p1, %r3, 0;
    mov.u32 %r5, 0;
    @!%p1 st.shared.u32 [here], %r5;
    bar.sync 0;
    and.b32 %r6, %r4, 1;
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra even;
    atom.global.add.u32 %r7, [%rd1], 1;
    bra both;
even:
    atom.shared.add.u32 %r8, [here], 1;
    atom.global.add.u32 %r7, [%rd1], 1;
both:
    mul.wide.u32 %rd3, %r7, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r4;
    bar.sync 0;
    @%p1 bra done;
    ld.shared.u32 %r9, [here];
    red.global.add.u32 [%rd5], %r9;
done:
    ret;
}
)";
const char* const tickets_launch = R"(
buffer counter u32 1 zero
buffer list u32 1024 zero
buffer sums u32 1 zero
launch tickets grid 8 block 128 args counter list sums
output list list.bin
expect counter values 1024
expect sums values 512
)";

/// Lanes loop as often as their number, call a function, use generic addresses of shared and global
/// memory, local memory and a barrier with a count.
const char* const wander = R"(
.version 6.4
.target sm_70
.address_size 64
.func (.reg .u32 %out) twice(.reg .u32 %in)
{
    .reg .pred %p1;
    setp.gt.u32 %p1, %in, 1000;
    @%p1 bra large;
    add.u32 %out, %in, %in;
    ret;
large:
    mov.u32 %out, 7;
    ret;
}
.visible .entry wander(.param .u64 list)
{
    .shared .align 4 .b8 here[512];
    .local .align 4 .b8 mine[16];
    .reg .pred %p<6>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    and.b32 %r5, %r1, 7;
    mov.u32 %r6, 0;
    mov.u64 %rd9, mine;
    st.local.u32 [%rd9+4], %r4;
again:
    add.u32 %r6, %r6, %r5;
    add.u32 %r5, %r5, -1;
    setp.gt.s32 %p1, %r5, 0;
    @%p1 bra again;
    call (%r7), twice, (%r6);
    mov.u64 %rd2, here;
    cvta.shared.u64 %rd3, %rd2;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd5, %rd3, %rd4;
    st.u32 [%rd5], %r7;
    bar.sync 1, 128;
    xor.b32 %r8, %r1, 5;
    mul.wide.u32 %rd6, %r8, 4;
    add.u64 %rd6, %rd3, %rd6;
    ld.u32 %r9, [%rd6];
    ld.local.u32 %r10, [%rd9+4];
    add.u32 %r9, %r9, %r10;
    setp.gt.u32 %p2, %r1, 99;
    @%p2 exit;
    mul.wide.u32 %rd7, %r4, 4;
    add.u64 %rd8, %rd1, %rd7;
    st.u32 [%rd8], %r9;
    ret;
}
)";
const char* const wander_launch = R"(
buffer list u32 640 zero
launch wander grid 5 block 128 args list
output list list.bin
)";

/// Blocks of all SMs allocate memory and print concurrently.
const char* const talk = R"(
.version 6.4
.target sm_70
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.global .align 1 .b8 text[7] = {37, 100, 32, 37, 100, 10, 0};
.visible .entry talk(.param .u64 list)
{
    .local .align 8 .b8 values[8];
    .param .b64 in0;
    .param .b64 in1;
    .param .b32 out32;
    .param .b64 out64;
    .reg .b32 %r<8>;
    .reg .b64 %rd<10>;
    .reg .pred %p;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    and.b32 %r3, %r1, 31;
    setp.ne.u32 %p, %r3, 0;
    @%p bra done;
    mov.u64 %rd2, 16;
    st.param.b64 [in0], %rd2;
    call (out64), malloc, (in0);
    ld.param.b64 %rd3, [out64];
    mov.u32 %r5, %ntid.x;
    mad.lo.u32 %r4, %r2, %r5, %r1;
    shr.u32 %r4, %r4, 5;
    mul.wide.u32 %rd4, %r4, 8;
    add.u64 %rd4, %rd1, %rd4;
    st.global.u64 [%rd4], %rd3;
    mov.u64 %rd5, values;
    st.local.u32 [%rd5], %r2;
    st.local.u32 [%rd5+4], %r1;
    cvta.local.u64 %rd6, %rd5;
    mov.u64 %rd7, text;
    cvta.global.u64 %rd8, %rd7;
    st.param.b64 [in0], %rd8;
    st.param.b64 [in1], %rd6;
    call (out32), vprintf, (in0, in1);
done:
    ret;
}
)";

std::string program(const std::string& file) {
    return std::string(SIMTLM_PROGRAMS) + "/" + file;
}

class Programs : public testing::Test {
protected:
    std::vector<std::string> on_tiny(const std::string& ptx, const std::string& launch,
                                     std::vector<std::string> more) const {
        more.insert(more.begin(), {"--preset", "TINY", "--ptx", ptx, "--launch", launch});
        return more;
    }
    std::vector<std::string> sample_on_tiny(const std::string& name,
                                            std::vector<std::string> more = {}) const {
        return on_tiny(program(name + ".ptx"), program(name + ".launch"), std::move(more));
    }
    std::vector<std::string> tickets_on_tiny(std::vector<std::string> more = {}) const {
        return on_tiny(folder_.write("tickets.ptx", tickets),
                       folder_.write("tickets.launch", tickets_launch), std::move(more));
    }
    std::vector<std::uint32_t> drawn() const {
        const std::string bytes = read_file(folder_.path("list.bin"));
        std::vector<std::uint32_t> values(bytes.size() / 4);
        std::memcpy(values.data(), bytes.data(), values.size() * 4);
        return values;
    }
    scratch_folder folder_;
};

TEST_F(Programs, OfTheSamplesComputeTheExpectedResultsUnderTheTimingModel) {
    for (const char* name : {"saxpy", "histogram"}) {
        const outcome o = simulate(sample_on_tiny(name));
        EXPECT_EQ(0, o.code) << name << ": " << o.err;
        EXPECT_NE(std::string::npos, o.out.find("results are as expected")) << name;
        EXPECT_NE("0", o.values()["gpu_tot_sim_cycle"]) << name;
    }
}

TEST_F(Programs, WithUnexpectedResultsEndWithTheirOwnExitCode) {
    const std::string launch = folder_.write("wrong.launch", R"(
buffer values u32 256 ramp
buffer counts u32 16 zero
launch histogram grid 2 block 64 args values counts u32:256
expect counts values 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 17
)");
    const outcome o = simulate(on_tiny(program("histogram.ptx"), launch, {}));
    EXPECT_EQ(4, o.code);
    ASSERT_FALSE(o.error_lines().empty());
    EXPECT_NE(std::string::npos, o.err.find("counts")) << o.err;
}

TEST_F(Programs, DrawUniqueTicketsFromASharedAtomicCounter) {
    const outcome o = simulate(tickets_on_tiny());
    EXPECT_EQ(0, o.code) << o.err;
    std::vector<std::uint32_t> list = drawn();
    ASSERT_EQ(1024u, list.size());
    std::sort(list.begin(), list.end());
    for (std::uint32_t i = 0; i < list.size(); ++i) ASSERT_EQ(i, list[i]);
}

TEST_F(Programs, HaveTheSameValuesAndCyclesInAnyProcessOrderWithAndWithoutSleep) {
    const outcome first = simulate(tickets_on_tiny({"--quiet"}));
    const std::vector<std::uint32_t> list = drawn();
    EXPECT_EQ(0, first.code) << first.err;
    const std::vector<std::vector<std::string>> ways = {
        {"--shuffle-seed", "1"},
        {"--shuffle-seed", "4711"},
        {"--no-sleep"},
        {"--threads", "2", "--sms-a-thread", "1"},
        {"--threads", "3", "--sms-a-thread", "1", "--shuffle-seed", "5"},
        {"--processes", "block", "--shuffle-seed", "9"}};
    for (std::vector<std::string> way : ways) {
        const std::string how = way.front();
        way.emplace_back("--quiet");
        const outcome other = simulate(tickets_on_tiny(way));
        EXPECT_EQ("", first_difference(first.report(), other.report())) << how;
        EXPECT_EQ(list, drawn()) << how;
    }
}

TEST_F(Programs, PrintAndAllocateTheSameInAnyProcessOrder) {
    const std::string ptx = folder_.write("talk.ptx", talk);
    const std::string launch = folder_.write("talk.launch", R"(
buffer list u64 32 zero
launch talk grid 16 block 64 args list
output list list.bin
)");
    const outcome first = simulate(on_tiny(ptx, launch, {"--quiet"}));
    const std::vector<std::uint32_t> given = drawn();
    EXPECT_EQ(0, first.code) << first.err;
    EXPECT_NE(std::string::npos, first.out.find("15 32\n")) << first.out.substr(0, 400);
    for (const std::vector<std::string>& way :
         std::vector<std::vector<std::string>>{{"--shuffle-seed", "1"},
                                               {"--shuffle-seed", "2"},
                                               {"--threads", "2", "--sms-a-thread", "1"}}) {
        std::vector<std::string> more = way;
        more.emplace_back("--quiet");
        const outcome other = simulate(on_tiny(ptx, launch, more));
        EXPECT_EQ("", first_difference(first.report(), other.report())) << way.front();
        EXPECT_EQ(given, drawn()) << way.front();
    }
}

/// The number of core cycles that a run has simulated on several host threads.
unsigned long cycles_on_threads(const outcome& o) {
    const char* const name = "cycles on all threads";
    const std::size_t at = o.err.find(name);
    EXPECT_NE(std::string::npos, at) << o.err;
    return at == std::string::npos ? 0 : std::stoul(o.err.substr(at + std::strlen(name)));
}

TEST_F(Programs, IssueOnSeveralHostThreadsUnlessTheyAreChecked) {
    const std::vector<std::string> two = {"--threads",        "2",      "--sms-a-thread", "1",
                                          "--profile-kernel", "--quiet"};
    EXPECT_GT(cycles_on_threads(simulate(tickets_on_tiny(two))), 100u);
    std::vector<std::string> checked = two;
    checked.insert(checked.end(), {"--check", "races"});
    EXPECT_EQ(0u, cycles_on_threads(simulate(tickets_on_tiny(checked))));
}

/// The threads of every block from the sixth on add to an address outside of all allocations.
const char* const strays = R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry strays(.param .u64 list)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %ctaid.x;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r1, 0x1000000;
    add.u64 %rd1, %rd1, %rd2;
    atom.global.add.u32 %r3, [%rd1], 1;
done:
    ret;
}
)";

TEST_F(Programs, ReportTheSameFaultOnSeveralHostThreads) {
    const std::string ptx = folder_.write("strays.ptx", strays);
    const std::string launch = folder_.write("strays.launch", R"(
buffer list u32 32 zero
launch strays grid 32 block 32 args list
)");
    const outcome first = simulate(on_tiny(ptx, launch, {"--quiet"}));
    EXPECT_NE(0, first.code);
    EXPECT_NE(std::string::npos, first.err.find("strays")) << first.err;
    for (const char* threads : {"2", "3"}) {
        const outcome other = simulate(
            on_tiny(ptx, launch, {"--quiet", "--threads", threads, "--sms-a-thread", "1"}));
        EXPECT_EQ(first.code, other.code);
        EXPECT_EQ(first.err, other.err);
    }
}

TEST_F(Programs, ExecuteAtomicsOnAMemoryThatRespondsImmediately) {
    const std::vector<std::string> perfect = {"--quiet", "-gpgpu_perfect_mem", "1"};
    const outcome first = simulate(tickets_on_tiny(perfect));
    EXPECT_EQ(0, first.code) << first.err;
    const std::vector<std::uint32_t> list = drawn();
    std::vector<std::string> shuffled = perfect;
    shuffled.insert(shuffled.end(), {"--shuffle-seed", "3"});
    EXPECT_EQ(0, simulate(tickets_on_tiny(shuffled)).code);
    EXPECT_EQ(list, drawn());
}

/// A call with an argument and a result of 8 bytes, which are in the frame of the caller.
const char* const calls = R"(.version 6.3
.target sm_70
.address_size 64
.func (.param .b64 result) twice(.param .b64 x)
{
    .reg .f64 %a;
    ld.param.f64 %a, [x];
    add.f64 %a, %a, %a;
    st.param.f64 [result], %a;
    ret;
}
.visible .entry doubles(.param .u64 to)
{
    .reg .u64 %to;
    .reg .u32 %t;
    .reg .f64 %a;
    ld.param.u64 %to, [to];
    mov.u32 %t, %tid.x;
    cvt.rn.f64.u32 %a, %t;
    {
        .param .b64 x;
        .param .b64 y;
        st.param.f64 [x], %a;
        call.uni (y), twice, (x);
        ld.param.f64 %a, [y];
    }
    mad.wide.u32 %to, %t, 8, %to;
    st.global.f64 [%to], %a;
    ret;
}
)";
const char* const calls_launch = "buffer to f64 64 zero\nlaunch doubles grid 1 block 64 args to\n";

/// Values of a report without host time and addresses of traces.
std::map<std::string, std::string> report_values(const outcome& o) {
    std::map<std::string, std::string> values = o.values();
    for (auto v = values.begin(); v != values.end();) {
        const bool is_host = v->first.find("rate") != std::string::npos ||
                             v->first.find("simulation_time") != std::string::npos ||
                             v->first.find("slowdown") != std::string::npos;
        v = is_host ? values.erase(v) : std::next(v);
    }
    return values;
}

TEST_F(Programs, ThatAreRecordedReplayInTheSameCycles) {
    const std::map<std::string, std::vector<std::string>> programs = {
        {"saxpy", sample_on_tiny("saxpy")},
        {"histogram", sample_on_tiny("histogram")},
        {"tickets", tickets_on_tiny()},
        {"calls", on_tiny(folder_.write("calls.ptx", calls),
                          folder_.write("calls.launch", calls_launch), {})},
        {"wander", on_tiny(folder_.write("wander.ptx", wander),
                           folder_.write("wander.launch", wander_launch), {})}};
    for (const auto& [name, arguments] : programs)
        for (const char* form : {"binary", "text"}) {
            const std::string traces = folder_.path(name + "-" + form);
            std::vector<std::string> record = arguments;
            record.insert(record.end(), {"--record-trace", traces, "--record-form", form});
            const outcome executed = simulate(record);
            ASSERT_EQ(0, executed.code) << name << ": " << executed.err;
            const outcome replayed =
                simulate({"--preset", "TINY", "-trace", traces + "/kernelslist.g"});
            ASSERT_EQ(0, replayed.code) << name << ": " << replayed.err;
            EXPECT_EQ(report_values(executed), report_values(replayed)) << name << " " << form;
        }
}

TEST_F(Programs, AsynchronousCopiesTakeTheCyclesOfTheirLoadsExecutedAndReplayed) {
    const std::string copies = folder_.write("copies.ptx", R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry copies(.param .u64 from) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b8 tile[512];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mad.lo.s32 %r3, %r1, 16, %r2;
  ld.param.u64 %rd1, [from];
  mad.wide.u32 %rd2, %r1, 16, %rd1;
  cp.async.ca.shared.global [%r3], [%rd2], 16;
  cp.async.wait_all;
  ret;
})");
    const std::string launch = folder_.write(
        "copies.launch", "buffer a u32 128 zero\nlaunch copies grid 1 block 32 args a\n");
    const outcome executed =
        simulate({"--preset", "A100", "--ptx", copies, "--launch", launch, "--record-trace",
                  folder_.path("T"), "--record-form", "text"});
    ASSERT_EQ(0, executed.code) << executed.err;
    // 512 bytes in sectors of 32 bytes
    EXPECT_EQ("16", executed.values()["L1D_total_cache_accesses"]);
    const outcome replayed =
        simulate({"--preset", "A100", "-trace", folder_.path("T/kernelslist.g")});
    ASSERT_EQ(0, replayed.code) << replayed.err;
    EXPECT_EQ(report_values(executed), report_values(replayed));
}

TEST_F(Programs, RandomProgramsHaveTheSameResultsInEveryExecutorAndReplayInTheSameCycles) {
    const char* const seed = std::getenv("SIMTLM_SEED");
    const unsigned first = seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1;
    const std::string launch = folder_.write("drawn.launch", R"(
buffer table u32 256 random 11
buffer list u32 1280 zero
launch drawn grid 10 block 128 args table list
output list list.bin
)");
    for (unsigned n = first; n < first + 6; ++n) {
        const std::string ptx = folder_.write("drawn.ptx", random_program(n));
        const auto results = [&](std::vector<std::string> how) {
            const outcome o = simulate(on_tiny(ptx, launch, std::move(how)));
            EXPECT_EQ(0, o.code) << n << ": " << o.err;
            return drawn();
        };
        const std::vector<std::uint32_t> expected = results({"-gpgpu_ptx_sim_mode", "1"});
        EXPECT_EQ(expected, results({"-gpgpu_ptx_sim_mode", "1", "--functional-threads", "3"}))
            << n;
        const std::string traces = folder_.path("traces" + std::to_string(n));
        const outcome timed = simulate(on_tiny(ptx, launch, {"--record-trace", traces}));
        EXPECT_EQ(0, timed.code) << n << ": " << timed.err;
        EXPECT_EQ(expected, drawn()) << n;
        const outcome replayed =
            simulate({"--preset", "TINY", "-trace", traces + "/kernelslist.g"});
        EXPECT_EQ(report_values(timed), report_values(replayed)) << n;
        const outcome on_threads =
            simulate(on_tiny(ptx, launch, {"--threads", "2", "--sms-a-thread", "1"}));
        EXPECT_EQ(report_values(timed), report_values(on_threads)) << n;
        EXPECT_EQ(expected, drawn()) << n;
    }
}

TEST_F(Programs, AreNotRecordedIntoANonEmptyFolder) {
    folder_.write("traces.txt", "mine");
    std::vector<std::string> record = sample_on_tiny("saxpy");
    record.insert(record.end(), {"--record-trace", folder_.path("")});
    const outcome o = simulate(record);
    EXPECT_EQ(2, o.code);
    EXPECT_EQ(1u, o.error_lines().size()) << o.err;
    EXPECT_EQ(1u, folder_.files().size());
}

TEST_F(Programs, WithAFaultEndWithOneLineThatNamesTheLocation) {
    const std::string ptx = folder_.write("wrong.ptx", R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry wrong(.param .u64 list)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1+2], %r1;
    ret;
}
)");
    const std::string launch = folder_.write("wrong.launch", R"(
buffer list u32 64 zero
launch wrong grid 1 block 32 args list
)");
    const outcome o = simulate(on_tiny(ptx, launch, {}));
    EXPECT_EQ(2, o.code) << o.err;
    ASSERT_EQ(1u, o.error_lines().size()) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("wrong.ptx:11")) << o.err;
}

TEST_F(Programs, OfSeveralStreamsRunConcurrentlyAndThoseOfOneStreamInOrder) {
    const auto launch = [this](const char* stream) {
        return folder_.write(
            std::string("streams") + stream + ".launch", std::string(R"(
buffer x f32 4096 ramp 1 1
buffer a f32 4096 zero
buffer b f32 4096 zero
buffer three f32 4096 ramp 3 3
buffer five f32 4096 ramp 5 5
launch saxpy grid 2 block 128 stream 1 args f32:1 x a u32:256
launch saxpy grid 2 block 128 stream )") + stream +
                                                             R"( args f32:2 x b u32:256
launch saxpy grid 16 block 256 stream 1 args f32:2 x a u32:4096
launch saxpy grid 16 block 256 stream )" + stream + R"( args f32:3 x b u32:4096
output a a.bin
output b b.bin
)");
    };
    const std::vector<std::string> several = {"-gpgpu_concurrent_kernel_sm", "1",
                                              "-gpgpu_max_concurrent_kernel", "8"};
    const outcome concurrent = simulate(on_tiny(program("saxpy.ptx"), launch("2"), several));
    const std::string a = read_file(folder_.path("a.bin"));
    const std::string b = read_file(folder_.path("b.bin"));
    const outcome in_turn = simulate(on_tiny(program("saxpy.ptx"), launch("1"), several));
    EXPECT_EQ(0, concurrent.code) << concurrent.err;
    EXPECT_EQ(0, in_turn.code) << in_turn.err;
    EXPECT_EQ(a, read_file(folder_.path("a.bin")));
    EXPECT_EQ(b, read_file(folder_.path("b.bin")));
    std::vector<float> values(4096);
    ASSERT_EQ(values.size() * 4, a.size());
    std::memcpy(values.data(), a.data(), a.size());
    for (unsigned i = 0; i < values.size(); ++i)
        ASSERT_EQ(static_cast<float>((i + 1) * (i < 256 ? 3 : 2)), values[i]) << i;
    EXPECT_LT(std::stoull(concurrent.values()["gpu_tot_sim_cycle"]),
              std::stoull(in_turn.values()["gpu_tot_sim_cycle"]));
}

/// Two loads of two doubles per thread with a power-of-two distance, and a store: sets of the L1D
/// fill up with modified lines and lines with pending fills.
const char* const strided = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry strided(.param .u64 b, .param .u64 o)
{
    .reg .b32 %r<10>;
    .reg .b64 %rd<11>;
    .reg .f64 %fd<5>;
    ld.param.u64 %rd1, [b];
    ld.param.u64 %rd2, [o];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %nctaid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    shl.b32 %r5, %r4, 1;
    mul.wide.s32 %rd5, %r5, 16;
    add.s64 %rd6, %rd1, %rd5;
    ld.global.v2.f64 {%fd1, %fd2}, [%rd6];
    or.b32 %r6, %r5, 1;
    mul.wide.s32 %rd7, %r6, 16;
    add.s64 %rd8, %rd1, %rd7;
    ld.global.v2.f64 {%fd3, %fd4}, [%rd8];
    cvt.rzi.s32.f64 %r7, %fd1;
    cvt.rzi.s32.f64 %r8, %fd4;
    add.s32 %r9, %r8, %r7;
    cvt.rn.f64.s32 %fd1, %r9;
    mul.wide.s32 %rd9, %r4, 8;
    add.s64 %rd10, %rd2, %rd9;
    st.global.f64 [%rd10], %fd1;
    ret;
}
)";
const char* const strided_launch = R"(
buffer b f64 262144 ramp
buffer o f64 65536 zero
launch strided grid 256 block 256 args b o
)";

TEST_F(Programs, WithPowerOfTwoStridesAreSpreadOverTwelveChannels) {
    const outcome o = simulate({"--preset", "RTX2060", "--ptx", folder_.write("s.ptx", strided),
                                "--launch", folder_.write("s.launch", strided_launch)});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_LT(std::stoull(o.values()["gpu_tot_sim_cycle"]), 60000u);
}

TEST_F(Programs, ReportTheHoldersAndWaitersOfADeadlock) {
    // A memory whose latency exceeds the deadlock detection window.
    const outcome o =
        simulate({"--preset", "TINY", "-dram_latency", "1000000", "-gpgpu_perfect_inst_const_cache",
                  "1", "--ptx", folder_.write("s.ptx", strided), "--launch",
                  folder_.write("s.launch", strided_launch)});
    EXPECT_EQ(3, o.code);
    EXPECT_NE(std::string::npos, o.err.find(".l1d bank ")) << o.err;
    EXPECT_NE(std::string::npos, o.err.find("stalled: LINE_ALLOC_FAIL")) << o.err;
    EXPECT_NE(std::string::npos, o.err.find(".ldst: holds ")) << o.err;
}

/// Even or odd lanes count in shared memory and the others in global memory, by one instruction
/// with generic addresses; then lanes of the first half of a warp count only in shared memory.
const char* const mixed_atomics = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry count(.param .u64 counter, .param .u64 copies, .param .u32 which)
{
    .shared .align 4 .u32 here;
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [copies];
    ld.param.u32 %r1, [which];
    mov.u32 %r2, %tid.x;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r3, 0;
    @%p1 st.shared.u32 [here], %r3;
    bar.sync 0;
    xor.b32 %r4, %r2, %r1;
    and.b32 %r4, %r4, 1;
    setp.eq.u32 %p2, %r4, 0;
    mov.u32 %r5, here;
    cvt.u64.u32 %rd3, %r5;
    cvta.shared.u64 %rd4, %rd3;
    selp.b64 %rd5, %rd4, %rd1, %p2;
    atom.add.u32 %r6, [%rd5], 1;
    and.b32 %r7, %r2, 16;
    setp.eq.u32 %p3, %r7, 0;
    selp.b64 %rd5, %rd4, %rd1, %p3;
    @%p3 atom.add.u32 %r6, [%rd5], 100;
    bar.sync 0;
    ld.shared.u32 %r8, [here];
    mul.wide.u32 %rd6, %r2, 4;
    add.u64 %rd7, %rd2, %rd6;
    st.global.u32 [%rd7], %r8;
    ret;
}
)";

TEST_F(Programs, WithAtomicsToSharedAndGlobalMemoryReadBothAfterABarrier) {
    for (const char* const which : {"0", "1"})
        for (const char* const preset : {"TINY", "RTX3070"}) {
            std::string launch =
                std::string("buffer counter u32 1 zero\nbuffer copies u32 64 zero\n") +
                "launch count grid 1 block 64 args counter copies u32:" + which +
                "\nexpect counter values 32\nexpect copies values";
            for (int thread = 0; thread < 64; ++thread) launch += " 3232";
            const outcome o =
                simulate({"--preset", preset, "--ptx", folder_.write("m.ptx", mixed_atomics),
                          "--launch", folder_.write("m.launch", launch)});
            EXPECT_EQ(0, o.code) << preset << " " << which << o.err;
        }
}

/// Three warps. Two exchange a value at barrier 1, which the third skips by its guard before all
/// meet at barrier 5; two skip the arrival of the third at barrier 2.
const char* const skipped_barriers = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry exchange(.param .u64 out)
{
    .shared .align 4 .u32 here[4];
    .reg .pred %p<6>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    setp.ne.u32 %p1, %r2, 2;
    setp.eq.u32 %p2, %r2, 0;
    mov.u32 %r3, 0;
    @!%p2 bra ready;
spend:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p4, %r3, 400;
    @%p4 bra spend;
    st.shared.u32 [here], 5;
ready:
    @%p1 bar.sync 1, 64;
    mov.u32 %r4, 0;
    @%p1 ld.shared.u32 %r4, [here];
    bar.sync 5;
    @!%p1 st.shared.u32 [here+4], 7;
    @!%p1 bar.arrive 2, 96;
    @%p1 bar.red.popc.u32 %r6, 2, 96, %p2;
    @!%p1 mov.u32 %r6, 0;
    ld.shared.u32 %r5, [here+4];
    mad.lo.u32 %r4, %r5, 10, %r4;
    mad.lo.u32 %r4, %r6, 100, %r4;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}
)";

TEST_F(Programs, DoNotCountWarpsThatSkipABarrier) {
    std::string launch =
        "buffer out u32 96 zero\nlaunch exchange grid 2 block 96 args out\n"
        "expect out values";
    for (const char* const warp : {" 3275", " 3275", " 70"})
        for (int lane = 0; lane < 32; ++lane) launch += warp;
    const std::string program = folder_.write("b.ptx", skipped_barriers),
                      file = folder_.write("b.launch", launch + "\n");
    for (const char* const core : {"classic", "modern"}) {
        const std::string traces = folder_.path(std::string("traces-") + core);
        const outcome o = simulate({"--preset", "TINY", "--core", core, "--ptx", program,
                                    "--launch", file, "--record-trace", traces});
        ASSERT_EQ(o.code, 0) << core << o.err;
        const outcome replay =
            simulate({"--preset", "TINY", "--core", core, "-trace", traces + "/kernelslist.g"});
        ASSERT_EQ(replay.code, 0) << core << replay.err;
        EXPECT_EQ(replay.values()["gpu_sim_cycle"], o.values()["gpu_sim_cycle"]) << core;
    }
}

}  // namespace
}  // namespace simtlm::test
