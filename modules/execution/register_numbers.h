// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Numbers of a module's registers, as scoreboards and register files know them. PTX registers are
/// virtual: each has a number of its own within its function. Kernels never call one another, so
/// their numbers begin at 0; those of other functions lie above those of all kernels.
class register_numbers {
public:
    /// @param names_give_banks  quirk of the reference: a register's bank follows from the number
    ///                          in its name, so that %r3, %rd3 and %p3 share one
    register_numbers(const ptx::module& m, bool names_give_banks);

    std::uint16_t of(std::uint32_t function, std::uint32_t index) const {
        return numbers_[function][index];
    }
    /// All numbers lie below this.
    std::uint32_t end() const { return end_; }

private:
    std::vector<std::vector<std::uint16_t>> numbers_;  ///< by function
    std::uint32_t end_ = 1;
};

/// The number in a register's name: 12 of %rd12. -1: there is none.
std::int64_t number_in_name(const std::string& name);

}  // namespace simtlm::execution
