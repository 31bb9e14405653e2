// SPDX-License-Identifier: Apache-2.0
// Atomics: lane by lane, lowest first. With several host threads, and if visible to the host
// (.sys), each is one atomic exchange.
#include "modules/execution/operations/atomic.h"

#include "modules/execution/arithmetic/floating.h"
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/ieee.h"
#include "modules/execution/operations/pending_request.h"
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <cstring>

namespace simtlm::execution {

namespace {

namespace values = arithmetic;

template <class Bits>
struct exchange {
    static Bits apply(Bits, Bits b, Bits) { return b; }
};
template <class Bits>
struct compare_and_swap {
    static Bits apply(Bits old, Bits b, Bits c) { return old == b ? c : old; }
};
struct increment {
    static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t) {
        return old >= b ? 0 : old + 1;
    }
};
struct decrement {
    static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t) {
        return old == 0 || old > b ? b : old - 1;
    }
};
/// A function of two operands.
template <class Op>
struct of_two {
    template <class Bits>
    static Bits apply(Bits old, Bits b, Bits) {
        return static_cast<Bits>(Op::apply(old, b));
    }
};

/// The function that an operation performs in global memory. Sums of f32 flush subnormal operands
/// and results there, with or without .ftz, but not in shared memory (PTX manual, atom; machine
/// code: F32.FTZ.RN).
template <class Op>
struct in_global_memory {
    using type = Op;
};
template <>
struct in_global_memory<of_two<values::add<values::f32>>> {
    using type = of_two<values::add<values::f32, values::rounding::nearest, values::ftz>>;
};

/// Replaces a value in memory. @return the previous value
template <class Op, class Bits>
Bits update(std::byte* at, Bits b, Bits c, bool concurrent) {
    auto* const p = reinterpret_cast<typename overlaid<Bits>::type*>(at);
    if (!concurrent) {
        const Bits old = *p;
        *p = Op::apply(old, b, c);
        return old;
    }
    Bits old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, Op::apply(old, b, c), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
}

void note_addresses(const warp& w, const operation* op, lane_mask lanes, memory_request& r) {
    std::uint64_t base = static_cast<std::uint64_t>(op->immediate);
    if ((op->detail & access_detail::frame_relative) != 0) base += w.local_base;
    const bool wide = (op->detail & access_detail::wide_address) != 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        const unsigned lane =
            (lanes >> i & 1) != 0 ? i : static_cast<unsigned>(__builtin_ctz(lanes));
        if (op->source[0] == no_operand)
            r.address[i] = base;
        else if (wide)
            r.address[i] = lanes_at<std::uint64_t>(w, op->source[0])[lane] + base;
        else
            r.address[i] =
                lanes_at<std::uint32_t>(w, op->source[0])[lane] + static_cast<std::uint32_t>(base);
    }
}

template <class Op, class Bits>
void update_local(warp& w, const memory_request& r, unsigned lane, std::uint64_t offset) {
    check_local(w, r.op, lane, offset, sizeof(Bits));
    Bits old;
    read_local(w, lane, offset, &old, sizeof old);
    const auto operand = [&](unsigned n) {
        return static_cast<Bits>(reinterpret_cast<const lane_type<Bits>*>(r.elements[n])[lane]);
    };
    const Bits now = Op::apply(old, operand(0), operand(1));
    write_local(w, lane, offset, &now, sizeof now);
    if (r.elements[2] != nullptr) reinterpret_cast<lane_type<Bits>*>(r.elements[2])[lane] = old;
}

/// elements: the two operands, and the destination of old values.
template <class Op, class Bits>
void perform_atomic(warp& w, const memory_request& r) {
    const space s = access_detail::space_of(r.op);
    const auto* const b = reinterpret_cast<const lane_type<Bits>*>(r.elements[0]);
    const auto* const c = reinterpret_cast<const lane_type<Bits>*>(r.elements[1]);
    auto* const to = reinterpret_cast<lane_type<Bits>*>(r.elements[2]);
    const bool concurrent =
        w.launch->concurrent || (r.op->detail & access_detail::of_the_system) != 0;
    mapped_range range;
    for_lanes(r.lanes, [&](unsigned i) {
        const device_address a = r.address[i];
        if (s == space::local || (s == space::generic && address_windows::in_local(a)))
            return update_local<Op, Bits>(
                w, r, i, address_windows::in_local(a) ? a - address_windows::local : a);
        if (a % sizeof(Bits) != 0) misaligned(w, r.op, i, a, sizeof(Bits));
        if (!range.holds(a, sizeof(Bits))) range = range_of(w, r.op, i, s, a, sizeof(Bits), true);
        const bool global =
            s == space::global || (s == space::generic && address_windows::in_global(a));
        const auto replace =
            global ? update<typename in_global_memory<Op>::type, Bits> : update<Op, Bits>;
        const Bits old =
            replace(range.at(a), static_cast<Bits>(b[i]), static_cast<Bits>(c[i]), concurrent);
        if (to != nullptr) to[i] = old;
    });
}

