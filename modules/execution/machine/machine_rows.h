// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/operations/lanes.h"

#include <cstring>

// Access of machine-code operations to rows, sources with modifiers and predicates. Compiled for
// several instruction sets, like lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

using word = lane_type<std::uint32_t>;
using double_word = lane_type<std::uint64_t>;

inline const machine_details& details_of(const operation* op) {
    return *reinterpret_cast<const machine_details*>(op->immediate);
}
inline word* row(const warp& w, slot s) {
    return lanes_at<std::uint32_t>(w, s);
}
inline double_word* double_row(const warp& w, slot s) {
    return lanes_at<std::uint64_t>(w, s);
}

/// Lanes that execute an operation; on the uniform datapath all or none.
inline lane_mask lanes_of(const warp& w, const operation* op, const machine_details& d) {
    if (!d.uniform) return w.lanes_of(op);
    return *reinterpret_cast<const lane_mask*>(w.banks[0] + op->guard) ^ op->guard_flip;
}
/// The n-th source predicate of an instruction, for all lanes.
inline lane_mask predicate(const warp& w, const machine_details& d, unsigned n) {
    return w.mask_at(d.predicate[n]) ^ d.predicate_flip[n];
}
/// Writes the lanes `lanes` of a predicate.
inline void write_mask(warp& w, slot to, lane_mask lanes, lane_mask value) {
    if (to == 0) return;  // PT
    lane_mask& p = w.mask_at(to);
    p = (p & ~lanes) | (value & lanes);
}

/// A source with its modifiers: ((x & keep) ^ flip) + add.
struct source_row {
    const word* from;
    std::uint32_t keep, flip, add;
    std::uint32_t operator[](unsigned i) const { return ((from[i] & keep) ^ flip) + add; }
};
/// The n-th source operand, with its modifiers.
inline source_row source(const warp& w, const operation* op, const machine_details& d, unsigned n) {
    return {row(w, op->source[n]), d.keep[n], d.flip[n], d.add[n]};
}

/// Copies a row in some lanes.
inline void put_row(word* to, const word* from, lane_mask lanes) {
    if (lanes == all_lanes)
        std::memcpy(to, from, sizeof(word) * warp_size);
    else
        blend(to, from, lanes);
}

/// destination[lane] = f(lane) in the executing lanes. f may read its own lane of any row.
template <class Function>
inline const operation* map_words(warp& w, const operation* op, const machine_details& d,
                                  Function&& f) {
    alignas(64) word result[warp_size];
    const lane_mask lanes = lanes_of(w, op, d);
    word* const to = row(w, op->destination);
    word* const out = lanes == all_lanes ? to : result;
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) out[i] = f(i);
    if (lanes != all_lanes) blend(to, result, lanes);
    return op + 1;
}

/// Lanes whose word has a bit set.
inline lane_mask lanes_with_bit(const word* from, unsigned bit) {
    lane_mask found = 0;
#if defined(__SSE2__)
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(31 - bit));
    for (unsigned i = 0; i < warp_size; i += 4) {
        const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        const int signs = _mm_movemask_ps(_mm_castsi128_ps(_mm_sll_epi32(four, shift)));
        found |= static_cast<lane_mask>(signs) << i;
    }
#else
    for (unsigned i = 0; i < warp_size; ++i) found |= (from[i] >> bit & 1) << i;
#endif
    return found;
}

/// With timing: reports the addresses of a matrix load or store, one row per lane.
inline void note_matrix_rows(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0 || w.pending == nullptr) return;
    memory_request& r = *w.pending;
    r.op = op;
    r.lanes = lanes;
    for (unsigned i = 0; i < warp_size; ++i)
        r.address[i] = row(w, op->source[0])[i] + static_cast<std::uint32_t>(op->immediate);
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
