// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/allocator.h"
#include "modules/support/archive.h"

namespace simtlm::interconnect {

namespace {
class separable_allocator final : public allocator {
public:
    separable_allocator(unsigned requesters, unsigned resources)
        : allocator(requesters, resources),
          choose_first_(requesters, 0),
          grant_first_(resources, 0),
          chosen_by_(resources, port_set(requesters)) {}

    void allocate() override {
        requesters_.for_each([this](unsigned r) {
            chosen_by_[wanted_[r].at_or_after_cyclic(choose_first_[r])].insert(r);
        });
        resources_.for_each([this](unsigned resource) {
            const unsigned winner = chosen_by_[resource].at_or_after_cyclic(grant_first_[resource]);
            chosen_by_[resource].clear();
            if (winner == none) return;
            match(winner, resource);
            choose_first_[winner] = resource + 1;
            grant_first_[resource] = winner + 1;
        });
    }
    void checkpoint(support::archive& a) override { a(choose_first_, grant_first_); }

private:
    std::vector<unsigned> choose_first_;  // by requester
    std::vector<unsigned> grant_first_;   // by resource
    std::vector<port_set> chosen_by_;     // by resource
};
}  // namespace

std::unique_ptr<allocator> make_separable_allocator(unsigned requesters, unsigned resources) {
    return std::make_unique<separable_allocator>(requesters, resources);
}

}  // namespace simtlm::interconnect
