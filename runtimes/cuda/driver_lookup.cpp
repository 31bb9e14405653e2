// SPDX-License-Identifier: Apache-2.0
// Lookup of driver API functions by name.
#include "runtimes/cuda/own_folder.h"
#include "runtimes/cuda/runtime_lookup.h"

#include <dlfcn.h>

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

}  // namespace

void* find_driver_function(const char* name, int version, bool per_thread) {
    if (name == nullptr) return nullptr;
    const char* symbol = name;
    for (const revision& r : revisions)
        if (version >= r.since && std::strcmp(r.name, name) == 0) symbol = r.entry;
    if (per_thread)
        for (const char* const suffix : {"_ptsz", "_ptds", "_v2_ptsz", "_v2_ptds"})
            if (void* const found = find_symbol(std::string(symbol) + suffix)) return found;
    return find_symbol(symbol);
}

}  // namespace simtlm::cuda
