// SPDX-License-Identifier: Apache-2.0
// The interface between programs and an SM, tested with a minimal SM that issues one instruction of
// each warp in turn.
#include "modules/execution/timed/executed_kernel.h"
#include "tests/unit/execution/machine.h"

#include <numeric>

namespace simtlm::execution {
namespace {

/// Issues a kernel's instructions like an SM, without timing, and holds warps at barriers.
class tiny_sm {
public:
    explicit tiny_sm(program::kernel_source& kernel) : kernel_(kernel) {}

    std::uint64_t run() {
        while (auto block = kernel_.next_cta()) {
            block->placed({});
            run_block(*block);
            kernel_.recycle(std::move(block));
        }
        return issued_;
    }
    std::vector<std::string> path;  ///< opcodes issued by the first warp

private:
    struct slot_of_warp {
        program::warp_executor* executor = nullptr;
        program::instruction_window window;
        bool waits = false, ended = false;
    };

    void run_block(program::cta& block) {
        std::vector<slot_of_warp> warps(kernel_.descriptor().warps_per_block());
        for (unsigned i = 0; i < warps.size(); ++i) {
            const program::warp_code code = block.warp(i);
            warps[i] = {code.executor, code.window, false, code.window.empty()};
        }
        for (bool alive = true; alive;) {
            alive = false;
            std::vector<program::warp_executor*> deferred;
            for (slot_of_warp& w : warps) {
                if (w.ended || w.waits) continue;
                alive = true;
                issue(w, &w == warps.data(), deferred);
            }
            for (program::warp_executor* e : deferred) e->apply_memory();
            release(warps);
            for (const slot_of_warp& w : warps) alive |= !w.ended;
        }
    }

    void issue(slot_of_warp& w, bool first, std::vector<program::warp_executor*>& deferred) {
        const program::dynamic_instruction& i = *w.window.next;
        program::issue_effects effects;
        program::lane_addresses addresses;
        effects.space = i.info->space;
        effects.data_size = i.info->data_size;
        if (first) path.push_back(i.info->opcode);
        w.executor->issue(i, issued_++, effects, addresses);
        EXPECT_NE(effects.space, program::memory_space::generic);
        if (effects.memory_deferred) deferred.push_back(w.executor);
        if (i.info->is_atomic) {  // in two parts, like requests leaving the L2
            w.executor->perform_atomic(0xffff);
            w.executor->perform_atomic(0xffff0000);
        }
        w.waits = i.info->barrier == program::barrier_kind::sync;
        w.ended = effects.warp_ended;
        w.window = effects.next;
    }

    static void release(std::vector<slot_of_warp>& warps) {
        for (const slot_of_warp& w : warps)
            if (!w.ended && !w.waits) return;
        for (slot_of_warp& w : warps) w.waits = false;
    }

    program::kernel_source& kernel_;
    std::uint64_t issued_ = 0;
};

const char* const program_text = R"(
.shared .align 4 .b8 tile[256];
.func (.param .b32 r) weigh(.param .b32 x)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r1, [x];
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra EVEN;
  mul.lo.u32 %r1, %r1, 3;
EVEN:
  st.param.b32 [r+0], %r1;
  ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)
{
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [sum];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r3, %r1, %r2, %r0;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd0, %rd3;
  ld.u32 %r4, [%rd4];
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r4; call (b), weigh, (a); ld.param.b32 %r4, [b+0]; }
  shl.b32 %r5, %r0, 2;
  mov.u32 %r6, tile;
  add.u32 %r6, %r6, %r5;
  st.shared.u32 [%r6], %r4;
  bar.sync 0;
  xor.b32 %r7, %r0, 63;
  shl.b32 %r7, %r7, 2;
  mov.u32 %r8, tile;
  add.u32 %r8, %r8, %r7;
  ld.shared.u32 %r9, [%r8];
  mov.u32 %r10, 0;
COUNT:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r0;
  @%p1 bra COUNT;
  add.u32 %r9, %r9, %r10;
  add.u64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r9;
  atom.global.add.u32 %r11, [%rd2], %r9;
  ret;
}
)";

