// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace simtlm::platform {

/// Issues many concurrent requests to a memory through b_transport. Each call occupies a thread of
/// its own for its duration; a memory that only annotates its delay and never waits needs a single
/// thread. Requests with overlapping addresses are issued one at a time in order of arrival, each
/// after the annotated time of its predecessor has elapsed. The processes belong to the module
/// under construction.
class blocking_requester {
public:
    using call = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;
    using listener = std::function<void(tlm::tlm_generic_payload&, const sc_core::sc_time&)>;

    /// @param transport  b_transport of the memory
    /// @param returned   called with the payload and its annotated delay when a call returns
    blocking_requester(call transport, listener returned);
    ~blocking_requester();

    /// Submits a request; the call starts in the same time step. May be called from any process. A
    /// request must not cross a 128-byte line.
    void request(tlm::tlm_generic_payload& payload);
    /// The delay of a request has elapsed: releases its addresses to waiting requests.
    void finished(const tlm::tlm_generic_payload& payload);

private:
    struct worker {
        sc_core::sc_event start;
        tlm::tlm_generic_payload* payload = nullptr;
    };
    static std::uint64_t line_of(const tlm::tlm_generic_payload& p);
    static std::uint8_t sectors_of(const tlm::tlm_generic_payload& p);
    bool overlaps_another(const tlm::tlm_generic_payload& payload, std::size_t before) const;
    void start(tlm::tlm_generic_payload& payload);
    void work(worker& w);

    call transport_;
    listener returned_;
    std::unordered_map<std::uint64_t, std::uint8_t> under_way_;  // mask of busy sectors, by line
    std::deque<tlm::tlm_generic_payload*> waiting_;              // blocked by overlapping requests
    std::vector<std::unique_ptr<worker>> workers_;
    std::vector<worker*> resting_;
};

}  // namespace simtlm::platform
