// SPDX-License-Identifier: Apache-2.0
// External memory controllers in place of the built-in DRAM: an approximately timed one with random
// delays, responses out of order and back-pressure on channel 0, and a loosely timed one that
// implements only b_transport on channel 1. A second GPU with built-in DRAM runs the same work in
// parallel.
#include "at_memory.h"
#include "expect.h"
#include "gpu_driver.h"

#include <simtlm/platform/gpu/gpu_blocks.h>
#include <simtlm/simtlm.h>
#include <tlm_utils/simple_target_socket.h>

#include <iostream>

namespace {

using namespace platform_example;
using simtlm::host::command_code;

/// A typical memory model: b_transport, fixed latency, rejects accesses that are not word-aligned.
class lt_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<lt_memory> socket;
    std::uint64_t reads = 0, writes = 0;
    explicit lt_memory(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
        socket.register_b_transport(this, &lt_memory::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        ++(p.is_write() ? writes : reads);
        delay += sc_core::sc_time(60, sc_core::SC_NS);
        p.set_response_status(p.get_address() % 4 == 0 ? tlm::TLM_OK_RESPONSE
                                                       : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
};

expectations expect;

/// Launches all kernels of a set and waits for their end.
void run_all(host_processor& cpu, const simtlm::trace_set& set) {
    using namespace simtlm;
    for (unsigned k = 0; k < set.kernels.size(); ++k) {
        host_processor::command launch;
        launch.what = command_code::launch;
        launch.kernel = set.first_kernel + k;
        launch.stream = k % 2;  // two kernels at a time
        cpu.submit(0, launch);
    }
    cpu.write(host::irq_enable, host::idle | host::fault);
    cpu.wait_for_interrupt();
}

std::uint64_t counter(host_processor& cpu, simtlm::host::counter c) {
    return cpu.read_wide(simtlm::host::counters + 8 * static_cast<unsigned>(c));
}

int run(const std::string& traces) {
    using simtlm::host::counter;
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const auto configuration = [] {
        return simtlm::configure({"--preset", "TINY", "--any-binary-version"}, CONFIGS);
    };

    // The GPU with external memories.
    simtlm::gpu device("gpu", configuration());
    device.set_memory_data(simtlm::memory_data::masked);
    at_memory<32>::settings how;
    how.queue = 4;
    at_memory<32> controller("controller", how);
    lt_memory simple("simple");
    simtlm::base_protocol_checker<> checker0("checker0"), checker1("checker1");
    device.memory[0].bind(checker0.target);
    checker0.initiator.bind(controller.socket);
    device.memory[1].bind(checker1.target);
    checker1.initiator.bind(simple.socket);

    // The same GPU with the built-in memory.
    simtlm::gpu reference("reference", configuration());

    simtlm::trace_set of_device, of_reference;
    unsigned finished = 0;
    std::uint64_t instructions[2] = {}, cycles[2] = {};
    const auto software = [&](simtlm::trace_set& set, unsigned n) {
        return [&, n](host_processor& cpu) {
            run_all(cpu, set);
            instructions[n] = ::counter(cpu, counter::thread_instructions);
            cycles[n] = ::counter(cpu, counter::core_cycles);
            expect(cpu.read(simtlm::host::error) == 0, "no error is reported");
            expect(::counter(cpu, counter::memory_reads) > 0, "memory was read");
            expect(::counter(cpu, counter::kernels_done) == set.kernels.size(), "all kernels ran");
        };
    };
    const auto at_end = [&] {
        if (++finished < 2) return;
        sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));  // posted writes are still in flight
        sc_core::sc_stop();
    };
    host_processor cpu0("cpu0", software(of_device, 0), at_end),
        cpu1("cpu1", software(of_reference, 1), at_end);
    sc_core::sc_signal<bool> irq0("irq0"), irq1("irq1");
    cpu0.socket.bind(device.host);
    cpu1.socket.bind(reference.host);
    device.irq.bind(irq0);
    reference.irq.bind(irq1);
    cpu0.interrupt.bind(irq0);
    cpu1.interrupt.bind(irq1);
    for (const char* name : {"/vecadd", "/histogram", "/sample"}) {
        const std::string list = traces + name + "/kernelslist.g";
        const auto add = [&](simtlm::gpu& g, simtlm::trace_set& all) {
            const simtlm::trace_set set = g.load_trace_set(list);
            all.kernels.insert(all.kernels.end(), set.kernels.begin(), set.kernels.end());
        };
        add(device, of_device);
        add(reference, of_reference);
    }

    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    expect(finished == 2, "both GPUs finish");
    if (finished != 2) std::cout << device.describe() << checker0.rules.describe_in_flight();
    const auto& c = controller.counted();
    std::cout << "  cycles: " << cycles[0] << " with external memories, " << cycles[1]
              << " with built-in DRAM\n  controller: " << c.reads << " reads, " << c.writes
              << " writes, " << c.overtaken << " out of order, " << c.withheld
              << " requests held back, " << c.completed_early << " answered at once\n"
              << "  simple memory: " << simple.reads << " reads, " << simple.writes << " writes\n";
    expect(instructions[0] == instructions[1] && instructions[0] > 0,
           "the same instructions run whatever the memory");
    expect(cycles[0] != cycles[1], "their time depends on the memory");
    expect(c.overtaken > 0 && c.withheld > 0 && c.completed_early > 0,
           "the controller did its worst");
    expect(simple.reads > 0, "the loosely timed memory was used");
    expect(controller.bytes_changed() == 0, "the contents of the external memory are untouched");
    expect(reference.channels()[0]->counted().activates > 0 &&
               device.channels()[0]->counted().activates == 0,
           "built-in DRAM serves only who has no other");
    for (const auto* k : {&checker0, &checker1})
        expect(k->rules.violations().empty() && k->rules.in_flight() == 0 &&
                   k->rules.transactions() > 0,
               std::string("the base protocol was kept at ") + k->name());
    expect(device.channels()[1]->name() == std::string("gpu.memory_bridge1"),
           "the ways out are children of the GPU");
    expect(controller.idle() && device.channels()[0]->idle() && device.channels()[1]->idle() &&
               device.describe().empty(),
           "no transaction is left over");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
