// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets: cvt between floating-point formats, cvt.pack.
#include "modules/execution/arithmetic/stochastic_rounding.h"
#include "modules/execution/operations/conversion_choice.h"
#include "modules/execution/operations/target_tables.h"

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace {

using ptx::flag;
using values::modifiers;
using values::rounding;

template <class To, class From, rounding Round, bool Integral, bool Cheap>
choice with_modifiers(const ptx::operation& o) {
    using values::ftz, values::sat, values::plain, values::relu;
    constexpr bool single = std::is_same_v<To, values::f32> || std::is_same_v<From, values::f32>;
    if constexpr (single) {
        if (o.has(flag::ftz) && o.has(flag::sat))
            return conversion<To, From, Round, ftz | sat, Integral, Cheap>();
        if (o.has(flag::ftz)) return conversion<To, From, Round, ftz, Integral, Cheap>();
    }
    if (o.has(flag::sat)) return conversion<To, From, Round, sat, Integral, Cheap>();
    return conversion<To, From, Round, plain, Integral, Cheap>();
}

bool is_integral(const ptx::operation& o) {
    return o.round == ptx::rounding::rni || o.round == ptx::rounding::rzi ||
           o.round == ptx::rounding::rmi || o.round == ptx::rounding::rpi;
}

// ---- f32 to half, tf32 and 8-bit formats, with relu and satfinite ----

template <class To, rounding Round, modifiers Flags>
choice narrowed(const ptx::operation& o) {
    const bool pair = o.types[0] == ptx::type::f16x2 || o.types[0] == ptx::type::bf16x2;
    using word = std::uint32_t;
    if (pair) return elementwise<values::cvt_pair<To, Round, Flags>, false, word, word, word>();
    return conversion<To, values::f32, Round, Flags, false, false>();
}
template <class To, rounding Round>
choice narrowed_with_modifiers(const ptx::operation& o) {
    using values::relu, values::satfinite, values::plain;
    if (o.has(flag::relu))
        return o.has(flag::satfinite) ? narrowed<To, Round, relu | satfinite>(o)
                                      : narrowed<To, Round, relu>(o);
    return o.has(flag::satfinite) ? narrowed<To, Round, satfinite>(o)
                                  : narrowed<To, Round, plain>(o);
}
template <class To>
choice narrowed_by_rounding(const ptx::operation& o) {
    if (o.round == ptx::rounding::rna) return narrowed_with_modifiers<To, rounding::away>(o);
    return o.round == ptx::rounding::rz ? narrowed_with_modifiers<To, rounding::zero>(o)
                                        : narrowed_with_modifiers<To, rounding::nearest>(o);
}

/// To a pair of 8, 6 or 4 bits.
template <class To, modifiers Flags>
choice to_bytes(const ptx::operation& o) {
    using pair = std::conditional_t<To::width == 4, std::uint8_t, std::uint16_t>;
    using word = std::uint32_t;
    if (o.types[1] == ptx::type::f32)
        return elementwise<values::cvt_pair<To, rounding::nearest, Flags>, false, pair, word,
                           word>();
    if (o.types[1] != ptx::type::f16x2) return {};
    return elementwise<values::cvt_f16x2_to_fp8<To, Flags>, false, pair, word>();
}
template <rounding Round, modifiers Flags>
choice to_exponents(const ptx::operation& o) {
    using op = values::cvt_to_ue8m0x2<Round, Flags>;
    using word = std::uint32_t;
    if (o.types[1] == ptx::type::f32) return elementwise<op, false, std::uint16_t, word, word>();
    return elementwise<op, false, std::uint16_t, word>();
}
choice to_exponents_by_rounding(const ptx::operation& o) {
    using values::plain, values::satfinite;
    const bool up = o.round == ptx::rounding::rp;
    if (o.has(flag::satfinite))
        return up ? to_exponents<rounding::up, satfinite>(o)
                  : to_exponents<rounding::zero, satfinite>(o);
    return up ? to_exponents<rounding::up, plain>(o) : to_exponents<rounding::zero, plain>(o);
}
template <class To>
choice to_bytes_with_modifiers(const ptx::operation& o) {
    return o.has(flag::relu) ? to_bytes<To, values::satfinite | values::relu>(o)
                             : to_bytes<To, values::satfinite>(o);
}
template <class From>
choice from_bytes(const ptx::operation& o) {
    using pair = std::conditional_t<From::width == 4, std::uint8_t, std::uint16_t>;
    if (o.has(flag::relu))
        return elementwise<values::cvt_fp8_to_f16x2<From, values::relu>, false, std::uint32_t,
                           pair>();
    return elementwise<values::cvt_fp8_to_f16x2<From>, false, std::uint32_t, pair>();
}
choice to_half_pair(const ptx::operation& o) {
    switch (o.types[1]) {
        case ptx::type::e4m3x2:
            return from_bytes<values::e4m3>(o);
        case ptx::type::e5m2x2:
            return from_bytes<values::e5m2>(o);
        case ptx::type::e2m3x2:
            return from_bytes<values::e2m3>(o);
        case ptx::type::e3m2x2:
            return from_bytes<values::e3m2>(o);
        case ptx::type::e2m1x2:
            return from_bytes<values::e2m1>(o);
        default:
            return narrowed_by_rounding<values::f16>(o);
    }
}

/// Two numbers and random bits; the result is that of F2FP.RS.
template <class To, modifiers Flags>
constexpr choice rounded_stochastically() {
    using word = std::uint32_t;
    return elementwise<values::cvt_pair_stochastic<To, Flags>, false, word, word, word, word>();
}
template <class To>
choice rounded_stochastically(const ptx::operation& o) {
    using values::relu, values::satfinite, values::plain;
    if (o.has(flag::satfinite))
        return o.has(flag::relu) ? rounded_stochastically<To, relu | satfinite>()
                                 : rounded_stochastically<To, satfinite>();
    if constexpr (To::width == 16)
        return o.has(flag::relu) ? rounded_stochastically<To, relu>()
                                 : rounded_stochastically<To, plain>();
    else
        return {};
}
choice choose_stochastic(const ptx::operation& o) {
    switch (o.types[0]) {
        case ptx::type::f16x2:
            return rounded_stochastically<values::f16>(o);
        case ptx::type::bf16x2:
            return rounded_stochastically<values::bf16>(o);
        case ptx::type::e4m3x4:
            return rounded_stochastically<values::e4m3>(o);
        case ptx::type::e5m2x4:
            return rounded_stochastically<values::e5m2>(o);
        case ptx::type::e2m3x4:
            return rounded_stochastically<values::e2m3>(o);
        case ptx::type::e3m2x4:
            return rounded_stochastically<values::e3m2>(o);
        case ptx::type::e2m1x4:
            return rounded_stochastically<values::e2m1>(o);
        default:
            return {};
    }
}

/// Formats that only some conversions support.
choice choose_special_formats(const ptx::operation& o) {
    if (o.round == ptx::rounding::rs) return choose_stochastic(o);
    switch (o.types[0]) {
        case ptx::type::e4m3x2:
            return to_bytes_with_modifiers<values::e4m3>(o);
        case ptx::type::e5m2x2:
            return to_bytes_with_modifiers<values::e5m2>(o);
        case ptx::type::e2m3x2:
            return to_bytes_with_modifiers<values::e2m3>(o);
        case ptx::type::e3m2x2:
            return to_bytes_with_modifiers<values::e3m2>(o);
        case ptx::type::e2m1x2:
            return to_bytes_with_modifiers<values::e2m1>(o);
        case ptx::type::ue8m0x2:
            return to_exponents_by_rounding(o);
        case ptx::type::f16x2:
            return to_half_pair(o);
        case ptx::type::bf16x2:
            if (o.types[1] == ptx::type::ue8m0x2)
                return elementwise<values::cvt_ue8m0x2_to_bf16x2, false, std::uint32_t,
                                   std::uint16_t>();
            return narrowed_by_rounding<values::bf16>(o);
        case ptx::type::tf32:
            return narrowed_by_rounding<values::tf32>(o);
        case ptx::type::f16:
            if (!o.has(flag::relu) && !o.has(flag::satfinite)) return {};
            return narrowed_by_rounding<values::f16>(o);
        case ptx::type::bf16:
            if (!o.has(flag::relu) && !o.has(flag::satfinite)) return {};
            return narrowed_by_rounding<values::bf16>(o);
        default:
            return {};
    }
}

template <unsigned Width, bool Signed>
choice packing() {
    using word = std::uint32_t;
    if constexpr (Width == 16)
        return elementwise<values::cvt_pack<Width, Signed>, true, word, word, word>();
    else
        return elementwise<values::cvt_pack<Width, Signed>, true, word, word, word, word>();
}
choice choose_packing(const ptx::operation& o) {
    switch (o.types[0]) {
        case ptx::type::u2:
            return packing<2, false>();
        case ptx::type::s2:
            return packing<2, true>();
        case ptx::type::u4:
            return packing<4, false>();
        case ptx::type::s4:
            return packing<4, true>();
        case ptx::type::u8:
            return packing<8, false>();
        case ptx::type::s8:
            return packing<8, true>();
        case ptx::type::u16:
            return packing<16, false>();
        case ptx::type::s16:
            return packing<16, true>();
        default:
            return {};
    }
}

}  // namespace

