// SPDX-License-Identifier: Apache-2.0
// Runtime API: memory and copies.
#include "runtimes/cuda/managed_memory.h"
#include "runtimes/cuda/runtime_api.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>

using namespace simtlm::cuda;
using simtlm::device::memory_kind;

namespace {

std::uint64_t pitch_of(std::size_t width) {
    return checked_sum(width, 511, status::out_of_memory) & ~std::uint64_t{511};
}

/// A copy in rows, asynchronous in a stream or synchronous.
struct copy_call {
    block_copy what;
    void* stream = nullptr;
    bool asynchronous = false;
};

void submit_copy(session& s, const copy_call& c) {
    simtlm::device::stream& stream = s.stream(c.stream);
    if (!c.asynchronous) {
        refuse_implicit_dependency(s, stream);
        refuse_during_capture(s);
    }
    const bool captured = capture_of(s, stream) != nullptr;
    const auto t = enqueue(s, stream, copy_operation(s, c.what, c.asynchronous && !captured));
    // A copy to pageable memory has completed when the call returns.
    const bool inside = c.what.kind == device_to_device;
    if (!c.asynchronous || (!captured && !inside && is_pageable(s, c.what.to))) finish(s, t);
}

block_copy linear_copy(void* to, const void* from, std::size_t bytes, int kind) {
    block_copy c;
    c.to = address_of(to);
    c.from = address_of(from);
    c.width = bytes;
    c.kind = kind;
    return c;
}

block_copy rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                std::size_t width, std::size_t height, int kind) {
    block_copy c = linear_copy(to, from, width, kind);
    c.to_pitch = to_pitch;
    c.from_pitch = from_pitch;
    c.height = height;
    require(height <= 1 || (width <= to_pitch && width <= from_pitch), status::invalid_pitch,
            "rows overlap: the pitch is less than the width");
    return c;
}

/// Address in an array at a column (in bytes) and row; checks the range.
std::uint64_t inside(const simtlm::device::array& a, std::size_t x, std::size_t y,
                     std::size_t width, std::size_t height) {
    require(checked_sum(x, width) <= a.shape.width * a.shape.element_bytes() &&
                checked_sum(y, height) <= a.shape.rows(),
            status::invalid_value, "a copy exceeds an array");
    return a.address + y * a.row_pitch() + x;
}

block_copy to_array(session& s, void* array, std::size_t x, std::size_t y, const void* from,
                    std::size_t pitch, std::size_t width, std::size_t height, int kind) {
    simtlm::device::array& a = s.array(array);
    block_copy c = linear_copy(nullptr, from, width, kind);
    c.to = inside(a, x, y, width, height);
    c.to_pitch = a.row_pitch();
    c.from_pitch = pitch;
    c.height = height;
    return c;
}

block_copy from_array(session& s, void* to, std::size_t pitch, const void* array, std::size_t x,
                      std::size_t y, std::size_t width, std::size_t height, int kind) {
    simtlm::device::array& a = s.array(array);
    block_copy c = linear_copy(to, nullptr, width, kind);
    c.from = inside(a, x, y, width, height);
    c.from_pitch = a.row_pitch();
    c.to_pitch = pitch;
    c.height = height;
    return c;
}

/// Copies contiguous bytes that fill rows of an array, for the legacy functions.
template <class Make>
void in_rows(const simtlm::device::array& a, std::size_t x, std::size_t y, std::size_t bytes,
             Make&& copy) {
    const std::size_t width = a.shape.width * a.shape.element_bytes();
    for (std::size_t done = 0; done < bytes; x = 0, ++y) {
        const std::size_t n = std::min(bytes - done, width - x);
        copy(done, x, y, n);
        done += n;
    }
}

std::pair<std::uint64_t, std::uint64_t> part_of(session& s, const void* symbol, std::size_t offset,
                                                std::size_t bytes) {
    const auto v = s.variable(symbol);
    require(offset <= v.second && bytes <= v.second - offset, status::invalid_value,
            "a copy exceeds a variable");
    return {v.first + offset, bytes};
}

block_copy to_symbol(session& s, const void* symbol, const void* from, std::size_t bytes,
                     std::size_t offset, int kind) {
    block_copy c =
        linear_copy(pointer_to(part_of(s, symbol, offset, bytes).first), from, bytes, kind);
    c.symbol = true;
    return c;
}
block_copy from_symbol(session& s, void* to, const void* symbol, std::size_t bytes,
                       std::size_t offset, int kind) {
    block_copy c =
        linear_copy(to, pointer_to(part_of(s, symbol, offset, bytes).first), bytes, kind);
    c.symbol = true;
    return c;
}

