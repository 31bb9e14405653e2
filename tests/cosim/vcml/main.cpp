// SPDX-License-Identifier: Apache-2.0
// A GPU as a component of VCML: properties of the broker, bus, interrupt, reset, and suspension of
// the simulation when the GPU stops.
#include "expect.h"

#include <simtlm/simtlm_registers.h>
#include <simtlm/vcml.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace {

/// The software of the platform.
class host_cpu : public vcml::component {
public:
    vcml::tlm_initiator_socket out{"out"};
    vcml::gpio_target_socket irq{"irq"};
    vcml::gpio_initiator_socket gpu_reset{"gpu_reset"};
    platform_example::expectations expect;
    bool done = false;

    SC_HAS_PROCESS(host_cpu);
    explicit host_cpu(const sc_core::sc_module_name& name) : component(name) { SC_THREAD(run); }

private:
    vcml::u32 read(vcml::u64 at) {
        vcml::u32 value = 0;
        expect(out.readw(at, value) == tlm::TLM_OK_RESPONSE, "the GPU answers");
        return value;
    }
    void write(vcml::u64 at, vcml::u32 value) {
        expect(out.writew(at, value) == tlm::TLM_OK_RESPONSE, "the GPU accepts");
    }
    void pass(double us) {
        sync();
        wait(sc_core::sc_time(us, sc_core::SC_US));
    }
    void run() {
        expect(read(SIMTLM_ID) == 0x4d4c5453, "the GPU is found");
        expect(read(SIMTLM_CHANNELS) == 3, "it has the number of channels of the property");
        write(SIMTLM_IRQ_ENABLE, SIMTLM_IRQ_IDLE);
        write(SIMTLM_COMMAND(0), SIMTLM_COMMAND_ALLOCATE);
        write(SIMTLM_SIZE_LO(0), 256);
        write(SIMTLM_DOORBELL(0), 1);
        sync();
        if (!irq) wait(irq.posedge_event());
        expect(read(SIMTLM_RESULT_LO(0)) != 0 && read(SIMTLM_ERROR) == 0, "memory is allocated");
        pass(100);
        expect((read(SIMTLM_STATUS) & SIMTLM_STATUS_STOPPED) != 0, "the limit stops the GPU");
        gpu_reset = true;
        gpu_reset = false;
        pass(1);
        expect(read(SIMTLM_STATUS) == 0, "rst brings it back");
        expect(read(SIMTLM_SUBMITTED) == 0, "and resets the registers");
        done = true;
        sc_core::sc_stop();
    }
};

}  // namespace

int sc_main(int, char**) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    platform_example::expectations expect;
    vcml::broker broker("platform");
    broker.define("gpu.preset", "TINY");
    broker.define("gpu.presets", CONFIGS);
    broker.define("gpu.options", "-gpgpu_n_mem 3 -gpgpu_max_cycle 50000 --any-binary-version");
    broker.define("gpu.suspend_on_error", "true");
    broker.define("gpu.gpu.cluster0.sm0.l1d.sets", "8");
    simtlm::vcml_gpu gpu("gpu");
    host_cpu cpu("cpu");
    cpu.out.bind(gpu.in);
    gpu.irq.bind(cpu.irq);
    cpu.gpu_reset.bind(gpu.rst);
    gpu.out.stub();
    gpu.clk.stub(1000000000);
    cpu.clk.stub(1000000000);
    cpu.rst.stub();
    expect(gpu.gpu.config().cores.sm.l1.data.sets == 8, "properties are parameters");
    std::atomic<bool> suspended{false}, ended{false};
    // A debugger: resumes the simulation.
    std::thread debugger([&] {
        while (!ended) {
            if (vcml::debugging::suspender::simulation_suspended()) {
                suspended = true;
                if (auto* const by = vcml::debugging::suspender::current()) by->resume();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    ended = true;
    debugger.join();
    expect(suspended, "the GPU suspends the simulation when it stops");
    expect(cpu.done, "the software has finished");
    return expect.failed + cpu.expect.failed == 0 ? 0 : 1;
}
