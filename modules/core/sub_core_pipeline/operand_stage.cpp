// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/operand_stage.h"

#include "modules/protocol/phases.h"

#include <array>

namespace simtlm::core::sub_core_pipeline {

operand_stage::operand_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots,
                             register_file& registers, execution_stage& execution)
    : context_(slots),
      registers_(registers),
      execution_(execution),
      process_("operands", sequencer, protocol::phase::core_operands,
               simulation::on_edge<&operand_stage::cycle>(this)) {}

bool operand_stage::try_allocate(warp_instruction& inst, std::uint64_t now) {
    const program::static_instruction& i = *inst.info;
    // PTX registers have not been allocated; a compiler distributes them over the banks.
    const bool ideal = context_.timing.perfect_register_ports || i.code_bytes < machine_code_bytes;
    register_file::reads wanted{};
    struct operand {
        std::uint16_t reg;
        std::uint8_t slot;
    };
    std::array<operand, register_cache::slots> operands;
    unsigned n = 0;
    if (!ideal) {
        for (unsigned s = 0; s < i.n_src && s < register_cache::slots; ++s) {
            if (i.src[s] == program::register_zero || (i.uncollected >> s & 1u) != 0) continue;
            operands[n++] = {i.src[s], static_cast<std::uint8_t>(s)};
            const unsigned bank = registers_.bank_of(i.src[s]);
            if (!cache_.holds(inst.warp, i.src[s], bank, s)) ++wanted[bank];
        }
        const unsigned window = context_.timing.registers.read_window;
        const std::uint64_t tensor =
            warpgroups_ != nullptr ? warpgroups_->register_reads(now, window) : 0;
        if (!registers_.allocate(wanted, window, now, tensor)) return false;
    }
    for (unsigned k = 0; k < n; ++k) {
        const operand& o = operands[k];
        ++context_.stages.register_reads;
        if (cache_.read(inst.warp, o.reg, registers_.bank_of(o.reg), o.slot,
                        (i.control.reuse >> o.slot & 1u) != 0))
            ++context_.stages.register_cache_hits;
    }
    context_.statistics.register_reads += n;
    return true;
}

void operand_stage::cycle() {
    const std::uint64_t now = process_.now();
    if (allocate_.inst != nullptr && allocate_.entered < now) {
        warp_instruction& inst = *allocate_.inst;
        if (try_allocate(inst, now)) {
            allocate_.inst = nullptr;
            execution_.execute_fixed(inst, now);
        } else {
            process_.note_idle();
            ++context_.stages.port_bubbles;
        }
    }
    if (allocate_.inst == nullptr && control_.inst != nullptr && control_.entered < now) {
        allocate_ = {control_.inst, now};
        control_.inst = nullptr;
    }
    if (idle()) process_.sleep();
}

}  // namespace simtlm::core::sub_core_pipeline
