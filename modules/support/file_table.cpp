// SPDX-License-Identifier: Apache-2.0
#include "modules/support/file_table.h"

#include "modules/support/error.h"
#include "modules/support/output_target.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace simtlm::support {

namespace {

namespace fs = std::filesystem;

std::string canonical(const std::string& path) {
    std::error_code error;
    const fs::path all = fs::weakly_canonical(fs::absolute(path), error);
    // "folder/" denotes the folder.
    return (all.has_filename() ? all : all.parent_path()).string();
}

bool is_inside(const std::string& path, const std::string& folder) {
    return path == folder ||
           (path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
            (folder.back() == '/' || path[folder.size()] == '/'));
}

[[noreturn]] void refuse(const std::string& file, const std::string& option,
                         const std::string& why) {
    throw user_error(option, file + " is " + why, "name another file");
}

}  // namespace

void file_table::enter(const identity& id, const std::string& path, const std::string& role) {
    by_identity_.emplace(id, entry{role, path});
}

void file_table::add_input(const std::string& file, const std::string& role) {
    struct stat status {};
    if (!file.empty() && ::stat(file.c_str(), &status) == 0)
        enter({status.st_dev, status.st_ino}, canonical(file), role);
}

void file_table::add_stream(int descriptor, const std::string& role) {
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        enter({status.st_dev, status.st_ino}, {}, role);
}

void file_table::check_folders(const std::string& file, const std::string& path,
                               const std::string& option) const {
    for (const entry& f : folders_)
        if (is_inside(path, f.path)) refuse(file, option, "in " + f.role);
}

void file_table::add_output(const std::string& file, const std::string& option) {
    const output_target target(file);
    target.check();
    const std::string role = "the output of " + option;
    struct stat status {};
    const bool exists = ::stat(target.path().c_str(), &status) == 0;
    // Special files are not replaced, and an output may share a standard stream of this process.
    if (exists && (S_ISCHR(status.st_mode) || (target.in_place() && S_ISREG(status.st_mode))))
        return;
    if (exists)
        if (const auto known = by_identity_.find(identity(status.st_dev, status.st_ino));
            known != by_identity_.end())
            refuse(file, option, known->second.role + " too");
    check_folders(file, target.path(), option);
    const auto reserve = [&](const std::string& path, const std::string& shown,
                             const std::string& as) {
        const auto [other, fresh] = by_path_.emplace(path, as);
        if (!fresh) refuse(shown, option, other->second + " too");
    };
    reserve(target.path(), file, role);
    if (!target.in_place())
        reserve(output_target::draft_of(target.path()), output_target::draft_of(file),
                "the draft of " + role);
    if (exists) enter({status.st_dev, status.st_ino}, target.path(), role);
}

void file_table::add_output_folder(const std::string& folder, const std::string& option) {
    const std::string path = canonical(folder), role = "the folder of " + option;
    check_folders(folder, path, option);
    for (const auto& [known, of] : by_identity_)
        if (!of.path.empty() && is_inside(of.path, path))
            refuse(folder, option, of.path == path ? of.role + " too" : "the folder of " + of.role);
    for (const auto& [known, of] : by_path_)
        if (is_inside(known, path)) refuse(folder, option, "the folder of " + of);
    folders_.push_back({role, path});
}

}  // namespace simtlm::support
