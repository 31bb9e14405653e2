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

CALL(cuDeviceGetProperties, session& s, old_properties* to, int device) {
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
}
CALL(cuCtxEnablePeerAccess, session& s, context* c, unsigned) {
    require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
    require(c->device != s.current_device(), status::invalid_device,
            "a device cannot be its own peer");
    require(!s.peers[s.current_device()][c->device].exchange(true),
            status::peer_access_already_enabled, "access is already enabled");
}
CALL(cuCtxDisablePeerAccess, session& s, context* c) {
    require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
    require(s.peers[s.current_device()][c->device].exchange(false), status::peer_access_not_enabled,
            "access is not enabled");
}
CALL(cuCtxGetId, session& s, context* c, unsigned long long* to) {
    require_pointer(to);
    if (c == nullptr) c = s.current_context();
    require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
    *to = c->number;
}
CALL(cuCtxSetFlags, session&, unsigned) {}

// ---- modules ----

CALL(cuModuleGetLoadingMode, session&, int* to) {
    require_pointer(to);
    *to = 2;  // lazy
}
CALL(cuModuleGetFunctionCount, session&, unsigned* to, module* m) {
    require_pointer(to, m);
    *to = static_cast<unsigned>(m->code->image().kernels().size());
}
CALL(cuModuleEnumerateFunctions, session& s, function** to, unsigned count, module* m) {
    require_pointer(to, m);
    for (const auto& k : m->code->image().kernels())
        if (count-- > 0) *to++ = s.function_in(m, k.name);
}
CALL(cuFuncIsLoaded, session& s, int* to, void* f) {
    require_pointer(to);
    s.function_of(f);
    *to = 1;
}
CALL(cuFuncLoad, session& s, void* f) {
    s.function_of(f);
}
CALL(cuKernelGetLibrary, session&, library** to, kernel* k) {
    require_pointer(to, k);
    *to = k->owner;
}
CALL(cuKernelGetName, session&, const char** to, kernel* k) {
    require_pointer(to, k);
    *to = k->name.c_str();
}
CALL(cuKernelSetAttribute, session& s, int attribute, int value, kernel* k, int device) {
    check_device(s, device);
    set_function_attribute(s, *s.function_of(k, static_cast<unsigned>(device)), attribute, value);
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

CALL(cuLaunchKernelEx, session& s, const driver_launch* c, void* f, void** arguments,
     void** extra) {
    require_pointer(c);
    const launch_options how = options_of(c->attributes, c->attribute_count);
    launch(s, f, {f, c->grid, c->block, c->shared, arguments, extra}, how, c->stream);
    record_events_of(s, c->attributes, c->attribute_count, s.stream(c->stream));
}

CALL(cuOccupancyMaxActiveClusters, session& s, int* to, void* f, const driver_launch* c) {
    require_pointer(to, c);
    *to = active_clusters(s, *s.function_of(f), c->block, c->shared,
                          options_of(c->attributes, c->attribute_count).cluster);
}
CALL(cuOccupancyMaxPotentialClusterSize, session& s, int* to, void* f, const driver_launch* c) {
    require_pointer(to, c);
    *to = largest_cluster_of(s, *s.function_of(f), c->block, c->shared);
}

// Launches of the API before CUDA 4: block, shared memory and arguments are set separately.
CALL(cuFuncSetBlockShape, session& s, void* f, int x, int y, int z) {
    require(x > 0 && y > 0 && z > 0 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
            status::invalid_value, "a block without threads, or too large");
    s.function_of(f)->set.block = {static_cast<unsigned>(x), static_cast<unsigned>(y),
                                   static_cast<unsigned>(z)};
}
CALL(cuFuncSetSharedSize, session& s, void* f, unsigned bytes) {
    s.function_of(f)->set.shared = bytes;
}
CALL(cuParamSetSize, session& s, void* f, unsigned bytes) {
    s.function_of(f)->set.arguments.resize(bytes);
}
CALL(cuParamSetv, session& s, void* f, int offset, const void* from, unsigned bytes) {
    require_pointer(from);
    require(offset >= 0, status::invalid_value, "a negative offset");
    auto& all = s.function_of(f)->set.arguments;
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
    auto& set = s.function_of(f)->set;
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
           {}, stream);
}
CALL_AS(cuLaunchGrid, cuLaunchGridAsync_call::name, session& s, void* f, int width, int height) {
    cuLaunchGridAsync_call::run(s, f, width, height, nullptr);
}
CALL_AS(cuLaunch, cuLaunchGridAsync_call::name, session& s, void* f) {
    cuLaunchGridAsync_call::run(s, f, 1, 1, nullptr);
}

