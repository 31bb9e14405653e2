// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_operations.h"

#include "modules/execution/arithmetic/approximate.h"
#include "modules/execution/device_memory.h"
#include "modules/execution/launch.h"
#include "modules/execution/machine/machine_control.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace simtlm::execution {

namespace {

machine_control& control_of(warp& w) {
    return static_cast<machine_control&>(*w.control);
}

}  // namespace

const operation* machine_logic_predicates(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask a = predicate(w, d, 0), b = predicate(w, d, 1), c = predicate(w, d, 2);
    const auto look_up = [&](std::uint32_t table) {
        lane_mask r = 0;
        for (unsigned t = 0; t < 8; ++t)
            if ((table >> t & 1) != 0)
                r |= ((t & 4) != 0 ? a : ~a) & ((t & 2) != 0 ? b : ~b) & ((t & 1) != 0 ? c : ~c);
        return r;
    };
    const lane_mask lanes = lanes_of(w, op, d);
    const lane_mask first = look_up(d.number), second = look_up(d.number2);
    write_mask(w, d.result[0], lanes, first);
    write_mask(w, d.result[1], lanes, second);
    return op + 1;
}

const operation* machine_predicates_to_register(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const mask = row(w, op->source[1]);
    const std::uint32_t first =
        d.uniform ? machine_frame::uniform_predicates : machine_frame::predicates;
    return map_words(w, op, d, [&](unsigned i) {
        std::uint32_t bits = 0;
        for (unsigned n = 0; n < 7; ++n) bits |= (w.mask_at(first + 4 * n) >> i & 1) << n;
        const std::uint32_t byte = mask[i] & 0xff;
        return (a[i] & ~(byte << d.number)) | (bits & byte) << d.number;
    });
}

const operation* machine_register_to_predicates(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const mask = row(w, op->source[1]);
    const lane_mask lanes = lanes_of(w, op, d);
    const std::uint32_t first =
        d.uniform ? machine_frame::uniform_predicates : machine_frame::predicates;
    for (unsigned n = 0; n < 7; ++n) {
        const lane_mask chosen = lanes_with_bit(mask, n);
        if (chosen != 0)
            write_mask(w, first + 4 * n, lanes & chosen, lanes_with_bit(a, d.number + n));
    }
    return op + 1;
}

const operation* machine_combine(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask hit = predicate(w, d, 0), other = predicate(w, d, 1);
    const auto combine = [&](lane_mask p) {
        return d.combination == 0 ? p & other : d.combination == 1 ? p | other : p ^ other;
    };
    const lane_mask lanes = lanes_of(w, op, d);
    const lane_mask first = combine(hit), second = combine(~hit);
    write_mask(w, d.result[0], lanes, first);
    write_mask(w, d.result[1], lanes, second);
    return op + 1;
}

const operation* machine_double_extremum(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const double_word *const a = double_row(w, op->source[0]), *const b =
                                                                   double_row(w, op->source[1]);
    lane_mask first = 0, neither = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63, infinity = 0x7ff0000000000000;
        const bool a_nan = (a[i] & ~sign) > infinity, b_nan = (b[i] & ~sign) > infinity;
        // In integer order, with -0 below +0.
        const auto order = [](std::uint64_t x) { return (x & sign) != 0 ? ~x : x | sign; };
        const bool less = order(a[i]) < order(b[i]);
        const bool chosen = !a_nan && (b_nan || less == d.left);
        first |= static_cast<lane_mask>(chosen) << i;
        neither |= static_cast<lane_mask>(a_nan && b_nan) << i;
    }
    const lane_mask lanes = lanes_of(w, op, d);
    write_mask(w, d.result[0], lanes, first);
    write_mask(w, d.result[1], lanes, neither);
    return op + 1;
}

const operation* machine_reciprocal_check(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const source_row a = source(w, op, d, 0), b = source(w, op, d, 1);
    lane_mask slow = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        // Whether the short sequence for a / b could be inaccurate; the long one is always correct.
        const int x = static_cast<int>(a[i] >> 23 & 255), y = static_cast<int>(b[i] >> 23 & 255);
        const bool easy = y >= 4 && y <= 250 && x >= 26 && x <= 254 && x - y < 125 && x - y > -125;
        slow |= static_cast<lane_mask>(!easy) << i;
    }
    write_mask(w, d.result[0], lanes_of(w, op, d), slow);
    return op + 1;
}

