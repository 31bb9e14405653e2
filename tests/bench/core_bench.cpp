// SPDX-License-Identifier: Apache-2.0
// Blocks that need no simulation: cost of one call.
#include "modules/core/coalescer.h"
#include "modules/core/scoreboard.h"
#include "modules/protocol/memory_transaction.h"
#include "tests/unit/core/warps.h"

#include <benchmark/benchmark.h>

namespace {

using namespace simtlm;
using core::lane_addresses;

core::sm_config volta() {
    core::sm_config c;
    c.ldst.coalesce_arch = 70;
    c.shared.warp_parts = 1;
    c.shared.banks = 32;
    c.shared.limited_broadcast = false;
    return c;
}
lane_addresses strided(std::uint64_t stride) {
    lane_addresses l;
    l.lanes = ~0u;
    for (unsigned i = 0; i < 32; ++i) l.address[0][i] = 0x7f0000000000 + stride * i;
    return l;
}

/// A global load. The argument is the stride of the lanes in bytes.
void coalesce(benchmark::State& state) {
    const core::sm_config c = volta();
    const core::coalescer unit(c);
    const program::static_instruction info = core::test::load(1);
    const lane_addresses lanes = strided(static_cast<std::uint64_t>(state.range(0)));
    core::warp_instruction inst;
    inst.info = &info;
    inst.space = program::memory_space::global;
    inst.data_size = info.data_size;
    for (auto _ : state) {
        inst.accesses.clear();
        unit.coalesce(inst, lanes);
        benchmark::DoNotOptimize(inst.accesses.data());
    }
}
BENCHMARK(coalesce)->Arg(0)->Arg(4)->Arg(16)->Arg(128);

void coalesce_atomics(benchmark::State& state) {
    const core::sm_config c = volta();
    const core::coalescer unit(c);
    program::static_instruction info = core::test::load(1);
    info.is_atomic = true;
    const lane_addresses lanes = strided(static_cast<std::uint64_t>(state.range(0)));
    core::warp_instruction inst;
    inst.info = &info;
    inst.space = program::memory_space::global;
    inst.data_size = info.data_size;
    for (auto _ : state) {
        inst.accesses.clear();
        unit.coalesce(inst, lanes);
        benchmark::DoNotOptimize(inst.accesses.data());
    }
}
BENCHMARK(coalesce_atomics)->Arg(0)->Arg(4);

void scoreboard_check(benchmark::State& state) {
    core::test::warps warps(64);
    core::scoreboard board(warps.table, false);
    const auto busy = core::test::instruction(program::op_class::sp, {5}, {});
    const auto next = core::test::instruction(program::op_class::sp, {9}, {6, 7, 8});
    board.reserve(3, busy, program::memory_space::none);
    for (auto _ : state) benchmark::DoNotOptimize(board.collides(3, next));
}
BENCHMARK(scoreboard_check);

void scoreboard_reserve_and_release(benchmark::State& state) {
    struct silent : core::warp_listener {
        void may_issue(unsigned) override {}
        void may_fetch() override {}
    } listener;
    core::warp_table table(64);
    table.listener = &listener;
    core::scoreboard board(table, false);
    const auto inst = core::test::instruction(program::op_class::sp, {5}, {6});
    for (auto _ : state) {
        board.reserve(3, inst, program::memory_space::none);
        board.release(3, inst);
    }
}
BENCHMARK(scoreboard_reserve_and_release);

void pool_acquire_and_release(benchmark::State& state) {
    protocol::transaction_pool pool;
    for (auto _ : state) {
        auto& p =
            pool.acquire(tlm::TLM_READ_COMMAND, 0x1000, 32, protocol::access_type::global_read);
        benchmark::DoNotOptimize(&p);
        p.release();
    }
}
BENCHMARK(pool_acquire_and_release);

}  // namespace
