// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::core {

/// A barrier instruction of a warp.
struct barrier_request {
    program::barrier_kind kind = program::barrier_kind::sync;
    std::int32_t id = 0;       ///< -1: a barrier without a number
    std::int32_t threads = 0;  ///< expected threads; 0: the whole CTA
};

/// CTA barriers of one SM. Several named barriers per CTA may be in use at a time. A barrier
/// completes when the expected number of threads have arrived; warps that have ended are no longer
/// expected. If a number of threads is specified, a warp that arrives twice (BAR.ARV, then
/// BAR.SYNC) counts twice.
///
/// A barrier instruction without a barrier number (older traces) makes every live warp of the CTA
/// wait. BAR.ARV arrives without waiting.
class barrier_unit {
public:
    /// @param ctas      number of hardware CTA slots
    /// @param barriers  number of named barriers per CTA
    barrier_unit(warp_table& warps, unsigned ctas, unsigned barriers);

    /// A CTA has been placed. @param members  its warps
    void allocate(unsigned cta, warp_mask members);
    /// A CTA has ended.
    void deallocate(unsigned cta);
    /// A warp has issued a barrier instruction.
    void arrive(unsigned cta, unsigned warp, const barrier_request& request);
    /// A warp has issued its last instruction.
    void warp_ended(unsigned cta, unsigned warp);
    /// Describes which warps are waiting and which are missing, for a deadlock report.
    std::string describe(unsigned cta) const;

private:
    struct barrier {
        warp_mask arrived = 0;
        warp_mask waiting = 0;               ///< members that are waiting here
        std::uint32_t arrived_threads = 0;   ///< in whole warps
        std::uint32_t expected_threads = 0;  ///< 0: all live warps
    };
    struct cta_state {
        warp_mask members = 0;
        warp_mask live = 0;
        std::vector<barrier> barriers;  ///< the last one is for instructions without a number
    };
    void open_if_complete(cta_state& cta, barrier& b);

    warp_table& warps_;
    std::vector<cta_state> ctas_;
};

}  // namespace simtlm::core
