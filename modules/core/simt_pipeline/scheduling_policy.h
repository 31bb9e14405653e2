// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/scheduling_choice.h"
#include "modules/core/scoreboard.h"
#include "modules/core/warp_table.h"
#include "modules/support/archive_fwd.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// The order in which a warp scheduler tries its warps. One object per scheduler. A new policy
/// needs a class in scheduling/ and a row in the table of scheduling_policy.cpp.
class scheduling_policy {
public:
    virtual ~scheduling_policy() = default;

    /// Begins a cycle.
    /// @param eligible  warps of this scheduler that have an instruction and do not wait for a
    ///                  barrier or the like
    /// @return the warps that may issue in this cycle
    virtual warp_mask begin_cycle(warp_mask eligible) { return eligible; }

    /// The warp to be tried first among some. @pre candidates != 0
    virtual unsigned first(warp_mask candidates) const = 0;

    /// The warps that the scheduler considers: its own, except with a quirk of a policy.
    virtual warp_mask supervised(warp_mask mine) const { return mine; }

    /// A warp has issued. @param instructions  number issued in this cycle
    virtual void issued(unsigned warp, unsigned instructions) = 0;

    /// Whether begin_cycle() changes the policy's state even if nothing issues, so that the
    /// scheduler must not sleep.
    virtual bool acts_when_idle() const { return false; }
    /// Saves or restores the state while no warp is resident.
    /// @throws support::user_error  if not overridden
    virtual void checkpoint(support::archive& a);
};

/// Constructor arguments of a policy.
struct scheduling_arguments {
    const std::vector<unsigned>& parameters;  ///< the numbers after its name
    const warp_table& warps;
    const scoreboard& scores;
    warp_mask mine;                        ///< the scheduler's warps
    bool rrr_begins_with_warp_0 = false;   ///< core_quirks
    bool two_level_rotates_twice = false;  ///< see core_quirks
};

/// Creates the policy named by -gpgpu_scheduler: lrr, rrr, gto, old (oldest first),
/// two_level_active:<active warps>:<inner>:<outer>, warp_limiting:<policy>:<warps>; or a
/// user-defined one (scheduling_choice::make).
/// @throws support::user_error for an unknown name
std::unique_ptr<scheduling_policy> make_scheduling_policy(const scheduling_choice& choice,
                                                          const warp_table& warps,
                                                          const scoreboard& scores, warp_mask mine,
                                                          bool rrr_begins_with_warp_0 = false,
                                                          bool two_level_rotates_twice = false);

/// Names for --help and error messages.
std::vector<std::string> scheduling_policy_names();

}  // namespace simtlm::core::simt_pipeline
