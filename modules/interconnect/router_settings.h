// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/interconnect_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::interconnect {

/// The virtual channels first .. last.
struct vc_range {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    std::uint64_t mask() const { return (~std::uint64_t{0} >> (63 - (last - first))) << first; }
};

enum class topology_kind : std::uint8_t { fly, mesh, torus };

/// Kind of a separable allocator.
struct allocator_settings {
    enum class kind : std::uint8_t { islip, separable_input_first };
    kind algorithm = kind::islip;
    unsigned iterations = 1;  ///< iSLIP only
};

/// An interpreted and validated booksim configuration. Defaults are those of booksim.
struct router_settings {
    topology_kind topology = topology_kind::torus;
    unsigned k = 8;               ///< radix (fly) or nodes per dimension
    unsigned n = 2;               ///< stages or dimensions
    bool use_noc_latency = true;  ///< torus links take two cycles

    unsigned vcs = 16;
    unsigned vc_buffer = 8;         ///< flits per virtual channel
    unsigned input_buffer = 9;      ///< flits waiting at a node, per subnet
    unsigned ejection_buffer = 8;   ///< flits per node and virtual channel
    unsigned boundary_buffer = 16;  ///< flits per node and virtual channel
    int output_buffer = -1;         ///< flits per router output, -1: unlimited
    unsigned flit_bytes = 32;

    vc_range read_request, write_request, read_reply, write_reply;

    bool wait_for_tail_credit = false;
    bool vc_busy_when_full = false;
    bool hold_switch_for_packet = false;
    unsigned credit_delay = 0;   ///< icnt cycles, as all delays
    unsigned routing_delay = 1;  ///< 0: lookahead
    unsigned vc_alloc_delay = 1;
    unsigned sw_alloc_delay = 1;
    unsigned crossbar_delay = 1;  ///< st_prepare_delay + st_final_delay
    unsigned input_speedup = 1;
    unsigned output_speedup = 1;
    double internal_speedup = 1;  ///< internal steps per icnt cycle
    allocator_settings vc_allocator, sw_allocator;

    /// The node of each cluster, followed by that of each memory.
    std::vector<unsigned> node_of;
};

/// Interprets config.router. @throws support::user_error naming the file and the key
router_settings interpret_router_config(const interconnect_config& config);

}  // namespace simtlm::interconnect
