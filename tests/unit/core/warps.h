// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"

#include <initializer_list>
#include <vector>

namespace simtlm::core::test {

/// A warp table whose listener records notifications.
struct warps : warp_listener {
    warp_table table;
    std::vector<unsigned> issue_notified;
    unsigned fetch_notified = 0;

    explicit warps(unsigned count) : table(count) { table.listener = this; }
    void may_issue(unsigned warp) override { issue_notified.push_back(warp); }
    void may_fetch() override { ++fetch_notified; }
};

inline program::static_instruction instruction(program::op_class cls,
                                               std::initializer_list<unsigned> destinations,
                                               std::initializer_list<unsigned> sources) {
    program::static_instruction i;
    i.cls = cls;
    i.opcode = "TEST";
    for (const unsigned r : destinations) i.dst[i.n_dst++] = static_cast<std::uint16_t>(r);
    for (const unsigned r : sources) i.src[i.n_src++] = static_cast<std::uint16_t>(r);
    return i;
}

inline program::static_instruction load(unsigned destination, unsigned bytes = 4) {
    program::static_instruction i = instruction(program::op_class::load, {destination}, {2});
    i.opcode = "LDG";
    i.is_load = true;
    i.data_size = static_cast<std::uint8_t>(bytes);
    i.space = program::memory_space::global;
    return i;
}

}  // namespace simtlm::core::test
