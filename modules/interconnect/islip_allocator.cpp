// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/allocator.h"
#include "modules/support/archive.h"

namespace simtlm::interconnect {

namespace {
class islip_allocator final : public allocator {
public:
    islip_allocator(unsigned requesters, unsigned resources, unsigned iterations)
        : allocator(requesters, resources),
          propose_first_(resources, 0),
          accept_first_(requesters, 0),
          proposal_(resources, none),
          iterations_(iterations) {}

    void allocate() override {
        for (unsigned i = 0; i < iterations_; ++i) {
            resources_.for_each([this](unsigned r) { proposal_[r] = propose(r); });
            requesters_.for_each([this, i](unsigned r) { accept(r, i == 0); });
        }
    }
    void checkpoint(support::archive& a) override { a(propose_first_, accept_first_); }

private:
    unsigned propose(unsigned resource) const {
        if (owner_[resource] != none) return none;
        const port_set& wanting = wanting_[resource];
        const unsigned first = propose_first_[resource];
        for (unsigned r = wanting.at_or_after(first); r != none; r = wanting.at_or_after(r + 1))
            if (given_[r] == none) return r;
        for (unsigned r = wanting.at_or_after(0); r < first; r = wanting.at_or_after(r + 1))
            if (given_[r] == none) return r;
        return none;
    }
    void accept(unsigned requester, bool moves_priorities) {
        const port_set& wanted = wanted_[requester];
        const unsigned first = accept_first_[requester];
        unsigned r = wanted.at_or_after(first);
        while (r != none && proposal_[r] != requester) r = wanted.at_or_after(r + 1);
        if (r == none) {
            r = wanted.at_or_after(0);
            while (r < first && proposal_[r] != requester) r = wanted.at_or_after(r + 1);
            if (r >= first) return;
        }
        match(requester, r);
        if (!moves_priorities) return;
        propose_first_[r] = requester + 1;
        accept_first_[requester] = r + 1;
    }

    std::vector<unsigned> propose_first_;  // by resource
    std::vector<unsigned> accept_first_;   // by requester
    std::vector<unsigned> proposal_;       // by resource
    unsigned iterations_;
};
}  // namespace

std::unique_ptr<allocator> make_islip_allocator(unsigned requesters, unsigned resources,
                                                unsigned iterations) {
    return std::make_unique<islip_allocator>(requesters, resources, iterations);
}

}  // namespace simtlm::interconnect
