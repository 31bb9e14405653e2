// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/flit.h"
#include "modules/interconnect/packet.h"
#include "modules/interconnect/router_settings.h"
#include "modules/interconnect/topology.h"
#include "modules/interconnect/vc_router.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/counter_table.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::interconnect {

/// Statistics of latencies in icnt cycles: sum, extremes, and number in [2^i, 2^(i+1)).
struct latency_record {
    std::uint64_t samples = 0;
    std::uint64_t sum = 0;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    std::array<std::uint64_t, 24> histogram{};  ///< the first includes 0 and 1, the last all longer
                                                ///< ones

    void add(std::uint64_t latency) {
        ++samples;
        sum += latency;
        if (latency < least) least = latency;
        if (latency > most) most = latency;
        const unsigned i = latency < 2 ? 0u : 63u - static_cast<unsigned>(__builtin_clzll(latency));
        ++histogram[i < histogram.size() ? i : histogram.size() - 1];
    }
    /// Adds the samples of another record.
    void add(const latency_record& o);
};

/// One half of a network of routers: the routers, the channels, and at every node the queues of
/// GPGPU-Sim's interface. Injected packets wait in an input buffer, as flits; the first flit leaves
/// when the router has a free virtual channel with buffer space; one flit leaves per cycle.
/// Arriving flits enter the ejection buffer of their virtual channel, from which one flit per
/// virtual channel and cycle moves to the boundary buffer if it has room; its credit returns, one
/// per node and cycle. A packet can be taken when its last flit is in the boundary buffer.
class router_subnet {
public:
    /// Traffic of a node.
    struct node_counters {
        std::uint64_t sent_packets = 0;
        std::uint64_t sent_flits = 0;
        std::uint64_t accepted_packets = 0;
        std::uint64_t accepted_flits = 0;
    };
    /// Latencies of delivered packets, in icnt cycles.
    struct records {
        latency_record packet;   ///< from entering the input buffer to leaving the ejection buffer
        latency_record network;  ///< from leaving the input buffer to leaving the ejection buffer
        latency_record flit;     ///< the same, of every flit
        latency_record fragmentation;  ///< serialisation time of a packet beyond its number of
                                       ///< flits
        std::uint64_t hops = 0;        ///< routers passed, over all packets
        std::uint64_t flit_hops = 0;   ///< the same, over all flits; never reset
    };

    router_subnet(const router_settings& settings, const topology& map);
    ~router_subnet();
    router_subnet(router_subnet&&) noexcept;

    /// Free entries of a node's input buffer, in flits.
    unsigned room(unsigned n) const { return settings_.input_buffer - nodes_[n].queued; }
    /// Injects a packet at a node. @param created  the icnt cycle from which its latency is
    /// measured
    void push(unsigned n, unsigned destination, const packet& p, vc_range vcs,
              std::uint64_t created);
    /// The packet to be taken next at a node, round-robin over virtual channels, or nullptr.
    tlm::tlm_generic_payload* head(unsigned n);
    /// @return the number of its flits
    unsigned remove_head(unsigned n);
    /// Performs one icnt cycle. @param arrived  nodes at which a packet became complete are added
    void cycle(std::uint64_t now, port_set& arrived);
    /// Whether nothing moves until a packet is pushed or taken.
    bool idle() const;

    const records& recorded() const { return records_; }
    const node_counters& counted(unsigned n) const { return nodes_[n].counters; }
    std::uint64_t flits_inside() const { return flits_inside_; }
    /// Resets the records and the counters of the nodes, except records::flit_hops.
    void restart_records();
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    /// The packets of one virtual channel whose flits wait to be taken.
    struct boundary {
        struct complete_packet {
            tlm::tlm_generic_payload* payload;
            unsigned flits;
        };
        unsigned flits = 0;    // all
        unsigned partial = 0;  // of the incomplete packet
        growing_fifo<complete_packet> complete;
    };
    struct node {
        explicit node(const router_settings& s) : credits(s), ejection(s.vcs), boundaries(s.vcs) {}
        // Injection.
        growing_fifo<traveller*> queue;
        std::uint64_t pushed = 0;  // packets
        unsigned queued = 0;       // flits
        unsigned sent = 0;         // flits of the first packet
        unsigned vc = 0;           // of the first packet, once its head is sent
        unsigned last_vc = ~0u;
        credit_counter credits;
        // Ejection.
        std::vector<growing_fifo<flit>> ejection;  // by virtual channel
        unsigned ejecting = 0;                     // flits in ejection
        std::vector<boundary> boundaries;          // by virtual channel
        growing_fifo<flit> ejected;                // those whose credits have not returned yet
        unsigned next_vc = 0;
        unsigned chosen = ~0u;  // virtual channel of the head
        node_counters counters;
    };

