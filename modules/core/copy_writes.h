// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace simtlm::core {

/// The second half of the asynchronous copies of an SM (LDGSTS, cp.async): the data that have
/// arrived are written to shared memory, one row of its banks per core cycle.
class copy_writes {
public:
    /// @param row_bytes  width of the banks together
    copy_writes(warp_table& warps, unsigned row_bytes) : warps_(warps), row_bytes_(row_bytes) {}

    /// Writes the data of a copy, after those of earlier ones. @param now  core cycle
    /// @return the core cycle in which they are complete
    std::uint64_t write(const warp_instruction& copy, std::uint64_t now) {
        const unsigned bytes = std::max(1u, copy.active_lanes() * copy.data_size);
        free_at_ = std::max(free_at_, now) + (bytes + row_bytes_ - 1) / row_bytes_;
        writes_.push_back({free_at_, copy.warp, copy.copy_group});
        return free_at_;
    }
    /// Notifies the warps of the copies that are complete.
    void advance(std::uint64_t now) {
        while (next() <= now) {
            warps_.copy_arrived(writes_.front().warp, writes_.front().group);
            writes_.pop_front();
        }
    }
    /// The core cycle in which the next copy is complete; ~0: there is none.
    std::uint64_t next() const {
        return writes_.empty() ? ~std::uint64_t{0} : writes_.front().done_at;
    }
    bool idle() const { return writes_.empty(); }
    /// Saves or restores the state that persists across kernels. @pre idle()
    template <class Archive>
    void checkpoint(Archive& a) {
        a(free_at_);
    }

private:
    struct write_in_progress {
        std::uint64_t done_at;
        std::uint16_t warp;
        std::uint32_t group;
    };
    warp_table& warps_;
    const unsigned row_bytes_;
    std::uint64_t free_at_ = 0;
    std::deque<write_in_progress> writes_;
};

}  // namespace simtlm::core