TEST(ExecutedKernel, ComputesTheValuesOfFunctionalMode) {
    std::vector<std::uint32_t> result[2], sums[2];
    std::uint64_t instructions[2];
    for (const unsigned mode : {0u, 1u}) {
        machine m(program_text);
        std::vector<std::uint32_t> in(64 * 5);
        std::iota(in.begin(), in.end(), 11u);
        const auto di = m.buffer(in), out = m.buffer(std::vector<std::uint32_t>(in.size(), 0)),
                   sum = m.buffer(std::vector<std::uint32_t>{0});
        if (mode == 0) {
            instructions[0] = m.run("k", {5, 1, 1}, {64, 1, 1}, di, out, sum).warp_instructions;
        } else {
            launch l;
            l.image = &m.image();
            l.kernel = l.image->find_kernel("k");
            l.grid.x = 5;
            l.block.x = 64;
            l.parameters.resize(24);
            const device_address arguments[] = {di, out, sum};
            std::memcpy(l.parameters.data(), arguments, sizeof arguments);
            executed_kernel kernel(l, m.memory(), m.world, m.image().describe({}), 1);
            EXPECT_EQ(kernel.descriptor().shared_memory, 256u);
            tiny_sm sm(kernel);
            instructions[1] = sm.run();
            EXPECT_EQ(sm.path.front(), "ld.param.u64");
            EXPECT_EQ(sm.path.back(), "ret");
        }
        result[mode] = m.read<std::uint32_t>(out, in.size());
        sums[mode] = m.read<std::uint32_t>(sum, 1);
    }
    EXPECT_EQ(result[0], result[1]);
    EXPECT_EQ(sums[0], sums[1]);
    EXPECT_EQ(instructions[0], instructions[1]);
}

/// Executes the only warp of a kernel and records what its SM learns of each instruction.
struct issued_effects {
    std::string opcode;
    program::issue_effects effects;
    program::lane_addresses addresses;
};
std::vector<issued_effects> effects_of(machine& m, device_address argument) {
    launch l;
    l.image = &m.image();
    l.kernel = l.image->find_kernel("k");
    l.block.x = 32;
    l.parameters.resize(8);
    std::memcpy(l.parameters.data(), &argument, 8);
    executed_kernel kernel(l, m.memory(), m.world, m.image().describe({}), 1);
    const auto block = kernel.next_cta();
    block->placed({});
    const program::warp_code code = block->warp(0);
    std::vector<issued_effects> all;
    program::instruction_window at = code.window;
    for (std::uint64_t now = 100; !at.empty();) {
        all.push_back({at.next->info->opcode, {}, {}});
        issued_effects& e = all.back();
        e.effects.space = at.next->info->space;
        code.executor->issue(*at.next, now, e.effects, e.addresses);
        if (e.effects.memory_deferred) code.executor->apply_memory();
        now += 10 + e.effects.sleep;
        at = e.effects.next;
    }
    return all;
}

TEST(ExecutedKernel, SleepsForTheShortestTimeOfTheLanesThatSleepTogether) {
    machine m(R"(
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 300;
  nanosleep.u32 %r2;
  nanosleep.u32 4000000;
  nanosleep.u32 0;
  setp.gt.u32 %p1, %r1, 7;
  @%p1 nanosleep.u32 %r2;
  ret;
})");
    m.world.cycles_per_nanosecond = 1.5;
    std::vector<std::uint64_t> cycles;
    for (const issued_effects& e : effects_of(m, 0))
        if (e.opcode == "nanosleep.u32") cycles.push_back(e.effects.sleep);
    EXPECT_EQ(cycles, (std::vector<std::uint64_t>{450, 1'500'000, 0, 462}));
}

TEST(ExecutedKernel, SleepsDivergentLanesConcurrently) {
    machine m(R"(
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 7;
  @%p1 bra B;
  nanosleep.u32 1000;
  bra C;
B:
  nanosleep.u32 1000;
C:
  ret;
})");
    m.world.cycles_per_nanosecond = 1;
    std::uint64_t all = 0;
    for (const issued_effects& e : effects_of(m, 0)) all += e.effects.sleep;
    EXPECT_GT(all, 900u);
    EXPECT_LT(all, 1100u) << "not one after the other";
}

