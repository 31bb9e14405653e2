// SPDX-License-Identifier: Apache-2.0
// Engines of an SM of sm_90: bulk copies, mbarriers, warpgroup matrix products.
#include "modules/isa/matrix_shape.h"
#include "modules/isa/scheduling.h"
#include "tests/unit/core/sub_core_pipeline/sub_core_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace simtlm::core::sub_core_pipeline {
namespace {

using program::bulk_transfer;
using program::special_op;
using test::four_sub_cores;
using test::stall;
using test::sub_core_listing;
using test::sub_core_rig;
using ::testing::ElementsAre;

constexpr std::uint64_t data = 0x7f0000000000;
constexpr unsigned memory_latency = 100;

sm_timing with_engines() {
    sm_timing m;
    m.engines.present = true;
    return m;
}

/// Code executed by the warps of a block, and its asynchronous operations.
struct engine_code {
    std::vector<program::dynamic_instruction> code;
    std::function<std::vector<bulk_transfer>(unsigned warp, std::uint64_t pc)> transfers;
    std::function<std::vector<program::tensor_core_work>(std::uint64_t pc)> tensor_work;
    std::function<bool()> phase_is_complete = [] { return true; };

    void run(const program::static_instruction& i) {
        program::dynamic_instruction d;
        d.info = &i;
        d.active_mask = ~0u;
        code.push_back(d);
    }
};

class engine_warp : public program::warp_executor {
public:
    engine_warp(const engine_code& what, unsigned warp) : what_(what), warp_(warp) {}
    program::instruction_window from(std::size_t i) const {
        return {what_.code.data() + i, what_.code.data() + what_.code.size()};
    }
    void issue(const program::dynamic_instruction& i, std::uint64_t, program::issue_effects& e,
               program::lane_addresses&) override {
        const auto here = static_cast<std::size_t>(&i - what_.code.data());
        pc_ = i.info->pc;
        e.active_mask = ~0u;
        e.next = from(here + 1);
        e.warp_ended = e.lanes_ended = e.next.empty();
        e.suspended = i.info->special == special_op::mbarrier_wait && !what_.phase_is_complete();
        EXPECT_TRUE(e.can_suspend);
    }
    std::vector<bulk_transfer> take_transfers() override { return what_.transfers(warp_, pc_); }
    std::vector<program::tensor_core_work> take_tensor_work() override {
        return what_.tensor_work(pc_);
    }
    bool retry_wait() override { return what_.phase_is_complete(); }

private:
    const engine_code& what_;
    unsigned warp_;
    std::uint64_t pc_ = 0;
};

class engine_cta : public program::cta {
public:
    engine_cta(const engine_code& code, unsigned warps) {
        for (unsigned w = 0; w < warps; ++w) warps_.emplace_back(code, w);
    }
    program::warp_code warp(unsigned w) override {
        return {warps_[w].from(0), nullptr, &warps_[w]};
    }

private:
    std::deque<engine_warp> warps_;
};

/// A program with asynchronous instructions, and the SM that executes it.
struct engine_rig {
    explicit engine_rig(const sm_timing& timing = with_engines())
        : rig("rig", four_sub_cores(), timing, memory_latency) {}

    sub_core_rig rig;
    sub_core_listing p;
    engine_code code;

