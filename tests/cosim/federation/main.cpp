// SPDX-License-Identifier: Apache-2.0
// A federation of this program, which has no SystemC, and a GPU as a node that it loads.
#include "expect.h"

#include <dlfcn.h>
#include <fss_interfaces.h>
#include <simtlm/simtlm_registers.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

int windows = 0, interrupts = 0;

fssString options_of(fssConfigIfHandle, fssString) {
    return "--preset TINY -gpgpu_n_mem 3";
}

/// Accesses registers of the node through its bus.
std::uint32_t access(fssBusIfHandle bus, std::uint64_t address, bool write,
                     std::uint32_t value = 0) {
    std::uint64_t size = sizeof value;
    bus->setItem(bus, bus->getIndex(bus, "address"), &address);
    bus->setItem(bus, bus->getIndex(bus, "size"), &size);
    bus->setItem(bus, bus->getIndex(bus, "is_write"), &write);
    if (write) bus->setItem(bus, bus->getIndex(bus, "data"), &value);
    bus->transmit(bus);
    return *static_cast<std::uint32_t*>(bus->getItem(bus, bus->getIndex(bus, "data")));
}

}  // namespace

int main() {
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    platform_example::expectations expect;
    void* const library = dlopen(NODE, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        expect(false, dlerror());
        return 1;
    }
    const auto create = reinterpret_cast<decltype(fssCreateNode)*>(dlsym(library, "fssCreateNode"));
    const auto destroy =
        reinterpret_cast<decltype(fssDestroyNode)*>(dlsym(library, "fssDestroyNode"));
    fssConfigIf config{1, options_of};
    const fssBindIFHandle node = create("gpu", &config);
    expect(node != nullptr, "the node is created");
    if (node == nullptr) return 1;
    fssEventsIf events{1, [](fssEventsIfHandle, fssUint64) { ++interrupts; }};
    fssTimeSyncIf time{1, [](fssTimeSyncIfHandle, TimeWindow) { ++windows; }};
    node->bindEventsIf(node, "events", &events);
    node->bindTimeSyncIf(node, "time", &time);
    const fssBusIfHandle bus = node->getBusIfHandle(node, "bus");
    const fssTimeSyncIfHandle gpu_time = node->getTimeSyncIfHandle(node, "time");
    const fssControlIfHanlde control = node->getControlIfHandle(node, "control");

    expect(access(bus, SIMTLM_ID, false) == 0x4d4c5453, "the GPU is found");
    expect(access(bus, SIMTLM_CHANNELS, false) == 3, "it has the options of the federation");
    access(bus, SIMTLM_IRQ_ENABLE, true, SIMTLM_IRQ_IDLE);
    access(bus, SIMTLM_COMMAND(0), true, SIMTLM_COMMAND_ALLOCATE);
    access(bus, SIMTLM_SIZE_LO(0), true, 256);
    access(bus, SIMTLM_DOORBELL(0), true, 1);
    constexpr double window = 1e-6;
    int w = 0;
    for (; w < 100 && interrupts == 0; ++w)
        gpu_time->updateTimeWindow(gpu_time, {w * window, (w + 1) * window});
    expect(interrupts == 1, "the interrupt is an event");
    expect(windows == w, "every time window is acknowledged");
    expect(access(bus, SIMTLM_RESULT_LO(0), false) != 0, "memory is allocated");
    expect(std::string(control->doCommand(control, "statistic gpu_tot_sim_cycle")) != "",
           "statistics are read through the control interface");
    const std::string wrong = control->doCommand(control, "statistic gpu_tot_sim_cylce");
    expect(wrong.find("did you mean") != std::string::npos, "a wrong name is an error");
    expect(destroy(node) == fssStatusOk, "the node ends");
    return expect.failed == 0 ? 0 : 1;
}
