// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/session.h"

#include "platform/options/argument_text.h"
#include "platform/options/presets.h"
#include "platform/outputs/provenance.h"
#include "platform/outputs/version.h"
#include "runtimes/opencl/limits.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace simtlm::opencl {

namespace {

session* the_session = nullptr;
std::atomic<bool> over{false};
sem_t signal_came;
volatile std::sig_atomic_t signal_number = 0;

extern "C" void simtlm_opencl_note_signal(int number) {
    signal_number = number;
    sem_post(&signal_came);
}

/// Writes statistics when the program is told to end, and lets it end as it would have.
void end_by_signal(session& s) {
    while (sem_wait(&signal_came) != 0) {
    }
    const int number = signal_number;
    const char* const name = sigabbrev_np(number);
    s.end(fmt::format("interrupted by SIG{}", name != nullptr ? name : "?"));
    std::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
}

std::string own_path() {
    Dl_info info;
    return dladdr(reinterpret_cast<void*>(&simtlm_opencl_note_signal), &info) != 0 &&
                   info.dli_fname != nullptr
               ? info.dli_fname
               : "";
}

std::vector<std::string> words_of_process() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string w; std::getline(in, w, '\0');) words.push_back(w);
    return words;
}

/// Options that `simtlm run` hands over, a line each.
std::vector<std::string> handed_over() {
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    return platform::unpacked_arguments(given != nullptr ? given : "");
}

void parse_handed_over(platform::option_values& options) {
    const std::vector<std::string> words = handed_over();
    std::vector<const char*> arguments{"simtlm"};
    for (const std::string& w : words) arguments.push_back(w.c_str());
    options.parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

platform::provenance origin_of(const platform::option_values& options) {
    std::vector<std::string> words = words_of_process();
    if (std::getenv("SIMTLM_RUN") != nullptr) {
        std::vector<std::string> before = handed_over();
        before.insert(before.begin(), {"simtlm", "run"});
        before.emplace_back("--");
        words.insert(words.begin(), before.begin(), before.end());
    }
    std::error_code ignored;
    const std::vector<platform::provenance::file> inputs{
        {"program", std::filesystem::read_symlink("/proc/self/exe", ignored).string()}};
    return platform::provenance_of({platform::version, platform::commit(), {}}, std::move(words),
                                   options, platform::make_gpu_config(options), inputs);
}

}  // namespace

bool is_verbose() {
    static const bool yes = std::getenv("SIMTLM_VERBOSE") != nullptr;
    return yes;
}

session& session::get() {
    static std::once_flag once;
    static std::string why;
    std::call_once(once, [] {
        try {
            the_session = new session;
        } catch (const std::exception& e) {
            why = e.what();
            std::fputs(fmt::format("simtlm: {}\n", why).c_str(), stderr);
        }
    });
    if (the_session == nullptr) throw error(CL_OUT_OF_RESOURCES, why);
    while (signal_number != 0 && over) ::pause();  // it is about to end the process
    if (over) throw error(CL_OUT_OF_RESOURCES, "the program has ended");
    if (the_session->process_ != ::getpid())
        throw error(CL_OUT_OF_RESOURCES, "a forked process cannot use the GPUs of its parent");
    return *the_session;
}

bool session::is_over() {
    return over;
}

session::session()
    : process_(::getpid()), options_(platform::preset_folders::of_library(own_path()).finder()) {
    read_options();
    device::run_log::outputs log;
    const bool run = std::getenv("SIMTLM_RUN") != nullptr;
    log.summary = run;
    log.file = options_.text("--stats-file");
    if (run && log.file.empty()) log.file = "simtlm-stats.txt";
    log.compact = options_.text("--stats") == "compact";
    log.quiet = options_.flag("--quiet");
    system_ = std::make_unique<device::system>(options_, log, origin_of(options_));
    for (const std::string& n : options_.notes()) system_->log().note("note", n);
    for (unsigned d = 0; d < system_->devices(); ++d) {
        devices.push_back(std::make_unique<_cl_device_id>());
        devices.back()->number = d;
    }
    watch_signals();
}

void session::read_options() {
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    if (given != nullptr) parse_handed_over(options_);
    if (!options_.presets().empty() || !options_.files().empty()) return;
    if (::access("gpgpusim.config", R_OK) == 0) {
        options_.load_file("gpgpusim.config");
    } else {
        options_.load_preset("QV100");
        std::fputs(
            "simtlm: note: no GPU is named (simtlm run --preset NAME, or gpgpusim.config): QV100\n",
            stderr);
    }
    // What was given goes before the file.
    if (given != nullptr) parse_handed_over(options_);
}

/// Only where the program leaves the signal alone.
void session::watch_signals() {
    sem_init(&signal_came, 0, 0);
    bool any = false;
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now = {};
        sigaction(s, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
        struct sigaction ours = {};
        ours.sa_handler = simtlm_opencl_note_signal;
        ours.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        sigaction(s, &ours, nullptr);
        any = true;
    }
    if (!any) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { end_by_signal(*this); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void session::end(const std::string& why) {
    if (over.exchange(true)) return;
    if (!why.empty()) system_->log().interrupted(why);
    system_->shut_down(!why.empty());
}

compiler& session::kernels() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!compiler_) compiler_ = std::make_unique<compiler>(config().capability());
    return *compiler_;
}

cl_device_id session::device(cl_device_id handle) const {
    for (const auto& d : devices)
        if (d.get() == handle) return handle;
    throw error(CL_INVALID_DEVICE, "this is no device");
}

limits limits::of(const device::system_config& c) {
    limits l;
    const core::sm_config& sm = c.gpu.cores.sm;
    l.work_group = std::min<std::size_t>(1024, sm.max_threads);
    l.allocation = std::max<std::uint64_t>(c.memory_bytes / 4, std::uint64_t{128} << 20);
    l.allocation = std::min(l.allocation, c.memory_bytes);
    l.local = std::min<std::uint64_t>(48 << 10, sm.shared.bytes);
    l.l2_bytes = std::uint64_t{c.gpu.memory.partition.l2.bytes()} * c.gpu.sub_partitions();
    return l;
}

cl_int code_of(device::status s) {
    using device::status;
    switch (s) {
        case status::success:
            return CL_SUCCESS;
        case status::out_of_memory:
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        case status::invalid_value:
            return CL_INVALID_VALUE;
        case status::invalid_configuration:
            return CL_INVALID_WORK_GROUP_SIZE;
        case status::invalid_ptx:
        case status::invalid_image:
        case status::no_binary_for_gpu:
            return CL_INVALID_BINARY;
        default:
            return CL_OUT_OF_RESOURCES;
    }
}

namespace {

/// Runs when the process ends, after the program's own code.
__attribute__((destructor)) void end_session() {
    // A process that was forked has no thread that simulates.
    if (the_session != nullptr && the_session->process() == ::getpid()) the_session->end({});
    over = true;
}

}  // namespace

}  // namespace simtlm::opencl

/// Nothing of ours that is static is destroyed at the end of the process: destructors of the
/// program may make calls, and statistics are written, when it would be gone already. Objects of
/// this library register themselves here, and not with the C library.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}
