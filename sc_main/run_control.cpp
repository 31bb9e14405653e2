// SPDX-License-Identifier: Apache-2.0
#include "sc_main/run_control.h"

#include "modules/kernel/spawn.h"

#include <csignal>

namespace simtlm {

namespace {

volatile std::sig_atomic_t signal_received = 0;

constexpr int ending_signals[] = {SIGINT, SIGTERM};

extern "C" void remember_signal(int) {
    signal_received = 1;
}

/// What poll() costs is lost in so many core cycles.
constexpr double cycles_between_polls = 1024.3;

}  // namespace

signal_guard::signal_guard() {
    struct sigaction action = {};
    action.sa_handler = remember_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int s : ending_signals) sigaction(s, &action, nullptr);
}

signal_guard::~signal_guard() {
    for (const int s : ending_signals) std::signal(s, SIG_DFL);
}

bool signal_guard::received() {
    return signal_received != 0;
}

run_control::run_control(const sc_core::sc_module_name& name, platform::gpu& device, output& out,
                         progress& line)
    : sc_module(name),
      device_(device),
      out_(out),
      line_(line),
      poll_period_(cycles_between_polls / device.config().clocks.core, sc_core::SC_SEC) {
    kernel::spawn_method("pause", [this] { pause(); },
                         {device.commands().progress(), device.sequencer().failed()});
    kernel::spawn_method(
        "poll", [this] { poll(); }, {}, kernel::first_run::at_start);
}

void run_control::pause() {
    sc_core::sc_pause();
}

void run_control::poll() {
    next_trigger(poll_period_);
    if (signal_guard::received()) sc_core::sc_pause();
    if (line_.due()) line_.show(position());
}

run_position run_control::position() const {
    run_position p;
    p.kernels_done = device_.commands().kernels_done();
    p.ctas_done = device_.commands().ctas().ctas_completed();
    p.cycles = device_.core_cycles();
    for (const auto& c : device_.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            const core::core_statistics& s = c->core(i).counted();
            p.thread_instructions += s.thread_instructions;
            p.warp_instructions += s.warp_instructions;
        }
    return p;
}

/// Statistics are whole between steps only.
void run_control::finish_instant() {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

run_control::ending run_control::simulate() {
    dispatch::command_processor& commands = device_.commands();
    while (true) {
        device_.sequencer().rethrow_failure();
        sc_core::sc_start();
        finish_instant();
        for (const auto& kernel : commands.take_finished()) out_.kernel_ended(kernel);
        for (const std::string& w : commands.take_warnings()) out_.note("warning", w);
        device_.sequencer().rethrow_failure();
        if (commands.deadlocked()) return ending::deadlock;
        if (commands.stopped()) return ending::limit;
        if (commands.idle()) return ending::finished;
        if (signal_guard::received()) return ending::interrupted;
    }
}

run_control::ending run_control::run() {
    signal_guard signals;
    ending end = ending::finished;
    try {
        end = simulate();
    } catch (...) {
        out_.run_ended("failed");
        throw;
    }
    line_.clear();
    switch (end) {
        case ending::finished:
            out_.run_ended("finished");
            break;
        case ending::limit:
            out_.run_ended(device_.commands().stop_reason());
            out_.note("note", "the run was ended by " + device_.commands().stop_reason());
            break;
        case ending::deadlock:
            out_.run_ended("deadlock");
            break;
        case ending::interrupted:
            out_.run_ended("interrupted");
            out_.note("note", "the run was interrupted; these are the statistics so far");
            break;
    }
    return end;
}

}  // namespace simtlm
