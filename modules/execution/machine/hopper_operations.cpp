// SPDX-License-Identifier: Apache-2.0
// Operations for instructions of sm_90 in addition to those of PTX.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/memory_access.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/thread_block.h"

namespace simtlm::execution {

const operation* machine_first_lane(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    w.mask_at(details_of(op).result[0]) = lanes & (~lanes + 1);
    return op + 1;
}

const operation* machine_spread_pair(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const std::uint64_t value = double_row(w, op->source[0])[__builtin_ctz(lanes)];
    word *const low = row(w, op->destination), *const high = row(w, op->destination2);
    for (unsigned i = 0; i < warp_size; ++i) {
        low[i] = static_cast<std::uint32_t>(value);
        high[i] = static_cast<std::uint32_t>(value >> 32);
    }
    return op + 1;
}

const operation* machine_bulk_size(warp& w, const operation* op) {
    const word* const from = row(w, op->source[0]);
    word *const bytes = row(w, op->destination), *const ranks = row(w, op->destination2);
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t v = from[i];
        bytes[i] = (v & 0xffff) << 4;
        ranks[i] = v >> 16;
    }
    return op + 1;
}

const operation* machine_cluster_address(warp& w, const operation* op) {
    constexpr unsigned rank_shift = 24;
    const word *const a = row(w, op->source[0]), *const more = row(w, op->source[1]);
    word* const to = row(w, op->destination);
    const std::uint32_t own = w.block->rank(), offset = details_of(op).number;
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t whole = a[i] + more[i];
        const std::uint32_t rank = whole >> rank_shift;
        const std::uint32_t place = (whole & ((1u << rank_shift) - 1)) + offset;
        to[i] = rank == own ? place
                            : static_cast<std::uint32_t>(address_windows::in_rank(rank, place) -
                                                         address_windows::shared);
    }
    return op + 1;
}

const operation* machine_matrix_descriptor(warp& w, const operation* op) {
    constexpr std::uint32_t start_bits = 0x3fff;
    const word *const low = row(w, op->source[0]), *const high = row(w, op->source[1]);
    double_word* const to = double_row(w, op->destination);
    const std::uint32_t less = details_of(op).number;
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t start = (low[i] - less) & start_bits;
        to[i] = (low[i] & ~start_bits) | start | std::uint64_t{high[i]} << 32;
    }
    return op + 1;
}

const operation* machine_store_matrices(warp& w, const operation* op) {
    note_matrix_rows(w, op);
    return store_matrices(w, op);
}

}  // namespace simtlm::execution
