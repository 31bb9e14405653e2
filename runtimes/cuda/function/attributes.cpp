// SPDX-License-Identifier: Apache-2.0
// Kernels and their attributes.
#include "platform/device/kernel_limits.h"
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/function/function.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtlm::cuda {

int carve_out_of(session& s, const function& f) {
    if (f.carve_out >= 0) return f.carve_out;
    const int own = f.cache_preference;
    // cudaFuncCachePreferNone, -Shared, -L1, -Equal
    constexpr int percent[] = {-1, 100, 0, 50};
    return percent[own != 0 ? own : s.contexts.of_device(f.device).cache_preference.load()];
}

std::uint64_t permitted_dynamic_shared(session& s, const function& f) {
    const std::uint64_t usual = device::usual_shared(s.config());
    const std::uint64_t rest = usual - std::min(usual, f.kernel->allocated_shared(0));
    return std::max(rest, static_cast<std::uint64_t>(std::max(f.max_dynamic_shared, 0)));
}

function_attributes attributes_of(session& s, function& f) {
    function_attributes a{};
    const execution::kernel_image& k = *f.kernel;
    a.max_threads = static_cast<int>(device::max_block_threads(s.config(), k));
    a.shared_bytes = k.allocated_shared(0);
    a.local_bytes = k.local_bytes;
    a.registers = static_cast<int>(k.registers);
    a.ptx_version = static_cast<int>(f.code->ptx_architecture());
    a.binary_version = static_cast<int>(s.config().gpu.binary_version());
    a.max_dynamic_shared = static_cast<int>(
        f.max_dynamic_shared >= 0 ? f.max_dynamic_shared : permitted_dynamic_shared(s, f));
    a.carve_out = f.carve_out;
    for (const execution::program_variable& v : f.code->image().variables())
        if (v.space == execution::program_variable::space_kind::constant)
            a.constant_bytes += v.bytes;
    return a;
}

more_function_attributes more_attributes_of(const function& f) {
    more_function_attributes a;
    const auto& need = f.kernel->required_cluster;
    a.cluster_must_be_set = need[0] != 0 ? 1 : 0;
    for (unsigned d = 0; d < 3; ++d)
        a.required_cluster[d] = need[0] != 0 ? static_cast<int>(need[d]) : f.required_cluster[d];
    a.cluster_policy = f.cluster_policy;
    a.non_portable_cluster = f.non_portable_cluster ? 1 : 0;
    return a;
}

void set_function_attribute(session& s, function& f, int attribute, int value) {
    const std::uint64_t most = device::max_shared_memory(s.config());
    switch (attribute) {
        case 8:  // cudaFuncAttributeMaxDynamicSharedMemorySize
            require(
                value >= 0 && static_cast<unsigned>(value) + f.kernel->allocated_shared(0) <= most,
                status::invalid_value, "more shared memory than a block can have");
            f.max_dynamic_shared = value;
            break;
        case 9:  // cudaFuncAttributePreferredSharedMemoryCarveout
            require(value >= -1 && value <= 100, status::invalid_value, "no percentage");
            f.carve_out = value;
            break;
        case 11:  // cudaFuncAttributeRequiredClusterWidth, -Height, -Depth
        case 12:
        case 13:
            require(f.kernel->required_cluster[0] == 0, status::not_permitted,
                    "the code of the kernel determines its cluster");
            require(value >= 0, status::invalid_value, "a negative size");
            f.required_cluster[static_cast<std::size_t>(attribute - 11)] = value;
            break;
        case 14:  // cudaFuncAttributeNonPortableClusterSizeAllowed
            require(value == 0 || value == 1, status::invalid_value, "neither 0 nor 1");
            f.non_portable_cluster = value == 1;
            break;
        case 15:  // cudaFuncAttributeClusterSchedulingPolicyPreference
            require(value >= 0 && value <= 2, status::invalid_value, "unknown policy");
            f.cluster_policy = value;
            break;
        default:
            throw failure(status::invalid_value, "not an attribute that can be set");
    }
}

CALL(cuFuncIsLoaded, session& s, int* to, void* f) {
    require_pointer(to);
    s.modules.function_of(f);
    *to = 1;
}
CALL(cuFuncLoad, session& s, void* f) {
    s.modules.function_of(f);
}
CALL(cuKernelGetName, session&, const char** to, kernel* k) {
    require_pointer(to, k);
    *to = k->name.c_str();
}
CALL(cuKernelSetAttribute, session& s, int attribute, int value, kernel* k, int device) {
    check_device(s, device);
    set_function_attribute(s, *s.modules.function_of(k, static_cast<unsigned>(device)), attribute,
                           value);
}

namespace {

/// CUfunction_attribute
int function_attribute(session& s, function& f, int attribute) {
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

}  // namespace

CALL(cuFuncGetAttribute, session& s, int* value, int attribute, void* f) {
    require_pointer(value);
    *value = function_attribute(s, *s.modules.function_of(f), attribute);
}
CALL(cuKernelGetAttribute, session& s, int* value, int attribute, kernel* k, int device) {
    require_pointer(value);
    check_device(s, device);
    *value =
        function_attribute(s, *s.modules.function_of(k, static_cast<unsigned>(device)), attribute);
}
CALL(__cudaGetKernel, session&, kernel** to, const void* host) {
    *to = code_registry::get().kernel_of(host);
    require(*to != nullptr, status::invalid_device_function, "not a kernel");
}
CALL(cudaGetFuncBySymbol, session& s, function** to, const void* host) {
    require_pointer(to);
    *to = s.modules.function_of(host);
}
CALL(cudaFuncGetAttributes, session& s, function_attributes* to, const void* kernel) {
    require_pointer(to);
    *to = attributes_of(s, *s.modules.function_of(kernel));
}
CALL_AS(cudaFuncGetAttributes_v12, "cudaFuncGetAttributes", session& s, function_attributes* to,
        const void* kernel) {
    require_pointer(to);
    function& f = *s.modules.function_of(kernel);
    const function_attributes a = attributes_of(s, f);
    const more_function_attributes more = more_attributes_of(f);
    constexpr std::size_t bytes =
        offsetof(function_attributes, carve_out) + sizeof(function_attributes::carve_out);
    std::memcpy(static_cast<void*>(to), &a, bytes);
    std::memcpy(reinterpret_cast<char*>(to) + bytes, &more, sizeof more);
}
CALL(cudaFuncSetAttribute, session& s, const void* kernel, int attribute, int value) {
    set_function_attribute(s, *s.modules.function_of(kernel), attribute, value);
}
CALL(cudaKernelSetAttributeForDevice, session& s, const void* kernel, int attribute, int value,
     int device) {
    check_device(s, device);
    set_function_attribute(s, *s.modules.function_of(kernel, static_cast<unsigned>(device)),
                           attribute, value);
}
CALL(cudaFuncSetCacheConfig, session& s, const void* kernel, int preference) {
    require(preference >= 0 && preference <= 3, status::invalid_value, "unknown preference");
    s.modules.function_of(kernel)->cache_preference = preference;
}
CALL(cudaFuncSetSharedMemConfig, session& s, const void* kernel, int) {
    s.modules.function_of(kernel);
}
CALL(cudaFuncGetName, session& s, const char** to, const void* kernel) {
    require_pointer(to);
    *to = s.modules.function_of(kernel)->kernel->name.c_str();
}
CALL(cudaFuncGetParamInfo, session& s, const void* kernel, std::size_t index, std::size_t* offset,
     std::size_t* bytes) {
    const auto& all = s.modules.function_of(kernel)->kernel->parameters;
    require(index < all.size(), status::invalid_value, "unknown parameter");
    if (offset != nullptr) *offset = all[index].offset;
    if (bytes != nullptr) *bytes = all[index].size;
}

}  // namespace simtlm::cuda
