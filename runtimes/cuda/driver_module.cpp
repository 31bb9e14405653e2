// SPDX-License-Identifier: Apache-2.0
// Driver API: modules and libraries.
#include "runtimes/cuda/compilation_log.h"
#include "runtimes/cuda/driver_api.h"

#include <memory>

using namespace simtlm::cuda;

// ---- modules ----

RUNTIME(cuModuleLoadData)(module** to, const void* code) {
    return driver_call("cuModuleLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        *to = s.load_module(code, "module", s.current_device());
    });
}
RUNTIME(cuModuleLoadFatBinary)(module** to, const void* code) {
    return simtlm_rt_cuModuleLoadData(to, code);
}
RUNTIME(cuModuleLoad)(module** to, const char* path) {
    return driver_call("cuModuleLoad", [&](session& s) {
        require_pointer(to);
        *to = s.load_module(read_code_file(path).c_str(), path, s.current_device());
    });
}
RUNTIME(cuModuleUnload)(module* m) {
    return driver_call("cuModuleUnload", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.unload_module(m);
    });
}
RUNTIME(cuModuleGetFunction)(function** to, module* m, const char* name) {
    return driver_call("cuModuleGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_in(m, name);
    });
}
RUNTIME(cuModuleGetGlobal)(std::uint64_t* to, std::size_t* bytes, module* m, const char* name) {
    return driver_call("cuModuleGetGlobal", [&](session& s) {
        const auto v = s.variable_in(m, name);
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}

RUNTIME(cuModuleLoadDataEx)
(module** to, const void* code, unsigned count, const int* options, void** values) {
    return driver_call("cuModuleLoadDataEx", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        with_log({count, options, values},
                 [&] { *to = s.load_module(code, "module", s.current_device()); });
    });
}

// ---- libraries ----

RUNTIME(cuLibraryLoadData)
(library** to, const void* code, void*, void**, unsigned, void*, void**, unsigned) {
    return driver_call("cuLibraryLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        library* const l = session::add_library(nullptr, "library");
        l->source = module_in(code, s.config().architecture(), s.config().code, l->name);
        l->read = true;
        *to = l;
    });
}
RUNTIME(cuLibraryUnload)(library* l) {
    return driver_call("cuLibraryUnload", [&](session& s) {
        require_pointer(l);
        s.work().wait_all(s.current_device());
        s.remove_library(l);
    });
}
RUNTIME(cuLibraryGetKernel)(kernel** to, library* l, const char* name) {
    return driver_call("cuLibraryGetKernel", [&](session& s) {
        require_pointer(to);
        require(s.module_of(value_at(l), s.current_device()).find(name) != nullptr,
                status::not_found, "unknown kernel");
        *to = session::kernel_in(*l, name);
    });
}
RUNTIME(cuLibraryGetModule)(module** to, library* l) {
    return driver_call("cuLibraryGetModule", [&](session& s) {
        require_pointer(to);
        *to = &s.module_of(value_at(l), s.current_device());
    });
}
RUNTIME(cuLibraryGetGlobal)(std::uint64_t* to, std::size_t* bytes, library* l, const char* name) {
    return driver_call("cuLibraryGetGlobal", [&](session& s) {
        const auto v = s.module_of(value_at(l), s.current_device()).code->find_variable(name);
        require(v.first != 0, status::not_found, "unknown variable");
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}
RUNTIME(cuKernelGetFunction)(function** to, kernel* k) {
    return driver_call("cuKernelGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_of(k);
    });
}
