// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/functional_unit.h"

#include "modules/protocol/phases.h"

#include <cctype>

namespace simtlm::core::simt_pipeline {

std::uint64_t functional_unit::accept(warp_instruction& inst, std::uint64_t now) {
    const std::uint64_t done = completion(*inst.info, now);
    while (done - now >= ring_.size()) lengthen(now);
    put(done, &inst);
    register_free_at_ = now + std::max<std::uint64_t>(inst.info->initiation_interval, 1);
    ++in_flight_;
    ++statistics_.instructions;
    return done;
}

warp_instruction* functional_unit::take_completed(std::uint64_t now) {
    if (!leaves_at(now)) return nullptr;
    warp_instruction* const inst = ring_[place(now)];
    put(now, nullptr);
    --in_flight_;
    return inst;
}

void functional_unit::lengthen(std::uint64_t now) {
    const std::vector<warp_instruction*> shorter = std::move(ring_);
    ring_.assign(2 * shorter.size(), nullptr);
    taken_ = 0;
    for (std::uint64_t at = now + 1; at < now + shorter.size(); ++at)
        put(at, shorter[at & (shorter.size() - 1)]);
}

functional_units::functional_units(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer, unsigned units)
    : sc_module(name),
      dispatch("dispatch"),
      units_(units),
      process_("process", sequencer, protocol::phase::core_units,
               simulation::on_edge<&functional_units::cycle>(this)) {
    dispatch.register_nb_transport_fw(this, &functional_units::accept);
}

std::string functional_units::name_of(std::size_t unit) const {
    const std::string pipeline = name();
    const bool ends_in_digit = std::isdigit(static_cast<unsigned char>(pipeline.back())) != 0;
    return pipeline + (ends_in_digit ? "_" : "") + std::to_string(unit);
}

tlm::tlm_sync_enum functional_units::accept(warp_instruction& inst, tlm::tlm_phase&,
                                            sc_core::sc_time&) {
    process_.wake_at(units_[inst.unit].accept(inst, process_.now()));
    return tlm::TLM_ACCEPTED;
}

void functional_units::cycle() {
    const std::uint64_t now = process_.now();
    for (functional_unit& unit : units_)
        if (warp_instruction* const inst = unit.take_completed(now)) send_back(dispatch, *inst);
    process_.sleep();
}

}  // namespace simtlm::core::simt_pipeline
