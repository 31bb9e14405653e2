// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_statistics.h"
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/core/core_config.h"
#include "modules/core/memory_port.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/statistics.h"

#include <cstdint>

namespace simtlm::core {

/// The first-level caches that reports know an SM by; a core may lack any of them.
enum class l1_cache : std::uint8_t { instruction, data, constant, texture };

/// The first-level caches of an SM, modules named l1i, l1c, l1t and l1d below the SM that
/// constructs them.
class l1_caches {
public:
    struct config {
        cache::read_only_cache::config instruction, constant;
        cache::cache_config texture;
        cache::l1_data_cache::config data;
    };
    /// What all core models take from the configuration of the SM. The latency of the data cache is
    /// that of the core model.
    static config from(const sm_config& sm);

    l1_caches(kernel::phase_sequencer& sequencer, const config& c,
              protocol::transaction_pool& transactions);

    cache::read_only_cache instruction, constant;
    cache::texture_cache texture;
    cache::l1_data_cache data;

    /// Binds the memory sides to the SM's port to the memory system.
    void connect(memory_port& port);
    bool idle() const;
    /// Statistics of one of them, up to date between edges.
    const cache::cache_statistics& statistics_of(l1_cache which);
    void register_statistics(kernel::statistics& list) const;
    /// Brings all registered statistics up to date.
    void settle();
    /// Reports accesses to the data, constant and texture caches.
    void observe(cache::access_observer& observer);
    /// Cycles in which a miss of any of them stalled because the memory port had no room.
    std::uint64_t back_pressure_cycles();
    void checkpoint(kernel::archive& a);
};

}  // namespace simtlm::core
