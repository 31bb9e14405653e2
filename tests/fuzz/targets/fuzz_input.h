// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace simtlm::fuzz {

/// Writes an input under a name of this process' own, in memory where the system has such a folder.
/// @param name  its last part @returns its path
std::string file_of(const std::string& name, const std::uint8_t* data, std::size_t size);

/// Runs `act`; kernel::user_error is what a bad input may cause.
template <typename Act>
void allow_user_error(Act&& act) {
    try {
        act();
    } catch (const kernel::user_error& e) {
        if (e.what()[0] == '\0') std::abort();  // an error that says nothing
    }
}

}  // namespace simtlm::fuzz
