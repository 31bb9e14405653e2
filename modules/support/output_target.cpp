// SPDX-License-Identifier: Apache-2.0
#include "modules/support/output_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace simtlm::support {

namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as in Linux
constexpr unsigned max_drafts = 100;
constexpr unsigned writable_bits = 0222;
constexpr unsigned permission_bits = 0777;
constexpr unsigned usual_mode = 0666;
constexpr const char* another_place = "name a file in a folder that exists and can be written";

std::string why() {
    return std::strerror(errno);
}

std::string joined(const std::vector<std::string>& messages) {
    std::string text;
    for (const std::string& m : messages) text += (text.empty() ? "" : "; ") + m;
    return text;
}

/// @return the descriptor number if the path is in this process's descriptor folder, otherwise -1
int descriptor_of(const fs::path& folder, const std::string& leaf) {
    if (folder != "/proc/" + std::to_string(getpid()) + "/fd") return -1;
    if (leaf.empty() || leaf.size() > 6 || leaf.find_first_not_of("0123456789") != leaf.npos)
        return -1;
    return std::atoi(leaf.c_str());
}

}  // namespace

output_error::output_error(std::vector<std::string> messages)
    : user_error({}, joined(messages)), messages_(std::move(messages)) {}

void output_attempts::note(const user_error& e) {
    const auto* const several = dynamic_cast<const output_error*>(&e);
    const std::vector<std::string> one = {e.what()};
    for (const std::string& m : several != nullptr ? several->messages() : one)
        if (std::find(messages_.begin(), messages_.end(), m) == messages_.end())
            messages_.push_back(m);
}

void output_attempts::finish() {
    if (failed()) throw output_error(std::exchange(messages_, {}));
}

output_target::output_target(std::string name) : name_(std::move(name)), path_(name_) {
    if (name_.empty()) refuse("there is no name of a file", another_place);
    follow_links();
    inspect_target();
}

void output_target::refuse(const std::string& what, const std::string& remedy) const {
    throw user_error(name_, what, remedy);
}

void output_target::follow_links() {
    for (int links = 0; links < max_links; ++links) {
        const fs::path written(path_);
        std::error_code error;
        const fs::path folder =
            fs::canonical(written.has_parent_path() ? written.parent_path() : ".", error);
        if (error) refuse("cannot be written: " + error.message(), another_place);
        const std::string leaf = written.filename().string();
        if (leaf.empty() || leaf == "." || leaf == "..")
            refuse("is a folder, not a file", "name a file in it");
        path_ = (folder / leaf).string();
        descriptor_ = descriptor_of(folder, leaf);
        if (descriptor_ >= 0) return;
        const fs::path next = fs::read_symlink(path_, error);
        if (error) return;  // not a symbolic link
        path_ = (next.is_absolute() ? next : folder / next).string();
    }
    refuse("cannot be written: too many symbolic links", another_place);
}

void output_target::inspect_target() {
    if (descriptor_ >= 0) {
        const int flags = fcntl(descriptor_, F_GETFL);
        if (flags < 0) refuse("is not open", another_place);
        if ((flags & O_ACCMODE) == O_RDONLY) refuse("is open for reading only", another_place);
        in_place_ = true;
        return;
    }
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0) {
        if (errno != ENOENT) refuse("cannot be written: " + why(), another_place);
        return;
    }
    if (S_ISDIR(status.st_mode)) refuse("is a folder, not a file", "name a file in it");
    if ((status.st_mode & writable_bits) == 0 || access(path_.c_str(), W_OK) != 0)
        refuse("is read-only", "name another file, or make it writable");
    exists_ = true;
    in_place_ = !S_ISREG(status.st_mode);
    mode_ = status.st_mode & permission_bits;
    owner_ = status.st_uid;
    group_ = status.st_gid;
}

int output_target::open(std::string& draft) const {
    draft.clear();
    int fd = -1;
    if (descriptor_ >= 0) {
        fd = fcntl(descriptor_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    } else if (in_place_) {
        fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        for (unsigned n = 0; n < max_drafts; ++n) {
            draft = draft_of(path_);
            if (n > 0)
                draft = path_ + '.' + std::to_string(getpid()) + '.' + std::to_string(n) + ".part";
            fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual_mode);
            if (fd >= 0 || errno != EEXIST) break;
        }
    }
    if (fd < 0) refuse("cannot be written: " + why(), another_place);
    if (!draft.empty() && exists_) {
        // Keeps owner and mode, as if the file had been written in place. A user who may not change
        // the owner keeps the new file.
        if (fchown(fd, owner_, group_) == 0 || owner_ == geteuid()) fchmod(fd, mode_);
    }
    return fd;
}

void output_target::replace_by(const std::string& draft) const {
    // A file system may report errors of earlier writes only here.
    const int fd = ::open(draft.c_str(), O_RDONLY | O_CLOEXEC);
    const bool stored = fd >= 0 && ::fsync(fd) == 0;
    std::string reason = why();
    if (fd >= 0) ::close(fd);
    if (stored && std::rename(draft.c_str(), path_.c_str()) == 0) return;
    if (stored) reason = why();
    std::remove(draft.c_str());
    throw output_error(name_, "cannot be written: " + reason, another_place);
}

void output_target::check() const {
    if (in_place_) return;
    std::string draft;
    ::close(open(draft));
    std::remove(draft.c_str());
}

}  // namespace simtlm::support
