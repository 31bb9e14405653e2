// SPDX-License-Identifier: Apache-2.0
#include "sc_main/standard_streams.h"

#include "modules/support/display_text.h"
#include "modules/support/output_target.h"
#include "sc_main/exit_code.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <utility>

namespace simtlm {

namespace {

constexpr const char* stdout_name = "standard output";

[[noreturn]] void fail(int error) {
    const std::string why = error != 0 ? std::string(": ") + std::strerror(error) : std::string();
    throw support::output_error(stdout_name, "cannot be written" + why);
}

/// After continue_without_stdout(): the first error of stdout, which is reported at the end.
bool continues_without_stdout = false;
bool stdout_failed = false;
int stdout_error = 0;

void failed(int error) {
    if (!continues_without_stdout) fail(error);
    if (!std::exchange(stdout_failed, true)) stdout_error = error;
}

void write_out(std::string_view text) {
    if (stdout_failed) return;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failed(errno);
}

constexpr int write_signals[] = {SIGPIPE, SIGXFSZ};
struct sigaction actions_before[2];

}  // namespace

void prepare_standard_streams() {
    // Opened read-only, so that a write fails as it would on a closed descriptor.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) std::_Exit(output_failed);
    for (std::size_t i = 0; i < std::size(write_signals); ++i) {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        sigaction(write_signals[i], &ignore, &actions_before[i]);
    }
}

void restore_signals() {
    for (std::size_t i = 0; i < std::size(write_signals); ++i)
        sigaction(write_signals[i], &actions_before[i], nullptr);
}

void end_quietly_on_closed_pipe() {
    std::signal(SIGPIPE, SIG_DFL);
}

void continue_without_stdout() {
    continues_without_stdout = true;
}

bool stderr_is_terminal() {
    return isatty(STDERR_FILENO) != 0;
}

void put_out(std::string_view text) {
    if (support::are_printable_lines(text))  // reports are long: not copied
        write_out(text);
    else
        write_out(support::printable_lines(text));
}

void put_out_of_program(std::string_view text) {
    static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    if (is_terminal)
        put_out(text);
    else
        write_out(text);
}

void write_at_once(std::string_view text) {
    put_out(text);
    flush_out();
}

void flush_out() {
    if (stdout_failed) return;
    errno = 0;
    std::cout.flush();
    const bool flushed = std::fflush(stdout) == 0;
    if (!flushed || !std::cout || std::ferror(stdout) != 0) failed(errno);
}

void print_error(std::string_view text) {
    const std::string safe = support::printable_lines(text);
    std::fwrite(safe.data(), 1, safe.size(), stderr);  // stderr keeps the error flag
}

void overwrite_line(std::string_view text) {
    std::fputs("\r\033[K", stderr);
    print_error(text);
}

int code_after_output(const std::string& program, int code) {
    try {
        flush_out();
        if (stdout_failed) fail(stdout_error);
    } catch (const support::output_error& e) {
        // With another code, the error may have ended the run, and has been reported.
        if (code == success || stdout_failed) print_error(program + ": " + e.what() + "\n");
        if (code == success) code = output_failed;
    }
    std::fflush(stderr);
    return code == success && std::ferror(stderr) != 0 ? output_failed : code;
}

}  // namespace simtlm
