// SPDX-License-Identifier: Apache-2.0
// Runtime API: registration of code, launches, attributes of kernels.
#include "runtimes/cuda/runtime_api.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace simtlm::cuda;

namespace {

std::string program_name() {
    char path[4096];
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string name(path, n > 0 ? static_cast<std::size_t>(n) : 0);
    return name.substr(name.rfind('/') + 1);
}

/// Textures and surfaces are registered with their scope prefix, which is removed.
std::string unscoped(const char* name) {
    return name[0] == ':' && name[1] == ':' ? name + 2 : name;
}

library* library_of(void** handle) {
    return reinterpret_cast<library*>(handle);
}

void launch(session& s, const void* kernel, const kernel_parameters& p, const launch_options& how,
            void* stream, const launch_attribute* attributes = nullptr, unsigned count = 0) {
    simtlm::device::stream& to = s.stream(stream);
    operation o = launch_operation(s, kernel, to.device, p, how, true);
    if (attributes != nullptr) o.attributes.assign(attributes, attributes + count);
    enqueue(s, to, std::move(o));
    record_events_of(s, attributes, count, to);
}

kernel_parameters parameters(size3 grid, size3 block, void** arguments, std::size_t shared) {
    require(shared <= 0x7fffffff, status::invalid_value, "too much shared memory");
    return {nullptr, grid, block, static_cast<unsigned>(shared), arguments, nullptr};
}

}  // namespace

launch_options simtlm::cuda::options_of(const launch_attribute* attributes, unsigned count) {
    launch_options how;
    for (unsigned i = 0; i < count; ++i) {
        const launch_attribute& a = attributes[i];
        switch (a.id) {
            case launch_attribute_id::cooperative:
                how.cooperative = a.cooperative != 0;
                break;
            case launch_attribute_id::cluster_dimension:
                how.cluster = a.cluster;
                break;
            case launch_attribute_id::programmatic_stream_serialization:
                how.programmatic = a.programmatic != 0;
                break;
            case launch_attribute_id::preferred_carve_out:
                how.carve_out = static_cast<int>(a.carve_out);
                break;
            case launch_attribute_id::programmatic_event:
            case launch_attribute_id::launch_completion_event:
                break;  // record_events_of()
        }
    }
    return how;
}

void simtlm::cuda::record_events_of(session& s, const launch_attribute* attributes, unsigned count,
                                    simtlm::device::stream& stream) {
    for (unsigned i = 0; i < count; ++i)
        if (attributes[i].id == launch_attribute_id::programmatic_event ||
            attributes[i].id == launch_attribute_id::launch_completion_event)
            record_event(s, s.event(attributes[i].event), stream);
}

// ---- registration ----

FUNCTION(void**, __cudaRegisterFatBinary, void* wrapper) {
    static std::atomic<unsigned> count{0};
    const unsigned number = ++count;
    const std::string name = program_name() + (number == 1 ? "" : fmt::format("#{}", number));
    return reinterpret_cast<void**>(session::add_library(wrapper, name));
}
FUNCTION(void, __cudaRegisterFatBinaryEnd, void**) {}
FUNCTION(void, __cudaUnregisterFatBinary, void**) {}
FUNCTION(void, __cudaRegisterFunction, void** handle, const char* host, char*, const char* name,
         int, void*, void*, void*, void*, int*) {
    session::register_kernel(library_of(handle), host, name);
}
FUNCTION(void, __cudaRegisterVar, void** handle, char* host, char*, const char* name, int,
         std::size_t bytes, int, int) {
    session::register_symbol(host, {library_of(handle), name, bytes, false});
}
FUNCTION(void, __cudaRegisterHostVar, void** handle, const char* name, char* host,
         std::size_t bytes) {
    session::register_symbol(host, {library_of(handle), name, bytes, false});
}
FUNCTION(void, __cudaRegisterManagedVar, void** handle, void** host, char*, const char* name, int,
         std::size_t bytes, int, int) {
    library* const l = library_of(handle);
    l->managed.push_back({host, name});
    session::register_symbol(host, {l, name, bytes, false});
}
FUNCTION(void, __cudaRegisterTexture, void** handle, const void* host, const void**,
         const char* name, int, int normalised, int) {
    session::register_symbol(host, {library_of(handle), unscoped(name), 0, normalised != 0});
}
FUNCTION(void, __cudaRegisterSurface, void** handle, const void* host, const void**,
         const char* name, int, int) {
    session::register_symbol(host, {library_of(handle), unscoped(name), 0, false});
}
FUNCTION(char, __cudaInitModule, void** handle) {
    call<library_kind::runtime>("__cudaInitModule", after_fault::refused, [&](session& s) {
        s.module_of(*library_of(handle), 0);
        return status::success;
    });
    return 0;
}

