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

std::string phase_table_markdown() {
    constexpr const char* domains[] = {"core", "icnt", "L2", "DRAM"};
    constexpr const char* scopes[] = {"GPU",       "SM",      "partition", "partition",
                                      "partition", "cluster", "port"};
    std::string text = "| # | phase | domain | of | who acts | what |\n|--:|---|---|---|---|---|\n";
    for (const phase_row& p : phases)
        text += "| " + std::to_string(static_cast<unsigned>(p.id)) + " | `" + p.name + "` | " +
                domains[p.domain] + " | " + scopes[static_cast<unsigned>(p.scope)] + " | " + p.who +
                " | " + p.what + " |\n";
    return text;
}

}  // namespace simtlm::protocol
