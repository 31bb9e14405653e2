// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::support {

/// The inputs and outputs of a run, entered before any output is written: no output may replace an
/// input or another output, under whatever name (relative names, symbolic and hard links).
///
/// Enter all inputs first.
class file_table {
public:
    /// A file, or a folder of which no file is known. Ignored if it does not exist.
    /// @param role  in messages: "an input (kernel trace)"
    void add_input(const std::string& file, const std::string& role);
    /// A stream that is open already, such as standard output; ignored unless it is a regular file.
    void add_stream(int descriptor, const std::string& role);
    /// @param option  that names the file, in messages
    /// @throws user_error  if it cannot be written, or has another role
    void add_output(const std::string& file, const std::string& option);
    /// A folder that a single output fills with files of its own.
    /// @throws user_error  if it has another role, or contains a file that has one
    void add_output_folder(const std::string& folder, const std::string& option);

private:
    using identity = std::pair<dev_t, ino_t>;
    struct entry {
        std::string role;
        std::string path;  ///< canonical
    };
    void enter(const identity& id, const std::string& path, const std::string& role);
    void check_folders(const std::string& file, const std::string& path,
                       const std::string& option) const;

    std::map<identity, entry> by_identity_;
    std::map<std::string, std::string> by_path_;  ///< roles of outputs and their drafts
    std::vector<entry> folders_;
};

}  // namespace simtlm::support
