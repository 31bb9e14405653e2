// SPDX-License-Identifier: Apache-2.0
// Driver API: less common functions of contexts, kernels and streams.
#include "runtimes/cuda/driver_api.h"

#include <algorithm>
#include <cstring>

using namespace simtlm::cuda;

// ---- devices and contexts ----

namespace {
/// CUdevprop
struct old_properties {
    int max_threads, max_block[3], max_grid[3], shared_per_block, constant_bytes, warp_size, pitch,
        registers_per_block, clock_khz, texture_alignment;
};
}  // namespace

RUNTIME(cuDeviceGetProperties)(old_properties* to, int device) {
    return driver_call("cuDeviceGetProperties", [&](session& s) {
        require_pointer(to);
        const device_properties p = properties_of(s, device);
        *to = {p.max_threads,
               {p.max_block[0], p.max_block[1], p.max_block[2]},
               {p.max_grid[0], p.max_grid[1], p.max_grid[2]},
               static_cast<int>(p.shared_per_block),
               static_cast<int>(p.constant_bytes),
               p.warp_size,
               static_cast<int>(p.pitch),
               p.registers_per_block,
               p.clock_khz,
               static_cast<int>(p.texture_alignment)};
    });
}
RUNTIME(cuCtxEnablePeerAccess)(context* c, unsigned) {
    return driver_call("cuCtxEnablePeerAccess", [&](session& s) {
        require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
        require(c->device != s.current_device(), status::invalid_device,
                "a device cannot be its own peer");
        require(!s.peers[s.current_device()][c->device].exchange(true),
                status::peer_access_already_enabled, "access is already enabled");
    });
}
RUNTIME(cuCtxDisablePeerAccess)(context* c) {
    return driver_call("cuCtxDisablePeerAccess", [&](session& s) {
        require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
        require(s.peers[s.current_device()][c->device].exchange(false),
                status::peer_access_not_enabled, "access is not enabled");
    });
}
RUNTIME(cuCtxGetId)(context* c, unsigned long long* to) {
    return driver_call("cuCtxGetId", [&](session& s) {
        require_pointer(to);
        if (c == nullptr) c = s.current_context();
        require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
        *to = c->number;
    });
}
RUNTIME(cuCtxSetFlags)(unsigned) {
    return driver_call("cuCtxSetFlags", [&](session&) {});
}

// ---- modules ----

RUNTIME(cuModuleGetLoadingMode)(int* to) {
    return driver_call("cuModuleGetLoadingMode", [&](session&) {
        require_pointer(to);
        *to = 2;  // lazy
    });
}
RUNTIME(cuModuleGetFunctionCount)(unsigned* to, module* m) {
    return driver_call("cuModuleGetFunctionCount", [&](session&) {
        require_pointer(to);
        require_pointer(m);
        *to = static_cast<unsigned>(m->code->image().kernels().size());
    });
}
RUNTIME(cuModuleEnumerateFunctions)(function** to, unsigned count, module* m) {
    return driver_call("cuModuleEnumerateFunctions", [&](session& s) {
        require_pointer(to);
        require_pointer(m);
        for (const auto& k : m->code->image().kernels())
            if (count-- > 0) *to++ = s.function_in(m, k.name);
    });
}
RUNTIME(cuFuncIsLoaded)(int* to, void* f) {
    return driver_call("cuFuncIsLoaded", [&](session& s) {
        require_pointer(to);
        s.function_of(f);
        *to = 1;
    });
}
RUNTIME(cuFuncLoad)(void* f) {
    return driver_call("cuFuncLoad", [&](session& s) { s.function_of(f); });
}
RUNTIME(cuKernelGetLibrary)(library** to, kernel* k) {
    return driver_call("cuKernelGetLibrary", [&](session&) {
        require_pointer(to);
        require_pointer(k);
        *to = k->owner;
    });
}
RUNTIME(cuKernelGetName)(const char** to, kernel* k) {
    return driver_call("cuKernelGetName", [&](session&) {
        require_pointer(to);
        require_pointer(k);
        *to = k->name.c_str();
    });
}
RUNTIME(cuKernelSetAttribute)(int attribute, int value, kernel* k, int device) {
    return driver_call("cuKernelSetAttribute", [&](session& s) {
        check_device(s, device);
        set_function_attribute(s, *s.function_of(k, static_cast<unsigned>(device)), attribute,
                               value);
    });
}

// ---- launches ----

namespace {

/// CUlaunchConfig
struct driver_launch {
    size3 grid, block;
    unsigned shared;
    void* stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};

}  // namespace

