// SPDX-License-Identifier: Apache-2.0
// Simulated designs: cost of a cycle. Every design has a clock of its own that runs only during its
// benchmark.
#include "tests/bench/simulation_bench.h"

#include "tests/bench/gated_clock.h"
#include "tests/unit/core/sm_rig.h"

#include <benchmark/benchmark.h>

namespace simtlm::bench {

namespace {

/// Processes of one phase that are always awake: the cost of an activation.
class busy_phase : public sc_core::sc_module {
public:
    busy_phase(const sc_core::sc_module_name& name, unsigned processes)
        : sc_module(name), sequencer_("sequencer", 1, {{0, "only"}}) {
        sequencer_.clock[0](clock.out);
        for (unsigned i = 0; i < processes; ++i)
            processes_.push_back(std::make_unique<simulation::clocked_process>(
                ("p" + std::to_string(i)).c_str(), sequencer_, 0,
                simulation::on_edge<&busy_phase::count>(this), true));
    }
    gated_clock clock{"clock"};

private:
    void count() { ++sum_; }
    std::uint64_t sum_ = 0;
    simulation::phase_sequencer sequencer_;
    std::vector<std::unique_ptr<simulation::clocked_process>> processes_;
};

/// An SM that runs blocks of one kind, one after the other.
class busy_sm : public sc_core::sc_module, private core::cta_listener {
public:
    gated_clock clock{"clock"};

    busy_sm(const sc_core::sc_module_name& name, const core::sm_config& config,
            core::test::block_builder block)
        : sc_module(name),
          block_(std::move(block)),
          sequencer_("sequencer", protocol::clock_domains, protocol::phase_table()),
          sm_("sm", sequencer_, config, {0, 0, 1}, pool_),
          memory_("memory", sequencer_, 100),
          process_("process", sequencer_, protocol::phase::core_dispatch_ctas,
                   simulation::on_edge<&busy_sm::launch>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer_.clock[d](clock.out);
        sm_.memory.bind(memory_.socket);
        sm_.set_listener(*this);
        kernel_.needs.threads = 32 * block_.warps();
        kernel_.ctas_per_sm = 1;
    }
    std::uint64_t instructions() { return sm_.counted().warp_instructions; }

private:
    void launch() {
        memory_.seen.clear();
        if (!sm_.can_launch(kernel_, false)) return;
        if (!spare_) spare_ = block_.build();
        sm_.launch(kernel_, std::move(spare_));
    }
    void cta_completed(unsigned, core::kernel_context&,
                       std::unique_ptr<program::cta> block) override {
        spare_ = std::move(block);
    }
    core::test::block_builder block_;
    std::unique_ptr<program::cta> spare_;
    protocol::transaction_pool pool_;
    simulation::phase_sequencer sequencer_;
    core::simt_pipeline::simt_sm sm_;
    core::test::fixed_memory memory_;
    core::kernel_context kernel_;
    simulation::clocked_process process_;
};

core::sm_config volta() {
    core::sm_config c = core::test::small_sm();
    c.schedulers = 4;
    c.sub_core_model = true;
    c.scheduler.policy = "lrr";
    c.collector.banks = 16;
    c.collector.port_throughput = 2;
    c.collector.general = {8, 8, 8};
    core::test::widen(c, 4);
    c.write_back.width = 8;
    return c;
}

template <class Design>
void cycles_of(const char* name, Design& design) {
    benchmark::RegisterBenchmark(name, [&design](benchmark::State& state) {
        for (auto _ : state) design.clock.run(batch);
        state.counters["cycles/s"] = benchmark::Counter(
            static_cast<double>(state.iterations()) * batch, benchmark::Counter::kIsRate);
    })->Unit(benchmark::kMicrosecond);
}

}  // namespace

std::vector<std::unique_ptr<sc_core::sc_module>> register_simulations() {
    std::vector<std::unique_ptr<sc_core::sc_module>> designs;
    for (const unsigned n : {0u, 1u, 16u, 256u}) {
        const std::string name = "thousand_cycles_of_awake_processes_" + std::to_string(n);
        auto d = std::make_unique<busy_phase>(name.c_str(), n);
        cycles_of(name.c_str(), *d);
        designs.push_back(std::move(d));
    }
    static core::test::listing p;  // the blocks' traces point into it
    core::test::block_builder alu, loads, shared;
    for (unsigned w = 0; w < 16; ++w) {
        alu.warp();
        loads.warp();
        shared.warp();
        for (unsigned i = 0; i < 64; ++i) {
            alu.run(p.alu({20 + i % 64}, {1, 2, 3}, 4, 2));
            loads.access(p.memory(program::memory_space::global, false, 20 + i % 16),
                         [=](unsigned lane) { return 0x10000 + 128 * (i % 8) + 4 * lane; });
            shared.access(p.memory(program::memory_space::shared, false, 20 + i % 16),
                          [=](unsigned lane) { return 4 * lane; });
        }
    }
    const auto add = [&](const char* name, const core::test::block_builder& block) {
        auto d = std::make_unique<busy_sm>(name, volta(), block);
        cycles_of(name, *d);
        designs.push_back(std::move(d));
    };
    add("thousand_sm_cycles_of_arithmetic", alu);
    add("thousand_sm_cycles_of_l1_hits", loads);
    add("thousand_sm_cycles_of_shared_loads", shared);
    register_memory_simulations(designs);
    return designs;
}

}  // namespace simtlm::bench
