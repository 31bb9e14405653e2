// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/compiler_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace simtlm::runtime {

namespace {

/// Descriptor of the first file in the compiler; the standard streams precede it.
constexpr int first_descriptor = 3;

/// Variables that the compiler sees.
constexpr const char* passed_variables[] = {"PATH", "HOME", "LD_LIBRARY_PATH"};

std::string name_of_descriptor(std::size_t file) {
    return fmt::format("/proc/self/fd/{}", file + first_descriptor);
}

/// A duplicate of a descriptor, closed with the object.
class duplicate {
public:
    duplicate(int descriptor, int at_least)
        : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, at_least)) {
        if (descriptor_ < 0) throw std::runtime_error(std::strerror(errno));
    }
    ~duplicate() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    duplicate(duplicate&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    duplicate& operator=(duplicate&&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

/// Starts a program. @param files  its descriptors from 0 on @return its process, or -errno
pid_t start(const std::string& program, std::vector<std::string> words,
            const std::vector<int>& files) {
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables{"CLANG_NO_DEFAULT_CONFIG=1"};
    for (const char* const name : passed_variables)
        if (const char* const value = std::getenv(name); value != nullptr)
            variables.push_back(fmt::format("{}={}", name, value));
    std::vector<char*> environment;
    for (std::string& v : variables) environment.push_back(v.data());
    environment.push_back(nullptr);

    // Descriptors behind all of those that the compiler gets, so that none is replaced before it
    // is duplicated.
    std::vector<duplicate> sources;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int file : files) {
        sources.emplace_back(file, static_cast<int>(files.size()));
        posix_spawn_file_actions_adddup2(&actions, sources.back().get(),
                                         static_cast<int>(sources.size()) - 1);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, program.c_str(), &actions, &attributes, argv.data(),
                                     environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed != 0 ? -failed : child;
}

}  // namespace

std::filesystem::path program_in_path(const std::string& name) {
    const char* const folders = std::getenv("PATH");
    std::istringstream in(folders != nullptr ? folders : "/usr/bin");
    for (std::string folder; std::getline(in, folder, ':');) {
        const std::filesystem::path file = std::filesystem::path(folder) / name;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

std::string identity_of(const std::filesystem::path& file) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(file, ignored);
    struct stat s = {};
    ::stat(real.c_str(), &s);
    return fmt::format("{} {} {}.{}", real.string(), s.st_size, s.st_mtim.tv_sec,
                       s.st_mtim.tv_nsec);
}

memory_file::memory_file(std::string_view text)
    : descriptor_(::memfd_create("simtlm", MFD_CLOEXEC)) {
    bool good = descriptor_ >= 0;
    for (std::size_t done = 0; good && done < text.size();) {
        const ssize_t n =
            ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        good = n > 0;
        if (good) done += static_cast<std::size_t>(n);
    }
    if (good) return;
    const int cause = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw std::runtime_error(
        fmt::format("no memory for a file of the compiler: {}", std::strerror(cause)));
}

memory_file::~memory_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

memory_file::memory_file(memory_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::string memory_file::text() const {
    std::string text;
    char part[1 << 16];
    for (;;) {
        const ssize_t n = ::pread(descriptor_, part, sizeof part, static_cast<off_t>(text.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(part, static_cast<std::size_t>(n));
    }
}

std::string compiler_process::give(std::string_view text) {
    files_.emplace_back(text);
    return name_of_descriptor(files_.size() - 1);
}

std::string compiler_process::text_of(const std::string& name) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (name == name_of_descriptor(i)) return files_[i].text();
    return {};
}

compiler_process::result compiler_process::run(const std::vector<std::string>& more,
                                               std::string_view input) const {
    result r;
    std::vector<std::string> words{program_};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    words.insert(words.end(), more.begin(), more.end());
    for (const std::string& w : words)
        if (!w.empty() && w.front() == '@') {
            r.errors = "an argument of the compiler begins with @\n";
            return r;
        }
    const memory_file in(input), out, errors;
    std::vector<int> files{in.descriptor(), out.descriptor(), errors.descriptor()};
    for (const memory_file& f : files_) files.push_back(f.descriptor());
    const pid_t child = start(program_, std::move(words), files);
    if (child < 0) {
        r.errors = fmt::format("{} cannot be started: {}\n", program_, std::strerror(-child));
        return r;
    }
    int status = 0;
    bool reaped_elsewhere = false;
    while (!reaped_elsewhere && ::waitpid(child, &status, 0) < 0) reaped_elsewhere = errno != EINTR;
    r.output = out.text();
    r.errors = errors.text();
    // The program may have reaped the process; then its output decides.
    r.good = reaped_elsewhere ? !r.output.empty() : status == 0;
    if (!reaped_elsewhere && WIFSIGNALED(status))
        r.errors += fmt::format("{} was ended by signal {}\n", program_, WTERMSIG(status));
    return r;
}

std::string identity_of_compiler(const std::filesystem::path& program) {
    std::string identity = identity_of(program);
    std::ifstream in(program, std::ios::binary);
    if (char mark[2] = {}; in.read(mark, 2) && std::string_view(mark, 2) == "#!")
        identity += compiler_process(program.string()).run({"--version"}, {}).output;
    return identity;
}

}  // namespace simtlm::runtime