/// Whether other SMs can observe it.
bool is_visible_outside(const memory_request& r) {
    const space s = access_detail::space_of(r.op);
    if (s != space::generic) return s == space::global;
    for (lane_mask m = r.lanes; m != 0; m &= m - 1)
        if (address_windows::in_global(r.address[__builtin_ctz(m)])) return true;
    return false;
}

template <class Op, class Bits>
const operation* atomic(warp& w, const operation* op) {
    memory_request own;
    memory_request* const begun = begin_request(w, op, own);
    if (begun == nullptr) return op + 1;
    memory_request& r = *begun;
    note_addresses(w, op, r.lanes, r);
    r.elements[0] = w.at(op->source[1]);
    r.elements[1] = op->source[2] == no_operand ? r.elements[0] : w.at(op->source[2]);
    r.elements[2] = op->destination == no_operand ? nullptr : w.at(op->destination);
    if (w.pending == nullptr || !is_visible_outside(r)) {
        if (find_remote_lanes(w, op, access_detail::space_of(op)) == 0) {
            perform_atomic<Op, Bits>(w, r);
            return op + 1;
        }
        perform_local_lanes(w, perform_atomic<Op, Bits>);
    }
    r.perform = perform_atomic<Op, Bits>;
    for (unsigned n = 0; n < 2; ++n) {
        std::byte* const copy = r.values + std::size_t{n} * 256;
        std::memcpy(copy, r.elements[n], warp_size * sizeof(lane_type<Bits>));
        r.elements[n] = copy;
    }
    return op + 1;
}

// ---- 128 bits: two halves, protected by a lock ----

struct wide_value {
    std::uint64_t low, high;
};

template <bool Compares>
void perform_wide(warp& w, const memory_request& r) {
    for_lanes(r.lanes, [&](unsigned i) {
        const device_address a = r.address[i];
        if (a % 16 != 0) misaligned(w, r.op, i, a, 16);
        const mapped_range range = range_of(w, r.op, i, access_detail::space_of(r.op), a, 16, true);
        const auto value = [&](unsigned n) {
            const auto* const low = reinterpret_cast<const std::uint64_t*>(r.elements[n]);
            return wide_value{low[i], low[i + warp_size]};
        };
        const auto lock = w.launch->lock_wide_atomics();
        wide_value old;
        std::memcpy(&old, range.at(a), sizeof old);
        const wide_value b = value(0);
        const bool equal = old.low == b.low && old.high == b.high;
        const wide_value now = !Compares ? b : equal ? value(1) : old;
        std::memcpy(range.at(a), &now, sizeof now);
        if (r.elements[2] == nullptr) return;
        auto* const to = reinterpret_cast<std::uint64_t*>(r.elements[2]);
        to[i] = old.low;
        to[i + warp_size] = old.high;
    });
}

template <bool Compares>
const operation* wide_atomic(warp& w, const operation* op) {
    memory_request own;
    memory_request* const begun = begin_request(w, op, own);
    if (begun == nullptr) return op + 1;
    memory_request& r = *begun;
    note_addresses(w, op, r.lanes, r);
    for (unsigned n = 0; n < 2; ++n) {
        const operand_ref s = op->source[n == 1 && op->source[2] != no_operand ? 2 : 1];
        r.elements[n] = r.values + std::size_t{n} * 512;
        std::memcpy(r.elements[n], w.at(s), 512);
    }
    r.elements[2] = op->destination == no_operand ? nullptr : w.at(op->destination);
    if (w.pending == nullptr || !is_visible_outside(r)) {
        if (find_remote_lanes(w, op, access_detail::space_of(op)) == 0) {
            perform_wide<Compares>(w, r);
            return op + 1;
        }
        perform_local_lanes(w, perform_wide<Compares>);
    }
    r.perform = perform_wide<Compares>;
    return op + 1;
}

// ---- vectors ----

