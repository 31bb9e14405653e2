// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/cci.h"
#include "platform/scp.h"

#include <module_factory_registery.h>
#include <ports/initiator-signal-socket.h>
#include <ports/target-signal-socket.h>

#include <cci_configuration>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

/// A GPU as a component of qbox (github.com/quic/qbox), for its module factory: a library with
///
///     #include <simtlm/qbox.h>
///     extern "C" void module_register() { GSC_MODULE_REGISTER_C(simtlm_gpu); }
///
/// is loaded for `moduletype = "simtlm_gpu"`. Sockets are named as those of qbox's components:
///
// clang-format off
///     gpu_0 = {
///       moduletype = "simtlm_gpu", preset = "QV100", options = "-gpgpu_n_mem 8",
///       target_socket = { address = 0x40000000, size = 0x400, bind = "&router.initiator_socket" },
///       initiator_socket = { bind = "&router.target_socket" },  -- copies of the host's memory
///       irq = { bind = "&gic_0.spi_in_7" },
///       gpu = { cluster0 = { sm0 = { l1d = { sets = 8 } } } }   -- parameters by name
///     }
// clang-format on
///
/// `initiator_socket` and `memory_N` exist only if the configuration binds them: an unbound channel
/// has the built-in DRAM.
class simtlm_gpu : public sc_core::sc_module {
public:
    tlm::tlm_target_socket<32> target_socket{"target_socket"};
    std::unique_ptr<tlm::tlm_initiator_socket<32>> initiator_socket;
    std::vector<std::unique_ptr<tlm::tlm_initiator_socket<32>>> memory_sockets;
    InitiatorSignalSocket<bool> irq{"irq"};
    TargetSignalSocket<bool> reset{"reset"};

    SC_HAS_PROCESS(simtlm_gpu);
    /// @throws simtlm::user_error  for options and parameters that do not describe a GPU
    explicit simtlm_gpu(const sc_core::sc_module_name& name)
        : sc_module(name),
          preset_("preset", "QV100", "preset of the GPU"),
          options_("options", "", "further options, separated by spaces"),
          folder_("presets", "", "folder of the presets; empty: that of the installed package"),
          values_(arguments(), folder_.get_value()),
          parameters_(std::string(this->name()) + ".gpu", values_),
          gpu("gpu", values_.make()) {
        target_socket.bind(gpu.host);
        gpu.irq.bind(irq_line_);
        gpu.reset.bind(reset_line_);
        reset.register_value_changed_cb([this](const bool& level) { reset_line_.write(level); });
        if (binds("initiator_socket")) {
            initiator_socket = std::make_unique<tlm::tlm_initiator_socket<32>>("initiator_socket");
            gpu.host_memory.bind(*initiator_socket);
        }
        for (unsigned c = 0; c < gpu.memory.size(); ++c) {
            const std::string socket = "memory_" + std::to_string(c);
            if (!binds(socket)) continue;
            memory_sockets.push_back(
                std::make_unique<tlm::tlm_initiator_socket<32>>(socket.c_str()));
            gpu.memory[c].bind(*memory_sockets.back());
        }
        simtlm::log_to_scp(gpu);
        SC_METHOD(drive_irq);
        sensitive << irq_line_;
        dont_initialize();
    }
    const char* kind() const override { return "simtlm_gpu"; }

private:
    bool binds(const std::string& socket) const {
        return cci::cci_get_broker().has_preset_value(std::string(name()) + "." + socket + ".bind");
    }
    std::vector<std::string> arguments() const {
        std::vector<std::string> all{"--preset", preset_.get_value()};
        for (std::string& option : simtlm::split_options(options_.get_value()))
            all.push_back(std::move(option));
        return all;
    }
    void drive_irq() {
        for (int i = 0; i < irq.size(); ++i) irq[i]->write(irq_line_.read());
    }

    cci::cci_param<std::string, cci::CCI_IMMUTABLE_PARAM> preset_, options_, folder_;
    simtlm::configuration values_;
    simtlm::cci_parameters parameters_;
    sc_core::sc_signal<bool> irq_line_{"irq_line"}, reset_line_{"reset_line"};

public:
    simtlm::gpu gpu;  ///< for C++ code of the platform: trace sets, statistics
};
