// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: set, setp, testp.
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using ptx::opcode;
using values::comparison;

// operation::detail of comparisons: how the result is combined with the predicate source[2], and
// the form of the result: a predicate, with its complement in destination2; or a word.
constexpr std::uint16_t with_and = 1, with_or = 2, with_xor = 3;
constexpr std::uint16_t to_word = 4;   ///< immediate if true, otherwise 0
constexpr std::uint16_t pairwise = 8;  ///< of two halves: destination and destination2, or a word

inline lane_mask combined(const warp& w, const operation* op, lane_mask m) {
    switch (op->detail & 3) {
        case with_and:
            return m & w.mask_at(op->source[2]);
        case with_or:
            return m | w.mask_at(op->source[2]);
        case with_xor:
            return m ^ w.mask_at(op->source[2]);
        default:
            return m;
    }
}

inline void write_mask(warp& w, operand_ref to, lane_mask lanes, lane_mask value) {
    if (to == no_operand) return;
    lane_mask& p = w.mask_at(to);
    p = (p & ~lanes) | (value & lanes);
}

inline const operation* finish_comparison(warp& w, const operation* op, lane_mask holds) {
    const lane_mask lanes = w.lanes_of(op);
    const lane_mask result = combined(w, op, holds);
    if ((op->detail & to_word) == 0) {
        const lane_mask opposite = combined(w, op, ~holds);
        write_mask(w, op->destination, lanes, result);
        write_mask(w, op->destination2, lanes, opposite);
        return op + 1;
    }
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    const auto value = static_cast<std::uint32_t>(op->immediate);
    for_lanes(lanes, [&](unsigned i) { to[i] = (result >> i & 1) != 0 ? value : 0; });
    return op + 1;
}

template <class Op, class Bits>
const operation* compare(warp& w, const operation* op) {
    const lane_mask holds = mask_of_lanes<Op, Bits, Bits>(w, op, std::make_index_sequence<2>());
    return finish_comparison(w, op, holds);
}

/// Comparisons of both halves of packed operands.
template <class Op>
const operation* compare_pairs(warp& w, const operation* op) {
    const auto* const a = lanes_at<std::uint32_t>(w, op->source[0]);
    const auto* const b = lanes_at<std::uint32_t>(w, op->source[1]);
    lane_mask low = 0, high = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        low |= static_cast<lane_mask>(Op::apply(values::low_half(a[i]), values::low_half(b[i])))
               << i;
        high |= static_cast<lane_mask>(Op::apply(values::high_half(a[i]), values::high_half(b[i])))
                << i;
    }
    const lane_mask lanes = w.lanes_of(op);
    low = combined(w, op, low);
    high = combined(w, op, high);
    if ((op->detail & to_word) == 0) {
        write_mask(w, op->destination, lanes, low);
        write_mask(w, op->destination2, lanes, high);
        return op + 1;
    }
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    const auto value = static_cast<std::uint32_t>(op->immediate);
    for_lanes(lanes, [&](unsigned i) {
        to[i] = ((low >> i & 1) != 0 ? value & 0xffff : 0) |
                ((high >> i & 1) != 0 ? value & 0xffff0000 : 0);
    });
    return op + 1;
}

template <class T, values::modifiers Flags, template <class> class Make>
handler for_ordered(ptx::comparison c) {
    switch (c) {
        case ptx::comparison::eq:
            return Make<values::setp<T, comparison::eq, Flags>>::handle;
        case ptx::comparison::ne:
            return Make<values::setp<T, comparison::ne, Flags>>::handle;
        case ptx::comparison::lt:
        case ptx::comparison::lo:
            return Make<values::setp<T, comparison::lt, Flags>>::handle;
        case ptx::comparison::le:
        case ptx::comparison::ls:
            return Make<values::setp<T, comparison::le, Flags>>::handle;
        case ptx::comparison::gt:
        case ptx::comparison::hi:
            return Make<values::setp<T, comparison::gt, Flags>>::handle;
        case ptx::comparison::ge:
        case ptx::comparison::hs:
            return Make<values::setp<T, comparison::ge, Flags>>::handle;
        default:
            return nullptr;
    }
}
template <class T, values::modifiers Flags, template <class> class Make>
handler for_unordered(ptx::comparison c) {
    switch (c) {
        case ptx::comparison::equ:
            return Make<values::setp<T, comparison::equ, Flags>>::handle;
        case ptx::comparison::neu:
            return Make<values::setp<T, comparison::neu, Flags>>::handle;
        case ptx::comparison::ltu:
            return Make<values::setp<T, comparison::ltu, Flags>>::handle;
        case ptx::comparison::leu:
            return Make<values::setp<T, comparison::leu, Flags>>::handle;
        case ptx::comparison::gtu:
            return Make<values::setp<T, comparison::gtu, Flags>>::handle;
        case ptx::comparison::geu:
            return Make<values::setp<T, comparison::geu, Flags>>::handle;
        case ptx::comparison::num:
            return Make<values::setp<T, comparison::num, Flags>>::handle;
        case ptx::comparison::nan:
            return Make<values::setp<T, comparison::nan, Flags>>::handle;
        default:
            return for_ordered<T, Flags, Make>(c);
    }
}

