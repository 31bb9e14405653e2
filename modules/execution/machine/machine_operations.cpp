// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_operations.h"

#include "modules/execution/arithmetic/approximate.h"
#include "modules/execution/machine/machine_control.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/state/device_memory.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/thread_block.h"

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

static const operation* logic_predicates(warp& w, const operation* op,
                                         const predicate_logic_arguments& a) {
    const lane_mask x = value_of(w, a.source[0]), y = value_of(w, a.source[1]),
                    z = value_of(w, a.source[2]);
    const auto look_up = [&](std::uint32_t table) {
        lane_mask r = 0;
        for (unsigned t = 0; t < 8; ++t)
            if ((table >> t & 1) != 0)
                r |= ((t & 4) != 0 ? x : ~x) & ((t & 2) != 0 ? y : ~y) & ((t & 1) != 0 ? z : ~z);
        return r;
    };
    const lane_mask lanes = lanes_of(w, op, a);
    const lane_mask first = look_up(a.table[0]), second = look_up(a.table[1]);
    write_mask(w, a.result[0], lanes, first);
    write_mask(w, a.result[1], lanes, second);
    return op + 1;
}
const machine_handler<predicate_logic_arguments> machine_logic_predicates =
    handler_of<logic_predicates>();

static const operation* predicates_to_register(warp& w, const operation* op,
                                               const predicate_byte_arguments& a) {
    const word *const base = row(w, op->source[0]), *const mask = row(w, op->source[1]);
    const std::uint32_t first =
        a.uniform ? machine_frame::uniform_predicates : machine_frame::predicates;
    return map_words(w, op, a, [&](unsigned i) {
        std::uint32_t bits = 0;
        for (unsigned n = 0; n < 7; ++n) bits |= (w.mask_at(first + 4 * n) >> i & 1) << n;
        const std::uint32_t byte = mask[i] & 0xff;
        return (base[i] & ~(byte << a.first_bit)) | (bits & byte) << a.first_bit;
    });
}
const machine_handler<predicate_byte_arguments> machine_predicates_to_register =
    handler_of<predicates_to_register>();

static const operation* register_to_predicates(warp& w, const operation* op,
                                               const predicate_byte_arguments& a) {
    const word *const from = row(w, op->source[0]), *const mask = row(w, op->source[1]);
    const lane_mask lanes = lanes_of(w, op, a);
    const std::uint32_t first =
        a.uniform ? machine_frame::uniform_predicates : machine_frame::predicates;
    for (unsigned n = 0; n < 7; ++n) {
        const lane_mask chosen = lanes_with_bit(mask, n);
        if (chosen != 0)
            write_mask(w, first + 4 * n, lanes & chosen, lanes_with_bit(from, a.first_bit + n));
    }
    return op + 1;
}
const machine_handler<predicate_byte_arguments> machine_register_to_predicates =
    handler_of<register_to_predicates>();

static const operation* combine(warp& w, const operation* op, const combination_arguments& a) {
    const lane_mask hit = value_of(w, a.hit);
    write_combined(w, a.outcome, lanes_of(w, op, a), hit, ~hit);
    return op + 1;
}
const machine_handler<combination_arguments> machine_combine = handler_of<combine>();

static const operation* double_extremum(warp& w, const operation* op,
                                        const double_extremum_arguments& a) {
    const double_word *const x = double_row(w, op->source[0]), *const y =
                                                                   double_row(w, op->source[1]);
    lane_mask first = 0, neither = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63, infinity = 0x7ff0000000000000;
        const bool x_nan = (x[i] & ~sign) > infinity, y_nan = (y[i] & ~sign) > infinity;
        // In integer order, with -0 below +0.
        const auto order = [](std::uint64_t v) { return (v & sign) != 0 ? ~v : v | sign; };
        const bool less = order(x[i]) < order(y[i]);
        const bool chosen = !x_nan && (y_nan || less == a.minimum);
        first |= static_cast<lane_mask>(chosen) << i;
        neither |= static_cast<lane_mask>(x_nan && y_nan) << i;
    }
    const lane_mask lanes = w.lanes_of(op);
    write_mask(w, a.first_selected, lanes, first);
    write_mask(w, a.both_nan, lanes, neither);
    return op + 1;
}
const machine_handler<double_extremum_arguments> machine_double_extremum =
    handler_of<double_extremum>();

