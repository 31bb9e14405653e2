// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/modern/stream_buffer.h"
#include "modules/kernel/archive_fwd.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace simtlm::core::modern {

struct l0_instruction_cache_config {
    unsigned sets = 8;
    unsigned ways = 32;
    unsigned line_bytes = 128;
    unsigned stream_buffer_lines = 8;  ///< 0: no prefetcher
    bool perfect = false;              ///< every fetch hits
};

/// What the L0 instruction cache of a sub-core counts.
struct l0_statistics {
    std::uint64_t fetches = 0, hits = 0, stream_hits = 0, misses = 0, prefetches = 0;
};

/// The L0 instruction cache of a sub-core with its stream buffer, in front of the L1 instruction
/// cache that the sub-cores share (Huerta et al., section 5.2). Lines are replaced by least recent
/// use. A line that has missed and one that the buffer asks for leave through the same queue of
/// requests, a line a cycle.
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
    /// An instruction is fetched. A miss is asked for once, whoever asks again.
    answer fetch(std::uint64_t address);
    /// Something is to be sent to the L1.
    bool has_request() const { return !missed_.empty() || stream_.wants_line(); }
    /// The line to be sent in this cycle. @pre has_request()
    std::uint64_t take_request();
    /// A line has come from the L1.
    void arrived(std::uint64_t line);
    /// The end of a kernel: lines of other code follow.
    void invalidate();

    const l0_statistics& statistics() const { return statistics_; }
    const stream_buffer& stream() const { return stream_; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(kernel::archive& a);

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    struct entry {
        std::uint64_t line = none;
        std::uint64_t used = 0;
    };
    entry* find(std::uint64_t line);
    void fill(std::uint64_t line);

    l0_instruction_cache_config config_;
    std::vector<entry> lines_;  // set after set
    stream_buffer stream_;
    std::vector<std::uint64_t> missed_;   // to be asked for, the oldest first
    std::vector<std::uint64_t> awaited_;  // asked for by a fetch
    std::uint64_t uses_ = 0;
    std::uint64_t latest_ = none;  // the line of the last hit
    l0_statistics statistics_;
};

}  // namespace simtlm::core::modern
