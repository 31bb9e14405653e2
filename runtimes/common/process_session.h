// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/host_session.h"
#include "runtimes/common/process_end.h"
#include "runtimes/common/process_environment.h"
#include "runtimes/common/termination_signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

namespace simtlm::runtime {

/// Reasons why a process has no usable session.
enum class absence : std::uint8_t { cannot_begin, ended, forked };

/// The only session of a library in a process. It is created by the first call and lasts until the
/// process ends; it is never destroyed (shared_library.cpp). An object of this class is static and
/// usable before any constructor has run.
template <class Session>
class process_session {
public:
    /// @param before_exit  called with the session when its statistics have been written
    constexpr explicit process_session(void (*before_exit)(Session&)) : before_exit_(before_exit) {}
    process_session(const process_session&) = delete;
    process_session& operator=(const process_session&) = delete;

    /// Creates the session if this is the first call. If there is none, `simtlm run` ends the
    /// process with one line; otherwise the line is printed to stderr once.
    /// @param make    returns a new session; its exceptions state why the session cannot be created
    /// @param refuse  called with the reason and a message if there is no session; throws
    template <class Make, class Refuse>
    Session& get(Make make, Refuse refuse) {
        std::call_once(once_, [&] {
            try {
                session_ = make();
                at_process_end(
                    [](void* me, int code) { return static_cast<process_session*>(me)->end(code); },
                    this);
            } catch (const std::exception& e) {
                why_ = std::make_unique<const std::string>(e.what());
                end_program_without_session(*why_, this);
                std::fputs(fmt::format("simtlm: {}\n", *why_).c_str(), stderr);
            }
        });
        if (session_ == nullptr) refuse(absence::cannot_begin, *why_);
        // A signal is about to end the process.
        while (termination_signal_came() && session_->ended()) ::pause();
        if (is_over()) refuse(absence::ended, "the program has ended");
        // A forked process has no simulation thread.
        if (session_->process() != ::getpid())
            refuse(absence::forked, "a forked process cannot use the GPUs of its parent");
        return *session_;
    }

    /// Whether get() has created a session and the process is not ending.
    bool is_running() const { return session_ != nullptr && !over_; }
    /// Whether a session existed and has ended.
    bool is_over() const { return over_ || (session_ != nullptr && session_->ended()); }

    /// To be called at the end of the process, after the program's own code: writes the statistics,
    /// and may end the process with an exit code of `simtlm run`.
    void end_of_process() {
        const int own = host_session::program_exit_code(), code = end(own);
        over_ = true;
        if (code == own) return;
        std::fflush(nullptr);
        ::_exit(code);
    }

private:
    /// Writes the statistics, once. @return the exit code of the process
    int end(int exit_code) {
        // The child of a vfork() shares this object with its parent.
        if (session_ == nullptr || session_->process() != ::getpid()) return exit_code;
        if (over_.exchange(true)) return exit_code;
        session_->end({});
        before_exit_(*session_);
        return session_->exit_code_for(exit_code);
    }

    void (*before_exit_)(Session&);
    std::once_flag once_;
    Session* session_ = nullptr;
    std::unique_ptr<const std::string> why_;  ///< why there is no session
    std::atomic<bool> over_{false};
};

}  // namespace simtlm::runtime
