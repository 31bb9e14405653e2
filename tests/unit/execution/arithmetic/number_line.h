// SPDX-License-Identifier: Apache-2.0
// Conversion to a small floating-point format by search among all its numbers: slow, but based only
// on the definition of rounding.
#pragma once

#include "modules/execution/arithmetic/types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace simtlm::execution::arithmetic::test {

/// The value of a format's bits, by definition.
template <class Format>
double value_of_float(typename Format::bits bits) {
    const auto magnitude = bits & Format::magnitude_mask;
    const double sign = (bits & Format::sign_bit) != 0 ? -1 : 1;
    if (Format::has_infinity && magnitude == Format::infinity) {
        return sign * std::numeric_limits<double>::infinity();
    }
    if (magnitude >= Format::infinity) return std::numeric_limits<double>::quiet_NaN();
    const int biased = static_cast<int>(magnitude >> Format::fraction_bits);
    const auto fraction = static_cast<double>(magnitude & Format::fraction_mask);
    const int last_bit = -static_cast<int>(Format::fraction_bits);
    if (biased == 0) return sign * std::ldexp(fraction, 1 - Format::bias + last_bit);
    return sign * std::ldexp(1 + std::ldexp(fraction, last_bit), biased - Format::bias);
}

/// All non-negative numbers of a format in order, and rounding among them.
template <class Format>
class number_line {
public:
    using bits = typename Format::bits;

    number_line() {
        for (bits magnitude = 0; magnitude < Format::infinity; ++magnitude) {
            values_.push_back(value_of_float<Format>(magnitude));
        }
        // The position of the next number: a value that rounds to it has overflowed.
        const double last = values_.back();
        values_.push_back(last + (last - values_[values_.size() - 2]));
    }

    /// The rounded bits of x; overflow gives infinity or the largest finite number.
    bits round(double x, rounding mode, bool finite_only = false) const {
        if (std::isnan(x)) return Format::canonical_nan;
        const bool negative = std::signbit(x);
        const double magnitude = std::fabs(x);
        bits result;
        if (std::isinf(x)) {
            result = finite_only ? Format::largest_finite : Format::infinity;
        } else {
            result = static_cast<bits>(index_of(magnitude, negative, mode));
            const bool inwards =
                mode == rounding::zero || mode == (negative ? rounding::up : rounding::down);
            if (result > Format::largest_finite) {
                result = finite_only || inwards ? Format::largest_finite : Format::infinity;
            }
        }
        return static_cast<bits>(result | (negative ? Format::sign_bit : 0));
    }

private:
    std::size_t index_of(double magnitude, bool negative, rounding mode) const {
        const auto above = std::lower_bound(values_.begin(), values_.end(), magnitude);
        if (above == values_.end()) return values_.size() - 1;
        const auto upper = static_cast<std::size_t>(above - values_.begin());
        if (*above == magnitude) return upper;
        const std::size_t lower = upper - 1;
        const double to_upper = values_[upper] - magnitude;
        const double to_lower = magnitude - values_[lower];
        switch (mode) {
            case rounding::zero:
                return lower;
            case rounding::down:
                return negative ? upper : lower;
            case rounding::up:
                return negative ? lower : upper;
            default:
                break;
        }
        if (to_upper != to_lower) return to_upper < to_lower ? upper : lower;
        if (mode == rounding::away) return upper;
        return upper % 2 == 0 ? upper : lower;
    }

    std::vector<double> values_;
};

}  // namespace simtlm::execution::arithmetic::test