/// In global memory. elements: the operands. Destinations are in the operation's list.
template <class Op, class Bits>
void perform_vector(warp& w, const memory_request& r) {
    using global = typename in_global_memory<Op>::type;
    const unsigned count = access_detail::elements_of(r.op);
    const auto bytes = static_cast<std::uint32_t>(count * sizeof(Bits));
    const bool concurrent =
        w.launch->concurrent || (r.op->detail & access_detail::of_the_system) != 0;
    for_lanes(r.lanes, [&](unsigned i) {
        const device_address a = r.address[i];
        if (a % bytes != 0) misaligned(w, r.op, i, a, bytes);
        const mapped_range range =
            range_of(w, r.op, i, access_detail::space_of(r.op), a, bytes, true);
        for (unsigned e = 0; e < count; ++e) {
            const auto b =
                static_cast<Bits>(reinterpret_cast<const lane_type<Bits>*>(r.elements[e])[i]);
            const Bits old = update<global, Bits>(range.at(a) + e * sizeof(Bits), b, b, concurrent);
            const operand_ref to = r.op->list[count + e];
            if (to != no_operand) lanes_at<Bits>(w, to)[i] = old;
        }
    });
}

template <class Op, class Bits>
const operation* vector_atomic(warp& w, const operation* op) {
    memory_request own;
    memory_request* const begun = begin_request(w, op, own);
    if (begun == nullptr) return op + 1;
    memory_request& r = *begun;
    note_addresses(w, op, r.lanes, r);
    for (unsigned e = 0; e < access_detail::elements_of(op); ++e) {
        r.elements[e] = r.values + std::size_t{e} * 256;
        std::memcpy(r.elements[e], w.at(op->list[e]), warp_size * sizeof(lane_type<Bits>));
    }
    if (w.pending == nullptr || !is_visible_outside(r)) {
        perform_vector<Op, Bits>(w, r);
        return op + 1;
    }
    r.perform = perform_vector<Op, Bits>;
    return op + 1;
}

// ---- choice ----

template <class Op, class Bits>
void update_element(std::byte* at, const std::byte* value, bool concurrent) {
    Bits b;
    std::memcpy(&b, value, sizeof b);
    // Sums of floats only exist for global memory.
    update<typename in_global_memory<Op>::type, Bits>(at, b, b, concurrent);
}

/// The chosen function: the handler of an instruction, or the update of one element.
struct of_warps {
    using result = handler;
    template <class Op, class Bits>
    static constexpr result of = atomic<Op, Bits>;
};
struct of_elements {
    using result = element_update;
    template <class Op, class Bits>
    static constexpr result of = update_element<Op, Bits>;
};

template <class Kind, class T>
typename Kind::result bitwise(ptx::reduction r) {
    using bits = values::bits_of<T>;
    switch (r) {
        case ptx::reduction::and_:
            return Kind::template of<of_two<values::bit_and<T>>, bits>;
        case ptx::reduction::or_:
            return Kind::template of<of_two<values::bit_or<T>>, bits>;
        case ptx::reduction::xor_:
            return Kind::template of<of_two<values::bit_xor<T>>, bits>;
        case ptx::reduction::exch:
            return Kind::template of<exchange<bits>, bits>;
        case ptx::reduction::cas:
            return Kind::template of<compare_and_swap<bits>, bits>;
        default:
            return nullptr;
    }
}

template <class Kind, class T>
typename Kind::result integer(ptx::reduction r) {
    using bits = values::bits_of<T>;
    switch (r) {
        case ptx::reduction::add:
            return Kind::template of<of_two<values::add<T>>, bits>;
        case ptx::reduction::min:
            return Kind::template of<of_two<values::min<T>>, bits>;
        case ptx::reduction::max:
            return Kind::template of<of_two<values::max<T>>, bits>;
        default:
            return bitwise<Kind, T>(r);
    }
}

handler wide(ptx::reduction r) {
    if (r == ptx::reduction::exch) return wide_atomic<false>;
    return r == ptx::reduction::cas ? wide_atomic<true> : nullptr;
}

template <class Kind, class T>
typename Kind::result sum_of(ptx::reduction r) {
    if (r != ptx::reduction::add) return nullptr;
    return Kind::template of<of_two<values::add<T>>, values::bits_of<T>>;
}

/// Sums of pairs, and since Hopper their minima and maxima.
template <class Kind, class T>
typename Kind::result of_pairs(ptx::reduction r) {
    switch (r) {
        case ptx::reduction::add:
            return Kind::template of<of_two<values::packed<values::add<T>>>, std::uint32_t>;
        case ptx::reduction::min:
            return Kind::template of<of_two<values::packed<values::min<T>>>, std::uint32_t>;
        case ptx::reduction::max:
            return Kind::template of<of_two<values::packed<values::max<T>>>, std::uint32_t>;
        default:
            return nullptr;
    }
}

