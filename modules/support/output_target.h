// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <string>
#include <vector>

namespace simtlm::support {

/// Outputs could not be written, for example because the disk is full or a pipe was closed. Not an
/// error in the input: the executables end with exit code 1.
class output_error : public user_error {
public:
    output_error(const std::string& where, const std::string& what, const std::string& remedy = {})
        : user_error(where, what, remedy), messages_{user_error::what()} {}
    /// @param messages  of several outputs; at least one
    explicit output_error(std::vector<std::string> messages);

    /// One message for each output.
    const std::vector<std::string>& messages() const { return messages_; }

private:
    std::vector<std::string> messages_;
};

/// Writes several outputs: an error in one does not prevent the others from being written.
class output_attempts {
public:
    /// Calls `act`, which writes an output, and keeps its error. @return whether there was none
    template <class Act>
    bool operator()(Act&& act) {
        try {
            act();
            return true;
        } catch (const user_error& e) {  // also of outputs that cannot be opened any more
            note(e);
        }
        return false;
    }
    /// Adds the messages of an error, each once.
    void note(const user_error& e);
    const std::vector<std::string>& messages() const { return messages_; }
    bool failed() const { return !messages_.empty(); }
    /// @throws output_error  with all messages, if there are any
    void finish();

private:
    std::vector<std::string> messages_;
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
    /// The usual name of the draft of a path, which is taken if no file has it.
    static std::string draft_of(const std::string& path) { return path + ".part"; }
    /// Whether the target is written in place rather than replaced.
    bool in_place() const { return in_place_; }

    /// Opens the target for writing, or a draft beside it under a name that was not in use.
    /// @param draft  set to the name of the draft; empty if there is none
    /// @return a file descriptor @throws user_error
    int open(std::string& draft) const;
    /// Stores a draft on the disk and gives it the name of the target.
    /// @throws output_error, after removing the draft
    void replace_by(const std::string& draft) const;
    /// Checks that open() would succeed. A FIFO is not opened, because its reader would notice.
    /// @throws user_error
    void check() const;

private:
    void follow_links();
    void inspect_target();
    [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const;

    std::string name_;
    std::string path_;
    bool in_place_ = false;
    int descriptor_ = -1;  ///< of this process; -1: none
    bool exists_ = false;
    unsigned mode_ = 0;  ///< permissions of the file that is replaced
    unsigned owner_ = 0, group_ = 0;
};

}  // namespace simtlm::support
