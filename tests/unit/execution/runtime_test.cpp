// SPDX-License-Identifier: Apache-2.0
// Services of the device runtime.
#include "modules/execution/state/device_print.h"
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;

TEST(DeviceRuntime, PrintsEachLaneInOrder) {
    machine m(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[] = {116,61,37,100,32,102,61,37,46,50,102,32,108,61,37,108,108,120,10,0};
.visible .entry k()
{
  .local .align 8 .b8 buffer[24];
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f64 %fd<2>;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd1, buffer;
  cvta.local.u64 %rd2, %rd1;
  st.local.u32 [buffer], %r1;
  cvt.rn.f64.u32 %fd1, %r1;
  mul.f64 %fd1, %fd1, 0d3FE0000000000000;
  st.local.f64 [%rd1+8], %fd1;
  mov.u64 %rd3, 0x123456789ab;
  st.u64 [%rd2+16], %rd3;
  mov.u64 %rd4, text;
  cvta.global.u64 %rd5, %rd4;
  { .param .b64 p0; .param .b64 p1; .param .b32 q;
    st.param.b64 [p0+0], %rd5; st.param.b64 [p1+0], %rd2;
    call.uni (q), vprintf, (p0, p1); ld.param.b32 %r2, [q+0]; }
  ret;
}
)");
    m.run("k", {1, 1, 1}, {3, 1, 1});
    EXPECT_EQ(m.printed,
              "t=0 f=0.00 l=123456789ab\nt=1 f=0.50 l=123456789ab\nt=2 f=1.00 l=123456789ab\n");
}

/// Output of device printf with packed arguments.
template <class... Arguments>
formatted_text printed(const std::string& format, Arguments... arguments) {
    std::vector<std::byte> packed;
    const auto pack = [&](auto value) {
        packed.resize((packed.size() + sizeof value - 1) / sizeof value * sizeof value);
        const auto* const b = reinterpret_cast<const std::byte*>(&value);
        packed.insert(packed.end(), b, b + sizeof value);
    };
    (pack(arguments), ...);
    return format_device_text(
        format,
        [&](std::uint64_t offset, void* to, std::uint32_t bytes) {
            ASSERT_LE(offset + bytes, packed.size());
            std::memcpy(to, packed.data() + offset, bytes);
        },
        [](device_address) { return std::string("text"); });
}

TEST(DevicePrint, PrintsVectorsElementByElement) {
    EXPECT_EQ(printed("<%v4hld>", 1, -2, 3, 4).text, "<1,-2,3,4>");
    EXPECT_EQ(printed("%2.1v2hlf", 1.0, 2.25).text, "1.0,2.2");
    EXPECT_EQ(printed("%v2lx", 0x123456789abull, 7ull).text, "123456789ab,7");
    EXPECT_EQ(printed("%#v2hlx", 10, 11).text, "0xa,0xb");
    EXPECT_EQ(printed("%v3hlu", 4000000000u, 1u, 2u).arguments, 1);
}

TEST(DevicePrint, TruncatesShortIntegers) {
    EXPECT_EQ(printed("%hhx %hx %hhd", -1, -1, 0x1ff).text, "ff ffff -1");
    EXPECT_EQ(printed("%v2hhx %v2hd", -1, 1, 0x18000, 2).text, "ff,1 -32768,2");
}

TEST(DevicePrint, PrintsWideFields) {
    EXPECT_EQ(printed("%700d", 7).text, std::string(699, ' ') + "7");
    EXPECT_EQ(printed("%-100s|", std::uint64_t{8}).text, "text" + std::string(96, ' ') + "|");
}

TEST(Launch, GivesEnvironmentRegisters) {
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %envreg0; mov.u32 %r2, %envreg4; mov.u32 %r3, %envreg31;
  st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; ret;
}
)");
    const auto out = m.buffer(std::vector<std::uint32_t>(3, 9));
    m.environment = {5, 0, 0, 0, 77};
    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{5, 77, 0}));
    m.environment.resize(32, 3);
    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{5, 77, 3}));
    m.environment.resize(33);
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
                }),
                HasSubstr("33 environment registers; 32 are the most"));
}

