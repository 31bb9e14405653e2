// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <string>

namespace simtlm::cuda {

/// Logs that the program requests from a compilation: parallel arrays of CUjit_option and values.
/// The value of a size is the capacity on input and the number of bytes written on output.
struct compilation_log {
    unsigned count = 0;
    const int* options = nullptr;
    void** values = nullptr;

    /// Writes all requested logs. Compilation takes no simulated time. @param fault  empty: none
    void write_all(const std::string& fault) const;

private:
    void** value_of(int option) const;
    void write(int buffer, const std::string& text) const;
};

/// What the log contains for an error: of the linker, a line for each reason.
std::string logged(const simtlm::support::user_error& e);

/// Executes what may fail because of the program's code, and writes the log.
template <class Act>
void with_log(const compilation_log& log, Act&& act) {
    try {
        act();
    } catch (const simtlm::support::user_error& e) {
        log.write_all(logged(e));
        throw;
    }
    log.write_all({});
}

/// The contents of a file. @throws failure
std::string read_code_file(const char* path);

}  // namespace simtlm::cuda
