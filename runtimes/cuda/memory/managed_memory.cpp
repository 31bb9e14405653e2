// SPDX-License-Identifier: Apache-2.0
// Hints for managed memory: the functions of both APIs, and what they record.
#include "runtimes/cuda/memory/managed_memory.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/memory/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

namespace simtlm::cuda {

managed_hints::ranges::iterator managed_hints::split(ranges& r, std::uint64_t at) {
    const auto next = r.upper_bound(at);
    const auto before = std::prev(next);  // a range begins at address 0
    return before->first == at ? before : r.emplace_hint(next, at, before->second);
}

template <class Change>
void managed_hints::change(std::uint64_t allocation, std::uint64_t from, std::uint64_t to,
                           Change&& how) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ranges& r = allocations_[allocation];
    if (r.empty()) r[0];
    const auto end = split(r, to);
    for (auto at = split(r, from); at != end; ++at) how(at->second);
}

void managed_hints::advise(std::uint64_t allocation, std::uint64_t address, std::size_t bytes,
                           int advice, memory_location where) {
    require(advice >= set_read_mostly && advice <= unset_accessed_by, status::invalid_value,
            "unknown advice");
    const int user = where.kind == 1 ? where.id : host;
    change(allocation, address, address + bytes, [&](hints& h) {
        switch (advice) {
            case set_read_mostly:
            case unset_read_mostly:
                h.read_mostly = advice == set_read_mostly;
                break;
            case set_preferred_location:
                h.preferred = where;
                break;
            case unset_preferred_location:
                h.preferred = {0, nowhere};
                break;
            case set_accessed_by:
                h.users.insert(user);
                break;
            default:
                h.users.erase(user);
        }
    });
}

void managed_hints::prefetch(std::uint64_t allocation, std::uint64_t address, std::size_t bytes,
                             memory_location where) {
    change(allocation, address, address + bytes, [&](hints& h) { h.prefetched = where; });
}

void managed_hints::read(std::uint64_t allocation, std::uint64_t address, std::size_t bytes,
                         int attribute, void* to, std::size_t size) {
    require(attribute >= read_mostly && attribute <= last_prefetch_location_id,
            status::invalid_value, "unknown attribute of a memory range");
    require(size != 0 && size % 4 == 0 && (size == 4 || attribute == accessed_by),
            status::invalid_value, "the size of the value is not that of the attribute");
    hints common;
    bool first = true;
    const auto differ = [](const memory_location& a, const memory_location& b) {
        return a.kind != b.kind || a.id != b.id;
    };
    change(allocation, address, address + bytes, [&](const hints& h) {
        if (first) common = h;
        first = false;
        common.read_mostly &= h.read_mostly;
        if (differ(common.preferred, h.preferred)) common.preferred = {0, nowhere};
        if (differ(common.prefetched, h.prefetched)) common.prefetched = {0, nowhere};
        for (auto u = common.users.begin(); u != common.users.end();)
            u = h.users.count(*u) != 0 ? std::next(u) : common.users.erase(u);
    });
    const auto number = [](const memory_location& l) {
        return l.kind == 1 ? l.id : l.kind == 0 ? nowhere : host;
    };
    std::vector<int> values(size / 4, nowhere);
    switch (attribute) {
        case read_mostly:
            values[0] = common.read_mostly ? 1 : 0;
            break;
        case preferred_location:
            values[0] = number(common.preferred);
            break;
        case accessed_by:
            std::copy_n(common.users.begin(), std::min(values.size(), common.users.size()),
                        values.begin());
            break;
        case last_prefetch_location:
            values[0] = number(common.prefetched);
            break;
        case preferred_location_kind:
            values[0] = common.preferred.kind;
            break;
        case preferred_location_id:
            values[0] = common.preferred.id;
            break;
        case last_prefetch_location_kind:
            values[0] = common.prefetched.kind;
            break;
        default:
            values[0] = common.prefetched.id;
    }
    std::memcpy(to, values.data(), size);
}