static const operation* reciprocal_check(warp& w, const operation* op,
                                         const reciprocal_check_arguments& a) {
    const source_row dividend{row(w, op->source[0]), a.source[0]},
        divisor{row(w, op->source[1]), a.source[1]};
    lane_mask slow = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        // Whether the short sequence could be inaccurate; the long one is always correct.
        const int x = static_cast<int>(dividend[i] >> 23 & 255),
                  y = static_cast<int>(divisor[i] >> 23 & 255);
        const bool easy = y >= 4 && y <= 250 && x >= 26 && x <= 254 && x - y < 125 && x - y > -125;
        slow |= static_cast<lane_mask>(!easy) << i;
    }
    write_mask(w, a.needs_slow_path, w.lanes_of(op), slow);
    return op + 1;
}
const machine_handler<reciprocal_check_arguments> machine_reciprocal_check =
    handler_of<reciprocal_check>();

namespace {
template <class Op>
const operation* map_floats(warp& w, const operation* op, const unary_arguments& a) {
    const source_row x{row(w, op->source[0]), a.source};
    return map_words(w, op, a, [&](unsigned i) { return Op::apply(x[i]); });
}
template <class Op>
const operation* map_high_words(warp& w, const operation* op, const unary_arguments& a) {
    const source_row x{row(w, op->source[0]), a.source};
    return map_words(w, op, a, [&](unsigned i) {
        return static_cast<std::uint32_t>(Op::apply(std::uint64_t{x[i]} << 32) >> 32);
    });
}
}  // namespace

const machine_handler<unary_arguments> machine_sine =
    handler_of<map_floats<arithmetic::sine_of_turns>>();
const machine_handler<unary_arguments> machine_cosine =
    handler_of<map_floats<arithmetic::cosine_of_turns>>();
const machine_handler<unary_arguments> machine_reciprocal_high =
    handler_of<map_high_words<arithmetic::rcp_approx<arithmetic::f64, arithmetic::ftz>>>();
const machine_handler<unary_arguments> machine_root_high =
    handler_of<map_high_words<arithmetic::rsqrt_approx<arithmetic::f64, arithmetic::ftz>>>();

namespace {
/// Offsets of a deferred atomic's result and effect in the request's values, after its operands.
constexpr std::size_t late_result = 1024, late_effect = 1536;
struct deferred_atomic {
    memory_effect effect = nullptr;
    unsigned width = 32;
    bool returns_success = false;  ///< CAST.SPIN
};

/// @param value  previous value in memory; @param compared  value with which it was compared
template <class Word>
void put_result(const std::byte* value, const std::byte* compared, bool returns_success,
                std::byte* low, std::byte* high, lane_mask lanes) {
    const auto* const held = reinterpret_cast<const lane_type<Word>*>(value);
    const auto* const wanted = reinterpret_cast<const lane_type<Word>*>(compared);
    for_lanes(lanes, [&](unsigned i) {
        std::uint64_t result = held[i];
        if (returns_success) result = held[i] == wanted[i] ? 1 : 0;
        reinterpret_cast<word*>(low)[i] = static_cast<std::uint32_t>(result);
        if (high != nullptr)
            reinterpret_cast<word*>(high)[i] = static_cast<std::uint32_t>(result >> 32);
    });
}
void put_result(unsigned width, const std::byte* value, const std::byte* compared,
                bool returns_success, std::byte* low, std::byte* high, lane_mask lanes) {
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
                 : put_result<std::uint32_t>)(value, compared, returns_success, low, high, lanes);
}

