// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// Self-describing counters. Each struct of counters is accompanied by a table with one row per
/// member, from which sums over blocks, JSON, CSV and docs/statistics.md are derived:
///
///     struct queue_statistics {
///         std::uint64_t pushed = 0;
///         std::uint64_t longest = 0;
///         std::array<std::uint64_t, 33> by_lanes{};
///     };
///     inline constexpr support::counter<queue_statistics> queue_counters[] = {
///         support::count<&queue_statistics::pushed>("pushed", "entries", "put into the queue"),
///         support::maximum<&queue_statistics::longest>("longest", "entries", "it has held"),
///         support::count<&queue_statistics::by_lanes>("by_lanes", "entries",
///                                                    "by number of lanes", lane_label),
///     };
///     constexpr const auto& counters_of(const queue_statistics*) { return queue_counters; }
///     static_assert(support::covers<queue_statistics>(queue_counters));  // every member has a row
namespace simtlm::support {

/// How the values of several blocks are combined.
enum class adding : std::uint8_t {
    sum,
    maximum,
    minimum,
    last,  ///< a state rather than a count: the value of the last block
};
constexpr const char* adding_name(adding how) {
    constexpr const char* names[] = {"sum", "maximum", "minimum", "last"};
    return names[static_cast<unsigned>(how)];
}

/// Combines two values.
constexpr std::uint64_t added(adding how, std::uint64_t a, std::uint64_t b) {
    switch (how) {
        case adding::sum:
            return a + b;
        case adding::maximum:
            return std::max(a, b);
        case adding::minimum:
            return std::min(a, b);
        case adding::last:
            break;
    }
    return b;
}

/// Description of a counter.
struct counter_info {
    const char* name;
    const char* unit;     ///< e.g. requests, core cycles
    const char* meaning;  ///< description, one sentence
    adding how = adding::sum;
    /// Returns the name of a cell of an array; empty for an unused cell. nullptr: a single value.
    std::string (*label)(unsigned cell) = nullptr;
};

/// A row of a table: the description of a member and access to its value.
template <typename Struct>
struct counter : counter_info {
    std::size_t (*cells)(const Struct&);
    std::uint64_t& (*cell)(Struct&, std::size_t);
    void (*add)(Struct&, const Struct&);  ///< adds the second struct's cells to the first's, whose
                                          ///< vector grows to hold them
    /// Bytes of the struct that this row covers; of a vector, a fraction that is proportional to
    /// the bytes of its elements.
    double bytes;

