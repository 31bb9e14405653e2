// SPDX-License-Identifier: Apache-2.0
// Driver API: modules and libraries.
#include "runtimes/cuda/compilation_log.h"
#include "runtimes/cuda/driver_api.h"

#include <memory>

using namespace simtlm::cuda;

// ---- modules ----

CALL(cuModuleLoadData, session& s, module** to, const void* code) {
    require_pointer(to, code);
    *to = s.load_module(code, "module", s.current_device());
}
CALL(cuModuleLoad, session& s, module** to, const char* path) {
    require_pointer(to);
    *to = s.load_module(read_code_file(path).c_str(), path, s.current_device());
}
CALL(cuModuleUnload, session& s, module* m) {
    s.work().wait_all(s.current_device());
    s.unload_module(m);
}
CALL(cuModuleGetFunction, session& s, function** to, module* m, const char* name) {
    require_pointer(to);
    *to = s.function_in(m, name);
}
CALL(cuModuleGetGlobal, session& s, std::uint64_t* to, std::size_t* bytes, module* m,
     const char* name) {
    const auto v = s.variable_in(m, name);
    if (to != nullptr) *to = v.first;
    if (bytes != nullptr) *bytes = v.second;
}

CALL(cuModuleLoadDataEx, session& s, module** to, const void* code, unsigned count,
     const int* options, void** values) {
    require_pointer(to, code);
    with_log({count, options, values},
             [&] { *to = s.load_module(code, "module", s.current_device()); });
}

// ---- libraries ----

CALL(cuLibraryGetModule, session& s, module** to, library* l) {
    require_pointer(to);
    *to = &s.module_of(value_at(l), s.current_device());
}
