// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/interconnect_config.h"
#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
#include "modules/kernel/statistics.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"

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

/// The sub-partition (0 .. memories-1) that serves an address. Asked only for transactions whose
/// extension is not `located`, for debug transports and for blocking transports.
using address_decoder = std::function<unsigned(std::uint64_t address)>;

/// The network between the clusters and the memory sub-partitions: two independent halves, one for
/// requests and one for replies, behind one target socket per cluster and one initiator socket per
/// sub-partition. This base owns the sockets and speaks their protocol
/// (modules/protocol/sockets.h); a variant owns the buffers and moves the packets, once per icnt
/// cycle, in the phase network_transfer.
///
/// What the neighbours see:
///  - Injection: a cluster sends BEGIN_REQ (phase core_inject), a sub-partition BEGIN_RESP (phase
///    reply_inject). TLM_UPDATED with END_REQ/END_RESP means that room is left; TLM_ACCEPTED that
///    the next one must wait for END_REQ/END_RESP, which comes in network_transfer of the cycle in
///    which room appears. Room means a free unit (a packet in the crossbar that ignores packet
///    sizes, a flit elsewhere); a packet larger than the room waits in a register before the
///    buffer and withholds the END phase meanwhile.
///  - Ejection: the packet at the head of an output is presented with BEGIN_REQ (BEGIN_RESP) during
///    network_transfer (in network_present, where host threads share it), or, when the one before
///    it is taken, from within the taking call. It leaves its buffer only with END_REQ (END_RESP),
///    which the sub-partition sends in its phase l2_slice and the cluster in core_receive, or which
///    either returns at once (TLM_UPDATED). At most one packet is presented per socket. A target
///    that completes a request at once (TLM_COMPLETED, or TLM_UPDATED/BEGIN_RESP) is served too:
///    its reply travels back as any other.
///  - Posted writes (protocol::is_posted): BEGIN_RESP from the memory side is handed straight to
///    the cluster, past all buffers and although another response may be presented.
/// The cluster is remembered in extension.cluster. The network sets extension.when.injected and
/// .replied (core cycles). It does not acquire payloads: their initiator keeps them to the end.
class network : public kernel::clocked_module {
public:
    sc_core::sc_vector<protocol::target_socket<network>> from_cluster;  ///< one per cluster
    sc_core::sc_vector<protocol::initiator_socket<network>> to_memory;  ///< one per sub-partition

    /// One figure of the report, under the reference's name.
    struct figure {
        std::string name;
        double value;
        bool whole;  ///< an integer (printed %lld); else printed %12.4f
    };

    ~network() override;

    /// Any packet inside, presented ones included (the reference's icnt_busy).
    bool busy() const { return packets_inside(requests) + packets_inside(replies) != 0; }
    /// Packets of one half inside, presented ones included.
    std::uint64_t packets_inside(subnet s) const {
        std::uint64_t inside = packets_injected(s);
        for (const ejector& e : ejectors_[s]) inside -= e.packets;
        return inside;
    }
    /// Packets that have entered one half since the start.
    std::uint64_t packets_injected(subnet s) const {
        std::uint64_t sum = 0;
        for (const injector& i : injectors_[s]) sum += i.packets;
        return sum;
    }
    /// Packets that have entered at an injection port, and left at an ejection port.
    std::uint64_t packets_in(subnet s, unsigned port) const { return injectors_[s][port].packets; }
    std::uint64_t packets_out(subnet s, unsigned port) const { return ejectors_[s][port].packets; }
    /// An injection port takes no more at the moment; the head of an ejection port waits.
    bool injection_blocked(subnet s, unsigned port) const { return injectors_[s][port].withheld; }
    bool ejection_waits(subnet s, unsigned port) const { return ejectors_[s][port].presented; }

    /// Counts attempts to inject while END_REQ or END_RESP was withheld, which the reference counts
    /// as in_buffer_full. The network does not see them: the blocked sender reports its own, or the
    /// platform from the senders' counters. @param times  attempts
    void count_stalls(subnet s, std::uint64_t times) { stalls_[s] += times; }
    std::uint64_t stalls(subnet s) const { return stalls_[s]; }

    /// Icnt cycles counted so far, idle ones included. Read it between steps or in a phase after
    /// network_transfer.
    std::uint64_t cycles() const { return sequencer_.edges(protocol::icnt_clock); }

    /// The figures printed after every kernel, in the reference's order. Same reading rule.
    virtual std::vector<figure> figures() const = 0;
    /// How many latencies were 2^i to 2^(i+1)-1 network cycles (the first: 0 too; the last: more).
    struct latency_table {
        std::string name;
        std::vector<std::uint64_t> counts;
    };
    /// Latency histograms of a network that has them, none otherwise. Same reading rule.
    virtual std::vector<latency_table> latency_tables() const { return {}; }
    // What is counted beside the structs of the variants.
    static constexpr kernel::counter_info cycles_counter{"cycles", "icnt cycles",
                                                         "of the network, idle ones included"};
    static constexpr kernel::counter_info injected_counter{"injected", "packets",
                                                           "that entered the network"};
    static constexpr kernel::counter_info stall_counter{
        "in_buffer_full", "refusals", "a block had a packet and found its input buffer full"};
    /// Who waits at which port, a line each, for a deadlock report. Between steps.
    std::string describe();
    /// Before the listed counters are read.
    void bring_up_to_date();
    /// Lists the counters under this module's hierarchical name.
    virtual void list_statistics(kernel::statistics& list) const;
    /// State that outlives kernels, of a network at rest.
    virtual void checkpoint(kernel::archive& a);
    /// Nothing is inside, credits on their way back included.
    bool at_rest() const { return !busy() && moves_nothing(); }

protected:
    /// Name and kind of a half among the blocks of kernel::statistics.
    std::string half_name(subnet s) const;
    static constexpr const char* half_kind = "network_half";