const char* const heap_user = R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  { .param .b64 n; .param .b64 r; st.param.b64 [n+0], 16;
    call (r), malloc, (n); ld.param.b64 %rd1, [r+0]; }
  st.u32 [%rd1+12], %r1;
  ld.u32 %r2, [%rd1+12];
  { .param .b64 p; st.param.b64 [p+0], %rd1; call free, (p); }
  ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

TEST(DeviceRuntime, AllocatesFromTheDeviceHeap) {
    machine m(heap_user);
    const auto out = m.buffer(std::vector<std::uint32_t>(64, 0));
    m.run("k", {1, 1, 1}, {64, 1, 1}, out);
    const auto r = m.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i);
}

TEST(DeviceRuntime, ReturnsNullWhenTheHeapIsFullAndReusesFreedMemory) {
    const auto k = [](const std::string& after) {
        return ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
               ".extern .func free(.param .b64 p);\n"
               ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<8>; ld.param.u64 %rd0, "
               "[out];\n"
               "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 1000000; call (r), malloc, (n); "
               "ld.param.b64 %rd1, [r]; }\n" +
               after +
               "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 1000000; call (r), malloc, (n); "
               "ld.param.b64 %rd2, [r]; }\n"
               "st.global.u64 [%rd0], %rd1; st.global.u64 [%rd0+8], %rd2; ret;\n}\n";
    };
    const char* const free_first = "{ .param .b64 p; st.param.b64 [p], %rd1; call free, (p); }\n";
    for (const bool frees : {false, true}) {
        machine m(k(frees ? free_first : ""));
        const auto out = m.buffer(std::vector<std::uint64_t>(2, 1));
        m.run("k", {1, 1, 1}, {1, 1, 1}, out);
        const auto r = m.read<std::uint64_t>(out, 2);
        EXPECT_NE(r[0], 0u);
        EXPECT_EQ(r[1], frees ? r[0] : 0u);
    }
}

TEST(DeviceRuntime, RejectsFreeOfForeignPointers) {
    machine m(
        ".extern .func free(.param .b64 p);\n.visible .entry k()\n{\n"
        "{ .param .b64 p; st.param.b64 [p], 4660; call free, (p); }\nret;\n}\n");
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {1, 1, 1});
                }),
                HasSubstr("free of 0x1234, which malloc did not give"));
}

TEST(DeviceRuntime, ReportsAFailedAssertion) {
    machine m(R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[] = {120,62,48,0};
.global .align 1 .b8 file[] = {97,46,99,117,0};
.visible .entry k()
{
  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 2; @%p1 bra OK;
  cvta.global.u64 %rd1, message; cvta.global.u64 %rd2, file;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    st.param.b64 [m], %rd1; st.param.b64 [f], %rd2; st.param.b32 [l], 7; st.param.b64 [n], %rd1;
    st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); }
OK: ret;
}
)");
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {8, 1, 1});
                }),
                testing::AllOf(HasSubstr("thread (2,0,0)"),
                               HasSubstr("assertion `x>0` failed at a.cu:7 in x>0")));
}

/// Blocks wait for each other at a counter in global memory, twice.
const char* const grid_barrier = R"(
.visible .entry k(.param .u64 counter, .param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [counter]; ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, 0;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;
ROUND:
  add.u32 %r4, %r1, %r3; st.global.u32 [%rd3], %r4;
  membar.gl; atom.global.add.u32 %r5, [%rd1], 1;
  add.u32 %r3, %r3, 1; mul.lo.u32 %r6, %r3, %r2;
WAIT:
  ld.volatile.global.u32 %r7, [%rd1]; setp.lt.u32 %p1, %r7, %r6; @%p1 bra WAIT;
  setp.lt.u32 %p1, %r3, 2; @%p1 bra ROUND;
  xor.b32 %r8, %r1, 1; mul.wide.u32 %rd4, %r8, 4; add.u64 %rd4, %rd2, %rd4;
  ld.volatile.global.u32 %r9, [%rd4];
  add.u64 %rd3, %rd3, 1024; st.global.u32 [%rd3], %r9;
  ret;
}
)";