namespace {
template <class Op>
const operation* map_floats(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const source_row a = source(w, op, d, 0);
    return map_words(w, op, d, [&](unsigned i) { return Op::apply(a[i]); });
}
template <class Op>
const operation* map_high_words(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const source_row a = source(w, op, d, 0);
    return map_words(w, op, d, [&](unsigned i) {
        return static_cast<std::uint32_t>(Op::apply(std::uint64_t{a[i]} << 32) >> 32);
    });
}
}  // namespace

const operation* machine_sine(warp& w, const operation* op) {
    return map_floats<arithmetic::sine_of_turns>(w, op);
}
const operation* machine_cosine(warp& w, const operation* op) {
    return map_floats<arithmetic::cosine_of_turns>(w, op);
}
const operation* machine_reciprocal_high(warp& w, const operation* op) {
    using arithmetic::f64;
    return map_high_words<arithmetic::rcp_approx<f64, arithmetic::ftz>>(w, op);
}
const operation* machine_root_high(warp& w, const operation* op) {
    using arithmetic::f64;
    return map_high_words<arithmetic::rsqrt_approx<f64, arithmetic::ftz>>(w, op);
}

namespace {
/// Offsets of a deferred atomic's result and effect in the request's values, after its operands.
constexpr std::size_t late_result = 1024, late_effect = 1536;
struct deferred_atomic {
    memory_effect effect = nullptr;
    unsigned width = 32;
    bool tells_success = false;  ///< CAST.SPIN
};

/// @param value  previous value in memory; @param compared  value with which it was compared
template <class Word>
void put_result(const std::byte* value, const std::byte* compared, bool tells_success,
                std::byte* low, std::byte* high, lane_mask lanes) {
    const auto* const held = reinterpret_cast<const lane_type<Word>*>(value);
    const auto* const wanted = reinterpret_cast<const lane_type<Word>*>(compared);
    for_lanes(lanes, [&](unsigned i) {
        std::uint64_t result = held[i];
        if (tells_success) result = held[i] == wanted[i] ? 1 : 0;
        reinterpret_cast<word*>(low)[i] = static_cast<std::uint32_t>(result);
        if (high != nullptr)
            reinterpret_cast<word*>(high)[i] = static_cast<std::uint32_t>(result >> 32);
    });
}
void put_result(unsigned width, const std::byte* value, const std::byte* compared,
                bool tells_success, std::byte* low, std::byte* high, lane_mask lanes) {
    if (width == 128) {
        // Four rows, from the low words of two double rows.
        const auto* const from = reinterpret_cast<const double_word*>(value);
        auto* const to = reinterpret_cast<word*>(low);
        for_lanes(lanes, [&](unsigned i) {
            for (unsigned n = 0; n < 4; ++n)
                to[n * warp_size + i] =
                    static_cast<std::uint32_t>(from[n / 2 * warp_size + i] >> n % 2 * 32);
        });
        return;
    }
    (width == 64 ? put_result<std::uint64_t>
                 : put_result<std::uint32_t>)(value, compared, tells_success, low, high, lanes);
}

/// elements: 0: compared value, 2: result, 3, 4: destination of the result.
void perform_deferred_atomic(warp& w, const memory_request& r) {
    deferred_atomic d;
    std::memcpy(&d, r.values + late_effect, sizeof d);
    d.effect(w, r);
    put_result(d.width, r.elements[2], r.elements[0], d.tells_success, r.elements[3], r.elements[4],
               r.lanes);
}
}  // namespace

const operation* machine_atomic_result(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const operation* const atomic = op + 1;
    const lane_mask lanes = w.lanes_of(atomic);
    atomic->execute(w, atomic);
    if (lanes == 0) return op + 2;
    std::byte* const low = w.at(op->destination);
    std::byte* const high = d.width == 64 ? w.at(op->destination2) : nullptr;
    memory_request* const r = w.pending;
    if (r == nullptr || r->perform == nullptr) {
        put_result(d.width, w.at(atomic->destination), w.at(atomic->source[1]), d.extended, low,
                   high, lanes);
        return op + 2;
    }
    const deferred_atomic late{r->perform, d.width, d.extended};
    std::memcpy(r->values + late_effect, &late, sizeof late);
    r->perform = perform_deferred_atomic;
    r->elements[2] = r->values + late_result;
    r->elements[3] = low;
    r->elements[4] = high;
    return op + 2;
}

const operation* machine_query_space(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const double_word* const address = double_row(w, op->source[0]);
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int32_t>(d.number));
    lane_mask within = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const device_address a = address[i] + offset;
        const bool own = address_windows::in_shared(a);
        const bool shared = own || address_windows::in_cluster(a);
        const bool local = address_windows::in_local(a);
        const bool is_there = d.width == 0   ? own
                              : d.width == 1 ? local
                              : d.width == 3 ? shared
                                             : !shared && !local;
        within |= static_cast<lane_mask>(is_there) << i;
    }
    write_mask(w, d.result[0], lanes_of(w, op, d), within);
    return op + 1;
}

