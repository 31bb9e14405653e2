// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/bulk_transfer.h"

#include <cstdint>
#include <vector>

namespace simtlm::program {

/// What a warp has given to the fifth-generation tensor core and its tensor memory (PTX ISA,
/// tcgen05), as far as its timing needs it. Values are computed when the instruction takes effect;
/// waiters are notified when the SM's unit is done.
struct tensor_core_work {
    enum class kind : std::uint8_t {
        product,   ///< tcgen05.mma
        copy,      ///< tcgen05.cp
        shift,     ///< tcgen05.shift
        commit,    ///< tcgen05.commit: signals mbarriers when earlier work of the warp is complete
        load,      ///< tcgen05.ld
        store,     ///< tcgen05.st
        allocate,  ///< tcgen05.alloc
        release,   ///< tcgen05.dealloc
    };
    kind what = kind::product;
    bool pair = false;          ///< .cta_group::2
    bool block_scaled = false;  ///< with scale factors in tensor memory
    bool folded = false;        ///< product: halves or quarters of D share columns
    /// Of tensor memory: those of D in one CTA, those that are allocated or released; load, store:
    /// those of a lane.
    std::uint16_t columns = 0;
    /// Bytes of A (0: it is in tensor memory) and B in shared memory of one CTA; bytes of a copy.
    std::uint32_t a_bytes = 0, b_bytes = 0;
    std::vector<bulk_transfer::arrival> arrivals;  ///< of a commit
};

}  // namespace simtlm::program
