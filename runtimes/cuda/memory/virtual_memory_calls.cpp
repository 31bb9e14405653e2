// SPDX-License-Identifier: Apache-2.0
// Virtual memory (cuMemMap and its family).
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/memory/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

namespace {

/// CUmemLocation
struct location {
    int kind;  ///< 1: a device
    int id;
};

/// CUmemAllocationProp
struct allocation_properties {
    int kind;  ///< 1: pinned
    int handles;
    location where;
    void* other_system;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
};

/// CUmemAccessDesc
struct access_description {
    location where;
    int flags;  ///< 0 none, 1 read, 3 read and write
};

constexpr int file_handles = 1;

void check_location(session& s, const location& l) {
    require(l.kind == 1, status::invalid_value,
            "memory locations other than devices are not supported");
    check_device(s, l.id);
}

}  // namespace

CALL(cuMemAddressReserve, session& s, std::uint64_t* to, std::size_t bytes, std::size_t alignment,
     std::uint64_t, std::uint64_t) {
    require_pointer(to);
    *to = s.addresses.reserve(bytes, alignment);
}
CALL(cuMemAddressFree, session& s, std::uint64_t address, std::size_t bytes) {
    s.addresses.free(address, bytes);
}
CALL(cuMemGetAllocationGranularity, session& s, std::size_t* to, const allocation_properties* p,
     int) {
    require_pointer(to, p);
    check_location(s, p->where);
    *to = virtual_memory::granularity;
}
namespace {

/// Another process would have to follow where memory is mapped.
void refuse_remote(session& s) {
    require(!s.gpus().is_remote(), status::not_supported,
            "virtual memory is not supported on GPUs that another process simulates");
}

}  // namespace

CALL(cuMemCreate, session& s, void** to, std::size_t bytes, const allocation_properties* p,
     std::uint64_t) {
    require_pointer(to, p);
    refuse_remote(s);
    check_location(s, p->where);
    require((p->handles & ~file_handles) == 0, status::not_supported,
            "only file descriptors are supported as shareable handles");
    *to = s.addresses.create(bytes, static_cast<unsigned>(p->where.id));
}
CALL(cuMemRelease, session& s, void* handle) {
    s.addresses.release(handle);
}
CALL(cuMemRetainAllocationHandle, session& s, void** to, void* address) {
    require_pointer(to);
    *to = s.addresses.retain(address_of(address));
}
CALL(cuMemGetAllocationPropertiesFromHandle, session& s, allocation_properties* to, void* handle) {
    require_pointer(to);
    *to = {};
    to->kind = 1;
    to->handles = file_handles;
    to->where = {1, static_cast<int>(s.addresses.get(handle).device)};
}
CALL(cuMemMap, session& s, std::uint64_t address, std::size_t bytes, std::size_t offset,
     void* handle, std::uint64_t) {
    s.addresses.map(address, bytes, offset, handle);
}
CALL(cuMemUnmap, session& s, std::uint64_t address, std::size_t bytes) {
    for (unsigned d = 0; d < s.gpus().devices(); ++d) s.work().wait_all(d);
    s.addresses.unmap(address, bytes);
}
CALL(cuMemSetAccess, session& s, std::uint64_t address, std::size_t bytes,
     const access_description* all, std::size_t count) {
    require_pointer(all);
    for (std::size_t i = 0; i < count; ++i) check_location(s, all[i].where);
    // Access is granted to all devices if one has it.
    const auto* const may =
        std::find_if(all, all + count, [](const access_description& a) { return a.flags != 0; });
    s.addresses.set_access(address, bytes,
                           may != all + count ? static_cast<unsigned>(may->where.id) : 0,
                           may != all + count);
}
CALL(cuMemGetAccess, session& s, std::uint64_t* to, const location*, std::uint64_t address) {
    require_pointer(to);
    *to = s.addresses.may_access(address) ? 3 : 0;
}
CALL(cuMemExportToShareableHandle, session& s, int* to, void* handle, int kind, std::uint64_t) {
    require_pointer(to);
    require(kind == file_handles, status::not_supported,
            "only file descriptors are supported as shareable handles");
    *to = ::dup(s.addresses.get(handle).file);
    require(*to >= 0, status::out_of_memory, "no file descriptor is available");
}
CALL(cuMemImportFromShareableHandle, session& s, void** to, void* from, int kind) {
    require_pointer(to);
    require(kind == file_handles, status::not_supported,
            "only file descriptors are supported as shareable handles");
    refuse_remote(s);
    *to = s.addresses.import(static_cast<int>(address_of(from)), s.current_device());
}

}  // namespace simtlm::cuda
