// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/launch.h"
#include "modules/support/output_target.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::execution {

/// Buffers, launches and expected results of a module. A text file with one statement per line:
///
///     buffer NAME TYPE COUNT zero | ramp [START [STEP]] | random [SEED [LOW HIGH]] | file PATH
///                            | values V... | unwritten
///     set VARIABLE TYPE values V... | file PATH
///     launch KERNEL grid X[,Y[,Z]] block X[,Y[,Z]] [cluster X[,Y[,Z]]]
///            [shared BYTES] [stream N] [cooperative] [args A...]
///     output BUFFER PATH
///     expect BUFFER file PATH | values V... | buffer OTHER [tolerance T]
///
/// Types are those of PTX (u8 to s64, f32, f64). An argument is a buffer, an offset NAME+BYTES into
/// it, TYPE:VALUE, or file:PATH with the bytes of a structure. Paths are relative to the file. `#`
/// begins a comment; `\` at the end of a line continues it. `output` and `expect` are processed
/// after all launches.
struct launch_script {
    enum class source : std::uint8_t { zero, ramp, random, file, values, buffer, unwritten };

    /// Contents of a buffer, or the expected contents.
    struct contents {
        source from = source::zero;
        std::vector<std::string> words;  ///< numbers, a path, or the name of a buffer
    };
    /// A `buffer` or `set` statement.
    struct buffer {
        std::string name;
        ptx::type type = ptx::type::u32;
        std::uint64_t count = 0;
        contents data;
        unsigned line = 0;
    };
    /// An argument of a launch.
    struct argument {
        std::string buffer;  ///< empty: the argument is a value
        std::string file;    ///< path of a file with the bytes of the parameter, or empty
        std::uint64_t offset = 0;
        ptx::type type = ptx::type::none;
        std::string value;
    };
    /// A `launch` statement.
    struct launch_step {
        std::string kernel;
        program::dim3 grid, block, cluster;
        std::uint32_t shared = 0;
        std::uint64_t stream = 0;
        bool cooperative = false;
        std::vector<argument> arguments;
        unsigned line = 0;
    };
    /// An `output` or `expect` statement.
    struct result {
        bool compares = false;  ///< expect; otherwise output
        std::string buffer;
        contents data;
        double tolerance = 0;  ///< relative, and absolute below 1
        unsigned line = 0;
    };

    std::string file;
    std::vector<buffer> buffers;
    std::vector<buffer> variables;  ///< variables of the module to be set
    std::vector<launch_step> launches;
    std::vector<result> results;

    /// @throws support::user_error "file:line: what is wrong (valid alternatives)"
    static launch_script parse(const std::string& text, const std::string& file);
    /// Reads a script. @throws support::user_error as parse(), and if the file cannot be read
    static launch_script read(const std::string& path);

    /// A file named in the script.
    struct named_file {
        std::string path;   ///< including the folder of the script
        std::string where;  ///< "file:line" of the script
    };
    /// Files written by `output`; inputs(): files read by buffers, arguments and `expect`.
    std::vector<named_file> outputs() const;
    std::vector<named_file> inputs() const;
    /// Resolves a path of the script relative to its folder.
    std::string path_of(const std::string& relative) const;
};

/// Execution of a script on a device: its buffers are in device memory, its launches are prepared.
class script_run {
public:
    /// A buffer in device memory.
    struct placed {
        const launch_script::buffer* what;
        device_address address;
        std::uint64_t bytes;
    };

    /// Allocates and initialises the buffers. @throws support::user_error
    script_run(const launch_script& script, const program_image& image, device_memory& memory);

    /// The buffers, ordered by name.
    std::vector<placed> buffers() const;
    /// The launches, in order. @throws support::user_error  for an unknown kernel or wrong
    /// arguments
    std::vector<launch> launches() const;
    /// Writes outputs and compares results. @param attempt  receives errors of outputs
    /// @return one line per buffer that differs from the expected contents
    std::vector<std::string> finish(support::output_attempts& attempt);

private:
    std::string where(unsigned line) const;
    const placed& find(const std::string& name, unsigned line) const;
    std::vector<std::byte> data_of(const launch_script::contents& c, ptx::type t,
                                   std::uint64_t count, unsigned line) const;
    std::string path(const std::string& relative) const;
    launch make(const launch_script::launch_step& step) const;
    std::string compare(const launch_script::result& r) const;

    const launch_script& script_;
    const program_image& image_;
    device_memory& memory_;
    std::map<std::string, placed> buffers_;
};

}  // namespace simtlm::execution
