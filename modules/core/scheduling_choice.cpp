// SPDX-License-Identifier: Apache-2.0
#include "modules/core/scheduling_choice.h"

#include "modules/support/error.h"

#include <charconv>

namespace simtlm::core {

scheduling_choice::scheduling_choice(const std::string& text)
    : name(text.substr(0, text.find(':'))) {
    const char* const end = text.data() + text.size();
    for (const char* at = text.data() + name.size(); at != end;) {
        unsigned value = 0;
        const auto [stop, error] = std::from_chars(at + 1, end, value);
        if (error != std::errc() || (stop != end && *stop != ':'))
            throw support::user_error("-gpgpu_scheduler", "cannot read \"" + text + "\"",
                                      "write a name, and its numbers after colons");
        parameters.push_back(value);
        at = stop;
    }
}

}  // namespace simtlm::core
