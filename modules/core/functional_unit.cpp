// SPDX-License-Identifier: Apache-2.0
#include "modules/core/functional_unit.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core {

functional_unit::functional_unit(const sc_core::sc_module_name& name,
                                 kernel::phase_sequencer& sequencer, unsigned max_latency)
    : sc_module(name),
      dispatch("dispatch"),
      write_back("write_back"),
      process_("process", sequencer, protocol::phase::core_units,
               kernel::on_edge<&functional_unit::cycle>(this), false, 1,
               kernel::process_kind::method) {
    std::size_t size = 8;
    while (size < max_latency + 3) size *= 2;
    ring_.assign(size, nullptr);
    mask_ = size - 1;
    dispatch.register_nb_transport_fw(this, &functional_unit::accept);
}

tlm::tlm_sync_enum functional_unit::accept(warp_instruction& inst, tlm::tlm_phase&,
                                           sc_core::sc_time&) {
    const std::uint64_t now = process_.now();
    const std::uint64_t done = completion(*inst.info, now);
    sc_assert(done - now <= mask_);  // a latency beyond the ring would come out early
    ring_[done & mask_] = &inst;
    register_free_at_ = now + std::max<std::uint64_t>(inst.info->initiation_interval, 1);
    ++in_flight_;
    ++statistics_.instructions;
    process_.wake_at(done);
    return tlm::TLM_ACCEPTED;
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
