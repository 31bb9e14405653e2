// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/port_set.h"
#include "modules/interconnect/router_settings.h"
#include "modules/kernel/archive_fwd.h"

#include <memory>
#include <vector>

namespace simtlm::interconnect {

/// Matches requesters with resources: every requester gets at most one, every resource goes to at
/// most one. A round is: request() as often as needed, allocate(), granted(), clear().
class allocator {
public:
    static constexpr unsigned none = port_set::none;
    virtual ~allocator() = default;

    void request(unsigned requester, unsigned resource) {
        wanted_[requester].insert(resource);
        wanting_[resource].insert(requester);
        requesters_.insert(requester);
        resources_.insert(resource);
    }
    bool requested(unsigned requester, unsigned resource) const {
        return wanted_[requester].contains(resource);
    }
    virtual void allocate() = 0;
    /// What it remembers from cycle to cycle.
    virtual void checkpoint(kernel::archive& a) = 0;
    /// What a requester was given, or none.
    unsigned granted(unsigned requester) const { return given_[requester]; }
    /// Forgets requests and grants; priorities stay.
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
    port_set requesters_;            // with requests
    port_set resources_;             // with requests
    std::vector<unsigned> given_;    // by requester
    std::vector<unsigned> owner_;    // by resource
};

/// iSLIP: free resources propose round-robin, free requesters accept round-robin, several times;
/// priorities move with acceptances of the first time only.
std::unique_ptr<allocator> make_islip_allocator(unsigned requesters, unsigned resources,
                                                unsigned iterations);
/// Separable, input first: requesters choose one resource round-robin, resources one of those
/// that chose them; priorities move for what was granted.
std::unique_ptr<allocator> make_separable_allocator(unsigned requesters, unsigned resources);

inline std::unique_ptr<allocator> make_allocator(const allocator_settings& s, unsigned requesters,
                                                 unsigned resources) {
    return s.algorithm == allocator_settings::kind::islip
               ? make_islip_allocator(requesters, resources, s.iterations)
               : make_separable_allocator(requesters, resources);
}

}  // namespace simtlm::interconnect
