// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"

#include <cstdint>

namespace simtlm::cache {

/// The packets in which an SM sends its requests to the L2 in one core cycle. Every request is one
/// sector. A written sector, or an atomic, is a packet. A read sector is a packet as well, or, with
/// `whole_lines`, part of the packet before it if that reads the same line: NVIDIA's profilers
/// count requests of the L1 to the L2 that access up to four sectors of a line (Nsight Compute,
/// metrics lts__t_requests and lts__t_sectors).
class request_packets {
public:
    /// @param most  packets per core cycle
    request_packets(unsigned most, bool whole_lines) : left_(most), whole_lines_(whole_lines) {}

    /// Whether the next request of this cycle can be sent; adds it if so.
    bool add(std::uint64_t address, bool reads) {
        const std::uint64_t line = address / (sectors_per_line * sector_bytes);
        if (!reads || line != line_) {
            if (left_ == 0) return false;
            --left_;
        }
        line_ = reads && whole_lines_ ? line : none;
        return true;
    }

    unsigned left() const { return left_; }
    /// Adds packets to the last one that was added, if the cycle has room for all of them.
    bool take(unsigned count) {
        if (count > left_) return false;
        left_ -= count;
        return true;
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    unsigned left_;
    bool whole_lines_;
    std::uint64_t line_ = none;  // read by the last packet, if it can read more sectors
};

}  // namespace simtlm::cache
