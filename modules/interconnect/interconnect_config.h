// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::interconnect {

/// The network model (-network_mode).
enum class network_kind : std::uint8_t {
    router = 1,    ///< -network_mode 1: virtual-channel routers, -inter_config_file
    crossbar = 2,  ///< -network_mode 2: the built-in crossbar
    perfect = 3,   ///< -network_mode 3: no contention, one cycle
};
enum class crossbar_arbiter : std::uint8_t { round_robin = 0, islip = 1 };

/// The built-in crossbar (-icnt_*).
struct crossbar_config {
    unsigned in_buffer_limit = 64;   ///< packets
    unsigned out_buffer_limit = 64;  ///< packets
    unsigned subnets = 2;
    crossbar_arbiter arbiter = crossbar_arbiter::islip;
    unsigned grant_cycles = 1;  ///< -icnt_grant_cycles
    unsigned speedup = 1;       ///< -icnt_speedup: passes of the switch per cycle
    unsigned gpc_flits = 0;     ///< -icnt_gpc_flits per cycle, in thousandths; 0: no shared links
    std::vector<unsigned> gpc_of_cluster;   ///< -gpgpu_gpc_sms; by port
    bool quirk_packet_is_one_flit = false;  ///< the flit size is ignored, as in GPGPU-Sim
};

/// The key and value pairs of a booksim configuration file, uninterpreted; the router network
/// interprets and validates them.
struct router_config {
    std::string file;
    std::map<std::string, std::string> values;
    std::map<std::string, unsigned> lines;  ///< of the file, by key
};

/// The network between SM clusters and memory sub-partitions.
struct interconnect_config {
    network_kind kind = network_kind::crossbar;
    unsigned flit_bytes = 32;  ///< -icnt_flit_size
    /// Ports of SM clusters and, after them, of the caches of GPCs: nodes 0 .. clusters-1.
    unsigned clusters = 1;
    unsigned memories = 1;  ///< nodes clusters .. clusters+memories-1 (sub-partitions)
    /// Number of consecutive memory nodes that belong to one partition and are run by one host
    /// thread.
    unsigned memories_per_partition = 1;
    crossbar_config crossbar;
    router_config router;
};

}  // namespace simtlm::interconnect