copy_3d plain(const copy_3d_peer& p) {
    copy_3d c{};
    c.from_array = p.from_array;
    c.from_position = p.from_position;
    c.from_pointer = p.from_pointer;
    c.to_array = p.to_array;
    c.to_position = p.to_position;
    c.to_pointer = p.to_pointer;
    c.size = p.size;
    c.kind = by_address;
    return c;
}

void fill(session& s, void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
          void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {to, pitch, static_cast<unsigned>(value), 1, width, height}));
}

void fill_planes(session& s, const pitched_pointer& to, int value, const extent& size,
                 void* stream) {
    if (size.width == 0 || size.height == 0 || size.depth == 0) return;
    require(size.depth == 1 || to.height >= size.height, status::invalid_value,
            "planes overlap: their height is less than that of the filled area");
    const std::uint64_t plane = checked_product(to.pitch, to.height);
    s.gpus().check_range(
        address_of(to.pointer),
        checked_sum(checked_product(plane, size.depth - 1),
                    checked_sum(checked_product(to.pitch, size.height - 1), size.width)));
    for (std::size_t z = 0; z < size.depth; ++z)
        fill(s, static_cast<char*>(to.pointer) + z * to.pitch * to.height, to.pitch, value,
             size.width, size.height, stream);
}

simtlm::device::array_shape shape_of(const channel_description& d, const extent& e, unsigned flags,
                                     unsigned levels) {
    simtlm::device::array_shape shape;
    shape.format = format_of(d);
    shape.width = e.width;
    shape.height = e.height;
    shape.depth = e.depth;
    shape.layered = (flags & 1) != 0;
    shape.cube = (flags & 4) != 0;
    shape.levels = levels;
    require(!shape.cube || (e.width == e.height && e.depth % 6 == 0 && e.depth != 0),
            status::invalid_value, "a cube must have six square faces");
    return shape;
}

}  // namespace

// ---- allocation ----

RUNTIME(cudaMalloc)(void** to, std::size_t bytes) {
    return runtime_call("cudaMalloc", [&](session& s) {
        require_pointer(to);
        *to = nullptr;
        *to = allocate(s, memory_kind::device, bytes, 0);
    });
}
RUNTIME(cudaMallocManaged)(void** to, std::size_t bytes, unsigned flags) {
    return runtime_call("cudaMallocManaged", [&](session& s) {
        require_pointer(to);
        check_managed(bytes, flags);
        *to = allocate(s, memory_kind::managed, bytes, flags);
    });
}
RUNTIME(cudaHostAlloc)(void** to, std::size_t bytes, unsigned flags) {
    return runtime_call("cudaHostAlloc", [&](session& s) {
        require_pointer(to);
        check_pinned_flags(flags);
        *to = allocate(s, memory_kind::host, bytes, flags);
    });
}
RUNTIME(cudaMallocHost)(void** to, std::size_t bytes) {
    return runtime_call("cudaMallocHost", [&](session& s) {
        require_pointer(to);
        *to = allocate(s, memory_kind::host, bytes, 0);
    });
}
RUNTIME(cudaMallocPitch)(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
    return runtime_call("cudaMallocPitch", [&](session& s) {
        require_pointer(to);
        require_pointer(pitch);
        const std::uint64_t row = pitch_of(width);
        *to = allocate(s, memory_kind::device, checked_product(row, height, status::out_of_memory),
                       0);
        *pitch = row;
    });
}
RUNTIME(cudaMalloc3D)(pitched_pointer* to, extent size) {
    return runtime_call("cudaMalloc3D", [&](session& s) {
        require_pointer(to);
        const std::size_t pitch = pitch_of(size.width);
        const std::uint64_t plane = checked_product(pitch, size.height, status::out_of_memory);
        void* const p = allocate(s, memory_kind::device,
                                 checked_product(plane, size.depth, status::out_of_memory), 0);
        *to = {p, pitch, size.width, size.height};
    });
}
RUNTIME(cudaFree)(void* p) {
    return runtime_call("cudaFree", [&](session& s) { free_memory(s, p); });
}
RUNTIME(cudaFreeHost)(void* p) {
    return runtime_call("cudaFreeHost", [&](session& s) { free_memory(s, p); });
}
RUNTIME(cudaHostRegister)(void* p, std::size_t bytes, unsigned flags) {
    return runtime_call("cudaHostRegister", [&](session& s) {
        require(p != nullptr && bytes != 0, status::invalid_value, "no memory is given");
        check_registration_flags(flags);
        s.gpus().memory().admit(address_of(p), bytes, s.current_device(), flags);
    });
}
RUNTIME(cudaHostUnregister)(void* p) {
    return runtime_call("cudaHostUnregister", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.gpus().memory().dismiss(address_of(p));
    });
}
RUNTIME(cudaHostGetDevicePointer)(void** to, void* p, unsigned) {
    return runtime_call("cudaHostGetDevicePointer", [&](session& s) {
        require_pointer(to);
        require(!is_pageable(s, address_of(p)), status::invalid_value, "not pinned host memory");
        *to = p;
    });
}
RUNTIME(cudaHostGetFlags)(unsigned* flags, void* p) {
    return runtime_call("cudaHostGetFlags", [&](session& s) {
        require_pointer(flags);
        const auto a = s.gpus().memory().find(address_of(p));
        require(a && !simtlm::device::is_of_gpu(a->kind), status::invalid_value,
                "not pinned host memory");
        *flags = a->flags | 2;
    });
}
RUNTIME(cudaMemGetInfo)(std::size_t* free, std::size_t* total) {
    return runtime_call("cudaMemGetInfo", [&](session& s) {
        const auto& m = s.gpus().memory();
        if (free != nullptr) *free = m.capacity() - m.used(s.current_device());
        if (total != nullptr) *total = m.capacity();
    });
}
RUNTIME(cudaPointerGetAttributes)(pointer_attributes* to, const void* p) {
    return runtime_call("cudaPointerGetAttributes", [&](session& s) {
        require_pointer(to);
        *to = attributes_of(s, p);
    });
}
RUNTIME(cudaStreamAttachMemAsync)(void* stream, void*, std::size_t, unsigned) {
    return runtime_call("cudaStreamAttachMemAsync", [&](session& s) { s.stream(stream); });
}