    /// @param flit_bytes  unit of buffers and links; 0: every packet is one unit
    network(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
            const interconnect_config& config, unsigned flit_bytes, address_decoder decoder);

    // Between two transfers heads are looked at and removed, and rooms asked for, on several host
    // threads, for different ports.
    /// Free units of an injection port's buffer.
    virtual unsigned room(subnet s, unsigned port) const = 0;
    /// Puts a packet into an injection port's buffer, before the transfer() in which it could move
    /// first. @pre room for it
    virtual void push(subnet s, unsigned port, const packet& p) = 0;
    /// The packet to be ejected next at a port, or nullptr. Once returned it stays until removed.
    virtual tlm::tlm_generic_payload* head(subnet s, unsigned port) = 0;
    /// Removes what head() returned. @return its units
    virtual unsigned remove_head(subnet s, unsigned port) = 0;
    /// A head has been removed since the last transfer(). Called before the next.
    virtual void has_left(subnet, unsigned /*port*/, unsigned /*units*/) {}
    /// Moves the packets of a half by one icnt cycle; calls announce() where a head may have become
    /// visible. Both halves may be moved at the same time.
    virtual void transfer(subnet s) = 0;
    /// transfer() would change nothing until a packet is pushed; false although it would not is no
    /// fault.
    virtual bool moves_nothing() const = 0;

    void announce(subnet s, unsigned port) { fresh_[s].insert(port); }
    /// The ports announced in this cycle, to be added to.
    port_set& arrivals(subnet s) { return fresh_[s]; }
    unsigned injection_ports(subnet s) const { return ports_[s]; }
    unsigned ejection_ports(subnet s) const { return ports_[1 - s]; }
    /// Within a step and before network_transfer (or in it): icnt cycles before this one.
    std::uint64_t now() const { return sequencer_.cycle(protocol::icnt_clock); }
    /// Units of packets that have been sent since the last transfer() and found room.
    std::uint64_t units_entered(subnet s) const;
    unsigned units(unsigned bytes) const {
        return flit_bytes_ == 0 ? 1 : (bytes + flit_bytes_ - 1) / flit_bytes_;
    }
    /// Units of the largest packet of a GPU: a line and its header.
    unsigned largest_packet() const;
    static const char* name_of(subnet s) { return s == requests ? "Req" : "Reply"; }

private:
    struct injector {
        packet staged;                             ///< waits for room, if it has a payload
        tlm::tlm_generic_payload* owed = nullptr;  ///< whose END phase is withheld
        bool withheld = false;                     ///< the port may not send
        unsigned room = 0;                         ///< units that there are at least
        std::uint64_t packets = 0;                 ///< that have come in
        std::uint64_t units = 0;                   ///< of those that have found room
        std::uint32_t posted = 0;                  ///< these, modulo 2^32
    };
    struct ejector {
        bool presented = false;     ///< its head is
        std::uint64_t packets = 0;  ///< that have left
    };
    /// Presents what is new at an ejection port, for the host thread that has the receiver.
    struct presenter {
        presenter(network& n, subnet s, unsigned port);
        void present();
        network& owner;
        subnet half;
        unsigned port;
        kernel::clocked_process process;
    };
    /// What one host thread has done at the ports since the last transfer, for the thread that runs
    /// the next one. Batched, since a cache line per packet would move between processors.
    struct message_buffer {
        struct message {
            packet what;
            std::uint32_t number;  // among those of its port, which several threads may have sent
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
    bool nothing_has_entered() const;
    bool has_room(subnet s, unsigned port, unsigned units);
    void post(subnet s, unsigned port, const packet& p);
    void take(subnet s, const packet& p);
    unsigned memory_of(tlm::tlm_generic_payload& payload);
    /// Takes a packet in; true: another one may come. @param owed  the END phase will be sent
    bool inject(subnet s, unsigned port, const packet& p, bool owed);
    bool inject_reply(unsigned memory, tlm::tlm_generic_payload& payload, bool owed);
    void resume_injectors(subnet s);
    void present(subnet s, unsigned port);
    void leave(subnet s, unsigned port);

    kernel::phase_sequencer& sequencer_;
    kernel::clocked_process process_;
    address_decoder decoder_;
    unsigned flit_bytes_;
    std::array<unsigned, subnets> ports_;  // injection ports
    std::array<std::vector<injector>, subnets> injectors_;
    // What blocks around the network change is kept by port: they act on several host threads.
    std::array<std::vector<ejector>, subnets> ejectors_;
    std::array<std::deque<presenter>, subnets> presenters_;  // by ejection port; with such threads
    std::vector<message_buffer> message_buffers_;            // by host thread
    /// Of the messages that have been read.
    struct taken {
        std::uint64_t units = 0;
        std::uint32_t packets = 0;  // modulo 2^32
    };
    std::array<std::vector<taken>, subnets> taken_;  // by injection port
    /// Messages whose predecessor at the port, sent by another thread, has not been read yet.
    std::array<std::vector<message_buffer::message>, subnets> early_;
    std::array<port_set, subnets> withheld_;         // injection ports that may not send
    std::array<port_set, subnets> fresh_;            // ejection ports whose head may be presented
    std::array<std::uint64_t, subnets> injected_{};  // for the list of counters
    std::array<std::uint64_t, subnets> stalls_{};
};

/// Makes the network that a configuration asks for.
/// @throws kernel::user_error  when the configuration cannot be built
std::unique_ptr<network> make_network(const sc_core::sc_module_name& name,
                                      kernel::phase_sequencer& sequencer,
                                      const interconnect_config& config, address_decoder decoder);

}  // namespace simtlm::interconnect