/// elements: 0: compared value, 2: result, 3, 4: destination of the result.
void perform_deferred_atomic(warp& w, const memory_request& r) {
    deferred_atomic d;
    std::memcpy(&d, r.values + late_effect, sizeof d);
    d.effect(w, r);
    put_result(d.width, r.elements[2], r.elements[0], d.returns_success, r.elements[3],
               r.elements[4], r.lanes);
}
}  // namespace

static const operation* atomic_result(warp& w, const operation* op,
                                      const atomic_result_arguments& a) {
    const operation* const atomic = op + 1;
    const lane_mask lanes = w.lanes_of(atomic);
    atomic->execute(w, atomic);
    if (lanes == 0) return op + 2;
    std::byte* const low = w.at(op->destination);
    std::byte* const high = a.width == 64 ? w.at(op->destination2) : nullptr;
    memory_request* const r = w.pending;
    if (r == nullptr || r->perform == nullptr) {
        put_result(a.width, w.at(atomic->destination), w.at(atomic->source[1]), a.reports_success,
                   low, high, lanes);
        return op + 2;
    }
    const deferred_atomic late{r->perform, a.width, a.reports_success};
    std::memcpy(r->values + late_effect, &late, sizeof late);
    r->perform = perform_deferred_atomic;
    r->elements[2] = r->values + late_result;
    r->elements[3] = low;
    r->elements[4] = high;
    return op + 2;
}
const machine_handler<atomic_result_arguments> machine_atomic_result = handler_of<atomic_result>();

static const operation* query_space(warp& w, const operation* op, const space_query_arguments& a) {
    using kind = space_query_arguments::kind;
    const double_word* const address = double_row(w, op->source[0]);
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int32_t>(a.offset));
    lane_mask within = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const device_address at = address[i] + offset;
        const bool own = address_windows::in_shared(at);
        const bool shared = own || address_windows::in_cluster(at);
        const bool local = address_windows::in_local(at);
        const bool is_there = a.queried == kind::shared           ? own
                              : a.queried == kind::local          ? local
                              : a.queried == kind::cluster_shared ? shared
                                                                  : !shared && !local;
        within |= static_cast<lane_mask>(is_there) << i;
    }
    write_mask(w, a.result, w.lanes_of(op), within);
    return op + 1;
}
const machine_handler<space_query_arguments> machine_query_space = handler_of<query_space>();

static const operation* elect(warp& w, const operation* op, const election_arguments& a) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    write_mask(w, a.elected, lanes, lane_mask{1} << first);
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = first;
    return op + 1;
}
const machine_handler<election_arguments> machine_elect = handler_of<elect>();

static const operation* vote(warp& w, const operation* op, const vote_arguments& a) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const lane_mask p = value_of(w, a.source) & lanes;
    using mode = vote_arguments::mode;
    bool holds = p == lanes;
    if (a.holds_for == mode::any) holds = p != 0;
    if (a.holds_for == mode::equal) holds = p == lanes || p == 0;
    const lane_mask to = a.to_uniform ? all_lanes : lanes;
    if (op->destination != no_operand) {
        alignas(64) word result[warp_size];
        for (unsigned i = 0; i < warp_size; ++i) result[i] = p;
        blend(row(w, op->destination), result, to);
    }
    write_mask(w, a.result, to, holds ? all_lanes : 0);
    return op + 1;
}
const machine_handler<vote_arguments> machine_vote = handler_of<vote>();

static const operation* to_uniform(warp& w, const operation* op, const to_uniform_arguments& a) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const std::uint32_t value = row(w, op->source[0])[__builtin_ctz(lanes)];
    lane_mask differs = 0;
    const word* const from = row(w, op->source[0]);
    for (unsigned i = 0; i < warp_size; ++i)
        differs |= static_cast<lane_mask>(from[i] != value) << i;
    if (a.keeps_set) differs |= w.mask_at(a.differs);
    write_mask(w, a.differs, lanes, differs);
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = value;
    return op + 1;
}
const machine_handler<to_uniform_arguments> machine_to_uniform = handler_of<to_uniform>();

