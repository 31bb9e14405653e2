// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/interconnect_config.h"
#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/statistics.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace simtlm::interconnect {

/// Returns the sub-partition (0 .. memories-1) that serves an address. Used only for transactions
/// whose extension is not `located`, for debug transport and for blocking transport.
using address_decoder = std::function<unsigned(std::uint64_t address)>;

/// The network between the clusters and the memory sub-partitions: two independent halves, one for
/// requests and one for replies, with one target socket per cluster and one initiator socket per
/// sub-partition. This base class owns the sockets and implements their protocol
/// (modules/protocol/sockets.h); derived classes own the buffers and move the packets, once per
/// icnt cycle, in phase network_transfer.
///
/// Interface to the connected blocks:
///  - Injection: a cluster sends BEGIN_REQ (phase core_inject), a sub-partition BEGIN_RESP (phase
///    reply_inject). TLM_UPDATED with END_REQ/END_RESP means that there is room for another packet;
///    TLM_ACCEPTED means that the next one must wait for END_REQ/END_RESP, which is sent in
///    network_transfer of the cycle in which room becomes available. Room means a free unit (a
///    packet in the crossbar that ignores packet sizes, otherwise a flit); a packet larger than the
///    room waits in a register in front of the buffer, and the END phase is withheld meanwhile.
///  - Ejection: the packet at the head of an output is presented with BEGIN_REQ (BEGIN_RESP) during
///    network_transfer (in network_present with several host threads) or, when its predecessor is
///    accepted, from within the accepting call. It leaves its buffer with END_REQ (END_RESP), which
///    the sub-partition sends in its phase l2_slice and the cluster in core_receive, or which
///    either returns immediately (TLM_UPDATED). At most one packet is presented per socket. A
///    target that completes a request immediately (TLM_COMPLETED, or TLM_UPDATED/BEGIN_RESP) is
///    supported: its reply is transported like any other.
///  - Posted writes (protocol::is_posted): BEGIN_RESP from the memory side is passed directly to
///    the cluster, bypassing all buffers, even if another response is being presented.
/// The cluster of a request is stored in extension.cluster. The network sets
/// extension.when.injected and .replied (core cycles). It does not acquire payloads: their
/// initiators keep them alive.
class network : public simulation::clocked_module {
public:
    sc_core::sc_vector<protocol::target_socket<network>> from_cluster;  ///< one per cluster
    sc_core::sc_vector<protocol::initiator_socket<network>> to_memory;  ///< one per sub-partition

    /// A value of the report, with the name used by GPGPU-Sim.
    struct report_value {
        std::string name;
        double value;
        bool whole;  ///< an integer (printed as %lld), otherwise printed as %12.4f
    };

    ~network() override;

    /// Whether any packet is inside, including presented ones (GPGPU-Sim's icnt_busy).
    bool busy() const { return packets_inside(requests) + packets_inside(replies) != 0; }
    /// Number of packets inside one half, including presented ones.
    std::uint64_t packets_inside(subnet s) const {
        std::uint64_t inside = packets_injected(s);
        for (const ejector& e : ejectors_[s]) inside -= e.packets;
        return inside;
    }
    /// Number of packets that have entered one half since the start.
    std::uint64_t packets_injected(subnet s) const {
        std::uint64_t sum = 0;
        for (const injector& i : injectors_[s]) sum += i.packets;
        return sum;
    }
    /// Number of packets that have entered at an injection port; packets_out(): left at an ejection
    /// port.
    std::uint64_t packets_in(subnet s, unsigned port) const { return injectors_[s][port].packets; }
    std::uint64_t packets_out(subnet s, unsigned port) const { return ejectors_[s][port].packets; }
    /// Whether an injection port currently accepts no packet; ejection_waits(): whether the head of
    /// an ejection port waits.
    bool injection_blocked(subnet s, unsigned port) const { return injectors_[s][port].withheld; }
    bool ejection_waits(subnet s, unsigned port) const { return ejectors_[s][port].presented; }

    /// Counts attempts to inject while END_REQ or END_RESP was withheld, which GPGPU-Sim counts as
    /// in_buffer_full. The network does not see these attempts: the stalled sender reports them, or
    /// the platform does so from the senders' counters. @param times  number of attempts
    void count_stalls(subnet s, std::uint64_t times) { stalls_[s] += times; }
    std::uint64_t stalls(subnet s) const { return stalls_[s]; }