    void receive(std::uint64_t now);
    void eject(unsigned n, std::uint64_t now, port_set& arrived);
    void inject(unsigned n, std::uint64_t now);
    void retire(const flit& f, std::uint64_t now);
    traveller* make_traveller();

    const router_settings& settings_;
    const topology& map_;
    std::vector<vc_router> routers_;
    std::vector<node> nodes_;
    channel_wheel channels_;
    port_set active_routers_;
    port_set injecting_;
    port_set ejecting_;
    std::vector<std::unique_ptr<traveller[]>> slabs_;
    std::vector<traveller*> free_;
    std::uint64_t flits_inside_ = 0;
    records records_;
};

inline constexpr support::counter<router_subnet::records> router_counters[] = {
    support::count<&router_subnet::records::packet, &latency_record::samples>(
        "packet_latency_samples", "packets",
        "from entering the input buffer to leaving the network"),
    support::count<&router_subnet::records::packet, &latency_record::sum>(
        "packet_latency_sum", "icnt cycles",
        "from entering the input buffer to leaving the network"),
    support::minimum<&router_subnet::records::packet, &latency_record::least>(
        "packet_latency_least", "icnt cycles", "the least of them"),
    support::maximum<&router_subnet::records::packet, &latency_record::most>(
        "packet_latency_most", "icnt cycles", "the most of them"),
    support::count<&router_subnet::records::packet, &latency_record::histogram>(
        "packet_latency_table", "packets", "by 2^i icnt cycles", support::number_label),
    support::count<&router_subnet::records::network, &latency_record::samples>(
        "network_latency_samples", "packets",
        "from leaving the input buffer to leaving the network"),
    support::count<&router_subnet::records::network, &latency_record::sum>(
        "network_latency_sum", "icnt cycles",
        "from leaving the input buffer to leaving the network"),
    support::minimum<&router_subnet::records::network, &latency_record::least>(
        "network_latency_least", "icnt cycles", "the least of them"),
    support::maximum<&router_subnet::records::network, &latency_record::most>(
        "network_latency_most", "icnt cycles", "the most of them"),
    support::count<&router_subnet::records::network, &latency_record::histogram>(
        "network_latency_table", "packets", "by 2^i icnt cycles", support::number_label),
    support::count<&router_subnet::records::flit, &latency_record::samples>(
        "flit_latency_samples", "flits", "of every flit, from leaving the input buffer"),
    support::count<&router_subnet::records::flit, &latency_record::sum>(
        "flit_latency_sum", "icnt cycles", "of every flit, from leaving the input buffer"),
    support::minimum<&router_subnet::records::flit, &latency_record::least>(
        "flit_latency_least", "icnt cycles", "the least of them"),
    support::maximum<&router_subnet::records::flit, &latency_record::most>(
        "flit_latency_most", "icnt cycles", "the most of them"),
    support::count<&router_subnet::records::flit, &latency_record::histogram>(
        "flit_latency_table", "flits", "by 2^i icnt cycles", support::number_label),
    support::count<&router_subnet::records::fragmentation, &latency_record::samples>(
        "fragmentation_samples", "packets",
        "time between the first and the last flit beyond the length of the packet"),
    support::count<&router_subnet::records::fragmentation, &latency_record::sum>(
        "fragmentation_sum", "icnt cycles",
        "time between the first and the last flit beyond the length of the packet"),
    support::minimum<&router_subnet::records::fragmentation, &latency_record::least>(
        "fragmentation_least", "icnt cycles", "the least of them"),
    support::maximum<&router_subnet::records::fragmentation, &latency_record::most>(
        "fragmentation_most", "icnt cycles", "the most of them"),
    support::count<&router_subnet::records::fragmentation, &latency_record::histogram>(
        "fragmentation_table", "packets", "by 2^i icnt cycles", support::number_label),
    support::count<&router_subnet::records::hops>("hops", "routers", "passed, over all packets"),
    support::count<&router_subnet::records::flit_hops>("flit_hops", "routers",
                                                       "passed, over all flits"),
};
constexpr const auto& counters_of(const router_subnet::records*) {
    return router_counters;
}
static_assert(support::covers(router_counters));

inline constexpr support::counter<router_subnet::node_counters> node_counters_table[] = {
    support::count<&router_subnet::node_counters::sent_packets>("sent_packets", "packets",
                                                                "that the node sent"),
    support::count<&router_subnet::node_counters::sent_flits>("sent_flits", "flits",
                                                              "that the node sent"),
    support::count<&router_subnet::node_counters::accepted_packets>("accepted_packets", "packets",
                                                                    "that the node received"),
    support::count<&router_subnet::node_counters::accepted_flits>("accepted_flits", "flits",
                                                                  "that the node received"),
};
constexpr const auto& counters_of(const router_subnet::node_counters*) {
    return node_counters_table;
}
static_assert(support::covers(node_counters_table));

}  // namespace simtlm::interconnect