const operation* machine_load_constant(warp& w, const operation* op,
                                       const indexed_constant_arguments& a) {
    const lane_mask lanes = lanes_of(w, op, a);
    const word* const index = row(w, op->source[0]);
    const std::byte* const bytes = w.at(op->source[1]);
    alignas(64) word result[2][warp_size] = {};
    if (w.pending != nullptr) {
        w.pending->op = op;
        w.pending->lanes = lanes;
    }
    for_lanes(lanes, [&](unsigned i) {
        // Offsets have 16 bits and a sign: those in the upper half of a bank are negative.
        const std::uint32_t sum = index[i] + a.offset;
        const std::uint32_t at = sum >= 0xffff0000 ? sum & 0xffff : sum;
        const unsigned n = a.width / 8;
        if (w.pending != nullptr) w.pending->address[i] = a.bank_address + at;
        if (a.bank_bytes == 0 || at >= 65536)
            w.block->fail(w, op, i, fmt::format("{:#x} lies beyond its constant bank", at));
        // Bytes beyond the program's part of the bank are zero.
        std::uint64_t v = 0;
        if (at < a.bank_bytes) std::memcpy(&v, bytes + at, std::min(n, a.bank_bytes - at));
        if (a.is_signed && n < 4)
            v = static_cast<std::uint32_t>(
                static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << (32 - a.width)) >>
                (32 - a.width));
        result[0][i] = static_cast<std::uint32_t>(v);
        result[1][i] = static_cast<std::uint32_t>(v >> 32);
    });
    blend(row(w, op->destination), result[0], lanes);
    if (a.width == 64) blend(row(w, op->destination2), result[1], lanes);
    return op + 1;
}

static const operation* move_in_quads(warp& w, const operation* op, const quad_move_arguments& a) {
    constexpr lane_mask first_of_quads = 0x11111111;
    const lane_mask lanes = w.lanes_of(op) & a.lanes * first_of_quads;
    if (lanes != 0) put_row(row(w, op->destination), row(w, op->source[0]), lanes);
    return op + 1;
}
const machine_handler<quad_move_arguments> machine_move_in_quads = handler_of<move_in_quads>();

static const operation* add_in_quads(warp& w, const operation* op, const quad_sum_arguments& a) {
    const source_row p{row(w, op->source[0]), a.source[0]}, q{row(w, op->source[1]), a.source[1]};
    const auto value = [&](std::uint32_t bits) {
        float x;
        std::memcpy(&x, &bits, sizeof x);
        return a.flushes && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    };
    return map_words(w, op, w.lanes_of(op), [&](unsigned i) -> std::uint32_t {
        const unsigned what = a.operations >> 2 * (3 - i % 4) & 3;
        if (what == 3) return q[i];
        const float x = value(p[i]), y = value(q[i]);
        const float sum = what == 0 ? x + y : what == 1 ? y - x : x - y;
        std::uint32_t bits;
        std::memcpy(&bits, &sum, sizeof bits);
        const float result = value(bits);
        std::memcpy(&bits, &result, sizeof bits);
        return std::isnan(sum) ? 0x7fffffffu : bits;
    });
}
const machine_handler<quad_sum_arguments> machine_add_in_quads = handler_of<add_in_quads>();

// ---- control ----

namespace {
void fill(word* to, std::uint32_t value, lane_mask lanes) {
    if (lanes == all_lanes)
        std::fill(to, to + warp_size, value);
    else
        for_lanes(lanes, [&](unsigned i) { to[i] = value; });
}
/// Lanes whose guard and condition are true.
lane_mask takers_of(const warp& w, const operation* op, const control_arguments& a) {
    return w.lanes_of(op) & value_of(w, a.condition);
}
}  // namespace

static const operation* branch(warp& w, const operation* op, const control_arguments& a) {
    const lane_mask takers = takers_of(w, op, a);
    if (takers == 0) return op + 1;
    w.leave(op);
    return control_of(w).branch(w, takers, w.code + op->source[0], op + 1);
}
const machine_handler<control_arguments> machine_branch = handler_of<branch>();

