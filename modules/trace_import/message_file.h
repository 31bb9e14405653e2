// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <fstream>
#include <string>

namespace simtlm::trace_import {

/// What a user can do about a damaged trace.
constexpr const char* record_again = "record the trace again";

/// Reads a file that consists of one message.
/// @param what  the file contains, for messages
/// @throws support::user_error  if it is missing or damaged
template <class Message>
void read_message(const std::string& file, const char* what, Message& to) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw support::user_error(file, std::string("is missing; it contains ") + what,
                                  "put the whole folder of the tracer there, or record it again");
    if (!to.ParseFromIstream(&in))
        throw support::user_error(
            file, std::string("is damaged, or too large: it does not contain ") + what,
            record_again);
}

}  // namespace simtlm::trace_import