TEST(ExecutedKernel, PrefetchesWordsOfGlobalMemoryOnlyAndNeverFaults) {
    machine m(R"(
.visible .entry k(.param .u64 a)
{
  .shared .align 4 .b8 s[128];
  .reg .b32 %r<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 128;
  add.u64 %rd3, %rd1, %rd2;
  prefetch.global.L2 [%rd3+5];
  prefetch.global.L1 [%rd3];
  mov.u64 %rd4, s;
  cvta.shared.u64 %rd5, %rd4;
  prefetch.L1 [%rd5];
  prefetch.global.L2 [%rd2+16];
  ret;
})");
    const auto a = m.buffer(std::vector<std::uint32_t>(32 * 32));
    std::vector<const issued_effects*> prefetches;
    const auto all = effects_of(m, a);
    for (const issued_effects& e : all)
        if (e.opcode.rfind("prefetch", 0) == 0) prefetches.push_back(&e);
    ASSERT_EQ(prefetches.size(), 4u);
    EXPECT_EQ(prefetches[0]->addresses.lanes, ~0u);
    EXPECT_EQ(prefetches[0]->addresses.address[0][1] - prefetches[0]->addresses.address[0][0],
              128u);
    EXPECT_EQ(prefetches[1]->addresses.lanes, ~0u);
    EXPECT_EQ(prefetches[2]->addresses.lanes, 0u) << "shared memory";
    EXPECT_EQ(prefetches[3]->addresses.lanes, 0u) << "outside of all allocations";
}

TEST(InstructionDescriptors, NamePrefetchedCachesAndIgnoredHints) {
    machine m(R"(
.visible .entry k()
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  prefetch.global.L2 [%rd1];
  prefetch.global.L1 [%rd1];
  ld.global.L2::256B.u32 %r1, [%rd1];
  ld.global.L1::evict_last.u32 %r1, [%rd1];
  discard.global.L2 [%rd1], 128;
  ret;
})");
    const auto described = describe_ptx(m.image(), {});
    EXPECT_EQ(described->of(0).cache_op, program::cache_operator::prefetch_l2);
    EXPECT_EQ(described->of(0).l2_block, 128);
    EXPECT_TRUE(described->of(0).is_load);
    EXPECT_EQ(described->of(1).cache_op, program::cache_operator::cache_all);
    EXPECT_EQ(described->of(2).l2_block, 256);
    EXPECT_EQ(described->of(3).l2_block, 0);
    const auto& ignored = described->ignored_hints();
    ASSERT_EQ(ignored.size(), 2u);
    EXPECT_EQ(ignored[0].name, "L1::evict");
    EXPECT_EQ(ignored[1].name, "discard");
    EXPECT_EQ(ignored[1].instruction, 4u);
}

TEST(InstructionDescriptors, ClassesAndLatenciesFollowTheOptions) {
    machine m(
        ".visible .entry k() { .reg .f32 %f<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
        "fma.rn.f32 %f1, %f0, %f0, %f0; div.s32 %r1, %r2, %r3; ld.global.v2.u32 {%r1, %r2}, "
        "[%rd1+8]; bar.sync 0; ret; }");
    opcode_timing t;
    t.single[opcode_timing::multiply_add] = {7, 2};
    t.integer[opcode_timing::divide] = {145, 9};
    const auto described = describe_ptx(m.image(), t);
    const instruction_descriptors& descriptor = *described;
    EXPECT_EQ(descriptor.of(0).cls, program::op_class::sp);
    EXPECT_EQ(descriptor.of(0).latency, 7);
    EXPECT_EQ(descriptor.of(0).initiation_interval, 2);
    EXPECT_EQ(descriptor.of(1).cls, program::op_class::sfu);
    EXPECT_EQ(descriptor.of(1).latency, 145);
    EXPECT_EQ(descriptor.of(1).n_src, 2);
    EXPECT_TRUE(descriptor.of(2).is_load);
    EXPECT_EQ(descriptor.of(2).data_size, 8);
    EXPECT_EQ(descriptor.of(2).n_dst, 2);
    EXPECT_EQ(descriptor.of(2).n_src, 1);
    EXPECT_EQ(descriptor.of(2).pc, 16u);
    EXPECT_EQ(descriptor.of(3).barrier, program::barrier_kind::sync);
    EXPECT_EQ(descriptor.window_from(1).end - descriptor.window_from(1).next, 4);
}

}  // namespace
}  // namespace simtlm::execution
