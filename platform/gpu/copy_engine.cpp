// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/copy_engine.h"

#include "modules/simulation/spawn.h"

#include <algorithm>
#include <utility>

namespace simtlm::platform {

namespace {
constexpr std::uint64_t burst_bytes = 256;
}

copy_engine::copy_engine(const sc_core::sc_module_name& name, socket& host, listener done)
    : sc_module(name), host_(host), done_(std::move(done)) {}

void copy_engine::before_end_of_elaboration() {
    if (bound()) simulation::spawn_thread("run", [this] { run(); });
}

void copy_engine::start(job j) {
    jobs_.push_back(std::move(j));
    arrival_.notify(sc_core::SC_ZERO_TIME);
}

void copy_engine::run() {
    while (true) {
        while (jobs_.empty()) sc_core::wait(arrival_);
        job j = std::move(jobs_.front());
        jobs_.pop_front();
        const tlm::tlm_response_status status = move(j);
        done_(j, status);
    }
}

tlm::tlm_response_status copy_engine::move(job& j) {
    tlm::tlm_generic_payload p;
    p.set_command(j.to_host ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    for (std::uint64_t done = 0; done < j.bytes.size();) {
        const std::uint64_t at = j.host_address + done;
        const auto count = static_cast<unsigned>(
            std::min(burst_bytes - at % burst_bytes, std::uint64_t{j.bytes.size()} - done));
        p.set_address(at);
        p.set_data_ptr(j.bytes.data() + done);
        p.set_data_length(count);
        p.set_streaming_width(count);
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        host_->b_transport(p, delay);
        if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
        if (!p.is_response_ok()) return p.get_response_status();
        done += count;
    }
    return tlm::TLM_OK_RESPONSE;
}

}  // namespace simtlm::platform