const operation* machine_elect(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    write_mask(w, d.result[0], lanes, lane_mask{1} << first);
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = first;
    return op + 1;
}

const operation* machine_vote(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const lane_mask p = predicate(w, d, 0) & lanes;
    bool holds = p == lanes;
    if (d.number == 1) holds = p != 0;
    if (d.number == 2) holds = p == lanes || p == 0;
    const lane_mask to = d.uniform ? all_lanes : lanes;
    if (op->destination != no_slot) {
        alignas(64) word result[warp_size];
        for (unsigned i = 0; i < warp_size; ++i) result[i] = p;
        blend(row(w, op->destination), result, to);
    }
    write_mask(w, d.result[0], to, holds ? all_lanes : 0);
    return op + 1;
}

const operation* machine_to_uniform(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const std::uint32_t value = row(w, op->source[0])[__builtin_ctz(lanes)];
    const machine_details& d = details_of(op);
    lane_mask differs = 0;
    const word* const from = row(w, op->source[0]);
    for (unsigned i = 0; i < warp_size; ++i)
        differs |= static_cast<lane_mask>(from[i] != value) << i;
    write_mask(w, d.result[0], lanes, differs | (predicate(w, d, 0) & d.number));
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = value;
    return op + 1;
}

const operation* machine_load_constant(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask lanes = lanes_of(w, op, d);
    const word* const index = row(w, op->source[0]);
    // source[1]: start of the bank's bytes; number: offset; number2: size of the bank
    const std::byte* const bytes = w.at(op->source[1]);
    alignas(64) word result[2][warp_size] = {};
    if (w.pending != nullptr) {
        w.pending->op = op;
        w.pending->lanes = lanes;
    }
    for_lanes(lanes, [&](unsigned i) {
        // Offsets have 16 bits and a sign: those in the upper half of a bank are negative.
        const std::uint32_t sum = index[i] + d.number;
        const std::uint32_t at = sum >= 0xffff0000 ? sum & 0xffff : sum;
        const unsigned n = d.width / 8;
        if (w.pending != nullptr) w.pending->address[i] = d.bank + at;
        if (d.number2 == 0 || at >= 65536)
            w.block->fail(w, op, i, fmt::format("{:#x} lies beyond its constant bank", at));
        // Bytes beyond the program's part of the bank are zero.
        std::uint64_t v = 0;
        if (at < d.number2) std::memcpy(&v, bytes + at, std::min(n, d.number2 - at));
        if (d.is_signed && n < 4)
            v = static_cast<std::uint32_t>(
                static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << (32 - d.width)) >>
                (32 - d.width));
        result[0][i] = static_cast<std::uint32_t>(v);
        result[1][i] = static_cast<std::uint32_t>(v >> 32);
    });
    blend(row(w, op->destination), result[0], lanes);
    if (d.width == 64) blend(row(w, op->destination2), result[1], lanes);
    return op + 1;
}

const operation* machine_move_in_quads(warp& w, const operation* op) {
    constexpr lane_mask first_of_quads = 0x11111111;
    const lane_mask chosen = details_of(op).number * first_of_quads;
    const lane_mask lanes = w.lanes_of(op) & chosen;
    if (lanes != 0) put_row(row(w, op->destination), row(w, op->source[0]), lanes);
    return op + 1;
}

const operation* machine_add_in_quads(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const source_row a = source(w, op, d, 0), b = source(w, op, d, 1);
    const auto value = [&](std::uint32_t bits) {
        float x;
        std::memcpy(&x, &bits, sizeof x);
        return d.wraps && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    };
    return map_words(w, op, d, [&](unsigned i) -> std::uint32_t {
        const unsigned what = d.number >> 2 * (3 - i % 4) & 3;
        if (what == 3) return b[i];
        const float x = value(a[i]), y = value(b[i]);
        const float sum = what == 0 ? x + y : what == 1 ? y - x : x - y;
        std::uint32_t bits;
        std::memcpy(&bits, &sum, sizeof bits);
        const float result = value(bits);
        std::memcpy(&bits, &result, sizeof bits);
        return std::isnan(sum) ? 0x7fffffffu : bits;
    });
}

// ---- control ----