template <class T>
struct of_type {
    template <class Op>
    struct lanes {
        static constexpr handler handle = [] {
            if constexpr (leaves_to_baseline && values::detail::is_half<T>)
                return of_baseline;
            else
                return compare<Op, values::bits_of<T>>;
        }();
    };
    template <class Op>
    struct pairs {
        static constexpr handler handle = [] {
            if constexpr (leaves_to_baseline)
                return of_baseline;
            else
                return compare_pairs<Op>;
        }();
    };
};

template <class T>
handler compare_floats(const ptx::operation& o, bool pairs) {
    if constexpr (std::is_same_v<T, values::f16> || std::is_same_v<T, values::bf16>)
        if (pairs)
            return o.has(flag::ftz)
                       ? for_unordered<T, values::ftz, of_type<T>::template pairs>(o.compare)
                       : for_unordered<T, values::plain, of_type<T>::template pairs>(o.compare);
    if constexpr (!std::is_same_v<T, values::f64> && !std::is_same_v<T, values::bf16>)
        if (o.has(flag::ftz))
            return for_unordered<T, values::ftz, of_type<T>::template lanes>(o.compare);
    return for_unordered<T, values::plain, of_type<T>::template lanes>(o.compare);
}

handler compare_handler(const ptx::operation& o, ptx::type t) {
    switch (t) {
        case ptx::type::f16:
            return compare_floats<values::f16>(o, false);
        case ptx::type::f16x2:
            return compare_floats<values::f16>(o, true);
        case ptx::type::bf16:
            return compare_floats<values::bf16>(o, false);
        case ptx::type::bf16x2:
            return compare_floats<values::bf16>(o, true);
        case ptx::type::f32:
            return compare_floats<values::f32>(o, false);
        case ptx::type::f64:
            return compare_floats<values::f64>(o, false);
        default: {
            const choice c = for_integer(t, [&](auto type) {
                using T = typename decltype(type)::type;
                choice r;
                r.execute = for_ordered<T, values::plain, of_type<T>::template lanes>(o.compare);
                return r;
            });
            return c.execute;
        }
    }
}

std::uint16_t combination(const ptx::operation& o) {
    switch (o.reduce) {
        case ptx::reduction::and_:
            return with_and;
        case ptx::reduction::or_:
            return with_or;
        case ptx::reduction::xor_:
            return with_xor;
        default:
            return 0;
    }
}

choice compare_choice(const ptx::operation& o) {
    const bool to_register = o.op == opcode::set;
    const ptx::type source = to_register ? o.types[1] : o.types[0];
    choice c;
    c.execute = compare_handler(o, source);
    c.detail = combination(o);
    c.result = 1;
    if (to_register) {
        c.detail |= to_word;
        c.result = static_cast<std::uint8_t>(ptx::width_of(o.types[0]));
    }
    if (source == ptx::type::f16x2 || source == ptx::type::bf16x2) c.detail |= pairwise;
    c.sources[0] = c.sources[1] = static_cast<std::uint8_t>(ptx::width_of(source));
    c.sources[2] = 1;
    c.source_count = o.reduce == ptx::reduction::none ? 2 : 3;
    return c;
}

// ---- testp ----

template <class Op, class Bits>
const operation* test(warp& w, const operation* op) {
    return finish_comparison(w, op, mask_of_lanes<Op, Bits>(w, op, std::make_index_sequence<1>()));
}

template <class T>
handler test_handler(ptx::mode m) {
    using bits = values::bits_of<T>;
    using values::property;
    switch (m) {
        case ptx::mode::finite:
            return test<values::testp<T, property::finite>, bits>;
        case ptx::mode::infinite:
            return test<values::testp<T, property::infinite>, bits>;
        case ptx::mode::number:
            return test<values::testp<T, property::number>, bits>;
        case ptx::mode::notanumber:
            return test<values::testp<T, property::notanumber>, bits>;
        case ptx::mode::normal:
            return test<values::testp<T, property::normal>, bits>;
        default:
            return test<values::testp<T, property::subnormal>, bits>;
    }
}

choice test_choice(const ptx::operation& o) {
    choice c;
    const bool wide = o.first_type() == ptx::type::f64;
    c.execute = wide ? test_handler<values::f64>(o.variant) : test_handler<values::f32>(o.variant);
    c.result = 1;
    c.sources[0] = wide ? 64 : 32;
    c.source_count = 1;
    return c;
}

}  // namespace

choice choose_comparison(const ptx::operation& o) {
    switch (o.op) {
        case opcode::set:
        case opcode::setp:
            return compare_choice(o);
        case opcode::testp:
            return test_choice(o);
        default:
            return {};
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
