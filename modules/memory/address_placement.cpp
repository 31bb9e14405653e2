// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_placement.h"

#include "modules/protocol/phases.h"

namespace simtlm::memory {

address_placement::address_placement(const sc_core::sc_module_name& name,
                                     simulation::phase_sequencer& sequencer, const order& sms,
                                     address_mapping& mapping)
    : clocked_module(name, sequencer),
      order_(sms),
      mapping_(mapping),
      touched_(std::size_t{sms.clusters} * sms.sms_per_cluster),
      process_("process", sequencer, protocol::phase::core_place,
               simulation::on_edge<&address_placement::serve_sms>(this)) {}

void address_placement::touched(unsigned sm, std::uint64_t address, stage by) {
    if (mapping_.placed(address)) return;
    if (order_.given) return mapping_.place(address);
    touched_[sm][by].push_back(address);
    process_.wake();
}

void address_placement::place(addresses& touched) {
    for (const std::uint64_t a : touched) mapping_.place(a);
    touched.clear();
}

void address_placement::serve_sms() {
    const unsigned n = order_.sms_per_cluster;
    for (unsigned c = 0; c < order_.clusters; ++c) {
        const unsigned first = n > 1 ? first_(c, process_.now()) : 0;
        for (unsigned k = 0; k < n; ++k) {
            const unsigned s = (first + k) % n;
            place(touched_[c * n + s][by_ldst]);
            inject_(c, s);
            place(touched_[c * n + s][by_fetch]);
        }
    }
    process_.sleep();
}

}  // namespace simtlm::memory