namespace {
void fill(word* to, std::uint32_t value, lane_mask lanes) {
    if (lanes == all_lanes)
        std::fill(to, to + warp_size, value);
    else
        for_lanes(lanes, [&](unsigned i) { to[i] = value; });
}
/// Lanes whose guard and own predicate are true.
lane_mask takers_of(const warp& w, const operation* op) {
    return w.lanes_of(op) & predicate(w, details_of(op), 0);
}
}  // namespace

const operation* machine_branch(warp& w, const operation* op) {
    const lane_mask takers = takers_of(w, op);
    if (takers == 0) return op + 1;
    w.leave(op);
    return control_of(w).branch(w, takers, w.code + op->source[0], op + 1);
}

const operation* machine_branch_any(warp& w, const operation* op) {
    if (takers_of(w, op) == 0) return op + 1;
    const lane_mask all = w.active;
    w.leave(op);
    return control_of(w).branch(w, all, w.code + op->source[0], op + 1);
}

const operation* machine_exit(warp& w, const operation* op) {
    const lane_mask lanes = takers_of(w, op);
    if (lanes == 0) return op + 1;
    w.leave(op);
    return control_of(w).exit(w, lanes, op + 1);
}

const operation* machine_set_barrier(warp& w, const operation* op) {
    machine_control::begin_barrier(w, takers_of(w, op), op->destination,
                                   op->source[1] == no_slot ? nullptr : row(w, op->source[1]));
    return op + 1;
}

const operation* machine_wait_barrier(warp& w, const operation* op) {
    const lane_mask lanes = takers_of(w, op);
    if (lanes == 0) return op + 1;
    w.leave(op);
    return control_of(w).wait(w, lanes, details_of(op).number, op + 1);
}

const operation* machine_break_barrier(warp& w, const operation* op) {
    const lane_mask lanes = takers_of(w, op);
    if (lanes == 0) return op + 1;
    word* const barrier = row(w, op->destination);
    lane_mask partners = 0;
    for_lanes(lanes, [&](unsigned i) { partners |= barrier[i]; });
    for_lanes(partners, [&](unsigned i) { barrier[i] &= ~lanes; });
    control_of(w).barriers_changed(w);
    return op + 1;
}

const operation* machine_read_barrier(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    word* const barrier = row(w, op->source[0]);
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    if (op->destination != no_slot) put_row(row(w, op->destination), barrier, lanes);
    if (d.extended) fill(barrier, 0, lanes);  // .CLEAR
    return op + 1;
}

const operation* machine_write_barrier(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    put_row(row(w, op->destination), row(w, op->source[0]), lanes);
    control_of(w).barriers_changed(w);
    return op + 1;
}

const operation* machine_keep_active(warp& w, const operation* op) {
    // Written for all lanes: lanes that execute only to complete a quad read it as well.
    if (w.lanes_of(op) != 0) fill(row(w, op->destination), w.active, all_lanes);
    return op + 1;
}

const operation* machine_set_active(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    lane_mask active = row(w, op->source[0])[__builtin_ctz(lanes)];
    if (details_of(op).high) {
        constexpr lane_mask first_of_quads = 0x11111111, quad = 15;
        active = ((active | active >> 1 | active >> 2 | active >> 3) & first_of_quads) * quad;
    }
    w.leave(op);
    w.active = active;
    return w.go_on(op + 1);
}

/// Lanes of a warp may arrive at a CTA barrier separately: it counts threads.
const operation* machine_gather_at_barrier(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0 || lanes == w.control->live_lanes()) return op + 1;
    w.leave(op);
    return control_of(w).wait_for(w, lanes, all_lanes,
                                  machine_control::barrier_match::block_barrier, op + 1);
}

const operation* machine_warp_sync(warp& w, const operation* op) {
    const lane_mask lanes = takers_of(w, op);
    if (lanes == 0) return op + 1;
    const machine_details& d = details_of(op);
    const bool collective = op->source[0] != no_slot;
    if (collective) control_of(w).set_collective_end(lanes, w.code + op->source[0]);
    const word* const masks = row(w, op->source[1]);
    const lane_mask among = masks[__builtin_ctz(lanes)];
    lane_mask same = 0, all = 0;
    for_lanes(lanes, [&](unsigned i) {
        same |= static_cast<lane_mask>(masks[i] == among) << i;
        all |= masks[i];
    });
    if (same != lanes) {
        // If all lanes for which any lane waits have arrived, they continue together: the following
        // code handles its mask itself. With .EXCLUSIVE and .COLLECTIVE, lanes with different masks
        // continue separately.
        if (!d.left && (all & w.control->live_lanes() & ~lanes) == 0 && lanes == w.active)
            return op + 1;
        w.leave(op);
        return control_of(w).branch(w, same, op, op);
    }
    if ((among & w.control->live_lanes() & ~lanes) == 0 && lanes == w.active) return op + 1;
    w.leave(op);
    return control_of(w).wait_for(w, lanes, among,
                                  d.high ? machine_control::barrier_match::collective
                                  : d.left && !collective
                                      ? machine_control::barrier_match::this_instruction
                                      : machine_control::barrier_match::any_instruction,
                                  op + 1);
}

