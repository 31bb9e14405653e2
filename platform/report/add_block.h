// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/counter_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simtlm::platform {

/// The cells of a counter in memory: equidistant 64-bit words.
struct cell_row {
    std::uint64_t* first;
    std::size_t step;
};

/// @return a null `first` if the distances are not equal
template <typename Struct>
cell_row cells_of(const support::counter<Struct>& row, Struct& of, std::size_t cells) {
    const auto address = [&](std::size_t i) {
        return reinterpret_cast<std::uintptr_t>(&row.cell(of, i));
    };
    const std::uintptr_t first = address(0);
    // Cells have ascending addresses, and array members have uniform gaps; if the last cell is at
    // the expected address, all are.
    const std::size_t step = cells > 1 ? address(1) - first : sizeof(std::uint64_t);
    if (cells > 2 && address(cells - 1) - first != (cells - 1) * step) return {nullptr, 0};
    return {&row.cell(of, 0), step / sizeof(std::uint64_t)};
}

/// Equivalent of support::add_up() for reports, which add up hundreds of blocks after every kernel:
/// accesses the cells of a counter through pointers instead of one call per cell.
template <typename Struct>
void add_block(Struct& sum, const Struct& block) {
    for (const support::counter<Struct>& row : counters_of(static_cast<const Struct*>(nullptr))) {
        row.grow(sum, block);
        const std::size_t n = row.cells(block);
        if (n == 0) continue;
        const cell_row from = cells_of(row, const_cast<Struct&>(block), n);  // read only
        const cell_row to = cells_of(row, sum, n);
        if (from.first == nullptr || from.step != to.step) {
            for (std::size_t i = 0; i < n; ++i) {
                std::uint64_t& value = row.cell(sum, i);
                value = support::added(row.how, value, row.value(block, i));
            }
        } else if (row.how == support::adding::sum) {
            for (std::size_t i = 0; i < n; ++i) to.first[i * to.step] += from.first[i * to.step];
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                std::uint64_t& value = to.first[i * to.step];
                value = support::added(row.how, value, from.first[i * to.step]);
            }
        }
    }
}

}  // namespace simtlm::platform
