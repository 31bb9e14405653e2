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

/// The interactive debugger (manual: Interactive Debugger Mode): reads commands, keeps breakpoints
/// and watchpoints, and stops what runs. Whoever runs it tells it what happens, and calls tick()
/// where the state is whole: after every core cycle, or without time before every instruction.
///
/// It looks at the target through const accessors alone: a run with it gives the results of a run
/// without. docs/debugger.md has all commands.
class debugger {
public:
    struct services {
        std::function<void(std::string_view)> write;  ///< what the debugger says
        std::function<void()> quit;                   ///< ends the run
    };

    debugger(const debug_target& target, std::unique_ptr<command_input> input, services how);
    ~debugger();
    debugger(const debugger&) = delete;
    debugger& operator=(const debugger&) = delete;

    /// Nothing has run yet: the first commands. @param what  is going to run, a line
    void begin(const std::string& what);
    /// The run has come to its end: the last commands.
    void end();

    // ---- what happens ----

    /// Whether instruction() has anything to look at.
    bool follows_instructions() const { return follows_instructions_; }
    void instruction(const instruction_event& e);
    /// Without time: this warp is about to run.
    void select(warp_id id) { focus_ = id; }
    void kernel_launched(const kernel_view& k);
    void kernel_ended(const kernel_view& k);
    void cta_started(warp_id first_warp, const warp_owner& owner);
    /// Something that the user wants to see whatever was asked for: a fault, a deadlock.
    void alarm(const std::string& text);
    /// The state is whole: stops if there is a reason to, and returns when the run may go on.
    void tick() {
        if (running_freely_ && !interrupted_) return;
        look();
    }
    /// The same from a signal handler: the next tick() stops.
    void interrupt() { interrupted_ = 1; }
    /// No command will come, or the run is to end.
    bool detached() const { return detached_; }

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
        std::string text;  ///< for listing
        bool temporary = false;
        std::uint64_t hits = 0;
        std::optional<expression> condition;

        std::string file;         ///< line
        std::uint64_t value = 0;  ///< line, PC, CTA number, launch, address
        std::uint64_t bytes = 0;  ///< access
        bool reads = false, writes = true;
        std::string name;  ///< kernel, opcode, register
        warp_id id;        ///< warp, register
        unsigned lane = 0;
        std::uint64_t thread = 0;  ///< line: number of a thread; 0: any
        std::array<std::uint32_t, 3> index{};
        bool by_index = false;  ///< CTA: by `index`, not by `value`
        bool held = false;      ///< condition: it held when it was last looked at
        std::string last;       ///< values: as last seen
        std::unordered_map<const void*, bool> at_line;  ///< by identity of the instruction
    };
    class scope;
    struct command;
    using words = std::vector<std::string>;

    static const std::vector<command>& commands();

    void look();
    void look_at_conditions();
    void look_at_values(breakpoint& b);
    void prompt();
    bool execute(const std::string& line);
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

    // Commands: true: the run goes on.
    bool step(const words& w, const std::string& rest);
    bool go_on(const words& w, const std::string& rest);
    bool until(const words& w, const std::string& rest);
    bool set_breakpoint(const words& w, const std::string& rest);
    bool set_temporary(const words& w, const std::string& rest);
    bool remove(const words& w, const std::string& rest);
    bool watch(const words& w, const std::string& rest);
    bool list(const words& w, const std::string& rest);
    bool dump_pipeline(const words& w, const std::string& rest);
    bool dump_memory(const words& w, const std::string& rest);
    bool info(const words& w, const std::string& rest);
    bool choose_warp(const words& w, const std::string& rest);
    bool print(const words& w, const std::string& rest);
    bool quit(const words& w, const std::string& rest);
    bool help(const words& w, const std::string& rest);

    breakpoint parse_breakpoint(words w);
    void parse_place(breakpoint& b, const words& w);
    void add(breakpoint b);
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
    std::vector<std::string> reasons_;  ///< to stop at the next tick
    warp_id focus_;
    unsigned lane_ = 0;
    std::uint64_t steps_ = 0;  ///< left until a stop; 0: not stepping
    std::optional<std::uint64_t> until_;
    std::string last_command_;
    std::uint64_t next_dump_ = 0;  ///< where `dm` goes on
    bool follows_instructions_ = false;
    bool running_freely_ = false;  ///< nothing to look at, but an interrupt
    volatile int interrupted_ = 0;
    bool detached_ = false;
    bool ended_ = false;
};

}  // namespace simtlm::platform
