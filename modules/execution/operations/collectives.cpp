// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/collectives.h"

#include "modules/execution/arithmetic/floating.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"
#include "modules/execution/state/warp_control.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace simtlm::execution {

namespace {

using word = lane_type<std::uint32_t>;

const word* words_of(const warp& w, operand_ref s) {
    return lanes_at<std::uint32_t>(w, s);
}

/// Lanes that name the same members.
lane_mask lanes_with(const word* named, std::uint32_t mask, lane_mask among) {
    std::uint32_t differ = 0;
    for (unsigned i = 0; i < warp_size; ++i) differ |= named[i] ^ mask;
    if (differ == 0) return among;
    lane_mask same = 0;
    for_lanes(among, [&](unsigned i) { same |= static_cast<lane_mask>(named[i] == mask) << i; });
    return same;
}

/// Several groups of lanes may execute an operation at once, each with a mask of its own: subsets
/// of a partition, lanes with the same key. Calls act(group, the executing lanes in its mask).
/// Lanes that are not in their own mask, which CUDA leaves undefined, see the lanes of the mask, as
/// on hardware.
template <class Act>
void for_groups(const warp& w, const operation* op, operand_ref mask, Act&& act) {
    const lane_mask lanes = w.lanes_of(op);
    lane_mask left = lanes;
    if (mask == no_operand) {
        if (left != 0) act(left, left);
        return;
    }
    const word* const named = words_of(w, mask);
    while (left != 0) {
        const std::uint32_t m = named[__builtin_ctz(left)];
        const lane_mask group = lanes_with(named, m, left);
        act(group, lanes & m);
        left &= ~group;
    }
}

void write_mask(warp& w, operand_ref to, lane_mask lanes, lane_mask value) {
    if (to == no_operand) return;
    lane_mask& p = w.mask_at(to);
    p = (p & ~lanes) | (value & lanes);
}

// ---- shfl ----

struct up {
    static int source(unsigned lane, unsigned b, unsigned) {
        return static_cast<int>(lane) - static_cast<int>(b);
    }
    static bool in_range(int j, int limit) { return j >= limit; }
};
struct down {
    static int source(unsigned lane, unsigned b, unsigned) { return static_cast<int>(lane + b); }
    static bool in_range(int j, int limit) { return j <= limit; }
};
struct butterfly {
    static int source(unsigned lane, unsigned b, unsigned) { return static_cast<int>(lane ^ b); }
    static bool in_range(int j, int limit) { return j <= limit; }
};
struct indexed {
    static int source(unsigned lane, unsigned b, unsigned segment) {
        return static_cast<int>((lane & segment) | (b & ~segment & 31));
    }
    static bool in_range(int j, int limit) { return j <= limit; }
};

template <class Mode>
const operation* shuffle(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const lane_mask lanes = w.lanes_of(op);
    const word* const value = words_of(w, op->source[0]);
    const word* const b = words_of(w, op->source[1]);
    const word* const c = words_of(w, op->source[2]);
    alignas(64) word result[warp_size];
    lane_mask in_range = 0;
    const word* const named = op->source[3] == no_operand ? nullptr : words_of(w, op->source[3]);
    const bool among_active = named != nullptr || op->immediate == shuffle_among_active;
    const lane_mask given = among_active ? lanes : all_lanes;
    for (unsigned i = 0; i < warp_size; ++i) {
        const unsigned clamp = c[i] & 31;
        const unsigned segment = c[i] >> 8 & 31;
        const unsigned limit = (i & segment) | (clamp & ~segment);
        const int j = Mode::source(i, b[i] & 31, segment);
        const bool valid = Mode::in_range(j, static_cast<int>(limit));
        const unsigned from = valid ? static_cast<unsigned>(j) & 31 : i;
        // Lanes that are not members or do not execute return 0, on which code of current compilers
        // relies. Before sm_70 they return the contents of their register.
        const lane_mask others = named == nullptr ? given : given & named[i];
        result[i] = (others >> from & 1) != 0 ? value[from] : 0;
        in_range |= static_cast<lane_mask>(valid) << i;
    }
    if (op->destination != no_operand)
        blend(lanes_at<std::uint32_t>(w, op->destination), result, lanes);
    write_mask(w, op->destination2, lanes, in_range);
    return op + 1;
}

// ---- vote ----

/// @param holds  returns the result for (lanes whose predicate is true, members)
template <class Holds>
const operation* vote(warp& w, const operation* op, Holds holds) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const lane_mask p = w.mask_at(op->source[0]);
    for_groups(w, op, op->source[1], [&](lane_mask group, lane_mask m) {
        write_mask(w, op->destination, group, holds(p & m, m) ? all_lanes : 0);
    });
    return op + 1;
}
const operation* vote_all(warp& w, const operation* op) {
    return vote(w, op, [](lane_mask p, lane_mask m) { return p == m; });
}
const operation* vote_any(warp& w, const operation* op) {
    return vote(w, op, [](lane_mask p, lane_mask) { return p != 0; });
}
const operation* vote_uni(warp& w, const operation* op) {
    return vote(w, op, [](lane_mask p, lane_mask m) { return p == 0 || p == m; });
}
void write_words(warp& w, operand_ref destination, lane_mask lanes, std::uint32_t value) {
    auto* const to = lanes_at<std::uint32_t>(w, destination);
    for_lanes(lanes, [&](unsigned i) { to[i] = value; });
}
const operation* vote_ballot(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const lane_mask p = w.mask_at(op->source[0]);
    for_groups(w, op, op->source[1], [&](lane_mask group, lane_mask m) {
        write_words(w, op->destination, group, p & m);
    });
    return op + 1;
}

