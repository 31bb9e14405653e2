// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
#include "modules/memory/address_mapping.h"
#include "modules/protocol/request_order.h"

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

namespace simtlm::memory {

/// Random partition indexing: places the memory that is used for the first time in a core cycle,
/// SM after SM. The order of first uses decides, and the order in which SystemC runs the SMs must
/// not, so that this block also lets the SMs inject one after the other. What goes through an L1 is
/// placed when it is looked up there, and what goes past it when it enters the network.
class address_placement : public kernel::clocked_module, public protocol::request_order {
public:
    struct order {
        unsigned clusters = 1;
        unsigned sms_per_cluster = 1;
        /// The SMs act one after the other in this order, so that first uses come in it.
        bool given = false;
    };

    address_placement(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                      const order& sms, address_mapping& mapping);

    /// @param inject  gives the turn to an SM of a cluster
    /// @param first   the SM of a cluster that is the first in a core cycle
    void set_turns(std::function<void(unsigned cluster, unsigned sm)> inject,
                   std::function<unsigned(unsigned cluster, std::uint64_t cycle)> first) {
        inject_ = std::move(inject);
        first_ = std::move(first);
    }

    void touched(unsigned sm, std::uint64_t address, stage by) override;
    void enters(std::uint64_t address) override { mapping_.place(address); }
    void wants_turn() override { process_.wake(); }

private:
    using addresses = std::vector<std::uint64_t>;

    void take_turns();
    void place(addresses& touched);

    order order_;
    address_mapping& mapping_;
    std::function<void(unsigned, unsigned)> inject_;
    std::function<unsigned(unsigned, std::uint64_t)> first_;
    std::vector<std::array<addresses, 2>> touched_;  // in this core cycle, by SM and stage
    kernel::clocked_process process_;
};

}  // namespace simtlm::memory
