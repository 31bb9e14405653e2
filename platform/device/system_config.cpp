// SPDX-License-Identifier: Apache-2.0
#include "platform/device/system_config.h"

#include "platform/config/gpc_reader.h"

#include <cstdlib>
#include <cstring>

namespace simtlm::device {

namespace {

link_timing link_of(const platform::option_values& v, const std::string& name) {
    link_timing t;
    t.bandwidth = v.real("--" + name + "-bandwidth") * 1e9;
    t.latency = v.real("--" + name + "-latency") * 1e-6;
    if (t.bandwidth < 0) v.fail("--" + name + "-bandwidth", "is negative");
    if (t.latency < 0) v.fail("--" + name + "-latency", "is negative");
    return t;
}

/// Peak bandwidth of all channels together in bytes per second.
double dram_bandwidth_of(const platform::gpu_config& g) {
    const memory::dram_config& d = g.memory.partition.dram;
    return g.clocks.dram * d.data_command_freq_ratio * d.bus_width_bytes * d.chips_per_channel *
           g.memory.channels;
}

code_preference preference_of(const platform::option_values& v) {
    const std::string& word = v.text("--code");
    if (word == "ptx") return code_preference::ptx;
    if (word == "sass") return code_preference::sass;
    if (word != "auto") v.fail("--code", "not a form of code", "ptx, sass or auto");
    return code_preference::automatic;
}

}  // namespace

bool system_config::is_functional(const platform::option_values& v) {
    const char* const wanted = std::getenv("PTX_SIM_MODE_FUNC");
    return v.number("-gpgpu_ptx_sim_mode", 0, 1) == 1 ||
           (wanted != nullptr && std::strcmp(wanted, "1") == 0);
}

system_config system_config::from(const platform::option_values& v) {
    system_config c;
    c.gpu = platform::make_gpu_config(v);
    if (!v.presets().empty()) c.name = v.presets().front();
    c.gpus = v.number("--gpus", 1, 64);
    c.gpc_sms = platform::read_gpcs(v, c.gpu.sms());
    c.functional = is_functional(v);
    c.functional_threads = v.number("--functional-threads", 1, 1024);
    c.memory_bytes = v.natural("--device-memory");
    if (c.memory_bytes < (1 << 20) || c.memory_bytes > (std::uint64_t{1} << 40))
        v.fail("--device-memory", "is out of range", "1 MiB to 1 TiB");
    c.stack_limit = v.number("-gpgpu_stack_size_limit");
    c.heap_limit = v.number("-gpgpu_heap_size_limit");
    c.grace_ms = v.number("--host-grace");
    c.links.pcie = link_of(v, "pcie");
    c.links.nvlink = link_of(v, "nvlink");
    // Copies inside a GPU are timed only if host copies are.
    if (c.links.pcie.bandwidth != 0) c.links.dram.bandwidth = dram_bandwidth_of(c.gpu);
    c.code = preference_of(v);
    // GPGPU-Sim executes PTX as it is.
    const bool is_reference = v.text("--compat") == "accel-sim" && !v.given("--ptxas");
    c.ptxas = is_reference ? "off" : v.text("--ptxas");
    c.max_ptx_capability = v.number("-gpgpu_ptx_force_max_capability", 0, 999);
    return c;
}

}  // namespace simtlm::device