// ---- match ----

template <class Bits>
lane_mask equal_to(const lane_type<Bits>* value, unsigned lane, lane_mask among) {
    lane_mask equal = 0;
    for_lanes(among,
              [&](unsigned j) { equal |= static_cast<lane_mask>(value[j] == value[lane]) << j; });
    return equal;
}

template <class Bits>
const operation* match_any(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const auto* const value = lanes_at<Bits>(w, op->source[0]);
    alignas(64) word result[warp_size];
    lane_mask done = 0;
    for_groups(w, op, op->source[1], [&](lane_mask, lane_mask m) {
        for_lanes(m, [&](unsigned i) { result[i] = equal_to<Bits>(value, i, m); });
        done |= m;
    });
    blend(lanes_at<std::uint32_t>(w, op->destination), result, done);
    return op + 1;
}

template <class Bits>
const operation* match_all(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const auto* const value = lanes_at<Bits>(w, op->source[0]);
    for_groups(w, op, op->source[1], [&](lane_mask group, lane_mask m) {
        if (m == 0) return;
        const bool all = equal_to<Bits>(value, static_cast<unsigned>(__builtin_ctz(m)), m) == m;
        if (op->destination != no_operand) write_words(w, op->destination, group, all ? m : 0);
        write_mask(w, op->destination2, group, all ? all_lanes : 0);
    });
    return op + 1;
}

// ---- redux ----

template <class Op>
const operation* redux(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const word* const value = words_of(w, op->source[0]);
    for_groups(w, op, op->source[1], [&](lane_mask group, lane_mask m) {
        if (m == 0) return;
        std::uint32_t sum = value[__builtin_ctz(m)];
        for_lanes(m & (m - 1), [&](unsigned i) { sum = Op::apply(sum, value[i]); });
        write_words(w, op->destination, group, sum);
    });
    return op + 1;
}

/// Of floating-point numbers: a single one is made canonical, too.
template <class Op, bool Magnitude>
const operation* redux_float(warp& w, const operation* op) {
    if (w.exchanged) return w.control->take_exchanged(w, op);
    const word* const value = words_of(w, op->source[0]);
    const auto read = [&](unsigned i) {
        return Magnitude ? value[i] & arithmetic::f32::magnitude_mask : value[i];
    };
    for_groups(w, op, op->source[1], [&](lane_mask group, lane_mask m) {
        if (m == 0) return;
        const auto first = static_cast<unsigned>(__builtin_ctz(m));
        std::uint32_t extremum = read(first);
        for_lanes(m, [&](unsigned i) { extremum = Op::apply(extremum, read(i)); });
        write_words(w, op->destination, group, extremum);
    });
    return op + 1;
}
template <class Op>
handler redux_float_of(const ptx::operation& o) {
    return o.has(ptx::flag::magnitude) ? redux_float<Op, true> : redux_float<Op, false>;
}

