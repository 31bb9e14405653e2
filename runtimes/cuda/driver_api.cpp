// SPDX-License-Identifier: Apache-2.0
// The driver API (libcuda.so.1): devices, contexts, modules, launches, memory, streams and events.
// What it has in common with the runtime is the runtime's: see runtime_api.h.
#include "runtimes/cuda/driver_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

using namespace simtlm::cuda;
using simtlm::device::memory_kind;

namespace {

/// The device follows the context that is current.
void make_current(context* c) {
    if (c != nullptr) session::thread().device = c->device;
}

context* current_context() {
    const auto& stack = session::thread().contexts;
    return stack.empty() ? nullptr : stack.back();
}

void check_context(session& s, context* c) {
    require(c != nullptr && s.knows(c), status::invalid_context, "this is no context");
}

std::string read_file(const char* path) {
    std::ifstream in(path == nullptr ? "" : path, std::ios::binary);
    std::ostringstream text;
    require(in && (text << in.rdbuf()), status::file_not_found, "the file cannot be read");
    return text.str();
}

block_copy row(std::uint64_t to, std::uint64_t from, std::size_t bytes, int kind) {
    block_copy c;
    c.to = to;
    c.from = from;
    c.width = bytes;
    c.kind = kind;
    return c;
}

/// CUDA_MEMCPY2D and the like begin, for each side, with an offset and what kind of memory it is.
struct side_2d {
    std::size_t x, y;
    unsigned kind;  ///< 1 host, 2 device, 3 array, 4 unified
    void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
};
struct copy_2d {
    side_2d from, to;
    std::size_t width, height;
};

template <class Side>
std::uint64_t begin_of(session& s, const Side& side, std::uint64_t z, std::uint64_t rows,
                       std::uint64_t& pitch, std::uint64_t& slice) {
    if (side.kind == 3) {
        const simtlm::device::array& a = s.array(side.array);
        pitch = a.row_pitch();
        slice = a.slice_pitch();
        return a.address + side.x + side.y * pitch + z * slice;
    }
    pitch = side.pitch;
    slice = pitch * rows;
    return (side.kind == 1 ? address_of(side.host) : side.device) + side.x + side.y * pitch +
           z * slice;
}

block_copy block_of(session& s, const copy_2d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.from = begin_of(s, p.from, 0, p.height, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, 0, p.height, c.to_pitch, c.to_slice);
    return c;
}
}  // namespace

namespace simtlm::cuda {

void copy(session& s, const block_copy& c, void* stream, bool asynchronous) {
    if (!asynchronous) refuse_during_capture(s);
    device::stream& where = s.stream(stream);
    const bool captured = capture_of(s, where) != nullptr;
    const auto t = enqueue(s, where, copy_operation(s, c, asynchronous && !captured));
    if (!asynchronous || (!captured && is_pageable(s, c.to))) finish(s, t);
}

void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {pointer_to(to), pitch, value, element, width, height}));
}

void launch(session& s, void* f, const kernel_parameters& p, bool cooperative, void* stream) {
    device::stream& to = s.stream(stream);
    function* const kernel = s.function_of(f, to.device);
    operation o = kernel_operation(s, kernel, p, cooperative);
    o.kernel.function = f;
    enqueue(s, to, std::move(o));
}

block_copy block_of(session& s, const driver_copy_3d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.depth = p.depth;
    c.from = begin_of(s, p.from, p.from.z, p.from.height, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, p.to.z, p.to.height, c.to_pitch, c.to_slice);
    return c;
}

}  // namespace simtlm::cuda

RUNTIME(cuInit)(unsigned flags) {
    return driver_call(
        "cuInit", [&](session&) { require(flags == 0, status::invalid_value, "unknown flags"); });
}
RUNTIME(cuDriverGetVersion)(int* version) {
    if (version == nullptr) return 1;
    *version = runtime_version;
    return 0;
}
RUNTIME(cuGetErrorName)(result r, const char** to) {
    *to = driver_name_of(r);
    return *to != nullptr ? 0 : 1;
}
RUNTIME(cuGetErrorString)(result r, const char** to) {
    *to = driver_name_of(r) != nullptr ? text_of(r) : nullptr;
    return *to != nullptr ? 0 : 1;
}

// ---- devices ----