// ---- pools ----

namespace {

/// Allocation in a captured stream: adds a node to its graph.
/// @return the address; nullptr if the stream is not captured
void* captured_allocation(session& s, simtlm::device::stream& stream, unsigned device,
                          std::size_t bytes) {
    if (bytes == 0 || capture_of(s, stream) == nullptr) return nullptr;
    operation o = allocation_operation(s, device, bytes);
    void* const p = pointer_to(o.address);
    enqueue(s, stream, std::move(o));
    return p;
}

/// Tracks the current pool of each device if it is not the default, the pool that memory was
/// allocated from, and access rights to pools.
class pool_table {
public:
    static pool_table& of(session&) {
        static pool_table* const table = new pool_table;
        return *table;
    }
    memory_pool& current(session& s, unsigned device) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = current_.find(device);
        return at == current_.end() ? s.default_pool(device) : *at->second;
    }
    void choose(unsigned device, memory_pool& pool) {
        const std::lock_guard<std::mutex> lock(mutex_);
        current_[device] = &pool;
    }
    void take(memory_pool& pool, std::uint64_t address, std::uint64_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        origin_[address] = &pool;
        pool.used += bytes;
        pool.used_high = std::max(pool.used_high, pool.used);
    }
    /// The pool that memory was allocated from; nullptr: none, or a pool that was destroyed.
    memory_pool* origin(std::uint64_t address) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = origin_.find(address);
        return at == origin_.end() ? nullptr : at->second;
    }
    void give_back(std::uint64_t address, std::uint64_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = origin_.find(address);
        if (at == origin_.end()) return;
        if (at->second != nullptr) at->second->used -= std::min(at->second->used, bytes);
        origin_.erase(at);
    }
    /// A pool is destroyed: its devices use their default pools again.
    void drop(const memory_pool& pool) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto i = current_.begin(); i != current_.end();)
            i = i->second == &pool ? current_.erase(i) : std::next(i);
        for (auto& [address, from] : origin_)
            if (from == &pool) from = nullptr;
        for (auto i = access_.begin(); i != access_.end();)
            i = i->first.first == &pool ? access_.erase(i) : std::next(i);
    }
    void allow(const memory_pool& pool, int device, int flags) {
        const std::lock_guard<std::mutex> lock(mutex_);
        access_[{&pool, device}] = flags;
    }
    /// The device of a pool can always read and write.
    int access(const memory_pool& pool, int device) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = access_.find({&pool, device});
        if (at != access_.end()) return at->second;
        return static_cast<int>(pool.device) == device ? reads_and_writes : 0;
    }
    static constexpr int reads_and_writes = 3;

private:
    std::mutex mutex_;
    std::map<unsigned, memory_pool*> current_;
    std::unordered_map<std::uint64_t, memory_pool*> origin_;
    std::map<std::pair<const memory_pool*, int>, int> access_;
};

}  // namespace

