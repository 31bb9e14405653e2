// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_blocks.h"
#include "platform/simtlm.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vcml.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm {

/// A GPU as a component of VCML (github.com/machineware-gmbh/vcml). The parameters of the GPU are
/// properties below `gpu`, with the number 0 where modules have numbers:
/// system.gpu0.gpu.cluster0.sm0.l1d.sets. The socket `rst` resets the GPU; `clk` is not used, since
/// the GPU makes its clocks: stub it. A suspended simulation suspends the GPU, which has no time of
/// its own; with `suspend_on_error` the GPU suspends the simulation when it stops, for a debugger.
class vcml_gpu : public vcml::component {
public:
    vcml::property<std::string> preset;   ///< "QV100"
    vcml::property<std::string> options;  ///< further options, separated by spaces
    vcml::property<std::string> presets;  ///< folder of the presets; empty: that of the package
    vcml::property<bool> suspend_on_error;
    vcml::tlm_target_socket in;      ///< registers, and the aperture of device memory
    vcml::tlm_initiator_socket out;  ///< the host's memory, for copy commands
    vcml::gpio_initiator_socket irq;

    /// @throws user_error  for options and properties that do not describe a GPU
    explicit vcml_gpu(const sc_core::sc_module_name& name)
        : component(name),
          preset("preset", "QV100"),
          options("options", ""),
          presets("presets", ""),
          suspend_on_error("suspend_on_error", false),
          in("in"),
          out("out"),
          irq("irq"),
          values_(arguments(), presets.get()),
          gpu("gpu", configured()) {
        to_host_.bind(gpu.host);
        to_host_.register_invalidate_direct_mem_ptr(this, &vcml_gpu::invalidate);
        gpu.host_memory.bind(from_gpu_);
        from_gpu_.register_b_transport(this, &vcml_gpu::copy);
        gpu.irq.bind(irq_line_);
        gpu.reset.bind(reset_line_);
        method("drive_irq", [this] { irq = irq_line_.read(); }, {&irq_line_.value_changed_event()});
        method("drive_reset", [this] { drive_reset(); }, {&reset_due_});
        method("check", [this] { check(); },
               {&gpu.sequencer().failed(), &gpu.commands().progress()});
    }
    VCML_KIND(simtlm::vcml_gpu);

    void reset() override {
        component::reset();
        if (sc_core::sc_is_running()) reset_due_.notify(sc_core::SC_ZERO_TIME);
    }
    void b_transport(vcml::tlm_target_socket&, tlm::tlm_generic_payload& p,
                     sc_core::sc_time& delay) override {
        to_host_->b_transport(p, delay);
    }
    unsigned transport_dbg(vcml::tlm_target_socket&, tlm::tlm_generic_payload& p) override {
        return to_host_->transport_dbg(p);
    }
    bool get_direct_mem_ptr(vcml::tlm_target_socket&, tlm::tlm_generic_payload& p,
                            tlm::tlm_dmi& dmi) override {
        return to_host_->get_direct_mem_ptr(p, dmi);
    }

private:
    void method(const char* name, std::function<void()> action,
                const std::vector<const sc_core::sc_event*>& events) {
        sc_core::sc_spawn_options how;
        how.spawn_method();
        how.dont_initialize();
        for (const sc_core::sc_event* e : events) how.set_sensitivity(e);
        sc_core::sc_spawn(std::move(action), name, &how);
    }
    std::vector<std::string> arguments() const {
        std::vector<std::string> all{"--preset", preset.get()};
        for (std::string& option : simtlm::split_options(options.get()))
            all.push_back(std::move(option));
        return all;
    }
    /// The configuration with the values of the properties.
    gpu_config configured() {
        platform::parameter_values& all = values_.parameters();
        for (const platform::parameter& p : all.all()) {
            const std::string name = platform::numbered_name("gpu", p.name);
            parameters_.push_back(
                std::make_unique<vcml::property<std::string>>(this, name.c_str(), all.value(p)));
            if (parameters_.back()->is_inited()) all.set(name, parameters_.back()->get());
        }
        return values_.make();
    }
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
        in->invalidate_direct_mem_ptr(first, last);
    }
    void copy(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) { out.b_transport(p, delay); }
    void drive_reset() {
        reset_line_.write(!reset_line_.read());
        if (!reset_line_.read()) reset_due_.notify(gpu.host_latency());
    }
    void check() {
        if (suspend_on_error && (gpu.commands().stopped() || gpu.sequencer().has_failed()))
            suspender_.suspend();
    }

    configuration values_;
    std::vector<std::unique_ptr<vcml::property<std::string>>> parameters_;
    tlm_utils::simple_initiator_socket<vcml_gpu, 32> to_host_{"to_host"};
    tlm_utils::simple_target_socket<vcml_gpu, 32> from_gpu_{"from_gpu"};
    sc_core::sc_signal<bool> irq_line_{"irq_line"}, reset_line_{"reset_line"};
    sc_core::sc_event reset_due_{"reset_due"};
    vcml::debugging::suspender suspender_{std::string(name())};

public:
    simtlm::gpu gpu;  ///< for C++ code of the platform: trace sets, statistics
};

}  // namespace simtlm
