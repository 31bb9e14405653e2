// SPDX-License-Identifier: Apache-2.0
// A platform that qbox's module factory builds from a configuration: a processor, and the GPU as a
// component that is loaded from a library.
#include "expect.h"

#include <cci/utils/consuming_broker.h>
#include <module_factory_container.h>
#include <simtlm/simtlm_registers.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <string>
#include <utility>

/// Allocates device memory of the GPU and waits for the interrupt.
class host_cpu : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<host_cpu> initiator_socket{"initiator_socket"};
    InitiatorSignalSocket<bool> gpu_reset{"gpu_reset"};
    TargetSignalSocket<bool> irq{"irq"};
    platform_example::expectations expect;
    bool done = false;

    SC_HAS_PROCESS(host_cpu);
    explicit host_cpu(const sc_core::sc_module_name& name) : sc_module(name) {
        irq.register_value_changed_cb([this](const bool& level) {
            raised_ = level;
            if (level) interrupted_.notify(sc_core::SC_ZERO_TIME);
        });
        SC_THREAD(run);
    }

private:
    std::uint32_t access(tlm::tlm_command command, std::uint64_t address, std::uint32_t value = 0) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(4);
        p.set_streaming_width(4);
        sc_core::sc_time delay;
        initiator_socket->b_transport(p, delay);
        wait(delay);
        expect(p.is_response_ok(), "the GPU answers");
        return value;
    }
    std::uint32_t read(std::uint32_t at) { return access(tlm::TLM_READ_COMMAND, at); }
    void write(std::uint32_t at, std::uint32_t v) { access(tlm::TLM_WRITE_COMMAND, at, v); }
    void run() {
        expect(read(SIMTLM_ID) == 0x4d4c5453, "the GPU is found");
        expect(read(SIMTLM_CHANNELS) == 3, "it has the number of channels of the options");
        write(SIMTLM_IRQ_ENABLE, SIMTLM_IRQ_IDLE);
        write(SIMTLM_COMMAND(0), SIMTLM_COMMAND_ALLOCATE);
        write(SIMTLM_SIZE_LO(0), 256);
        write(SIMTLM_DOORBELL(0), 1);
        if (!raised_) wait(interrupted_);
        expect(read(SIMTLM_RESULT_LO(0)) != 0 && read(SIMTLM_ERROR) == 0, "memory is allocated");
        for (const bool level : {true, false}) {
            gpu_reset->write(level);
            wait(1, sc_core::SC_US);
        }
        expect(read(SIMTLM_SUBMITTED) == 0, "the reset socket resets the GPU");
        done = true;
        sc_core::sc_stop();
    }
    sc_core::sc_event interrupted_;
    bool raised_ = false;
};
GSC_MODULE_REGISTER(host_cpu);

int sc_main(int, char**) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    platform_example::expectations expect;
    gs::ConfigurableBroker broker({
        {"platform.cpu_0.moduletype", cci::cci_value("host_cpu")},
        {"platform.gpu_0.moduletype", cci::cci_value("simtlm_gpu")},
        {"platform.gpu_0.dylib_path", cci::cci_value(COMPONENT)},
        {"platform.gpu_0.presets", cci::cci_value(CONFIGS)},
        {"platform.gpu_0.preset", cci::cci_value("TINY")},
        {"platform.gpu_0.options", cci::cci_value("-gpgpu_n_mem 3 --any-binary-version")},
        {"platform.gpu_0.gpu.cluster0.sm0.l1d.sets", cci::cci_value(8)},
        {"platform.gpu_0.target_socket.bind", cci::cci_value("&cpu_0.initiator_socket")},
        {"platform.gpu_0.irq.bind", cci::cci_value("&cpu_0.irq")},
        {"platform.gpu_0.reset.bind", cci::cci_value("&cpu_0.gpu_reset")},
    });
    Container platform("platform");
    const cci::cci_originator observer("observer");
    const auto sets = cci::cci_get_global_broker(observer).get_param_handle(
        "platform.gpu_0.gpu.cluster0.sm0.l1d.sets");
    expect(sets.is_valid() && sets.get_cci_value().get_uint64() == 8, "parameters are taken");
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    const auto* const cpu = dynamic_cast<host_cpu*>(sc_core::sc_find_object("platform.cpu_0"));
    expect(cpu != nullptr && cpu->done, "the processor has finished");
    return expect.failed + (cpu != nullptr ? cpu->expect.failed : 0) == 0 ? 0 : 1;
}
