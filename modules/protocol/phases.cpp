// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/phases.h"

namespace simtlm::protocol {

std::vector<kernel::phase> phase_table() {
    return {{core_clock, "receive"},       {icnt_clock, "reply_inject"},
            {dram_clock, "dram_return"},   {dram_clock, "dram_channel"},
            {dram_clock, "arbitrate"},     {l2_clock, "l2_bank"},
            {icnt_clock, "transfer"},      {core_clock, "write_back"},
            {core_clock, "units"},         {core_clock, "instruction_cache"},
            {core_clock, "texture_cache"}, {core_clock, "constant_cache"},
            {core_clock, "caches"},        {core_clock, "access"},
            {core_clock, "dispatch"},      {core_clock, "operands"},
            {core_clock, "issue"},         {core_clock, "issue_1"},
            {core_clock, "issue_2"},       {core_clock, "issue_3"},
            {core_clock, "issue_rest"},    {core_clock, "front_end"},
            {core_clock, "place"},         {core_clock, "inject"},
            {core_clock, "dispatch_ctas"}};
}

}  // namespace simtlm::protocol
