// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs, pinned and registered memory of the host.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtlm::cuda {

void* allocate_in_stream(session& s, device::memory_kind kind, std::size_t bytes, unsigned flags) {
    if (bytes == 0) return nullptr;
    const std::uint64_t a = s.gpus().memory().allocate(kind, s.current_device(), bytes, flags);
    const auto& contexts = session::thread().contexts;
    if (!contexts.empty() && !contexts.back()->primary)
        s.owners.set(s.gpus().memory().find(a)->id, contexts.back());
    return pointer_to(a);
}

context* context_of(session& s, const device::allocation& a) {
    const auto owner = s.owners.find(a.id);
    return owner && s.contexts.knows(*owner) ? *owner : s.contexts.primary(a.device);
}

namespace {

void* allocate(session& s, std::size_t bytes,
               device::memory_kind kind = device::memory_kind::device, unsigned flags = 0) {
    refuse_during_capture(s);
    return allocate_in_stream(s, kind, bytes, flags);
}

void free_memory(session& s, void* p) {
    refuse_during_capture(s);
    if (p == nullptr) return;
    s.gpus().free(address_of(p));
}

std::uint64_t pitch_of(std::size_t width) {
    return checked_sum(width, 511, status::out_of_memory) & ~std::uint64_t{511};
}

}  // namespace

CALL(cudaMalloc, session& s, void** to, std::size_t bytes) {
    require_pointer(to);
    *to = nullptr;
    *to = allocate(s, bytes);
}
CALL(cudaMallocManaged, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    require(bytes != 0 && (flags == 1 || flags == 2 || flags == 4), status::invalid_value,
            "no bytes, or unknown flags of managed memory");
    *to = allocate(s, bytes, device::memory_kind::managed, flags);
}
CALL(cudaHostAlloc, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    require(flags <= 7, status::invalid_value, "unknown flags of pinned memory");
    *to = allocate(s, bytes, device::memory_kind::host, flags);
}
CALL(cudaMallocHost, session& s, void** to, std::size_t bytes) {
    cudaHostAlloc_call::run(s, to, bytes, 0);
}
CALL(cudaMallocPitch, session& s, void** to, std::size_t* pitch, std::size_t width,
     std::size_t height) {
    require_pointer(to, pitch);
    const std::uint64_t row = pitch_of(width);
    *to = allocate(s, checked_product(row, height, status::out_of_memory));
    *pitch = row;
}
CALL(cudaMalloc3D, session& s, pitched_pointer* to, extent size) {
    require_pointer(to);
    const std::size_t pitch = pitch_of(size.width);
    const std::uint64_t plane = checked_product(pitch, size.height, status::out_of_memory);
    void* const p = allocate(s, checked_product(plane, size.depth, status::out_of_memory));
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
    require(flags <= 15, status::invalid_value, "unknown flags of registered memory");
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
    require(a && !device::is_of_gpu(a->kind), status::invalid_value, "not pinned host memory");
    *flags = a->flags | 2;
}
CALL(cudaMemGetInfo, session& s, std::size_t* free, std::size_t* total) {
    const auto& m = s.gpus().memory();
    if (free != nullptr) *free = m.capacity() - m.used(s.current_device());
    if (total != nullptr) *total = m.capacity();
}
CALL(cudaIpcGetMemHandle, session& s, void* handle, void* p) {
    require_pointer(handle);
    require(!is_pageable(s, address_of(p)), status::invalid_value, "not GPU memory");
    std::memset(handle, 0, 64);
    std::memcpy(handle, &p, sizeof p);
}
CALL(cudaIpcCloseMemHandle, session&, void*) {}
CALL(cuMemAlloc, session& s, std::uint64_t* to, std::size_t bytes) {
    require_pointer(to);
    require(bytes != 0, status::invalid_value, "no bytes");
    *to = address_of(allocate(s, bytes));
}
CALL(cuMemAllocPitch, session& s, void** to, std::size_t* pitch, std::size_t width,
     std::size_t height, unsigned element) {
    require_pointer(to, pitch);
    require(width != 0 && height != 0, status::invalid_value, "no bytes");
    require(element == 4 || element == 8 || element == 16, status::invalid_value,
            "elements must have 4, 8 or 16 bytes");
    cudaMallocPitch_call::run(s, to, pitch, width, height);
}
CALL(cuMemHostAlloc, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    require(bytes != 0, status::invalid_value, "no bytes");
    cudaHostAlloc_call::run(s, to, bytes, flags);
}
CALL_AS(cuMemAllocHost, cuMemHostAlloc_call::name, session& s, void** to, std::size_t bytes) {
    cuMemHostAlloc_call::run(s, to, bytes, 0);
}
CALL(cuMemGetAddressRange, session& s, std::uint64_t* begin, std::size_t* bytes, std::uint64_t p) {
    const auto a = s.gpus().memory().find(p);
    require(static_cast<bool>(a), status::not_found, "no allocation at this address");
    if (begin != nullptr) *begin = a->address;
    if (bytes != nullptr) *bytes = a->bytes;
}

}  // namespace simtlm::cuda
