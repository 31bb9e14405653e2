// SPDX-License-Identifier: Apache-2.0
// How loaders and programs find the entry points: the dispatch table of cl_khr_icd, and lookup by
// name.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/entry_points.h"

#define ENTRY(name, major, minor) \
    extern "C" __attribute__((visibility("hidden"))) decltype(::name) simtlm_##name;
#define ABSENT_EXTENSION ENTRY
#include "runtimes/opencl/entry_points.def"
#undef ENTRY

namespace simtlm::opencl {

namespace {

cl_icd_dispatch make_table() {
    cl_icd_dispatch t{};
#define ENTRY(name, major, minor) t.name = simtlm_##name;
#define ABSENT_EXTENSION ENTRY
#include "runtimes/opencl/entry_points.def"
#undef ENTRY
    return t;
}

}  // namespace

const cl_icd_dispatch dispatch_table = make_table();

}  // namespace simtlm::opencl

using namespace simtlm::opencl;

CL(cl_int, clIcdGetPlatformIDsKHR)(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
    return simtlm_clGetPlatformIDs(room, platforms, count);
}

CL(void*, clGetExtensionFunctionAddress)(const char* name) {
    if (name == nullptr) return nullptr;
    const std::string wanted = name;
    if (wanted == "clIcdGetPlatformIDsKHR")
        return reinterpret_cast<void*>(simtlm_clIcdGetPlatformIDsKHR);
#define ENTRY(entry, major, minor) \
    if (wanted == #entry) return reinterpret_cast<void*>(simtlm_##entry);
#include "runtimes/opencl/entry_points.def"
#undef ENTRY
    return nullptr;
}

CL(void*, clGetExtensionFunctionAddressForPlatform)(cl_platform_id p, const char* name) {
    void* found = nullptr;
    call("clGetExtensionFunctionAddressForPlatform", [&](session& s) {
        require(p == &s.platform, CL_INVALID_PLATFORM);
        found = simtlm_clGetExtensionFunctionAddress(name);
    });
    return found;
}
