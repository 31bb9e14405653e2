// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/script_values.h"

#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace simtlm::execution {

namespace {

constexpr ptx::type element_types[] = {
    ptx::type::u8,  ptx::type::u16, ptx::type::u32, ptx::type::u64, ptx::type::s8,
    ptx::type::s16, ptx::type::s32, ptx::type::s64, ptx::type::f32, ptx::type::f64};

/// Calls f with a value of the type.
template <class Function>
void for_type(ptx::type t, Function&& f) {
    switch (t) {
        case ptx::type::u8:
            return f(std::uint8_t{});
        case ptx::type::u16:
            return f(std::uint16_t{});
        case ptx::type::u32:
            return f(std::uint32_t{});
        case ptx::type::u64:
            return f(std::uint64_t{});
        case ptx::type::s8:
            return f(std::int8_t{});
        case ptx::type::s16:
            return f(std::int16_t{});
        case ptx::type::s32:
            return f(std::int32_t{});
        case ptx::type::s64:
            return f(std::int64_t{});
        case ptx::type::f32:
            return f(float{});
        default:
            return f(double{});
    }
}

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// The largest range of a type: integers may be written as signed or as unsigned values.
template <class T>
bool holds(double value) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(value) <= std::numeric_limits<T>::max();
    else
        return value >= std::numeric_limits<std::make_signed_t<T>>::min() &&
               value <= std::ldexp(1.0, 8 * sizeof(T));  // one after the largest
}

/// An integer within the range of holds(), rounded towards zero.
template <class T>
T integer_of(double value) {
    const double limit = std::ldexp(1.0, 8 * sizeof(T));
    if (value >= limit) value = std::nextafter(limit, 0.0);
    return value < 0 ? static_cast<T>(static_cast<std::int64_t>(value))
                     : static_cast<T>(static_cast<std::uint64_t>(value));
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

}  // namespace

ptx::type script_type(const std::string& word) {
    for (const ptx::type t : element_types)
        if (ptx::name_of(t) == word) return t;
    return ptx::type::none;
}

bool write_script_value(ptx::type t, const std::string& word, std::byte* to) {
    if (word.empty()) return false;
    bool good = false;
    for_type(t, [&](auto sample) {
        using T = decltype(sample);
        char* end = nullptr;
        T value;
        errno = 0;
        bool in_range = true;
        if constexpr (std::is_floating_point_v<T>) {
            const double exact = support::read_double(word.c_str(), &end);
            // Infinities and NaNs have names; a number beyond the range is none of them.
            const bool named = std::strpbrk(word.c_str(), "nN") != nullptr;
            in_range = named || holds<T>(exact);
            value = static_cast<T>(in_range ? exact : 0);
        } else {
            // Unsigned values may be written as negative numbers of the same width, and signed ones
            // as bit patterns.
            using U = std::make_unsigned_t<T>;
            using S = std::make_signed_t<T>;
            if (word[0] == '-') {
                const long long v = std::strtoll(word.c_str(), &end, 0);
                value = static_cast<T>(v);
                in_range = v >= std::numeric_limits<S>::min();
            } else {
                const unsigned long long v = std::strtoull(word.c_str(), &end, 0);
                value = static_cast<T>(v);
                in_range = v <= std::numeric_limits<U>::max();
            }
            in_range = in_range && errno != ERANGE;
        }
        good = *end == 0 && end != word.c_str() && in_range;
        std::memcpy(to, &value, sizeof value);
    });
    return good;
}

std::string script_value_text(ptx::type t, const std::byte* value) {
    std::string text;
    for_type(t, [&](auto sample) {
        using T = decltype(sample);
        text = fmt::format("{}", +load<T>(value));
    });
    return text;
}

std::optional<std::uint64_t> script_unsigned(const std::string& word) {
    std::uint64_t value = 0;
    if (word[0] == '-' ||
        !write_script_value(ptx::type::u64, word, reinterpret_cast<std::byte*>(&value)))
        return std::nullopt;
    return value;
}

std::optional<double> script_number(const std::string& word) {
    char* end = nullptr;
    const double value = support::read_double(word.c_str(), &end);
    if (word.empty() || *end != 0 || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool fill_ramp(ptx::type t, std::vector<std::byte>& data, const std::vector<std::string>& words) {
    const std::string start = words.empty() ? "0" : words[0];
    const std::string step = words.size() < 2 ? "1" : words[1];
    bool good = true;
    for_type(t, [&](auto sample) {
        using T = decltype(sample);
        const std::size_t count = data.size() / sizeof(T);
        const auto put = [&](std::size_t i, T value) {
            std::memcpy(data.data() + i * sizeof(T), &value, sizeof value);
        };
        const bool is_integer = start.find_first_of(".eEpP") == std::string::npos &&
                                step.find_first_of(".eEpP") == std::string::npos;
        if constexpr (!std::is_floating_point_v<T>) {
            std::byte first[sizeof(T)], difference[sizeof(T)];
            if (write_script_value(t, start, first) && write_script_value(t, step, difference)) {
                using U = std::make_unsigned_t<T>;
                std::uint64_t next = load<U>(first);
                for (std::size_t i = 0; i < count; ++i, next += load<U>(difference))
                    put(i, static_cast<T>(next));
                return;
            }
        }
        const double a = script_number(start).value_or(0), b = script_number(step).value_or(0);
        const double last = a + b * static_cast<double>(count == 0 ? 0 : count - 1);
        good = (std::is_floating_point_v<T> || !is_integer) && holds<T>(a) && holds<T>(last);
        for (std::size_t i = 0; good && i < count; ++i) {
            const double exact = a + b * static_cast<double>(i);
            if constexpr (std::is_floating_point_v<T>)
                put(i, static_cast<T>(exact));
            else
                put(i, integer_of<T>(exact));
        }
    });
    return good;
}

bool fill_random(ptx::type t, std::vector<std::byte>& data, std::uint64_t seed, double low,
                 double high) {
    bool good = true;
    for_type(t, [&](auto sample) {
        using T = decltype(sample);
        const bool bounded = low < high;
        good = holds<T>(low) && holds<T>(high) && std::isfinite(high - low);
        for (std::size_t i = 0; good && i < data.size() / sizeof(T); ++i) {
            const std::uint64_t bits = next_random(seed);
            const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
            const double within = bounded ? low + unit * (high - low) : unit;
            T value;
            if constexpr (std::is_floating_point_v<T>)
                value = static_cast<T>(within);
            else
                value = bounded ? integer_of<T>(std::floor(within)) : static_cast<T>(bits);
            std::memcpy(data.data() + i * sizeof(T), &value, sizeof value);
        }
    });
    return good;
}

bool is_close(ptx::type t, const std::byte* got, const std::byte* want, double tolerance) {
    bool close = false;
    for_type(t, [&](auto sample) {
        using T = decltype(sample);
        const T a = load<T>(got), b = load<T>(want);
        if constexpr (std::is_floating_point_v<T>)
            close = a == b || (a != a && b != b) ||
                    std::fabs(static_cast<double>(a) - static_cast<double>(b)) <=
                        tolerance * std::max(1.0, std::fabs(static_cast<double>(b)));
        else
            close = a == b;
    });
    return close;
}

}  // namespace simtlm::execution
