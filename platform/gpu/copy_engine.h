// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

namespace simtlm::platform {

/// Moves the bytes of copy commands between the host's memory and the GPU: an initiator of the base
/// protocol, loosely timed. One copy after the other, in bursts that do not cross a multiple of 256
/// bytes; each takes the time that the host's memory annotates, or waits.
class copy_engine : public sc_core::sc_module {
public:
    using socket = tlm_utils::simple_initiator_socket_optional<copy_engine, 32>;

    struct job {
        bool to_host = false;
        std::uint64_t host_address = 0;
        std::vector<unsigned char> bytes;  ///< what is written, or as many as are read
        std::uint64_t ticket = 0;          ///< the caller's
    };
    /// Called when a job has ended, in the engine's thread. The status is that of the first burst
    /// that was not TLM_OK_RESPONSE, and the rest has not been moved.
    using listener = std::function<void(job&, tlm::tlm_response_status)>;

    copy_engine(const sc_core::sc_module_name& name, socket& host, listener done);

    /// There is a memory of the host to copy from and to.
    bool bound() { return host_.bind_count() != 0; }
    /// From any process. @pre bound()
    void start(job j);

private:
    void before_end_of_elaboration() override;
    void run();
    tlm::tlm_response_status move(job& j);

    socket& host_;
    listener done_;
    std::deque<job> jobs_;
    sc_core::sc_event arrival_;
};

}  // namespace simtlm::platform