namespace {

/// The location for a device number of the functions before CUDA 12.2.
memory_location location_of(int device) {
    return device == managed_hints::host ? memory_location{2, 0} : memory_location{1, device};
}

void check_location(session& s, memory_location where) {
    require(where.kind >= 1 && where.kind <= 4, status::invalid_value, "unknown location");
    if (where.kind == 1) check_device(s, where.id);
}

/// The managed allocation that contains a range. @throws failure  if there is none
device::allocation managed(session& s, const void* p, std::size_t bytes) {
    const auto a = s.gpus().memory().find(address_of(p));
    require(a && a->kind == device::memory_kind::managed, status::invalid_value,
            "not managed memory");
    require(bytes != 0 && bytes <= a->bytes - (address_of(p) - a->address), status::invalid_value,
            "the range is empty or exceeds its allocation");
    return *a;
}

void advise(session& s, const void* p, std::size_t bytes, int advice, memory_location where) {
    const auto a = managed(s, p, bytes);
    // The location is ignored by these.
    if (advice > managed_hints::unset_read_mostly &&
        advice != managed_hints::unset_preferred_location)
        check_location(s, where);
    s.hints.advise(a.id, address_of(p), bytes, advice, where);
}

void prefetch(session& s, const void* p, std::size_t bytes, memory_location where, void* stream) {
    require(!is_pageable(s, address_of(p)), status::invalid_value, "not managed memory");
    check_location(s, where);
    s.stream(stream);
    const auto a = s.gpus().memory().find(address_of(p));
    if (a && a->kind == device::memory_kind::managed)
        s.hints.prefetch(a->id, address_of(p), bytes, where);
}

/// Prefetches or discards several ranges.
/// @param places  locations, or nullptr to discard only
/// @param first   for each location the index of the first range that it is for
void batch(session& s, void** pointers, const std::size_t* bytes, std::size_t count,
           const memory_location* places, const std::size_t* first, std::size_t place_count,
           void* stream) {
    require(count != 0 && pointers != nullptr && bytes != nullptr, status::invalid_value,
            "no memory ranges are given");
    require(places == nullptr || (place_count != 0 && first != nullptr && first[0] == 0),
            status::invalid_value, "no location for the first memory range");
    s.stream(stream);
    std::size_t place = 0;
    for (std::size_t i = 0; i < count; ++i) {
        require(!is_pageable(s, address_of(pointers[i])), status::invalid_value,
                "not managed memory");
        if (places == nullptr) continue;
        while (place + 1 < place_count && first[place + 1] <= i) ++place;
        prefetch(s, pointers[i], bytes[i], places[place], stream);
    }
}

}  // namespace

CALL(cudaMemAdvise, session& s, const void* p, std::size_t bytes, int advice, int device) {
    advise(s, p, bytes, advice, location_of(device));
}
CALL_AS(cudaMemAdvise_v2, "cudaMemAdvise", session& s, const void* p, std::size_t bytes, int advice,
        memory_location where) {
    advise(s, p, bytes, advice, where);
}
CALL(cudaMemPrefetchAsync, session& s, const void* p, std::size_t bytes, int device, void* stream) {
    prefetch(s, p, bytes, location_of(device), stream);
}
CALL_AS(cudaMemPrefetchAsync_v2, "cudaMemPrefetchAsync", session& s, const void* p,
        std::size_t bytes, memory_location where, unsigned, void* stream) {
    prefetch(s, p, bytes, where, stream);
}
CALL(cudaMemPrefetchBatchAsync, session& s, void** pointers, const std::size_t* bytes,
     std::size_t count, const memory_location* places, const std::size_t* first,
     std::size_t place_count, unsigned long long, void* stream) {
    require_pointer(places);
    batch(s, pointers, bytes, count, places, first, place_count, stream);
}
CALL(cudaMemDiscardBatchAsync, session& s, void** pointers, const std::size_t* bytes,
     std::size_t count, unsigned long long, void* stream) {
    batch(s, pointers, bytes, count, nullptr, nullptr, 0, stream);
}
CALL(cudaMemDiscardAndPrefetchBatchAsync, session& s, void** pointers, const std::size_t* bytes,
     std::size_t count, const memory_location* places, const std::size_t* first,
     std::size_t place_count, unsigned long long, void* stream) {
    require_pointer(places);
    batch(s, pointers, bytes, count, places, first, place_count, stream);
}
CALL(cudaMemRangeGetAttribute, session& s, void* to, std::size_t size, int attribute, const void* p,
     std::size_t bytes) {
    require_pointer(to);
    const auto a = managed(s, p, bytes);
    s.hints.read(a.id, address_of(p), bytes, attribute, to, size);
}
CALL(cudaMemRangeGetAttributes, session& s, void** to, const std::size_t* sizes,
     const int* attributes, std::size_t count, const void* p, std::size_t bytes) {
    require(count != 0 && to != nullptr && sizes != nullptr && attributes != nullptr,
            status::invalid_value, "no attributes are given");
    const auto a = managed(s, p, bytes);
    for (std::size_t i = 0; i < count; ++i) {
        require_pointer(to[i]);
        s.hints.read(a.id, address_of(p), bytes, attributes[i], to[i], sizes[i]);
    }
}

}  // namespace simtlm::cuda