static const operation* branch_any(warp& w, const operation* op, const control_arguments& a) {
    if (takers_of(w, op, a) == 0) return op + 1;
    const lane_mask all = w.active;
    w.leave(op);
    return control_of(w).branch(w, all, w.code + op->source[0], op + 1);
}
const machine_handler<control_arguments> machine_branch_any = handler_of<branch_any>();

static const operation* exit(warp& w, const operation* op, const control_arguments& a) {
    const lane_mask lanes = takers_of(w, op, a);
    if (lanes == 0) return op + 1;
    w.leave(op);
    return control_of(w).exit(w, lanes, op + 1);
}
const machine_handler<control_arguments> machine_exit = handler_of<exit>();

static const operation* set_barrier(warp& w, const operation* op, const control_arguments& a) {
    machine_control::begin_barrier(w, takers_of(w, op, a), op->destination,
                                   op->source[1] == no_operand ? nullptr : row(w, op->source[1]));
    return op + 1;
}
const machine_handler<control_arguments> machine_set_barrier = handler_of<set_barrier>();

static const operation* wait_barrier(warp& w, const operation* op,
                                     const barrier_wait_arguments& a) {
    const lane_mask lanes = takers_of(w, op, a);
    if (lanes == 0) return op + 1;
    w.leave(op);
    return control_of(w).wait(w, lanes, a.barrier, op + 1);
}
const machine_handler<barrier_wait_arguments> machine_wait_barrier = handler_of<wait_barrier>();

static const operation* break_barrier(warp& w, const operation* op, const control_arguments& a) {
    const lane_mask lanes = takers_of(w, op, a);
    if (lanes == 0) return op + 1;
    word* const barrier = row(w, op->destination);
    lane_mask partners = 0;
    for_lanes(lanes, [&](unsigned i) { partners |= barrier[i]; });
    for_lanes(partners, [&](unsigned i) { barrier[i] &= ~lanes; });
    control_of(w).barriers_changed(w);
    return op + 1;
}
const machine_handler<control_arguments> machine_break_barrier = handler_of<break_barrier>();

static const operation* read_barrier(warp& w, const operation* op,
                                     const barrier_read_arguments& a) {
    word* const barrier = row(w, op->source[0]);
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    if (op->destination != no_operand) put_row(row(w, op->destination), barrier, lanes);
    if (a.clears) fill(barrier, 0, lanes);  // .CLEAR
    return op + 1;
}
const machine_handler<barrier_read_arguments> machine_read_barrier = handler_of<read_barrier>();

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

static const operation* set_active(warp& w, const operation* op, const active_mask_arguments& a) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto quads_of = [](lane_mask m) {
        constexpr lane_mask first_of_quads = 0x11111111, quad = 15;
        return ((m | m >> 1 | m >> 2 | m >> 3) & first_of_quads) * quad;
    };
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    lane_mask active = row(w, op->source[0])[first];
    if (a.whole_quads) active = quads_of(active);
    // Only lanes that complete quads come and go: others would be lost, or be in two places.
    const lane_mask own = control_of(w).own_lanes();
    if ((own & ~active) != 0 || (active & ~quads_of(own)) != 0)
        w.block->fail(w, op, first,
                      fmt::format("active lanes {:#x} are set where {:#x} execute", active, own));
    w.leave(op);
    w.active = active;
    return w.continue_at(op + 1);
}
const machine_handler<active_mask_arguments> machine_set_active = handler_of<set_active>();

/// Lanes of a warp may arrive at a CTA barrier separately: it counts threads.
const operation* machine_gather_at_barrier(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0 || lanes == w.control->live_lanes()) return op + 1;
    w.leave(op);
    return control_of(w).wait_for(w, lanes, all_lanes,
                                  machine_control::barrier_match::block_barrier, op + 1);
}

