// SPDX-License-Identifier: Apache-2.0
// Driver API: launches, attributes of kernels, occupancy.
#include "runtimes/cuda/driver_api.h"

using namespace simtlm::cuda;

CALL(cuLaunchKernel, session& s, void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
     unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
    launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra}, {}, stream);
}
CALL(cuLaunchCooperativeKernel, session& s, void* f, unsigned gx, unsigned gy, unsigned gz,
     unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments) {
    launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, nullptr}, {true}, stream);
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
CALL(cuFuncGetAttribute, session& s, int* value, int attribute, void* f) {
    require_pointer(value);
    *value = function_attribute(s, *s.function_of(f), attribute);
}
CALL(cuKernelGetAttribute, session& s, int* value, int attribute, kernel* k, int device) {
    require_pointer(value);
    check_device(s, device);
    *value = function_attribute(s, *s.function_of(k, static_cast<unsigned>(device)), attribute);
}
CALL(cuFuncGetModule, session& s, module** to, void* f) {
    value_at(to) = s.function_of(f)->owner;
}
