// SPDX-License-Identifier: Apache-2.0
// A processor whose code runs outside of SystemC, as in QEMU and VCML, launches kernels: firmware
// in C that uses only the register map, behind a socket with b_transport and a quantum.

#include "bus.h"
#include "expect.h"
#include "virtual_processor.h"

#include <simtlm/modules/dispatch/command_processor.h>
#include <simtlm/simtlm.h>

#include <iostream>

namespace {

using namespace platform_example;

constexpr std::uint64_t gpu_base = 0x40000000;

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const sc_core::sc_time quantum(1, sc_core::SC_US), instruction(1, sc_core::SC_NS);
    tlm::tlm_global_quantum::instance().set(quantum);

    expectations expect;
    simtlm::gpu device("gpu", simtlm::configure({"--preset", "TINY"}, CONFIGS));
    simtlm::base_protocol_checker<> checker("checker");
    bus interconnect("bus", sc_core::sc_time(5, sc_core::SC_NS));
    outcome result{};
    virtual_processor cpu("cpu", instruction,
                          [&result](const machine& m) { result = run_firmware(&m, gpu_base); });
    sc_core::sc_signal<bool> irq("irq");
    cpu.socket.bind(interconnect.initiators);
    interconnect.map(checker.target, gpu_base, simtlm::host::map_bytes);
    checker.initiator.bind(device.host);
    device.irq.bind(irq);
    cpu.interrupt.bind(irq);

    const simtlm::trace_set set = device.load_trace_set(traces + "/sample/kernelslist.g");
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));

    expect(cpu.finished(), "the firmware ran to its end");
    expect(result.gpu_id == simtlm::host::id_value, "it found the GPU");
    expect(result.kernels == set.kernels.size(), "it saw all kernels that are loaded");
    expect(device.commands().kernels_done() == set.kernels.size(), "all kernels ran");
    expect(result.interrupts > 0, "it slept until an interrupt came");
    expect(result.error == 0, "nothing went wrong");
    expect(result.memory_busy == 0, "nothing was left under way");
    expect(result.thread_instructions > 0, "the counters were read");
    expect(cpu.accesses_ahead() > 0, "the processor runs ahead of the simulation");
    expect(cpu.longest_lead() <= quantum + instruction, "by no more than the quantum");
    expect(checker.rules.violations().empty() && checker.rules.in_flight() == 0,
           "the base protocol was kept at the host socket");
    std::cout << "  " << result.core_cycles << " core cycles, " << result.thread_instructions
              << " thread instructions, " << result.interrupts << " interrupts, "
              << cpu.accesses_ahead() << " accesses ahead of time, " << cpu.quanta()
              << " quanta used up\n";
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
