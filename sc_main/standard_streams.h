// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace simtlm {

/// Call first: reserves the descriptors of a closed stdin, stdout or stderr, and turns writing to a
/// closed pipe or beyond a size limit into an ordinary error instead of a signal.
void prepare_standard_streams();

/// Restores the signal dispositions changed by prepare_standard_streams(), for another program in
/// the same process.
void restore_signals();
/// If the reader of stdout closes the pipe, ends the process silently, like other tools that print
/// text: `simtlm --help | head`.
void end_quietly_on_closed_pipe();

/// Returns whether stderr is a terminal. Otherwise scripts treat any output on it as a failure.
bool stderr_is_terminal();

/// An error of stdout does not end the run, which has other outputs: further text is discarded, and
/// code_after_output() reports the error.
void continue_without_stdout();

/// Writes all of the text to stdout. Names in it may come from hostile files: control characters
/// except tabs and ends of lines are escaped, here and in print_error(). @throws
/// support::output_error
void put_out(std::string_view text);
/// Writes output of the simulated program to stdout: unchanged, unless stdout is a terminal.
void put_out_of_program(std::string_view text);
/// Writes to stdout and flushes, before a prompt.
void write_at_once(std::string_view text);
/// Flushes all output to stdout, by whatever means it was written. @throws support::output_error
void flush_out();

/// Writes to stderr. An error is recorded, see code_after_output().
void print_error(std::string_view text);
/// Clears the line of the terminal that stderr is, and writes a text to it.
void overwrite_line(std::string_view text);

/// The exit code after all output: that of failed output instead of success if an output could not
/// be written. @param program  used in the message
int code_after_output(const std::string& program, int code);

}  // namespace simtlm