memory_pool* simtlm::cuda::pool_of(session& s, std::uint64_t address) {
    const auto a = s.gpus().memory().find(address);
    return a ? pool_table::of(s).origin(a->address) : nullptr;
}

namespace {

/// cudaMemAccessDesc
struct pool_access {
    int place, device, flags;
};

}  // namespace

RUNTIME(cudaMallocAsync)(void** to, std::size_t bytes, void* stream) {
    return runtime_call("cudaMallocAsync", [&](session& s) {
        require_pointer(to);
        *to = captured_allocation(s, s.stream(stream), s.current_device(), bytes);
        if (*to != nullptr) return;
        *to = allocate_in_stream(s, memory_kind::device, bytes, 0);
        pool_table& pools = pool_table::of(s);
        pools.take(pools.current(s, s.current_device()), address_of(*to), bytes);
    });
}
RUNTIME(cudaMallocFromPoolAsync)(void** to, std::size_t bytes, memory_pool* pool, void* stream) {
    return runtime_call("cudaMallocFromPoolAsync", [&](session& s) {
        require_pointer(to);
        require_pointer(pool);
        *to = captured_allocation(s, s.stream(stream), pool->device, bytes);
        if (*to != nullptr || bytes == 0) return;
        *to = pointer_to(s.gpus().memory().allocate(memory_kind::device, pool->device, bytes));
        pool_table::of(s).take(*pool, address_of(*to), bytes);
    });
}
RUNTIME(cudaFreeAsync)(void* p, void* stream) {
    return runtime_call("cudaFreeAsync", [&](session& s) {
        const auto a = s.gpus().memory().find(address_of(p));
        require(a && a->address == address_of(p), status::invalid_value, "no memory is allocated");
        if (!a->of_graph) pool_table::of(s).give_back(a->address, a->bytes);
        enqueue(s, s.stream(stream), release_operation(address_of(p)));
    });
}
RUNTIME(cudaDeviceGetDefaultMemPool)(memory_pool** pool, int device) {
    return runtime_call("cudaDeviceGetDefaultMemPool", [&](session& s) {
        require_pointer(pool);
        check_device(s, device);
        *pool = &s.default_pool(static_cast<unsigned>(device));
    });
}
RUNTIME(cudaDeviceGetMemPool)(memory_pool** pool, int device) {
    return runtime_call("cudaDeviceGetMemPool", [&](session& s) {
        require_pointer(pool);
        check_device(s, device);
        *pool = &pool_table::of(s).current(s, static_cast<unsigned>(device));
    });
}
RUNTIME(cudaDeviceSetMemPool)(int device, memory_pool* pool) {
    return runtime_call("cudaDeviceSetMemPool", [&](session& s) {
        check_device(s, device);
        require_pointer(pool);
        pool_table::of(s).choose(static_cast<unsigned>(device), *pool);
    });
}
namespace {
/// Device of a memory location. @throws failure  for other kinds of locations
unsigned device_at(session& s, const memory_location* where, int type) {
    require_pointer(where);
    constexpr int pinned = 1, on_device = 1;
    require(type == pinned && where->kind == on_device, status::not_supported,
            "only pools of devices are supported");
    check_device(s, where->id);
    return static_cast<unsigned>(where->id);
}
}  // namespace
RUNTIME(cudaMemGetDefaultMemPool)(memory_pool** pool, const memory_location* where, int type) {
    return runtime_call("cudaMemGetDefaultMemPool", [&](session& s) {
        require_pointer(pool);
        *pool = &s.default_pool(device_at(s, where, type));
    });
}
RUNTIME(cudaMemGetMemPool)(memory_pool** pool, const memory_location* where, int type) {
    return runtime_call("cudaMemGetMemPool", [&](session& s) {
        require_pointer(pool);
        *pool = &pool_table::of(s).current(s, device_at(s, where, type));
    });
}
RUNTIME(cudaMemSetMemPool)(const memory_location* where, int type, memory_pool* pool) {
    return runtime_call("cudaMemSetMemPool", [&](session& s) {
        require_pointer(pool);
        pool_table::of(s).choose(device_at(s, where, type), *pool);
    });
}
RUNTIME(cudaMemPoolCreate)(memory_pool** pool, const int* properties) {
    return runtime_call("cudaMemPoolCreate", [&](session& s) {
        require_pointer(pool);
        require_pointer(properties);
        // Allocation type, handle types, kind of location, device number.
        auto p = std::make_unique<memory_pool>();
        check_device(s, properties[3]);
        p->device = static_cast<unsigned>(properties[3]);
        *pool = p.release();
    });
}
RUNTIME(cudaMemPoolDestroy)(memory_pool* pool) {
    return runtime_call("cudaMemPoolDestroy", [&](session& s) {
        require_pointer(pool);
        require(!pool->is_default, status::invalid_value, "the default pool cannot be destroyed");
        pool_table::of(s).drop(*pool);
        delete pool;
    });
}
RUNTIME(cudaMemPoolSetAttribute)(memory_pool* pool, int attribute, void* value) {
    return runtime_call("cudaMemPoolSetAttribute", [&](session&) {
        require_pointer(pool);
        require_pointer(value);
        require(attribute >= 1 && attribute <= 8, status::invalid_value, "no attribute");
        if (attribute <= 3) pool->reuse[attribute - 1] = *static_cast<int*>(value);
        if (attribute == 4) pool->threshold = *static_cast<std::uint64_t*>(value);
        if (attribute == 8) pool->used_high = pool->used;
    });
}
RUNTIME(cudaMemPoolGetAttribute)(memory_pool* pool, int attribute, void* value) {
    return runtime_call("cudaMemPoolGetAttribute", [&](session&) {
        require_pointer(pool);
        require_pointer(value);
        require(attribute >= 1 && attribute <= 8, status::invalid_value, "no attribute");
        const std::uint64_t report_values[] = {pool->threshold, pool->used, pool->used_high,
                                               pool->used, pool->used_high};
        if (attribute <= 3)
            *static_cast<int*>(value) = pool->reuse[attribute - 1];
        else
            *static_cast<std::uint64_t*>(value) = report_values[attribute - 4];
    });
}
RUNTIME(cudaMemPoolTrimTo)(memory_pool* pool, std::size_t) {
    return runtime_call("cudaMemPoolTrimTo", [&](session&) { require_pointer(pool); });
}
RUNTIME(cudaMemPoolSetAccess)
(memory_pool* pool, const pool_access* all, std::size_t count) {
    return runtime_call("cudaMemPoolSetAccess", [&](session& s) {
        require_pointer(pool);
        require(count == 0 || all != nullptr, status::invalid_value, "no descriptions");
        for (std::size_t i = 0; i < count; ++i) {
            constexpr int on_device = 1;
            require(all[i].place == on_device, status::invalid_value, "no device");
            check_device(s, all[i].device);
            pool_table::of(s).allow(*pool, all[i].device, all[i].flags);
        }
    });
}
RUNTIME(cudaMemPoolGetAccess)(int* flags, memory_pool* pool, const pool_access* of) {
    return runtime_call("cudaMemPoolGetAccess", [&](session& s) {
        require_pointer(pool);
        require_pointer(flags);
        require_pointer(of);
        *flags = pool_table::of(s).access(*pool, of->device);
    });
}

