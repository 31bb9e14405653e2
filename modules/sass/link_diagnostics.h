// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace simtlm::sass {

/// Collects the errors of one step of the linker, so that all of them are reported together.
class link_diagnostics {
public:
    /// @param name  of the result, for messages
    explicit link_diagnostics(std::string name) : name_(std::move(name)) {}

    /// Records an error. The same one is reported only once.
    void error(std::string reason);
    /// @throws link_error  with all recorded errors, if there are any
    void throw_if_any() const;

private:
    std::string name_;
    std::vector<std::string> reasons_;
};

}  // namespace simtlm::sass