    const std::uint64_t* address(const Struct& of, std::size_t i) const {
        return &cell(const_cast<Struct&>(of), i);  // the reference is only read
    }
    std::uint64_t value(const Struct& of, std::size_t i) const { return *address(of, i); }
};

namespace counter_detail {

template <typename>
struct member_of;
template <typename Owner, typename Value>
struct member_of<Value Owner::*> {
    using owner = Owner;
    using value = Value;
};

/// Access to the values in a member: one number, or a fixed or growing array of types that hold
/// numbers.
template <typename T>
struct cells_in {
    static_assert(std::is_same_v<T, std::uint64_t>, "counters are std::uint64_t");
    static std::size_t number(const T&) { return 1; }
    static std::uint64_t& at(T& value, std::size_t) { return value; }
    template <adding How>
    static void add(T& sum, const T& value) {
        sum = added(How, sum, value);
    }
};
template <typename T, std::size_t N>
struct cells_in<std::array<T, N>> {
    static std::size_t number(const std::array<T, N>& a) {
        return N == 0 ? 0 : N * cells_in<T>::number(a[0]);
    }
    static std::uint64_t& at(std::array<T, N>& a, std::size_t i) {
        const std::size_t each = cells_in<T>::number(a[0]);
        return cells_in<T>::at(a[i / each], i % each);
    }
    template <adding How>
    static void add(std::array<T, N>& sum, const std::array<T, N>& a) {
        for (std::size_t i = 0; i < N; ++i) cells_in<T>::template add<How>(sum[i], a[i]);
    }
};

/// A path to a counter: a member of a struct, or a member of a struct within it, or of all structs
/// in a vector within it.
template <auto... Path>
struct place;
template <auto Member>
struct place<Member> {
    using owner = typename member_of<decltype(Member)>::owner;
    using held = cells_in<typename member_of<decltype(Member)>::value>;
    static constexpr double bytes() { return sizeof(typename member_of<decltype(Member)>::value); }
    static std::size_t cells(const owner& o) { return held::number(o.*Member); }
    static std::uint64_t& cell(owner& o, std::size_t i) { return held::at(o.*Member, i); }
    template <adding How>
    static void add(owner& sum, const owner& o) {
        held::template add<How>(sum.*Member, o.*Member);
    }
};
template <typename T>
struct is_vector : std::false_type {};
template <typename T>
struct is_vector<std::vector<T>> : std::true_type {};

template <auto Outer, auto Inner>
struct place<Outer, Inner> {
    using owner = typename member_of<decltype(Outer)>::owner;
    using outer = typename member_of<decltype(Outer)>::value;
    using inner = place<Inner>;
    static constexpr bool many = is_vector<outer>::value;
    static constexpr double bytes() {
        return many ? sizeof(outer) * inner::bytes() / sizeof(typename inner::owner)
                    : inner::bytes();
    }
    static std::size_t cells(const owner& o) {
        if constexpr (many)
            return (o.*Outer).empty() ? 0 : (o.*Outer).size() * inner::cells((o.*Outer)[0]);
        else
            return inner::cells(o.*Outer);
    }
    static std::uint64_t& cell(owner& o, std::size_t i) {
        if constexpr (many) {
            const std::size_t each = inner::cells((o.*Outer)[0]);
            return inner::cell((o.*Outer)[i / each], i % each);
        } else {
            return inner::cell(o.*Outer, i);
        }
    }
    template <adding How>
    static void add(owner& sum, const owner& o) {
        const outer& from = o.*Outer;
        outer& to = sum.*Outer;
        if constexpr (many) {
            if (to.size() < from.size()) to.resize(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) inner::template add<How>(to[i], from[i]);
        } else {
            inner::template add<How>(to, from);
        }
    }
};

template <adding How, auto... Path>
constexpr auto row(const char* name, const char* unit, const char* meaning,
                   std::string (*label)(unsigned)) {
    using at = place<Path...>;
    return counter<typename at::owner>{{name, unit, meaning, How, label},
                                       &at::cells,
                                       &at::cell,
                                       &at::template add<How>,
                                       at::bytes()};
}

}  // namespace counter_detail

/// A row for a counter that is summed.
/// @param Path  a member; or a member and a member of its type, which may be a struct or a vector
///              of structs
template <auto... Path>
constexpr auto count(const char* name, const char* unit, const char* meaning,
                     std::string (*label)(unsigned) = nullptr) {
    return counter_detail::row<adding::sum, Path...>(name, unit, meaning, label);
}
/// A row for a maximum.
template <auto... Path>
constexpr auto maximum(const char* name, const char* unit, const char* meaning,
                       std::string (*label)(unsigned) = nullptr) {
    return counter_detail::row<adding::maximum, Path...>(name, unit, meaning, label);
}
/// A row for a minimum.
template <auto... Path>
constexpr auto minimum(const char* name, const char* unit, const char* meaning,
                       std::string (*label)(unsigned) = nullptr) {
    return counter_detail::row<adding::minimum, Path...>(name, unit, meaning, label);
}
/// A row for a state that is reported with the counters.
template <auto... Path>
constexpr auto state(const char* name, const char* unit, const char* meaning,
                     std::string (*label)(unsigned) = nullptr) {
    return counter_detail::row<adding::last, Path...>(name, unit, meaning, label);
}

/// Labels cells by their index.
inline std::string number_label(unsigned cell) {
    return std::to_string(cell);
}

/// Whether every byte of the struct is covered by a row of the table.
/// @param besides  bytes of the struct that hold no counters
template <typename Struct, std::size_t N>
constexpr bool covers(const counter<Struct> (&table)[N], std::size_t besides = 0) {
    double bytes = static_cast<double>(besides);
    for (std::size_t i = 0; i < N; ++i) bytes += table[i].bytes;
    const double missing = static_cast<double>(sizeof(Struct)) - bytes;
    return missing < 0.5 && missing > -0.5;
}

/// Adds the counters of a block to others, each as specified in its row.
template <typename Struct>
void add_up(Struct& sum, const Struct& block) {
    for (const counter<Struct>& row : counters_of(static_cast<const Struct*>(nullptr)))
        row.add(sum, block);
}

}  // namespace simtlm::support
