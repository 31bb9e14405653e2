// SPDX-License-Identifier: Apache-2.0
#include "modules/core/warp_table.h"

#include <algorithm>

namespace simtlm::core {

void warp_table::track_copies(warp_instruction& inst) {
    using program::special_op;
    warp_state& w = warp[inst.warp];
    switch (inst.info->special) {
        case special_op::ldgsts:
            if (w.copy_groups.empty()) w.copy_groups.push_back(0);
            if (inst.accesses.empty()) break;
            inst.copy_group = static_cast<std::uint32_t>(w.copy_groups.size() - 1);
            ++w.copy_groups.back();
            ++w.copies;
            break;
        case special_op::ldgdepbar:
            if (w.copy_groups.empty()) w.copy_groups.push_back(0);
            w.copy_groups.push_back(0);
            break;
        case special_op::depbar: {
            const auto closed = static_cast<std::int64_t>(w.copy_groups.size()) - 1;
            w.copy_wait_below = static_cast<std::uint32_t>(
                std::max<std::int64_t>(closed - inst.info->immediate, 0));
            if (!copies_arrived(inst.warp)) at_copy |= warp_bit(inst.warp);
            break;
        }
        default:
            break;
    }
}

}  // namespace simtlm::core
