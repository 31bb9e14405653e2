// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::core {

/// What a warp asks of a barrier.
struct barrier_request {
    program::barrier_kind kind = program::barrier_kind::sync;
    std::int32_t id = 0;       ///< -1: a barrier without a name
    std::int32_t threads = 0;  ///< expected, 0 = the whole CTA
};

/// CTA barriers of one SM: several named barriers per CTA may be alive at once, a barrier opens
/// when the threads it expects have arrived, and a warp that has ended is expected no more. Where a
/// number of threads is expected, a warp that arrives twice (BAR.ARV, then BAR.SYNC) counts twice.
///
/// A barrier whose instruction tells no name (older traces) is one on which every live warp of the
/// CTA has to wait. BAR.ARV arrives without waiting.
class barrier_unit {
public:
    /// @param ctas      hardware CTA slots
    /// @param barriers  named barriers per CTA
    barrier_unit(warp_table& warps, unsigned ctas, unsigned barriers);

    /// A CTA has been placed. @param members  its warps
    void allocate(unsigned cta, warp_mask members);
    /// A CTA has ended.
    void deallocate(unsigned cta);
    /// A warp has issued a barrier instruction.
    void arrive(unsigned cta, unsigned warp, const barrier_request& request);
    /// A warp has issued its last instruction.
    void warp_ended(unsigned cta, unsigned warp);
    /// Who waits for whom, for a deadlock report.
    std::string describe(unsigned cta) const;

private:
    struct barrier {
        warp_mask arrived = 0;
        warp_mask waiting = 0;               ///< of them, those that wait here
        std::uint32_t arrived_threads = 0;   ///< whole warps
        std::uint32_t expected_threads = 0;  ///< 0: all live warps
    };
    struct cta_state {
        warp_mask members = 0;
        warp_mask live = 0;
        std::vector<barrier> barriers;  ///< the last one has no name
    };
    void open_if_complete(cta_state& cta, barrier& b);

    warp_table& warps_;
    std::vector<cta_state> ctas_;
};

}  // namespace simtlm::core