TEST(CooperativeLaunch, RunsBlocksThatWaitForEachOther) {
    for (const unsigned threads : {1u, 3u}) {
        machine m(grid_barrier);
        m.options.host_threads = threads;
        const auto counter = m.buffer(std::vector<std::uint32_t>(1, 0));
        const auto out = m.buffer(std::vector<std::uint32_t>(512, 0));
        m.cooperative = true;
        m.run("k", {100, 1, 1}, {1, 1, 1}, counter, out);
        EXPECT_EQ(m.read<std::uint32_t>(counter, 1)[0], 200u);
        const auto r = m.read<std::uint32_t>(out, 512);
        for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(r[256 + i], (i ^ 1) + 1) << i;
    }
}

TEST(CooperativeLaunch, WaitsForASlowBlockOfAnotherHostThread) {
    // Block 0 has one warp and is scheduled 32 times while the other is scheduled once.
    machine m(R"(
.visible .entry k(.param .u64 flag)
{
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra WORK;
  setp.gt.u32 %p1, %r2, 31; @%p1 bra OUT;
WAIT:
  ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra WAIT;
  bra OUT;
WORK:
  add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20000; @%p1 bra WORK;
  setp.lt.u32 %p2, %r2, 1023; @%p2 bra OUT;
  st.volatile.global.u32 [%rd1], 7;
OUT:
  ret;
}
)");
    m.options.host_threads = 2;
    m.cooperative = true;
    for (unsigned run = 0; run < 5; ++run) {
        const auto flag = m.buffer(std::vector<std::uint32_t>(1, 0));
        m.run("k", {2, 1, 1}, {1024, 1, 1}, flag);
        EXPECT_EQ(m.read<std::uint32_t>(flag, 1)[0], 7u);
    }
}

TEST(CooperativeLaunch, ReportsADeadlockOfAllBlocks) {
    for (const unsigned threads : {1u, 2u, 3u}) {
        machine m(R"(
.visible .entry k(.param .u64 flag)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag]; mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 3; @%p1 bra OUT;
WAIT:
  ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT;
OUT:
  ret;
}
)");
        m.options.host_threads = threads;
        m.cooperative = true;
        const auto flag = m.buffer(std::vector<std::uint32_t>(1, 0));
        EXPECT_THAT(fault_of([&] {
                        m.run("k", {7, 1, 1}, {32, 1, 1}, flag);
                    }),
                    HasSubstr("no warp of the launch makes progress"));
    }
}

TEST(CooperativeLaunch, ProvidesAZeroedWorkspace) {
    // Data read by cooperative groups: the zeroed workspace given by %envreg1 and %envreg2.
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd2, {%r2, %r1};
  ld.u32 %r3, [%rd2+4]; st.global.u32 [%rd1], %r3; st.global.u64 [%rd1+8], %rd2; ret;
}
)");
    const auto out = m.buffer(std::vector<std::uint32_t>(4, 9));
    m.cooperative = true;
    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 1)[0], 0u);
    EXPECT_NE(m.read<std::uint64_t>(out + 8, 1)[0], 0u);
}

TEST(Program, FindsLocalMemoryZeroedInEveryBlock) {
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .local .align 4 .b8 mine[16]; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; ld.local.u32 %r1, [mine+8]; add.u32 %r2, %r1, 1;
  st.local.u32 [mine+8], %r2; atom.global.add.u32 %r3, [%rd1], %r1; ret;
}
)");
    const auto out = m.buffer(std::vector<std::uint32_t>(1, 0));
    m.run("k", {5, 1, 1}, {64, 1, 1}, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 1)[0], 0u);
}

TEST(DeviceRuntime, RejectsFunctionsThatAreNotDefined) {
    machine m(".extern .func missing();\n.visible .entry k() { call missing; ret; }");
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {1, 1, 1});
                }),
                HasSubstr("function missing is declared"));
}