    /// Icnt cycles so far, including idle ones. Read it between steps or in a phase after
    /// network_transfer.
    std::uint64_t cycles() const { return sequencer_.edges(protocol::icnt_clock); }

    /// The values printed after every kernel, in GPGPU-Sim's order. Read like cycles().
    virtual std::vector<report_value> report_values() const = 0;
    /// Histogram of latencies: bucket i counts 2^i .. 2^(i+1)-1 icnt cycles; the first includes 0,
    /// the last all longer ones.
    struct latency_table {
        std::string name;
        std::vector<std::uint64_t> counts;
    };
    /// Latency histograms, if the network has any. Read like cycles().
    virtual std::vector<latency_table> latency_tables() const { return {}; }
    // Counters in addition to those of the derived classes.
    static constexpr support::counter_info cycles_counter{"cycles", "icnt cycles",
                                                          "of the network, idle ones included"};
    static constexpr support::counter_info injected_counter{"injected", "packets",
                                                            "that entered the network"};
    static constexpr support::counter_info stall_counter{
        "in_buffer_full", "refusals", "a block had a packet and found its input buffer full"};
    /// Describes the packets that wait at each port, one per line, for a deadlock report. Call
    /// between steps.
    std::string describe();
    /// Call before reading the registered counters.
    void update_counters();
    /// Registers the counters under this module's hierarchical name.
    virtual void list_statistics(support::statistics& list) const;
    /// Saves or restores the state that persists across kernels, of an idle network.
    virtual void checkpoint(support::archive& a);
    /// Whether nothing is inside, including returning credits.
    bool at_rest() const { return !busy() && is_quiescent(); }

protected:
    /// Begins the block of checkpoint(). @return whether members of derived classes follow
    bool begin_checkpoint(support::archive& a);
    /// Name and kind of a half as a block of support::statistics.
    std::string half_name(subnet s) const;
    static constexpr const char* half_kind = "network_half";

    /// @param flit_bytes  unit of buffers and links; 0: every packet is one unit
    network(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
            const interconnect_config& config, unsigned flit_bytes, address_decoder decoder);

    // Between two transfers, the following functions are called by several host threads, for
    // different ports.
    /// Free units of an injection port's buffer.
    virtual unsigned room(subnet s, unsigned port) const = 0;
    /// Puts a packet into an injection port's buffer, before the first transfer() that may move it.
    /// @pre there is room for it
    virtual void push(subnet s, unsigned port, const packet& p) = 0;
    /// The packet to be ejected next at a port, or nullptr. The result does not change until it is
    /// removed.
    virtual tlm::tlm_generic_payload* head(subnet s, unsigned port) = 0;
    /// Removes the packet returned by head(). @return its units
    virtual unsigned remove_head(subnet s, unsigned port) = 0;
    /// Reports a head removed since the last transfer(). Called before the next transfer().
    virtual void has_left(subnet, unsigned /*port*/, unsigned /*units*/) {}
    /// Moves the packets of a half by one icnt cycle; calls announce() for ports whose head may
    /// have changed. Both halves may be moved concurrently.
    virtual void transfer(subnet s) = 0;
    /// Whether transfer() would change nothing until a packet is pushed. May conservatively return
    /// false.
    virtual bool is_quiescent() const = 0;

