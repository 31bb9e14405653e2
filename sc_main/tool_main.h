// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>

#include <string>
#include <vector>

namespace simtlm {

/// Frame of a tool: prepares the standard streams, runs `act`, and converts exceptions to one line
/// on stderr and an exit code.
/// @param program  its name, for messages
/// @param failed   exit code for output errors
int run_tool(const std::string& program, int argc, char** argv, int (*act)(int, char**),
             int failed = 1);

/// Options and operands of a tool. --help and --version are added and handled.
class tool_options {
public:
    /// @param usage     text before the list of options
    /// @param operands  receives all words that are not options
    /// @param version   additional version information
    tool_options(std::string program, std::string usage, std::vector<std::string>& operands,
                 std::string version = {});

    boost::program_options::options_description_easy_init add() { return shown_.add_options(); }
    /// @return true if --help or --version was given and has been handled
    /// @throws support::user_error
    bool parse(int argc, char** argv);
    bool given(const char* name) const { return given_.count(name) != 0; }
    /// Removes and returns the first operand, the command of the tool.
    /// @throws support::user_error  if there is none
    std::string take_command();
    [[noreturn]] void refuse_command(const std::string& command) const {
        refuse("'" + command + "' is not a command");
    }
    /// @throws support::user_error  for the command line
    [[noreturn]] void refuse(const std::string& what) const;

private:
    std::string program_, usage_, version_;
    std::vector<std::string>& operands_;
    boost::program_options::options_description shown_{"Options"};
    boost::program_options::variables_map given_;
};

}  // namespace simtlm
