// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/build_options.h"
#include "runtimes/opencl/compile_cache.h"
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
    explicit compiler(unsigned capability);
    ~compiler();
    compiler(const compiler&) = delete;
    compiler& operator=(const compiler&) = delete;

    /// Why no compiler is available, in one sentence that says what to install; empty if there is
    /// one.
    const std::string& missing() const { return missing_; }

    /// Headers that a program includes: name and text.
    using headers = std::vector<std::pair<std::string, std::string>>;
    /// Compiles source to LLVM bitcode.
    compile_result compile(const std::string& source, const build_options& options,
                           const headers& includes);
    /// Links bitcode of several compilations to PTX, or to bitcode for a library.
    compile_result link(const std::vector<std::string>& objects, const build_options& options);
    /// Call before the process ends; no compilation may follow.
    void remove_temporary_files() const;

    /// Names of the extensions that kernels may use.
    static const std::vector<std::string>& extensions();
    /// Supported optional features of OpenCL C 3.0.
    static const std::vector<std::string>& features();

private:
    struct process_result {
        int status = 0;  ///< 0: success
        std::string errors;
    };
    void find_tools();
    void make_library();
    std::vector<std::string> target() const;
    process_result run(const std::vector<std::string>& arguments,
                       const std::filesystem::path& input) const;
    std::vector<std::string> front_end(const build_options& o) const;
    std::string identity() const;

    unsigned gpu_;         ///< compute capability of the GPU
    unsigned capability_;  ///< target of clang
    std::string missing_;
    std::filesystem::path clang_, libclc_;
    std::string identity_;  ///< of the tools and the built-in library
    std::unique_ptr<compile_cache> cache_;
    std::filesystem::path library_;  ///< prefix of the compiled built-in library
    bool library_made_ = false;
    std::mutex mutex_;
};

}  // namespace simtlm::opencl
