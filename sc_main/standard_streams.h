// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace simtlm {

/// To be called first: no file gets the number of a closed stdin, stdout or stderr, and writing to
/// a closed pipe or beyond a limit of size is an error like any other, not the end.
void prepare_standard_streams();

/// Takes back what prepare_standard_streams() has done to signals, for another program in the same
/// process.
void restore_signals();
/// A reader of stdout that has seen enough ends the process without a word, as with other tools
/// that print a text: `simtlm --help | head`.
void end_quietly_on_closed_pipe();

/// Whether stderr is a terminal. Elsewhere scripts take anything there for a failure.
bool somebody_reads_stderr();

/// Writes to stdout, and all of it. @throws kernel::output_error
void put_out(std::string_view text);
/// The same, and it arrives before somebody is asked something.
void write_at_once(std::string_view text);
/// Makes sure that what was written to stdout by any means has arrived. @throws
/// kernel::output_error
void flush_out();

/// Writes to stderr. A failure is remembered, see code_after_output().
void tell(std::string_view text);

/// The exit code of a run that has said everything: that of failed output instead of success, if
/// something could not be said. @param program  for the message
int code_after_output(const std::string& program, int code);

}  // namespace simtlm
