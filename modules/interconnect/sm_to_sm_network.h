// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/packet.h"
#include "modules/protocol/sm_to_sm_message.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/counter_table.h"
#include "modules/support/ring_buffer.h"
#include "modules/waveforms/signal_list.h"

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

namespace simtlm::interconnect {

/// Parameters of the SM-to-SM network of a GPC. Structure, lanes and their fixed allotment are
/// inferred from measurements of an H200 (github.com/seanzw/random, dsm_bw/ANALYSIS.md; US patent
/// 12248788): the SMs of a path (CPC: six of them) share its lanes in equal parts, and the part of
/// an idle SM is not used by others. Latencies are one-way, in core cycles, without the
/// serialisation time of the bytes.
struct sm_to_sm_network_config {
    unsigned lanes = 4;          ///< of a path, in each direction
    unsigned lane_bytes = 32;    ///< per core cycle
    unsigned sms_per_path = 6;   ///< SMs that share the lanes
    unsigned near_latency = 73;  ///< between SMs of one path
    unsigned far_latency = 79;   ///< between paths
    /// Overhead of a packet in bytes, in addition to its data, which are rounded up to the width of
    /// a lane. With these values, 128-byte packets reproduce the measured bandwidths of loads
    /// (19.87 B/cycle and SM one way, 15.37 with traffic both ways), stores (18.87, 18.12) and bulk
    /// copies (21.25, 20.29).
    std::array<unsigned, protocol::sm_to_sm_packets> overhead{41, 9, 17, 6, 0};
    unsigned requests = 8;  ///< capacity of the request queue of an SM's port
    unsigned backlog = 64;  ///< maximum backlog of data for a receiver, core cycles
};

/// Counters of the network of a GPC.
struct sm_to_sm_network_statistics {
    std::array<std::uint64_t, protocol::sm_to_sm_packets> messages{};
    std::uint64_t bytes = 0;      ///< including packet overhead
    std::uint64_t waited = 0;     ///< messages waiting at the SMs' ports, summed over core cycles
    std::uint64_t busy = 0;       ///< sending ports, summed over core cycles
    std::uint64_t congested = 0;  ///< core cycles in which a port was stalled by a busy receiver
};

inline std::string sm_to_sm_packet_label(unsigned k) {
    constexpr const char* names[protocol::sm_to_sm_packets] = {"read_request", "read_response",
                                                               "write", "acknowledgement", "bulk"};
    return k < protocol::sm_to_sm_packets ? names[k] : "";
}

inline constexpr support::counter<sm_to_sm_network_statistics> sm_to_sm_network_counters[] = {
    support::count<&sm_to_sm_network_statistics::messages>(
        "messages", "messages", "between SMs of the GPC, by kind", sm_to_sm_packet_label),
    support::count<&sm_to_sm_network_statistics::bytes>("bytes", "bytes",
                                                        "that they took, headers included"),
    support::count<&sm_to_sm_network_statistics::waited>(
        "waited", "message cycles", "at the ports of SMs, before their first byte was sent"),
    support::count<&sm_to_sm_network_statistics::busy>("busy", "port cycles",
                                                       "in which an SM's lanes were sending"),
    support::count<&sm_to_sm_network_statistics::congested>(
        "congested", "port cycles", "in which an SM waited for a receiver with a backlog"),
};
constexpr const auto& counters_of(const sm_to_sm_network_statistics*) {
    return sm_to_sm_network_counters;
}
static_assert(support::covers(sm_to_sm_network_counters));

/// The network between the SMs of one GPC, for distributed shared memory, arrivals at mbarriers of
/// other SMs, and multicast.
///
/// A message leaves its SM through the SM's allotment of lanes (lanes x bytes / SMs of a path),
/// crosses the GPC in a fixed time, and occupies the lanes of its receiver for the same duration.
/// Messages to a receiver are serialised; sending and receiving overlap, so that without contention
/// a message arrives after the latency plus the serialisation time of its bytes. Requests and
/// responses wait in separate queues, which are served alternately. Messages of the same kind of
/// queue from one SM to another arrive in order.
///
/// A bulk message without bytes is a notification that data have reached the receiver by another
/// path; it takes only the latency.
///
/// The network acts once per core cycle in which a message waits or arrives, in the second
/// sub-phase of core_effects: after the memory effects of the warps in this cycle.
class sm_to_sm_network : public simulation::clocked_module {
public:
    /// By index of the SM in the GPC.
    sc_core::sc_vector<protocol::sm_to_sm_target<sm_to_sm_network>> from_sm;

    /// @param first_sm  number of the GPC's first SM within the GPU; the others follow
    sm_to_sm_network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const sm_to_sm_network_config& config, unsigned first_sm, unsigned sms);
    const char* kind() const override { return "sm_to_sm_network"; }

    unsigned first_sm() const { return first_sm_; }
    unsigned sms() const { return static_cast<unsigned>(ports_.size()); }
    const sm_to_sm_network_statistics& statistics() const { return statistics_; }
    /// Number of messages that wait or are in flight.
    std::size_t messages() const { return waiting_ + flying_; }
    /// Number of messages that an SM has not begun to send. @param sm  index in the GPC
    std::size_t queued(unsigned sm) const {
        const port& p = ports_[sm];
        return p.requests.size() + p.responses.size() + p.pending_notifications.size();
    }
    void register_signals(waveforms::signal_list& list);

    /// Saves or restores the state that outlives messages.
    template <class Archive>
    void checkpoint(Archive& a) {
        for (port& p : ports_) a(p.send_free, p.receive_free, p.last_arrival, p.response_last);
    }

private:
    struct queued_message {
        protocol::sm_to_sm_message what;
        std::uint64_t since = 0;  // core cycle
    };
    struct port {
        support::ring_buffer<queued_message> requests;
        growing_fifo<queued_message> responses;
        growing_fifo<queued_message> pending_notifications;  // do not use the lanes
        growing_fifo<protocol::sm_to_sm_message> arriving;   // in order of arrival
        std::uint64_t send_free = 0, receive_free = 0;       // ticks
        std::uint64_t last_arrival = 0;                      // of those in `arriving`, core cycle
        bool response_last = false;
        bool withholds_end = false;  // END_REQ is withheld

        explicit port(unsigned entries) : requests(entries) {}
    };

    tlm::tlm_sync_enum take(int sm, protocol::sm_to_sm_message& m, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
    void cycle();
    void deliver(unsigned sm, std::uint64_t now);
    std::uint64_t send(unsigned sm, std::uint64_t now);
    std::uint64_t send_notifications(unsigned sm, std::uint64_t now);
    unsigned latency(unsigned from, unsigned to) const {
        return from / config_.sms_per_path == to / config_.sms_per_path ? config_.near_latency
                                                                        : config_.far_latency;
    }
    bool start(unsigned sm, const queued_message& q, std::uint64_t now);
    unsigned cost(const protocol::sm_to_sm_message& m) const;
    /// A core cycle has this many ticks; a byte takes sms_per_path ticks.
    std::uint64_t ticks() const { return std::uint64_t{config_.lanes} * config_.lane_bytes; }
    std::uint64_t cycle_of(std::uint64_t tick) const { return (tick + ticks() - 1) / ticks(); }

    const sm_to_sm_network_config config_;
    const unsigned first_sm_;
    std::vector<port> ports_;
    std::size_t waiting_ = 0, flying_ = 0;
    sm_to_sm_network_statistics statistics_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::interconnect