TEST(DeviceRuntime, RejectsLaunchesOfKernelsByKernelsOutsideOfCudaPrograms) {
    for (const std::string name : {"cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2"}) {
        machine m(".extern .func (.param .b32 r) " + name + " (.param .b64 a, .param .b64 s);\n" +
                  ".visible .entry k() { .param .b64 a; .param .b64 s; .param .b32 r;\n" +
                  "call (r), " + name + ", (a, s); ret; }");
        EXPECT_THAT(fault_of([&] {
                        m.run("k", {1, 1, 1}, {1, 1, 1});
                    }),
                    HasSubstr("a kernel launches a kernel, which requires a CUDA program"));
    }
}

/// Cooperative groups keep barriers of groups of several warps in reserved shared memory.
TEST(ReservedSharedMemory, PrecedesTheVariablesOfModulesThatRequestIt) {
    machine m(R"(
.visible .entry k(.param .u64 to, .param .u32 at)
{
  .shared .align 4 .b8 mine[64];
  .reg .b32 %r<12>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [to];
  mov.u32 %r0, %reserved_smem_offset_1;
  mov.u32 %r1, %reserved_smem_offset_end;
  mov.u32 %r2, mine;
  mov.u32 %r3, 7;
  mov.u32 %r4, 9;
  st.shared.u32 [%r0], %r3;
  st.shared.u32 [%r2], %r4;
  ld.shared.u32 %r5, [%r0];
  mov.u32 %r6, %total_smem_size;
  st.u32 [%rd0], %r5;
  st.u32 [%rd0+4], %r6;
  st.u32 [%rd0+8], %r1;
  st.u32 [%rd0+12], %r2;
  ret;
})");
    const device_address to = m.buffer(std::vector<std::uint32_t>(4));
    m.run("k", {1, 1, 1}, {1, 1, 1}, to, 0u);
    EXPECT_EQ(m.read<std::uint32_t>(to, 4), (std::vector<std::uint32_t>{7, 64, 1024, 1024}));
}

TEST(DeviceRuntime, SetsConditionsOfGraphs) {
    machine m(R"(
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry k(.param .u64 handle)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [handle];
  mov.u32 %r0, 42;
  { .param .b64 a; .param .b32 b;
    st.param.b64 [a+0], %rd0; st.param.b32 [b+0], %r0; call cudaGraphSetConditional, (a, b); }
  ret;
})");
    const device_address to = m.buffer(std::vector<std::uint32_t>(1));
    m.run("k", {1, 1, 1}, {1, 1, 1}, to);
    EXPECT_EQ(m.read<std::uint32_t>(to, 1)[0], 42u);
}

/// The stride of a bit matrix is in bits.
TEST(MatrixOfBits, HasAStrideInBits) {
    machine m(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u64 %rd2, [c];
  mov.u32 %r0, 256;
  mov.u32 %r1, 0;
  wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r2}, [%rd0], %r0;
  wmma.load.b.sync.aligned.col.m8n8k128.global.b1 {%r3}, [%rd1];
  wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r4, %r5}, {%r2}, {%r3}, {%r1, %r1};
  wmma.store.d.sync.aligned.row.m8n8k128.global.s32 [%rd2], {%r4, %r5};
  ret;
})");
    std::vector<std::uint32_t> a(64), b(32);
    for (std::uint32_t i = 0; i < 64; ++i) a[i] = 0x9e3779b9u * i;
    for (std::uint32_t i = 0; i < 32; ++i) b[i] = 0x85ebca6bu * (i + 1);
    const device_address c = m.buffer(std::vector<std::uint32_t>(64));
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(a), m.buffer(b), c);
    const std::vector<std::uint32_t> got = m.read<std::uint32_t>(c, 64);
    for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 8; ++j) {
            unsigned wanted = 0;
            for (unsigned k = 0; k < 4; ++k)
                wanted += static_cast<unsigned>(__builtin_popcount(a[i * 8 + k] & b[j * 4 + k]));
            EXPECT_EQ(got[i * 8 + j], wanted) << i << " " << j;
        }
}

}  // namespace
}  // namespace simtlm::execution
