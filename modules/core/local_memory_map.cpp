// SPDX-License-Identifier: Apache-2.0
#include "modules/core/local_memory_map.h"

#include <algorithm>

namespace simtlm::core {

namespace {

constexpr unsigned word = 4;
/// GPGPU-Sim's window of local memory, below that of shared memory.
constexpr std::uint64_t window = 0xC0000000ull - 80 * (96ull << 10) - 80 * 2048 * (16ull << 10);

}  // namespace

local_memory_map::local_memory_map(const sm_config& config, const sm_identity& who)
    : config_(config), who_(who), layouts_(config.max_ctas) {}

std::uint64_t local_memory_map::base_of(const layout& kernel, std::uint64_t thread) const {
    if (!config_.ldst.local_memory_map)
        return word * (std::uint64_t{config_.max_threads} * who_.sm + thread);
    return word * (kernel.threads * (who_.sm + who_.sms * (thread / kernel.threads)) +
                   thread % kernel.threads);
}

void local_memory_map::map(unsigned slot, warp_instruction& inst,
                           program::lane_addresses& lanes) const {
    const layout& kernel = layouts_[slot];
    const std::uint64_t threads = config_.ldst.local_memory_map
                                      ? kernel.threads * kernel.ctas_per_sm
                                      : std::uint64_t{config_.max_threads};
    const std::uint64_t stride = threads * who_.sms * word;  // between the words of a thread
    const bool in_words = inst.data_size >= word;
    lanes.words = in_words ? std::min(inst.data_size / word, lanes.max_words) : 1;
    for (std::uint32_t m = lanes.lanes; m != 0; m &= m - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
        const std::uint64_t thread = std::uint64_t{inst.warp} * config_.warp_size + lane;
        const std::uint64_t address = lanes.address[0][lane];
        const std::uint64_t base = base_of(kernel, thread) + window;
        for (unsigned i = 0; i < lanes.words; ++i)
            lanes.address[i][lane] =
                (address / word + i) * stride + base + (in_words ? 0 : address % word);
    }
    if (lanes.words > 1) inst.data_size = word;
}

}  // namespace simtlm::core
