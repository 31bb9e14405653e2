// SPDX-License-Identifier: Apache-2.0
// What the device runtime gives to programs.
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

TEST(DeviceRuntime, RefusesFunctionsThatAreNotDefined) {
    machine m(".extern .func missing();\n.visible .entry k() { call missing; ret; }");
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {1, 1, 1});
                }),
                HasSubstr("function missing is declared"));
}

}  // namespace
}  // namespace simtlm::execution
