// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_sockets.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

namespace simtlm::platform {

/// Moves the data of copy commands between the host memory and the GPU: a loosely timed initiator
/// of the base protocol. Copies run one at a time, in bursts that do not cross a multiple of 256
/// bytes. Each burst takes the time that the host memory annotates or waits.
class copy_engine : public sc_core::sc_module {
public:
    using socket = host_memory_socket;

    /// A copy to perform, or one that has been performed.
    struct job {
        bool to_host = false;
        std::uint64_t host_address = 0;
        std::vector<unsigned char> bytes;  ///< data to write, or buffer for the data read
        std::uint64_t ticket = 0;          ///< identifies the job to the caller
    };
    /// Called in the engine's thread when a job has ended. The status is that of the first burst
    /// that failed; the data after it has not been moved.
    using listener = std::function<void(job&, tlm::tlm_response_status)>;

    copy_engine(const sc_core::sc_module_name& name, socket& host, listener done);
    const char* kind() const override { return "copy_engine"; }

    /// Returns whether a host memory is bound.
    bool bound() { return host_.bind_count() != 0; }
    /// Starts a job. May be called from any process. @pre bound()
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
