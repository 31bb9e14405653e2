// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/register_numbers.h"

#include "modules/program/instruction.h"

#include <algorithm>
#include <array>
#include <string>

namespace simtlm::execution {

namespace {

/// Upper bound of the number of register file banks; a power of two.
constexpr std::uint32_t banks = 64;

/// Consecutive numbers.
class in_order {
public:
    std::uint32_t next(const std::string&) { return next_++; }
    std::uint32_t end() const { return next_; }

private:
    std::uint32_t next_ = 0;
};

/// The first unused number in the bank given by the name. A register file maps number n to bank n +
/// 1.
class by_name {
public:
    std::uint32_t next(const std::string& name) {
        const std::int64_t named_number = number_in_name(name);
        const auto bank = static_cast<std::uint32_t>(
            (std::max<std::int64_t>(named_number, 0) + banks - 1) % std::int64_t{banks});
        const std::uint32_t number = bank + banks * given_[bank]++;
        end_ = std::max(end_, number + 1);
        return number;
    }
    std::uint32_t end() const { return end_; }

private:
    std::array<std::uint32_t, banks> given_{};
    std::uint32_t end_ = 0;
};

template <class Numbering>
std::vector<std::uint32_t> number(const ptx::function& f, std::uint32_t& end) {
    Numbering numbering;
    std::vector<std::uint32_t> numbers(f.registers.size());
    for (std::uint32_t r = 0; r < numbers.size(); ++r)
        numbers[r] = numbering.next(f.register_name(r));
    end = numbering.end();
    return numbers;
}

}  // namespace

std::int64_t number_in_name(const std::string& name) {
    const std::size_t at = name.find_first_of("0123456789");
    if (at == std::string::npos) return -1;
    std::int64_t n = 0;
    for (std::size_t i = at; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i)
        n = (n * 10 + (name[i] - '0')) % (std::int64_t{1} << 32);
    return n;
}

register_numbers::register_numbers(const ptx::module& m, bool names_give_banks)
    : numbers_(m.functions.size()) {
    std::vector<std::vector<std::uint32_t>> local(m.functions.size());
    std::vector<std::uint32_t> count(m.functions.size(), 0);
    std::uint32_t base = 0;
    for (std::size_t f = 0; f < local.size(); ++f) {
        local[f] = names_give_banks ? number<by_name>(m.functions[f], count[f])
                                    : number<in_order>(m.functions[f], count[f]);
        if (m.functions[f].entry) base = std::max(base, count[f]);
    }
    base = (base + banks - 1) / banks * banks;
    for (std::size_t f = 0; f < local.size(); ++f) {
        const std::uint32_t first = m.functions[f].entry ? 0 : base;
        for (const std::uint32_t n : local[f])
            numbers_[f].push_back(static_cast<std::uint16_t>((first + n) % program::register_zero));
        end_ = std::max(end_, first + count[f]);
        if (!m.functions[f].entry) base += (count[f] + banks - 1) / banks * banks;
    }
    end_ = std::min<std::uint32_t>(end_, program::register_zero);
}

}  // namespace simtlm::execution
