// SPDX-License-Identifier: Apache-2.0
// The driver API (libcuda.so.1): initialisation, error names, the way to its functions, and what
// its families have in common. What it shares with the runtime is the runtime's: see runtime_api.h.
#include "runtimes/cuda/driver_api.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>

using namespace simtlm::cuda;

namespace simtlm::cuda {

void copy(session& s, const block_copy& c, void* stream, bool asynchronous) {
    if (!asynchronous) refuse_during_capture(s);
    device::stream& where = s.stream(stream);
    const bool captured = capture_of(s, where) != nullptr;
    const auto t = enqueue(s, where, copy_operation(s, c, asynchronous && !captured));
    if (!asynchronous || (!captured && is_pageable(s, c.to))) finish(s, t);
}

void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {pointer_to(to), pitch, value, element, width, height}));
}

void launch(session& s, void* f, const kernel_parameters& p, const launch_options& how,
            void* stream) {
    device::stream& to = s.stream(stream);
    function* const kernel = s.function_of(f, to.device);
    operation o = kernel_operation(s, kernel, p, how);
    o.kernel.function = f;
    enqueue(s, to, std::move(o));
}

}  // namespace simtlm::cuda

RUNTIME(cuInit)(unsigned flags) {
    return driver_call(
        "cuInit", [&](session&) { require(flags == 0, status::invalid_value, "unknown flags"); });
}
RUNTIME(cuDriverGetVersion)(int* version) {
    if (version == nullptr) return 1;
    *version = runtime_version;
    return 0;
}
RUNTIME(cuGetErrorName)(result r, const char** to) {
    *to = driver_name_of(r);
    return *to != nullptr ? 0 : 1;
}
RUNTIME(cuGetErrorString)(result r, const char** to) {
    *to = driver_name_of(r) != nullptr ? text_of(r) : nullptr;
    return *to != nullptr ? 0 : 1;
}

// ---- the way here ----

RUNTIME(cuGetProcAddress)(const char* name, void** to, int, std::uint64_t) {
    return driver_call("cuGetProcAddress", [&](session&) {
        require_pointer(to);
        *to = find_driver_function(name);
        require(*to != nullptr, status::not_found, "there is no such function");
    });
}
RUNTIME(cuGetProcAddress_v2)
(const char* name, void** to, int version, std::uint64_t flags, int* found) {
    const result r = simtlm_rt_cuGetProcAddress(name, to, version, flags);
    if (found != nullptr) *found = r == 0 ? 0 : 1;
    return r;
}
namespace {
/// The library that an address lies in; empty: the program itself.
std::string library_of(const void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code ignored;
    const std::filesystem::path file = info.dli_fname;
    return std::filesystem::equivalent(file, "/proc/self/exe", ignored) ? std::string()
                                                                        : file.filename().string();
}
}  // namespace
/// These tables are how NVIDIA's own libraries talk to NVIDIA's own driver. Most look whether there
/// is one; the runtime cannot go on without.
RUNTIME(cuGetExportTable)(const void**, const uuid* which) {
    constexpr unsigned char of_runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    if (which == nullptr || std::memcmp(which, of_runtime, sizeof of_runtime) != 0)
        return static_cast<result>(status::not_found);
    const std::string library = library_of(__builtin_return_address(0));
    return driver_call("cuGetExportTable", [&](session&) {
        if (!library.empty())
            throw failure(status::not_supported,
                          library +
                              " brings NVIDIA's runtime and machine code of its own, which "
                              "simtlm does not run: it runs PTX",
                          "let the program's own kernels do what it calls " + library + " for");
        throw failure(status::not_supported,
                      "the program carries NVIDIA's runtime in it (nvcc -cudart static), and that "
                      "could not be replaced",
                      "start it with simtlm run, and do not strip it; or link it with nvcc "
                      "-cudart shared");
    });
}
