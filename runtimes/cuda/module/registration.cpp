// SPDX-License-Identifier: Apache-2.0
// Registration of code by programs that nvcc compiled.
#include "runtimes/cuda/abi/call.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <string>

namespace simtlm::cuda {

namespace {

std::string program_name() {
    char path[4096];
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string name(path, n > 0 ? static_cast<std::size_t>(n) : 0);
    return name.substr(name.rfind('/') + 1);
}

/// Textures and surfaces are registered with their scope prefix, which is removed.
std::string unscoped(const char* name) {
    return name[0] == ':' && name[1] == ':' ? name + 2 : name;
}

library* library_of(void** handle) {
    return reinterpret_cast<library*>(handle);
}

}  // namespace

FUNCTION(void**, __cudaRegisterFatBinary, void* wrapper) {
    static std::atomic<unsigned> count{0};
    const unsigned number = ++count;
    const std::string name = program_name() + (number == 1 ? "" : fmt::format("#{}", number));
    return reinterpret_cast<void**>(code_registry::get().add(wrapper, name));
}
FUNCTION(void, __cudaRegisterFatBinaryEnd, void**) {}
FUNCTION(void, __cudaUnregisterFatBinary, void**) {}
FUNCTION(void, __cudaRegisterFunction, void** handle, const char* host, char*, const char* name,
         int, void*, void*, void*, void*, int*) {
    code_registry::get().register_kernel(library_of(handle), host, name);
}
FUNCTION(void, __cudaRegisterVar, void** handle, char* host, char*, const char* name, int,
         std::size_t bytes, int, int) {
    code_registry::get().register_symbol(host, {library_of(handle), name, bytes, false});
}
FUNCTION(void, __cudaRegisterHostVar, void** handle, const char* name, char* host,
         std::size_t bytes) {
    code_registry::get().register_symbol(host, {library_of(handle), name, bytes, false});
}
FUNCTION(void, __cudaRegisterManagedVar, void** handle, void** host, char*, const char* name, int,
         std::size_t bytes, int, int) {
    library* const l = library_of(handle);
    l->managed.push_back({host, name});
    code_registry::get().register_symbol(host, {l, name, bytes, false});
}
FUNCTION(void, __cudaRegisterTexture, void** handle, const void* host, const void**,
         const char* name, int, int normalised, int) {
    code_registry::get().register_symbol(host,
                                         {library_of(handle), unscoped(name), 0, normalised != 0});
}
FUNCTION(void, __cudaRegisterSurface, void** handle, const void* host, const void**,
         const char* name, int, int) {
    code_registry::get().register_symbol(host, {library_of(handle), unscoped(name), 0, false});
}
FUNCTION(char, __cudaInitModule, void** handle) {
    call<library_kind::runtime>("__cudaInitModule", after_fault::refused, [&](session& s) {
        s.modules.of(*library_of(handle), 0);
        return status::success;
    });
    return 0;
}

}  // namespace simtlm::cuda
