// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/host_session.h"

#include "platform/config/core_models.h"
#include "platform/options/presets.h"
#include "runtimes/common/process_environment.h"
#include "runtimes/common/process_outputs.h"
#include "runtimes/common/termination_signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace simtlm::runtime {

namespace {

int noted_exit_code = 0;

extern "C" void note_program_exit(int code, void*) {
    noted_exit_code = code;
}

// Exit codes of `simtlm run` that replace a program's exit code 0; see docs/exit-codes.md.
constexpr int results_lost = 1, checks_failed = 5, kernel_aborted = 6;

}  // namespace

bool host_session::keeps_no_exit_code() const {
    return std::getenv("SIMTLM_RUN") != nullptr && !options_.flag("--keep-exit-code");
}

int host_session::program_exit_code() {
    return noted_exit_code;
}

int host_session::exit_code_for(int exit_code) const {
    const device::run_log& log = system_->log();
    if (!keeps_no_exit_code() || exit_code != 0) return exit_code;
    const int code = log.has_lost_results()                                   ? results_lost
                     : log.has_aborted_kernel() || log.has_refused_launches() ? kernel_aborted
                     : log.has_findings()                                     ? checks_failed
                                                                              : 0;
    if (code == 0) return exit_code;
    std::fputs(fmt::format("simtlm: {}; the exit code is {} (the program's own, which is 0, with "
                           "--keep-exit-code)\n",
                           code == results_lost       ? "results could not be written"
                           : code == checks_failed    ? "the checks have findings"
                           : log.has_aborted_kernel() ? "not all kernels have completed"
                                                      : "kernels could not be launched",
                           code)
                   .c_str(),
               stderr);
    return code;
}

host_session::host_session(const void* library)
    : process_(::getpid()),
      options_(platform::preset_folders::of_library(library_of(library)).finder()) {
    std::unique_ptr<device::remote_device> remote = connect_device(options_);
    if (!remote) {
        read_options(options_);
        name_outputs(options_);
    }
    const bool is_remote = remote != nullptr;
    system_ = std::make_unique<device::system>(
        options_, is_remote ? device::run_log::outputs{} : log_outputs(options_),
        is_remote ? platform::provenance{} : provenance_of_program(options_), [this] { quit(); },
        std::move(remote));
    if (keeps_no_exit_code()) on_exit(note_program_exit, nullptr);
    watch_termination_signals([this](const std::string& why) { end(why); });
    if (is_remote) return;  // the server prints the following
    if (const std::string n = platform::calibration_note(options_); !n.empty())
        system_->log().note("note", n);
    for (const std::string& n : platform::notes_on(options_)) system_->log().note("note", n);
}

host_session::~host_session() = default;

/// Ends the process on request of the debugger's user. Uses a thread of its own, because the
/// engine, whose thread calls this function, must finish first.
void host_session::quit() {
    std::thread([this] {
        end("ended by the debugger");
        std::fflush(nullptr);
        ::_exit(system_->log().has_lost_results() ? results_lost : 0);
    }).detach();
    // The calling thread runs the GPUs; it continues once nothing waits for their results.
    while (!system_->work().is_shut_down())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void host_session::end(const std::string& why) {
    if (ended_.exchange(true)) return;
    system_->shut_down(why);
}

}  // namespace simtlm::runtime
