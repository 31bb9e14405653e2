// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/crossbar_switch.h"
#include "modules/interconnect/network.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::interconnect {

/// -network_mode 2: the built-in crossbar of GPGPU-Sim 4 (local_interconnect.cc): one crossbar for
/// requests and one for replies, with input and output FIFOs and an iSLIP or naive round-robin
/// arbiter. A packet injected after the transfer of icnt cycle t reaches its output after the
/// transfer of t + 1 at the earliest, and can be taken from the next l2_slice or core_receive phase
/// on.
class crossbar final : public network {
public:
    /// @throws support::user_error  for limits that cannot hold a packet, or if the number of
    ///         subnets is not two
    crossbar(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
             const interconnect_config& config, address_decoder decoder);
    const char* kind() const override { return "crossbar"; }

    void checkpoint(support::archive& a) override;
    /// For each half: injected_packets_num, cycles, injected_packets_per_cycle,
    /// conflicts_per_cycle, conflicts_per_cycle_util (per cycle with packets in input buffers),
    /// Bank_Level_Parallism (sic; packets granted per such cycle), in_buffer_full_per_cycle (see
    /// count_stalls), in_buffer_avg_util, out_buffer_full_per_cycle, out_buffer_avg_util (units per
    /// port and cycle), in single precision as in GPGPU-Sim.
    std::vector<report_value> report_values() const override;
    void list_statistics(support::statistics& list) const override;
    const crossbar_switch::counters& counted(subnet s) const { return switches_[s].counted(); }

private:
    unsigned room(subnet s, unsigned port) const override { return switches_[s].room(port); }
    void push(subnet s, unsigned port, const packet& p) override { switches_[s].push(port, p); }
    tlm::tlm_generic_payload* head(subnet s, unsigned port) override {
        return switches_[s].head(port);
    }
    unsigned remove_head(subnet s, unsigned port) override {
        return switches_[s].remove_head(port);
    }
    void has_left(subnet s, unsigned port, unsigned units) override {
        switches_[s].has_left(port, units);
    }
    void transfer(subnet s) override { switches_[s].advance(now(), arrivals(s)); }
    bool is_quiescent() const override {
        return switches_[requests].idle() && switches_[replies].idle();
    }

    std::vector<crossbar_switch> switches_;  // by subnet
};

}  // namespace simtlm::interconnect
