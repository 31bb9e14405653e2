// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_instruction.h"
#include "modules/program/kernel_source.h"

#include <vector>

namespace simtlm::core {

/// Maps the local memory of an SM's threads to device addresses: 4-byte words of neighbouring
/// threads are interleaved, so that a warp whose threads use the same local address touches few
/// lines. With -gpgpu_local_mem_map the words of all concurrent threads are interleaved according
/// to the placement of the kernel's CTAs, otherwise according to hardware threads.
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
    /// Replaces local memory addresses by device addresses; data of more than 4 bytes are in
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
