// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/host_interface.h"

#include "modules/protocol/phases.h"
#include "modules/simulation/spawn.h"
#include "platform/gpu/device_context.h"
#include "platform/gpu/memory_aperture.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace simtlm::platform {

namespace {

/// Default text for an error code, used if no message has been given.
const char* words_of(host::error_code code) {
    using host::error_code;
    switch (code) {
        case error_code::none:
            return "";
        case error_code::bad_command:
            return "unknown command";
        case error_code::no_such_kernel:
            return "unknown kernel";
        case error_code::queue_full:
            return "the command queue is full";
        case error_code::refused_in_reset:
            return "a command was rejected: the GPU is being reset";
        case error_code::gpu_stopped:
            return "the GPU has stopped";
        case error_code::memory_error:
            return "an external memory returned an error";
        case error_code::out_of_memory:
            return "device memory is full";
        case error_code::bad_address:
            return "an address range that is not within one allocation";
        case error_code::bad_program:
            return "an invalid program";
        case error_code::bad_launch:
            return "an invalid launch";
        case error_code::program_fault:
            return "an executed program caused a fault";
        case error_code::host_memory_error:
            return "the host memory returned an error, or is not connected";
    }
    return "";
}

}  // namespace

host_interface::host_interface(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer, const settings& how,
                               host_device& device, device_context& context, const pins& outside)
    : clocked_module(name, sequencer),
      how_(how),
      device_(device),
      context_(context),
      aperture_(std::make_unique<memory_aperture>(context)),
      port_(outside.port),
      irq_(outside.irq),
      reset_(outside.reset),
      process_("commands", sequencer, protocol::phase::core_dispatch_ctas,
               simulation::on_edge<&host_interface::cycle>(this)),
      engine_("copy_engine", outside.host_memory,
              [this](copy_engine::job& j, tlm::tlm_response_status s) { copy_moved(j, s); }) {
    port_.register_b_transport(this, &host_interface::b_transport);
    port_.register_nb_transport_fw(this, &host_interface::nb_transport_fw);
    port_.register_transport_dbg(this, &host_interface::transport_dbg);
    port_.register_get_direct_mem_ptr(this, &host_interface::get_direct_mem_ptr);
    simulation::spawn_method("serve", [this] { serve(); }, {serve_event_});
    simulation::spawn_method("wake_process", [this] { wake_process(); }, {arrival_});
    simulation::spawn_method("drive_irq", [this] { drive_irq(); }, {irq_event_});
    simulation::spawn_method(
        "reset_changed", [this] { reset_changed(); }, {reset_}, simulation::first_run::at_start);
}

host_interface::~host_interface() = default;

unsigned host_interface::add_kernel(const std::string& file, const std::string& where,
                                    std::uint64_t stream) {
    kernels_.push_back({file, where, stream, false, 0});
    return static_cast<unsigned>(kernels_.size() - 1);
}

// ---- interrupt and reset ----

void host_interface::raise(host::error_code code, const std::string& why) {
    if (registers_.error == host::error_code::none) {
        registers_.error = code;
        registers_.message = why.empty() ? words_of(code) : why;
        registers_.message.resize(
            std::min<std::size_t>(registers_.message.size(), host::message_bytes - 1));
    }
    if (!why.empty()) SC_REPORT_WARNING("simtlm/host", why.c_str());
    set_irq(host::fault);
}

void host_interface::device_stopped(host::error_code code, const std::string& why) {
    if (busy() || resetting_) raise(code, why);
    resetting_ = abort_due_ = false;
    for (entry& e : commands_)
        if (!e.done) end_failed(e, code);
    serve_accesses(sc_core::sc_max_time());
}

void host_interface::set_irq(std::uint32_t bits) {
    registers_.irq_status |= bits;
    irq_event_.notify(sc_core::SC_ZERO_TIME);
}

void host_interface::drive_irq() {
    irq_->write((registers_.irq_status & registers_.irq_enable) != 0);
}

void host_interface::reset_changed() {
    if (reset_.read()) begin_reset();
}

/// Registers are reset at once; the device is, from the first clock edge after the present time on,
/// so that the result does not depend on the order of processes.
void host_interface::begin_reset() {
    for (entry& e : commands_) e.forgotten = true;
    registers_ = {};
    irq_event_.notify(sc_core::SC_ZERO_TIME);
    if (device_.stopped()) {
        if (const std::string why = device_.obstacle_to_reset(); !why.empty())
            return raise(host::error_code::gpu_stopped, "a reset cannot revive the GPU: " + why);
        device_.resume();
    }
    resetting_ = true;
    abort_due_ = true;
    reset_at_ = sc_core::sc_time_stamp();
    reset_cycles_ = 0;
    process_.wake();
}

void host_interface::discard_commands() {
    abort_due_ = false;
    commands_.erase(std::remove_if(commands_.begin(), commands_.end(),
                                   [](const entry& e) { return !e.issued; }),
                    commands_.end());
    device_.abort();
}

/// A cycle of a reset: ends it when nothing is in flight, or after a time limit.
void host_interface::continue_reset() {
    if (reset_.read()) return;
    if (commands_.empty() && device_.drained()) {
        device_.clear();
        resetting_ = false;
    } else if (++reset_cycles_ == how_.reset_timeout) {
        resetting_ = false;
        raise(host::error_code::gpu_stopped, "a reset does not end: " + device_.reset_timed_out());
    }
}

}  // namespace simtlm::platform
