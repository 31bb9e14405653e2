// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/asynchronous_line.h"

#include "modules/isa/decode.h"
#include "modules/support/error.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace simtlm::trace {

using program::bulk_transfer;
using program::mbarrier_operation;
using program::mbarrier_state;

namespace {

constexpr std::uint64_t max_accesses = 1 << 20;       // of a copy: more than shared memory holds
constexpr std::uint64_t cta_stride = 1 << 24;         // of shared memory in a cluster's window
constexpr std::uint32_t max_copied_bytes = 1u << 30;  // a generous limit

[[noreturn]] void reject(const place& where, const std::string& what) {
    throw support::user_error(where.where(), what);
}

std::string_view base_of(std::string_view opcode) {
    return opcode.substr(0, opcode.find('.'));
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&all)[N]) {
    return std::find(std::begin(all), std::end(all), word) != std::end(all);
}

bulk_transfer::kind kind_of(std::string_view opcode) {
    using kind = bulk_transfer::kind;
    const std::string_view base = base_of(opcode);
    if (base == "UTMALDG") return kind::load;
    if (base == "UTMASTG") return kind::store;
    if (base == "UTMAREDG" || base == "UBLKRED") return kind::reduction;
    if (base == "UTMAPF" || base == "UBLKPF") return kind::prefetch;
    const auto copies = [&](std::string_view spaces) {
        return opcode.find(spaces) != std::string_view::npos;
    };
    return copies(".S.G") ? kind::load : copies(".G.S") ? kind::store : kind::send;
}

/// Number of numbers at the scanner, up to a word that is none or to `most`.
unsigned count_numbers(scanner in, unsigned most) {
    unsigned n = 0;
    std::uint64_t value = 0;
    std::int64_t number = 0;
    while (n < most) {
        scanner at = in;
        if (in.take_signed(number)) {
            ++n;
            continue;
        }
        in = at;
        if (!in.take_hexadecimal(value)) return n;
        ++n;
    }
    return n;
}

std::uint64_t take_decimal(scanner& in, const char* what, std::uint64_t most, const place& where) {
    std::uint64_t v = 0;
    if (!in.take_decimal(v) || v > most)
        reject(where, std::string(what) + " of a bulk copy is missing or no number in its range");
    return v;
}
std::uint64_t take_address(scanner& in, const char* what, const place& where) {
    std::uint64_t v = 0;
    if (!in.take_hexadecimal(v))
        reject(where, std::string(what) + " of a bulk copy is missing or no hexadecimal number");
    return v;
}

std::vector<std::uint64_t> take_accesses(scanner& in, const place& where) {
    constexpr std::uint64_t list = 3, deltas = 4;
    const std::uint64_t mode = take_decimal(in, "the address mode", deltas, where);
    if (mode != list && mode != deltas)
        reject(where, "the address mode of a bulk copy is not 3 or 4");
    std::vector<std::uint64_t> all;
    std::uint64_t base = 0;
    if (mode == deltas) base = take_address(in, "the base address", where);
    const std::uint64_t n = take_decimal(in, "the number of addresses", max_accesses, where);
    for (std::uint64_t i = 0; i < n; ++i) {
        if (mode == list) {
            all.push_back(take_address(in, "an address", where));
            continue;
        }
        std::int64_t distance = 0;
        if (i > 0 && !in.take_signed(distance))
            reject(where, "a distance between addresses of a bulk copy is missing or no number");
        base += static_cast<std::uint64_t>(distance);
        all.push_back(base);
    }
    return all;
}

/// Distributes the bytes of a copy over its accesses, and joins what is contiguous.
std::vector<program::memory_range> ranges_of(const std::vector<std::uint64_t>& accesses,
                                             std::uint64_t bytes) {
    std::vector<program::memory_range> ranges;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        const std::uint64_t n = bytes * (i + 1) / accesses.size() - bytes * i / accesses.size();
        if (n == 0) continue;
        if (!ranges.empty() && ranges.back().address + ranges.back().bytes == accesses[i])
            ranges.back().bytes += static_cast<std::uint32_t>(n);
        else
            ranges.push_back({accesses[i], static_cast<std::uint32_t>(n)});
    }
    return ranges;
}

/// Values of a register, by lane. Parses one value for all lanes, or 32.
bool take_values(scanner& in, std::array<std::uint64_t, 32>& values) {
    std::uint64_t n = 0;
    if (!in.take_decimal(n) || (n != 1 && n != values.size())) return false;
    for (std::uint64_t i = 0; i < n; ++i)
        if (!in.take_hexadecimal(values[i])) return false;
    if (n == 1) values.fill(values[0]);
    return true;
}

/// Converts the lower word of an mbarrier that machine code stores to initialise it.
std::uint64_t initial_bits(std::uint64_t word) {
    mbarrier_state b = mbarrier_state::decode(word & 0xffffffff);
    b.pending = b.expected;
    b.transactions = 0;
    b.phase = false;
    return b.encode();
}