    const program::static_instruction& add(const char* opcode, special_op special,
                                           int immediate = 0) {
        program::control_bits c = stall(1);
        program::static_instruction& i = p.add(opcode, {}, {}, c);
        i.special = special;
        i.immediate = immediate;
        code.run(i);
        return i;
    }
    const program::static_instruction& plain(std::uint8_t wait_mask = 0) {
        program::control_bits c = stall(1);
        c.wait_mask = wait_mask;
        const auto& i = p.add("FFMA", {1}, {2, 3, 4}, c);
        code.run(i);
        return i;
    }
    void go(unsigned warps = 1, std::uint64_t cycles = 3000) {
        code.run(p.exit());
        rig.launch(std::make_unique<engine_cta>(code, warps), warps);
        rig.run(cycles);
        ASSERT_EQ(rig.completed.size(), 1u) << rig.core.describe();
        EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
    }
};

bulk_transfer copy(bulk_transfer::kind what, std::uint64_t address, std::uint32_t bytes) {
    bulk_transfer t;
    t.what = what;
    t.bytes = bytes;
    t.ranges.push_back({address, bytes});
    return t;
}

TEST(BulkCopyEngine, RequestsLinesAndNotifiesTheMbarrierWhenAllHaveArrived) {
    engine_rig r;
    bool notified = false;
    r.code.phase_is_complete = [&] { return notified; };
    r.code.transfers = [&](unsigned, std::uint64_t) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data + 64, 256)};
        list[0].arrivals.push_back({0, [&] { notified = true; }});
        return list;
    };
    const auto& start = r.add("cp.async.bulk", special_op::bulk_copy);
    r.add("mbarrier.try_wait", special_op::mbarrier_wait);
    const auto& after = r.plain();
    r.go();
    EXPECT_THAT(r.rig.memory.addresses(), ElementsAre(data + 64, data + 128, data + 256));
    const bulk_copy_config c;
    const std::uint64_t first = r.rig.memory.seen[0].cycle;
    EXPECT_EQ(first - r.rig.issued(start)[0], c.issue_cycles);
    // Three requests in consecutive cycles, their replies, then the wait is retried.
    const std::uint64_t least = c.issue_cycles + 2 + memory_latency + c.arrival_cycles;
    EXPECT_GE(r.rig.distance(start, after), least);
    EXPECT_LE(r.rig.distance(start, after), least + 4);
    const sub_core_statistics& s = r.rig.core.stage_statistics();
    EXPECT_EQ(s.bulk_copies, 1u);
    EXPECT_EQ(s.bulk_bytes, 256u);
    EXPECT_EQ(s.bulk_requests, 3u);
    EXPECT_EQ(s.mbarrier_waits, 1u);
}

TEST(BulkCopyEngine, ProcessesOneCopyAtATimeInItsFrontEnd) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t pc) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data + 4096 * pc, 128)};
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    r.add("cp.async.bulk", special_op::bulk_copy);
    r.add("cp.async.bulk", special_op::bulk_copy);
    r.go();
    ASSERT_EQ(r.rig.memory.seen.size(), 2u);
    EXPECT_EQ(r.rig.memory.seen[1].cycle - r.rig.memory.seen[0].cycle,
              bulk_copy_config().command_cycles);
}

struct RequestInterval : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Cycles, RequestInterval, ::testing::Values(1u, 3u, 30u));

TEST_P(RequestInterval, SeparatesTheRequestsOfCopies) {
    const unsigned interval = GetParam();
    sm_timing timing = with_engines();
    timing.engines.bulk.request_interval = interval;
    engine_rig r(timing);
    r.code.transfers = [&](unsigned, std::uint64_t pc) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data + 4096 * pc, 512)};
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    r.add("cp.async.bulk", special_op::bulk_copy);
    r.add("cp.async.bulk", special_op::bulk_copy);
    r.go();
    std::vector<std::uint64_t> distances;
    for (std::size_t i = 1; i < r.rig.memory.seen.size(); ++i)
        distances.push_back(r.rig.memory.seen[i].cycle - r.rig.memory.seen[i - 1].cycle);
    // The second copy waits for the front end, or until the first has sent its requests.
    const unsigned front_end = bulk_copy_config().command_cycles;
    const unsigned next = std::max(interval, front_end - std::min(front_end, 3 * interval));
    EXPECT_THAT(distances,
                ElementsAre(interval, interval, interval, next, interval, interval, interval));
}

struct TensorLatency : ::testing::TestWithParam<unsigned> {
    /// Two copies of a line; the second finds the map in the cache.
    void run(std::uint64_t tensor_map) {
        r_.code.transfers = [tensor_map](unsigned, std::uint64_t) {
            std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data, 128)};
            list[0].tensor_map = tensor_map;
            list[0].arrivals.push_back({0, [] {}});
            return list;
        };
        const auto& first = r_.add("cp.async.bulk.tensor", special_op::bulk_copy);
        for (unsigned i = 0; i < 300; ++i) r_.plain();
        const auto& second = r_.add("cp.async.bulk.tensor", special_op::bulk_copy);
        r_.go();
        issued_ = {r_.rig.issued(first)[0], r_.rig.issued(second)[0]};
    }
    std::uint64_t seen(unsigned request) const { return r_.rig.memory.seen.at(request).cycle; }

    std::array<std::uint64_t, 2> issued_{};
    const bulk_copy_config standard_;