// ---- <<<>>> ----

FUNCTION(unsigned, __cudaPushCallConfiguration, size3 grid, size3 block, std::size_t shared,
         void* stream) {
    session::thread().configurations.push_back({grid, block, shared, stream});
    return 0;
}
FUNCTION(result, __cudaPopCallConfiguration, size3* grid, size3* block, std::size_t* shared,
         void** stream) {
    auto& all = session::thread().configurations;
    if (all.empty()) return runtime_number(status::invalid_configuration);
    *grid = all.back().grid;
    *block = all.back().block;
    *shared = all.back().shared;
    *stream = all.back().stream;
    all.pop_back();
    return 0;
}
CALL(cudaLaunchKernel, session& s, const void* kernel, size3 grid, size3 block, void** arguments,
     std::size_t shared, void* stream) {
    launch(s, kernel, parameters(grid, block, arguments, shared), {}, stream);
}
CALL(cudaLaunchCooperativeKernel, session& s, const void* kernel, size3 grid, size3 block,
     void** arguments, std::size_t shared, void* stream) {
    launch(s, kernel, parameters(grid, block, arguments, shared), {true}, stream);
}
CALL(cudaLaunchCooperativeKernelMultiDevice, session& s, launch_parameters* list, unsigned count,
     unsigned) {
    require_pointer(list);
    require(count == 1, status::not_supported, "multi-device launches are not supported");
    launch(s, list->function, parameters(list->grid, list->block, list->arguments, list->shared),
           {true}, list->stream);
}
CALL(cudaLaunchKernelExC, session& s, const launch_configuration* c, const void* kernel,
     void** arguments) {
    require_pointer(c);
    const launch_options how = options_of(c->attributes, c->attribute_count);
    launch(s, kernel, parameters(c->grid, c->block, arguments, c->shared), how, c->stream,
           c->attributes, c->attribute_count);
}
CALL(__cudaGetKernel, session& s, kernel** to, const void* host) {
    *to = s.kernel_of(host);
    require(*to != nullptr, status::invalid_device_function, "not a kernel");
}
CALL(cudaGetFuncBySymbol, session& s, function** to, const void* host) {
    require_pointer(to);
    *to = s.function_of(host);
}

// ---- attributes of kernels ----

