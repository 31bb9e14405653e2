// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/shared_memory.h"

#include <algorithm>

namespace simtlm::core::simt_pipeline {

shared_memory::shared_memory(const sc_core::sc_module_name& name, const sm_config& config)
    : sc_module(name), load("load"), config_(config), pipeline_(config.shared.latency) {
    load.register_nb_transport_fw(this, &shared_memory::accept);
}

unsigned shared_memory::conflict_cycles(const lane_addresses& lanes) const {
    const unsigned banks = config_.shared.banks;
    const bool power_of_two = (banks & (banks - 1)) == 0;  // number of banks; avoids a division per
                                                           // lane
    const unsigned part = config_.warp_size / config_.shared.warp_parts;
    unsigned total = 0;
    for (unsigned base = 0; base < config_.warp_size; base += part) {
        // Distinct words of this group of lanes, and the number of lanes of each.
        std::array<std::uint64_t, 32> word;
        std::array<std::uint8_t, 32> lanes_of;
        std::array<std::uint8_t, 32> bank_of;
        unsigned words = 0;
        std::uint32_t group = lanes.lanes >> base;
        if (part < 32) group &= (1u << part) - 1;
        if (group == 0) continue;
        std::array<std::uint8_t, 256> load_of{};  // by bank
        for (; group != 0; group &= group - 1) {
            const unsigned lane = base + static_cast<unsigned>(__builtin_ctz(group));
            const std::uint64_t w = lanes.address[0][lane] / word_bytes;
            const auto bank = static_cast<unsigned>(power_of_two ? w & (banks - 1) : w % banks);
            unsigned i = 0;
            if (load_of[bank] != 0)
                while (i < words && word[i] != w) ++i;
            else
                i = words;
            if (i == words) {
                word[words] = w;
                lanes_of[words] = 0;
                bank_of[words++] = static_cast<std::uint8_t>(bank);
                ++load_of[bank];
            }
            ++lanes_of[i];
        }
        if (config_.shared.limited_broadcast) {
            // Every lane counts, except those of one word: the lowest word of the lowest bank that
            // is requested by several lanes.
            std::array<unsigned, 256> wanted{};
            unsigned chosen = words;
            for (unsigned i = 0; i < words; ++i) {
                wanted[bank_of[i]] += lanes_of[i];
                if (lanes_of[i] > 1 && (chosen == words || bank_of[i] < bank_of[chosen] ||
                                        (bank_of[i] == bank_of[chosen] && word[i] < word[chosen])))
                    chosen = i;
            }
            if (chosen != words) wanted[bank_of[chosen]] -= lanes_of[chosen] - 1u;
            total += *std::max_element(wanted.begin(), wanted.begin() + banks);
        } else {
            total += *std::max_element(load_of.begin(), load_of.begin() + banks);
        }
    }
    return std::max(total, 1u);
}

tlm::tlm_sync_enum shared_memory::accept(warp_instruction& inst, tlm::tlm_phase&,
                                         sc_core::sc_time&) {
    // Enters the last stage now and reaches stage 0 latency - 1 cycles later; the write-back port
    // sees it from the next cycle on.
    pipeline_.push({&inst, now_ + config_.shared.latency});
    return tlm::TLM_ACCEPTED;
}

void shared_memory::pop(std::uint64_t now) {
    pipeline_.pop();
    // The next one moves to stage 0 in this cycle at the earliest.
    if (!pipeline_.empty())
        pipeline_.front().ready_at = std::max(pipeline_.front().ready_at, now + 1);
}

}  // namespace simtlm::core::simt_pipeline
