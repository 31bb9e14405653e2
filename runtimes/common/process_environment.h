// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/remote_device.h"
#include "platform/device/run_log.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"

#include <memory>
#include <string>

namespace simtlm::runtime {

/// The file that an address of this process is mapped from, usually a library; empty if there is
/// none.
std::string library_of(const void* address);

/// Reads the options of a host program's run: those that `simtlm run` passes in SIMTLM_OPTIONS, one
/// per line; if they name no GPU, gpgpusim.config of the current folder, otherwise QV100 with a
/// note on stderr. The options passed take precedence over the file.
/// @throws support::user_error
void read_options(platform::option_values& options);

/// Connects to the GPUs that another process simulates (`simtlm run --connect`), and takes its
/// options. @return nullptr: this process simulates them  @throws support::user_error
std::unique_ptr<device::remote_device> connect_device(platform::option_values& options);

/// Version of this library, such as "0.2.0".
const char* library_version();

/// Destination of the reports: stdout, or the file of --stats-file, by default that of `simtlm
/// run`.
device::run_log::outputs log_outputs(const platform::option_values& options);

/// Provenance for statistics files: the running program, its command line including that of `simtlm
/// run`, and its configuration.
platform::provenance provenance_of_program(const platform::option_values& options);

/// If `simtlm run` has started this process, ends it with the exit code for a wrong option, because
/// its session cannot be created: the program would continue without a GPU and might exit with 0.
/// Prints the reason in one line, and a second line if the build of the library differs from that
/// of `simtlm`. No effect in other processes.
/// @param library  an address in the library whose session cannot be created
void end_program_without_session(const std::string& why, const void* library);

}  // namespace simtlm::runtime