CALL(cudaFuncGetAttributes, session& s, function_attributes* to, const void* kernel) {
    require_pointer(to);
    *to = attributes_of(s, *s.function_of(kernel));
}
CALL_AS(cudaFuncGetAttributes_v12, "cudaFuncGetAttributes", session& s, function_attributes* to,
        const void* kernel) {
    require_pointer(to);
    function& f = *s.function_of(kernel);
    const function_attributes a = attributes_of(s, f);
    const more_function_attributes more = more_attributes_of(f);
    constexpr std::size_t bytes =
        offsetof(function_attributes, carve_out) + sizeof(function_attributes::carve_out);
    std::memcpy(static_cast<void*>(to), &a, bytes);
    std::memcpy(reinterpret_cast<char*>(to) + bytes, &more, sizeof more);
}
CALL(cudaFuncSetAttribute, session& s, const void* kernel, int attribute, int value) {
    set_function_attribute(s, *s.function_of(kernel), attribute, value);
}
CALL(cudaKernelSetAttributeForDevice, session& s, const void* kernel, int attribute, int value,
     int device) {
    check_device(s, device);
    set_function_attribute(s, *s.function_of(kernel, static_cast<unsigned>(device)), attribute,
                           value);
}
CALL(cudaFuncSetCacheConfig, session& s, const void* kernel, int preference) {
    require(preference >= 0 && preference <= 3, status::invalid_value, "unknown preference");
    s.function_of(kernel)->cache_preference = preference;
}
CALL(cudaFuncSetSharedMemConfig, session& s, const void* kernel, int) {
    s.function_of(kernel);
}
CALL(cudaFuncGetName, session& s, const char** to, const void* kernel) {
    require_pointer(to);
    *to = s.function_of(kernel)->kernel->name.c_str();
}
CALL(cudaFuncGetParamInfo, session& s, const void* kernel, std::size_t index, std::size_t* offset,
     std::size_t* bytes) {
    const auto& all = s.function_of(kernel)->kernel->parameters;
    require(index < all.size(), status::invalid_value, "unknown parameter");
    if (offset != nullptr) *offset = all[index].offset;
    if (bytes != nullptr) *bytes = all[index].size;
}
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, session& s, int* to, const void* kernel,
     int block, std::size_t shared) {
    require_pointer(to);
    *to = resident_blocks(s, *s.function_of(kernel), block, shared);
}
CALL(cudaOccupancyMaxActiveClusters, session& s, int* to, const void* kernel,
     const launch_configuration* c) {
    require_pointer(to, c);
    *to = active_clusters(s, *s.function_of(kernel), c->block, c->shared,
                          options_of(c->attributes, c->attribute_count).cluster);
}
CALL(cudaOccupancyMaxPotentialClusterSize, session& s, int* to, const void* kernel,
     const launch_configuration* c) {
    require_pointer(to, c);
    *to = largest_cluster_of(s, *s.function_of(kernel), c->block, c->shared);
}
CALL(cudaOccupancyAvailableDynamicSMemPerBlock, session& s, std::size_t* to, const void* kernel,
     int blocks, int block_size) {
    require_pointer(to);
    *to = available_dynamic_shared(s, *s.function_of(kernel), blocks, block_size);
}

// ---- libraries ----

CALL(cudaLibraryLoadData, session& s, library** to, const void* code, void*, void**, unsigned,
     void*, void**, unsigned) {
    require_pointer(to, code);
    library* const l = session::add_library(nullptr, "library");
    l->source = module_in(code, s.config().architecture(), s.config().code, l->name);
    l->read = true;
    *to = l;
}
CALL_AS(cudaLibraryLoadFromFile, cudaLibraryLoadData_call::name, session& s, library** to,
        const char* file, void* a, void** b, unsigned c, void* d, void** e, unsigned f) {
    const std::string code = read_code_file(file);
    cudaLibraryLoadData_call::run(s, to, code.c_str(), a, b, c, d, e, f);
}
CALL(cudaLibraryUnload, session& s, library* l) {
    require_pointer(l);
    s.work().wait_all(s.current_device());
    s.remove_library(l);
}
CALL(cudaLibraryGetKernel, session& s, kernel** to, library* l, const char* name) {
    require_pointer(to);
    require(s.module_of(value_at(l), s.current_device()).find(name) != nullptr, status::not_found,
            "unknown kernel");
    *to = session::kernel_in(*l, name);
}
CALL(cudaLibraryGetKernelCount, session& s, unsigned* to, library* l) {
    require_pointer(to);
    *to = static_cast<unsigned>(
        s.module_of(value_at(l), s.current_device()).code->image().kernels().size());
}
CALL(cudaLibraryEnumerateKernels, session& s, kernel** to, unsigned count, library* l) {
    for (const auto& k : s.module_of(value_at(l), s.current_device()).code->image().kernels())
        if (count-- > 0) *to++ = session::kernel_in(*l, k.name);
}
CALL(cudaLibraryGetGlobal, session& s, void** to, std::size_t* bytes, library* l,
     const char* name) {
    const auto v = s.module_of(value_at(l), s.current_device()).code->find_variable(name);
    require(v.first != 0, status::not_found, "unknown variable");
    if (to != nullptr) *to = pointer_to(v.first);
    if (bytes != nullptr) *bytes = v.second;
}

// ---- driver entry points ----

CALL_AS(cudaGetDriverEntryPointByVersion, "cudaGetDriverEntryPoint", session&, const char* name,
        void** to, unsigned version, unsigned long long flags, int* found) {
    require_pointer(to);
    *to = find_driver_function(name, static_cast<int>(version),
                               (flags & per_thread_default_stream) != 0);
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
    *to = find_driver_function(name, last_of_11, (flags & per_thread_default_stream) != 0);
    require(*to != nullptr, status::not_found, "unknown function");
}