// ---- arrays ----

RUNTIME(cudaMallocArray)
(simtlm::device::array** to, const channel_description* d, std::size_t width, std::size_t height,
 unsigned flags) {
    return runtime_call("cudaMallocArray", [&](session& s) {
        require_pointer(to);
        require_pointer(d);
        *to = make_array(s, shape_of(*d, {width, height, 0}, flags, 1), flags);
    });
}
RUNTIME(cudaMalloc3DArray)
(simtlm::device::array** to, const channel_description* d, extent e, unsigned flags) {
    return runtime_call("cudaMalloc3DArray", [&](session& s) {
        require_pointer(to);
        require_pointer(d);
        *to = make_array(s, shape_of(*d, e, flags, 1), flags);
    });
}
RUNTIME(cudaMallocMipmappedArray)
(simtlm::device::array** to, const channel_description* d, extent e, unsigned levels,
 unsigned flags) {
    return runtime_call("cudaMallocMipmappedArray", [&](session& s) {
        require_pointer(to);
        require_pointer(d);
        unsigned most = 1;
        for (std::size_t n = std::max({e.width, e.height, (flags & 5) != 0 ? 0 : e.depth}); n > 1;
             n /= 2)
            ++most;
        *to = make_array(s, shape_of(*d, e, flags, std::clamp(levels, 1u, most)), flags);
    });
}
RUNTIME(cudaGetMipmappedArrayLevel)
(simtlm::device::array** to, simtlm::device::array* a, unsigned level) {
    return runtime_call("cudaGetMipmappedArrayLevel", [&](session& s) {
        require_pointer(to);
        *to = level_of_array(s, s.array(a), level);
    });
}
RUNTIME(cudaFreeArray)(simtlm::device::array* a) {
    return runtime_call("cudaFreeArray", [&](session& s) {
        refuse_during_capture(s);
        if (a != nullptr) s.remove_array(&s.array(a));
    });
}
RUNTIME(cudaFreeMipmappedArray)(simtlm::device::array* a) {
    return runtime_call("cudaFreeMipmappedArray", [&](session& s) {
        refuse_during_capture(s);
        if (a != nullptr) s.remove_array(&s.array(a));
    });
}
RUNTIME(cudaArrayGetInfo)
(channel_description* d, extent* e, unsigned* flags, simtlm::device::array* handle) {
    return runtime_call("cudaArrayGetInfo", [&](session& s) {
        const simtlm::device::array& a = s.array(handle);
        if (d != nullptr) *d = description_of(a.shape.format);
        if (e != nullptr) *e = {a.shape.width, a.shape.height, a.shape.depth};
        if (flags != nullptr) *flags = a.flags;
    });
}
RUNTIME(cudaGetChannelDesc)(channel_description* d, const void* handle) {
    return runtime_call("cudaGetChannelDesc", [&](session& s) {
        require_pointer(d);
        *d = description_of(s.array(handle).shape.format);
    });
}

