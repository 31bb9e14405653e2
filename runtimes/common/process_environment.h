// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/run_log.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"

#include <string>

namespace simtlm::runtime {

/// The file that an address of this process lies in, a library mostly; empty where there is none.
std::string library_of(const void* address);

/// Reads the options of a host program's run: those that `simtlm run` hands over in SIMTLM_OPTIONS,
/// a line each; where these name no GPU, gpgpusim.config of the current folder; else QV100, with a
/// note on stderr. What was handed over goes before the file.
/// @throws kernel::user_error
void read_options(platform::option_values& options);

/// The version of this library: "0.2.0".
const char* library_version();

/// Where reports of a run go: stdout, or the file of --stats-file; that of `simtlm run` by default.
device::run_log::outputs log_outputs(const platform::option_values& options);

/// For files of statistics: the program that runs, its command line with that of `simtlm run`, and
/// its configuration.
platform::provenance provenance_of_program(const platform::option_values& options);

/// Ends a process that `simtlm run` has started, with the code of a wrong option, when its session
/// cannot begin: the program would go on without a GPU, and might end with 0. Says why in one line,
/// and where the library is of another build than `simtlm`, that too. Does nothing elsewhere.
/// @param library  an address in the library that cannot begin
void end_program_without_session(const std::string& why, const void* library);

}  // namespace simtlm::runtime