/// The operation of a lane. @return false if nothing is to be done
bool operation_of(std::string_view opcode, std::uint64_t value, mbarrier_operation& o) {
    const auto has = [&](std::string_view modifier) { return isa::has_modifier(opcode, modifier); };
    const auto word = static_cast<std::uint32_t>(value);
    if (base_of(opcode) == "ARRIVES") {
        // Without .noinc (ARVCNT) one more arrival is expected, and occurs.
        o.arrivals = 1;
        return has("ARVCNT");
    }
    if (has("EXCH")) {
        o.what = mbarrier_operation::kind::set;
        o.value = initial_bits(value);
        return true;
    }
    if (has("PHASECHK")) {
        o.what = mbarrier_operation::kind::wait;
        o.value = word >> 31;
        return has("TRYWAIT");
    }
    if (!has("ARRIVE")) return false;
    o.drops = has("OPTOUT");
    if (has("ART0")) {
        o.arrivals = word;
    } else if (has("A1T0")) {
        o.arrivals = 1;
    } else if (has("A0T1")) {
        o.bytes = 1;
    } else if (has("A0TR") || has("A0TX")) {
        o.bytes = static_cast<std::int32_t>(word) * (has("A0TX") ? -1 : 1);
    } else {
        o.arrivals = 1;
        o.bytes = static_cast<std::int32_t>(word);
    }
    return true;
}

bool needs_value(std::string_view opcode) {
    return base_of(opcode) != "ARRIVES" && !isa::has_modifier(opcode, "A1T0") &&
           !isa::has_modifier(opcode, "A0T1");
}

}  // namespace

line_form form_of(std::string_view opcode) {
    static constexpr std::string_view copies[] = {"UBLKCP",  "UBLKPF",   "UBLKRED", "UTMALDG",
                                                  "UTMASTG", "UTMAREDG", "UTMAPF"};
    static constexpr std::string_view products[] = {"HGMMA", "IGMMA", "BGMMA", "QGMMA"};
    const std::string_view base = base_of(opcode);
    if (is_one_of(base, copies)) return line_form::copy;
    if (is_one_of(base, products)) return line_form::product;
    if (base == "SYNCS" || base == "ARRIVES") return line_form::mbarrier;
    if (base == "UCGABAR_ARV" || base == "UCGABAR_WAIT") return line_form::cluster;
    return line_form::plain;
}

operand_counts count_operands(std::string_view text) {
    const std::string line = std::string(text) + '\n';
    scanner in({line.data(), line.data() + text.size()});
    operand_counts n;
    std::uint64_t count = 0;
    if (in.take_decimal(count)) n.destinations = static_cast<unsigned>(count);
    for (unsigned i = 0; i < n.destinations + 1; ++i) in.take_word();  // and the opcode
    if (in.take_decimal(count)) n.sources = static_cast<unsigned>(count);
    return n;
}

bool is_copy(const scanner& in) {
    constexpr unsigned min_numbers = 6;
    return count_numbers(in, min_numbers) == min_numbers;
}

void scan_copy(scanner& in, std::string_view opcode, asynchronous_details& details,
               bool& in_cluster, const place& where) {
    bulk_transfer t;
    t.what = kind_of(opcode);
    const std::uint64_t mbarrier = take_address(in, "the mbarrier", where);
    if (take_decimal(in, "whether it is a multicast", 1, where) != 0) {
        take_address(in, "the mask", where);
        in_cluster = true;
    }
    t.bytes = static_cast<std::uint32_t>(
        take_decimal(in, "the number of bytes", max_copied_bytes, where));
    const std::uint64_t outside =
        take_decimal(in, "the number of bytes outside of the tensor", max_copied_bytes, where);
    const std::vector<std::uint64_t> accesses = take_accesses(in, where);
    t.ranges = ranges_of(accesses, t.bytes - std::min<std::uint64_t>(outside, t.bytes));
    const bool signals = t.what == bulk_transfer::kind::load || t.what == bulk_transfer::kind::send;
    if (t.what == bulk_transfer::kind::send) in_cluster = true;
    if (signals && !in_cluster) {
        t.arrivals.emplace_back();
        t.arrivals.back().mbarrier = mbarrier;
        t.arrivals.back().bytes = t.bytes;
    }
    if (t.bytes != 0 && t.what != bulk_transfer::kind::send)
        details.transfers.push_back(std::move(t));
}

bool scan_mbarrier(scanner& in, std::string_view opcode, const operand_counts& operands,
                   std::uint32_t mask, const std::uint64_t* addresses,
                   asynchronous_details& details, bool& in_cluster, const place& where) {
    std::array<std::uint64_t, 32> values{};
    const bool is_needed = needs_value(opcode);
    if (in.take_word() == "Val") {
        constexpr unsigned operand = 1;  // of the sources: the first is the address
        std::array<std::uint64_t, 32> other{};
        for (unsigned i = 0; i < operands.destinations + operands.sources; ++i)
            if (!take_values(in, i == operands.destinations + operand ? values : other))
                reject(where, "the values of a register are neither one nor 32");
        if (is_needed && operands.sources <= operand) return false;
    } else if (is_needed) {
        return false;
    }
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(m));
        if (addresses[lane] >= cta_stride) in_cluster = true;
        mbarrier_operation o;
        o.address = addresses[lane];
        if (operation_of(opcode, values[lane], o)) details.barriers.push_back(o);
    }
    return true;
}

bool scan_executed(scanner& in, std::vector<std::uint64_t>& pool, unsigned ranks,
                   const place& where) {
    for (std::string_view word = in.take_word(); word != asynchronous_word; word = in.take_word())
        if (word.empty()) return false;
    const std::size_t first = pool.size();
    while (!in.at_end()) {
        std::uint64_t v = 0;
        if (!in.take_hexadecimal(v)) reject(where, "a detail is no hexadecimal number");
        pool.push_back(v);
    }
    if (!are_details(pool.data() + first, pool.size() - first, ranks))
        reject(where, "the details of an asynchronous instruction are corrupt");
    return true;
}

}  // namespace simtlm::trace
