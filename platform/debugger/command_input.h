// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Source of debugger commands: a terminal, with history and completion if the simulator was built
/// with libedit, or any text with one command per line, so that scripts can drive a session.
class command_input {
public:
    /// Reads from standard input.
    static std::unique_ptr<command_input> standard();
    /// Reads from a file. @throws support::user_error
    static std::unique_ptr<command_input> file(const std::string& name);
    /// Reads from the controlling terminal, for processes whose standard input is used by the
    /// debugged program.
    /// @throws support::user_error  if there is no terminal
    static std::unique_ptr<command_input> terminal();
    /// Reads from `file` if it is not empty. Otherwise reads from standard input, or from the
    /// terminal if standard input is used by the debugged program.
    static std::unique_ptr<command_input> of(const std::string& file, bool standard_input_is_free);
    /// Fixed lines, for tests.
    static std::unique_ptr<command_input> lines(std::vector<std::string> commands);

    virtual ~command_input();
    /// Returns the next line without its terminator, or nothing at the end of input.
    /// @param ended  returns whether to wait no longer; the result is then nothing
    virtual std::optional<std::string> read(const std::string& prompt,
                                            const std::function<bool()>& ended) = 0;
    /// Returns whether a user types the commands: an empty line then repeats the last command, and
    /// commands are not echoed.
    virtual bool interactive() const { return false; }
    /// Completions: commands, and commands with the words that can follow them.
    virtual void complete(std::vector<std::string>) {}
};

}  // namespace simtlm::platform