static const operation* warp_sync(warp& w, const operation* op, const warp_sync_arguments& a) {
    const lane_mask lanes = takers_of(w, op, a);
    if (lanes == 0) return op + 1;
    const bool collective = op->source[0] != no_operand;
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
        if (!a.separates && (all & w.control->live_lanes() & ~lanes) == 0 && lanes == w.active)
            return op + 1;
        w.leave(op);
        return control_of(w).branch(w, same, op, op);
    }
    if ((among & w.control->live_lanes() & ~lanes) == 0 && lanes == w.active) return op + 1;
    w.leave(op);
    return control_of(w).wait_for(w, lanes, among,
                                  a.one_section ? machine_control::barrier_match::collective
                                  : a.separates && !collective
                                      ? machine_control::barrier_match::this_instruction
                                      : machine_control::barrier_match::any_instruction,
                                  op + 1);
}
const machine_handler<warp_sync_arguments> machine_warp_sync = handler_of<warp_sync>();

static const operation* end_collective(warp& w, const operation* op, const control_arguments& a) {
    const lane_mask lanes = takers_of(w, op, a);
    return lanes == 0 ? op + 1 : control_of(w).end_collective(w, lanes, op);
}
const machine_handler<control_arguments> machine_end_collective = handler_of<end_collective>();

static const operation* yield(warp& w, const operation* op, const control_arguments& a) {
    if (takers_of(w, op, a) == 0 || w.control->groups() == 1) return op + 1;
    w.leave(op);
    return control_of(w).yield(w, op + 1);
}
const machine_handler<control_arguments> machine_yield = handler_of<yield>();

static const operation* branch_register(warp& w, const operation* op,
                                        const register_branch_arguments& a) {
    const lane_mask takers = takers_of(w, op, a);
    if (takers == 0) return op + 1;
    const word* const offset = row(w, op->source[0]);
    std::array<const operation*, warp_size> targets{};
    for_lanes(takers, [&](unsigned i) {
        const std::uint32_t to = offset[i] + a.offset;
        if (to % 16 != 0 || to / 16 >= a.instructions)
            w.block->fail(w, op, i, fmt::format("a branch to {:#x}, where there is no code", to));
        targets[i] = w.code + op->list[to / 16];
    });
    w.leave(op);
    return control_of(w).scatter(w, takers, targets, op + 1);
}
const machine_handler<register_branch_arguments> machine_branch_register =
    handler_of<branch_register>();

static const operation* branch_divergent(warp& w, const operation* op,
                                         const divergent_branch_arguments& a) {
    const lane_mask takers = takers_of(w, op, a);
    if (takers == 0) return op + 1;
    const lane_mask live = w.control->live_lanes();
    lane_mask asked = live;
    if (op->source[1] != no_operand)
        asked = (row(w, op->source[1])[__builtin_ctz(takers)] ^ a.expected.flip) + a.expected.add;
    const bool converged = (asked & live) == takers;
    if (converged != a.if_converged) return op + 1;
    w.leave(op);
    return control_of(w).branch(w, a.if_converged ? takers : w.active, w.code + op->source[0],
                                op + 1);
}
const machine_handler<divergent_branch_arguments> machine_branch_divergent =
    handler_of<branch_divergent>();

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

static const operation* call(warp& w, const operation* op, const call_arguments& a) {
    const operation* const next = op + 1 + a.runtime_functions;
    const lane_mask takers = takers_of(w, op, a);
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
        if (address(first) >= sass_image::runtime_window && a.runtime_functions != 0 &&
            n >= a.runtime_functions && n - a.runtime_functions < unsupported.size())
            w.block->fail(w, op, first,
                          fmt::format("the system's function {} is not supported",
                                      unsupported[n - a.runtime_functions]),
                          run_ptx, fault_kind::illegal_instruction);
        if (address(first) < sass_image::runtime_window || n >= a.runtime_functions)
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
const machine_handler<call_arguments> machine_call = handler_of<call>();

}  // namespace simtlm::execution
