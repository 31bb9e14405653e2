// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/compile_cache.h"
#include "runtimes/common/remote_compiler.h"
#include "runtimes/opencl/build_options.h"
#include "runtimes/opencl/kernel_signature.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::opencl {

/// Result of compiling or linking.
struct compile_result {
    bool good = false;
    std::string output;  ///< LLVM bitcode, or PTX
    std::vector<kernel_signature> kernels;
    std::string log;  ///< verbatim output of the compiler
};

/// Compiles OpenCL C to PTX with the distribution's clang in a separate process, libclc and the
/// built-in library. Results are cached in the user's cache folder. Thread-safe.
class compiler {
public:
    /// @param capability  compute capability of the GPU, e.g. 70
    /// @param server      compiles in place of this process; empty: this one does
    explicit compiler(unsigned capability, std::string server = {});
    ~compiler();
    compiler(const compiler&) = delete;
    compiler& operator=(const compiler&) = delete;

    /// Why no compiler is available, in one sentence that says what to install; empty if there is
    /// one.
    const std::string& missing() const { return missing_; }

    /// Headers that a program includes: name and text. Any name that an include directive can
    /// contain is valid, also an absolute path; of two equal names, the first counts. They take
    /// precedence over files.
    using headers = std::vector<std::pair<std::string, std::string>>;
    /// Returns whether a text can name a header.
    static bool is_header_name(const std::string& name);

    /// Compiles source to LLVM bitcode.
    compile_result compile(const std::string& source, const build_options& options,
                           const headers& includes);
    /// Links bitcode of several compilations to PTX, or to bitcode for a library.
    compile_result link(const std::vector<std::string>& objects, const build_options& options);

    /// Names of the extensions that kernels may use.
    static const std::vector<std::string>& extensions();
    /// Supported optional features of OpenCL C 3.0.
    static const std::vector<std::string>& features();

private:
    compile_result ask(const std::string& action, std::vector<std::string> texts) const;
    void find_tools();
    void make_library();
    std::vector<std::string> target() const;
    std::vector<std::string> front_end(const build_options& o) const;
    std::string identity() const;

    const std::string server_;
    unsigned gpu_;         ///< compute capability of the GPU
    unsigned capability_;  ///< target of clang
    std::string missing_;
    std::filesystem::path clang_, libclc_;
    std::string identity_;  ///< of the tools and the built-in library
    std::unique_ptr<runtime::compile_cache> cache_;
    std::vector<std::string> library_;  ///< bitcode of the built-in library; empty until it is made
    std::mutex mutex_;                  ///< protects library_
};

/// Compiles or links for a client. @return texts: whether it is good ("1"), the output, the kernels
/// as in the comments of PTX, and the log; for "missing", why no compiler is available
std::vector<std::string> compile_for_client(const runtime::compile_request& request);

}  // namespace simtlm::opencl
