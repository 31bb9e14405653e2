// SPDX-License-Identifier: Apache-2.0
// Ends of a process at which no destructor runs: _exit(), quick_exit(), and the exec functions
// (stubs.S). The sessions of the process then write their statistics
// (runtimes/common/process_end.h). The first process of a run also checks that all requested files
// have been written, by whichever process.
#include "modules/support/run_identity.h"
#include "platform/options/argument_text.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using function = void (*)();

/// A function to call at the end of the process; see process_end.h.
struct registered_end {
    int (*act)(void* object, int exit_code);
    void* object;
};
constexpr std::size_t max_ends = 8;
registered_end ends[max_ends];
std::size_t end_count = 0;

/// Variables that `simtlm run` has set; the program may change its environment.
struct run_description {
    std::vector<std::string> outputs;  ///< requested files
    simtlm::support::run_identity identity;
    bool keeps_exit_code = false;
};
const run_description* run = nullptr;  ///< never destroyed; used by the last exit handler

const char* value_in(char** environment, const char* name) {
    const std::size_t n = std::strlen(name);
    for (char** e = environment; e != nullptr && *e != nullptr; ++e)
        if (std::strncmp(*e, name, n) == 0 && (*e)[n] == '=') return *e + n + 1;
    return "";
}

/// Whether the program is inside a handler of a fault, where nothing that allocates may be called.
bool handles_fault() {
    sigset_t blocked;
    if (pthread_sigmask(SIG_SETMASK, nullptr, &blocked) != 0) return false;
    for (const int s : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
        if (sigismember(&blocked, s) == 1) return true;
    return false;
}

bool is_first_process() {
    return run != nullptr && run->identity.process == getpid();
}

/// Whether a file was written by this run. Files that are not regular cannot be checked.
bool is_written(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return false;
    return !S_ISREG(status.st_mode) || run->identity.has_written(status);
}

/// The exit code of the first process for that of the program: 1 in place of 0 if a requested file
/// does not exist.
int check_outputs(int exit_code) {
    if (exit_code != 0 || !is_first_process()) return exit_code;
    std::string missing;
    for (const std::string& file : run->outputs)
        if (!is_written(file)) missing += (missing.empty() ? "" : ", ") + file;
    if (missing.empty()) return exit_code;
    constexpr int results_lost = 1;
    std::fprintf(stderr, "simtlm: not written, because no kernel has run on a GPU: %s%s\n",
                 missing.c_str(),
                 run->keeps_exit_code ? ""
                                      : "; the exit code is 1 (the program's own, which is 0, with "
                                        "--keep-exit-code)");
    return run->keeps_exit_code ? exit_code : results_lost;
}

/// Ends the sessions of the process.
int end_sessions(int exit_code) {
    for (std::size_t i = 0; i < end_count; ++i) exit_code = ends[i].act(ends[i].object, exit_code);
    return exit_code;
}

extern "C" void at_normal_exit(int exit_code, void*) {
    const int code = check_outputs(exit_code);
    if (code == exit_code) return;
    std::fflush(nullptr);
    // The C library's function, which needs no further checks.
    reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit"))(code);
}

/// Runs before all other constructors of the process, and its exit handler after all others.
__attribute__((constructor)) void begin(int, char**, char** environment) {
    run = new run_description{
        simtlm::platform::unpacked_arguments(value_in(environment, "SIMTLM_OUTPUTS")),
        simtlm::support::run_identity::parse(value_in(environment, "SIMTLM_RUN")),
        *value_in(environment, "SIMTLM_KEEP_EXIT_CODE") != 0};
    if (!run->outputs.empty() && is_first_process()) on_exit(at_normal_exit, nullptr);
}

}  // namespace

extern "C" {

#define HIDDEN __attribute__((visibility("hidden")))
#define NEXT(name) HIDDEN function simtlm_next_##name = nullptr;
NEXT(exit)
NEXT(quick_exit)
NEXT(execl)
NEXT(execle)
NEXT(execlp)
NEXT(execv)
NEXT(execve)
NEXT(execvp)
NEXT(execvpe)
NEXT(fexecve)
#undef NEXT

static void find_next_functions() {
    if (simtlm_next_fexecve != nullptr) return;
    const auto next = [](const char* name) {
        return reinterpret_cast<function>(dlsym(RTLD_NEXT, name));
    };
    simtlm_next_exit = next("_exit");
    simtlm_next_quick_exit = next("quick_exit");
    simtlm_next_execl = next("execl");
    simtlm_next_execle = next("execle");
    simtlm_next_execlp = next("execlp");
    simtlm_next_execv = next("execv");
    simtlm_next_execve = next("execve");
    simtlm_next_execvp = next("execvp");
    simtlm_next_execvpe = next("execvpe");
    simtlm_next_fexecve = next("fexecve");
}

/// Called by sessions; see process_end.h.
__attribute__((visibility("default"))) void simtlm_at_process_end(int (*act)(void*, int),
                                                                  void* object) {
    if (end_count < max_ends) ends[end_count++] = {act, object};
}

HIDDEN std::int64_t simtlm_before_exit(int exit_code) {
    find_next_functions();
    if (handles_fault()) {
        constexpr char text[] =
            "simtlm: the program has ended itself after a fault; its statistics are incomplete\n";
        if (end_count != 0 && write(STDERR_FILENO, text, sizeof text - 1) < 0) return exit_code;
        return exit_code;
    }
    return check_outputs(end_sessions(exit_code));
}

HIDDEN void* simtlm_before_exec(void* first_argument) {
    find_next_functions();
    if (!handles_fault()) end_sessions(0);
    return first_argument;
}
}
