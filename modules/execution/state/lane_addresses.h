// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <cstdint>

// Computation of a warp's addresses from an operation. Compiled for several instruction sets, like
// lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

using address_lanes = std::uint64_t[warp_size];

/// Lanes that do not execute it get the address of one that does, so that all can be processed.
inline void compute_addresses(const warp& w, const operation* op, lane_mask lanes,
                              address_lanes& to) {
    std::uint64_t base = static_cast<std::uint64_t>(op->immediate);
    if ((op->detail & access_detail::frame_relative) != 0) base += w.local_base;
    if (op->source[0] == no_operand) {
        for (std::uint64_t& a : to) a = base;
        return;
    }
    if ((op->detail & access_detail::wide_address) != 0) {
        const auto* const from = lanes_at<std::uint64_t>(w, op->source[0]);
        for (unsigned i = 0; i < warp_size; ++i) to[i] = from[i] + base;
    } else {
        const auto* const from = lanes_at<std::uint32_t>(w, op->source[0]);
        const auto base32 = static_cast<std::uint32_t>(base);
        for (unsigned i = 0; i < warp_size; ++i) to[i] = from[i] + base32;
    }
    if (lanes != all_lanes) {
        const std::uint64_t first = to[__builtin_ctz(lanes)];
        alignas(64) std::uint64_t same[warp_size];
        for (std::uint64_t& a : same) a = first;
        blend(to, same, ~lanes);
    }
}

/// The address of one lane. @param detail  access_detail
inline std::uint64_t lane_address(const warp& w, operand_ref source, unsigned detail,
                                  std::int64_t immediate, unsigned lane) {
    std::uint64_t base = static_cast<std::uint64_t>(immediate);
    if ((detail & access_detail::frame_relative) != 0) base += w.local_base;
    if (source == no_operand) return base;
    if ((detail & access_detail::wide_address) != 0)
        return lanes_at<std::uint64_t>(w, source)[lane] + base;
    return lanes_at<std::uint32_t>(w, source)[lane] + static_cast<std::uint32_t>(base);
}

/// The distance between the addresses of consecutive lanes, if it is constant.
inline bool has_stride(const address_lanes& a, std::uint64_t& stride) {
    stride = a[1] - a[0];
    std::uint64_t differs = 0;
    for (unsigned i = 1; i < warp_size; ++i) differs |= (a[i] - a[i - 1]) ^ stride;
    return differs == 0;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
