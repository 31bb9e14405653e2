// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/scheduling_choice.h"
#include "modules/core/scoreboard.h"
#include "modules/core/warp_table.h"
#include "modules/kernel/archive_fwd.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {

/// In which order a warp scheduler tries its warps. One policy object per scheduler; a new policy
/// is one class in scheduling/ and one line in the table of scheduling_policy.cpp.
class scheduling_policy {
public:
    virtual ~scheduling_policy() = default;

    /// A cycle begins. @param eligible  warps of this scheduler that have an instruction and do not
    /// wait for a barrier or the like. @return those that this policy lets issue in this cycle
    virtual warp_mask begin_cycle(warp_mask eligible) { return eligible; }

    /// The warp to be tried first among some. @pre candidates != 0
    virtual unsigned first(warp_mask candidates) const = 0;

    /// The warps that the scheduler looks at: its own, but for a quirk of a policy.
    virtual warp_mask supervised(warp_mask mine) const { return mine; }

    /// A warp has issued. @param instructions  issued in this cycle
    virtual void issued(unsigned warp, unsigned instructions) = 0;

    /// Whether begin_cycle() changes the policy's state even when nothing issues, so that the
    /// scheduler must not sleep.
    virtual bool acts_when_idle() const { return false; }
    /// What it remembers when no warp is resident.
    /// @throws kernel::user_error  it has not said what that is
    virtual void checkpoint(kernel::archive& a);
};

/// What a policy is made of.
struct scheduling_arguments {
    const std::vector<unsigned>& parameters;  ///< the numbers behind its name
    const warp_table& warps;
    const scoreboard& scores;
    warp_mask mine;                        ///< the scheduler's warps
    bool rrr_begins_with_warp_0 = false;   ///< core_quirks
    bool two_level_rotates_twice = false;  ///< the same
};

/// Makes the policy that -gpgpu_scheduler names: lrr, rrr, gto, old (oldest first),
/// two_level_active:<active warps>:<inner>:<outer>, warp_limiting:<policy>:<warps>; or one of the
/// caller's own (scheduling_choice::make).
/// @throws kernel::user_error for a name it does not know
std::unique_ptr<scheduling_policy> make_scheduling_policy(const scheduling_choice& choice,
                                                          const warp_table& warps,
                                                          const scoreboard& scores, warp_mask mine,
                                                          bool rrr_begins_with_warp_0 = false,
                                                          bool two_level_rotates_twice = false);

/// Names for --help and error messages.
std::vector<std::string> scheduling_policy_names();

}  // namespace simtlm::core
