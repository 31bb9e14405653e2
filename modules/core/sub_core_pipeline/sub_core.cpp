// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/sub_core.h"

namespace simtlm::core::sub_core_pipeline {

sub_core::sub_core(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const sub_core_context& context, unsigned number, instruction_issue& effects,
                   services& sm)
    : sc_module(name),
      slots_(context, number),
      registers_(context.timing.registers),
      fetch_(sequencer, slots_, sm),
      dependences_(slots_, fetch_),
      execution_(sequencer, slots_, dependences_, registers_, sm),
      operands_(sequencer, slots_, registers_, execution_),
      memory_(slots_, execution_, sm),
      issue_(sequencer, slots_, {fetch_, dependences_, operands_, execution_, memory_}, effects,
             sm) {}

void sub_core::warp_starts(unsigned warp, std::uint64_t from) {
    const unsigned slot = slots_.slot_of(warp);
    if (!slots_.warps.warp[warp].code.empty()) slots_.live |= slot_bit(slot);
    slots_.valid &= ~slot_bit(slot);
    slots_.dependent &= ~slot_bit(slot);
    slots_.blocked &= ~slot_bit(slot);
    slots_.scheduler.warp_starts(slot);
    dependences_.warp_starts(slot);
    execution_.warp_starts(slot);
    fetch_.warp_starts(slot, from);
    slots_.issue->wake();
}

}  // namespace simtlm::core::sub_core_pipeline
