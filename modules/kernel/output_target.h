// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"

#include <string>

namespace simtlm::kernel {

/// What was to be written could not be: the disk is full, a pipe was closed. Not a fault of the
/// input: the executables end with exit code 1.
class output_error : public user_error {
public:
    using user_error::user_error;
};

/// Where an output goes. A regular file is replaced as a whole when its successor is complete;
/// symbolic links are followed, and what they point to is replaced. Anything else, such as a device
/// or a FIFO, is written in place, and a descriptor of this process (/dev/stdout) through a
/// duplicate of it.
class output_target {
public:
    /// Looks at the target, changes nothing. @throws user_error when it can be no output: a folder,
    /// a read-only file, a folder that is missing
    explicit output_target(std::string name);

    /// As the user wrote it.
    const std::string& name() const { return name_; }
    /// With all symbolic links followed.
    const std::string& path() const { return path_; }
    /// It is written as it is, not replaced.
    bool in_place() const { return in_place_; }

    /// Opens the target for writing, or a draft beside it, with a name that nothing had.
    /// @param draft  set to the draft's name; empty: there is none
    /// @returns a descriptor @throws user_error
    int open(std::string& draft) const;
    /// Gives a draft the name and the permissions of the target. @throws output_error, and removes
    /// the draft
    void replace_by(const std::string& draft) const;
    /// Makes sure that open() will succeed. A FIFO is not opened: its reader would see it.
    /// @throws user_error
    void check() const;

private:
    void follow_links();
    void look();
    [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const;

    std::string name_;
    std::string path_;
    bool in_place_ = false;
    int descriptor_ = -1;  ///< of this process
    bool exists_ = false;
    unsigned mode_ = 0;  ///< of the file that is replaced
    unsigned owner_ = 0, group_ = 0;
};

}  // namespace simtlm::kernel
