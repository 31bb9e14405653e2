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

void fill_bytes(session& s, void* to, std::size_t pitch, int value, std::size_t width,
                std::size_t height, void* stream) {
    fill(s, address_of(to), pitch, static_cast<unsigned>(value), 1, width, height, stream);
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
        fill_bytes(s, static_cast<char*>(to.pointer) + z * to.pitch * to.height, to.pitch, value,
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

CALL(cudaMalloc, session& s, void** to, std::size_t bytes) {
    require_pointer(to);
    *to = nullptr;
    *to = allocate(s, memory_kind::device, bytes, 0);
}
CALL(cudaMallocManaged, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    check_managed(bytes, flags);
    *to = allocate(s, memory_kind::managed, bytes, flags);
}
CALL(cudaHostAlloc, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    check_pinned_flags(flags);
    *to = allocate(s, memory_kind::host, bytes, flags);
}
CALL(cudaMallocHost, session& s, void** to, std::size_t bytes) {
    require_pointer(to);
    *to = allocate(s, memory_kind::host, bytes, 0);
}
CALL(cudaMallocPitch, session& s, void** to, std::size_t* pitch, std::size_t width,
     std::size_t height) {
    require_pointer(to, pitch);
    const std::uint64_t row = pitch_of(width);
    *to = allocate(s, memory_kind::device, checked_product(row, height, status::out_of_memory), 0);
    *pitch = row;
}
CALL(cudaMalloc3D, session& s, pitched_pointer* to, extent size) {
    require_pointer(to);
    const std::size_t pitch = pitch_of(size.width);
    const std::uint64_t plane = checked_product(pitch, size.height, status::out_of_memory);
    void* const p = allocate(s, memory_kind::device,
                             checked_product(plane, size.depth, status::out_of_memory), 0);
    *to = {p, pitch, size.width, size.height};
}
CALL(cudaFree, session& s, void* p) {
    free_memory(s, p);
}
CALL(cudaFreeHost, session& s, void* p) {
    free_memory(s, p);
}
CALL(cudaHostRegister, session& s, void* p, std::size_t bytes, unsigned flags) {
    require(p != nullptr && bytes != 0, status::invalid_value, "no memory is given");
    check_registration_flags(flags);
    s.gpus().memory().admit(address_of(p), bytes, s.current_device(), flags);
}
CALL(cudaHostUnregister, session& s, void* p) {
    s.work().wait_all(s.current_device());
    s.gpus().memory().dismiss(address_of(p));
}
CALL(cudaHostGetDevicePointer, session& s, void** to, void* p, unsigned) {
    require_pointer(to);
    require(!is_pageable(s, address_of(p)), status::invalid_value, "not pinned host memory");
    *to = p;
}
CALL(cudaHostGetFlags, session& s, unsigned* flags, void* p) {
    require_pointer(flags);
    const auto a = s.gpus().memory().find(address_of(p));
    require(a && !simtlm::device::is_of_gpu(a->kind), status::invalid_value,
            "not pinned host memory");
    *flags = a->flags | 2;
}
CALL(cudaMemGetInfo, session& s, std::size_t* free, std::size_t* total) {
    const auto& m = s.gpus().memory();
    if (free != nullptr) *free = m.capacity() - m.used(s.current_device());
    if (total != nullptr) *total = m.capacity();
}
CALL(cudaPointerGetAttributes, session& s, pointer_attributes* to, const void* p) {
    require_pointer(to);
    *to = attributes_of(s, p);
}
CALL(cudaStreamAttachMemAsync, session& s, void* stream, void*, std::size_t, unsigned) {
    s.stream(stream);
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

CALL(cudaMallocAsync, session& s, void** to, std::size_t bytes, void* stream) {
    require_pointer(to);
    *to = captured_allocation(s, s.stream(stream), s.current_device(), bytes);
    if (*to != nullptr) return;
    *to = allocate_in_stream(s, memory_kind::device, bytes, 0);
    pool_table& pools = pool_table::of(s);
    pools.take(pools.current(s, s.current_device()), address_of(*to), bytes);
}
CALL(cudaMallocFromPoolAsync, session& s, void** to, std::size_t bytes, memory_pool* pool,
     void* stream) {
    require_pointer(to, pool);
    *to = captured_allocation(s, s.stream(stream), pool->device, bytes);
    if (*to != nullptr || bytes == 0) return;
    *to = pointer_to(s.gpus().memory().allocate(memory_kind::device, pool->device, bytes));
    pool_table::of(s).take(*pool, address_of(*to), bytes);
}
CALL(cudaFreeAsync, session& s, void* p, void* stream) {
    const auto a = s.gpus().memory().find(address_of(p));
    require(a && a->address == address_of(p), status::invalid_value, "no memory is allocated");
    if (!a->of_graph) pool_table::of(s).give_back(a->address, a->bytes);
    enqueue(s, s.stream(stream), release_operation(address_of(p)));
}
CALL(cudaDeviceGetDefaultMemPool, session& s, memory_pool** pool, int device) {
    require_pointer(pool);
    check_device(s, device);
    *pool = &s.default_pool(static_cast<unsigned>(device));
}
CALL(cudaDeviceGetMemPool, session& s, memory_pool** pool, int device) {
    require_pointer(pool);
    check_device(s, device);
    *pool = &pool_table::of(s).current(s, static_cast<unsigned>(device));
}
CALL(cudaDeviceSetMemPool, session& s, int device, memory_pool* pool) {
    check_device(s, device);
    require_pointer(pool);
    pool_table::of(s).choose(static_cast<unsigned>(device), *pool);
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
CALL(cudaMemGetDefaultMemPool, session& s, memory_pool** pool, const memory_location* where,
     int type) {
    require_pointer(pool);
    *pool = &s.default_pool(device_at(s, where, type));
}
CALL(cudaMemGetMemPool, session& s, memory_pool** pool, const memory_location* where, int type) {
    require_pointer(pool);
    *pool = &pool_table::of(s).current(s, device_at(s, where, type));
}
CALL(cudaMemSetMemPool, session& s, const memory_location* where, int type, memory_pool* pool) {
    require_pointer(pool);
    pool_table::of(s).choose(device_at(s, where, type), *pool);
}
CALL(cudaMemPoolCreate, session& s, memory_pool** pool, const int* properties) {
    require_pointer(pool, properties);
    // Allocation type, handle types, kind of location, device number.
    auto p = std::make_unique<memory_pool>();
    check_device(s, properties[3]);
    p->device = static_cast<unsigned>(properties[3]);
    *pool = p.release();
}
CALL(cudaMemPoolDestroy, session& s, memory_pool* pool) {
    require_pointer(pool);
    require(!pool->is_default, status::invalid_value, "the default pool cannot be destroyed");
    pool_table::of(s).drop(*pool);
    delete pool;
}
CALL(cudaMemPoolSetAttribute, session&, memory_pool* pool, int attribute, void* value) {
    require_pointer(pool, value);
    require(attribute >= 1 && attribute <= 8, status::invalid_value, "no attribute");
    if (attribute <= 3) pool->reuse[attribute - 1] = *static_cast<int*>(value);
    if (attribute == 4) pool->threshold = *static_cast<std::uint64_t*>(value);
    if (attribute == 8) pool->used_high = pool->used;
}
CALL(cudaMemPoolGetAttribute, session&, memory_pool* pool, int attribute, void* value) {
    require_pointer(pool, value);
    require(attribute >= 1 && attribute <= 8, status::invalid_value, "no attribute");
    const std::uint64_t report_values[] = {pool->threshold, pool->used, pool->used_high, pool->used,
                                           pool->used_high};
    if (attribute <= 3)
        *static_cast<int*>(value) = pool->reuse[attribute - 1];
    else
        *static_cast<std::uint64_t*>(value) = report_values[attribute - 4];
}
CALL(cudaMemPoolTrimTo, session&, memory_pool* pool, std::size_t) {
    require_pointer(pool);
}
CALL(cudaMemPoolSetAccess, session& s, memory_pool* pool, const pool_access* all,
     std::size_t count) {
    require_pointer(pool);
    require(count == 0 || all != nullptr, status::invalid_value, "no descriptions");
    for (std::size_t i = 0; i < count; ++i) {
        constexpr int on_device = 1;
        require(all[i].place == on_device, status::invalid_value, "no device");
        check_device(s, all[i].device);
        pool_table::of(s).allow(*pool, all[i].device, all[i].flags);
    }
}
CALL(cudaMemPoolGetAccess, session& s, int* flags, memory_pool* pool, const pool_access* of) {
    require_pointer(pool, flags, of);
    *flags = pool_table::of(s).access(*pool, of->device);
}

// ---- arrays ----

CALL(cudaMallocArray, session& s, simtlm::device::array** to, const channel_description* d,
     std::size_t width, std::size_t height, unsigned flags) {
    require_pointer(to, d);
    *to = make_array(s, shape_of(*d, {width, height, 0}, flags, 1), flags);
}
CALL(cudaMalloc3DArray, session& s, simtlm::device::array** to, const channel_description* d,
     extent e, unsigned flags) {
    require_pointer(to, d);
    *to = make_array(s, shape_of(*d, e, flags, 1), flags);
}
CALL(cudaMallocMipmappedArray, session& s, simtlm::device::array** to, const channel_description* d,
     extent e, unsigned levels, unsigned flags) {
    require_pointer(to, d);
    unsigned most = 1;
    for (std::size_t n = std::max({e.width, e.height, (flags & 5) != 0 ? 0 : e.depth}); n > 1;
         n /= 2)
        ++most;
    *to = make_array(s, shape_of(*d, e, flags, std::clamp(levels, 1u, most)), flags);
}
CALL(cudaGetMipmappedArrayLevel, session& s, simtlm::device::array** to, simtlm::device::array* a,
     unsigned level) {
    require_pointer(to);
    *to = level_of_array(s, s.array(a), level);
}
CALL(cudaFreeArray, session& s, simtlm::device::array* a) {
    refuse_during_capture(s);
    if (a != nullptr) s.remove_array(&s.array(a));
}
CALL(cudaFreeMipmappedArray, session& s, simtlm::device::array* a) {
    refuse_during_capture(s);
    if (a != nullptr) s.remove_array(&s.array(a));
}
CALL(cudaArrayGetInfo, session& s, channel_description* d, extent* e, unsigned* flags,
     simtlm::device::array* handle) {
    const simtlm::device::array& a = s.array(handle);
    if (d != nullptr) *d = description_of(a.shape.format);
    if (e != nullptr) *e = {a.shape.width, a.shape.height, a.shape.depth};
    if (flags != nullptr) *flags = a.flags;
}
CALL(cudaGetChannelDesc, session& s, channel_description* d, const void* handle) {
    require_pointer(d);
    *d = description_of(s.array(handle).shape.format);
}

// ---- copies ----

CALL(cudaMemcpy, session& s, void* to, const void* from, std::size_t bytes, int kind) {
    copy(s, linear_copy(to, from, bytes, kind));
}
CALL(cudaMemcpyAsync, session& s, void* to, const void* from, std::size_t bytes, int kind,
     void* stream) {
    copy(s, linear_copy(to, from, bytes, kind), stream, true);
}
CALL(cudaMemcpyBatchAsync, session& s, void* const* to, const void* const* from,
     const std::size_t* bytes, std::size_t count, const void* attributes,
     const std::size_t* first_of_attributes, std::size_t attribute_count, void* stream) {
    require(count != 0 && to != nullptr && from != nullptr && bytes != nullptr,
            status::invalid_value, "no copies");
    require(attributes != nullptr && first_of_attributes != nullptr && attribute_count != 0 &&
                attribute_count <= count && first_of_attributes[0] == 0,
            status::invalid_value, "copies without attributes");
    require(!s.stream(stream).legacy, status::invalid_value,
            "not permitted in the legacy default stream");
    for (std::size_t i = 0; i < count; ++i)
        copy(s, linear_copy(to[i], from[i], bytes[i], by_address), stream, true);
}
CALL_AS(cudaMemcpyBatchAsync_v12, "cudaMemcpyBatchAsync", session& s, void* const* to,
        const void* const* from, const std::size_t* bytes, std::size_t count,
        const void* attributes, const std::size_t* first_of_attributes, std::size_t attribute_count,
        std::size_t* failed, void* stream) {
    try {
        cudaMemcpyBatchAsync_call::run(s, to, from, bytes, count, attributes, first_of_attributes,
                                       attribute_count, stream);
    } catch (const std::exception&) {
        if (failed != nullptr) *failed = ~std::size_t{0};  // the failing index is not reported
        throw;
    }
}
CALL(cudaMemcpyPeer, session& s, void* to, int to_device, const void* from, int from_device,
     std::size_t bytes) {
    check_device(s, to_device);
    check_device(s, from_device);
    copy(s, linear_copy(to, from, bytes, by_address));
}
CALL(cudaMemcpyPeerAsync, session& s, void* to, int to_device, const void* from, int from_device,
     std::size_t bytes, void* stream) {
    check_device(s, to_device);
    check_device(s, from_device);
    copy(s, linear_copy(to, from, bytes, by_address), stream, true);
}
CALL(cudaMemcpy2D, session& s, void* to, std::size_t to_pitch, const void* from,
     std::size_t from_pitch, std::size_t width, std::size_t height, int kind) {
    copy(s, rows(to, to_pitch, from, from_pitch, width, height, kind));
}
CALL(cudaMemcpy2DAsync, session& s, void* to, std::size_t to_pitch, const void* from,
     std::size_t from_pitch, std::size_t width, std::size_t height, int kind, void* stream) {
    copy(s, rows(to, to_pitch, from, from_pitch, width, height, kind), stream, true);
}
CALL(cudaMemcpy2DToArray, session& s, void* array, std::size_t x, std::size_t y, const void* from,
     std::size_t pitch, std::size_t width, std::size_t height, int kind) {
    copy(s, to_array(s, array, x, y, from, pitch, width, height, kind));
}
CALL(cudaMemcpy2DToArrayAsync, session& s, void* array, std::size_t x, std::size_t y,
     const void* from, std::size_t pitch, std::size_t width, std::size_t height, int kind,
     void* stream) {
    copy(s, to_array(s, array, x, y, from, pitch, width, height, kind), stream, true);
}
CALL(cudaMemcpy2DFromArray, session& s, void* to, std::size_t pitch, const void* array,
     std::size_t x, std::size_t y, std::size_t width, std::size_t height, int kind) {
    copy(s, from_array(s, to, pitch, array, x, y, width, height, kind));
}
CALL(cudaMemcpy2DFromArrayAsync, session& s, void* to, std::size_t pitch, const void* array,
     std::size_t x, std::size_t y, std::size_t width, std::size_t height, int kind, void* stream) {
    copy(s, from_array(s, to, pitch, array, x, y, width, height, kind), stream, true);
}
CALL(cudaMemcpy2DArrayToArray, session& s, void* to, std::size_t to_x, std::size_t to_y,
     const void* from, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
     int kind) {
    block_copy c = from_array(s, nullptr, 0, from, x, y, width, height, kind);
    simtlm::device::array& a = s.array(to);
    c.to = inside(a, to_x, to_y, width, height);
    c.to_pitch = a.row_pitch();
    copy(s, c);
}
CALL(cudaMemcpyArrayToArray, session& s, void* to, std::size_t to_x, std::size_t to_y,
     const void* from, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
    simtlm::device::array& a = s.array(to);
    // Pieces that are contiguous in both arrays.
    in_rows(s.array(from), x, y, bytes,
            [&](std::size_t, std::size_t column, std::size_t line, std::size_t n) {
                in_rows(a, to_x, to_y, n,
                        [&](std::size_t done, std::size_t to_column, std::size_t to_line,
                            std::size_t part) {
                            block_copy c =
                                from_array(s, nullptr, 0, from, column + done, line, part, 1, kind);
                            c.to = inside(a, to_column, to_line, part, 1);
                            c.to_pitch = a.row_pitch();
                            copy(s, c);
                        });
                const std::size_t width = a.shape.width * a.shape.element_bytes();
                to_y += (to_x + n) / width;
                to_x = (to_x + n) % width;
            });
}
CALL(cudaMemcpyToArray, session& s, void* array, std::size_t x, std::size_t y, const void* from,
     std::size_t bytes, int kind) {
    in_rows(s.array(array), x, y, bytes,
            [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                copy(s, to_array(s, array, column, line, static_cast<const char*>(from) + done, n,
                                 n, 1, kind));
            });
}
CALL(cudaMemcpyToArrayAsync, session& s, void* array, std::size_t x, std::size_t y,
     const void* from, std::size_t bytes, int kind, void* stream) {
    in_rows(s.array(array), x, y, bytes,
            [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                copy(s,
                     to_array(s, array, column, line, static_cast<const char*>(from) + done, n, n,
                              1, kind),
                     stream, true);
            });
}
CALL(cudaMemcpyFromArray, session& s, void* to, const void* array, std::size_t x, std::size_t y,
     std::size_t bytes, int kind) {
    in_rows(s.array(array), x, y, bytes,
            [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                copy(s, from_array(s, static_cast<char*>(to) + done, n, array, column, line, n, 1,
                                   kind));
            });
}
CALL(cudaMemcpyFromArrayAsync, session& s, void* to, const void* array, std::size_t x,
     std::size_t y, std::size_t bytes, int kind, void* stream) {
    in_rows(
        s.array(array), x, y, bytes,
        [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
            copy(s,
                 from_array(s, static_cast<char*>(to) + done, n, array, column, line, n, 1, kind),
                 stream, true);
        });
}
CALL(cudaMemcpyToSymbol, session& s, const void* symbol, const void* from, std::size_t bytes,
     std::size_t offset, int kind) {
    copy(s, to_symbol(s, symbol, from, bytes, offset, kind));
}
CALL(cudaMemcpyToSymbolAsync, session& s, const void* symbol, const void* from, std::size_t bytes,
     std::size_t offset, int kind, void* stream) {
    copy(s, to_symbol(s, symbol, from, bytes, offset, kind), stream, true);
}
CALL(cudaMemcpyFromSymbol, session& s, void* to, const void* symbol, std::size_t bytes,
     std::size_t offset, int kind) {
    copy(s, from_symbol(s, to, symbol, bytes, offset, kind));
}
CALL(cudaMemcpyFromSymbolAsync, session& s, void* to, const void* symbol, std::size_t bytes,
     std::size_t offset, int kind, void* stream) {
    copy(s, from_symbol(s, to, symbol, bytes, offset, kind), stream, true);
}
CALL(cudaMemcpy3D, session& s, const copy_3d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p));
}
CALL(cudaMemcpy3DAsync, session& s, const copy_3d* p, void* stream) {
    require_pointer(p);
    copy(s, block_of(s, *p), stream, true);
}
CALL(cudaMemcpy3DPeer, session& s, const copy_3d_peer* p) {
    require_pointer(p);
    copy(s, block_of(s, plain(*p)));
}
CALL(cudaMemcpy3DPeerAsync, session& s, const copy_3d_peer* p, void* stream) {
    require_pointer(p);
    copy(s, block_of(s, plain(*p)), stream, true);
}

// ---- fills ----

CALL(cudaMemset, session& s, void* to, int value, std::size_t bytes) {
    fill_bytes(s, to, bytes, value, bytes, 1, nullptr);
}
CALL(cudaMemsetAsync, session& s, void* to, int value, std::size_t bytes, void* stream) {
    fill_bytes(s, to, bytes, value, bytes, 1, stream);
}
CALL(cudaMemset2D, session& s, void* to, std::size_t pitch, int value, std::size_t width,
     std::size_t height) {
    fill_bytes(s, to, pitch, value, width, height, nullptr);
}
CALL(cudaMemset2DAsync, session& s, void* to, std::size_t pitch, int value, std::size_t width,
     std::size_t height, void* stream) {
    fill_bytes(s, to, pitch, value, width, height, stream);
}
CALL(cudaMemset3D, session& s, pitched_pointer to, int value, extent size) {
    fill_planes(s, to, value, size, nullptr);
}
CALL(cudaMemset3DAsync, session& s, pitched_pointer to, int value, extent size, void* stream) {
    fill_planes(s, to, value, size, stream);
}

// ---- symbols ----

CALL(cudaGetSymbolAddress, session& s, void** to, const void* symbol) {
    require_pointer(to);
    *to = pointer_to(s.variable(symbol).first);
}
CALL(cudaGetSymbolSize, session& s, std::size_t* to, const void* symbol) {
    require_pointer(to);
    *to = s.variable(symbol).second;
}

// ---- interprocess communication ----

CALL(cudaIpcGetMemHandle, session& s, void* handle, void* p) {
    require_pointer(handle);
    require(!is_pageable(s, address_of(p)), status::invalid_value, "not GPU memory");
    std::memset(handle, 0, 64);
    std::memcpy(handle, &p, sizeof p);
}
CALL(cudaIpcGetEventHandle, session& s, void* handle, void* event) {
    require_pointer(handle);
    s.event(event);
    std::memset(handle, 0, 64);
    std::memcpy(handle, &event, sizeof event);
}
CALL(cudaIpcCloseMemHandle, session&, void*) {}
