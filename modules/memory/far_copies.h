// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace simtlm::memory {

/// Sectors of an L2 slice of which the other partition of the L2 holds a copy.
///
/// The L2 of A100 and H100 consists of two partitions, each close to half of the SMs. The point of
/// coherence of a sector is in one of them. A read from the other half goes there and leaves a copy
/// on its way back, which serves later reads of that half; a write or an atomic goes to the point
/// of coherence and invalidates the copy. This agrees with measured latencies: near hits (208
/// cycles on A100, 258 on H800) for data that have been read before, far hits (357, 414) for the
/// first read (arXiv 2402.13499, 2501.12084). Copies replace each other as in a direct-mapped
/// cache.
class far_copies {
public:
    /// @param sectors  capacity of the other partition
    /// @param latency  core cycles from the read that crosses until its copy can serve others
    far_copies(std::size_t sectors, unsigned latency) : copies_(sectors), latency_(latency) {}

    /// A read from the other half. @param now  core cycle
    /// @return whether a copy serves it; otherwise it leaves a copy
    bool read(std::uint64_t sector, std::uint64_t now) {
        copy& place = copies_[sector % copies_.size()];
        if (place.sector == sector) return now >= place.there_from;
        place = {sector, now + latency_};
        return false;
    }
    /// Invalidates the copy after a write or an atomic from either half.
    void written(std::uint64_t sector) {
        if (copies_.empty()) return;
        copy& place = copies_[sector % copies_.size()];
        if (place.sector == sector) place = {};
    }
    void clear() { copies_.assign(copies_.size(), {}); }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a.plain(copies_);
    }

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    struct copy {
        std::uint64_t sector = none;
        std::uint64_t there_from = 0;  // core cycle from which the copy can serve reads
    };
    std::vector<copy> copies_;
    unsigned latency_;
};

}  // namespace simtlm::memory
