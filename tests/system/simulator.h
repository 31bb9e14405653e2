// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace simtlm::test {

/// Result of a run of the simulator.
struct outcome {
    int code = -1;  ///< exit code; -SIGNAL if a signal ended it
    std::string out, err;

    /// stdout without the lines about wall-clock time.
    std::string report() const;
    /// Values printed as "name = value"; the last one of each name.
    std::map<std::string, std::string> values() const;
    std::vector<std::string> error_lines() const;
};

/// A temporary folder, removed with the object.
class scratch_folder {
public:
    scratch_folder();
    ~scratch_folder();
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    std::string path(const std::string& file) const { return path_ + "/" + file; }
    /// Writes a file and returns its path.
    std::string write(const std::string& file, const std::string& text) const;
    std::vector<std::string> files() const;

private:
    std::string path_;
};

/// Runs the executable. @param signal  sent after `signal_after` seconds; 0: none
outcome simulate(const std::vector<std::string>& arguments, int signal = 0,
                 double signal_after = 0.5);

/// Runs another tool, such as simtlm-diff.
outcome tool(const std::string& name, const std::vector<std::string>& arguments);
/// Runs simtlm-trace.
outcome trace_tool(const std::vector<std::string>& arguments);
/// Runs the executable from a shell. @param before  commands before it, such as "ulimit -f 8;"
/// @param redirections  such as ">/dev/full"
outcome simulate_from_shell(const std::string& before, const std::vector<std::string>& arguments,
                            const std::string& redirections);
/// The same for simtlm-trace.
outcome trace_tool_from_shell(const std::vector<std::string>& arguments,
                              const std::string& redirections);

/// Arguments that run a sample trace on the small test GPU.
std::vector<std::string> on_tiny(const std::string& trace, std::vector<std::string> more = {});

/// Path of a shipped trace's command list.
std::string sample(const std::string& name);

/// All shipped traces.
const std::vector<std::string>& samples();

std::string read_file(const std::string& path);
nlohmann::json read_json(const std::string& path);

/// The first line in which two reports differ, with its number; "" if they are identical.
std::string first_difference(const std::string& a, const std::string& b);

}  // namespace simtlm::test