template <class T>
handler redux_of(ptx::reduction r) {
    namespace values = arithmetic;
    switch (r) {
        case ptx::reduction::add:
            return redux<values::add<T>>;
        case ptx::reduction::min:
            return redux<values::min<T>>;
        case ptx::reduction::max:
            return redux<values::max<T>>;
        case ptx::reduction::and_:
            return redux<values::bit_and<T>>;
        case ptx::reduction::or_:
            return redux<values::bit_or<T>>;
        case ptx::reduction::xor_:
            return redux<values::bit_xor<T>>;
        default:
            return nullptr;
    }
}

// ---- barriers ----

/// Calls a function with the lanes and registers of another group of the warp.
template <class Function>
void as_group(warp& w, lane_mask lanes, std::byte* frame, Function&& act) {
    std::byte*& own_frame = w.banks[static_cast<unsigned>(bank::frame)];
    const lane_mask active = std::exchange(w.active, lanes);
    std::byte* const before = std::exchange(own_frame, frame);
    act();
    own_frame = before;
    w.active = active;
}

bool arrives_at_barrier(const operation* op) {
    return op->execute == barrier_sync || op->execute == barrier_arrive ||
           op->execute == barrier_reduce;
}

/// Lets the executing lanes arrive at a barrier, and lanes of the warp that have come to other
/// instructions for it: a barrier counts warps (PTX ISA, barrier).
/// @param arrive  called with each barrier_arrival, while its lanes execute
/// @return the barrier
template <class Arrive>
unsigned arrive_together(warp& w, const operation* op, lane_mask lanes, Arrive&& arrive) {
    const std::uint32_t id = barrier_operands_of(w, op, lanes).number;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    if (id >= 16) w.block->fail(w, op, first, "barrier " + std::to_string(id) + "; 15 is the last");
    lane_mask missing = w.control->lanes_awaited_by_barriers(w) & ~lanes;
    arrive(barrier_arrival{w.index, op, lanes, w.banks[static_cast<unsigned>(bank::frame)]});
    if (missing == 0) return id;
    if ((op->immediate & barrier_flags::separate) != 0)
        for (const warp_control::barrier_group& g : w.control->lanes_at_barriers(w)) {
            const operation* at = g.next;
            bool joins = false;
            as_group(w, g.lanes, g.frame, [&] {
                while (!arrives_at_barrier(at)) at = at->execute(w, at);
                joins = at->execute == op->execute &&
                        (at->immediate & barrier_flags::separate) != 0 &&
                        barrier_operands_of(w, at, g.lanes).number == id;
                if (joins) arrive(barrier_arrival{w.index, at, g.lanes, g.frame});
            });
            if (!joins) continue;
            w.control->pass_barrier(g, at + 1);
            missing &= ~g.lanes;
        }
    if (missing != 0)
        w.block->fail(w, op, first, "divergent barrier: not all lanes of the warp have come to it",
                      "move the barrier to where all threads pass");
    return id;
}

std::uint32_t whole_warps(std::uint32_t threads) {
    return (threads + warp_size - 1) / warp_size * warp_size;
}

/// The warp that completes a barrier lets the others continue first, in order of their numbers, as
/// on an SM, where none is many instructions ahead: programs exist in which thread 0 reads, after a
/// barrier, what other warps overwrite later without another one.
const operation* wait_at(warp& w, const operation* op, bool complete) {
    if (w.block->sm_holds_barriers || (complete && w.block->warps().size() == 1)) {
        w.status = warp_status::ready;
        return op + 1;
    }
    w.leave(op);
    return w.stop(op + 1, complete ? warp_status::ready : warp_status::barrier);
}

}  // namespace

