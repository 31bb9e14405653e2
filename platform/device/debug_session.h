// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "platform/config/config.h"
#include "platform/debugger/debugger_options.h"
#include "platform/debugger/functional_debugger.h"
#include "platform/debugger/gpu_debugger.h"
#include "platform/debugger/trace_stream_printer.h"
#include "platform/device/memory_space.h"
#include "platform/options/options.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace simtlm::device {

/// The interactive debugger and the trace streams that the options of a host program request. The
/// program keeps its standard streams: commands are read from the terminal (/dev/tty) and output is
/// written to it; with --debug-commands FILE, output goes to stderr. While the debugger waits for a
/// command, calls of the program that need GPU memory block.
class debug_session {
public:
    /// Services of the device layer that the session uses.
    struct services {
        memory_space& memory;
        /// Looks up a variable of the program's modules. Thread-safe.
        std::function<std::optional<platform::memory_range>(const std::string& name)> symbol;
        std::function<void()> quit;    ///< ends the process; called in the engine's thread
        std::function<bool()> ending;  ///< whether the process ends, so that work is abandoned
    };

    /// Checks the options for use with host programs. @throws support::user_error
    static void check(const platform::option_values& values, const platform::gpu_config& gpu,
                      bool functional);

    /// @throws support::user_error  for incompatible options, or if there is no terminal or command
    /// file
    debug_session(const platform::option_values& values, const platform::gpu_config& gpu,
                  bool functional, services how);
    ~debug_session();
    debug_session(const debug_session&) = delete;
    debug_session& operator=(const debug_session&) = delete;

    // ---- timing mode ----

    /// Attaches to the GPU after it has been built, before anything runs.
    void attach(platform::gpu& device);
    /// Simulation begins: prompts for the first commands. @pre the memory gate is not held
    void begin();
    /// Simulation has ended: prompts for the last commands. @pre the memory gate is not held
    void end();

    // ---- functional mode; call while the memory gate is held ----

    /// Reports begin and end of a launch to the session.
    class watched_launch {
    public:
        /// @param session  nullptr: no debugger  @param number  of the launch, from 1
        watched_launch(debug_session* session, const execution::launch& l, std::uint64_t number);
        ~watched_launch();
        watched_launch(const watched_launch&) = delete;
        watched_launch& operator=(const watched_launch&) = delete;

        execution::execution_observer* observer() const;

    private:
        platform::functional_debugger* debugger_ = nullptr;
    };

private:
    platform::debugger::services answers() const;

    platform::debugger_config debugger_;
    platform::stream_config streams_;
    services how_;
    std::unique_ptr<platform::command_input> input_;
    struct close_file {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::unique_ptr<std::FILE, close_file> terminal_;  ///< output stream; nullptr: stderr
    std::unique_ptr<platform::gpu_debugger> timed_;
    std::unique_ptr<platform::functional_debugger> functional_;
    std::unique_ptr<platform::trace_stream_printer> printer_;
    bool begun_ = false;
};

}  // namespace simtlm::device
