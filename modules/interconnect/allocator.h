// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/port_set.h"
#include "modules/interconnect/router_settings.h"
#include "modules/support/archive_fwd.h"

#include <memory>
#include <vector>

namespace simtlm::interconnect {

/// Matches requesters with resources: each requester gets at most one resource, and each resource
/// is granted to at most one requester. A round consists of any number of request() calls,
/// allocate(), granted() and clear().
class allocator {
public:
    static constexpr unsigned none = port_set::none;
    virtual ~allocator() = default;

    /// Registers a request for this round.
    void request(unsigned requester, unsigned resource) {
        wanted_[requester].insert(resource);
        wanting_[resource].insert(requester);
        requesters_.insert(requester);
        resources_.insert(resource);
    }
    bool requested(unsigned requester, unsigned resource) const {
        return wanted_[requester].contains(resource);
    }
    /// Computes the matching of this round.
    virtual void allocate() = 0;
    /// Saves or restores the state that persists across cycles.
    virtual void checkpoint(support::archive& a) = 0;
    /// @return the resource granted to a requester, or none
    unsigned granted(unsigned requester) const { return given_[requester]; }
    /// Clears requests and grants; priorities are kept.
    void clear() {
        requesters_.for_each([this](unsigned r) {
            wanted_[r].clear();
            given_[r] = none;
            requesters_.erase(r);
        });
        resources_.for_each([this](unsigned r) {
            wanting_[r].clear();
            owner_[r] = none;
            resources_.erase(r);
        });
    }

protected:
    allocator(unsigned requesters, unsigned resources)
        : wanted_(requesters, port_set(resources)),
          wanting_(resources, port_set(requesters)),
          requesters_(requesters),
          resources_(resources),
          given_(requesters, none),
          owner_(resources, none) {}
    void match(unsigned requester, unsigned resource) {
        given_[requester] = resource;
        owner_[resource] = requester;
    }

    std::vector<port_set> wanted_;   // by requester
    std::vector<port_set> wanting_;  // by resource
    port_set requesters_;            // those with requests
    port_set resources_;             // those with requests
    std::vector<unsigned> given_;    // by requester
    std::vector<unsigned> owner_;    // by resource
};

/// iSLIP: in each iteration, free resources propose round-robin and free requesters accept
/// round-robin; priorities only advance with acceptances of the first iteration.
std::unique_ptr<allocator> make_islip_allocator(unsigned requesters, unsigned resources,
                                                unsigned iterations);
/// Separable, input first: each requester selects one resource round-robin, then each resource
/// selects one of those requesters; priorities advance with grants.
std::unique_ptr<allocator> make_separable_allocator(unsigned requesters, unsigned resources);

/// The allocator of the configured algorithm.
inline std::unique_ptr<allocator> make_allocator(const allocator_settings& s, unsigned requesters,
                                                 unsigned resources) {
    return s.algorithm == allocator_settings::kind::islip
               ? make_islip_allocator(requesters, resources, s.iterations)
               : make_separable_allocator(requesters, resources);
}

}  // namespace simtlm::interconnect
