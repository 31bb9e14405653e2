// SPDX-License-Identifier: Apache-2.0
// The functional machine: instructions per second for small programs.
#include "modules/execution/checking/program_checker.h"
#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/parser.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>

namespace simtlm::execution {
namespace {

/// A kernel with one buffer whose threads repeat a body %r9 times.
std::string looping(const std::string& body) {
    return R"(
.version 7.0
.target sm_70
.address_size 64
.shared .align 16 .b8 tile[4096];
.visible .entry k(.param .u64 data, .param .u32 rounds)
{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .f64 %fd<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [data]; ld.param.u32 %r9, [rounds];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r3, %r1, %r2, %r0;
  mul.wide.u32 %rd1, %r3, 4;
  add.u64 %rd2, %rd0, %rd1;
  ld.global.f32 %f1, [%rd2];
  mov.f32 %f2, 0f3F800054;
  mov.u32 %r4, 1;
  shl.b32 %r5, %r0, 2;
  mov.u32 %r6, tile;
  add.u32 %r6, %r6, %r5;
LOOP:
)" + body + R"(
  sub.u32 %r9, %r9, 1;
  setp.ne.u32 %p1, %r9, 0;
  @%p1 bra LOOP;
  st.global.f32 [%rd2], %f1;
  ret;
}
)";
}

void run_kernel(benchmark::State& state, const std::string& body, const char* checks = "") {
    device_memory::config c;
    c.capacity = std::uint64_t{1} << 30;
    device_memory memory(c);
    program_checker checker(parse_checks(checks));
    services world;
    if (checker.options.init) memory.track_writes();
    if (checker.options.any()) world.checker = &checker;
    const ptx_image image(
        std::make_shared<const ptx::module>(ptx::parse(looping(body), "bench.ptx")), memory,
        checker.options);
    const device_address data = memory.allocate(64 * 256 * 4);
    memory.fill(data, 0, 64 * 256 * 4);
    launch l;
    l.image = &image;
    l.kernel = &image.kernels().front();
    l.grid.x = 64;
    l.block.x = 256;
    l.parameters.resize(l.kernel->parameter_bytes);
    const std::uint32_t rounds = 200;
    std::memcpy(l.parameters.data(), &data, sizeof data);
    std::memcpy(l.parameters.data() + 8, &rounds, sizeof rounds);
    std::uint64_t warps = 0, threads = 0;
    for (auto _ : state) {
        const execution_summary s = run(l, memory, world);
        warps += s.warp_instructions;
        threads += s.thread_instructions;
    }
    const auto rate = benchmark::Counter::kIsRate;
    state.counters["warp_instructions"] = benchmark::Counter(static_cast<double>(warps), rate);
    state.counters["thread_instructions"] = benchmark::Counter(static_cast<double>(threads), rate);
}

void functional_fma(benchmark::State& s) {
    run_kernel(s,
               "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;"
               "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;");
}
void functional_integer(benchmark::State& s) {
    run_kernel(s,
               "mad.lo.u32 %r4, %r4, %r3, %r9; xor.b32 %r4, %r4, %r0;"
               "shl.b32 %r7, %r4, 3; add.u32 %r4, %r4, %r7;");
}
const char* const global_memory =
    "ld.global.f32 %f3, [%rd2]; add.f32 %f3, %f3, %f2; st.global.f32 [%rd2], %f3;";
const char* const shared_memory =
    "st.shared.f32 [%r6], %f1; bar.sync 0; ld.shared.f32 %f1, [%r6]; bar.sync 0;";
void functional_global_memory(benchmark::State& s) {
    run_kernel(s, global_memory);
}
void functional_shared_memory(benchmark::State& s) {
    run_kernel(s, shared_memory);
}
void checked_global_memory(benchmark::State& s) {
    run_kernel(s, global_memory, "all");
}
void checked_shared_memory(benchmark::State& s) {
    run_kernel(s, shared_memory, "all");
}
void functional_divergence(benchmark::State& s) {
    run_kernel(s,
               "and.b32 %r7, %r0, 1; setp.eq.u32 %p2, %r7, 0; @%p2 bra EVEN;"
               "add.u32 %r4, %r4, 3; bra MEET;\nEVEN: add.u32 %r4, %r4, 5;\nMEET:\n");
}

BENCHMARK(functional_fma)->Unit(benchmark::kMillisecond);
BENCHMARK(functional_integer)->Unit(benchmark::kMillisecond);
BENCHMARK(functional_global_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(functional_shared_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(checked_global_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(checked_shared_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(functional_divergence)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace simtlm::execution