RUNTIME(cuDeviceGetCount)(int* count) {
    return driver_call("cuDeviceGetCount",
                       [&](session& s) { *count = static_cast<int>(s.gpus().devices()); });
}
RUNTIME(cuDeviceGet)(int* device, int ordinal) {
    return driver_call("cuDeviceGet", [&](session& s) {
        check_device(s, ordinal);
        *device = ordinal;
    });
}
RUNTIME(cuDeviceGetName)(char* to, int bytes, int device) {
    return driver_call("cuDeviceGetName", [&](session& s) {
        std::snprintf(to, static_cast<std::size_t>(bytes), "%s", properties_of(s, device).name);
    });
}
RUNTIME(cuDeviceGetUuid)(uuid* to, int device) {
    return driver_call("cuDeviceGetUuid", [&](session& s) { *to = properties_of(s, device).id; });
}
RUNTIME(cuDeviceTotalMem)(std::size_t* bytes, int device) {
    return driver_call("cuDeviceTotalMem",
                       [&](session& s) { *bytes = properties_of(s, device).global_bytes; });
}
RUNTIME(cuDeviceGetAttribute)(int* value, int attribute, int device) {
    return driver_call("cuDeviceGetAttribute",
                       [&](session& s) { *value = attribute_of(s, attribute, device); });
}
RUNTIME(cuDeviceComputeCapability)(int* major, int* minor, int device) {
    return driver_call("cuDeviceComputeCapability", [&](session& s) {
        *major = properties_of(s, device).major;
        *minor = properties_of(s, device).minor;
    });
}
RUNTIME(cuDeviceCanAccessPeer)(int* can, int device, int peer) {
    return driver_call("cuDeviceCanAccessPeer", [&](session& s) {
        check_device(s, device);
        check_device(s, peer);
        *can = device != peer ? 1 : 0;
    });
}

// ---- contexts ----

