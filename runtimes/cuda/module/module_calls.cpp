// SPDX-License-Identifier: Apache-2.0
// Calls about modules, libraries and their variables.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/module/compilation_log.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtlm::cuda {

CALL(cudaGetSymbolAddress, session& s, void** to, const void* symbol) {
    require_pointer(to);
    *to = pointer_to(s.modules.variable(symbol).first);
}
CALL(cudaGetSymbolSize, session& s, std::size_t* to, const void* symbol) {
    require_pointer(to);
    *to = s.modules.variable(symbol).second;
}
CALL(cuModuleGetLoadingMode, session&, int* to) {
    require_pointer(to);
    *to = 2;  // lazy
}
CALL(cuModuleGetFunctionCount, session&, unsigned* to, module* m) {
    require_pointer(to, m);
    *to = static_cast<unsigned>(m->code->image().kernels().size());
}
CALL(cuModuleEnumerateFunctions, session& s, function** to, unsigned count, module* m) {
    require_pointer(to, m);
    for (const auto& k : m->code->image().kernels())
        if (count-- > 0) *to++ = s.modules.function_in(m, k.name);
}
CALL(cuKernelGetLibrary, session&, library** to, kernel* k) {
    require_pointer(to, k);
    *to = k->owner;
}
CALL(cuFuncGetModule, session& s, module** to, void* f) {
    value_at(to) = s.modules.function_of(f)->owner;
}
CALL(cuModuleLoadData, session& s, module** to, const void* code) {
    require_pointer(to, code);
    *to = s.modules.load(code, "module", s.current_device());
}
CALL(cuModuleLoad, session& s, module** to, const char* path) {
    require_pointer(to);
    *to = s.modules.load(read_code_file(path).c_str(), path, s.current_device());
}
CALL(cuModuleUnload, session& s, module* m) {
    s.work().wait_all(s.current_device());
    s.modules.unload(m);
}
CALL(cuModuleGetFunction, session& s, function** to, module* m, const char* name) {
    require_pointer(to);
    *to = s.modules.function_in(m, name);
}
CALL(cuModuleGetGlobal, session& s, std::uint64_t* to, std::size_t* bytes, module* m,
     const char* name) {
    const auto v = s.modules.variable_in(m, name);
    if (to != nullptr) *to = v.first;
    if (bytes != nullptr) *bytes = v.second;
}
CALL(cuModuleLoadDataEx, session& s, module** to, const void* code, unsigned count,
     const int* options, void** values) {
    require_pointer(to, code);
    with_log({count, options, values},
             [&] { *to = s.modules.load(code, "module", s.current_device()); });
}
CALL(cuLibraryGetModule, session& s, module** to, library* l) {
    require_pointer(to);
    *to = &s.modules.of(value_at(l), s.current_device());
}
CALL(cudaLibraryLoadData, session& s, library** to, const void* code, void*, void**, unsigned,
     void*, void**, unsigned) {
    require_pointer(to, code);
    library* const l = code_registry::get().add(nullptr, "library");
    l->source = module_in(code, s.config().architecture(), s.config().code, l->name);
    l->read = true;
    *to = l;
}
CALL(cudaLibraryLoadFromFile, session& s, library** to, const char* file, void* a, void** b,
     unsigned c, void* d, void** e, unsigned f) {
    const std::string code = read_code_file(file);
    cudaLibraryLoadData_call::run(s, to, code.c_str(), a, b, c, d, e, f);
}
CALL(cudaLibraryUnload, session& s, library* l) {
    require_pointer(l);
    s.work().wait_all(s.current_device());
    code_registry::get().remove(l);
}
CALL(cudaLibraryGetKernel, session& s, kernel** to, library* l, const char* name) {
    require_pointer(to);
    require(s.modules.of(value_at(l), s.current_device()).find(name) != nullptr, status::not_found,
            "unknown kernel");
    *to = code_registry::get().kernel_in(*l, name);
}
CALL(cudaLibraryGetKernelCount, session& s, unsigned* to, library* l) {
    require_pointer(to);
    *to = static_cast<unsigned>(
        s.modules.of(value_at(l), s.current_device()).code->image().kernels().size());
}
CALL(cudaLibraryEnumerateKernels, session& s, kernel** to, unsigned count, library* l) {
    for (const auto& k : s.modules.of(value_at(l), s.current_device()).code->image().kernels())
        if (count-- > 0) *to++ = code_registry::get().kernel_in(*l, k.name);
}
CALL(cudaLibraryGetGlobal, session& s, void** to, std::size_t* bytes, library* l,
     const char* name) {
    const auto v = s.modules.of(value_at(l), s.current_device()).code->find_variable(name);
    require(v.first != 0, status::not_found, "unknown variable");
    if (to != nullptr) *to = pointer_to(v.first);
    if (bytes != nullptr) *bytes = v.second;
}

}  // namespace simtlm::cuda