private:
    static sm_timing timing() {
        sm_timing t = with_engines();
        t.engines.bulk.tensor_cycles = GetParam();
        return t;
    }
    engine_rig r_{timing()};
};
INSTANTIATE_TEST_SUITE_P(Cycles, TensorLatency, ::testing::Values(0u, 60u));

TEST_P(TensorLatency, DelaysTheFirstRequestAfterTheMapIsAvailable) {
    run(data + 0x10000);
    EXPECT_EQ(seen(0) - issued_[0], standard_.issue_cycles) << "request for the map";
    EXPECT_GE(seen(1) - seen(0), memory_latency + GetParam());
    EXPECT_LE(seen(1) - seen(0), memory_latency + GetParam() + 2);
    EXPECT_EQ(seen(2) - issued_[1], standard_.issue_cycles + GetParam());
}

TEST_P(TensorLatency, IsZeroForCopiesOfBytes) {
    run(0);
    EXPECT_EQ(seen(0) - issued_[0], standard_.issue_cycles);
    EXPECT_EQ(seen(1) - issued_[1], standard_.issue_cycles);
}

TEST(BulkCopyEngine, GeneratesAddressesOfTensorCopiesConcurrently) {
    sm_timing timing = with_engines();
    timing.engines.bulk.tensor_cycles = 150;
    engine_rig r(timing);
    r.code.transfers = [&](unsigned, std::uint64_t) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data, 128)};
        list[0].tensor_map = data + 0x10000;
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    for (unsigned i = 0; i < 3; ++i) r.add("cp.async.bulk.tensor", special_op::bulk_copy);
    for (unsigned i = 0; i < 300; ++i) r.plain();
    for (unsigned i = 0; i < 3; ++i) r.add("cp.async.bulk.tensor", special_op::bulk_copy);
    r.go();
    ASSERT_EQ(r.rig.memory.seen.size(), 7u);
    // The last three copies, which find the map in the cache.
    EXPECT_EQ(r.rig.memory.seen[5].cycle - r.rig.memory.seen[4].cycle,
              bulk_copy_config().command_cycles);
    EXPECT_EQ(r.rig.memory.seen[6].cycle - r.rig.memory.seen[5].cycle,
              bulk_copy_config().command_cycles);
}

TEST(BulkCopyEngine, FetchesATensorMapOnceAndItsDataAfterIt) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data, 128)};
        list[0].tensor_map = data + 0x10000;
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    for (unsigned i = 0; i < 6; ++i) r.add("cp.async.bulk.tensor", special_op::bulk_copy);
    r.go();
    ASSERT_EQ(r.rig.memory.seen.size(), 7u);
    EXPECT_EQ(r.rig.memory.seen[0].address, data + 0x10000);
    EXPECT_EQ(r.rig.core.stage_statistics().tensor_map_misses, 1u);
    EXPECT_GE(r.rig.memory.seen.back().cycle, r.rig.memory.seen[0].cycle + memory_latency);
}

TEST(BulkCopyEngine, FetchesATensorMapAcrossTwoLinesByTwoRequests) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data, 128)};
        list[0].tensor_map = data + 0x10040;  // aligned to 64 bytes
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    for (unsigned i = 0; i < 3; ++i) r.add("cp.async.bulk.tensor", special_op::bulk_copy);
    r.go();
    ASSERT_EQ(r.rig.memory.seen.size(), 5u);
    EXPECT_EQ(r.rig.memory.seen[0].address, data + 0x10040);
    EXPECT_EQ(r.rig.memory.seen[1].address, data + 0x10080);
    EXPECT_EQ(r.rig.core.stage_statistics().tensor_map_misses, 1u);
    EXPECT_GE(r.rig.memory.seen[2].cycle, r.rig.memory.seen[1].cycle + memory_latency);
}

