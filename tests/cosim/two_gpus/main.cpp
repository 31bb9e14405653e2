// SPDX-License-Identifier: Apache-2.0
// Two GPUs of different configurations on one bus, driven by two processors that both use both
// GPUs, through separate windows. One GPU uses clocks of the platform.
#include "bus.h"
#include "expect.h"
#include "gpu_driver.h"

#include <simtlm/modules/dispatch/command_processor.h>
#include <simtlm/simtlm.h>

#include <iostream>
#include <memory>

namespace {

using namespace platform_example;
using simtlm::host::command_code;

constexpr std::uint64_t base[2] = {0x40000000, 0x50000000};

expectations expect;
unsigned kernels[2];
unsigned finished = 0;

/// Launches every second kernel of each GPU through its window and polls until they are done.
auto software(unsigned self) {
    return [self](host_processor& cpu) {
        using namespace simtlm;
        unsigned launched[2] = {};
        for (unsigned g = 0; g < 2; ++g)
            for (unsigned k = self; k < kernels[g]; k += 2, ++launched[g]) {
                host_processor::command launch;
                launch.what = command_code::launch;
                launch.kernel = k;
                launch.stream = self;
                launch.tag = 100 * self + k;
                cpu.submit(base[g], launch, self);
            }
        for (unsigned g = 0; g < 2; ++g) {
            const std::uint64_t w = base[g] + host::first_window + self * host::window_bytes;
            while (cpu.read(w + host::window_completed) < launched[g])
                cpu.spend(sc_core::sc_time(200, sc_core::SC_NS));
            expect(cpu.read(w + host::last_tag) / 100 == self,
                   "processor " + std::to_string(self) + " finds its own tag in its window");
        }
    };
}

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(500, sc_core::SC_NS));

    simtlm::gpu first("first",
                      simtlm::configure({"--preset", "TINY", "--any-binary-version"}, CONFIGS));
    simtlm::gpu second("second", simtlm::configure({"--preset", "TINY", "--any-binary-version",
                                                    "-gpgpu_n_clusters", "4"},
                                                   CONFIGS));
    // Clocks of the platform for the second GPU, with two domains on one clock; internal clocks for
    // the others.
    sc_core::sc_clock system("system", sc_core::sc_time(2, sc_core::SC_NS));
    second.clock[simtlm::protocol::core_clock].bind(system);
    second.clock[simtlm::protocol::icnt_clock].bind(system);

    simtlm::base_protocol_checker<> checker0("checker0"), checker1("checker1");
    bus interconnect("bus", sc_core::sc_time(5, sc_core::SC_NS));
    const auto at_end = [] {
        if (++finished == 2) sc_core::sc_stop();
    };
    host_processor cpu0("cpu0", software(0), at_end), cpu1("cpu1", software(1), at_end);
    sc_core::sc_signal<bool> unused0("unused0"), unused1("unused1");
    cpu0.interrupt.bind(unused0);
    cpu1.interrupt.bind(unused1);
    cpu0.socket.bind(interconnect.initiators);
    cpu1.socket.bind(interconnect.initiators);
    interconnect.map(checker0.target, base[0], simtlm::host::map_bytes);
    interconnect.map(checker1.target, base[1], simtlm::host::map_bytes);
    checker0.initiator.bind(first.host);
    checker1.initiator.bind(second.host);

    kernels[0] = static_cast<unsigned>(
        first.load_trace_set(traces + "/streams/kernelslist.g").kernels.size());
    kernels[1] = static_cast<unsigned>(
        second.load_trace_set(traces + "/streams/kernelslist.g").kernels.size());
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));

    expect(finished == 2, "both processors finish");
    expect(first.commands().kernels_done() == kernels[0] &&
               second.commands().kernels_done() == kernels[1],
           "both GPUs have run everything");
    using simtlm::host::counter;
    const std::uint64_t ticks =
        static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(2, sc_core::SC_NS));
    expect(second.core_cycles() >= ticks && second.core_cycles() <= ticks + 1,
           "the second GPU runs at the clock of the platform");
    expect(first.core_cycles() > second.core_cycles(), "the first at its own");
    std::cout << "  core cycles: " << first.core_cycles() << " and " << second.core_cycles()
              << '\n';
    for (const auto* k : {&checker0, &checker1})
        expect(k->rules.violations().empty() && k->rules.in_flight() == 0,
               std::string("the base protocol was kept at ") + k->name());
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
