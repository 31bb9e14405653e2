// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Numbers of a module's registers for scoreboards and register files. PTX registers are virtual:
/// each has a unique number within its function. Kernels never call each other, so their numbers
/// start at 0; those of other functions are above those of all kernels.
class register_numbers {
public:
    /// @param names_give_banks  quirk of GPGPU-Sim: a register's bank is determined by the number
    ///                          in its name, so that %r3, %rd3 and %p3 share one
    register_numbers(const ptx::module& m, bool names_give_banks);

    /// The number of a register of a function.
    std::uint16_t of(std::uint32_t function, std::uint32_t index) const {
        return numbers_[function][index];
    }
    /// Upper bound of all numbers, exclusive.
    std::uint32_t end() const { return end_; }

private:
    std::vector<std::vector<std::uint16_t>> numbers_;  ///< by function
    std::uint32_t end_ = 1;
};

/// The number in a register's name: 12 for %rd12; -1 if there is none.
std::int64_t number_in_name(const std::string& name);

}  // namespace simtlm::execution
