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

extern "C" __attribute__((visibility("default"))) void** simtlm_rt___cudaRegisterFatBinary(
    void* wrapper) {
    static std::atomic<unsigned> count{0};
    const unsigned number = ++count;
    const std::string name = program_name() + (number == 1 ? "" : fmt::format("#{}", number));
    return reinterpret_cast<void**>(session::add_library(wrapper, name));
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterFatBinaryEnd(
    void**) {}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaUnregisterFatBinary(void**) {
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterFunction(
    void** handle, const char* host, char*, const char* name, int, void*, void*, void*, void*,
    int*) {
    session::register_kernel(library_of(handle), host, name);
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterVar(
    void** handle, char* host, char*, const char* name, int, std::size_t bytes, int, int) {
    session::register_symbol(host, {library_of(handle), name, bytes, false});
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterHostVar(
    void** handle, const char* name, char* host, std::size_t bytes) {
    session::register_symbol(host, {library_of(handle), name, bytes, false});
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterManagedVar(
    void** handle, void** host, char*, const char* name, int, std::size_t bytes, int, int) {
    library* const l = library_of(handle);
    l->managed.push_back({host, name});
    session::register_symbol(host, {l, name, bytes, false});
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterTexture(
    void** handle, const void* host, const void**, const char* name, int, int normalised, int) {
    session::register_symbol(host, {library_of(handle), unscoped(name), 0, normalised != 0});
}
extern "C" __attribute__((visibility("default"))) void simtlm_rt___cudaRegisterSurface(
    void** handle, const void* host, const void**, const char* name, int, int) {
    session::register_symbol(host, {library_of(handle), unscoped(name), 0, false});
}
extern "C" __attribute__((visibility("default"))) char simtlm_rt___cudaInitModule(void** handle) {
    runtime_call("__cudaInitModule", [&](session& s) { s.module_of(*library_of(handle), 0); });
    return 0;
}

// ---- <<<>>> ----

extern "C" __attribute__((visibility("default"))) unsigned simtlm_rt___cudaPushCallConfiguration(
    size3 grid, size3 block, std::size_t shared, void* stream) {
    session::thread().configurations.push_back({grid, block, shared, stream});
    return 0;
}
RUNTIME(__cudaPopCallConfiguration)(size3* grid, size3* block, std::size_t* shared, void** stream) {
    auto& all = session::thread().configurations;
    if (all.empty()) return runtime_number(status::invalid_configuration);
    *grid = all.back().grid;
    *block = all.back().block;
    *shared = all.back().shared;
    *stream = all.back().stream;
    all.pop_back();
    return 0;
}
RUNTIME(cudaLaunchKernel)
(const void* kernel, size3 grid, size3 block, void** arguments, std::size_t shared, void* stream) {
    return runtime_call("cudaLaunchKernel", [&](session& s) {
        launch(s, kernel, parameters(grid, block, arguments, shared), {}, stream);
    });
}
RUNTIME(cudaLaunchCooperativeKernel)
(const void* kernel, size3 grid, size3 block, void** arguments, std::size_t shared, void* stream) {
    return runtime_call("cudaLaunchCooperativeKernel", [&](session& s) {
        launch(s, kernel, parameters(grid, block, arguments, shared), {true}, stream);
    });
}
RUNTIME(cudaLaunchCooperativeKernelMultiDevice)(launch_parameters* list, unsigned count, unsigned) {
    return runtime_call("cudaLaunchCooperativeKernelMultiDevice", [&](session& s) {
        require_pointer(list);
        require(count == 1, status::not_supported, "multi-device launches are not supported");
        launch(s, list->function,
               parameters(list->grid, list->block, list->arguments, list->shared), {true},
               list->stream);
    });
}
RUNTIME(cudaLaunchKernelExC)(const launch_configuration* c, const void* kernel, void** arguments) {
    return runtime_call("cudaLaunchKernelExC", [&](session& s) {
        require_pointer(c);
        const launch_options how = options_of(c->attributes, c->attribute_count);
        launch(s, kernel, parameters(c->grid, c->block, arguments, c->shared), how, c->stream,
               c->attributes, c->attribute_count);
    });
}
RUNTIME(__cudaGetKernel)(kernel** to, const void* host) {
    return runtime_call("__cudaGetKernel", [&](session& s) {
        *to = s.kernel_of(host);
        require(*to != nullptr, status::invalid_device_function, "not a kernel");
    });
}
RUNTIME(cudaGetKernel)(kernel** to, const void* host) {
    return simtlm_rt___cudaGetKernel(to, host);
}
RUNTIME(__cudaLaunchKernel)
(kernel* k, size3 grid, size3 block, void** arguments, std::size_t shared, void* stream) {
    return simtlm_rt_cudaLaunchKernel(k, grid, block, arguments, shared, stream);
}
RUNTIME(cudaGetFuncBySymbol)(function** to, const void* host) {
    return runtime_call("cudaGetFuncBySymbol", [&](session& s) {
        require_pointer(to);
        *to = s.function_of(host);
    });
}

// ---- attributes of kernels ----

RUNTIME(cudaFuncGetAttributes)(function_attributes* to, const void* kernel) {
    return runtime_call("cudaFuncGetAttributes", [&](session& s) {
        require_pointer(to);
        *to = attributes_of(s, *s.function_of(kernel));
    });
}
RUNTIME(cudaFuncGetAttributes_v12)(function_attributes* to, const void* kernel) {
    return runtime_call("cudaFuncGetAttributes", [&](session& s) {
        require_pointer(to);
        function& f = *s.function_of(kernel);
        const function_attributes a = attributes_of(s, f);
        const more_function_attributes more = more_attributes_of(f);
        constexpr std::size_t bytes =
            offsetof(function_attributes, carve_out) + sizeof(function_attributes::carve_out);
        std::memcpy(static_cast<void*>(to), &a, bytes);
        std::memcpy(reinterpret_cast<char*>(to) + bytes, &more, sizeof more);
    });
}
RUNTIME(cudaFuncSetAttribute)(const void* kernel, int attribute, int value) {
    return runtime_call("cudaFuncSetAttribute", [&](session& s) {
        set_function_attribute(s, *s.function_of(kernel), attribute, value);
    });
}
RUNTIME(cudaKernelSetAttributeForDevice)
(const void* kernel, int attribute, int value, int device) {
    return runtime_call("cudaKernelSetAttributeForDevice", [&](session& s) {
        check_device(s, device);
        set_function_attribute(s, *s.function_of(kernel, static_cast<unsigned>(device)), attribute,
                               value);
    });
}
RUNTIME(cudaFuncSetCacheConfig)(const void* kernel, int preference) {
    return runtime_call("cudaFuncSetCacheConfig", [&](session& s) {
        require(preference >= 0 && preference <= 3, status::invalid_value, "unknown preference");
        s.function_of(kernel)->cache_preference = preference;
    });
}
RUNTIME(cudaFuncSetSharedMemConfig)(const void* kernel, int) {
    return runtime_call("cudaFuncSetSharedMemConfig", [&](session& s) { s.function_of(kernel); });
}
RUNTIME(cudaFuncGetName)(const char** to, const void* kernel) {
    return runtime_call("cudaFuncGetName", [&](session& s) {
        require_pointer(to);
        *to = s.function_of(kernel)->kernel->name.c_str();
    });
}
RUNTIME(cudaFuncGetParamInfo)
(const void* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    return runtime_call("cudaFuncGetParamInfo", [&](session& s) {
        const auto& all = s.function_of(kernel)->kernel->parameters;
        require(index < all.size(), status::invalid_value, "unknown parameter");
        if (offset != nullptr) *offset = all[index].offset;
        if (bytes != nullptr) *bytes = all[index].size;
    });
}
RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* to, const void* kernel, int block, std::size_t shared) {
    return runtime_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](session& s) {
        require_pointer(to);
        *to = resident_blocks(s, *s.function_of(kernel), block, shared);
    });
}
RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* to, const void* kernel, int block, std::size_t shared, unsigned) {
    return simtlm_rt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, kernel, block, shared);
}
RUNTIME(cudaOccupancyMaxActiveClusters)
(int* to, const void* kernel, const launch_configuration* c) {
    return runtime_call("cudaOccupancyMaxActiveClusters", [&](session& s) {
        require_pointer(to);
        require_pointer(c);
        *to = active_clusters(s, *s.function_of(kernel), c->block, c->shared,
                              options_of(c->attributes, c->attribute_count).cluster);
    });
}
RUNTIME(cudaOccupancyMaxPotentialClusterSize)
(int* to, const void* kernel, const launch_configuration* c) {
    return runtime_call("cudaOccupancyMaxPotentialClusterSize", [&](session& s) {
        require_pointer(to);
        require_pointer(c);
        *to = largest_cluster_of(s, *s.function_of(kernel), c->block, c->shared);
    });
}
RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock)
(std::size_t* to, const void* kernel, int blocks, int block_size) {
    return runtime_call("cudaOccupancyAvailableDynamicSMemPerBlock", [&](session& s) {
        require_pointer(to);
        *to = available_dynamic_shared(s, *s.function_of(kernel), blocks, block_size);
    });
}