RUNTIME(cuCtxCreate)(context** to, unsigned flags, int device) {
    return driver_call("cuCtxCreate", [&](session& s) {
        check_device(s, device);
        *to = s.add_context(static_cast<unsigned>(device), flags);
        session::thread().contexts.push_back(*to);
        make_current(*to);
    });
}
/// CUDA 13: with parameters.
RUNTIME(cuCtxCreate_v4)(context** to, void*, unsigned flags, int device) {
    return simtlm_rt_cuCtxCreate(to, flags, device);
}
RUNTIME(cuCtxCreate_v3)(context** to, void*, int, unsigned flags, int device) {
    return simtlm_rt_cuCtxCreate(to, flags, device);
}
/// Of old: counts users of a context.
RUNTIME(cuCtxAttach)(context** to, unsigned) {
    return driver_call("cuCtxAttach", [&](session&) {
        require_pointer(to);
        *to = current_context();
        require(*to != nullptr, status::invalid_context, "no context is current");
        ++(*to)->references;
    });
}
RUNTIME(cuCtxDetach)(context* c) {
    return driver_call("cuCtxDetach", [&](session& s) {
        check_context(s, c);
        if (c->references > 0) --c->references;
    });
}
RUNTIME(cuCtxDestroy)(context* c) {
    return driver_call("cuCtxDestroy", [&](session& s) {
        check_context(s, c);
        s.work().wait_all(c->device);
        auto& stack = session::thread().contexts;
        stack.erase(std::remove(stack.begin(), stack.end(), c), stack.end());
        s.remove_context(c);
    });
}
RUNTIME(cuCtxGetCurrent)(context** to) {
    return driver_call("cuCtxGetCurrent", [&](session&) { *to = current_context(); });
}
RUNTIME(cuCtxSetCurrent)(context* c) {
    return driver_call("cuCtxSetCurrent", [&](session& s) {
        auto& stack = session::thread().contexts;
        if (!stack.empty()) stack.pop_back();
        if (c == nullptr) return;
        check_context(s, c);
        stack.push_back(c);
        make_current(c);
    });
}
RUNTIME(cuCtxPushCurrent)(context* c) {
    return driver_call("cuCtxPushCurrent", [&](session& s) {
        check_context(s, c);
        session::thread().contexts.push_back(c);
        make_current(c);
    });
}
RUNTIME(cuCtxPopCurrent)(context** to) {
    return driver_call("cuCtxPopCurrent", [&](session&) {
        auto& stack = session::thread().contexts;
        require(!stack.empty(), status::invalid_context, "no context is current");
        if (to != nullptr) *to = stack.back();
        stack.pop_back();
        make_current(current_context());
    });
}
RUNTIME(cuCtxGetDevice)(int* device) {
    return driver_call("cuCtxGetDevice", [&](session&) {
        require(current_context() != nullptr, status::invalid_context, "no context is current");
        *device = static_cast<int>(current_context()->device);
    });
}
RUNTIME(cuCtxGetFlags)(unsigned* flags) {
    return driver_call("cuCtxGetFlags", [&](session&) { *flags = 0; });
}
RUNTIME(cuCtxGetApiVersion)(context*, unsigned* version) {
    return driver_call("cuCtxGetApiVersion", [&](session&) { *version = 3020; });
}
RUNTIME(cuCtxSynchronize)() {
    return driver_call("cuCtxSynchronize", [&](session& s) {
        refuse_during_capture(s);
        const status r = s.work().wait_all(s.current_device());
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuCtxSynchronize_v2)(context* c) {
    return driver_call("cuCtxSynchronize_v2", [&](session& s) {
        check_context(s, c);
        refuse_during_capture(s);
        const status r = s.work().wait_all(c->device);
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuCtxGetDevice_v2)(int* device, context* c) {
    return driver_call("cuCtxGetDevice_v2", [&](session& s) {
        require_pointer(device);
        check_context(s, c);
        *device = static_cast<int>(c->device);
    });
}
RUNTIME(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
    return driver_call("cuCtxGetStreamPriorityRange", [&](session&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
    });
}
RUNTIME(cuCtxSetCacheConfig)(int) {
    return driver_call("cuCtxSetCacheConfig", [&](session&) {});
}
RUNTIME(cuDevicePrimaryCtxRetain)(context** to, int device) {
    return driver_call("cuDevicePrimaryCtxRetain", [&](session& s) {
        check_device(s, device);
        *to = s.primary_context(static_cast<unsigned>(device));
        ++(*to)->references;
    });
}
RUNTIME(cuDevicePrimaryCtxRelease)(int device) {
    return driver_call("cuDevicePrimaryCtxRelease", [&](session& s) {
        check_device(s, device);
        context* const c = s.primary_context(static_cast<unsigned>(device));
        if (c->references > 0) --c->references;
    });
}
RUNTIME(cuDevicePrimaryCtxSetFlags)(int device, unsigned flags) {
    return driver_call("cuDevicePrimaryCtxSetFlags", [&](session& s) {
        check_device(s, device);
        s.primary_context(static_cast<unsigned>(device))->flags = flags;
    });
}
RUNTIME(cuDevicePrimaryCtxGetState)(int device, unsigned* flags, int* active) {
    return driver_call("cuDevicePrimaryCtxGetState", [&](session& s) {
        check_device(s, device);
        context* const c = s.primary_context(static_cast<unsigned>(device));
        *flags = c->flags;
        *active = c->references > 0 ? 1 : 0;
    });
}
RUNTIME(cuDevicePrimaryCtxReset)(int device) {
    return driver_call("cuDevicePrimaryCtxReset", [&](session& s) {
        check_device(s, device);
        s.reset_device(static_cast<unsigned>(device));
    });
}

// ---- modules ----

RUNTIME(cuModuleLoadData)(module** to, const void* code) {
    return driver_call("cuModuleLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        *to = s.load_module(code, "module", s.current_device());
    });
}
RUNTIME(cuModuleLoadFatBinary)(module** to, const void* code) {
    return simtlm_rt_cuModuleLoadData(to, code);
}
RUNTIME(cuModuleLoad)(module** to, const char* path) {
    return driver_call("cuModuleLoad", [&](session& s) {
        require_pointer(to);
        *to = s.load_module(read_file(path).c_str(), path, s.current_device());
    });
}
RUNTIME(cuModuleUnload)(module* m) {
    return driver_call("cuModuleUnload", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.unload_module(m);
    });
}
RUNTIME(cuModuleGetFunction)(function** to, module* m, const char* name) {
    return driver_call("cuModuleGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_in(m, name);
    });
}
RUNTIME(cuModuleGetGlobal)(std::uint64_t* to, std::size_t* bytes, module* m, const char* name) {
    return driver_call("cuModuleGetGlobal", [&](session& s) {
        const auto v = s.variable_in(m, name);
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}

// ---- linking, of PTX ----

namespace {
/// What the program wants to be told of its compilation: CUjit_option and values side by side. The
/// value of a size is room before, and bytes written afterwards.
struct compilation_log {
    unsigned count = 0;
    const int* options = nullptr;
    void** values = nullptr;

    void** value_of(int option) const {
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == option) return &values[i];
        return nullptr;
    }
    void write(int buffer, const std::string& text) const {
        void** const to = value_of(buffer);
        void** const size = value_of(buffer + 1);
        if (to == nullptr || *to == nullptr || size == nullptr) return;
        const auto room = reinterpret_cast<std::uintptr_t>(*size) & 0xffffffff;
        const std::size_t bytes = std::min<std::size_t>(room, text.size() + 1);
        if (bytes == 0) return;
        std::memcpy(*to, text.c_str(), bytes);
        static_cast<char*>(*to)[bytes - 1] = 0;
        *size = reinterpret_cast<void*>(bytes - 1);
    }
    /// Compiling takes no simulated time. @param fault  empty: none
    void write_all(const std::string& fault) const {
        constexpr int wall_time = 2, information = 3, errors = 5;
        const float none = 0;
        if (void** const time = value_of(wall_time)) std::memcpy(time, &none, sizeof none);
        write(information, "");
        write(errors, fault);
    }
};

/// Does what may fail because of the program's PTX, and tells the log.
template <class Act>
void with_log(const compilation_log& log, Act&& act) {
    try {
        act();
    } catch (const failure& e) {
        log.write_all(e.what());
        throw;
    }
    log.write_all({});
}

struct linker {
    std::vector<simtlm::device::module_source> inputs;
    std::string text;  ///< when it is complete
    std::vector<int> options;
    void** values = nullptr;  ///< where the program has them; read and written
};
}  // namespace

RUNTIME(cuModuleLoadDataEx)
(module** to, const void* code, unsigned count, const int* options, void** values) {
    return driver_call("cuModuleLoadDataEx", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        with_log({count, options, values},
                 [&] { *to = s.load_module(code, "module", s.current_device()); });
    });
}
RUNTIME(cuLinkCreate)(unsigned count, const int* options, void** values, linker** to) {
    return driver_call("cuLinkCreate", [&](session&) {
        require_pointer(to);
        auto fresh = std::make_unique<linker>();
        if (count != 0) fresh->options.assign(options, options + count);
        fresh->values = values;
        *to = fresh.release();
    });
}
RUNTIME(cuLinkAddData)
(linker* l, int type, void* data, std::size_t bytes, const char* name, unsigned, void*, void**) {
    return driver_call("cuLinkAddData", [&](session& s) {
        require_pointer(l);
        require_pointer(data);
        constexpr int ptx = 1, fat_binary = 2;
        require(type == ptx || type == fat_binary, status::not_supported,
                "PTX alone can be linked, no machine code");
        simtlm::device::module_source input;
        if (type == ptx) {
            input.text.assign(static_cast<const char*>(data), bytes);
            input.text.resize(std::min(input.text.find('\0'), input.text.size()));
        } else {
            input = module_in(data, s.config().capability(), "linked");
        }
        input.name = name != nullptr ? name : fmt::format("piece {}", l->inputs.size() + 1);
        l->inputs.push_back(std::move(input));
    });
}
RUNTIME(cuLinkAddFile)
(linker* l, int type, const char* path, unsigned count, void* options, void** values) {
    std::string text;
    const result r = driver_call("cuLinkAddFile", [&](session&) { text = read_file(path); });
    return r != 0 ? r
                  : simtlm_rt_cuLinkAddData(l, type, text.data(), text.size(), path, count, options,
                                            values);
}
/// What is linked is PTX, as cuModuleLoadData takes it.
RUNTIME(cuLinkComplete)(linker* l, void** to, std::size_t* bytes) {
    return driver_call("cuLinkComplete", [&](session&) {
        require_pointer(l);
        require(!l->inputs.empty(), status::invalid_value, "nothing to link");
        const auto count = static_cast<unsigned>(l->options.size());
        with_log({count, l->options.data(), l->values},
                 [&] { l->text = link(l->inputs, "linked").text; });
        if (to != nullptr) *to = l->text.data();
        if (bytes != nullptr) *bytes = l->text.size() + 1;
    });
}
RUNTIME(cuLinkDestroy)(linker* l) {
    delete l;
    return 0;
}

// ---- libraries ----

RUNTIME(cuLibraryLoadData)
(library** to, const void* code, void*, void**, unsigned, void*, void**, unsigned) {
    return driver_call("cuLibraryLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        library* const l = session::add_library(nullptr, "library");
        l->source = module_in(code, s.config().capability(), l->name);
        l->read = true;
        *to = l;
    });
}
RUNTIME(cuLibraryUnload)(library* l) {
    return driver_call("cuLibraryUnload", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.remove_library(l);
    });
}
RUNTIME(cuLibraryGetKernel)(kernel** to, library* l, const char* name) {
    return driver_call("cuLibraryGetKernel", [&](session& s) {
        require_pointer(to);
        require(s.module_of(*l, s.current_device()).find(name) != nullptr, status::not_found,
                "there is no such kernel");
        *to = session::kernel_in(*l, name);
    });
}
RUNTIME(cuLibraryGetModule)(module** to, library* l) {
    return driver_call("cuLibraryGetModule", [&](session& s) {
        require_pointer(to);
        *to = &s.module_of(*l, s.current_device());
    });
}
RUNTIME(cuLibraryGetGlobal)(std::uint64_t* to, std::size_t* bytes, library* l, const char* name) {
    return driver_call("cuLibraryGetGlobal", [&](session& s) {
        const auto v = s.module_of(*l, s.current_device()).code->find_variable(name);
        require(v.first != 0, status::not_found, "there is no such variable");
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}
RUNTIME(cuKernelGetFunction)(function** to, kernel* k) {
    return driver_call("cuKernelGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_of(k);
    });
}

// ---- kernels ----

RUNTIME(cuLaunchKernel)
(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned shared, void* stream, void** arguments, void** extra) {
    return driver_call("cuLaunchKernel", [&](session& s) {
        launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra}, false, stream);
    });
}
RUNTIME(cuLaunchCooperativeKernel)
(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned shared, void* stream, void** arguments) {
    return driver_call("cuLaunchCooperativeKernel", [&](session& s) {
        launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, nullptr}, true, stream);
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
    const int all[] = {a.max_threads,
                       static_cast<int>(a.shared_bytes),
                       static_cast<int>(a.constant_bytes),
                       static_cast<int>(a.local_bytes),
                       a.registers,
                       a.ptx_version,
                       a.binary_version,
                       a.cache_mode,
                       a.max_dynamic_shared,
                       a.carve_out};
    require(attribute >= 0 && attribute < 16, status::invalid_value, "no attribute");
    return attribute < 10 ? all[attribute] : 0;
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
RUNTIME(cuFuncSetCacheConfig)(void* f, int) {
    return driver_call("cuFuncSetCacheConfig", [&](session& s) { s.function_of(f); });
}
RUNTIME(cuFuncGetModule)(module** to, void* f) {
    return driver_call("cuFuncGetModule", [&](session& s) { *to = s.function_of(f)->owner; });
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

// ---- memory ----

RUNTIME(cuMemAlloc)(std::uint64_t* to, std::size_t bytes) {
    return driver_call("cuMemAlloc", [&](session& s) {
        require_pointer(to);
        require(bytes != 0, status::invalid_value, "no bytes");
        *to = address_of(allocate(s, memory_kind::device, bytes, 0));
    });
}
RUNTIME(cuMemAllocManaged)(std::uint64_t* to, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemAllocManaged", [&](session& s) {
        require_pointer(to);
        *to = address_of(allocate(s, memory_kind::managed, bytes, flags));
    });
}
RUNTIME(cuMemAllocPitch)
(std::uint64_t* to, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
    return driver_call("cuMemAllocPitch", [&](session& s) {
        require_pointer(to);
        *pitch = (width + 511) & ~std::size_t{511};
        *to = address_of(allocate(s, memory_kind::device, *pitch * height, 0));
    });
}
RUNTIME(cuMemHostAlloc)(void** to, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemHostAlloc", [&](session& s) {
        require_pointer(to);
        *to = allocate(s, memory_kind::host, bytes, flags);
    });
}
RUNTIME(cuMemAllocHost)(void** to, std::size_t bytes) {
    return simtlm_rt_cuMemHostAlloc(to, bytes, 0);
}
RUNTIME(cuMemFree)(std::uint64_t p) {
    return driver_call("cuMemFree", [&](session& s) { free_memory(s, pointer_to(p)); });
}
RUNTIME(cuMemFreeHost)(void* p) {
    return driver_call("cuMemFreeHost", [&](session& s) { free_memory(s, p); });
}
RUNTIME(cuMemHostGetDevicePointer)(std::uint64_t* to, void* p, unsigned) {
    return driver_call("cuMemHostGetDevicePointer", [&](session&) { *to = address_of(p); });
}
RUNTIME(cuMemHostRegister)(void* p, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemHostRegister", [&](session& s) {
        s.gpus().memory().admit(address_of(p), bytes, s.current_device(), flags);
    });
}
RUNTIME(cuMemHostUnregister)(void* p) {
    return driver_call("cuMemHostUnregister", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.gpus().memory().dismiss(address_of(p));
    });
}
RUNTIME(cuMemGetInfo)(std::size_t* free, std::size_t* total) {
    return driver_call("cuMemGetInfo", [&](session& s) {
        const auto& m = s.gpus().memory();
        *free = m.capacity() - m.used(s.current_device());
        *total = m.capacity();
    });
}
RUNTIME(cuMemGetAddressRange)(std::uint64_t* begin, std::size_t* bytes, std::uint64_t p) {
    return driver_call("cuMemGetAddressRange", [&](session& s) {
        const auto a = s.gpus().memory().find(p);
        require(static_cast<bool>(a), status::not_found, "nothing is allocated there");
        if (begin != nullptr) *begin = a->address;
        if (bytes != nullptr) *bytes = a->bytes;
    });
}
namespace {
/// CUpointer_attribute. What is not known has the attributes of no memory at all.
void tell_attribute(session& s, void* to, int attribute, std::uint64_t p) {
    require_pointer(to);
    const pointer_attributes a = attributes_of(s, pointer_to(p));
    const bool known = a.type != 0;
    const auto place = s.gpus().memory().find(p);
    const auto tell = [to](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (attribute) {
        case 1:
            return tell(known ? s.primary_context(s.current_device()) : nullptr);
        case 2:
            return tell(known ? a.type == 1 ? 1u : 2u : 0u);
        case 3:
            return tell(known ? p : std::uint64_t{0});
        case 4:
            return tell(known ? pointer_to(p) : nullptr);
        case 6:   // synchronous copies
        case 10:  // can be shared in the way of old
            return tell(0);
        case 7:
            return tell(place ? place->id : std::uint64_t{0});
        case 8:
            return tell(a.type == 3 ? 1u : 0u);
        case 9:
            return tell(known ? a.device : -2);
        case 11:
            return tell(place ? place->address : std::uint64_t{0});
        case 12:
            return tell(place ? place->bytes : std::uint64_t{0});
        case 13:
            return tell(known ? 1 : 0);
        default:
            throw failure(status::not_supported,
                          fmt::format("attribute {} of an address is not known", attribute));
    }
}
}  // namespace
RUNTIME(cuPointerGetAttribute)(void* to, int attribute, std::uint64_t p) {
    return driver_call("cuPointerGetAttribute", [&](session& s) {
        require(attributes_of(s, pointer_to(p)).type != 0, status::invalid_value,
                "no memory that is known");
        tell_attribute(s, to, attribute, p);
    });
}
RUNTIME(cuPointerGetAttributes)
(unsigned count, const int* attributes, void** to, std::uint64_t p) {
    return driver_call("cuPointerGetAttributes", [&](session& s) {
        for (unsigned i = 0; i < count; ++i) tell_attribute(s, to[i], attributes[i], p);
    });
}
RUNTIME(cuPointerSetAttribute)(const void*, int attribute, std::uint64_t) {
    return driver_call("cuPointerSetAttribute", [&](session&) {
        require(attribute == 6, status::invalid_value, "an attribute that cannot be set");
    });
}
RUNTIME(cuMemcpy)(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    return driver_call(
        "cuMemcpy", [&](session& s) { copy(s, row(to, from, bytes, by_address), nullptr, false); });
}
RUNTIME(cuMemcpyAsync)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyAsync", [&](session& s) {
        copy(s, row(to, from, bytes, by_address), stream, true);
    });
}
RUNTIME(cuMemcpyHtoD)(std::uint64_t to, const void* from, std::size_t bytes) {
    return driver_call("cuMemcpyHtoD", [&](session& s) {
        copy(s, row(to, address_of(from), bytes, host_to_device), nullptr, false);
    });
}
RUNTIME(cuMemcpyHtoDAsync)(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyHtoDAsync", [&](session& s) {
        copy(s, row(to, address_of(from), bytes, host_to_device), stream, true);
    });
}
RUNTIME(cuMemcpyDtoH)(void* to, std::uint64_t from, std::size_t bytes) {
    return driver_call("cuMemcpyDtoH", [&](session& s) {
        copy(s, row(address_of(to), from, bytes, device_to_host), nullptr, false);
    });
}
RUNTIME(cuMemcpyDtoHAsync)(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyDtoHAsync", [&](session& s) {
        copy(s, row(address_of(to), from, bytes, device_to_host), stream, true);
    });
}
RUNTIME(cuMemcpyDtoD)(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    return driver_call("cuMemcpyDtoD", [&](session& s) {
        copy(s, row(to, from, bytes, device_to_device), nullptr, false);
    });
}
RUNTIME(cuMemcpyDtoDAsync)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyDtoDAsync", [&](session& s) {
        copy(s, row(to, from, bytes, device_to_device), stream, true);
    });
}
RUNTIME(cuMemcpy2D)(const copy_2d* p) {
    return driver_call("cuMemcpy2D", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), nullptr, false);
    });
}
RUNTIME(cuMemcpy2DAsync)(const copy_2d* p, void* stream) {
    return driver_call("cuMemcpy2DAsync", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), stream, true);
    });
}
RUNTIME(cuMemcpy3D)(const driver_copy_3d* p) {
    return driver_call("cuMemcpy3D", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), nullptr, false);
    });
}
RUNTIME(cuMemcpy3DAsync)(const driver_copy_3d* p, void* stream) {
    return driver_call("cuMemcpy3DAsync", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), stream, true);
    });
}
RUNTIME(cuMemsetD8)(std::uint64_t to, unsigned char value, std::size_t count) {
    return driver_call("cuMemsetD8",
                       [&](session& s) { fill(s, to, count, value, 1, count, 1, nullptr); });
}
RUNTIME(cuMemsetD16)(std::uint64_t to, unsigned short value, std::size_t count) {
    return driver_call("cuMemsetD16",
                       [&](session& s) { fill(s, to, count * 2, value, 2, count, 1, nullptr); });
}
RUNTIME(cuMemsetD32)(std::uint64_t to, unsigned value, std::size_t count) {
    return driver_call("cuMemsetD32",
                       [&](session& s) { fill(s, to, count * 4, value, 4, count, 1, nullptr); });
}
RUNTIME(cuMemsetD8Async)(std::uint64_t to, unsigned char value, std::size_t count, void* stream) {
    return driver_call("cuMemsetD8Async",
                       [&](session& s) { fill(s, to, count, value, 1, count, 1, stream); });
}
RUNTIME(cuMemsetD32Async)(std::uint64_t to, unsigned value, std::size_t count, void* stream) {
    return driver_call("cuMemsetD32Async",
                       [&](session& s) { fill(s, to, count * 4, value, 4, count, 1, stream); });
}

