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

/// Calls the b_transport of a memory for many requests at a time. Each call has a thread of its own
/// while it lasts; a memory that annotates its time and never waits needs one thread in all.
/// Requests whose addresses meet are called one after the other, in order of arrival, the later one
/// when the earlier one's time has passed. Belongs to the module under construction.
class blocking_requester {
public:
    using call = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;
    using listener = std::function<void(tlm::tlm_generic_payload&, const sc_core::sc_time&)>;

    /// @param transport  the memory's b_transport
    /// @param returned   what it has returned with, and how far ahead of the present
    blocking_requester(call transport, listener returned);
    ~blocking_requester();

    /// Any process; the call follows at the same time. Requests lie within 128 bytes.
    void request(tlm::tlm_generic_payload& payload);
    /// The time of a request has passed: its addresses are free for others.
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
    std::unordered_map<std::uint64_t, std::uint8_t> under_way_;  // sectors by line
    std::deque<tlm::tlm_generic_payload*> waiting_;              // for addresses
    std::vector<std::unique_ptr<worker>> workers_;
    std::vector<worker*> resting_;
};

}  // namespace simtlm::platform
