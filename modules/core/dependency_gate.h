// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cta_slots.h"
#include "modules/core/warp_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace simtlm::core {

/// The warps of an SM that wait for the end of the kernel on which their kernel depends
/// (griddepcontrol.wait).
class dependency_gate {
public:
    /// Called when a warp issues griddepcontrol.wait: it waits if that kernel has not ended.
    void wait(warp_table& warps, unsigned warp, const kernel_context& kernel) {
        if (!kernel.dependency_open) return;
        waiting_.emplace_back(warp, &kernel);
        warps.at_engine |= warp_bit(warp);
    }
    /// Releases the warps of a kernel; the kernel on which it depends has ended.
    void ended(warp_table& warps, const kernel_context& kernel) {
        for (const auto& [warp, of] : waiting_)
            if (of == &kernel) warps.stops_waiting(warps.at_engine, warp);
        waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                      [&](const auto& w) { return w.second == &kernel; }),
                       waiting_.end());
    }
    /// Discards all warps, which have ended.
    void clear() { waiting_.clear(); }
    bool holds(unsigned warp) const {
        return std::any_of(waiting_.begin(), waiting_.end(),
                           [&](const auto& w) { return w.first == warp; });
    }

private:
    std::vector<std::pair<unsigned, const kernel_context*>> waiting_;
};

}  // namespace simtlm::core
