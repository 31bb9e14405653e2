// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/error.h"

#include <string>

namespace simtlm::kernel {

/// An output could not be written, for example because the disk is full or a pipe was closed. Not
/// an error in the input: the executables end with exit code 1.
class output_error : public user_error {
public:
    using user_error::user_error;
};

/// Destination of an output. A regular file is replaced as a whole once the new one is complete;
/// symbolic links are followed, and the file they point to is replaced. Anything else, such as a
/// device or a FIFO, is written in place, and a descriptor of this process (/dev/stdout) through a
/// duplicate of it.
class output_target {
public:
    /// Inspects the target without changing it.
    /// @throws user_error if it cannot be written: a directory, a read-only file, a missing
    ///         directory
    explicit output_target(std::string name);

    /// The name as given by the user.
    const std::string& name() const { return name_; }
    /// The path with all symbolic links followed.
    const std::string& path() const { return path_; }
    /// Whether the target is written in place rather than replaced.
    bool in_place() const { return in_place_; }

    /// Opens the target for writing, or a draft beside it under a name that was not in use.
    /// @param draft  set to the name of the draft; empty if there is none
    /// @return a file descriptor @throws user_error
    int open(std::string& draft) const;
    /// Gives a draft the name and the permissions of the target.
    /// @throws output_error, after removing the draft
    void replace_by(const std::string& draft) const;
    /// Checks that open() would succeed. A FIFO is not opened, because its reader would notice.
    /// @throws user_error
    void check() const;

private:
    void follow_links();
    void look();
    [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const;

    std::string name_;
    std::string path_;
    bool in_place_ = false;
    int descriptor_ = -1;  ///< of this process; -1: none
    bool exists_ = false;
    unsigned mode_ = 0;  ///< permissions of the file that is replaced
    unsigned owner_ = 0, group_ = 0;
};

}  // namespace simtlm::kernel