    void announce(subnet s, unsigned port) { fresh_[s].insert(port); }
    /// The ports announced in this cycle; ports may be added.
    port_set& arrivals(subnet s) { return fresh_[s]; }
    unsigned injection_ports(subnet s) const { return ports_[s]; }
    unsigned ejection_ports(subnet s) const { return ports_[1 - s]; }
    /// Icnt cycles before the current one. Valid within a step, up to and including
    /// network_transfer.
    std::uint64_t now() const { return sequencer_.cycle(protocol::icnt_clock); }
    /// Units of packets that have been sent since the last transfer() and found room.
    std::uint64_t units_entered(subnet s) const;
    unsigned units(unsigned bytes) const {
        return flit_bytes_ == 0 ? 1 : (bytes + flit_bytes_ - 1) / flit_bytes_;
    }
    /// Units of the largest packet: a cache line and its header.
    unsigned largest_packet() const;
    static const char* name_of(subnet s) { return s == requests ? "Req" : "Reply"; }

private:
    struct injector {
        packet staged;  ///< waits for room if it has a payload
        tlm::tlm_generic_payload* end_withheld =
            nullptr;                ///< transaction whose END phase is withheld
        bool withheld = false;      ///< the port may not send
        unsigned room = 0;          ///< lower bound of the free units
        std::uint64_t packets = 0;  ///< packets that have entered
        std::uint64_t units = 0;    ///< units of packets that have found room
        std::uint32_t posted = 0;   ///< number of such packets, modulo 2^32
    };
    struct ejector {
        bool presented = false;     ///< its head is being presented
        std::uint64_t packets = 0;  ///< packets that have left
    };
    /// Presents new heads of an ejection port, on the host thread of the receiver.
    struct presenter {
        presenter(network& n, subnet s, unsigned port);
        void present();
        network& owner;
        subnet half;
        unsigned port;
        simulation::clocked_process process;
    };
    /// Events at the ports caused by one host thread since the last transfer, for the thread that
    /// runs the next one. Batched, because otherwise a cache line per packet would move between
    /// processors.
    struct message_buffer {
        struct message {
            packet what;
            std::uint32_t number;  // within its port, to which several threads may have sent
        };
        struct departure {
            std::uint16_t port;
            std::uint16_t units;
        };
        struct alignas(64) half {  // each is read by one thread
            std::vector<message> entered;
            std::vector<std::uint16_t> withheld;  // ports that may not send
            std::vector<departure> left;
        };
        std::array<half, subnets> of;
    };

    tlm::tlm_sync_enum on_cluster_forward(int port, tlm::tlm_generic_payload& payload,
                                          tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum on_memory_backward(int port, tlm::tlm_generic_payload& payload,
                                          tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void on_blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned on_debug(int port, tlm::tlm_generic_payload& payload);

    void on_edge();
    message_buffer::half& message_buffer_of(subnet s);
    void take_messages(subnet s);
    bool inputs_idle() const;
    bool has_space(subnet s, unsigned port, unsigned units);
    void post(subnet s, unsigned port, const packet& p);
    void take(subnet s, const packet& p);
    unsigned memory_of(tlm::tlm_generic_payload& payload);
    /// Injects a packet. @param end_withheld  the END phase will be sent @return whether another
    /// packet may follow
    bool inject(subnet s, unsigned port, const packet& p, bool end_withheld);
    bool inject_reply(unsigned memory, tlm::tlm_generic_payload& payload, bool end_withheld);
    void resume_injectors(subnet s);
    void present(subnet s, unsigned port);
    void leave(subnet s, unsigned port);

    simulation::phase_sequencer& sequencer_;
    simulation::clocked_process process_;
    address_decoder decoder_;
    unsigned flit_bytes_;
    std::array<unsigned, subnets> ports_;  // injection ports
    std::array<std::vector<injector>, subnets> injectors_;
    // State that connected blocks change is kept by port, because they run on several host threads.
    std::array<std::vector<ejector>, subnets> ejectors_;
    std::array<std::deque<presenter>, subnets> presenters_;  // by ejection port; only with several
                                                             // host threads
    std::vector<message_buffer> message_buffers_;            // by host thread
    /// Totals over the messages that have been read.
    struct taken {
        std::uint64_t units = 0;
        std::uint32_t packets = 0;  // modulo 2^32
    };
    std::array<std::vector<taken>, subnets> taken_;  // by injection port
    /// Messages whose predecessor at the port, sent by another thread, has not been read yet.
    std::array<std::vector<message_buffer::message>, subnets> early_;
    std::array<port_set, subnets> withheld_;         // injection ports that may not send
    std::array<port_set, subnets> fresh_;            // ejection ports whose head may be presented
    std::array<std::uint64_t, subnets> injected_{};  // for the registered counters
    std::array<std::uint64_t, subnets> stalls_{};
};

/// Creates the network of a configuration.
/// @throws support::user_error  if the configuration is not valid
std::unique_ptr<network> make_network(const sc_core::sc_module_name& name,
                                      simulation::phase_sequencer& sequencer,
                                      const interconnect_config& config, address_decoder decoder);

}  // namespace simtlm::interconnect
