// SPDX-License-Identifier: Apache-2.0
#include "sc_main/tool_main.h"

#include "modules/support/error.h"
#include "modules/support/output_target.h"
#include "platform/outputs/version.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>

#include <exception>
#include <sstream>
#include <utility>

namespace simtlm {

namespace po = boost::program_options;

namespace {

int act_and_catch(const std::string& program, int argc, char** argv, int (*act)(int, char**),
                  int failed) {
    const auto log_error = [&](const std::string& text) {
        print_error(fmt::format("{}: {}\n", program, text));
    };
    try {
        return act(argc, argv);
    } catch (const support::output_error& e) {
        for (const std::string& m : e.messages()) log_error(m);
        return failed;
    } catch (const support::user_error& e) {
        log_error(e.what());
        return fault_of_the_input;
    } catch (const std::exception& e) {
        log_error(std::string("internal error: ") + e.what());
        return fault_of_the_program;
    }
}

}  // namespace

int run_tool(const std::string& program, int argc, char** argv, int (*act)(int, char**),
             int failed) {
    prepare_standard_streams();
    const int code = act_and_catch(program, argc, argv, act, failed);
    const int after = code_after_output(program, code);
    return after != code ? failed : code;
}

tool_options::tool_options(std::string program, std::string usage,
                           std::vector<std::string>& operands, std::string version)
    : program_(std::move(program)),
      usage_(std::move(usage)),
      version_(std::move(version)),
      operands_(operands) {}

bool tool_options::parse(int argc, char** argv) {
    add()("help,h", "print this help")("version", "print the version");
    po::options_description all;
    all.add(shown_).add_options()("operands", po::value(&operands_));
    po::positional_options_description positions;
    positions.add("operands", -1);
    try {
        po::store(po::command_line_parser(argc, argv).options(all).positional(positions).run(),
                  given_);
        po::notify(given_);
    } catch (const po::error& e) {
        refuse(e.what());
    }
    if (given("help")) {
        end_quietly_on_closed_pipe();
        std::ostringstream options;
        options << shown_;
        put_out(fmt::format("{}\n{}", usage_, options.str()));
        return true;
    }
    if (given("version")) put_out(fmt::format("{} {}{}\n", program_, platform::version, version_));
    return given("version");
}

std::string tool_options::take_command() {
    if (operands_.empty()) refuse("no command is given");
    std::string command = std::move(operands_.front());
    operands_.erase(operands_.begin());
    return command;
}

void tool_options::refuse(const std::string& what) const {
    throw support::user_error("command line", what, "see " + program_ + " --help");
}

}  // namespace simtlm