CALL(cuOccupancyMaxPotentialBlockSize, session& s, int* grid, int* block, void* f,
     std::size_t (*shared_of)(int), std::size_t shared, int limit) {
    require_pointer(grid, block);
    function& one = *s.function_of(f);
    int most = attributes_of(s, one).max_threads;
    if (limit > 0) most = std::min(most, limit);
    int best = 0;
    *grid = *block = 0;
    for (int threads = most; threads > 0; threads -= threads % 32 == 0 ? 32 : threads % 32) {
        const int resident =
            resident_blocks(s, one, threads, shared_of != nullptr ? shared_of(threads) : shared);
        if (resident * threads <= best) continue;
        best = resident * threads;
        *block = threads;
        *grid = resident * static_cast<int>(s.config().gpu.sms());
    }
}

// ---- streams and pointers ----

CALL(cuStreamBeginCapture, session& s, void* stream) {
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    begin_capture(s, s.stream(stream), 0);
}
CALL(cuStreamGetCtx_v2, session& s, void* stream, context** to, void** green) {
    require_pointer(to);
    *to = s.primary_context(s.stream(stream).device);
    if (green != nullptr) *green = nullptr;
}
CALL(cuStreamGetCtx, session& s, void* stream, context** to) {
    require_pointer(to);
    *to = s.primary_context(s.stream(stream).device);
}
namespace {
/// Writes memory in stream order.
template <class T>
void write_value(session& s, void* stream, std::uint64_t to, T value) {
    require(to % sizeof(T) == 0, status::invalid_value, "the address is not aligned");
    fill(s, to, sizeof(T), static_cast<unsigned>(value), 4, 1, 1, stream);
    if (sizeof(T) == 8)
        fill(s, to + 4, sizeof(T), static_cast<unsigned>(std::uint64_t{value} >> 32), 4, 1, 1,
             stream);
}

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
void wait_value(session& s, void* stream, std::uint64_t from, T value, unsigned flags) {
    constexpr unsigned conditions = 3, flushes = 1u << 30;
    require(from != 0 && from % sizeof(T) == 0, status::invalid_value,
            "the address is not aligned");
    require((flags & ~(conditions | flushes)) == 0, status::invalid_value, "unknown comparison");
    operation o;
    o.make = [from, value, condition = flags & conditions](session&) {
        auto t = std::make_shared<simtlm::device::task>();
        t->until = [from, value, condition] {
            return holds(__atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE), value,
                         condition);
        };
        return t;
    };
    enqueue(s, s.stream(stream), std::move(o));
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

void carry_out(session& s, void* stream, const memory_operation& m) {
    constexpr unsigned wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6;
    const auto word = static_cast<unsigned>(m.value);
    switch (m.what) {
        case wait_32:
            return wait_value(s, stream, m.address, word, m.flags);
        case wait_64:
            return wait_value(s, stream, m.address, m.value, m.flags);
        case write_32:
            return write_value(s, stream, m.address, word);
        case write_64:
            return write_value(s, stream, m.address, m.value);
        case flush:
        case barrier:
            return;
        default:
            throw failure(status::invalid_value, "unknown memory operation");
    }
}
}  // namespace
CALL(cuStreamWaitValue32, session& s, void* stream, std::uint64_t from, unsigned value,
     unsigned flags) {
    wait_value(s, stream, from, value, flags);
}
CALL(cuStreamWaitValue64, session& s, void* stream, std::uint64_t from, std::uint64_t value,
     unsigned flags) {
    wait_value(s, stream, from, value, flags);
}
CALL(cuStreamBatchMemOp, session& s, void* stream, unsigned count, const memory_operation* all,
     unsigned) {
    for (unsigned i = 0; i < count; ++i) carry_out(s, stream, all[i]);
}
CALL(cuStreamWriteValue32, session& s, void* stream, std::uint64_t to, unsigned value, unsigned) {
    write_value(s, stream, to, value);
}
CALL(cuStreamWriteValue64, session& s, void* stream, std::uint64_t to, std::uint64_t value,
     unsigned) {
    write_value(s, stream, to, value);
}
