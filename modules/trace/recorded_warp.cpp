// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/recorded_warp.h"

namespace simtlm::trace {

void recorded_warp::issue(const program::dynamic_instruction& instruction, std::uint64_t,
                          program::issue_effects& effects, program::lane_addresses& addresses) {
    addresses.lanes = 0;
    addresses.words = 1;
    if (instruction.info->is_memory() && instruction.active_mask != 0)
        addresses.lanes =
            program::expand_addresses(instruction, addresses_, addresses.address[0].data());
    if (instruction.mode == program::address_mode::details)
        asynchronous_.perform(addresses_ + instruction.address_offset, waits_, effects.can_suspend,
                              effects);
    next_ = &instruction + 1;
    effects.warp_ended = next_ == end_;
    effects.next = {next_, end_};
}

}  // namespace simtlm::trace
