// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::program {

/// A warp_executor that can describe what a suspended instruction waits for
/// (issue_effects::suspended), for a deadlock report.
struct wait_describer {
    virtual ~wait_describer() = default;
    /// For example "phase 0 of the mbarrier at shared address 0x400: 1 of 2 arrivals are to come";
    /// empty: unknown. @pre the warp is suspended
    virtual std::string awaited() const = 0;
};

}  // namespace simtlm::program
