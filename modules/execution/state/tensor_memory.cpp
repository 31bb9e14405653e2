// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/tensor_memory.h"

namespace simtlm::execution {

std::optional<std::uint32_t> tensor_memory::allocate(unsigned n) {
    for (unsigned first = 0; first < columns; first += n) {
        bool taken = false;
        for (unsigned c = first; c < first + n; c += min_columns)
            taken = taken || is_allocated(c, min_columns);
        if (taken) continue;
        begins_[first / min_columns] = static_cast<std::uint8_t>(n / min_columns);
        return first;
    }
    return std::nullopt;
}

bool tensor_memory::free(std::uint32_t address, unsigned n) {
    const unsigned first = column_of(address);
    if (first % min_columns != 0 || first >= columns) return false;
    std::uint8_t& units = begins_[first / min_columns];
    if (units == 0 || units * min_columns != n) return false;
    units = 0;
    return true;
}

bool tensor_memory::is_allocated(unsigned first, unsigned n) const {
    if (n == 0 || first + n > columns) return false;
    for (unsigned unit = first / min_columns; unit <= (first + n - 1) / min_columns; ++unit) {
        bool inside = false;
        for (unsigned b = 0; b <= unit; ++b) inside = inside || b + begins_[b] > unit;
        if (!inside) return false;
    }
    return true;
}

unsigned tensor_memory::allocated() const {
    unsigned units = 0;
    for (const std::uint8_t n : begins_) units += n;
    return units * min_columns;
}

}  // namespace simtlm::execution
