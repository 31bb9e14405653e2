// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace simtlm::support {

/// An error in the input or the configuration, as opposed to a defect of the program. It ends the
/// run with one line "file:line: what is wrong (remedy)" and exit code 2. Thrown by readers and
/// validators and caught once, in the executable; a host application may catch it and continue.
class user_error : public std::runtime_error {
public:
    /// @param where   "file:line", "file", the name of an option, or empty
    /// @param what    what is wrong
    /// @param remedy  what the user can do about it; may be empty
    user_error(std::string where, std::string what, std::string remedy = {});

    const std::string& where() const noexcept { return where_; }
    /// What is wrong, without where and remedy.
    const std::string& fault() const noexcept { return fault_; }
    const std::string& remedy() const noexcept { return remedy_; }

private:
    std::string where_;
    std::string fault_;
    std::string remedy_;
};

}  // namespace simtlm::support