TEST(BulkCopyEngine, ReleasesAWarpWhenItsGroupsHaveReadSharedMemoryOrCompleted) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t) {
        return std::vector<bulk_transfer>{copy(bulk_transfer::kind::store, data, 512)};
    };
    const auto& start = r.add("cp.async.bulk", special_op::bulk_copy);
    r.add("cp.async.bulk.commit_group", special_op::bulk_commit);
    r.add("cp.async.bulk.wait_group.read", special_op::bulk_wait_read);
    const auto& read = r.plain();
    r.add("cp.async.bulk.wait_group", special_op::bulk_wait);
    const auto& written = r.plain();
    r.go();
    EXPECT_EQ(r.rig.memory.seen.size(), 4u);
    for (const auto& q : r.rig.memory.seen) EXPECT_TRUE(q.write);
    const bulk_copy_config c;
    EXPECT_GE(r.rig.distance(start, read), c.issue_cycles + 3);
    EXPECT_LT(r.rig.distance(start, read), memory_latency);
    EXPECT_GE(r.rig.distance(start, written),
              c.issue_cycles + 3 + memory_latency + c.arrival_cycles);
}

TEST(BulkCopyEngine, ReleasesAWarpWhileItsLastGroupsAreInFlight) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t) {
        return std::vector<bulk_transfer>{copy(bulk_transfer::kind::store, data, 128)};
    };
    const auto& start = r.add("cp.async.bulk", special_op::bulk_copy);
    r.add("cp.async.bulk.commit_group", special_op::bulk_commit);
    r.add("cp.async.bulk.wait_group", special_op::bulk_wait, 1);
    const auto& after = r.plain();
    r.go();
    EXPECT_LT(r.rig.distance(start, after), 20u);
    EXPECT_GE(r.rig.completed[0], memory_latency + bulk_copy_config().issue_cycles)
        << "a warp leaves when its copies are complete";
}

TEST(BulkCopyEngine, StartsWhileTheSpecialFunctionUnitIsBusy) {
    engine_rig r;
    r.code.transfers = [&](unsigned, std::uint64_t) {
        std::vector<bulk_transfer> list{copy(bulk_transfer::kind::load, data, 128)};
        list[0].arrivals.push_back({0, [] {}});
        return list;
    };
    r.plain();
    r.add("MUFU.EX2", special_op::none);
    const auto& second = r.add("MUFU.EX2", special_op::none);
    const auto& start = r.add("UTMALDG.2D", special_op::bulk_copy);
    r.go();
    EXPECT_EQ(r.rig.distance(second, start), 1u);
}

// H100: 8 to 13 cycles for the two instructions of fence.proxy.async, as measured by FlashGPU-Sim.
TEST(ProxyFence, TakesTheMeasuredCycles) {
    engine_rig r;
    const auto& before = r.plain();
    for (const char* const opcode : {"MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S"}) {
        auto& fence = const_cast<program::static_instruction&>(r.add(opcode, special_op::none));
        fence.cls = program::op_class::memory_barrier;
        isa::set_opcode_properties(fence);
    }
    const auto& after = r.plain();
    r.go();
    EXPECT_GE(r.rig.distance(before, after), 8u);
    EXPECT_LE(r.rig.distance(before, after), 14u);
}

TEST(Mbarrier, ResumesASuspendedWarpWhenAnotherArrives) {
    engine_rig r;
    const auto& wait = r.add("mbarrier.try_wait", special_op::mbarrier_wait);
    r.add("mbarrier.arrive", special_op::mbarrier_update);
    const auto& after = r.plain();
    // Two warps: the first retry coincides with the first arrival.
    r.code.phase_is_complete = [&, n = 0]() mutable { return n++ != 0; };
    r.go(2);
    const auto first = r.rig.issued(wait, 0)[0];
    EXPECT_GE(r.rig.issued(after, 0)[0], first + mbarrier_config().arrive_cycles);
}

TEST(DependentKernels, WaitForTheEndOfTheKernelOnWhichTheyDepend) {
    engine_rig r;
    r.rig.kernel.dependency_open = true;
    r.add("griddepcontrol.wait", special_op::dependency_wait);
    const auto& after = r.plain();
    r.code.run(r.p.exit());
    r.rig.launch(std::make_unique<engine_cta>(r.code, 2), 2);
    r.rig.run(500);
    EXPECT_THAT(r.rig.issued(after), ElementsAre());
    EXPECT_THAT(r.rig.core.describe(),
                ::testing::HasSubstr("the end of the kernel on which its kernel depends"));
    r.rig.kernel.dependency_open = false;
    r.rig.core.dependency_ended(r.rig.kernel);
    r.rig.run(500);
    EXPECT_EQ(r.rig.issued(after).size(), 2u);
    EXPECT_EQ(r.rig.completed.size(), 1u);
}

