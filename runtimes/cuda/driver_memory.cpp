// SPDX-License-Identifier: Apache-2.0
// Driver API: virtual memory, arrays, and less common copies and fills.
#include "runtimes/cuda/driver_api.h"

#include <unistd.h>

#include <algorithm>

using namespace simtlm::cuda;
using simtlm::execution::arithmetic::channel_kind;

// ---- virtual memory ----

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
    *to = s.addresses().reserve(bytes, alignment);
}
CALL(cuMemAddressFree, session& s, std::uint64_t address, std::size_t bytes) {
    s.addresses().free(address, bytes);
}
CALL(cuMemGetAllocationGranularity, session& s, std::size_t* to, const allocation_properties* p,
     int) {
    require_pointer(to, p);
    check_location(s, p->where);
    *to = virtual_memory::granularity;
}
CALL(cuMemCreate, session& s, void** to, std::size_t bytes, const allocation_properties* p,
     std::uint64_t) {
    require_pointer(to, p);
    check_location(s, p->where);
    require((p->handles & ~file_handles) == 0, status::not_supported,
            "only file descriptors are supported as shareable handles");
    *to = s.addresses().create(bytes, static_cast<unsigned>(p->where.id));
}
CALL(cuMemRelease, session& s, void* handle) {
    s.addresses().release(handle);
}
CALL(cuMemRetainAllocationHandle, session& s, void** to, void* address) {
    require_pointer(to);
    *to = s.addresses().retain(address_of(address));
}
CALL(cuMemGetAllocationPropertiesFromHandle, session& s, allocation_properties* to, void* handle) {
    require_pointer(to);
    *to = {};
    to->kind = 1;
    to->handles = file_handles;
    to->where = {1, static_cast<int>(s.addresses().get(handle).device)};
}
CALL(cuMemMap, session& s, std::uint64_t address, std::size_t bytes, std::size_t offset,
     void* handle, std::uint64_t) {
    s.addresses().map(address, bytes, offset, handle);
}
CALL(cuMemUnmap, session& s, std::uint64_t address, std::size_t bytes) {
    for (unsigned d = 0; d < s.gpus().devices(); ++d) s.work().wait_all(d);
    s.addresses().unmap(address, bytes);
}
CALL(cuMemSetAccess, session& s, std::uint64_t address, std::size_t bytes,
     const access_description* all, std::size_t count) {
    require_pointer(all);
    for (std::size_t i = 0; i < count; ++i) check_location(s, all[i].where);
    // Access is granted to all devices if one has it.
    const auto* const may =
        std::find_if(all, all + count, [](const access_description& a) { return a.flags != 0; });
    s.addresses().set_access(address, bytes,
                             may != all + count ? static_cast<unsigned>(may->where.id) : 0,
                             may != all + count);
}
CALL(cuMemGetAccess, session& s, std::uint64_t* to, const location*, std::uint64_t address) {
    require_pointer(to);
    *to = s.addresses().may_access(address) ? 3 : 0;
}
CALL(cuMemExportToShareableHandle, session& s, int* to, void* handle, int kind, std::uint64_t) {
    require_pointer(to);
    require(kind == file_handles, status::not_supported,
            "only file descriptors are supported as shareable handles");
    *to = ::dup(s.addresses().get(handle).file);
    require(*to >= 0, status::out_of_memory, "no file descriptor is available");
}
CALL(cuMemImportFromShareableHandle, session& s, void** to, void* from, int kind) {
    require_pointer(to);
    require(kind == file_handles, status::not_supported,
            "only file descriptors are supported as shareable handles");
    *to = s.addresses().import(static_cast<int>(address_of(from)), s.current_device());
}

// ---- arrays ----

