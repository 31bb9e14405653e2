// SPDX-License-Identifier: Apache-2.0
// Lookup of functions of the driver.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/abi/export_tables.h"
#include "runtimes/cuda/redirection/own_folder.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace simtlm::cuda {

namespace {

/// A function of the driver by the name of its symbol, as the library that programs link with
/// exports it.
void* find_symbol(const std::string& name) {
    static void* const library = dlopen((own_folder() + "libcuda.so.1").c_str(), RTLD_NOW);
    return library != nullptr && name.rfind("cu", 0) == 0 ? dlsym(library, name.c_str()) : nullptr;
}

/// A name that refers to a newer function from a CUDA version on. Functions with unchanged
/// parameters are not listed.
struct revision {
    const char* name;
    int since;  ///< 1000 * major + 10 * minor
    const char* entry;
};

constexpr revision revisions[] = {
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
    {"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
    {"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
    {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
    {"cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"},
    {"cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"},
    {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"},
    {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"},
    {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemcpy3DBatchAsync", 13000, "cuMemcpy3DBatchAsync_v2"},
    {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
    {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
    {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"},
};

/// Looks up a function by name for programs of a CUDA version.
/// @param version  1000 * major + 10 * minor
/// @param flags    cudaEnablePerThreadDefaultStream: prefers the variant in which stream 0 is the
///                 per-thread stream
/// @return nullptr if there is no such function
void* find_driver_function(const char* name, int version, std::uint64_t flags) {
    constexpr std::uint64_t per_thread = 2;
    if (name == nullptr) return nullptr;
    const char* symbol = name;
    for (const revision& r : revisions)
        if (version >= r.since && std::strcmp(r.name, name) == 0) symbol = r.entry;
    if ((flags & per_thread) != 0)
        for (const char* const suffix : {"_ptsz", "_ptds", "_v2_ptsz", "_v2_ptds"})
            if (void* const found = find_symbol(std::string(symbol) + suffix)) return found;
    return find_symbol(symbol);
}

}  // namespace

CALL(cuGetProcAddress, session&, const char* name, void** to, int version, std::uint64_t flags) {
    require_pointer(name, to);
    *to = find_driver_function(name, version, flags);
    require(*to != nullptr, status::not_found, (std::string("unknown function ") + name).c_str());
}
CALL_AS(cuGetProcAddress_v2, cuGetProcAddress_call::name, session& s, const char* name, void** to,
        int version, std::uint64_t flags, int* found) {
    if (found != nullptr) *found = 1;
    cuGetProcAddress_call::run(s, name, to, version, flags);
    if (found != nullptr) *found = 0;
}
FUNCTION(result, cuGetExportTable, const void** to, const uuid* which) {
    if (to == nullptr || which == nullptr) return driver_number(status::invalid_value);
    return call<library_kind::driver>("cuGetExportTable", after_fault::allowed, [&](session&) {
        *to = export_table(*which);
        return *to != nullptr ? status::success : status::not_found;
    });
}
CALL_AS(cudaGetDriverEntryPointByVersion, "cudaGetDriverEntryPoint", session&, const char* name,
        void** to, unsigned version, unsigned long long flags, int* found) {
    require_pointer(to);
    *to = find_driver_function(name, static_cast<int>(version), flags);
    if (found != nullptr) *found = *to != nullptr ? 0 : 1;
}
/// For CUDA 12; CUDA 13 has only the variant with a version.
CALL_AS(cudaGetDriverEntryPoint, "cudaGetDriverEntryPoint", session& s, const char* name, void** to,
        unsigned long long flags, int* found) {
    constexpr unsigned last_of_12 = 12090;
    cudaGetDriverEntryPointByVersion_call::run(s, name, to, last_of_12, flags, found);
}
CALL_AS(cudaGetDriverEntryPoint_v11, "cudaGetDriverEntryPoint", session&, const char* name,
        void** to, unsigned long long flags) {
    constexpr int last_of_11 = 11080;
    require_pointer(to);
    *to = find_driver_function(name, last_of_11, flags);
    require(*to != nullptr, status::not_found, "unknown function");
}

}  // namespace simtlm::cuda
