// SPDX-License-Identifier: Apache-2.0
#include "modules/core/functional_unit.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core {

functional_unit::functional_unit(const sc_core::sc_module_name& name,
                                 kernel::phase_sequencer& sequencer)
    : sc_module(name),
      dispatch("dispatch"),
      write_back("write_back"),
      process_("process", sequencer, protocol::phase::core_units,
               kernel::on_edge<&functional_unit::cycle>(this)) {
    constexpr std::size_t first_size = 16;
    ring_.assign(first_size, nullptr);
    mask_ = first_size - 1;
    dispatch.register_nb_transport_fw(this, &functional_unit::accept);
}

tlm::tlm_sync_enum functional_unit::accept(warp_instruction& inst, tlm::tlm_phase&,
                                           sc_core::sc_time&) {
    const std::uint64_t now = process_.now();
    const std::uint64_t done = completion(*inst.info, now);
    while (done - now > mask_) lengthen(now);
    ring_[done & mask_] = &inst;
    register_free_at_ = now + std::max<std::uint64_t>(inst.info->initiation_interval, 1);
    ++in_flight_;
    ++statistics_.instructions;
    process_.wake_at(done);
    return tlm::TLM_ACCEPTED;
}

void functional_unit::lengthen(std::uint64_t now) {
    std::vector<warp_instruction*> longer(2 * ring_.size(), nullptr);
    const std::uint64_t mask = longer.size() - 1;
    for (std::uint64_t at = now + 1; at <= now + mask_; ++at) longer[at & mask] = ring_[at & mask_];
    ring_ = std::move(longer);
    mask_ = mask;
}

void functional_unit::cycle() {
    warp_instruction*& due = ring_[process_.now() & mask_];
    if (due != nullptr) {
        --in_flight_;
        send(write_back, *due);
        due = nullptr;
    }
    process_.sleep();
}

}  // namespace simtlm::core
