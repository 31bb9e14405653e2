// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"

#include <tlm>

namespace simtlm::cache {

/// Who watches the accesses of a cache, for a profile. Changes nothing.
struct access_observer {
    virtual ~access_observer() = default;
    /// The cache's statistics have booked an access. @param outcome  as they have it
    virtual void accessed(const tlm::tlm_generic_payload& p, access_outcome outcome) = 0;
};

}  // namespace simtlm::cache
