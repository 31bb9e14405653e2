// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: bits and bit fields, shifts, byte permutation, dot
// products.
#include "modules/execution/arithmetic/bit_field.h"

#include "modules/execution/operations/elementwise.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using ptx::opcode;
using values::permute_mode;
using values::shift_mode;
using word = std::uint32_t;

template <class Op, bool Cheap = true>
choice words2() {
    return elementwise<Op, Cheap, word, word, word>();
}
template <class Op, bool Cheap = true>
choice words3() {
    return elementwise<Op, Cheap, word, word, word, word>();
}

choice counts(const ptx::operation& o) {
    return for_32_or_64(o.first_type(), [&](auto type) -> choice {
        using T = typename decltype(type)::type;
        using bits = values::bits_of<T>;
        switch (o.op) {
            case opcode::popc:
                return elementwise<values::popc<T>, true, word, bits>();
            case opcode::clz:
                return elementwise<values::clz<T>, true, word, bits>();
            case opcode::bfind:
                return o.has(flag::shiftamt)
                           ? elementwise<values::bfind_shiftamt<T>, true, word, bits>()
                           : elementwise<values::bfind<T>, true, word, bits>();
            case opcode::brev:
                return unary<T, values::brev<T>>();
            case opcode::bfe:
                return elementwise<values::bfe<T>, true, bits, bits, word, word>();
            case opcode::bfi:
                return elementwise<values::bfi<T>, true, bits, bits, bits, word, word>();
            default:
                return {};
        }
    });
}

choice shift(const ptx::operation& o) {
    return for_integer(o.first_type(), [&](auto type) {
        using T = typename decltype(type)::type;
        using bits = values::bits_of<T>;
        return o.op == opcode::shl ? elementwise<values::shl<T>, true, bits, bits, word>()
                                   : elementwise<values::shr<T>, true, bits, bits, word>();
    });
}

template <shift_mode Mode>
choice with_mode(const ptx::operation& o) {
    switch (o.op) {
        case opcode::szext:
            return o.first_type() == ptx::type::s32 ? words2<values::szext<values::s32, Mode>>()
                                                    : words2<values::szext<values::u32, Mode>>();
        case opcode::bmsk:
            return words2<values::bmsk<Mode>>();
        default:
            return o.variant == ptx::mode::left ? words3<values::shf_l<Mode>>()
                                                : words3<values::shf_r<Mode>>();
    }
}

choice permute(const ptx::operation& o) {
    switch (o.variant) {
        case ptx::mode::f4e:
            return words3<values::prmt<permute_mode::f4e>>();
        case ptx::mode::b4e:
            return words3<values::prmt<permute_mode::b4e>>();
        case ptx::mode::rc8:
            return words3<values::prmt<permute_mode::rc8>>();
        case ptx::mode::ecl:
            return words3<values::prmt<permute_mode::ecl>>();
        case ptx::mode::ecr:
            return words3<values::prmt<permute_mode::ecr>>();
        case ptx::mode::rc16:
            return words3<values::prmt<permute_mode::rc16>>();
        default:
            return words3<values::prmt<permute_mode::index>>();
    }
}

template <class A, class B>
choice dot(const ptx::operation& o) {
    if (o.op == opcode::dp4a) return words3<values::dp4a<A, B>>();
    return o.part == ptx::product::hi ? words3<values::dp2a<A, B, true>>()
                                      : words3<values::dp2a<A, B, false>>();
}

}  // namespace

choice choose_bit_field(const ptx::operation& o) {
    switch (o.op) {
        case opcode::popc:
        case opcode::clz:
        case opcode::bfind:
        case opcode::brev:
        case opcode::bfe:
        case opcode::bfi:
            return counts(o);
        case opcode::shl:
        case opcode::shr:
            return shift(o);
        case opcode::fns:
            return words3<values::fns, false>();
        case opcode::szext:
        case opcode::bmsk:
        case opcode::shf:
            return o.has(flag::wrap) ? with_mode<shift_mode::wrap>(o)
                                     : with_mode<shift_mode::clamp>(o);
        case opcode::prmt:
            return permute(o);
        case opcode::dp4a:
        case opcode::dp2a: {
            const bool a = o.types[0] == ptx::type::s32;
            const bool b = o.types[1] == ptx::type::s32;
            if (a) return b ? dot<values::s32, values::s32>(o) : dot<values::s32, values::u32>(o);
            return b ? dot<values::u32, values::s32>(o) : dot<values::u32, values::u32>(o);
        }
        default:
            return {};
    }
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
