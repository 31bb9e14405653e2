// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/warp_wait.h"

#include "modules/core/sm.h"

namespace simtlm::platform {

warp_wait why_waiting(core::sm& sm, unsigned w) {
    const core::warp_table& t = sm.warps();
    const core::warp_mask bit = core::warp_bit(w);
    if ((t.done & bit) != 0) return warp_wait::exit;
    if ((t.at_barrier & bit) != 0) return warp_wait::barrier;
    if ((t.at_memory_barrier & bit) != 0) return warp_wait::memory_barrier;
    if ((t.at_atomic & bit) != 0) return warp_wait::atomics;
    if ((t.at_copy & bit) != 0) return warp_wait::copies;
    if ((t.buffered & bit) == 0) return warp_wait::fetch;
    const program::static_instruction& next = *t.warp[w].ibuffer.head()->info;
    if (sm.scores().collides(w, next))
        return sm.scores().waits_for_long_operation(w, next) ? warp_wait::memory
                                                             : warp_wait::scoreboard;
    const core::operand_collector& c = sm.collector();
    const unsigned p = c.pipe_of(next.cls);
    if (p != c.pipes() && !c.can_accept(p, w % sm.schedulers())) return warp_wait::pipeline;
    return warp_wait::nothing;
}

}  // namespace simtlm::platform
