// SPDX-License-Identifier: Apache-2.0
// A GPU that is configured by the broker of SystemC CCI, as any other IP of a platform.
#include "expect.h"

#include <cci/utils/consuming_broker.h>
#include <simtlm/cci.h>

#include <string>

namespace {

/// A platform's tool would read the presets from a file.
void set_presets(cci::cci_broker_handle broker) {
    broker.set_preset_cci_value("gpu.cluster0.sm0.l1d.sets", cci::cci_value(8));
    broker.set_preset_cci_value("gpu.partition1.bank0.l2.ways", cci::cci_value("16"));
    broker.set_preset_cci_value("gpu.command_processor.kernel_launch_latency", cci::cci_value(7));
}

int run() {
    platform_example::expectations expect;
    cci_utils::consuming_broker broker("broker");
    cci::cci_register_broker(broker);
    const cci::cci_originator platform("platform");
    cci::cci_broker_handle handle = cci::cci_get_global_broker(platform);
    set_presets(handle);

    simtlm::configuration values({"--preset", "QV100"}, CONFIGS);
    const simtlm::cci_parameters parameters("gpu", values);
    simtlm::gpu gpu("gpu", values.make());
    expect(gpu.config().cores.sm.l1.data.sets == 8, "the L1D has the sets of the broker");
    expect(gpu.config().memory.partition.l2.ways == 16, "so has the L2, named by another bank");

    cci::cci_param_handle sets = handle.get_param_handle("gpu.cluster0.sm0.l1d.sets");
    expect(sets.is_valid() && sets.get_cci_value().get_uint64() == 8, "the value is read back");
    expect(!sets.get_description().empty(), "parameters have a description");
    const cci::cci_value_map metadata = sets.get_metadata();
    expect(metadata.at("preset").get_list().at(0).get_string() == "4", "and the preset's value");
    const cci::cci_param_handle latency =
        handle.get_param_handle("gpu.command_processor.kernel_launch_latency");
    expect(latency.get_metadata().at("unit").get_list().at(0).get_string() == "core cycles",
           "and a unit");

    handle.set_preset_cci_value("other.cluster0.sm0.l1d.stes", cci::cci_value(8));
    try {
        simtlm::configuration more({"--preset", "QV100"}, CONFIGS);
        const simtlm::cci_parameters wrong("other", more);
        expect(false, "a name that does not exist is an error");
    } catch (const simtlm::user_error& e) {
        expect(std::string(e.what()).find("l1d.sets?") != std::string::npos,
               "the error names the nearest parameter");
    }
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int, char**) {
    return run();
}
