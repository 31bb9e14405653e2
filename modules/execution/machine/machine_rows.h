// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/state/lanes.h"

#include <cstring>

// Access of machine-code operations to rows, sources with modifiers and predicates. Compiled for
// several instruction sets, like lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

using word = lane_type<std::uint32_t>;
using double_word = lane_type<std::uint64_t>;

inline word* row(const warp& w, operand_ref s) {
    return lanes_at<std::uint32_t>(w, s);
}
inline double_word* double_row(const warp& w, operand_ref s) {
    return lanes_at<std::uint64_t>(w, s);
}

/// Lanes that execute an operation; on the uniform datapath all or none.
inline lane_mask lanes_of(const warp& w, const operation* op, const datapath_arguments& a) {
    if (!a.uniform) return w.lanes_of(op);
    return *reinterpret_cast<const lane_mask*>(w.banks[0] + op->guard) ^ op->guard_flip;
}
inline lane_mask value_of(const warp& w, const source_predicate& p) {
    return w.mask_at(p.mask) ^ p.flip;
}
/// Writes the lanes `lanes` of a predicate.
inline void write_mask(warp& w, operand_ref to, lane_mask lanes, lane_mask value) {
    if (to == 0) return;  // PT
    lane_mask& p = w.mask_at(to);
    p = (p & ~lanes) | (value & lanes);
}

/// The function of a mask and the predicate with which it is combined.
inline lane_mask combined(const combined_result& c, lane_mask mask, lane_mask with) {
    return c.how == combination::all_of   ? mask & with
           : c.how == combination::any_of ? mask | with
                                          : mask ^ with;
}
/// Writes the predicates of a combined_result in the lanes `lanes`.
inline void write_combined(warp& w, const combined_result& c, lane_mask lanes, lane_mask mask,
                           lane_mask opposite) {
    const lane_mask with = value_of(w, c.with);
    write_mask(w, c.result, lanes, combined(c, mask, with));
    write_mask(w, c.result_of_opposite, lanes, combined(c, opposite, with));
}

/// A source with its modifiers.
struct source_row {
    const word* from;
    source_modifiers m;
    std::uint32_t operator[](unsigned i) const { return ((from[i] & m.keep) ^ m.flip) + m.add; }
};

/// Copies a row in some lanes.
inline void put_row(word* to, const word* from, lane_mask lanes) {
    if (lanes == all_lanes)
        std::memcpy(to, from, sizeof(word) * warp_size);
    else
        blend(to, from, lanes);
}

/// destination[lane] = f(lane) in the lanes `lanes`. f may read its own lane of any row.
template <class Function>
inline const operation* map_words(warp& w, const operation* op, lane_mask lanes, Function&& f) {
    alignas(64) word result[warp_size];
    word* const to = row(w, op->destination);
    word* const out = lanes == all_lanes ? to : result;
#pragma GCC ivdep
    for (unsigned i = 0; i < warp_size; ++i) out[i] = f(i);
    if (lanes != all_lanes) blend(to, result, lanes);
    return op + 1;
}
/// The same in the lanes that execute the operation.
template <class Function>
inline const operation* map_words(warp& w, const operation* op, const datapath_arguments& a,
                                  Function&& f) {
    return map_words(w, op, lanes_of(w, op, a), f);
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
