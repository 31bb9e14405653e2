// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace simtlm::fuzz {

/// Writes an input to a file with a name unique to this process, in memory if the system has such a
/// folder.
/// @param name  last part of the file name @returns its path
std::string file_of(const std::string& name, const std::uint8_t* data, std::size_t size);

/// Runs `act`; support::user_error is a permitted outcome of a bad input.
template <typename Act>
void allow_user_error(Act&& act) {
    try {
        act();
    } catch (const support::user_error& e) {
        if (e.what()[0] == '\0') std::abort();  // an error without a message
    }
}

}  // namespace simtlm::fuzz
