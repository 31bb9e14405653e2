// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <vector>

namespace simtlm::core {

/// Where the local memory of the threads of an SM lies: 4-byte words of neighbouring threads side
/// by side, so that a warp that uses the same address touches few lines. With -gpgpu_local_mem_map
/// the words of all threads that run at a time are interleaved as the kernel's CTAs lie on the SMs,
/// without it as the hardware threads do.
class local_memory_map {
public:
    local_memory_map(const sm_config& config, const sm_identity& who);

    /// A CTA has been placed.
    /// @param slot         of the CTA
    /// @param threads      of a CTA of its kernel, in whole warps
    /// @param ctas_per_sm  of its kernel
    void place(unsigned slot, unsigned threads, unsigned ctas_per_sm) {
        layouts_[slot] = {threads, ctas_per_sm};
    }
    /// Replaces addresses within local memory by those in memory; data of more than 4 bytes lie in
    /// several words. @param slot  of the warp's CTA
    void map(unsigned slot, warp_instruction& inst, program::lane_addresses& lanes) const;

private:
    struct layout {
        std::uint64_t threads = 0, ctas_per_sm = 0;
    };
    std::uint64_t base_of(const layout& kernel, std::uint64_t thread) const;

    const sm_config& config_;
    sm_identity who_;
    std::vector<layout> layouts_;  // by CTA slot
};

}  // namespace simtlm::core
