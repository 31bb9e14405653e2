// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/stream_buffer.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Parameters of the L0 instruction cache of a sub-core.
struct l0_instruction_cache_config {
    unsigned sets = 8;
    unsigned ways = 32;
    unsigned line_bytes = 128;
    unsigned stream_buffer_lines = 8;  ///< 0: no prefetcher
    bool perfect = false;              ///< every fetch hits
};

/// Counters of the L0 instruction cache of a sub-core.
struct l0_statistics {
    std::uint64_t fetches = 0, hits = 0, stream_hits = 0, misses = 0, prefetches = 0;
};

/// The L0 instruction cache of a sub-core with its stream buffer, in front of the L1 instruction
/// cache shared by the sub-cores (Huerta et al., section 5.2). LRU replacement. Missed lines and
/// prefetched lines are requested through the same queue, one line per cycle.
class l0_instruction_cache {
public:
    enum class answer : std::uint8_t { hit, miss };

    explicit l0_instruction_cache(const l0_instruction_cache_config& config)
        : config_(config),
          lines_(std::size_t{config.sets} * config.ways),
          stream_(config.stream_buffer_lines, config.line_bytes) {}

    std::uint64_t line_of(std::uint64_t address) const {
        return address & ~std::uint64_t{config_.line_bytes - 1};
    }
    /// Fetches an instruction. A missed line is requested once, even if it is fetched repeatedly.
    answer fetch(std::uint64_t address);
    /// Whether a line is to be requested from the L1.
    bool has_request() const { return !missed_.empty() || stream_.wants_line(); }
    /// The line to be requested in this cycle. @pre has_request()
    std::uint64_t take_request();
    /// A line has arrived from the L1.
    void arrived(std::uint64_t line);
    /// Invalidates all lines at the end of a kernel.
    void invalidate();

    const l0_statistics& statistics() const { return statistics_; }
    const stream_buffer& stream() const { return stream_; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    struct entry {
        std::uint64_t line = none;
        std::uint64_t used = 0;
    };
    entry* find(std::uint64_t line);
    void fill(std::uint64_t line);

    l0_instruction_cache_config config_;
    std::vector<entry> lines_;  // ordered by set
    stream_buffer stream_;
    std::vector<std::uint64_t> missed_;   // to be requested, oldest first
    std::vector<std::uint64_t> awaited_;  // requested by a fetch
    std::uint64_t uses_ = 0;
    std::uint64_t latest_ = none;  // line of the last hit
    l0_statistics statistics_;
};

}  // namespace simtlm::core::sub_core_pipeline