TEST(DependentKernels, DoNotWaitWithoutAPendingKernel) {
    engine_rig r;
    const auto& wait = r.add("griddepcontrol.wait", special_op::dependency_wait);
    const auto& after = r.plain();
    r.go();
    EXPECT_LT(r.rig.distance(wait, after), 10u);
}

TEST(DependentKernels, MayBeginWhenAWarpOfTheCtaTriggersTheLaunch) {
    engine_rig r;
    const auto& says = r.add("griddepcontrol.launch_dependents", special_op::launch_dependents);
    for (unsigned i = 0; i < 50; ++i) r.plain();
    r.go(4);
    // The first warp of four acts for the CTA.
    EXPECT_THAT(r.rig.ready_for_dependents, ElementsAre(r.rig.issued(says)[0]));
}

TEST(DependentKernels, MayBeginWhenTheCtaEndsWithoutATrigger) {
    engine_rig r;
    r.plain();
    r.go();
    ASSERT_EQ(r.rig.ready_for_dependents.size(), 1u);
    EXPECT_EQ(r.rig.ready_for_dependents[0], r.rig.completed[0]);
}

struct product_case {
    const char* opcode;
    bool in_registers;
    unsigned cycles;
};
void PrintTo(const product_case& c, std::ostream* out) {
    *out << c.opcode << (c.in_registers ? " RS" : " SS");
}

