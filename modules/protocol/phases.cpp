// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/phases.h"

namespace simtlm::protocol {

std::vector<simulation::phase> phase_table() {
    std::vector<simulation::phase> table;
    for (const phase_row& p : phases)
        table.push_back(
            {p.domain, p.name, static_cast<unsigned>(p.scope), has_barrier_before(p.id)});
    return table;
}

}  // namespace simtlm::protocol
