// SPDX-License-Identifier: Apache-2.0
// Memory pools, and allocation in stream order.
#include "runtimes/cuda/memory/pools.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/memory/managed_memory.h"
#include "runtimes/cuda/memory/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

namespace simtlm::cuda {

pool_table::pool_table(unsigned devices) {
    for (unsigned d = 0; d < devices; ++d) {
        defaults_.push_back(std::make_unique<memory_pool>());
        defaults_.back()->device = d;
    }
}

memory_pool& pool_table::current(unsigned device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = current_.find(device);
    return at == current_.end() ? default_of(device) : *at->second;
}

void pool_table::set_current(unsigned device, memory_pool& pool) {
    const std::lock_guard<std::mutex> lock(mutex_);
    current_[device] = &pool;
}

memory_pool* pool_table::create(unsigned device) {
    auto pool = std::make_unique<memory_pool>();
    pool->device = device;
    return created_.insert(std::move(pool));
}

void pool_table::destroy(memory_pool& pool) {
    const auto gone = created_.erase(&pool);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto i = current_.begin(); i != current_.end();)
        i = i->second == &pool ? current_.erase(i) : std::next(i);
    for (auto& [address, from] : origin_)
        if (from == &pool) from = nullptr;
    for (auto i = access_.begin(); i != access_.end();)
        i = i->first.first == &pool ? access_.erase(i) : std::next(i);
}

void pool_table::allocated(memory_pool& pool, std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    origin_[address] = &pool;
    pool.used += bytes;
    pool.used_high = std::max(pool.used_high, pool.used);
}

void pool_table::released(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = origin_.find(address);
    if (at == origin_.end()) return;
    if (at->second != nullptr) at->second->used -= std::min(at->second->used, bytes);
    origin_.erase(at);
}

memory_pool* pool_table::origin(std::uint64_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = origin_.find(address);
    return at == origin_.end() ? nullptr : at->second;
}

void pool_table::allow(const memory_pool& pool, int device, int flags) {
    const std::lock_guard<std::mutex> lock(mutex_);
    access_[{&pool, device}] = flags;
}

int pool_table::access(const memory_pool& pool, int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = access_.find({&pool, device});
    if (at != access_.end()) return at->second;
    return static_cast<int>(pool.device) == device ? reads_and_writes : 0;
}

namespace {

/// Allocation in a captured stream: adds a node to its graph.
/// @return the address; nullptr if the stream is not captured
void* captured_allocation(session& s, device::stream& stream, unsigned device, std::size_t bytes) {
    if (bytes == 0 || s.captures.of(stream) == nullptr) return nullptr;
    operation o = allocation_operation(s, device, bytes);
    void* const p = pointer_to(o.address);
    enqueue(s, stream, std::move(o));
    return p;
}

}  // namespace

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
    *to = allocate_in_stream(s, device::memory_kind::device, bytes, 0);
    s.pools.allocated(s.pools.current(s.current_device()), address_of(*to), bytes);
}
CALL(cudaMallocFromPoolAsync, session& s, void** to, std::size_t bytes, memory_pool* pool,
     void* stream) {
    require_pointer(to, pool);
    *to = captured_allocation(s, s.stream(stream), pool->device, bytes);
    if (*to != nullptr || bytes == 0) return;
    *to = pointer_to(s.gpus().memory().allocate(device::memory_kind::device, pool->device, bytes));
    s.pools.allocated(*pool, address_of(*to), bytes);
}
CALL(cudaFreeAsync, session& s, void* p, void* stream) {
    const auto a = s.gpus().memory().find(address_of(p));
    require(a && a->address == address_of(p), status::invalid_value, "no memory is allocated");
    if (!a->of_graph) s.pools.released(a->address, a->bytes);
    enqueue(s, s.stream(stream), release_operation(address_of(p)));
}
CALL(cudaDeviceGetDefaultMemPool, session& s, memory_pool** pool, int device) {
    require_pointer(pool);
    check_device(s, device);
    *pool = &s.pools.default_of(static_cast<unsigned>(device));
}
CALL(cudaDeviceGetMemPool, session& s, memory_pool** pool, int device) {
    require_pointer(pool);
    check_device(s, device);
    *pool = &s.pools.current(static_cast<unsigned>(device));
}
CALL(cudaDeviceSetMemPool, session& s, int device, memory_pool* pool) {
    check_device(s, device);
    require_pointer(pool);
    s.pools.set_current(static_cast<unsigned>(device), *pool);
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
    *pool = &s.pools.default_of(device_at(s, where, type));
}
CALL(cudaMemGetMemPool, session& s, memory_pool** pool, const memory_location* where, int type) {
    require_pointer(pool);
    *pool = &s.pools.current(device_at(s, where, type));
}
CALL(cudaMemSetMemPool, session& s, const memory_location* where, int type, memory_pool* pool) {
    require_pointer(pool);
    s.pools.set_current(device_at(s, where, type), *pool);
}
CALL(cudaMemPoolCreate, session& s, memory_pool** pool, const int* properties) {
    require_pointer(pool, properties);
    // Allocation type, handle types, kind of location, device number.
    check_device(s, properties[3]);
    *pool = s.pools.create(static_cast<unsigned>(properties[3]));
}
CALL(cudaMemPoolDestroy, session& s, memory_pool* pool) {
    require_pointer(pool);
    s.pools.destroy(*pool);
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
        s.pools.allow(*pool, all[i].device, all[i].flags);
    }
}
CALL(cudaMemPoolGetAccess, session& s, int* flags, memory_pool* pool, const pool_access* of) {
    require_pointer(pool, flags, of);
    *flags = s.pools.access(*pool, of->device);
}

}  // namespace simtlm::cuda
