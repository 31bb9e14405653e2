// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/link_diagnostics.h"
#include "modules/sass/link_functions.h"
#include "modules/sass/link_symbols.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace simtlm::sass {

constexpr std::uint32_t constant_bank_bytes = 65536;
/// Alignment of dynamic shared memory, bytes.
constexpr std::uint64_t dynamic_alignment = 16;

/// A shared variable, or the constants of a function: it has one address in all kernels that use
/// it.
struct memory_item {
    unsigned bank = 0;  ///< constant bank; 0: shared memory
    in_file of;         ///< the symbol of a shared variable, or the section
    std::uint64_t bytes = 0, alignment = 1;
    std::vector<bool> kernels;  ///< that use it, by index in link_functions::kernels
    std::uint64_t offset = 0;   ///< in shared memory or in the bank
};

/// Places the shared variables and the constants of functions, so that those that one kernel uses
/// do not overlap.
class link_memory {
public:
    /// Reports memory that exceeds shared memory or a constant bank.
    /// @param symbols, functions  must outlive the memory
    /// @throws link_error
    link_memory(const link_symbols& symbols, const link_functions& functions,
                link_diagnostics& diagnostics);

    const std::vector<memory_item>& items() const { return items_; }
    /// Offset of a shared variable (bank 0) or of a section of constants; none if it is not used.
    std::optional<std::uint64_t> offset_of(unsigned bank, in_file item) const;
    /// Offset of dynamic shared memory, for a function that uses it.
    std::uint64_t dynamic_start(std::uint32_t function) const;
    /// Bytes of shared memory of a kernel, without dynamic memory; none if it uses neither.
    /// @param kernel  index in link_functions::kernels
    std::optional<std::uint64_t> shared_bytes(std::uint32_t kernel) const;

private:
    void find_items(link_diagnostics& diagnostics);
    void use(std::uint32_t function, const memory_item& item);
    void find_users();
    void place_items(link_diagnostics& diagnostics);
    void place_dynamic_memory();

    const link_symbols& symbols_;
    const link_functions& functions_;
    std::vector<memory_item> items_;
    std::map<std::pair<unsigned, in_file>, std::size_t> item_of_;  ///< by bank
    std::vector<std::vector<std::size_t>> used_;                   ///< items, by function
    std::vector<bool> uses_dynamic_;                               ///< by function
    std::map<std::uint32_t, std::set<std::uint32_t>> dynamic_;     ///< by function: kernels
    std::map<std::uint32_t, std::uint64_t> dynamic_start_;         ///< by function
    std::vector<std::uint64_t> shared_bytes_;                      ///< by kernel
};

}  // namespace simtlm::sass
