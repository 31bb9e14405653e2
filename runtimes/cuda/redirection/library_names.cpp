// SPDX-License-Identifier: Apache-2.0
// Programs open NVIDIA's driver libraries under several names, with and without a path, for example
// /usr/lib/x86_64-linux-gnu/libcuda.so. dlopen (stubs.S) opens this project's instead.
#include "runtimes/cuda/redirection/own_folder.h"
#include "runtimes/cuda/redirection/vendor_entry_points.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <iterator>
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

/// The library to open in place of a file; nullptr: the file itself.
const char* replaced(const char* file) {
    static const std::string* const paths = [] {  // never destroyed
        auto* const all = new std::string[std::size(libraries)];
        for (std::size_t i = 0; i < std::size(libraries); ++i)
            all[i] = own_folder() + libraries[i].file;
        return all;
    }();
    const char* const slash = std::strrchr(file, '/');
    const char* const name = slash != nullptr ? slash + 1 : file;
    for (std::size_t i = 0; i < std::size(libraries); ++i) {
        if (!names(name, libraries[i].name)) continue;
        // An existing runtime is redirected when it is loaded (redirection.cpp).
        const bool is_runtime = (libraries[i].bit & runtime_libraries) != 0;
        if (is_runtime && (slash == nullptr || ::access(file, R_OK) == 0)) return nullptr;
        return ::access(paths[i].c_str(), R_OK) == 0 ? paths[i].c_str() : nullptr;
    }
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
