// SPDX-License-Identifier: Apache-2.0
// Launches.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/event/event.h"
#include "runtimes/cuda/function/function.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace simtlm::cuda {

launch_options options_of(const launch_attribute* attributes, unsigned count) {
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

namespace {

/// Records the events that launch attributes name, after the kernel. A device may record them
/// earlier: when all its blocks have begun or allow dependents.
void record_events_of(session& s, const launch_attribute* attributes, unsigned count,
                      device::stream& stream) {
    for (unsigned i = 0; i < count; ++i)
        if (attributes[i].id == launch_attribute_id::programmatic_event ||
            attributes[i].id == launch_attribute_id::launch_completion_event)
            record_event(s, s.event(attributes[i].event), stream);
}

/// @param handle  see module_table::function_of
/// @param unseen  programs usually do not check the result of this call
void launch(session& s, const void* handle, const kernel_parameters& p, const launch_options& how,
            void* stream, bool unseen, const launch_attribute* attributes = nullptr,
            unsigned count = 0) {
    device::stream& to = s.stream(stream);
    enqueue(s, to, launch_operation(s, handle, to.device, p, how, unseen));
    record_events_of(s, attributes, count, to);
}

kernel_parameters parameters(size3 grid, size3 block, void** arguments, std::size_t shared) {
    require(shared <= 0x7fffffff, status::invalid_value, "too much shared memory");
    return {nullptr, grid, block, static_cast<unsigned>(shared), arguments, nullptr};
}

}  // namespace

CALL(cudaLaunchHostFunc, session& s, void* stream, void (*act)(void*), void* data) {
    enqueue(s, s.stream(stream), host_operation({act, data}));
}
CALL(cuLaunchKernelEx, session& s, const driver_launch* c, void* f, void** arguments,
     void** extra) {
    require_pointer(c);
    launch(s, f, {f, c->grid, c->block, c->shared, arguments, extra},
           options_of(c->attributes, c->attribute_count), c->stream, false, c->attributes,
           c->attribute_count);
}
// Launches of the API before CUDA 4: block, shared memory and arguments are set separately.
CALL(cuFuncSetBlockShape, session& s, void* f, int x, int y, int z) {
    require(x > 0 && y > 0 && z > 0 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
            status::invalid_value, "a block without threads, or too large");
    s.modules.function_of(f)->set.block = {static_cast<unsigned>(x), static_cast<unsigned>(y),
                                           static_cast<unsigned>(z)};
}
CALL(cuFuncSetSharedSize, session& s, void* f, unsigned bytes) {
    s.modules.function_of(f)->set.shared = bytes;
}
CALL(cuParamSetSize, session& s, void* f, unsigned bytes) {
    s.modules.function_of(f)->set.arguments.resize(bytes);
}
CALL(cuParamSetv, session& s, void* f, int offset, const void* from, unsigned bytes) {
    require_pointer(from);
    require(offset >= 0, status::invalid_value, "a negative offset");
    auto& all = s.modules.function_of(f)->set.arguments;
    const auto at = static_cast<std::size_t>(offset);
    all.resize(std::max<std::size_t>(all.size(), at + bytes));
    std::memcpy(all.data() + at, from, bytes);
}
CALL_AS(cuParamSeti, cuParamSetv_call::name, session& s, void* f, int offset, unsigned value) {
    cuParamSetv_call::run(s, f, offset, &value, sizeof value);
}
CALL_AS(cuParamSetf, cuParamSetv_call::name, session& s, void* f, int offset, float value) {
    cuParamSetv_call::run(s, f, offset, &value, sizeof value);
}
CALL_AS(cuLaunchGridAsync, "cuLaunchGrid", session& s, void* f, int width, int height,
        void* stream) {
    require(width > 0 && height > 0, status::invalid_value, "a grid without thread blocks");
    auto& set = s.modules.function_of(f)->set;
    std::size_t bytes = set.arguments.size();
    void* extra[] = {reinterpret_cast<void*>(1), set.arguments.data(), reinterpret_cast<void*>(2),
                     &bytes, nullptr};
    launch(s, f,
           {f,
            {static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
            set.block,
            set.shared,
            nullptr,
            extra},
           {}, stream, false);
}
CALL_AS(cuLaunchGrid, cuLaunchGridAsync_call::name, session& s, void* f, int width, int height) {
    cuLaunchGridAsync_call::run(s, f, width, height, nullptr);
}
CALL_AS(cuLaunch, cuLaunchGridAsync_call::name, session& s, void* f) {
    cuLaunchGridAsync_call::run(s, f, 1, 1, nullptr);
}
CALL(cuLaunchKernel, session& s, void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
     unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
    launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra}, {}, stream, false);
}
CALL(cuLaunchCooperativeKernel, session& s, void* f, unsigned gx, unsigned gy, unsigned gz,
     unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments) {
    launch(s, f, {f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, nullptr}, {true}, stream,
           false);
}
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
    launch(s, kernel, parameters(grid, block, arguments, shared), {}, stream, true);
}
CALL(cudaLaunchCooperativeKernel, session& s, const void* kernel, size3 grid, size3 block,
     void** arguments, std::size_t shared, void* stream) {
    launch(s, kernel, parameters(grid, block, arguments, shared), {true}, stream, true);
}
CALL(cudaLaunchCooperativeKernelMultiDevice, session& s, launch_parameters* list, unsigned count,
     unsigned) {
    require_pointer(list);
    require(count == 1, status::not_supported, "multi-device launches are not supported");
    launch(s, list->function, parameters(list->grid, list->block, list->arguments, list->shared),
           {true}, list->stream, true);
}
CALL(cudaLaunchKernelExC, session& s, const launch_configuration* c, const void* kernel,
     void** arguments) {
    require_pointer(c);
    const launch_options how = options_of(c->attributes, c->attribute_count);
    launch(s, kernel, parameters(c->grid, c->block, arguments, c->shared), how, c->stream, true,
           c->attributes, c->attribute_count);
}

}  // namespace simtlm::cuda
