// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/address_mapping.h"
#include "modules/protocol/request_order.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

namespace simtlm::memory {

/// Random partition indexing: assigns locations to memory that is used for the first time in a core
/// cycle, SM by SM. The result depends on the order of first uses, which must not depend on the
/// order in which SystemC runs the SMs; therefore this block also makes the SMs inject one after
/// the other. Accesses through an L1 are placed at their look-up, accesses that bypass it when they
/// enter the network.
class address_placement : public simulation::clocked_module, public protocol::request_order {
public:
    /// The SMs whose first uses are ordered.
    struct order {
        unsigned clusters = 1;
        unsigned sms_per_cluster = 1;
        /// The SMs act one after the other in this order, so that first uses occur in it.
        bool given = false;
    };

    address_placement(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                      const order& sms, address_mapping& mapping);
    const char* kind() const override { return "address_placement"; }

    /// @param inject  lets an SM of a cluster inject
    /// @param first   returns the SM of a cluster that comes first in a core cycle
    void set_rotation(std::function<void(unsigned cluster, unsigned sm)> inject,
                      std::function<unsigned(unsigned cluster, std::uint64_t cycle)> first) {
        inject_ = std::move(inject);
        first_ = std::move(first);
    }

    void touched(unsigned sm, std::uint64_t address, stage by) override;
    void enters(std::uint64_t address) override { mapping_.place(address); }
    void request_service() override { process_.wake(); }

private:
    using addresses = std::vector<std::uint64_t>;

    void serve_sms();
    void place(addresses& touched);

    order order_;
    address_mapping& mapping_;
    std::function<void(unsigned, unsigned)> inject_;
    std::function<unsigned(unsigned, std::uint64_t)> first_;
    std::vector<std::array<addresses, 2>> touched_;  // in this core cycle, by SM and stage
    simulation::clocked_process process_;
};

}  // namespace simtlm::memory
