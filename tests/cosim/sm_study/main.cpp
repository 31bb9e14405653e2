// SPDX-License-Identifier: Apache-2.0
// Study of a single block: an SM whose memory socket is bound directly to an external memory. How
// does its time depend on the memory latency? Two SMs run a pointer chase, one with a fast memory,
// one with a slow one; a third runs a kernel with high parallelism with a randomly stalling memory.
#include "at_memory.h"
#include "expect.h"
#include "kernel_launcher.h"

#include <iostream>

namespace {

using namespace platform_example;
using namespace simtlm;

expectations expect;

/// An SM with a clock and a launcher of thread blocks.
class sm_bench : public sc_core::sc_module {
public:
    sc_core::sc_in<bool> clock;
    simulation::phase_sequencer sequencer;

private:
    protocol::transaction_pool transactions_;
    const core::sm_config config_;

public:
    core::simt_pipeline::simt_sm block;
    kernel_launcher launcher;

    sm_bench(const sc_core::sc_module_name& name, const gpu_config& config,
             const std::string& trace)
        : sc_module(name),
          clock("clock"),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          config_(config.cores.sm),
          block("sm", sequencer, config_, core::sm_identity{}, transactions_),
          launcher("launcher", sequencer, config, config_, block, trace) {
        for (auto& domain : sequencer.clock) domain.bind(clock);
    }

    std::uint64_t outstanding() const { return transactions_.outstanding(); }
};

/// An SM, a protocol checker, a memory.
struct setting {
    sm_bench bench;
    base_protocol_checker<256> checker;
    at_memory<256> memory;
    setting(const std::string& name, const gpu_config& config, const std::string& trace,
            const at_memory<256>::settings& how, sc_core::sc_clock& clock)
        : bench((name + "_bench").c_str(), config, trace),
          checker((name + "_checker").c_str()),
          memory((name + "_memory").c_str(), how) {
        bench.clock.bind(clock);
        bench.block.memory.bind(checker.target);
        checker.initiator.bind(memory.socket);
    }
};

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const gpu_config config = configure({"--preset", "TINY", "--any-binary-version"}, CONFIGS);
    sc_core::sc_clock clock("clock", sc_core::sc_time(1, sc_core::SC_NS));
    at_memory<256>::settings fast, slow, capricious;
    fast.capricious = slow.capricious = false;
    fast.shortest = fast.longest = sc_core::sc_time(100, sc_core::SC_NS);
    slow.shortest = slow.longest = sc_core::sc_time(300, sc_core::SC_NS);
    capricious.queue = 3;
    const std::string chase = traces + "/pchase/kernel-1.traceg.xz";
    const std::string parallel = traces + "/reduction/kernel-1.traceg.xz";
    setting a("fast", config, chase, fast, clock), b("slow", config, chase, slow, clock),
        c("capricious", config, parallel, capricious, clock);
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));

    for (setting* s : {&a, &b, &c}) {
        const std::string name = s->bench.name();
        expect(s->bench.launcher.finished(), name + ": the kernel ends");
        if (!s->bench.launcher.finished())
            std::cout << s->bench.block.describe() << s->checker.rules.describe_in_flight();
        // The front end keeps one for reuse.
        expect(s->memory.idle() && s->bench.outstanding() <= 1,

               name + ": no transaction is left over");
        expect(s->checker.rules.violations().empty() && s->checker.rules.in_flight() == 0 &&
                   s->checker.rules.transactions() > 0,
               name + ": the base protocol was kept at the memory socket");
        std::cout << "  " << name << ": " << s->bench.launcher.cycles() << " cycles, "
                  << s->bench.block.statistics().warp_instructions << " warp instructions, "
                  << s->memory.counted().reads << " reads, " << s->memory.counted().writes
                  << " writes\n";
    }
    expect(a.bench.block.statistics().warp_instructions ==
               b.bench.block.statistics().warp_instructions,
           "both chases execute the same");
    expect(b.bench.launcher.cycles() > a.bench.launcher.cycles() + 200 * 100,
           "200 ns of latency cost the chase 200 cycles per load, a hundred times at least");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
