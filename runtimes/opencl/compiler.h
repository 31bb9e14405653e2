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

/// What came of compiling or linking.
struct compile_result {
    bool good = false;
    std::string output;  ///< LLVM bitcode, or PTX
    std::vector<kernel_signature> kernels;
    std::string log;  ///< of the compiler, as it is
};

/// OpenCL C to PTX: the distribution's clang in a process of its own, with libclc and our library
/// of built-in functions. Results are kept in the user's cache folder. Callable from any thread.
class compiler {
public:
    /// @param capability  compute capability of the GPU, e.g. 70
    explicit compiler(unsigned capability);
    ~compiler();
    compiler(const compiler&) = delete;
    compiler& operator=(const compiler&) = delete;

    /// Why there is no compiler: a sentence that says what to install; empty: there is one.
    const std::string& missing() const { return missing_; }

    /// Headers that a program includes: name and text.
    using headers = std::vector<std::pair<std::string, std::string>>;
    /// Source to LLVM bitcode.
    compile_result compile(const std::string& source, const build_options& options,
                           const headers& includes);
    /// Bitcode of several compilations to PTX, or to bitcode again.
    compile_result link(const std::vector<std::string>& objects, const build_options& options);
    /// Before the process ends: no compilation may follow.
    void remove_temporary_files() const;

    /// Extensions that kernels may use, by name.
    static const std::vector<std::string>& extensions();
    /// Optional features of OpenCL C 3.0 that there are.
    static const std::vector<std::string>& features();

private:
    struct process_result {
        int status = 0;  ///< 0: good
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
    unsigned capability_;  ///< what clang compiles for
    std::string missing_;
    std::filesystem::path clang_, libclc_;
    std::string identity_;  ///< of the tools and of our library
    std::unique_ptr<compile_cache> cache_;
    std::filesystem::path library_;  ///< folder of our library, compiled
    bool library_made_ = false;
    std::mutex mutex_;
};

}  // namespace simtlm::opencl