/// Reductions of 16-bit floats: subnormals are preserved; if one operand of min or max is NaN, the
/// result is the other operand, as in PTX.
template <class Kind, class T>
typename Kind::result of_halves(ptx::reduction r) {
    switch (r) {
        case ptx::reduction::min:
            return Kind::template of<of_two<values::min<T>>, std::uint16_t>;
        case ptx::reduction::max:
            return Kind::template of<of_two<values::max<T>>, std::uint16_t>;
        default:
            return sum_of<Kind, T>(r);
    }
}

/// For types of at most 64 bits.
template <class Kind>
typename Kind::result choose(ptx::reduction r, ptx::type t) {
    using ptx::type;
    if (r == ptx::reduction::inc) return Kind::template of<increment, std::uint32_t>;
    if (r == ptx::reduction::dec) return Kind::template of<decrement, std::uint32_t>;
    switch (t) {
        case type::b16:
        case type::u16:
            return bitwise<Kind, values::u16>(r);
        case type::b32:
        case type::u32:
            return integer<Kind, values::u32>(r);
        case type::s32:
            return integer<Kind, values::s32>(r);
        case type::b64:
        case type::u64:
            return integer<Kind, values::u64>(r);
        case type::s64:
            return integer<Kind, values::s64>(r);
        case type::f32:
            return sum_of<Kind, values::f32>(r);
        case type::f64:
            return sum_of<Kind, values::f64>(r);
        case type::f16:
            return sum_of<Kind, values::f16>(r);
        case type::bf16:
            return sum_of<Kind, values::bf16>(r);
        case type::f16x2:
            return of_pairs<Kind, values::f16>(r);
        case type::bf16x2:
            return of_pairs<Kind, values::bf16>(r);
        default:
            return nullptr;
    }
}

/// The reductions of bulk copies (PTX manual, cp.reduce.async.bulk): those of red, except that
/// untyped bits are combined bitwise, inc and dec only exist for u32, and there are no pairs and no
/// 16-bit integers.
bool is_bulk_reduction(ptx::reduction r, ptx::type t) {
    using ptx::reduction;
    using ptx::type;
    const bool logic = r == reduction::and_ || r == reduction::or_ || r == reduction::xor_;
    const bool counts = r == reduction::inc || r == reduction::dec;
    const bool arithmetic = r == reduction::add || r == reduction::min || r == reduction::max;
    switch (t) {
        case type::b32:
        case type::b64:
            return logic;
        case type::u32:
            return logic || counts || arithmetic;
        case type::s32:
        case type::u64:
        case type::s64:
            return logic || arithmetic;
        case type::f16:
        case type::bf16:
            return arithmetic;
        case type::f32:
        case type::f64:
            return r == reduction::add;
        default:
            return false;
    }
}

/// The chosen function for vectors.
struct of_vectors {
    using result = handler;
    template <class Op, class Bits>
    static constexpr result of = vector_atomic<Op, Bits>;
};

}  // namespace

handler atomic_handler(ptx::reduction r, ptx::type t, bool) {
    const bool counts = r == ptx::reduction::inc || r == ptx::reduction::dec;
    return t == ptx::type::b128 && !counts ? wide(r) : choose<of_warps>(r, t);
}

handler vector_atomic_handler(ptx::reduction r, ptx::type t) {
    switch (t) {
        case ptx::type::f32:
            return sum_of<of_vectors, values::f32>(r);
        case ptx::type::f16:
            return of_halves<of_vectors, values::f16>(r);
        case ptx::type::bf16:
            return of_halves<of_vectors, values::bf16>(r);
        case ptx::type::f16x2:
            return of_pairs<of_vectors, values::f16>(r);
        case ptx::type::bf16x2:
            return of_pairs<of_vectors, values::bf16>(r);
        default:
            return nullptr;
    }
}

element_update element_update_of(ptx::reduction r, ptx::type t) {
    if (!is_bulk_reduction(r, t)) return nullptr;
    if (t == ptx::type::f16) return of_halves<of_elements, values::f16>(r);
    if (t == ptx::type::bf16) return of_halves<of_elements, values::bf16>(r);
    return choose<of_elements>(r, t);
}

}  // namespace simtlm::execution
