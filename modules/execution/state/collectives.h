// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/ptx/operation.h"

#include <cstdint>
#include <initializer_list>

// Operations that involve several lanes of a warp, or several warps of a CTA.
namespace simtlm::execution {

struct barrier_state;
struct barrier_arrival;

/// What the operands of a collective operation are: source[0] to [3], destination, destination2;
/// encoded in the operation before it (gather_members).
class collective_operands {
public:
    enum kind : std::uint8_t { none, words, double_words, mask };
    static constexpr unsigned sources = 4, count = 6;

    constexpr explicit collective_operands(std::int64_t code) : code_(code) {}
    /// @param kinds  of the operands, in order; those that are missing are `none`
    constexpr collective_operands(std::initializer_list<kind> kinds) {
        unsigned n = 0;
        for (const kind k : kinds) code_ |= std::int64_t{k} << 2 * n++;
    }
    constexpr kind of(unsigned n) const { return static_cast<kind>(code_ >> 2 * n & 3); }
    constexpr std::int64_t code() const { return code_; }
    /// In place of a code: an instruction that all lanes of a warp execute together
    /// (.sync.aligned).
    static constexpr std::int64_t whole_warp = -1;

private:
    std::int64_t code_ = 0;
};

/// Shuffles of machine code: inactive source lanes give 0.
constexpr std::int64_t shuffle_among_active = 1;

/// shfl. destination: words; destination2: mask of lanes whose source was in range, or no_operand;
/// source[0]: values; source[1]: lane or distance; source[2]: clamp and segment mask; source[3]:
/// members, or no_operand; immediate: 0, or shuffle_among_active
handler shuffle_handler(ptx::mode m);
/// vote. destination: mask, or words for ballot; source[0]: mask; source[1]: members, or no_operand
handler vote_handler(ptx::mode m);
/// match. destination: words; destination2: mask or no_operand; source[0]: values; source[1]:
/// members
handler match_handler(ptx::mode m, unsigned width);
/// redux. destination: words; source[0]: values; source[1]: members
handler redux_handler(const ptx::operation& o);
/// The same of integers.
handler redux_handler(ptx::reduction r, ptx::type t);
/// activemask. destination: words
const operation* active_mask(warp& w, const operation* op);

/// operation::immediate of a barrier.
struct barrier_flags {
    /// Lanes of a warp may arrive with different instructions.
    static constexpr std::int64_t separate = 1;
    /// One register (source[0]) holds the number in bits 3:0 and the threads in bits 27:16.
    static constexpr std::int64_t packed = 2;
};
/// Number and threads of a barrier, which are the same for all lanes.
struct barrier_operands {
    std::uint32_t number, threads;  ///< 0 threads: all of the CTA
};
barrier_operands barrier_operands_of(const warp& w, const operation* op, lane_mask lanes);
/// bar.sync. source[0]: barrier; source[1]: threads, or no_operand; immediate: barrier_flags
const operation* barrier_sync(warp& w, const operation* op);
/// bar.arrive
const operation* barrier_arrive(warp& w, const operation* op);
/// bar.red. destination: words (popc) or mask; source[2]: mask; detail: ptx::reduction
const operation* barrier_reduce(warp& w, const operation* op);
/// Computes a warp's result when the barrier of a bar.red is complete.
void finish_barrier_reduction(warp& w, const barrier_arrival& a, const barrier_state& b);

}  // namespace simtlm::execution