choice choose_between_floats(const ptx::operation& o) {
    if (const choice c = choose_special_formats(o)) return c;
    return for_any_float(o.types[1], [&](auto from) {
        using From = typename decltype(from)::type;
        return for_any_float(o.types[0], [&](auto to) -> choice {
            using To = typename decltype(to)::type;
            if constexpr (std::is_same_v<To, From>) {
                if (!is_integral(o))
                    return with_modifiers<To, From, rounding::nearest, false, true>(o);
                return for_rounding(o.round, [&](auto r) {
                    return with_modifiers<To, From, decltype(r)::value, true, true>(o);
                });
            } else if constexpr (To::width > From::width) {
                return with_modifiers<To, From, rounding::nearest, false, true>(o);
            } else {
                return for_rounding(o.round, [&](auto r) {
                    constexpr rounding round = decltype(r)::value;
                    return with_modifiers<To, From, round, false, round == rounding::nearest>(o);
                });
            }
        });
    });
}

choice choose_conversion(const ptx::operation& o) {
    if (o.op == ptx::opcode::cvt_pack) return choose_packing(o);
    if (o.op != ptx::opcode::cvt) return {};
    for (const auto choose : {choose_between_floats, choose_to_integer, choose_from_integer})
        if (choice c = choose(o)) {
            c.result_is_signed = ptx::class_of(o.types[0]) == ptx::type_class::signed_integer;
            return c;
        }
    return {};
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
