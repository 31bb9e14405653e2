// SPDX-License-Identifier: Apache-2.0
#include "modules/core/functional_unit.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core {

functional_unit::functional_unit(const sc_core::sc_module_name& name,
                                 kernel::phase_sequencer& sequencer)
    : sc_module(name),
      dispatch("dispatch"),
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
    put(done, &inst);
    register_free_at_ = now + std::max<std::uint64_t>(inst.info->initiation_interval, 1);
    ++in_flight_;
    ++statistics_.instructions;
    process_.wake_at(done);
    return tlm::TLM_ACCEPTED;
}

void functional_unit::lengthen(std::uint64_t now) {
    const std::vector<warp_instruction*> shorter = std::move(ring_);
    const std::uint64_t mask = mask_;
    ring_.assign(2 * shorter.size(), nullptr);
    mask_ = ring_.size() - 1;
    taken_ = 0;
    for (std::uint64_t at = now + 1; at <= now + mask; ++at) put(at, shorter[at & mask]);
}

void functional_unit::cycle() {
    const std::uint64_t now = process_.now();
    if (leaves_at(now)) {
        --in_flight_;
        send_back(dispatch, *ring_[now & mask_]);
        put(now, nullptr);
    }
    process_.sleep();
}

}  // namespace simtlm::core
