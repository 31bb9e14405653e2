// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/memory_path.h"

namespace simtlm::core::sub_core_pipeline {

void memory_path::start(warp_instruction& inst, program::scheduling_class c, std::uint64_t now) {
    const sm_timing& timing = context_.timing;
    const memory_kind kind = memory_kind_of(*inst.info, inst.space);
    const bool uniform = false;  // no source provides uniform address registers
    const bool quick = memory_latencies::is_quick(kind, uniform);
    const memory_queue_config& q = timing.memory_queue;
    const unsigned to_accept = q.stages + (quick ? q.uniform_cycles : q.address_cycles);
    const unsigned bytes = inst.data_size;
    const auto beyond = [&](unsigned latency) {
        return static_cast<std::uint16_t>(latency > to_accept ? latency - to_accept : 0);
    };
    execution_.occupy(c, timing.execution[c].initiation, now);
    queue_.issue({&inst, beyond(timing.memory.war(kind, uniform, bytes)),
                  beyond(timing.memory.raw(kind, uniform, bytes))},
                 quick, now);
    sm_.has_memory_instruction(context_.number);
}

memory_path::entry memory_path::take(std::uint64_t now) {
    ++context_.stages.memory_accepted;
    context_.issue->wake();
    return queue_.take(now);
}

}  // namespace simtlm::core::sub_core_pipeline
