// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace simtlm::memory {

/// Copies of sectors of an L2 slice that are on their way to the other partition of the L2.
///
/// The L2 of A100 and H100 consists of two partitions, each close to half of the SMs. The point of
/// coherence of a sector is in one of them. A read from the other half goes there and leaves a copy
/// on its way back (data_cache::read_copy), which serves later reads of that half; a write or an
/// atomic goes to the point of coherence and invalidates the copy. This agrees with measured
/// latencies: near hits (208 cycles on A100, 258 on H800) for data that have been read before, far
/// hits (357, 414) for the first read (arXiv 2402.13499, 2501.12084). Copies leave a slice at an
/// interval, the rate of its port to the fabric between the partitions. Writes do not pass this
/// fabric (NVIDIA's memory chart of a streaming kernel on Hopper).
class far_copies {
public:
    /// @param latency   core cycles from the read that crosses until its copy can serve others
    /// @param interval  thousandths of a core cycle between two copies; 0: no limit
    far_copies(unsigned latency, unsigned interval)
        : copies_(latency == 0 ? 0 : max_copies), latency_(latency), interval_(interval) {}

    /// A read leaves a copy, as soon as the port is free. @param now  core cycle
    void leave(std::uint64_t sector, std::uint64_t now) {
        const std::uint64_t sent = std::max(now * interval_scale, port_free_);
        port_free_ = sent + interval_;
        copies_[sector % max_copies] = {sector, sent / interval_scale + latency_};
    }
    /// Core cycle at which the copy of a sector leaves or, if it has left, now.
    std::uint64_t departure(std::uint64_t sector, std::uint64_t now) const {
        const copy& place = copies_[sector % max_copies];
        return place.sector == sector ? std::max(now, place.arrives - latency_) : now;
    }
    /// Whether copies wait for one another.
    bool limited() const { return interval_ != 0; }
    /// Whether the copy of a sector has arrived.
    bool arrived(std::uint64_t sector, std::uint64_t now) const {
        const copy& place = copies_[sector % max_copies];
        return place.sector != sector || now >= place.arrives;
    }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a.plain(copies_);
    }

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    struct copy {
        std::uint64_t sector = none;
        std::uint64_t arrives = 0;  // core cycle
    };
    static constexpr std::uint64_t interval_scale = 1000;
    static constexpr std::size_t max_copies = 512;  // more than a slice sends within the latency

    std::vector<copy> copies_;
    unsigned latency_, interval_;
    std::uint64_t port_free_ = 0;  // thousandths of a core cycle
};

}  // namespace simtlm::memory
