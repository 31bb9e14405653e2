// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar_switch.h"
#include "modules/interconnect/switch_arbiter.h"
#include "modules/support/archive.h"

#include <vector>

namespace simtlm::interconnect {

namespace {
class round_robin_arbiter final : public switch_arbiter {
public:
    round_robin_arbiter(unsigned outputs, unsigned first_node, unsigned nodes)
        : granted_in_(outputs, 0), first_node_(first_node), nodes_(nodes) {}

    void arbitrate(crossbar_switch& fabric, std::uint64_t cycle) override {
        if (fabric.waiting_inputs() == 0) return;
        // The priority rotates in every cycle, including idle ones, so it is computed from the
        // cycle number.
        const auto rotation = static_cast<unsigned>(cycle % nodes_);
        unsigned first = rotation >= first_node_ ? rotation - first_node_ : 0;
        if (first >= fabric.inputs()) first = 0;
        const port_set& waiting = fabric.waiting();
        for (unsigned i = waiting.at_or_after(first); i != port_set::none;
             i = waiting.at_or_after(i + 1))
            serve(fabric, i, cycle);
        for (unsigned i = waiting.at_or_after(0); i < first; i = waiting.at_or_after(i + 1))
            serve(fabric, i, cycle);
    }
    void checkpoint(support::archive& a) override { a(granted_in_); }

private:
    void serve(crossbar_switch& fabric, unsigned input, std::uint64_t cycle) {
        const packet& p = fabric.front(input);
        const unsigned output = p.destination;
        const bool taken = granted_in_[output] == cycle + 1;
        if (taken) ++fabric.count().conflicts;
        if (fabric.full(output)) {
            ++fabric.count().out_full;
        } else if (!taken && fabric.accepts(output, p)) {
            granted_in_[output] = cycle + 1;
            fabric.grant(input);
        }
    }

    std::vector<std::uint64_t> granted_in_;  // by output: 1 + cycle of the last grant
    unsigned first_node_;
    unsigned nodes_;
};
}  // namespace

std::unique_ptr<switch_arbiter> make_round_robin_arbiter(unsigned outputs, unsigned first_node,
                                                         unsigned nodes) {
    return std::make_unique<round_robin_arbiter>(outputs, first_node, nodes);
}

}  // namespace simtlm::interconnect
