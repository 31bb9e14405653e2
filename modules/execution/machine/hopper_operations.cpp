// SPDX-License-Identifier: Apache-2.0
// Operations for instructions of sm_90 in addition to those of PTX.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/thread_block.h"

namespace simtlm::execution {

static const operation* first_lane(warp& w, const operation* op, const election_arguments& a) {
    const lane_mask lanes = w.lanes_of(op);
    w.mask_at(a.elected) = lanes & (~lanes + 1);
    return op + 1;
}
const machine_handler<election_arguments> machine_first_lane = handler_of<first_lane>();

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

static const operation* cluster_address(warp& w, const operation* op,
                                        const cluster_address_arguments& a) {
    constexpr unsigned rank_shift = 24;
    const word *const base = row(w, op->source[0]), *const more = row(w, op->source[1]);
    word* const to = row(w, op->destination);
    const std::uint32_t own = w.block->rank();
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t whole = base[i] + more[i];
        const std::uint32_t rank = whole >> rank_shift;
        const std::uint32_t place = (whole & ((1u << rank_shift) - 1)) + a.offset;
        to[i] = rank == own ? place
                            : static_cast<std::uint32_t>(address_windows::in_rank(rank, place) -
                                                         address_windows::shared);
    }
    return op + 1;
}
const machine_handler<cluster_address_arguments> machine_cluster_address =
    handler_of<cluster_address>();

static const operation* matrix_descriptor(warp& w, const operation* op,
                                          const matrix_descriptor_arguments& a) {
    constexpr std::uint32_t start_bits = 0x3fff;
    const word *const low = row(w, op->source[0]), *const high = row(w, op->source[1]);
    double_word* const to = double_row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t start = (low[i] - a.window_begin) & start_bits;
        to[i] = (low[i] & ~start_bits) | start | std::uint64_t{high[i]} << 32;
    }
    return op + 1;
}
const machine_handler<matrix_descriptor_arguments> machine_matrix_descriptor =
    handler_of<matrix_descriptor>();

const operation* machine_store_matrices(warp& w, const operation* op) {
    note_matrix_rows(w, op);
    return store_matrices(w, op);
}

}  // namespace simtlm::execution
