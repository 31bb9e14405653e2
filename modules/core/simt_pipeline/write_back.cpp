// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/write_back.h"

#include "modules/protocol/phases.h"

#include <utility>

namespace simtlm::core::simt_pipeline {

write_back::write_back(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                       unsigned units, warp_table& warps, scoreboard& scores,
                       operand_collector& collector, warp_instruction_pool& pool,
                       core_statistics& statistics)
    : sc_module(name),
      results("results", *this),
      warps_(warps),
      scoreboard_(scores),
      collector_(collector),
      pool_(pool),
      statistics_(statistics),
      process_("process", sequencer, protocol::phase::core_write_back,
               simulation::on_edge<&write_back::cycle>(this)) {
    registers_.reserve(units);
}

void write_back::accept(warp_instruction& inst) {
    // In issue order.
    registers_.push_back(&inst);
    for (std::size_t i = registers_.size() - 1; i > 0 && registers_[i - 1]->uid > inst.uid; --i)
        std::swap(registers_[i - 1], registers_[i]);
    process_.wake();
}

void write_back::cycle() {
    const std::uint64_t now = process_.now();
    for (warp_instruction* inst : registers_) {
        unsigned first = 0;
        collector_.write_back(*inst, first, now);
        scoreboard_.release(inst->warp, *inst->info);
        warps_.leaves_pipeline(inst->warp);
        count_completed(statistics_, *inst);
        pool_.release(*inst);
    }
    registers_.clear();
    process_.sleep();
}

}  // namespace simtlm::core::simt_pipeline
