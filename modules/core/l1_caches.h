// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_statistics.h"
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/core/core_config.h"
#include "modules/core/memory_port.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/statistics.h"

#include <cstdint>

namespace simtlm::core {

/// The kinds of first-level caches of an SM, for reports; a core may lack any of them.
enum class l1_cache : std::uint8_t { instruction, data, constant, texture };

/// The first-level caches of an SM: modules named l1i, l1c, l1t and l1d below the SM that
/// constructs them.
class l1_caches {
public:
    /// Parameters of the caches.
    struct config {
        cache::read_only_cache::config instruction, constant;
        cache::cache_config texture;
        cache::l1_data_cache::config data;
    };
    /// The parameters common to all core models. The latency of the data cache is set by the core
    /// model.
    static config from(const sm_config& sm);

    l1_caches(simulation::phase_sequencer& sequencer, const config& c,
              protocol::transaction_pool& transactions);

    cache::read_only_cache instruction, constant;
    cache::texture_cache texture;
    cache::l1_data_cache data;

    /// Binds the memory sides to the SM's port to the memory system.
    void connect(memory_port& port);
    /// Whether no cache has an access, a miss or a response.
    bool idle() const;
    /// Statistics of one cache; valid between edges.
    const cache::cache_statistics& statistics_of(l1_cache which);
    void register_statistics(support::statistics& list) const;
    /// Updates all registered statistics.
    void update_counters();
    /// Adds an observer of accesses to the data, constant and texture caches.
    void observe(cache::access_observer& observer);
    /// Cycles in which a miss of any of the caches stalled because the memory port was full.
    std::uint64_t back_pressure_cycles();
    void checkpoint(support::archive& a);
};

}  // namespace simtlm::core
