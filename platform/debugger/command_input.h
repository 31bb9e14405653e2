// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Where the commands of the debugger come from: a terminal, with history and completion where the
/// simulator was built with libedit; else any text, a command a line, so that scripts can drive a
/// session.
class command_input {
public:
    /// Standard input.
    static std::unique_ptr<command_input> standard();
    /// A file. @throws kernel::user_error
    static std::unique_ptr<command_input> file(const std::string& name);
    /// The terminal of the process, whose standard input belongs to somebody else.
    /// @throws kernel::user_error  there is none
    static std::unique_ptr<command_input> terminal();
    /// The file, where one is named; else standard input, or the terminal where standard input
    /// belongs to a program that is run.
    static std::unique_ptr<command_input> of(const std::string& file, bool standard_input_is_free);
    /// Lines that are known, for tests.
    static std::unique_ptr<command_input> lines(std::vector<std::string> commands);

    virtual ~command_input();
    /// The next line, without its end; nothing: there is no more.
    virtual std::optional<std::string> read(const std::string& prompt) = 0;
    /// Somebody types: an empty line repeats the last command, and what is typed need not be shown
    /// again.
    virtual bool interactive() const { return false; }
    /// What the first word of a line may be.
    virtual void complete(std::vector<std::string>) {}
};

}  // namespace simtlm::platform
