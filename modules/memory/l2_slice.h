// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/data_cache.h"

#include <systemc>

namespace simtlm::memory {

/// The L2 bank of a memory sub-partition, which performs its look-ups and fills in phase l2_slice:
/// tags, MSHRs, miss queue, data and fill ports.
class l2_slice final : public sc_core::sc_module, public cache::data_cache {
public:
    l2_slice(const sc_core::sc_module_name& name, const cache::cache_config& config,
             protocol::transaction_pool& pool)
        : sc_module(name), data_cache(config, cache::l2_level, pool) {}
    const char* kind() const override { return "l2_slice"; }
};

}  // namespace simtlm::memory
