// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/finish_instant.h"
#include "modules/simulation/phase_sequencer.h"
#include "modules/simulation/spawn.h"
#include "platform/simtlm.h"
#include "runtimes/c/simtlm_c.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm {

namespace {

sc_core::sc_time femtoseconds(std::uint64_t n) {
    return sc_core::sc_time::from_value(n);  // the time resolution is 1 fs
}

/// A memory channel that is served by a callback: a loosely timed target.
struct callback_memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<callback_memory> socket{"socket"};

    callback_memory(const sc_core::sc_module_name& name, simtlm_memory serve, void* user)
        : sc_module(name), serve_(serve), user_(user) {
        socket.register_b_transport(this, &callback_memory::b_transport);
    }
    const char* kind() const override { return "callback_memory"; }

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        delay += femtoseconds(serve_(user_, static_cast<int>(p.is_write()), p.get_address(),
                                     p.get_data_ptr(), p.get_data_length()));
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    simtlm_memory serve_;
    void* user_;
};

/// The host: performs accesses in a thread of its own, and pauses the simulation when one has ended
/// or the interrupt line rises.
struct callback_host : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<callback_host> socket{"socket"};
    sc_core::sc_signal<bool> irq{"irq"};
    simtlm_interrupt changed = nullptr;
    void* user = nullptr;

    SC_HAS_PROCESS(callback_host);
    explicit callback_host(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_THREAD(perform);
        simulation::spawn_method("interrupt", [this] { report_interrupt(); },
                                 {irq.value_changed_event()});
    }
    const char* kind() const override { return "callback_host"; }

    /// Runs the simulation until the access has ended. @return its response
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes) {
        payload_.emplace();
        payload_->set_command(command);
        payload_->set_address(address);
        payload_->set_data_ptr(static_cast<unsigned char*>(data));
        payload_->set_data_length(bytes);
        payload_->set_streaming_width(bytes);
        waiting_ = true;
        begin_.notify(sc_core::SC_ZERO_TIME);
        while (waiting_) sc_core::sc_start();
        return payload_->get_response_status();
    }

private:
    void perform() {
        while (true) {
            if (!waiting_) sc_core::wait(begin_);  // the first access precedes the simulation
            sc_core::sc_time delay;
            socket->b_transport(*payload_, delay);
            sc_core::wait(delay);
            waiting_ = false;
            sc_core::sc_pause();
        }
    }
    void report_interrupt() {
        if (changed != nullptr) changed(user, static_cast<int>(irq.read()));
        if (irq.read()) sc_core::sc_pause();
    }

    std::optional<tlm::tlm_generic_payload> payload_;
    bool waiting_ = false;  // an access that has not ended
    sc_core::sc_event begin_;
};

/// Why the last call has failed.
std::string& last_message() {
    static std::string text;  // also of a GPU that could not be created
    return text;
}

/// Runs an action for the C interface, which exceptions must not leave. @return 0 or 1
template <class Action>
int guarded(Action action) {
    last_message().clear();
    try {
        action();
    } catch (const std::exception& e) {
        last_message() = e.what();
    }
    return last_message().empty() ? 0 : 1;
}

void check(tlm::tlm_response_status status) {
    if (status == tlm::TLM_OK_RESPONSE) return;
    tlm::tlm_generic_payload p;
    p.set_response_status(status);
    throw user_error("access", p.get_response_string());
}

}  // namespace

}  // namespace simtlm

/// A GPU with its host and its memories.
struct simtlm_gpu {
    explicit simtlm_gpu(simtlm::gpu_config config)
        : device("gpu", std::move(config)), host("host"), reporter(device) {
        host.socket.bind(device.host);
        device.irq.bind(host.irq);
        simtlm::external_memory how;
        how.timing = simtlm::memory_timing::loosely_timed;
        how.data = simtlm::memory_data::values;
        device.set_external_memory(how);
    }
    simtlm::gpu device;
    simtlm::callback_host host;
    simtlm::reporter reporter;
    std::vector<std::unique_ptr<simtlm::callback_memory>> memories;
};

using simtlm::guarded;
using simtlm::user_error;

uint32_t simtlm_version() {
    return SIMTLM_C_VERSION;
}

simtlm_gpu* simtlm_create(const char* const* options, uint32_t count, const char* config_folder) {
    simtlm_gpu* made = nullptr;
    guarded([&] {
        if (!sc_core::sc_get_top_level_objects().empty())
            throw user_error("simtlm_create", "the process has had its GPU");
        simtlm::gpu_config config = simtlm::configure(
            {options, options + count}, config_folder != nullptr ? config_folder : "");
        sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
        made = new simtlm_gpu(std::move(config));
    });
    return made;
}

void simtlm_destroy(simtlm_gpu* gpu) {
    delete gpu;
}

const char* simtlm_message(const simtlm_gpu* /*gpu*/) {
    return simtlm::last_message().c_str();
}

int simtlm_bind_memory(simtlm_gpu* gpu, uint32_t channel, simtlm_memory serve, void* user) {
    return guarded([&] {
        if (channel >= gpu->device.memory.size())
            throw user_error("simtlm_bind_memory",
                             "there is no channel " + std::to_string(channel));
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
            throw user_error("simtlm_bind_memory", "the simulation has begun");
        const std::string name = "memory" + std::to_string(channel);
        gpu->memories.push_back(
            std::make_unique<simtlm::callback_memory>(name.c_str(), serve, user));
        gpu->device.memory[channel].bind(gpu->memories.back()->socket);
    });
}

int simtlm_bind_interrupt(simtlm_gpu* gpu, simtlm_interrupt changed, void* user) {
    return guarded([&] {
        gpu->host.changed = changed;
        gpu->host.user = user;
    });
}

int simtlm_load_traces(simtlm_gpu* gpu, const char* kernelslist, uint32_t* first, uint32_t* count) {
    return guarded([&] {
        const simtlm::trace_set set = gpu->device.load_trace_set(kernelslist);
        *first = set.first_kernel;
        *count = static_cast<uint32_t>(set.kernels.size());
    });
}

int simtlm_read(simtlm_gpu* gpu, uint64_t address, void* data, uint32_t bytes) {
    return guarded(
        [&] { simtlm::check(gpu->host.access(tlm::TLM_READ_COMMAND, address, data, bytes)); });
}

int simtlm_write(simtlm_gpu* gpu, uint64_t address, const void* data, uint32_t bytes) {
    return guarded([&] {
        simtlm::check(
            gpu->host.access(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes));
    });
}

int simtlm_run_until(simtlm_gpu* gpu, uint64_t time) {
    return guarded([&] {
        const uint64_t now = sc_core::sc_time_stamp().value();
        if (time > now) sc_core::sc_start(simtlm::femtoseconds(time - now));
        simtlm::simulation::finish_instant(gpu->device.sequencer());
        gpu->device.sequencer().rethrow_failure();
    });
}

uint64_t simtlm_time(const simtlm_gpu* /*gpu*/) {
    return sc_core::sc_time_stamp().value();
}

int simtlm_statistic(simtlm_gpu* gpu, const char* name, double* value) {
    return guarded([&] {
        simtlm::simulation::finish_instant(gpu->device.sequencer());
        *value = gpu->reporter.make(nullptr).value(name);
    });
}
