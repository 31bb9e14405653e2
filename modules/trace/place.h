// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::trace {

/// A position in a file that is being read, for messages.
class place {
public:
    /// "file:line" or "file:byte N"
    virtual std::string where() const = 0;

protected:
    ~place() = default;
};

}  // namespace simtlm::trace
