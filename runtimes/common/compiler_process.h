// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::runtime {

/// An executable file of this name in the folders of PATH; empty if there is none.
std::filesystem::path program_in_path(const std::string& name);

/// Identifies the version of a file by what is visible from outside: real path, size, time.
std::string identity_of(const std::filesystem::path& file);

/// A file in memory, without a name in any folder: it cannot overwrite another file, and nothing
/// remains of it however this process and the compiler end.
class memory_file {
public:
    /// @throws std::runtime_error  if the system provides no such file
    explicit memory_file(std::string_view text = {});
    ~memory_file();
    memory_file(memory_file&& other) noexcept;
    memory_file& operator=(memory_file&&) = delete;

    int descriptor() const { return descriptor_; }
    std::string text() const;

private:
    int descriptor_ = -1;
};

/// Runs of a compiler with the same arguments and files.
class compiler_process {
public:
    /// @param program  absolute path of the compiler
    explicit compiler_process(std::string program) : program_(std::move(program)) {}

    void add(const std::vector<std::string>& arguments) {
        arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
    }
    /// Makes a file available to the compiler. @return its name, which depends only on the number
    /// of files
    std::string give(std::string_view text);
    /// Text of the file with this name, which the compiler may have changed.
    std::string text_of(const std::string& name) const;

    struct result {
        bool good = false;
        std::string output;  ///< standard output
        std::string errors;  ///< standard error
    };
    /// Runs the compiler. Of the environment it sees only the search paths, since others, such as
    /// CPATH, change its output.
    /// @param more   appended to the arguments. No argument may begin with @: compilers replace
    /// such
    ///               an argument by those in the file of that name
    /// @param input  standard input
    result run(const std::vector<std::string>& more, std::string_view input) const;

private:
    std::string program_;
    std::vector<std::string> arguments_;
    std::vector<memory_file> files_;
};

/// Identifies the version of a compiler: its file and, since a script says more than its file, what
/// a script prints for --version.
std::string identity_of_compiler(const std::filesystem::path& program);

}  // namespace simtlm::runtime