const operation* machine_end_collective(warp& w, const operation* op) {
    const lane_mask lanes = takers_of(w, op);
    return lanes == 0 ? op + 1 : control_of(w).end_collective(w, lanes, op);
}

const operation* machine_yield(warp& w, const operation* op) {
    if (takers_of(w, op) == 0 || w.control->groups() == 1) return op + 1;
    w.leave(op);
    return control_of(w).yield(w, op + 1);
}

const operation* machine_branch_register(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask takers = takers_of(w, op);
    if (takers == 0) return op + 1;
    const word* const offset = row(w, op->source[0]);
    std::array<const operation*, warp_size> targets{};
    for_lanes(takers, [&](unsigned i) {
        const std::uint32_t to = offset[i] + d.number;
        if (to % 16 != 0 || to / 16 >= d.number2)
            w.block->fail(w, op, i, fmt::format("a branch to {:#x}, where there is no code", to));
        targets[i] = w.code + op->list[to / 16];
    });
    w.leave(op);
    return control_of(w).scatter(w, takers, targets, op + 1);
}

const operation* machine_branch_divergent(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const lane_mask takers = takers_of(w, op);
    if (takers == 0) return op + 1;
    const lane_mask live = w.control->live_lanes();
    lane_mask asked = live;
    if (op->source[1] != no_slot)
        asked = (row(w, op->source[1])[__builtin_ctz(takers)] ^ d.flip[0]) + d.add[0];
    const bool converged = (asked & live) == takers;
    if (converged != d.left) return op + 1;
    w.leave(op);
    return control_of(w).branch(w, d.left ? takers : w.active, w.code + op->source[0], op + 1);
}

namespace {
constexpr const char* run_ptx = "run its PTX instead; docs/sass.md lists what is supported";
}

const operation* machine_refuse(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                  *reinterpret_cast<const std::string*>(op->immediate), run_ptx,
                  fault_kind::illegal_instruction);
}

const operation* machine_call(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const operation* const next = op + 1 + d.number;
    const lane_mask takers = takers_of(w, op);
    if (takers == 0) return next;
    const word *const low = row(w, op->source[0]), *const high = row(w, op->source[1]);
    const auto address = [&](unsigned i) { return low[i] | std::uint64_t{high[i]} << 32; };
    const auto first = static_cast<unsigned>(__builtin_ctz(takers));
    lane_mask same = 0;
    bool any_of_runtime = false;
    for_lanes(takers, [&](unsigned i) {
        same |= static_cast<lane_mask>(address(i) == address(first)) << i;
        any_of_runtime |= address(i) < sass_image::code_window;
    });
    if (any_of_runtime) {
        if (same != w.active) {
            // Branches to one address after the other.
            w.leave(op);
            return control_of(w).branch(w, same, op, op);
        }
        const std::uint64_t n = (address(first) - sass_image::runtime_window) / 16;
        const auto& unsupported =
            static_cast<const sass_image&>(w.launch->image).unsupported_functions();
        if (address(first) >= sass_image::runtime_window && d.number != 0 && n >= d.number &&
            n - d.number < unsupported.size())
            w.block->fail(
                w, op, first,
                fmt::format("the system's function {} is not supported", unsupported[n - d.number]),
                run_ptx, fault_kind::illegal_instruction);
        if (address(first) < sass_image::runtime_window || n >= d.number)
            w.block->fail(w, op, first,
                          fmt::format("a call of {:#x}, where there is no code", address(first)));
        const operation* const function = op + 1 + n;
        function->execute(w, function);
        return next;
    }
    const auto& image = static_cast<const sass_image&>(w.launch->image);
    std::array<const operation*, warp_size> targets{};
    for_lanes(takers, [&](unsigned i) {
        const std::uint64_t n = (address(i) - sass_image::code_window) / 16;
        if (address(i) % 16 != 0 || n >= image.places().size())
            w.block->fail(w, op, i,
                          fmt::format("a branch to {:#x}, where there is no code", address(i)));
        targets[i] = w.code + op->list[n];
    });
    w.leave(op);
    return control_of(w).scatter(w, takers, targets, next);
}

}  // namespace simtlm::execution
