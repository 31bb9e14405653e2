// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace simtlm::execution {

/// Tensor memory as a CTA sees it (PTX ISA, "Tensor Memory"): 128 lanes of 512 columns of 32 bits,
/// of which the CTA allocates ranges of columns. Addresses have the lane in bits 31:16 and the
/// column in bits 15:0.
class tensor_memory {
public:
    static constexpr unsigned lanes = 128, columns = 512, min_columns = 32;

    static unsigned lane_of(std::uint32_t address) { return address >> 16 & (lanes - 1); }
    static unsigned column_of(std::uint32_t address) { return address & 0xffff; }

    /// Whether a number of columns can be allocated: a power of two from 32 to 512.
    static bool is_size(std::uint32_t n) {
        return n >= min_columns && n <= columns && (n & (n - 1)) == 0;
    }
    /// Allocates columns. @return the address of the first one; nullopt: there are not enough
    std::optional<std::uint32_t> allocate(unsigned n);
    /// Frees columns. @return false: they have not been allocated together
    bool free(std::uint32_t address, unsigned n);
    /// Whether columns have been allocated.
    bool is_allocated(unsigned first, unsigned n) const;
    unsigned allocated() const;

    std::uint32_t* row(unsigned lane) { return &words_[std::size_t{lane} * columns]; }
    /// Whether the CTA may still allocate (tcgen05.relinquish_alloc_permit).
    bool may_allocate = true;

private:
    std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(std::size_t{lanes} * columns);
    /// By unit of 32 columns: units of the allocation that begins there, or 0.
    std::array<std::uint8_t, columns / min_columns> begins_{};
};

}  // namespace simtlm::execution