// ---- copies ----

RUNTIME(cudaMemcpy)(void* to, const void* from, std::size_t bytes, int kind) {
    return runtime_call("cudaMemcpy",
                        [&](session& s) { submit_copy(s, {linear_copy(to, from, bytes, kind)}); });
}
RUNTIME(cudaMemcpyAsync)(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
    return runtime_call("cudaMemcpyAsync", [&](session& s) {
        submit_copy(s, {linear_copy(to, from, bytes, kind), stream, true});
    });
}
RUNTIME(cudaMemcpyBatchAsync)
(void* const* to, const void* const* from, const std::size_t* bytes, std::size_t count,
 const void* attributes, const std::size_t* first_of_attributes, std::size_t attribute_count,
 void* stream) {
    return runtime_call("cudaMemcpyBatchAsync", [&](session& s) {
        require(count != 0 && to != nullptr && from != nullptr && bytes != nullptr,
                status::invalid_value, "no copies");
        require(attributes != nullptr && first_of_attributes != nullptr && attribute_count != 0 &&
                    attribute_count <= count && first_of_attributes[0] == 0,
                status::invalid_value, "copies without attributes");
        require(!s.stream(stream).legacy, status::invalid_value,
                "not permitted in the legacy default stream");
        for (std::size_t i = 0; i < count; ++i)
            submit_copy(s, {linear_copy(to[i], from[i], bytes[i], by_address), stream, true});
    });
}
RUNTIME(cudaMemcpyBatchAsync_v12)
(void* const* to, const void* const* from, const std::size_t* bytes, std::size_t count,
 const void* attributes, const std::size_t* first_of_attributes, std::size_t attribute_count,
 std::size_t* failed, void* stream) {
    const result r = simtlm_rt_cudaMemcpyBatchAsync(to, from, bytes, count, attributes,
                                                    first_of_attributes, attribute_count, stream);
    // The failing index is not reported.
    if (r != 0 && failed != nullptr) *failed = ~std::size_t{0};
    return r;
}
RUNTIME(cudaMemcpyPeer)
(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    return runtime_call("cudaMemcpyPeer", [&](session& s) {
        check_device(s, to_device);
        check_device(s, from_device);
        submit_copy(s, {linear_copy(to, from, bytes, by_address)});
    });
}
RUNTIME(cudaMemcpyPeerAsync)
(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream) {
    return runtime_call("cudaMemcpyPeerAsync", [&](session& s) {
        check_device(s, to_device);
        check_device(s, from_device);
        submit_copy(s, {linear_copy(to, from, bytes, by_address), stream, true});
    });
}
RUNTIME(cudaMemcpy2D)
(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
 std::size_t height, int kind) {
    return runtime_call("cudaMemcpy2D", [&](session& s) {
        submit_copy(s, {rows(to, to_pitch, from, from_pitch, width, height, kind)});
    });
}
RUNTIME(cudaMemcpy2DAsync)
(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
 std::size_t height, int kind, void* stream) {
    return runtime_call("cudaMemcpy2DAsync", [&](session& s) {
        submit_copy(s, {rows(to, to_pitch, from, from_pitch, width, height, kind), stream, true});
    });
}
RUNTIME(cudaMemcpy2DToArray)
(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, int kind) {
    return runtime_call("cudaMemcpy2DToArray", [&](session& s) {
        submit_copy(s, {to_array(s, array, x, y, from, pitch, width, height, kind)});
    });
}
RUNTIME(cudaMemcpy2DToArrayAsync)
(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, int kind, void* stream) {
    return runtime_call("cudaMemcpy2DToArrayAsync", [&](session& s) {
        submit_copy(s, {to_array(s, array, x, y, from, pitch, width, height, kind), stream, true});
    });
}
RUNTIME(cudaMemcpy2DFromArray)
(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y, std::size_t width,
 std::size_t height, int kind) {
    return runtime_call("cudaMemcpy2DFromArray", [&](session& s) {
        submit_copy(s, {from_array(s, to, pitch, array, x, y, width, height, kind)});
    });
}
RUNTIME(cudaMemcpy2DFromArrayAsync)
(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y, std::size_t width,
 std::size_t height, int kind, void* stream) {
    return runtime_call("cudaMemcpy2DFromArrayAsync", [&](session& s) {
        submit_copy(s, {from_array(s, to, pitch, array, x, y, width, height, kind), stream, true});
    });
}
RUNTIME(cudaMemcpy2DArrayToArray)
(void* to, std::size_t to_x, std::size_t to_y, const void* from, std::size_t x, std::size_t y,
 std::size_t width, std::size_t height, int kind) {
    return runtime_call("cudaMemcpy2DArrayToArray", [&](session& s) {
        block_copy c = from_array(s, nullptr, 0, from, x, y, width, height, kind);
        simtlm::device::array& a = s.array(to);
        c.to = inside(a, to_x, to_y, width, height);
        c.to_pitch = a.row_pitch();
        submit_copy(s, {c});
    });
}
RUNTIME(cudaMemcpyArrayToArray)
(void* to, std::size_t to_x, std::size_t to_y, const void* from, std::size_t x, std::size_t y,
 std::size_t bytes, int kind) {
    return runtime_call("cudaMemcpyArrayToArray", [&](session& s) {
        simtlm::device::array& a = s.array(to);
        // Pieces that are contiguous in both arrays.
        in_rows(s.array(from), x, y, bytes,
                [&](std::size_t, std::size_t column, std::size_t line, std::size_t n) {
                    in_rows(a, to_x, to_y, n,
                            [&](std::size_t done, std::size_t to_column, std::size_t to_line,
                                std::size_t part) {
                                block_copy c = from_array(s, nullptr, 0, from, column + done, line,
                                                          part, 1, kind);
                                c.to = inside(a, to_column, to_line, part, 1);
                                c.to_pitch = a.row_pitch();
                                submit_copy(s, {c});
                            });
                    const std::size_t width = a.shape.width * a.shape.element_bytes();
                    to_y += (to_x + n) / width;
                    to_x = (to_x + n) % width;
                });
    });
}
RUNTIME(cudaMemcpyToArray)
(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes, int kind) {
    return runtime_call("cudaMemcpyToArray", [&](session& s) {
        in_rows(s.array(array), x, y, bytes,
                [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                    submit_copy(
                        s, {to_array(s, array, column, line, static_cast<const char*>(from) + done,
                                     n, n, 1, kind)});
                });
    });
}
RUNTIME(cudaMemcpyToArrayAsync)
(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes, int kind,
 void* stream) {
    return runtime_call("cudaMemcpyToArrayAsync", [&](session& s) {
        in_rows(s.array(array), x, y, bytes,
                [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                    submit_copy(s, {to_array(s, array, column, line,
                                             static_cast<const char*>(from) + done, n, n, 1, kind),
                                    stream, true});
                });
    });
}
RUNTIME(cudaMemcpyFromArray)
(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
    return runtime_call("cudaMemcpyFromArray", [&](session& s) {
        in_rows(s.array(array), x, y, bytes,
                [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                    submit_copy(s, {from_array(s, static_cast<char*>(to) + done, n, array, column,
                                               line, n, 1, kind)});
                });
    });
}
RUNTIME(cudaMemcpyFromArrayAsync)
(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes, int kind,
 void* stream) {
    return runtime_call("cudaMemcpyFromArrayAsync", [&](session& s) {
        in_rows(s.array(array), x, y, bytes,
                [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                    submit_copy(s, {from_array(s, static_cast<char*>(to) + done, n, array, column,
                                               line, n, 1, kind),
                                    stream, true});
                });
    });
}
RUNTIME(cudaMemcpyToSymbol)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind) {
    return runtime_call("cudaMemcpyToSymbol", [&](session& s) {
        submit_copy(s, {to_symbol(s, symbol, from, bytes, offset, kind)});
    });
}
RUNTIME(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
 void* stream) {
    return runtime_call("cudaMemcpyToSymbolAsync", [&](session& s) {
        submit_copy(s, {to_symbol(s, symbol, from, bytes, offset, kind), stream, true});
    });
}
RUNTIME(cudaMemcpyFromSymbol)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    return runtime_call("cudaMemcpyFromSymbol", [&](session& s) {
        submit_copy(s, {from_symbol(s, to, symbol, bytes, offset, kind)});
    });
}
RUNTIME(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind, void* stream) {
    return runtime_call("cudaMemcpyFromSymbolAsync", [&](session& s) {
        submit_copy(s, {from_symbol(s, to, symbol, bytes, offset, kind), stream, true});
    });
}
RUNTIME(cudaMemcpy3D)(const copy_3d* p) {
    return runtime_call("cudaMemcpy3D", [&](session& s) {
        require_pointer(p);
        submit_copy(s, {block_of(s, *p)});
    });
}
RUNTIME(cudaMemcpy3DAsync)(const copy_3d* p, void* stream) {
    return runtime_call("cudaMemcpy3DAsync", [&](session& s) {
        require_pointer(p);
        submit_copy(s, {block_of(s, *p), stream, true});
    });
}
RUNTIME(cudaMemcpy3DPeer)(const copy_3d_peer* p) {
    return runtime_call("cudaMemcpy3DPeer", [&](session& s) {
        require_pointer(p);
        submit_copy(s, {block_of(s, plain(*p))});
    });
}
RUNTIME(cudaMemcpy3DPeerAsync)(const copy_3d_peer* p, void* stream) {
    return runtime_call("cudaMemcpy3DPeerAsync", [&](session& s) {
        require_pointer(p);
        submit_copy(s, {block_of(s, plain(*p)), stream, true});
    });
}

