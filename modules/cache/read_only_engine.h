// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"

namespace simtlm::cache {

/// Engine of a read-only cache, for instructions or constants.
class read_only_engine : public cache_engine {
public:
    explicit read_only_engine(const cache_config& config) : cache_engine(config) {}

    /// Performs an access. @pre a read of at most one line  @param now  core cycles
    access_result access(tlm::tlm_generic_payload& p, std::uint64_t now);
};

}  // namespace simtlm::cache
