// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/debugger/command_input.h"
#include "platform/debugger/debug_target.h"
#include "platform/debugger/expression.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtlm::platform {

/// The interactive debugger (see "Interactive Debugger Mode" in the GPGPU-Sim manual): reads
/// commands, manages breakpoints and watchpoints, and stops the run. Its owner reports events and
/// calls tick() whenever the state is consistent: after every core cycle or, in functional mode,
/// before every instruction.
///
/// It accesses the target only through const functions, so results are the same as without the
/// debugger. docs/debugger.md describes all commands.
class debugger {
public:
    /// Services of the environment that the debugger uses.
    struct services {
        std::function<void(std::string_view)> write;  ///< prints output of the debugger
        std::function<void()> quit;                   ///< ends the run
        /// Returns whether a signal has requested the end of the run, so that no more commands are
        /// read. May be empty.
        std::function<bool()> ending = {};
    };

    debugger(const debug_target& target, std::unique_ptr<command_input> input, services how);
    ~debugger();
    debugger(const debugger&) = delete;
    debugger& operator=(const debugger&) = delete;

    /// Prompts for the first commands, before anything has run. @param what  description of the
    /// run, one line
    void begin(const std::string& what);
    /// Prompts for the last commands, at the end of the run.
    void end();

    // ---- events ----

    /// Returns whether instruction() must be called.
    bool follows_instructions() const { return follows_instructions_; }
    void instruction(const instruction_event& e);
    /// Functional mode: selects the warp that executes next.
    void select(warp_id id) { focus_ = id; }
    void kernel_launched(const kernel_view& k);
    void kernel_ended(const kernel_view& k);
    void cta_started(warp_id first_warp, const warp_owner& owner);
    /// Reports an event that is shown whatever the breakpoints are: a fault or a deadlock.
    void notify(const std::string& text);
    /// The state is consistent: stops if there is a reason to, and returns when the run continues.
    void tick() {
        if (running_freely_ && !interrupted_) return;
        stop_if_needed();
    }
    /// Requests a stop at the next tick(). Async-signal-safe.
    void interrupt() { interrupted_ = 1; }
    /// Returns whether no more commands will be read, or the run is to end.
    bool detached() const { return detached_; }
    /// Returns whether interrupt() has an effect: the run can be stopped, or a user is typing a
    /// command. Async-signal-safe.
    bool takes_interrupts() const { return !detached_ && (!prompts_ || interactive_); }

private:
    enum class kind : std::uint8_t {
        line,
        pc,
        opcode,
        warp,
        cta,
        kernel,
        kernel_end,
        condition,
        access,
        reg
    };
    struct breakpoint {
        unsigned number = 0;
        kind what = kind::pc;
        std::string text;  ///< description for listings
        bool temporary = false;
        std::uint64_t hits = 0;
        std::optional<expression> condition;

        std::string file;         ///< of a line breakpoint
        std::uint64_t value = 0;  ///< line, PC, CTA number, launch number or address
        std::uint64_t bytes = 0;  ///< of an access watchpoint
        bool reads = false, writes = true;
        std::string name;  ///< kernel, opcode or register
        warp_id id;        ///< of a warp or register
        unsigned lane = 0;
        std::uint64_t thread = 0;  ///< line breakpoints: thread number; 0: any
        std::array<std::uint32_t, 3> index{};
        bool by_index = false;  ///< CTA breakpoints: compare `index`, not `value`
        bool held = false;      ///< conditions: result of the last check
        std::string last;       ///< values: text at the last check
        /// Whether an instruction is at the line, by its identity.
        std::unordered_map<const void*, bool> at_line;
    };
    class scope;
    struct command;
    using words = std::vector<std::string>;

    static const std::vector<command>& commands();

    void stop_if_needed();
    void check_conditions();
    void check_values(breakpoint& b);
    void prompt();
    void execute(const std::string& line);
    void say(const std::string& text);
    void hit(breakpoint& b, const instruction_event* e, const std::string& what);
    bool matches(breakpoint& b, const instruction_event& e);
    bool at_line(breakpoint& b, const instruction_event& e);
    bool touches(const breakpoint& b, const instruction_event& e) const;
    void update();
    std::string event_text(const instruction_event& e) const;
    std::string view_text(const warp_view& w) const;
    std::optional<std::string> register_text(warp_id id, unsigned lane,
                                             const std::string& name) const;
    std::optional<std::string> memory_text(std::uint64_t address, std::uint64_t bytes) const;

    // Commands; w[0] is the name.
    void step(const words& w);
    void continue_run(const words& w);
    void until(const words& w);
    void set_breakpoint(const words& w);
    void set_temporary(const words& w);
    void remove(const words& w);
    void watch(const words& w);
    void list(const words& w);
    void dump_pipeline(const words& w);
    void dump_memory(const words& w);
    void info(const words& w);
    void choose_warp(const words& w);
    void print(const words& w);
    void quit(const words& w);
    void help(const words& w);

    breakpoint parse_breakpoint(words w);
    void parse_place(breakpoint& b, const words& w);
    void add(breakpoint b);
    void check_sm(unsigned sm) const;  ///< @throws command_error  if there is none
    warp_id parse_warp(const std::string& text, unsigned* lane) const;
    memory_range parse_address(const std::string& text) const;
    void list_breakpoints();
    void list_warps(const words& w);
    void list_kernels();
    void show_registers(const words& w);

    const debug_target& target_;
    std::unique_ptr<command_input> input_;
    services how_;
    std::vector<breakpoint> breakpoints_;
    unsigned last_number_ = 0;
    std::vector<std::string> reasons_;  ///< reasons to stop at the next tick
    warp_id focus_;
    unsigned lane_ = 0;
    std::uint64_t steps_ = 0;  ///< remaining steps until a stop; 0: not stepping
    std::optional<std::uint64_t> until_;
    std::string last_command_;
    bool resumes_ = false;         ///< the last command continues the run
    std::uint64_t next_dump_ = 0;  ///< address where `dm` continues
    bool follows_instructions_ = false;
    bool running_freely_ = false;  ///< only an interrupt can stop the run
    volatile int interrupted_ = 0;
    volatile bool prompts_ = false;  ///< waits for a command
    const bool interactive_;
    bool detached_ = false;
    bool ended_ = false;
};

}  // namespace simtlm::platform