RUNTIME(cuLaunchKernelEx)(const driver_launch* c, void* f, void** arguments, void** extra) {
    return driver_call("cuLaunchKernelEx", [&](session& s) {
        require_pointer(c);
        const launch_options how = options_of(c->attributes, c->attribute_count);
        launch(s, f, {f, c->grid, c->block, c->shared, arguments, extra}, how, c->stream);
        record_events_of(s, c->attributes, c->attribute_count, s.stream(c->stream));
    });
}

RUNTIME(cuOccupancyMaxActiveClusters)(int* to, void* f, const driver_launch* c) {
    return driver_call("cuOccupancyMaxActiveClusters", [&](session& s) {
        require_pointer(to);
        require_pointer(c);
        *to = active_clusters(s, *s.function_of(f), c->block, c->shared,
                              options_of(c->attributes, c->attribute_count).cluster);
    });
}
RUNTIME(cuOccupancyMaxPotentialClusterSize)(int* to, void* f, const driver_launch* c) {
    return driver_call("cuOccupancyMaxPotentialClusterSize", [&](session& s) {
        require_pointer(to);
        require_pointer(c);
        *to = largest_cluster_of(s, *s.function_of(f), c->block, c->shared);
    });
}

// Launches of the API before CUDA 4: block, shared memory and arguments are set separately.
RUNTIME(cuFuncSetBlockShape)(void* f, int x, int y, int z) {
    return driver_call("cuFuncSetBlockShape", [&](session& s) {
        require(x > 0 && y > 0 && z > 0 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
                status::invalid_value, "a block without threads, or too large");
        s.function_of(f)->set.block = {static_cast<unsigned>(x), static_cast<unsigned>(y),
                                       static_cast<unsigned>(z)};
    });
}
RUNTIME(cuFuncSetSharedSize)(void* f, unsigned bytes) {
    return driver_call("cuFuncSetSharedSize",
                       [&](session& s) { s.function_of(f)->set.shared = bytes; });
}
RUNTIME(cuParamSetSize)(void* f, unsigned bytes) {
    return driver_call("cuParamSetSize",
                       [&](session& s) { s.function_of(f)->set.arguments.resize(bytes); });
}
RUNTIME(cuParamSetv)(void* f, int offset, const void* from, unsigned bytes) {
    return driver_call("cuParamSetv", [&](session& s) {
        require_pointer(from);
        require(offset >= 0, status::invalid_value, "a negative offset");
        auto& all = s.function_of(f)->set.arguments;
        const auto at = static_cast<std::size_t>(offset);
        all.resize(std::max<std::size_t>(all.size(), at + bytes));
        std::memcpy(all.data() + at, from, bytes);
    });
}
RUNTIME(cuParamSeti)(void* f, int offset, unsigned value) {
    return simtlm_rt_cuParamSetv(f, offset, &value, sizeof value);
}
RUNTIME(cuParamSetf)(void* f, int offset, float value) {
    return simtlm_rt_cuParamSetv(f, offset, &value, sizeof value);
}
RUNTIME(cuLaunchGridAsync)(void* f, int width, int height, void* stream) {
    return driver_call("cuLaunchGrid", [&](session& s) {
        require(width > 0 && height > 0, status::invalid_value, "a grid without thread blocks");
        auto& set = s.function_of(f)->set;
        std::size_t bytes = set.arguments.size();
        void* extra[] = {reinterpret_cast<void*>(1), set.arguments.data(),
                         reinterpret_cast<void*>(2), &bytes, nullptr};
        launch(s, f,
               {f,
                {static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
                set.block,
                set.shared,
                nullptr,
                extra},
               {}, stream);
    });
}
RUNTIME(cuLaunchGrid)(void* f, int width, int height) {
    return simtlm_rt_cuLaunchGridAsync(f, width, height, nullptr);
}
RUNTIME(cuLaunch)(void* f) {
    return simtlm_rt_cuLaunchGridAsync(f, 1, 1, nullptr);
}

RUNTIME(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* block, void* f, std::size_t (*shared_of)(int), std::size_t shared, int limit) {
    return driver_call("cuOccupancyMaxPotentialBlockSize", [&](session& s) {
        require_pointer(grid);
        require_pointer(block);
        function& one = *s.function_of(f);
        int most = attributes_of(s, one).max_threads;
        if (limit > 0) most = std::min(most, limit);
        int best = 0;
        *grid = *block = 0;
        for (int threads = most; threads > 0; threads -= threads % 32 == 0 ? 32 : threads % 32) {
            const int resident = resident_blocks(
                s, one, threads, shared_of != nullptr ? shared_of(threads) : shared);
            if (resident * threads <= best) continue;
            best = resident * threads;
            *block = threads;
            *grid = resident * static_cast<int>(s.config().gpu.sms());
        }
    });
}
RUNTIME(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* grid, int* block, void* f, std::size_t (*shared_of)(int), std::size_t shared, int limit,
 unsigned) {
    return simtlm_rt_cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}

// ---- streams and pointers ----

RUNTIME(cuStreamBeginCapture)(void* stream) {
    return driver_call("cuStreamBeginCapture", [&](session& s) {
        const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
        begin_capture(s, s.stream(stream), 0);
    });
}
RUNTIME(cuStreamGetCtx_v2)(void* stream, context** to, void** green) {
    return driver_call("cuStreamGetCtx_v2", [&](session& s) {
        require_pointer(to);
        *to = s.primary_context(s.stream(stream).device);
        if (green != nullptr) *green = nullptr;
    });
}
RUNTIME(cuStreamGetCtx)(void* stream, context** to) {
    return driver_call("cuStreamGetCtx", [&](session& s) {
        require_pointer(to);
        *to = s.primary_context(s.stream(stream).device);
    });
}
namespace {
/// Writes memory in stream order.
template <class T>
result write_value(const char* name, void* stream, std::uint64_t to, T value) {
    return driver_call(name, [&](session& s) {
        require(to % sizeof(T) == 0, status::invalid_value, "the address is not aligned");
        fill(s, to, sizeof(T), static_cast<unsigned>(value), 4, 1, 1, stream);
        if (sizeof(T) == 8)
            fill(s, to + 4, sizeof(T), static_cast<unsigned>(std::uint64_t{value} >> 32), 4, 1, 1,
                 stream);
    });
}
}  // namespace
namespace {
/// CUstreamWaitValue_flags
enum wait_condition : unsigned { at_least, equal, any_bit, not_all_bits };

template <class T>
bool holds(T now, T value, unsigned condition) {
    switch (condition) {
        case at_least:  // cyclic comparison
            return static_cast<std::make_signed_t<T>>(static_cast<T>(now - value)) >= 0;
        case equal:
            return now == value;
        case any_bit:
            return (now & value) != 0;
        default:
            return static_cast<T>(~(now | value)) != 0;
    }
}

/// Blocks later work of the stream until memory has a value.
template <class T>
result wait_value(const char* name, void* stream, std::uint64_t from, T value, unsigned flags) {
    constexpr unsigned conditions = 3, flushes = 1u << 30;
    return driver_call(name, [&](session& s) {
        require(from != 0 && from % sizeof(T) == 0, status::invalid_value,
                "the address is not aligned");
        require((flags & ~(conditions | flushes)) == 0, status::invalid_value,
                "unknown comparison");
        operation o;
        o.make = [from, value, condition = flags & conditions](session&) {
            auto t = std::make_shared<simtlm::device::task>();
            t->until = [from, value, condition] {
                return holds(__atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE),
                             value, condition);
            };
            return t;
        };
        enqueue(s, s.stream(stream), std::move(o));
    });
}

/// CUstreamBatchMemOpParams: 48 bytes beginning with the operation.
struct memory_operation {
    unsigned what;
    std::uint64_t address;
    std::uint64_t value;
    unsigned flags;
    std::uint64_t reserved[2];
};
static_assert(sizeof(memory_operation) == 48);

result carry_out(void* stream, const memory_operation& m) {
    constexpr unsigned wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6;
    const char* const name = "cuStreamBatchMemOp";
    const auto word = static_cast<unsigned>(m.value);
    switch (m.what) {
        case wait_32:
            return wait_value(name, stream, m.address, word, m.flags);
        case wait_64:
            return wait_value(name, stream, m.address, m.value, m.flags);
        case write_32:
            return write_value(name, stream, m.address, word);
        case write_64:
            return write_value(name, stream, m.address, m.value);
        case flush:
        case barrier:
            return 0;
        default:
            return driver_number(status::invalid_value);
    }
}
}  // namespace
RUNTIME(cuStreamWaitValue32)(void* stream, std::uint64_t from, unsigned value, unsigned flags) {
    return wait_value("cuStreamWaitValue32", stream, from, value, flags);
}
RUNTIME(cuStreamWaitValue64)
(void* stream, std::uint64_t from, std::uint64_t value, unsigned flags) {
    return wait_value("cuStreamWaitValue64", stream, from, value, flags);
}
RUNTIME(cuStreamBatchMemOp)
(void* stream, unsigned count, const memory_operation* all, unsigned) {
    result r = 0;
    for (unsigned i = 0; r == 0 && i < count; ++i) r = carry_out(stream, all[i]);
    return r;
}
RUNTIME(cuStreamWriteValue32)(void* stream, std::uint64_t to, unsigned value, unsigned) {
    return write_value("cuStreamWriteValue32", stream, to, value);
}
RUNTIME(cuStreamWriteValue64)(void* stream, std::uint64_t to, std::uint64_t value, unsigned) {
    return write_value("cuStreamWriteValue64", stream, to, value);
}
