// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "modules/waveforms/signal_list.h"

#include <string>

namespace simtlm::cache {

/// Registers the counters of a cache as signals, per cycle of a clock domain.
/// @param s  must live as long as the simulation
inline void register_signals(waveforms::signal_list& list, const std::string& base, unsigned domain,
                             const cache_statistics& s) {
    list.events(base + ".access", 4, domain, [&s] { return s.accesses; });
    list.events(base + ".hit", 4, domain, [&s] { return s.accesses - s.misses - s.pending_hits; });
    list.events(base + ".pending_hit", 4, domain, [&s] { return s.pending_hits; });
    list.events(base + ".miss", 4, domain, [&s] { return s.misses; });
    list.events(base + ".fail", 4, domain, [&s] { return s.reservation_fails; });
}

}  // namespace simtlm::cache
