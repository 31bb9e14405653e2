// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional.h"
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

/// The interactive debugger and the trace streams that the options of a host program ask for. The
/// program keeps its standard streams: commands come from the terminal (/dev/tty), and answers go
/// there; with --debug-commands FILE they go to stderr. While the debugger waits for a command,
/// calls of the program that need the GPU's memory wait, too.
class debug_session {
public:
    struct services {
        memory_space& memory;
        /// A variable of the program's modules by name. Any thread may ask.
        std::function<std::optional<platform::memory_range>(const std::string& name)> symbol;
        std::function<void()> quit;  ///< ends the process; in the thread of the engine
    };

    /// What goes wrong with these options for host programs. @throws kernel::user_error
    static void check(const platform::option_values& values, const platform::gpu_config& gpu,
                      bool functional);

    /// @throws kernel::user_error  options that do not go together; no terminal, no file of
    /// commands
    debug_session(const platform::option_values& values, const platform::gpu_config& gpu,
                  bool functional, services how);
    ~debug_session();
    debug_session(const debug_session&) = delete;
    debug_session& operator=(const debug_session&) = delete;

    // ---- with time ----

    /// The GPU is built; nothing has run.
    void attach(platform::gpu& device);
    /// Simulated time begins: the first commands. @pre the memory's gate is free
    void begin();
    /// Nothing more will run: the last commands. @pre the memory's gate is free
    void end();

    // ---- without time; while the memory's gate is held ----

    /// A launch while it is executed.
    class watched_launch {
    public:
        /// @param session  nullptr: nobody watches  @param number  of the launch, from 1
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
    std::unique_ptr<std::FILE, close_file> terminal_;  ///< where answers go; nullptr: stderr
    std::unique_ptr<platform::gpu_debugger> timed_;
    std::unique_ptr<platform::functional_debugger> functional_;
    std::unique_ptr<platform::trace_stream_printer> printer_;
    bool begun_ = false;
};

}  // namespace simtlm::device
