// SPDX-License-Identifier: Apache-2.0
// Programs open NVIDIA's driver libraries under several names, with and without a path, for example
// /usr/lib/x86_64-linux-gnu/libcuda.so. dlopen (stubs.S) opens this project's instead.
#include "runtimes/cuda/redirection/own_folder.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>

namespace simtlm::cuda {
namespace {

using open_function = void* (*)(const char*, int);

/// Whether a name is that of a library in any version: libcuda.so, libcuda.so.1, ...
bool names(std::string_view file, std::string_view library) {
    return file.substr(0, library.size()) == library &&
           (file.size() == library.size() || file[library.size()] == '.');
}

/// This project's library of a name, by its path; never destroyed.
struct replacement {
    const char* library;
    const std::string* path;
};

const char* path_of(const replacement& r) {
    return ::access(r.path->c_str(), R_OK) == 0 ? r.path->c_str() : nullptr;
}

/// The library to open in place of a file; nullptr: the file itself.
const char* replaced(const char* file) {
    const auto in_own_folder = [](const char* name) {
        return new std::string(own_folder() + name);
    };
    static const replacement drivers[] = {
        {"libcuda.so", in_own_folder("libcuda.so.1")},
        {"libnvidia-ml.so", in_own_folder("libnvidia-ml.so.1")},
    };
    static const replacement runtimes[] = {
        {"libcudart.so.11", in_own_folder("libcudart.so.11.0")},
        {"libcudart.so.12", in_own_folder("libcudart.so.12")},
        {"libcudart.so.13", in_own_folder("libcudart.so.13")},
    };
    const char* const slash = std::strrchr(file, '/');
    const char* const name = slash != nullptr ? slash + 1 : file;
    for (const replacement& r : drivers)
        if (names(name, r.library)) return path_of(r);
    // An existing runtime is redirected when it is loaded (redirection.cpp).
    if (slash != nullptr && ::access(file, R_OK) != 0)
        for (const replacement& r : runtimes)
            if (names(name, r.library)) return path_of(r);
    return nullptr;
}

}  // namespace
}  // namespace simtlm::cuda

extern "C" {

__attribute__((visibility("hidden"))) simtlm::cuda::open_function simtlm_next_dlopen = nullptr;

__attribute__((visibility("hidden"))) const char* simtlm_file_to_open(const char* file) {
    if (simtlm_next_dlopen == nullptr)
        simtlm_next_dlopen =
            reinterpret_cast<simtlm::cuda::open_function>(dlsym(RTLD_NEXT, "dlopen"));
    const char* const other = file != nullptr ? simtlm::cuda::replaced(file) : nullptr;
    return other != nullptr ? other : file;
}
}