barrier_operands barrier_operands_of(const warp& w, const operation* op, lane_mask lanes) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t first = words_of(w, op->source[0])[lane];
    if ((op->immediate & barrier_flags::packed) != 0) return {first & 0xf, first >> 16 & 0xfff};
    return {first, op->source[1] == no_operand ? 0 : words_of(w, op->source[1])[lane]};
}

handler shuffle_handler(ptx::mode m) {
    switch (m) {
        case ptx::mode::up:
            return shuffle<up>;
        case ptx::mode::down:
            return shuffle<down>;
        case ptx::mode::bfly:
            return shuffle<butterfly>;
        default:
            return shuffle<indexed>;
    }
}

handler vote_handler(ptx::mode m) {
    switch (m) {
        case ptx::mode::all:
            return vote_all;
        case ptx::mode::any:
            return vote_any;
        case ptx::mode::uni:
            return vote_uni;
        default:
            return vote_ballot;
    }
}

handler match_handler(ptx::mode m, unsigned width) {
    if (m == ptx::mode::any)
        return width == 64 ? match_any<std::uint64_t> : match_any<std::uint32_t>;
    return width == 64 ? match_all<std::uint64_t> : match_all<std::uint32_t>;
}

handler redux_handler(ptx::reduction r, ptx::type t) {
    return t == ptx::type::s32 ? redux_of<arithmetic::s32>(r) : redux_of<arithmetic::u32>(r);
}

handler redux_handler(const ptx::operation& o) {
    using arithmetic::f32;
    if (o.first_type() != ptx::type::f32) return redux_handler(o.reduce, o.first_type());
    const bool nan = o.has(ptx::flag::nan);
    if (o.reduce == ptx::reduction::min)
        return nan ? redux_float_of<arithmetic::min<f32, arithmetic::nan>>(o)
                   : redux_float_of<arithmetic::min<f32>>(o);
    return nan ? redux_float_of<arithmetic::max<f32, arithmetic::nan>>(o)
               : redux_float_of<arithmetic::max<f32>>(o);
}

const operation* active_mask(warp& w, const operation* op) {
    write_words(w, op->destination, w.lanes_of(op), w.lanes_of(op));
    return op + 1;
}

const operation* barrier_sync(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const std::uint32_t threads = barrier_operands_of(w, op, lanes).threads;
    const unsigned id = arrive_together(w, op, lanes, [](const barrier_arrival&) {});
    return wait_at(w, op, w.block->arrive(w, id, whole_warps(threads), true));
}

const operation* barrier_arrive(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const std::uint32_t threads = barrier_operands_of(w, op, lanes).threads;
    const unsigned id = arrive_together(w, op, lanes, [](const barrier_arrival&) {});
    w.block->arrive(w, id, whole_warps(threads), false);
    return op + 1;
}

const operation* barrier_reduce(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto [number, threads] = barrier_operands_of(w, op, lanes);
    const unsigned id = arrive_together(w, op, lanes, [&, to = number](const barrier_arrival& a) {
        barrier_state& b = w.block->barrier(to);
        const lane_mask hold = w.mask_at(a.op->source[2]) & a.lanes;
        b.count += static_cast<std::uint32_t>(__builtin_popcount(hold));
        b.all &= hold == a.lanes;
        b.any |= hold != 0;
        b.results.push_back(a);
    });
    return wait_at(w, op, w.block->arrive(w, id, whole_warps(threads), true));
}

void finish_barrier_reduction(warp& w, const barrier_arrival& a, const barrier_state& b) {
    // The warp waits at this instruction, so that its frames are unchanged.
    as_group(w, a.lanes, a.frame, [&] {
        switch (static_cast<ptx::reduction>(a.op->detail)) {
            case ptx::reduction::popc:
                return write_words(w, a.op->destination, a.lanes, b.count);
            case ptx::reduction::and_:
                return write_mask(w, a.op->destination, a.lanes, b.all ? all_lanes : 0);
            default:
                return write_mask(w, a.op->destination, a.lanes, b.any ? all_lanes : 0);
        }
    });
}

}  // namespace simtlm::execution
