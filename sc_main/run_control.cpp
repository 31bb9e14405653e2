// SPDX-License-Identifier: Apache-2.0
#include "sc_main/run_control.h"

#include "modules/simulation/finish_instant.h"
#include "modules/simulation/spawn.h"
#include "modules/support/output_target.h"
#include "sc_main/standard_streams.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>

namespace simtlm {

namespace {

volatile std::sig_atomic_t signal_received = 0;
std::atomic<bool> any_received{false};
std::atomic<std::int64_t> received_at{0};  // ns

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

/// `timeout` and terminals send a signal both to a process and to its group; a repetition within
/// this time counts as the same signal.
constexpr std::int64_t one_signal = 1'000'000'000;  // ns

std::int64_t now() {
    struct timespec t = {};
    clock_gettime(CLOCK_MONOTONIC, &t);  // async-signal-safe
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

extern "C" void remember_signal(int number) {
    if (any_received.exchange(true)) {
        if (now() - received_at.load() < one_signal) return;
        // The user insists: the process ends when this handler returns.
        std::signal(number, SIG_DFL);
        raise(number);
        return;
    }
    received_at.store(now());
    signal_received = number;
}
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Core cycles between polls; large enough to make the cost of poll() negligible.
constexpr double cycles_between_polls = 1024.3;

}  // namespace

signal_guard::signal_guard() {
    struct sigaction action = {};
    action.sa_handler = remember_signal;
    action.sa_flags = SA_RESTART;
    for (const int s : ending_signals) {
        // Signals that the caller ignores stay ignored: nohup, or a background job.
        struct sigaction before = {};
        sigaction(s, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(s, &action, nullptr);
    }
}

signal_guard::~signal_guard() {
    for (const int s : ending_signals) {
        struct sigaction now = {};
        sigaction(s, nullptr, &now);
        if (now.sa_handler == remember_signal) std::signal(s, SIG_DFL);
    }
}

int signal_guard::received() {
    return signal_received;
}

const std::atomic<bool>& signal_guard::any() {
    return any_received;
}

std::string signal_guard::name() {
    const char* known = sigabbrev_np(received());
    return known != nullptr ? std::string("SIG") + known : std::to_string(received());
}

run_control::run_control(const sc_core::sc_module_name& name, platform::gpu& device, output& out,
                         progress& line)
    : sc_module(name),
      device_(device),
      out_(out),
      line_(line),
      poll_period_(cycles_between_polls / device.config().clocks.core, sc_core::SC_SEC) {
    simulation::spawn_method("pause", [this] { pause(); },
                             {device.commands().progress(), device.sequencer().failed()});
    simulation::spawn_method(
        "poll", [this] { poll(); }, {}, simulation::first_run::at_start);
}

void run_control::pause() {
    sc_core::sc_pause();
}

void run_control::quit() {
    quits_ = true;
    if (sc_core::sc_is_running()) sc_core::sc_pause();
}

void run_control::poll() {
    next_trigger(poll_period_);
    if (signal_guard::received() != 0) sc_core::sc_pause();
    if (memory_ != nullptr) device_.check_progress(*memory_, {});
    if (line_.due()) line_.show(position());
}

run_position run_control::position() const {
    run_position p;
    p.kernels_done = device_.commands().kernels_done();
    p.ctas_done = device_.commands().ctas().ctas_completed();
    p.cycles = device_.core_cycles();
    for (const auto& kernel : device_.commands().ctas().running())
        if (kernel && !kernel->finished()) p.running.push_back(kernel->descriptor.name);
    for (const auto& c : device_.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) {
            const core::core_statistics& s = c->core(i).counted();
            p.thread_instructions += s.thread_instructions;
            p.warp_instructions += s.warp_instructions;
        }
    return p;
}

/// @return whether there were any
bool run_control::submit(const std::vector<dispatch::host_command>& commands) {
    for (const dispatch::host_command& c : commands) device_.commands().submit(c);
    if (!commands.empty()) device_.commands().proceed();
    return !commands.empty();
}

/// Drains the work of completed kernels, so that a checkpoint can be written unless thread blocks
/// of the next kernel are placed before.
void run_control::save_at_rest() {
    const simulation::phase_sequencer& sequencer = device_.sequencer();
    const dispatch::command_processor& commands = device_.commands();
    while (!device_.at_rest()) {
        if (!commands.at_rest() || device_.sequencer().has_failed() || quits_ ||
            signal_guard::received() != 0)
            return;
        // Advance to the end of a step with a core clock edge, where statistics are consistent.
        const std::uint64_t cycles = device_.core_cycles();
        while (device_.core_cycles() == cycles && !sequencer.has_failed()) {
            // An edge suppressed at the current time is counted at the end of the time step.
            const std::uint64_t now = sc_core::sc_time_stamp().value();
            const std::uint64_t next = std::max(sequencer.next_edge(), now + 1);
            sc_core::sc_start(sc_core::sc_time::from_value(next - now));
            simulation::finish_instant(device_.sequencer());
        }
    }
    std::exchange(save_, nullptr)();
    device_.commands().ctas().resume_placement();
}

/// Saves the run if it has reached the place.
void run_control::save_if_due() {
    dispatch::command_processor& commands = device_.commands();
    if (!save_ || commands.kernels_done() < save_after_) return;
    if (save_blocks_ != 0)
        commands.ctas().pause_after(std::exchange(save_blocks_, 0));
    else if (!commands.ctas().pausing() || commands.ctas().paused())
        save_at_rest();
}

run_control::ending run_control::simulate(
    const std::function<std::vector<dispatch::host_command>()>& next) {
    dispatch::command_processor& commands = device_.commands();
    while (true) {
        device_.sequencer().rethrow_failure();
        if (signal_guard::received() != 0) return ending::interrupted;
        if (quits_) return ending::quit;
        if (save_after_ == 0) save_if_due();  // before the first kernel
        sc_core::sc_start();
        simulation::finish_instant(device_.sequencer());
        for (const auto& kernel : commands.take_finished()) {
            out_.kernel_ended(kernel);
            if (listener_) listener_(kernel);
        }
        for (const std::string& w : commands.take_warnings()) out_.note("warning", w);
        for (const std::string& n : commands.take_notes()) out_.note("note", n);
        device_.sequencer().rethrow_failure();
        if (commands.deadlocked()) return ending::deadlock;
        if (commands.stopped()) return ending::limit;
        if (quits_) return ending::quit;
        if (!commands.idle()) {
            save_if_due();
            continue;
        }
        if (!next || !submit(next())) return ending::finished;
    }
}

run_control::ending run_control::run(
    const std::function<std::vector<dispatch::host_command>()>& next,
    support::output_attempts& attempt) {
    ending end = ending::finished;
    try {
        end = simulate(next);
    } catch (const std::exception& first) {
        try {
            out_.run_ended("failed");
        } catch (const support::output_error& e) {
            // The first error is rethrown.
            for (const std::string& m : e.messages())
                if (m != first.what()) print_error("simtlm: " + m + "\n");
        }
        throw;
    }
    line_.clear();
    attempt([&] { out_.run_ended(name_of(end)); });
    attempt([&] { out_.note("note", note_of(end)); });
    return end;
}

/// Why the run has ended, in the spelling of the statistics files.
std::string run_control::name_of(ending end) const {
    switch (end) {
        case ending::finished:
            return "finished";
        case ending::limit:
            return device_.commands().stop_reason();
        case ending::deadlock:
            return "deadlock";
        case ending::quit:
            return "quit";
        case ending::interrupted:
            return "interrupted";
    }
    return {};
}

std::string run_control::note_of(ending end) const {
    switch (end) {
        case ending::limit:
            return "the run was ended by " + device_.commands().stop_reason();
        case ending::quit:
            return "the run was ended in the debugger; these are the statistics so far";
        case ending::interrupted:
            return "the run was interrupted by " + signal_guard::name() +
                   "; these are the statistics so far";
        default:
            return {};
    }
}

}  // namespace simtlm