namespace {

/// CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR
struct array_description {
    std::size_t width, height;
    int format;
    unsigned channels;
};
struct array_description_3d {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

simtlm::device::array_shape shape_of(const array_description_3d& d, unsigned levels) {
    simtlm::device::array_shape shape;
    shape.format = format_of(channels_of(d.format, d.channels));
    shape.width = d.width;
    shape.height = d.height;
    shape.depth = d.depth;
    shape.layered = (d.flags & 1) != 0;
    shape.cube = (d.flags & 4) != 0;
    shape.levels = levels;
    return shape;
}

int driver_format(const simtlm::execution::arithmetic::texel_format& f) {
    const int size = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
    if (f.kind == channel_kind::unsigned_integer) return 1 + size;
    if (f.kind == channel_kind::signed_integer) return 8 + size;
    return f.bits == 16 ? 0x10 : 0x20;
}

array_description_3d descriptor_of(const simtlm::device::array& a) {
    return {a.shape.width,           a.shape.height, a.shape.depth, driver_format(a.shape.format),
            a.shape.format.channels, a.flags};
}

}  // namespace

namespace simtlm::cuda {

channel_description channels_of(int format, unsigned channels) {
    constexpr int half = 0x10, single = 0x20;
    const bool floating = format == half || format == single;
    const int size = format & 7;
    require(floating || (size <= 3 && (format & ~0xb) == 0), status::invalid_value, "no format");
    const int bits = format == half     ? 16
                     : format == single ? 32
                     : format >= 8      ? 8 << (format - 8)
                                        : 8 << (format - 1);
    channel_description d{};
    int* const each[] = {&d.x, &d.y, &d.z, &d.w};
    require(channels >= 1 && channels <= 4, status::invalid_value, "one to four channels");
    for (unsigned i = 0; i < channels; ++i) *each[i] = bits;
    d.kind = floating ? 2 : format >= 8 ? 0 : 1;
    return d;
}

}  // namespace simtlm::cuda

CALL(cuArray3DCreate, session& s, simtlm::device::array** to, const array_description_3d* d) {
    require_pointer(to, d);
    *to = make_array(s, shape_of(*d, 1), d->flags);
}
CALL(cuArrayCreate, session& s, simtlm::device::array** to, const array_description* d) {
    require_pointer(to, d);
    *to = make_array(s, shape_of({d->width, d->height, 0, d->format, d->channels, 0}, 1), 0);
}
CALL(cuArray3DGetDescriptor, session& s, array_description_3d* to, const void* array) {
    value_at(to) = descriptor_of(s.array(array));
}
CALL(cuArrayGetDescriptor, session& s, array_description* to, const void* array) {
    const array_description_3d d = descriptor_of(s.array(array));
    value_at(to) = {d.width, d.height, d.format, d.channels};
}
CALL(cuMipmappedArrayCreate, session& s, simtlm::device::array** to, const array_description_3d* d,
     unsigned levels) {
    require_pointer(to, d);
    *to = make_array(s, shape_of(*d, levels), d->flags);
}

// ---- copies of one row from and to arrays ----

namespace {

std::uint64_t within(session& s, const void* array, std::size_t offset, std::size_t bytes) {
    const simtlm::device::array& a = s.array(array);
    require(offset <= a.bytes && bytes <= a.bytes - offset, status::invalid_value,
            "a copy exceeds an array");
    return a.address + offset;
}

}  // namespace

CALL(cuMemcpyAtoH, session& s, void* to, const void* array, std::size_t offset, std::size_t bytes) {
    copy(s, linear_copy(address_of(to), within(s, array, offset, bytes), bytes));
}
CALL(cuMemcpyAtoHAsync, session& s, void* to, const void* array, std::size_t offset,
     std::size_t bytes, void* stream) {
    copy(s, linear_copy(address_of(to), within(s, array, offset, bytes), bytes), stream, true);
}
CALL(cuMemcpyHtoA, session& s, const void* array, std::size_t offset, const void* from,
     std::size_t bytes) {
    copy(s, linear_copy(within(s, array, offset, bytes), address_of(from), bytes));
}
CALL(cuMemcpyHtoAAsync, session& s, const void* array, std::size_t offset, const void* from,
     std::size_t bytes, void* stream) {
    copy(s, linear_copy(within(s, array, offset, bytes), address_of(from), bytes), stream, true);
}
CALL(cuMemcpyAtoD, session& s, std::uint64_t to, const void* array, std::size_t offset,
     std::size_t bytes) {
    copy(s, linear_copy(to, within(s, array, offset, bytes), bytes));
}
CALL(cuMemcpyDtoA, session& s, const void* array, std::size_t offset, std::uint64_t from,
     std::size_t bytes) {
    copy(s, linear_copy(within(s, array, offset, bytes), from, bytes));
}
CALL(cuMemcpyAtoA, session& s, const void* to, std::size_t to_offset, const void* from,
     std::size_t offset, std::size_t bytes) {
    copy(s, linear_copy(within(s, to, to_offset, bytes), within(s, from, offset, bytes), bytes));
}

// ---- fills ----

CALL(cuMemsetD16Async, session& s, std::uint64_t to, unsigned short value, std::size_t count,
     void* stream) {
    fill(s, to, count * 2, value, 2, count, 1, stream);
}

CALL(cuMemsetD2D8, session& s, std::uint64_t to, std::size_t pitch, unsigned char value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 1, width, height, nullptr);
}
CALL(cuMemsetD2D8Async, session& s, std::uint64_t to, std::size_t pitch, unsigned char value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 1, width, height, stream);
}
CALL(cuMemsetD2D16, session& s, std::uint64_t to, std::size_t pitch, unsigned short value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 2, width, height, nullptr);
}
CALL(cuMemsetD2D16Async, session& s, std::uint64_t to, std::size_t pitch, unsigned short value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 2, width, height, stream);
}
CALL(cuMemsetD2D32, session& s, std::uint64_t to, std::size_t pitch, unsigned value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 4, width, height, nullptr);
}
CALL(cuMemsetD2D32Async, session& s, std::uint64_t to, std::size_t pitch, unsigned value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 4, width, height, stream);
}
