// SPDX-License-Identifier: Apache-2.0
// IEEE arithmetic of f32 and f64: add, sub, mul, fma (mad), div, rcp, sqrt in four rounding modes.
#pragma once

#include "modules/execution/arithmetic/float_rounding.h"
#include "modules/execution/arithmetic/floating.h"
#include "modules/execution/arithmetic/soft_float.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {

namespace detail {

/// An f32 operand as a double, flushed with ftz.
template <modifiers Flags>
inline double wide_f32(std::uint32_t bits) {
    return as_float(flush<f32, Flags>(bits));
}

/// Rounds a double to f32 and applies the modifiers. The double must be exact, or rounded to odd,
/// or (quotients and square roots of f32) on the same side of every f32 as the exact result.
template <rounding Round, modifiers Flags>
inline std::uint32_t result_f32(double value) {
    return finish<f32, Flags>(narrow_to_f32<Round>(value));
}

/// The result of an instruction on doubles: its first operand that is NaN, made quiet; `result` if
/// there is none. Results of the host need this only for operands other than the last one: the host
/// returns an operand that is NaN, too (and the canonical NaN of an invalid operation), but which
/// one of several depends on the order in which the compiler has arranged them.
inline std::uint64_t first_nan(std::uint64_t result) {
    return result;
}
template <class... Others>
inline std::uint64_t first_nan(std::uint64_t result, std::uint64_t operand, Others... others) {
    const std::uint64_t otherwise = first_nan(result, others...);
    return is_nan<f64>(operand) ? operand | f64::quiet_bit : otherwise;
}

}  // namespace detail

template <rounding Round, modifiers Flags>
struct add<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        if constexpr (Round == rounding::nearest) {
            const float x = as_float(detail::flush<f32, Flags>(a));
            const float y = as_float(detail::flush<f32, Flags>(b));
            return detail::finish<f32, Flags>(as_bits(x + y));
        } else {
            const double sum =
                detail::add_to_odd<Round>(detail::wide_f32<Flags>(a), detail::wide_f32<Flags>(b));
            return detail::result_f32<Round, Flags>(sum);
        }
    }
};

template <rounding Round, modifiers Flags>
struct sub<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return add<f32, Round, Flags>::apply(a, b ^ f32::sign_bit);
    }
};

template <rounding Round, modifiers Flags>
struct mul<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        if constexpr (Round == rounding::nearest) {
            const float x = as_float(detail::flush<f32, Flags>(a));
            const float y = as_float(detail::flush<f32, Flags>(b));
            return detail::finish<f32, Flags>(as_bits(x * y));
        } else {
            // The product of two 24-bit significands is exact in a double.
            const double product = detail::wide_f32<Flags>(a) * detail::wide_f32<Flags>(b);
            return detail::result_f32<Round, Flags>(product);
        }
    }
};

/// A single rounding. Uses the processor's fma if the source is compiled for it (-mfma); otherwise
/// an exact product and a sum rounded to odd, which takes about fifteen vectorisable operations and
/// no library call.
template <rounding Round, modifiers Flags>
struct fma<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __FMA__
        if constexpr (Round == rounding::nearest) {
            const float x = as_float(detail::flush<f32, Flags>(a));
            const float y = as_float(detail::flush<f32, Flags>(b));
            const float z = as_float(detail::flush<f32, Flags>(c));
            return detail::finish<f32, Flags>(as_bits(__builtin_fmaf(x, y, z)));
        }
#endif
        const double product = detail::wide_f32<Flags>(a) * detail::wide_f32<Flags>(b);
        const double sum = detail::add_to_odd<Round>(product, detail::wide_f32<Flags>(c));
        return detail::result_f32<Round, Flags>(sum);
    }
};

// Pairs of f32 (sm_100).
template <rounding Round, modifiers Flags>
struct add<f32x2, Round, Flags> : packed_words<add<f32, Round, Flags>> {};
template <rounding Round, modifiers Flags>
struct sub<f32x2, Round, Flags> : packed_words<sub<f32, Round, Flags>> {};
template <rounding Round, modifiers Flags>
struct mul<f32x2, Round, Flags> : packed_words<mul<f32, Round, Flags>> {};
template <rounding Round, modifiers Flags>
struct fma<f32x2, Round, Flags> : packed_words<fma<f32, Round, Flags>> {};

/// Quotients of two 24-bit significands are f32 numbers, or differ from every f32 by more than
/// 2^-50 of their magnitude; therefore the quotient rounded to double is on the same side of every
/// f32 and never equal to one. The same holds for square roots (the square of an f32 has 48 bits).
template <rounding Round, modifiers Flags>
struct div<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return detail::result_f32<Round, Flags>(detail::wide_f32<Flags>(a) /
                                                detail::wide_f32<Flags>(b));
    }
};

template <rounding Round, modifiers Flags>
struct rcp<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return div<f32, Round, Flags>::apply(f32::one, a);
    }
};

template <rounding Round, modifiers Flags>
struct sqrt<f32, Round, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<Round, Flags>(__builtin_sqrt(detail::wide_f32<Flags>(a)));
    }
};

template <rounding Round, modifiers Flags>
struct add<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
        if constexpr (Round == rounding::nearest) {
            return detail::first_nan(as_bits(as_double(a) + as_double(b)), a);
        } else {
            const soft::number sum = soft::add(soft::unpack<f64>(a), soft::unpack<f64>(b), Round);
            return detail::first_nan(soft::pack<f64>(sum, Round, Flags), a, b);
        }
    }
};

template <rounding Round, modifiers Flags>
struct sub<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
        return add<f64, Round, Flags>::apply(a, b ^ f64::sign_bit);
    }
};

template <rounding Round, modifiers Flags>
struct mul<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
        if constexpr (Round == rounding::nearest) {
            return detail::first_nan(as_bits(as_double(a) * as_double(b)), a);
        } else {
            const soft::number product = soft::multiply(soft::unpack<f64>(a), soft::unpack<f64>(b));
            return detail::first_nan(soft::pack<f64>(product, Round, Flags), a, b);
        }
    }
};

/// A single rounding, by the processor or by the mathematics library.
template <rounding Round, modifiers Flags>
struct fma<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        if constexpr (Round == rounding::nearest) {
            return detail::first_nan(
                as_bits(__builtin_fma(as_double(a), as_double(b), as_double(c))), a, b);
        } else {
            const soft::number product = soft::multiply(soft::unpack<f64>(a), soft::unpack<f64>(b));
            const soft::number sum = soft::add(product, soft::unpack<f64>(c), Round);
            return detail::first_nan(soft::pack<f64>(sum, Round, Flags), a, b, c);
        }
    }
};

template <rounding Round, modifiers Flags>
struct div<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
        if constexpr (Round == rounding::nearest) {
            return detail::first_nan(as_bits(as_double(a) / as_double(b)), a);
        } else {
            const soft::number quotient = soft::divide(soft::unpack<f64>(a), soft::unpack<f64>(b));
            return detail::first_nan(soft::pack<f64>(quotient, Round, Flags), a, b);
        }
    }
};

template <rounding Round, modifiers Flags>
struct rcp<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a) {
        return div<f64, Round, Flags>::apply(f64::one, a);
    }
};

template <rounding Round, modifiers Flags>
struct sqrt<f64, Round, Flags> {
    static std::uint64_t apply(std::uint64_t a) {
        if constexpr (Round == rounding::nearest) {
            return as_bits(__builtin_sqrt(as_double(a)));
        } else {
            const soft::number root = soft::square_root(soft::unpack<f64>(a));
            return detail::first_nan(soft::pack<f64>(root, Round, Flags), a);
        }
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
