// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar_switch.h"
#include "modules/interconnect/switch_arbiter.h"
#include "modules/support/archive.h"

#include <vector>

namespace simtlm::interconnect {

namespace {
class islip_arbiter final : public switch_arbiter {
public:
    islip_arbiter(unsigned outputs, unsigned grant_cycles)
        : next_(outputs, 0), grant_cycles_(grant_cycles), grant_left_(grant_cycles) {}

    void arbitrate(crossbar_switch& fabric, std::uint64_t) override {
        auto& count = fabric.count();
        count.out_full += fabric.full_outputs();
        if (fabric.waiting_inputs() == 0) return;
        count.conflicts += fabric.waiting_inputs() - fabric.requested_outputs();
        // A grant may expose a packet for a later output: the set may grow while it is traversed.
        fabric.requested().for_each([&](unsigned output) {
            const unsigned input = fabric.requesters(output).at_or_after_cyclic(next_[output]);
            if (!fabric.accepts(output, fabric.front(input))) return;
            fabric.grant(input);
            if (grant_left_ == 1) next_[output] = input + 1;
        });
        grant_left_ = grant_left_ == 1 ? grant_cycles_ : grant_left_ - 1;
    }
    void checkpoint(support::archive& a) override { a(next_, grant_left_); }

private:
    std::vector<unsigned> next_;  // by output: input with the highest priority
    unsigned grant_cycles_;
    unsigned grant_left_;  // busy cycles until pointers advance; 1: in this one
};
}  // namespace

std::unique_ptr<switch_arbiter> make_islip_arbiter(unsigned outputs, unsigned grant_cycles) {
    return std::make_unique<islip_arbiter>(outputs, grant_cycles);
}

}  // namespace simtlm::interconnect
