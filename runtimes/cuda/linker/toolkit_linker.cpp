// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/linker/toolkit_linker.h"

#include "runtimes/cuda/abi/status.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace simtlm::cuda {

namespace {

constexpr const char* library_names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12",
                                         "libnvJitLink.so",
                                         "/usr/local/cuda/lib64/libnvJitLink.so"};
/// Result of a compilation that failed.
constexpr int ptx_errors = 4;

/// The functions of the library.
struct toolkit_library {
    int (*create)(void**, std::uint32_t, const char**) = nullptr;
    int (*destroy)(void**) = nullptr;
    int (*add)(void*, int, const void*, std::size_t, const char*) = nullptr;
    int (*complete)(void*) = nullptr;
    int (*cubin_size)(void*, std::size_t*) = nullptr;
    int (*cubin)(void*, void*) = nullptr;
    int (*log_size)(void*, std::size_t*) = nullptr;
    int (*log)(void*, char*) = nullptr;

    bool load() {
        void* library = nullptr;
        for (const char* const name : library_names)
            if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return false;
        bool all = true;
        const auto find = [&](auto*& f, const char* name) {
            void* at = dlsym(library, fmt::format("nvJitLink{}", name).c_str());
            // Version 12 declares the names with its version only.
            for (unsigned minor = 0; minor < 10 && at == nullptr; ++minor)
                at = dlsym(library, fmt::format("__nvJitLink{}_12_{}", name, minor).c_str());
            f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(at);
            all = all && at != nullptr;
        };
        find(create, "Create");
        find(destroy, "Destroy");
        find(add, "AddData");
        find(complete, "Complete");
        find(cubin_size, "GetLinkedCubinSize");
        find(cubin, "GetLinkedCubin");
        find(log_size, "GetErrorLogSize");
        find(log, "GetErrorLog");
        return all;
    }
};

}  // namespace

std::string link_with_toolkit(const std::vector<toolkit_input>& inputs, unsigned architecture) {
    toolkit_library toolkit;
    if (!toolkit.load())
        throw failure(status::not_supported,
                      "PTX is to be linked with machine code, which requires libnvJitLink of the "
                      "CUDA toolkit; it cannot be loaded",
                      "add its folder to LD_LIBRARY_PATH, or compile all inputs to the same form");
    void* handle = nullptr;
    const std::string target = fmt::format("-arch=sm_{}", architecture);
    const char* option = target.c_str();
    int r = toolkit.create(&handle, 1, &option);
    const auto fail = [&] {
        std::string log;
        std::size_t bytes = 0;
        if (handle != nullptr && toolkit.log_size(handle, &bytes) == 0 && bytes != 0) {
            log.resize(bytes);
            if (toolkit.log(handle, log.data()) != 0) log.clear();
            log.resize(std::min(log.find('\0'), log.size()));
            while (!log.empty() && log.back() == '\n') log.pop_back();
        }
        if (handle != nullptr) toolkit.destroy(&handle);
        if (log.empty()) log = fmt::format("libnvJitLink reports error {}", r);
        throw failure(r == ptx_errors ? status::invalid_ptx : status::invalid_source, log);
    };
    if (r != 0) fail();
    for (const toolkit_input& i : inputs) {
        // PTX ends with a zero byte.
        const std::string text = i.what == toolkit_input::kind::ptx
                                     ? std::string(i.bytes.substr(0, i.bytes.find('\0')))
                                     : std::string();
        const bool is_text = i.what == toolkit_input::kind::ptx;
        r = toolkit.add(handle, static_cast<int>(i.what), is_text ? text.c_str() : i.bytes.data(),
                        is_text ? text.size() + 1 : i.bytes.size(), i.name.c_str());
        if (r != 0) fail();
    }
    r = toolkit.complete(handle);
    if (r != 0) fail();
    std::size_t bytes = 0;
    r = toolkit.cubin_size(handle, &bytes);
    if (r != 0) fail();
    std::string cubin(bytes, '\0');
    r = toolkit.cubin(handle, cubin.data());
    if (r != 0) fail();
    toolkit.destroy(&handle);
    return cubin;
}

}  // namespace simtlm::cuda