// ---- fills ----

RUNTIME(cudaMemset)(void* to, int value, std::size_t bytes) {
    return runtime_call("cudaMemset",
                        [&](session& s) { fill(s, to, bytes, value, bytes, 1, nullptr); });
}
RUNTIME(cudaMemsetAsync)(void* to, int value, std::size_t bytes, void* stream) {
    return runtime_call("cudaMemsetAsync",
                        [&](session& s) { fill(s, to, bytes, value, bytes, 1, stream); });
}
RUNTIME(cudaMemset2D)
(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return runtime_call("cudaMemset2D",
                        [&](session& s) { fill(s, to, pitch, value, width, height, nullptr); });
}
RUNTIME(cudaMemset2DAsync)
(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, void* stream) {
    return runtime_call("cudaMemset2DAsync",
                        [&](session& s) { fill(s, to, pitch, value, width, height, stream); });
}
RUNTIME(cudaMemset3D)(pitched_pointer to, int value, extent size) {
    return runtime_call("cudaMemset3D",
                        [&](session& s) { fill_planes(s, to, value, size, nullptr); });
}
RUNTIME(cudaMemset3DAsync)(pitched_pointer to, int value, extent size, void* stream) {
    return runtime_call("cudaMemset3DAsync",
                        [&](session& s) { fill_planes(s, to, value, size, stream); });
}

