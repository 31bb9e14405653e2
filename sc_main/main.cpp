// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/error.h"
#include "platform/gpu.h"
#include "platform/options.h"
#include "platform/presets.h"
#include "platform/report.h"

#include <fmt/format.h>

#include <iostream>
#include <systemc>

namespace {

using namespace simtlm;

/// Hands control back to sc_main when the GPU has news.
class run_control : public sc_core::sc_module {
public:
    run_control(const sc_core::sc_module_name& name, platform::gpu& device) : sc_module(name) {
        using SC_CURRENT_USER_MODULE = run_control;
        SC_METHOD(pause);
        sensitive << device.commands().progress() << device.sequencer().failed();
        dont_initialize();
    }

private:
    void pause() { sc_core::sc_pause(); }
};

int run(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    platform::preset_folders folders(argv[0]);
    platform::option_values values(folders.finder());
    values.parse_command_line(argc, argv);
    platform::gpu_config config = platform::make_gpu_config(values);
    const std::string list = config.run.trace;
    platform::gpu device("gpu", std::move(config));
    auto& commands = device.commands();
    for (const trace::command& c : trace::read_command_list(list)) {
        dispatch::host_command h;
        h.address = c.address;
        h.bytes = c.bytes;
        h.file = c.file;
        h.where = c.where;
        switch (c.what) {
            case trace::command::kind::copy_host_to_device:
                h.what = dispatch::host_command::kind::copy_in;
                break;
            case trace::command::kind::copy_device_to_host:
                h.what = dispatch::host_command::kind::copy_out;
                break;
            case trace::command::kind::synchronize:
                h.what = dispatch::host_command::kind::synchronize;
                break;
            case trace::command::kind::kernel:
                h.what = dispatch::host_command::kind::launch;
                break;
        }
        commands.submit(h);
    }
    commands.proceed();
    platform::report_baseline baseline;
    run_control control("run_control", device);
    while (true) {
        sc_core::sc_start();
        device.sequencer().rethrow_failure();
        for (const auto& k : commands.take_finished()) {
            platform::write_report(std::cout, platform::collect_figures(device, baseline), &k);
        }
        if (commands.stopped() || commands.idle()) break;
    }
    if (commands.deadlocked()) {
        std::cerr << device.describe();
        return 3;
    }
    return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const simtlm::kernel::user_error& e) {
        std::cerr << "simtlm: " << e.what() << '\n';
        return 2;
    }
}