struct WarpgroupProduct : ::testing::TestWithParam<product_case> {};
// arXiv 2501.12084: m64n256k16 takes 128 cycles for all types; A in shared memory is slower below
// n64 and if B is dense and A sparse.
INSTANTIATE_TEST_SUITE_P(
    Measured, WarpgroupProduct,
    ::testing::Values(
        product_case{"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", false, 128},
        product_case{"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", true, 128},
        product_case{"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", false, 64},
        product_case{"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", false, 32},
        product_case{"wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16", false, 24},
        product_case{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", false, 18},
        product_case{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", true, 13},
        product_case{"wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e5m2", false, 128},
        product_case{"wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8", true, 128},
        product_case{"wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32", false, 128},
        product_case{"wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16", false, 144},
        product_case{"wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16", true, 128}));

TEST_P(WarpgroupProduct, TakesTheMeasuredCycles) {
    const product_case& c = GetParam();
    EXPECT_EQ(warpgroup_timing({}, isa::matrix_shape_of(c.opcode), c.in_registers).busy, c.cycles);
}

struct register_case {
    const char* opcode;
    bool in_registers;
    unsigned registers;
};
void PrintTo(const register_case& c, std::ostream* out) {
    *out << c.opcode << (c.in_registers ? " RS" : " SS");
}

struct WarpgroupRegisters : ::testing::TestWithParam<register_case> {};
// 64 x N accumulators of 4 or 2 bytes, and 64 x 16 halves of A, in 128-byte registers of four
// sub-cores.
INSTANTIATE_TEST_SUITE_P(
    OfAProduct, WarpgroupRegisters,
    ::testing::Values(
        register_case{"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", false, 128},
        register_case{"HGMMA.64x128x16.F32", false, 64},
        register_case{"HGMMA.64x128x16.F16", false, 32},
        register_case{"HGMMA.64x128x16.F16", true, 36},
        register_case{"wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16", false, 32},
        register_case{"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", false, 4},
        register_case{"IGMMA.64x64x32.S8.S8", false, 32},
        register_case{"QGMMA.64x64x32.F16.E4M3.E4M3", false, 16}));

TEST_P(WarpgroupRegisters, AreTheAccumulatorsAndOperandA) {
    const register_case& c = GetParam();
    EXPECT_EQ(warpgroup_timing({}, isa::matrix_shape_of(c.opcode), c.in_registers).registers,
              c.registers);
}

struct WarpgroupReads : ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Option, WarpgroupReads, ::testing::Bool());

// FFMA R1,R2,R3,R4 reads one bank twice, which limits it to one instruction in two cycles. A
// product reads that bank in every second cycle.
TEST_P(WarpgroupReads, OccupyRegisterFilePorts) {
    sm_timing timing = with_engines();
    timing.engines.warpgroup.register_reads = GetParam();
    engine_rig r(timing);
    const char* const opcode = "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16";
    r.add(opcode, special_op::warpgroup_mma);
    r.add(opcode, special_op::warpgroup_mma);
    for (unsigned i = 0; i < 20; ++i) r.plain();
    const auto& first = r.plain();
    for (unsigned i = 0; i < 29; ++i) r.plain();
    const auto& last = r.plain();
    r.go(4);
    const std::uint64_t expected = GetParam() ? 30 * 4 : 30 * 2;
    EXPECT_GE(r.rig.distance(first, last), expected - 2);
    EXPECT_LE(r.rig.distance(first, last), expected + 2);
}

TEST(Warpgroup, ReadsNoRegistersAfterAProduct) {
    sm_timing timing = with_engines();
    timing.engines.warpgroup.register_reads = true;
    engine_rig r(timing);
    const auto& product =
        r.add("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", special_op::warpgroup_mma);
    r.add("wgmma.commit_group", special_op::warpgroup_commit);
    r.add("wgmma.wait_group", special_op::warpgroup_wait);
    const auto& first = r.plain();
    for (unsigned i = 0; i < 29; ++i) r.plain();
    const auto& last = r.plain();
    r.go(4);
    EXPECT_GT(r.rig.distance(product, first), 17u + 18u);
    EXPECT_LE(r.rig.distance(first, last), 30 * 2 + 2u);
}

TEST(Warpgroup, BeginsAProductWhenItsFourWarpsHaveIssuedItAndQueuesTheNext) {
    engine_rig r;
    const char* const opcode = "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16";
    const auto& first = r.add(opcode, special_op::warpgroup_mma);
    r.add(opcode, special_op::warpgroup_mma);
    r.add("wgmma.commit_group", special_op::warpgroup_commit);
    r.add("wgmma.wait_group", special_op::warpgroup_wait);
    const auto& after = r.plain();
    r.go(4);
    std::uint64_t last = 0;
    for (unsigned w = 0; w < 4; ++w) last = std::max(last, r.rig.issued(first, w)[0]);
    const warpgroup_config c;
    const std::uint64_t done = last + c.issue_cycles + 2 * 128 + c.shared_tail;
    for (unsigned w = 0; w < 4; ++w) {
        EXPECT_GE(r.rig.issued(after, w)[0], done);
        EXPECT_LE(r.rig.issued(after, w)[0], done + 2);
    }
    EXPECT_EQ(r.rig.core.stage_statistics().warpgroup_products, 2u);
    EXPECT_EQ(r.rig.core.stage_statistics().warpgroup_cycles, 256u);
}

TEST(Warpgroup, ContinuesAfterTheFenceOfItsLastWarp) {
    // Warps of a CTA start one after the other; those of a warpgroup continue after the last one.
    engine_rig r;
    const auto& fence = r.add("wgmma.fence", special_op::warpgroup_arrive);
    const auto& after = r.plain();
    const auto& again = r.add("wgmma.fence", special_op::warpgroup_arrive);
    const auto& last = r.plain();
    r.go(8);
    for (unsigned first = 0; first < 8; first += 4) {
        std::uint64_t all = 0, all_again = 0;
        for (unsigned w = first; w < first + 4; ++w) {
            all = std::max(all, r.rig.issued(fence, w)[0]);
            all_again = std::max(all_again, r.rig.issued(again, w)[0]);
        }
        for (unsigned w = first; w < first + 4; ++w) {
            EXPECT_GT(r.rig.issued(after, w)[0], all) << w;
            EXPECT_GT(r.rig.issued(last, w)[0], all_again) << w;
        }
    }
}

// Two warpgroups issue three products each of 128 cycles. With room for two products, the third and
// later ones wait until one has left the tensor cores; a product that one warp of a warpgroup has
// issued is open to its other warps.
struct WarpgroupQueue : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Products, WarpgroupQueue, ::testing::Values(0u, 2u, 6u));

