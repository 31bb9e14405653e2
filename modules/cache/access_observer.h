// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"

#include <tlm>

namespace simtlm::cache {

/// Observes the accesses of a cache, for a profile. Must not change the cache.
struct access_observer {
    virtual ~access_observer() = default;
    /// Called when the cache's statistics have counted an access. @param outcome  as counted
    virtual void accessed(const tlm::tlm_generic_payload& p, access_outcome outcome) = 0;
};

}  // namespace simtlm::cache
