// SPDX-License-Identifier: Apache-2.0
// Compiles the code shown in docs/cosimulation.md, and runs its last block.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // enables sc_spawn; must precede SystemC headers

#include "expect.h"
#include "gpu_driver.h"

#include <simtlm/simtlm.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace {

using namespace platform_example;

bool sets_parameters() {
#include "block_2.inc"
    return sets == "8" && config.cores.sm.l1.data.sets == 8;
}

void choose_treatment(simtlm::gpu& gpu){
#include "block_4.inc"
}

std::optional<std::uint64_t> there_and_back(const simtlm::gpu& gpu, unsigned channel,
                                            std::uint64_t device_address) {
#include "block_5.inc"
    return device;
}

/// The part of the platform that the page omits: a host that launches all kernels and stops the
/// simulation. It finds the GPU when elaboration ends.
class host : public sc_core::sc_module {
public:
    explicit host(const sc_core::sc_module_name& name) : sc_module(name), cpu_("cpu", software) {}

private:
    static void software(host_processor& p) {
        const std::uint32_t kernels = p.read(simtlm::host::kernels_loaded);
        host_processor::command c;
        c.what = simtlm::host::command_code::launch;
        for (c.kernel = 0; c.kernel < kernels; ++c.kernel) p.submit(0, c);
        c.what = simtlm::host::command_code::synchronise;
        p.submit(0, c);
        p.write(simtlm::host::irq_clear, ~0u);
        p.write(simtlm::host::irq_enable, simtlm::host::idle | simtlm::host::fault);
        while ((p.read(simtlm::host::status) & simtlm::host::busy) != 0) {
            p.wait_for_interrupt();
            p.write(simtlm::host::irq_clear, simtlm::host::idle);
        }
    }
    void before_end_of_elaboration() override {
        auto& gpu = dynamic_cast<simtlm::gpu&>(*sc_core::sc_find_object("gpu"));
        cpu_.socket.bind(gpu.host);
        gpu.irq.bind(irq_);
        cpu_.interrupt.bind(irq_);
        choose_treatment(gpu);
        device_ = there_and_back(gpu, gpu.mapping().decode(address_).channel, address_);
    }

    static constexpr std::uint64_t address_ = 0x7f0012345680;
    host_processor cpu_;
    sc_core::sc_signal<bool> irq_{"irq"};
    std::optional<std::uint64_t> device_;

public:
    bool address_came_back() const { return device_ == address_; }
    bool finished() const { return cpu_.finished(); }
};

std::string shown() {
#include "block_6.inc"
    return report.text;
}

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::filesystem::remove("traces");
    std::filesystem::create_directory_symlink(traces, "traces");
    expectations expect;
    host rest("platform");
    const std::string text = shown();
    expect(rest.finished(), "the platform around the page's code ran to its end");
    expect(sets_parameters(), "parameters are changed and read by name");
    expect(text.find("gpu_tot_ipc") != std::string::npos, "the report is that of the executable");
    expect(rest.address_came_back(), "a local address leads back to the device address");
    for (const char* file :
         {"gpu.vcd", "gpu.vcd.gtkw", "gpu.json", "statistics.json", "samples.csv"})
        expect(std::filesystem::file_size(file) > 1000, std::string(file) + " was written");
    std::ifstream in("statistics.json");
    const std::string statistics{std::istreambuf_iterator<char>(in), {}};
    for (const char* kernel : {"vecadd", "sgemm_tile", "reduction", "saxpy_loop"})
        expect(statistics.find("\"name\": \"" + std::string(kernel)) != std::string::npos,
               std::string(kernel) + " is in the statistics file");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(std::filesystem::absolute(argc > 1 ? argv[1] : "traces").string());
}
