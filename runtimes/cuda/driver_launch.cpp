// SPDX-License-Identifier: Apache-2.0
// Driver API: launches, attributes of kernels, occupancy.
#include "runtimes/cuda/driver_api.h"

using namespace simtlm::cuda;

RUNTIME(cuLaunchKernel)
(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned shared, void* stream, void** arguments, void** extra) {
    return driver_call("cuLaunchKernel", [&](session& s) {
        launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra}, {}, stream);
    });
}
RUNTIME(cuLaunchCooperativeKernel)
(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned shared, void* stream, void** arguments) {
    return driver_call("cuLaunchCooperativeKernel", [&](session& s) {
        launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, nullptr}, {true}, stream);
    });
}
RUNTIME(cuLaunchHostFunc)(void* stream, void (*act)(void*), void* data) {
    return driver_call("cuLaunchHostFunc", [&](session& s) {
        enqueue(s, s.stream(stream), host_operation({act, data}));
    });
}
/// CUfunction_attribute
static int function_attribute(session& s, function& f, int attribute) {
    const function_attributes a = attributes_of(s, f);
    const more_function_attributes more = more_attributes_of(f);
    const int all[] = {a.max_threads,
                       static_cast<int>(a.shared_bytes),
                       static_cast<int>(a.constant_bytes),
                       static_cast<int>(a.local_bytes),
                       a.registers,
                       a.ptx_version,
                       a.binary_version,
                       a.cache_mode,
                       a.max_dynamic_shared,
                       a.carve_out,
                       more.cluster_must_be_set,
                       more.required_cluster[0],
                       more.required_cluster[1],
                       more.required_cluster[2],
                       more.non_portable_cluster,
                       more.cluster_policy};
    require(attribute >= 0 && attribute < 16, status::invalid_value, "no attribute");
    return all[attribute];
}
RUNTIME(cuFuncGetAttribute)(int* value, int attribute, void* f) {
    return driver_call("cuFuncGetAttribute", [&](session& s) {
        require_pointer(value);
        *value = function_attribute(s, *s.function_of(f), attribute);
    });
}
RUNTIME(cuKernelGetAttribute)(int* value, int attribute, kernel* k, int device) {
    return driver_call("cuKernelGetAttribute", [&](session& s) {
        require_pointer(value);
        check_device(s, device);
        *value = function_attribute(s, *s.function_of(k, static_cast<unsigned>(device)), attribute);
    });
}
RUNTIME(cuFuncSetAttribute)(void* f, int attribute, int value) {
    return driver_call("cuFuncSetAttribute", [&](session& s) {
        set_function_attribute(s, *s.function_of(f), attribute, value);
    });
}
RUNTIME(cuFuncSetCacheConfig)(void* f, int preference) {
    return driver_call("cuFuncSetCacheConfig", [&](session& s) {
        require(preference >= 0 && preference <= 3, status::invalid_value, "unknown preference");
        s.function_of(f)->cache_preference = preference;
    });
}
RUNTIME(cuFuncGetModule)(module** to, void* f) {
    return driver_call("cuFuncGetModule",
                       [&](session& s) { value_at(to) = s.function_of(f)->owner; });
}
RUNTIME(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int* to, void* f, int block, std::size_t shared) {
    return driver_call("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](session& s) {
        require_pointer(to);
        *to = resident_blocks(s, *s.function_of(f), block, shared);
    });
}
RUNTIME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* to, void* f, int block, std::size_t shared, unsigned) {
    return simtlm_rt_cuOccupancyMaxActiveBlocksPerMultiprocessor(to, f, block, shared);
}
