// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/interconnect_config.h"
#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/kernel/clocked_process.h"
#include "modules/kernel/statistics.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
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
///    network_transfer, or, when the one before it is taken, from within the taking call. It leaves
///    its buffer only with END_REQ (END_RESP), which the sub-partition sends in its phase l2_slice
///    and the cluster in core_receive, or which either returns at once (TLM_UPDATED). At most one
///    packet is presented per socket. A target that completes a request at once (TLM_COMPLETED, or
///    TLM_UPDATED/BEGIN_RESP) is served too: its reply travels back as any other.
///  - Posted writes (protocol::is_posted): BEGIN_RESP from the memory side is handed straight to
///    the cluster, past all buffers and although another response may be presented.
/// The cluster is remembered in extension.cluster. The network sets extension.when.injected and
/// .replied (core cycles). It does not acquire payloads: their initiator keeps them to the end.
class network : public sc_core::sc_module {
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
        return packets_injected(s) - std::accumulate(out_[s].begin(), out_[s].end(), zero);
    }
    /// Packets that have entered one half since the start.
    std::uint64_t packets_injected(subnet s) const {
        return std::accumulate(in_[s].begin(), in_[s].end(), zero);
    }
    /// Packets that have entered at an injection port, and left at an ejection port.
    std::uint64_t packets_in(subnet s, unsigned port) const { return in_[s][port]; }
    std::uint64_t packets_out(subnet s, unsigned port) const { return out_[s][port]; }
    /// An injection port takes no more at the moment; the head of an ejection port waits.
    bool injection_blocked(subnet s, unsigned port) const { return injectors_[s][port].withheld; }
    bool ejection_waits(subnet s, unsigned port) const { return presented_[s][port] != 0; }

    /// Someone had a packet and found END_REQ/END_RESP withheld: the reference counts every such
    /// question as in_buffer_full. The network cannot see who waits, so the waiting block (or the
    /// platform, from the waiting blocks' own counters) tells. @param times  questions
    void count_refusals(subnet s, std::uint64_t times) { refusals_[s] += times; }
    std::uint64_t refusals(subnet s) const { return refusals_[s]; }

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
    static constexpr kernel::counter_info refused_counter{
        "in_buffer_full", "refusals", "a block had a packet and found its input buffer full"};
    /// Before the listed counters are read.
    void bring_up_to_date();
    /// Lists the counters under this module's hierarchical name.
    virtual void list_statistics(kernel::statistics& list) const;

protected:
    /// Name and kind of a half among the blocks of kernel::statistics.
    std::string half_name(subnet s) const;
    static constexpr const char* half_kind = "network_half";

    /// Whether push(), room(), head() and remove_head() for different ports may be called on
    /// different threads of the host at the same time.
    enum class port_use : bool { together, apart };

    /// @param flit_bytes  unit of buffers and links; 0: every packet is one unit
    network(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
            const interconnect_config& config, unsigned flit_bytes, port_use how,
            address_decoder decoder);

    /// Free units of an injection port's buffer.
    virtual unsigned room(subnet s, unsigned port) const = 0;
    /// Puts a packet into an injection port's buffer. @pre room for it
    virtual void push(subnet s, unsigned port, const packet& p) = 0;
    /// Something has been pushed into a port since the last transfer(). Called before the next.
    virtual void enter(subnet, unsigned /*port*/) {}
    /// The packet to be ejected next at a port, or nullptr. Once returned it stays until removed.
    virtual tlm::tlm_generic_payload* head(subnet s, unsigned port) = 0;
    /// Removes what head() returned.
    virtual void remove_head(subnet s, unsigned port) = 0;
    /// Moves packets by one icnt cycle; calls announce() where a head may have become visible.
    virtual void transfer() = 0;
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
    /// The first icnt cycle in which what is being pushed could move: requests are pushed after
    /// the transfer of a cycle, replies before it.
    std::uint64_t entry_cycle(subnet s) const {
        return s == requests || transferring_ ? cycles() : now();
    }
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
        bool entered = false;                      ///< used since the last transfer
    };
    struct alignas(64) entries {
        std::array<std::vector<std::uint16_t>, subnets> ports;
    };
    static constexpr std::uint64_t zero = 0;

    tlm::tlm_sync_enum on_cluster_forward(int port, tlm::tlm_generic_payload& payload,
                                          tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum on_memory_backward(int port, tlm::tlm_generic_payload& payload,
                                          tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void on_blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned on_debug(int port, tlm::tlm_generic_payload& payload);

    void on_edge();
    void note_entry(subnet s, unsigned port);
    void let_in();
    bool nothing_has_entered() const;
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
    port_use how_;
    // What blocks around the network change is kept by port: they act on several host threads.
    std::array<std::vector<unsigned char>, subnets> presented_;  // by ejection port: its head is
    std::array<std::vector<std::uint64_t>, subnets> in_, out_;   // packets, by port
    std::vector<entries> entered_;  // by host thread: injection ports used since the last transfer
    std::array<port_set, subnets> withheld_;  // of those of earlier: that may not send
    std::array<port_set, subnets> fresh_;     // ejection ports whose head may be presented
    bool transferring_ = false;
    std::array<std::uint64_t, subnets> injected_{};  // for the list of counters
    std::array<std::uint64_t, subnets> refusals_{};
};

/// Makes the network that a configuration asks for.
/// @throws kernel::user_error  when the configuration cannot be built
std::unique_ptr<network> make_network(const sc_core::sc_module_name& name,
                                      kernel::phase_sequencer& sequencer,
                                      const interconnect_config& config, address_decoder decoder);

}  // namespace simtlm::interconnect