TEST_P(WarpgroupQueue, StallsWarpsWhileItIsFull) {
    sm_timing timing = with_engines();
    timing.engines.warpgroup.shared_queue = GetParam();
    timing.engines.warpgroup.register_queue = 1;  // no product has A in registers
    engine_rig r(timing);
    const char* const opcode = "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16";
    const auto& first = r.add(opcode, special_op::warpgroup_mma);
    r.add(opcode, special_op::warpgroup_mma);
    const auto& third = r.add(opcode, special_op::warpgroup_mma);
    r.add("wgmma.commit_group", special_op::warpgroup_commit);
    r.go(8);
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for (unsigned w = 0; w < 8; ++w) {
        begin = std::min(begin, r.rig.issued(first, w)[0]);
        end = std::max(end, r.rig.issued(third, w)[0]);
    }
    EXPECT_EQ(r.rig.core.stage_statistics().warpgroup_products, 6u);
    if (GetParam() == 2) {  // the sixth issues when the fourth has ended
        EXPECT_GE(end - begin, 17u + 4 * 128);
        EXPECT_LE(end - begin, 17u + 4 * 128 + 60);
    } else {
        EXPECT_LE(end - begin, 60u);
    }
}

TEST(Warpgroup, SharesTheTensorCoresWithOthers) {
    engine_rig r;
    const auto& first =
        r.add("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", special_op::warpgroup_mma);
    r.add("wgmma.commit_group", special_op::warpgroup_commit);
    r.add("wgmma.wait_group", special_op::warpgroup_wait);
    const auto& after = r.plain();
    r.go(8);
    const auto one = r.rig.issued(after, 0)[0], other = r.rig.issued(after, 4)[0];
    EXPECT_EQ(std::max(one, other) - std::min(one, other), 128u);
    EXPECT_GE(std::max(one, other), r.rig.issued(first, 4)[0] + 17 + 2 * 128 + 66);
}

// Two products of 128 rows: A is read in 32 cycles, 128 columns are computed in 64. A of the second
// one is read meanwhile.
TEST(TensorCore, ReadsOperandsOfAProductWhileItComputesThePreviousOne) {
    using kind = program::tensor_core_work::kind;
    sm_timing timing = with_engines();
    timing.engines.tensor_core.present = true;
    engine_rig r(timing);
    const auto& product = r.add("tcgen05.mma", special_op::tensor_work);
    r.add("tcgen05.mma", special_op::tensor_work);
    const auto& commit = r.add("tcgen05.commit", special_op::tensor_work);
    r.add("mbarrier.try_wait", special_op::mbarrier_wait);
    const auto& after = r.plain();
    bool complete = false;
    r.code.phase_is_complete = [&] { return complete; };
    r.code.tensor_work = [&](std::uint64_t pc) {
        std::vector<program::tensor_core_work> work(1);
        work[0].columns = 128;
        work[0].a_bytes = 128 * 32;
        work[0].b_bytes = 128 * 32;
        if (pc == commit.pc) {
            work[0].what = kind::commit;
            work[0].arrivals.push_back({0, [&] { complete = true; }, 0, 0});
        }
        return work;
    };
    r.go(1);
    const tensor_core_config c;
    const std::uint64_t done =
        r.rig.issued(product, 0)[0] + c.issue_cycles + 32 + 2 * 64 + c.tail_cycles;
    EXPECT_GE(r.rig.issued(after, 0)[0], done);
    EXPECT_LE(r.rig.issued(after, 0)[0], done + 3);
}

TEST(TensorCore, HoldsAnAllocationUntilThereAreColumns) {
    using kind = program::tensor_core_work::kind;
    sm_timing timing = with_engines();
    timing.engines.tensor_core.present = true;
    engine_rig r(timing);
    const auto& allocate = r.add("tcgen05.alloc", special_op::tensor_work);
    const auto& after = r.plain();
    for (unsigned i = 0; i < 500; ++i) r.plain();
    const auto& release = r.add("tcgen05.dealloc", special_op::tensor_work);
    r.code.tensor_work = [&](std::uint64_t pc) {
        std::vector<program::tensor_core_work> work(1);
        work[0].what = pc == allocate.pc ? kind::allocate : kind::release;
        work[0].columns = 512;
        return work;
    };
    r.go(2);
    const auto first = std::min(r.rig.issued(release, 0)[0], r.rig.issued(release, 1)[0]);
    EXPECT_GE(std::max(r.rig.issued(after, 0)[0], r.rig.issued(after, 1)[0]),
              first + tensor_core_config().allocate_cycles);
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline
