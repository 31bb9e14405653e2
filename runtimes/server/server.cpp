// SPDX-License-Identifier: Apache-2.0
// The process of `simtlm serve`: waits for programs and starts a process for each, which simulates
// the GPUs as the process of a program under `simtlm run` does.
#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "platform/device/remote_server.h"
#include "platform/options/argument_text.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"
#include "runtimes/common/host_session.h"
#include "runtimes/common/process_environment.h"
#include "runtimes/common/remote_compiler.h"
#include "runtimes/common/termination_signals.h"
#include "runtimes/cuda/module/ptx_compiler.h"
#ifdef SIMTLM_HAS_OPENCL
#include "runtimes/opencl/compiler.h"
#endif

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace simtlm::runtime {

namespace {

constexpr int fault_of_the_input = 2;  // exit code for faulty input, see docs/exit-codes.md

void report(const std::string& text) {
    std::fputs(("simtlm: " + support::printable(text) + "\n").c_str(), stderr);
}

/// The simulated GPUs of a program in another process.
class served_session : public host_session {
public:
    served_session() : host_session(reinterpret_cast<const void*>(&report)) {}
    using host_session::options;
};

/// The options passed by `simtlm serve`.
platform::option_values options_of_process() {
    platform::option_values values(
        platform::preset_folders::of_library(library_of(reinterpret_cast<const void*>(&report)))
            .finder());
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    values.parse_command_line(platform::unpacked_arguments(given != nullptr ? given : ""));
    return values;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
    return text;
}

/// Compiles what a program asks for. @return the texts of the answer
std::vector<std::string> compile(const compile_request& request) {
    if (request.action == "ptx") return cuda::compile_for_client(request);
#ifdef SIMTLM_HAS_OPENCL
    return opencl::compile_for_client(request);
#else
    throw std::runtime_error("simtlm serve was built without OpenCL");
#endif
}

/// Serves a program, in a process of its own. @return its exit code
int serve_program(int socket, unsigned number, bool quiet) {
    auto link = std::make_unique<device::remote_link>(socket);
    try {
        const device::message first = device::receive_first(*link);
        if (first.kind == device::message_kind::compile) {
            try {
                serve_compiler(*link, first, compile);
            } catch (const std::exception& e) {
                report(fmt::format("a program cannot be compiled: {}", e.what()));
                device::refuse(*link, e.what());
            }
            return 0;
        }
        const device::remote_client client = device::greet(*link, first);
        if (!quiet) report(fmt::format("note: program {}: {}", number, joined(client.command)));
        setenv("SIMTLM_SERVED", platform::packed_arguments(client.command).c_str(), 1);
    } catch (const device::link_error& e) {
        report(fmt::format("program {}: {}", number, e.what()));
        return fault_of_the_input;
    }
    std::unique_ptr<served_session> session;
    try {
        session = std::make_unique<served_session>();
    } catch (const support::user_error& e) {
        report(e.what());
        device::refuse(*link, e.what());
        return fault_of_the_input;
    }
    int code = 0;
    {
        device::remote_server server(std::move(link), session->gpus(), session->options());
        const std::string why =
            server.serve([&](const std::string& reason) { session->end(reason); });
        while (termination_signal_came()) ::pause();  // the signal ends this process
        if (!why.empty()) report(fmt::format("program {}: {}", number, why));
        code = session->exit_code_for(why.empty() ? 0 : fault_of_the_input);
    }
    // The GPUs are not destroyed, because the process ends.
    std::fflush(nullptr);
    static_cast<void>(session.release());
    return code;
}

/// Copies what is there to another descriptor. @return false: nothing will follow
bool pass_on(int from, int to) {
    char bytes[1 << 16];
    const ssize_t n = ::read(from, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return true;
    for (ssize_t done = 0; done < n;) {
        const ssize_t written = ::write(to, bytes + done, static_cast<std::size_t>(n - done));
        if (written < 0 && errno != EINTR) return false;
        done += std::max<ssize_t>(written, 0);
    }
    return n > 0;
}

/// Connects the standard streams to a server: for a virtual machine whose network starts a process
/// for each connection. @return the exit code
int bridge(const std::string& address) {
    std::signal(SIGPIPE, SIG_IGN);
    const int server = device::remote_link::connect_socket(address);
    while (true) {
        pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {server, POLLIN, 0}};
        if (::poll(waits, 2, -1) < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (waits[0].revents != 0 && !pass_on(STDIN_FILENO, server)) break;
        if (waits[1].revents != 0 && !pass_on(server, STDOUT_FILENO)) break;
    }
    return 0;
}

/// Waits for programs until a signal comes.
class listener {
public:
    listener(const std::string& address, bool quiet)
        : address_(address), quiet_(quiet), socket_(device::remote_link::listen(address)) {
        sigemptyset(&watched_);
        for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&watched_, s);
        sigprocmask(SIG_BLOCK, &watched_, &before_);
        signals_ = ::signalfd(-1, &watched_, SFD_CLOEXEC);
    }

    /// @return the exit code
    int run() {
        if (!quiet_) report("note: serves simulated GPUs at " + address_);
        while (!ends_ || !children_.empty()) {
            pollfd waits[2] = {{signals_, POLLIN, 0}, {ends_ ? -1 : socket_, POLLIN, 0}};
            if (::poll(waits, 2, -1) < 0 && errno != EINTR) break;
            if (waits[0].revents != 0) take_signal();
            if (waits[1].revents != 0 && !ends_) accept();
        }
        const std::string path =
            address_.compare(0, 5, "unix:") == 0 ? address_.substr(5) : address_;
        if (path.find(':') == std::string::npos) ::unlink(path.c_str());
        return code_;
    }

private:
    void take_signal() {
        signalfd_siginfo info{};
        if (::read(signals_, &info, sizeof info) != sizeof info) return;
        if (info.ssi_signo != SIGCHLD) {
            ends_ = true;
            for (const pid_t child : children_) ::kill(child, static_cast<int>(info.ssi_signo));
            return;
        }
        int status = 0;
        for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            children_.erase(child);
            if (WIFEXITED(status)) code_ = std::max(code_, WEXITSTATUS(status));
            if (WIFSIGNALED(status) && !ends_)
                report(fmt::format("the process of a program was ended by signal {}",
                                   WTERMSIG(status)));
        }
    }

    void accept() {
        const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) return;
        std::fflush(nullptr);
        const unsigned number = ++programs_;
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(socket_);
            ::close(signals_);
            sigprocmask(SIG_SETMASK, &before_, nullptr);
            const int code = serve_program(client, number, quiet_);
            std::fflush(nullptr);
            ::_exit(code);
        }
        ::close(client);
        if (child > 0)
            children_.insert(child);
        else
            report(fmt::format("no process for a program: {}", std::strerror(errno)));
    }

    std::string address_;
    bool quiet_;
    int socket_;
    int signals_ = -1;
    sigset_t watched_{}, before_{};
    std::set<pid_t> children_;
    unsigned programs_ = 0;
    int code_ = 0;
    bool ends_ = false;
};

}  // namespace

}  // namespace simtlm::runtime

/// SystemC's library requires it; it is never called.
int sc_main(int, char**) {
    return 1;
}

int main(int argc, char** argv) {
    using namespace simtlm;
    try {
        if (argc == 3 && std::string(argv[1]) == "--bridge") return runtime::bridge(argv[2]);
        const platform::option_values options = runtime::options_of_process();
        return runtime::listener(options.text("--listen"), options.flag("--quiet")).run();
    } catch (const support::user_error& e) {
        runtime::report(e.what());
        return runtime::fault_of_the_input;
    }
}