// ---- symbols ----

RUNTIME(cudaGetSymbolAddress)(void** to, const void* symbol) {
    return runtime_call("cudaGetSymbolAddress", [&](session& s) {
        require_pointer(to);
        *to = pointer_to(s.variable(symbol).first);
    });
}
RUNTIME(cudaGetSymbolSize)(std::size_t* to, const void* symbol) {
    return runtime_call("cudaGetSymbolSize", [&](session& s) {
        require_pointer(to);
        *to = s.variable(symbol).second;
    });
}

// ---- interprocess communication ----

RUNTIME(cudaIpcGetMemHandle)(void* handle, void* p) {
    return runtime_call("cudaIpcGetMemHandle", [&](session& s) {
        require_pointer(handle);
        require(!is_pageable(s, address_of(p)), status::invalid_value, "not GPU memory");
        std::memset(handle, 0, 64);
        std::memcpy(handle, &p, sizeof p);
    });
}
RUNTIME(cudaIpcGetEventHandle)(void* handle, void* event) {
    return runtime_call("cudaIpcGetEventHandle", [&](session& s) {
        require_pointer(handle);
        s.event(event);
        std::memset(handle, 0, 64);
        std::memcpy(handle, &event, sizeof event);
    });
}
RUNTIME(cudaIpcCloseMemHandle)(void*) {
    return runtime_call("cudaIpcCloseMemHandle", [&](session&) {});
}