// ---- libraries ----

RUNTIME(cudaLibraryLoadData)
(library** to, const void* code, void*, void**, unsigned, void*, void**, unsigned) {
    return runtime_call("cudaLibraryLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        library* const l = session::add_library(nullptr, "library");
        l->source = module_in(code, s.config().architecture(), s.config().code, l->name);
        l->read = true;
        *to = l;
    });
}
RUNTIME(cudaLibraryLoadFromFile)
(library** to, const char* file, void* a, void** b, unsigned c, void* d, void** e, unsigned f) {
    std::ifstream in(file == nullptr ? "" : file, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        return runtime_call("cudaLibraryLoadFromFile", [&](session&) {
            throw failure(status::file_not_found, "the file cannot be read");
        });
    const std::string code = text.str();
    return simtlm_rt_cudaLibraryLoadData(to, code.c_str(), a, b, c, d, e, f);
}
RUNTIME(cudaLibraryUnload)(library* l) {
    return runtime_call("cudaLibraryUnload", [&](session& s) {
        require_pointer(l);
        s.work().wait_all(s.current_device());
        s.remove_library(l);
    });
}
RUNTIME(cudaLibraryGetKernel)(kernel** to, library* l, const char* name) {
    return runtime_call("cudaLibraryGetKernel", [&](session& s) {
        require_pointer(to);
        require(s.module_of(value_at(l), s.current_device()).find(name) != nullptr,
                status::not_found, "unknown kernel");
        *to = session::kernel_in(*l, name);
    });
}
RUNTIME(cudaLibraryGetKernelCount)(unsigned* to, library* l) {
    return runtime_call("cudaLibraryGetKernelCount", [&](session& s) {
        require_pointer(to);
        *to = static_cast<unsigned>(
            s.module_of(value_at(l), s.current_device()).code->image().kernels().size());
    });
}
RUNTIME(cudaLibraryEnumerateKernels)(kernel** to, unsigned count, library* l) {
    return runtime_call("cudaLibraryEnumerateKernels", [&](session& s) {
        for (const auto& k : s.module_of(value_at(l), s.current_device()).code->image().kernels())
            if (count-- > 0) *to++ = session::kernel_in(*l, k.name);
    });
}
RUNTIME(cudaLibraryGetGlobal)(void** to, std::size_t* bytes, library* l, const char* name) {
    return runtime_call("cudaLibraryGetGlobal", [&](session& s) {
        const auto v = s.module_of(value_at(l), s.current_device()).code->find_variable(name);
        require(v.first != 0, status::not_found, "unknown variable");
        if (to != nullptr) *to = pointer_to(v.first);
        if (bytes != nullptr) *bytes = v.second;
    });
}
RUNTIME(cudaLibraryGetManaged)(void** to, std::size_t* bytes, library* l, const char* name) {
    return simtlm_rt_cudaLibraryGetGlobal(to, bytes, l, name);
}

// ---- driver entry points ----

RUNTIME(cudaGetDriverEntryPointByVersion)
(const char* name, void** to, unsigned version, unsigned long long flags, int* found) {
    return runtime_call("cudaGetDriverEntryPoint", [&](session&) {
        require_pointer(to);
        *to = find_driver_function(name, static_cast<int>(version),
                                   (flags & per_thread_default_stream) != 0);
        if (found != nullptr) *found = *to != nullptr ? 0 : 1;
    });
}
/// For CUDA 12; CUDA 13 has only the variant with a version.
RUNTIME(cudaGetDriverEntryPoint)
(const char* name, void** to, unsigned long long flags, int* found) {
    constexpr unsigned last_of_12 = 12090;
    return simtlm_rt_cudaGetDriverEntryPointByVersion(name, to, last_of_12, flags, found);
}
RUNTIME(cudaGetDriverEntryPoint_v11)(const char* name, void** to, unsigned long long flags) {
    return runtime_call("cudaGetDriverEntryPoint", [&](session&) {
        constexpr int last_of_11 = 11080;
        require_pointer(to);
        *to = find_driver_function(name, last_of_11, (flags & per_thread_default_stream) != 0);
        require(*to != nullptr, status::not_found, "unknown function");
    });
}