// ---- streams and events ----

RUNTIME(cuStreamCreate)(simtlm::device::stream** to, unsigned flags) {
    return driver_call("cuStreamCreate", [&](session& s) {
        require_pointer(to);
        *to = s.create_stream(flags == 0, 0, flags);
    });
}
RUNTIME(cuStreamCreateWithPriority)(simtlm::device::stream** to, unsigned flags, int priority) {
    return driver_call("cuStreamCreateWithPriority", [&](session& s) {
        require_pointer(to);
        *to = s.create_stream(flags == 0, priority, flags);
    });
}
RUNTIME(cuStreamDestroy)(void* stream) {
    return driver_call("cuStreamDestroy", [&](session& s) { destroy_stream(s, s.stream(stream)); });
}
RUNTIME(cuStreamSynchronize)(void* stream) {
    return driver_call("cuStreamSynchronize", [&](session& s) {
        const status r = s.work().wait(s.stream(stream));
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuStreamQuery)(void* stream) {
    return call<library_kind::driver>("cuStreamQuery", after_fault::refused, [&](session& s) {
        return s.work().poll(s.stream(stream)) ? status::success : status::not_ready;
    });
}
RUNTIME(cuStreamWaitEvent)(void* stream, void* event, unsigned) {
    return driver_call("cuStreamWaitEvent",
                       [&](session& s) { wait_event(s, s.stream(stream), s.event(event)); });
}
RUNTIME(cuStreamAddCallback)
(void* stream, void (*act)(void*, result, void*), void* data, unsigned) {
    return driver_call("cuStreamAddCallback",
                       [&](session& s) { add_callback(s, s.stream(stream), stream, act, data); });
}
RUNTIME(cuEventCreate)(simtlm::device::event** to, unsigned flags) {
    return driver_call("cuEventCreate", [&](session& s) {
        require_pointer(to);
        *to = s.create_event(flags);
    });
}
RUNTIME(cuEventDestroy)(void* event) {
    return driver_call("cuEventDestroy", [&](session& s) { s.destroy_event(&s.event(event)); });
}
RUNTIME(cuEventRecord)(void* event, void* stream) {
    return driver_call("cuEventRecord",
                       [&](session& s) { record_event(s, s.event(event), s.stream(stream)); });
}
RUNTIME(cuEventQuery)(void* event) {
    return call<library_kind::driver>("cuEventQuery", after_fault::refused, [&](session& s) {
        return is_done(s, s.event(event)) ? status::success : status::not_ready;
    });
}
RUNTIME(cuEventSynchronize)(void* event) {
    return driver_call("cuEventSynchronize", [&](session& s) { wait_for(s, s.event(event)); });
}
RUNTIME(cuEventElapsedTime)(float* to, void* from, void* until) {
    return driver_call("cuEventElapsedTime", [&](session& s) {
        require_pointer(to);
        *to = milliseconds(s, s.event(from), s.event(until));
    });
}
RUNTIME(cuProfilerStart)() {
    return 0;
}
RUNTIME(cuProfilerStop)() {
    return 0;
}

// ---- the way here ----

RUNTIME(cuGetProcAddress)(const char* name, void** to, int, std::uint64_t) {
    return driver_call("cuGetProcAddress", [&](session&) {
        require_pointer(to);
        *to = find_driver_function(name);
        require(*to != nullptr, status::not_found, "there is no such function");
    });
}
RUNTIME(cuGetProcAddress_v2)
(const char* name, void** to, int version, std::uint64_t flags, int* found) {
    const result r = simtlm_rt_cuGetProcAddress(name, to, version, flags);
    if (found != nullptr) *found = r == 0 ? 0 : 1;
    return r;
}
namespace {
/// The library that an address lies in; empty: the program itself.
std::string library_of(const void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code ignored;
    const std::filesystem::path file = info.dli_fname;
    return std::filesystem::equivalent(file, "/proc/self/exe", ignored) ? std::string()
                                                                        : file.filename().string();
}
}  // namespace
/// These tables are how NVIDIA's own libraries talk to NVIDIA's own driver. Most look whether there
/// is one; the runtime cannot go on without.
RUNTIME(cuGetExportTable)(const void**, const uuid* which) {
    constexpr unsigned char of_runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    if (which == nullptr || std::memcmp(which, of_runtime, sizeof of_runtime) != 0)
        return static_cast<result>(status::not_found);
    const std::string library = library_of(__builtin_return_address(0));
    return driver_call("cuGetExportTable", [&](session&) {
        if (!library.empty())
            throw failure(status::not_supported,
                          library +
                              " brings NVIDIA's runtime and machine code of its own, which "
                              "simtlm does not run: it runs PTX",
                          "let the program's own kernels do what it calls " + library + " for");
        throw failure(status::not_supported,
                      "the program carries NVIDIA's runtime in it (nvcc -cudart static), and that "
                      "could not be replaced",
                      "start it with simtlm run, and do not strip it; or link it with nvcc "
                      "-cudart shared");
    });
}
