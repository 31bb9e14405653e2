// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace simtlm::platform::study {

/// The notation of the numbers of a file, derived from all of them: the profilers follow the
/// locale, which separates thousands by a comma, point, space or apostrophe.
class number_notation {
public:
    /// Derives the decimal separator from a number, if it is unambiguous.
    /// @throws support::user_error  if it contradicts an earlier number
    void observe(const std::string& text, const std::string& file, std::size_t line);
    /// The value of a cell; empty if it is not a number ("n/a", text). Of a metric with instances,
    /// "12 (5; 7)", it is the first number.
    std::optional<double> value(const std::string& text) const;

private:
    char decimal_ = '\0';   ///< unknown: a point
    std::size_t line_ = 0;  ///< that determined it
};

/// A unit of the profilers as a factor to seconds, bytes, hertz, cycles and so on, and the name
/// after it: "Kbyte/second" is 1000 bytes/second.
struct measured_unit {
    double factor = 1;
    std::string name;

    static measured_unit of(const std::string& text);
};

}  // namespace simtlm::platform::study
