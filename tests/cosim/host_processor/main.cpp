// SPDX-License-Identifier: Apache-2.0
// A processor that runs ahead of time by a quantum drives the GPU through a generic bus: it replays
// a list of copies and kernels, polls, then sleeps until the interrupt arrives.
#include "bus.h"
#include "expect.h"
#include "gpu_driver.h"
#include "ram.h"

#include <simtlm/modules/dispatch/command_processor.h>
#include <simtlm/simtlm.h>

#include <iostream>

namespace {

using namespace platform_example;
using simtlm::host::command_code;

constexpr std::uint64_t ram_base = 0x0, ram_bytes = 0x10000;
constexpr std::uint64_t gpu_base = 0x40000000;

expectations expect;
simtlm::trace_set loaded;

void software(host_processor& cpu) {
    using namespace simtlm;
    expect(cpu.read(gpu_base + host::id) == host::id_value, "the GPU is found by its ID");
    expect(cpu.read(gpu_base + host::kernels_loaded) == loaded.kernels.size(),
           "it tells how many kernels are loaded");
    cpu.write(ram_base + 0x100, 42);
    expect(cpu.read(ram_base + 0x100) == 42, "the other target of the bus works as before");

    // Submit all commands while running ahead of the simulation.
    std::uint32_t kernel = loaded.first_kernel;
    std::uint32_t submitted = 0;
    bool ran_ahead = false;
    const sc_core::sc_time first_doorbell = cpu.now();
    for (const trace::command& c : loaded.commands) {
        host_processor::command order;
        order.stream = 0;
        order.tag = ++submitted;
        if (c.what == trace::command::kind::kernel) {
            order.what = command_code::launch;
            order.kernel = kernel++;
        } else {
            order.what = c.what == trace::command::kind::copy_host_to_device
                             ? command_code::copy_to_device
                             : command_code::copy_from_device;
            order.address = c.address;
            order.bytes = c.bytes;
        }
        cpu.submit(gpu_base, order);
        ran_ahead |= cpu.ahead() > sc_core::SC_ZERO_TIME;
        cpu.spend(sc_core::sc_time(50, sc_core::SC_NS));
    }
    expect(ran_ahead, "the processor submits without giving up its quantum");

    // Poll until the first kernel is done, which takes longer than the copies before it.
    unsigned polls = 0;
    while (cpu.read_wide(gpu_base + host::counters +
                         8 * static_cast<unsigned>(host::counter::kernels_done)) == 0) {
        cpu.spend(sc_core::sc_time(100, sc_core::SC_NS));
        ++polls;
    }
    expect(polls > 1, "polling sees the first kernel end");
    expect((cpu.read(gpu_base + host::status) & host::busy) != 0, "later kernels are to come");

    // Sleep until everything is done.
    cpu.write(gpu_base + host::irq_enable, host::idle);
    cpu.wait_for_interrupt();
    const std::uint32_t pending = cpu.read(gpu_base + host::irq_status);
    expect((pending & host::idle) != 0, "the interrupt comes when the queue is empty");
    cpu.write(gpu_base + host::irq_clear, pending);
    cpu.synchronise();
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_NS));
    expect(!cpu.interrupt.read(), "clearing it takes the line down");
    expect(cpu.read(gpu_base + host::completed) == submitted, "every command is done");
    expect(cpu.read(gpu_base + host::first_window + host::last_tag) == submitted,
           "the last tag is that of the last command");
    expect(cpu.read(gpu_base + host::error) == 0, "nothing went wrong");
    const std::uint64_t cycles = cpu.read_wide(gpu_base + host::counters);
    const std::uint64_t instructions = cpu.read_wide(
        gpu_base + host::counters + 8 * static_cast<unsigned>(host::counter::warp_instructions));
    std::cout << "  " << cycles << " core cycles, " << instructions << " warp instructions\n";
    expect(instructions > 0, "counters count");
    expect(cpu.peek(gpu_base + host::id) == host::id_value, "a debugger sees the registers");
    expect(cpu.now() > first_doorbell, "time has passed");
}

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));

    simtlm::gpu device("gpu", simtlm::configure({"--preset", "TINY"}, CONFIGS));
    simtlm::base_protocol_checker<> checker("checker");
    ram memory("ram", ram_bytes);
    bus interconnect("bus", sc_core::sc_time(5, sc_core::SC_NS));
    host_processor cpu("cpu", software);
    sc_core::sc_signal<bool> irq("irq");

    cpu.socket.bind(interconnect.initiators);
    interconnect.map(memory.socket, ram_base, ram_bytes);
    interconnect.map(checker.target, gpu_base, simtlm::host::map_bytes);
    checker.initiator.bind(device.host);
    device.irq.bind(irq);
    cpu.interrupt.bind(irq);

    loaded = device.load_trace_set(traces + "/sample/kernelslist.g");
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    expect(cpu.finished(), "the software ran to its end");
    expect(device.commands().kernels_done() == loaded.kernels.size(), "all kernels ran");
    for (const auto& k : device.commands().take_finished())
        expect(
            k.start_cycle >= k.launched_at && k.end_cycle > k.start_cycle,
            k.descriptor.name + " took " + std::to_string(k.end_cycle - k.start_cycle) + " cycles");
    expect(checker.rules.violations().empty() && checker.rules.in_flight() == 0,
           "the base protocol was kept at the host socket");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
