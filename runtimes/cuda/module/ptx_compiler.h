// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/module_source.h"
#include "runtimes/common/compile_cache.h"
#include "runtimes/common/remote_compiler.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace simtlm::cuda {

/// Compiles PTX to machine code with ptxas of the user's CUDA toolkit, as NVIDIA's driver does with
/// the compiler that it contains. Results are kept in a cache folder, like the driver's.
/// Thread-safe.
class ptx_compiler {
public:
    /// @param choice        of --ptxas: auto, off or the path of a ptxas
    /// @param architecture  of the GPU: 80 for compute capability 8.0
    /// @throws support::user_error  if the file cannot be executed
    /// @param server  compiles in place of this process; empty: this one does
    ptx_compiler(const std::string& choice, unsigned architecture, std::string server = {});

    /// What compile() has done.
    struct outcome {
        std::string note;      ///< for the user; empty: there was nothing to do
        std::string compiler;  ///< its path; empty: the PTX remains
    };
    /// Replaces the PTX of a module by machine code, with the PTX as its fallback. Machine code and
    /// PTX that cannot be compiled remain.
    outcome compile(device::module_source& source);

private:
    /// What compilers make of a text.
    struct result {
        std::string cubin;    ///< empty: the text could not be compiled
        std::string text;     ///< path of the compiler, or its errors
        std::string release;  ///< of the compiler
    };
    outcome compile_remotely(device::module_source& source) const;
    void find_compilers();
    void add(const std::filesystem::path& file);
    result compiled(const std::string& ptx, const std::string& target) const;

    std::string choice_;
    const std::string server_;
    const unsigned architecture_;
    std::once_flag found_;
    std::vector<std::filesystem::path> compilers_;  ///< in the order in which they are tried
    std::string identity_;                          ///< of the compilers
    std::unique_ptr<runtime::compile_cache> cache_;
};

/// Compiles PTX for a client: texts are --ptxas, the name and the code of a module.
/// @return a note, the path of the compiler (empty: the PTX remains) and the machine code
std::vector<std::string> compile_for_client(const runtime::compile_request& request);

}  // namespace simtlm::cuda
