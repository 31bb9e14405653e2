// SPDX-License-Identifier: Apache-2.0
// Driver API: memory, and copies between all kinds of memory.
#include "runtimes/cuda/driver_api.h"

#include <fmt/format.h>

#include <cstring>

using namespace simtlm::cuda;
using simtlm::device::memory_kind;

namespace {

block_copy row(std::uint64_t to, std::uint64_t from, std::size_t bytes, int kind) {
    block_copy c;
    c.to = to;
    c.from = from;
    c.width = bytes;
    c.kind = kind;
    return c;
}

/// Common prefix of each side in CUDA_MEMCPY2D and related structures: an offset and the kind of
/// memory.
struct side_2d {
    std::size_t x, y;
    unsigned kind;  ///< 1 host, 2 device, 3 array, 4 unified
    void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
};
struct copy_2d {
    side_2d from, to;
    std::size_t width, height;
};

template <class Side>
std::uint64_t begin_of(session& s, const Side& side, std::uint64_t z, std::uint64_t rows,
                       std::uint64_t& pitch, std::uint64_t& slice) {
    if (side.kind == 3) {
        const simtlm::device::array& a = s.array(side.array);
        pitch = a.row_pitch();
        slice = a.slice_pitch();
        return a.address + side.x + side.y * pitch + z * slice;
    }
    pitch = side.pitch;
    slice = pitch * rows;
    return (side.kind == 1 ? address_of(side.host) : side.device) + side.x + side.y * pitch +
           z * slice;
}

block_copy block_of(session& s, const copy_2d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.from = begin_of(s, p.from, 0, p.height, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, 0, p.height, c.to_pitch, c.to_slice);
    return c;
}

}  // namespace

namespace simtlm::cuda {

block_copy block_of(session& s, const driver_copy_3d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.depth = p.depth;
    c.from = begin_of(s, p.from, p.from.z, p.from.height, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, p.to.z, p.to.height, c.to_pitch, c.to_slice);
    return c;
}

}  // namespace simtlm::cuda

RUNTIME(cuMemAlloc)(std::uint64_t* to, std::size_t bytes) {
    return driver_call("cuMemAlloc", [&](session& s) {
        require_pointer(to);
        require(bytes != 0, status::invalid_value, "no bytes");
        *to = address_of(allocate(s, memory_kind::device, bytes, 0));
    });
}
RUNTIME(cuMemAllocManaged)(std::uint64_t* to, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemAllocManaged", [&](session& s) {
        require_pointer(to);
        *to = address_of(allocate(s, memory_kind::managed, bytes, flags));
    });
}
RUNTIME(cuMemAllocPitch)
(std::uint64_t* to, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
    return driver_call("cuMemAllocPitch", [&](session& s) {
        require_pointer(to);
        const std::uint64_t row =
            checked_sum(width, 511, status::out_of_memory) & ~std::uint64_t{511};
        *to = address_of(allocate(s, memory_kind::device,
                                  checked_product(row, height, status::out_of_memory), 0));
        *pitch = row;
    });
}
RUNTIME(cuMemHostAlloc)(void** to, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemHostAlloc", [&](session& s) {
        require_pointer(to);
        *to = allocate(s, memory_kind::host, bytes, flags);
    });
}
RUNTIME(cuMemAllocHost)(void** to, std::size_t bytes) {
    return simtlm_rt_cuMemHostAlloc(to, bytes, 0);
}
RUNTIME(cuMemFree)(std::uint64_t p) {
    return driver_call("cuMemFree", [&](session& s) { free_memory(s, pointer_to(p)); });
}
RUNTIME(cuMemFreeHost)(void* p) {
    return driver_call("cuMemFreeHost", [&](session& s) { free_memory(s, p); });
}
RUNTIME(cuMemHostGetDevicePointer)(std::uint64_t* to, void* p, unsigned) {
    return driver_call("cuMemHostGetDevicePointer", [&](session&) { *to = address_of(p); });
}
RUNTIME(cuMemHostRegister)(void* p, std::size_t bytes, unsigned flags) {
    return driver_call("cuMemHostRegister", [&](session& s) {
        s.gpus().memory().admit(address_of(p), bytes, s.current_device(), flags);
    });
}
RUNTIME(cuMemHostUnregister)(void* p) {
    return driver_call("cuMemHostUnregister", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.gpus().memory().dismiss(address_of(p));
    });
}
RUNTIME(cuMemGetInfo)(std::size_t* free, std::size_t* total) {
    return driver_call("cuMemGetInfo", [&](session& s) {
        const auto& m = s.gpus().memory();
        *free = m.capacity() - m.used(s.current_device());
        *total = m.capacity();
    });
}
RUNTIME(cuMemGetAddressRange)(std::uint64_t* begin, std::size_t* bytes, std::uint64_t p) {
    return driver_call("cuMemGetAddressRange", [&](session& s) {
        const auto a = s.gpus().memory().find(p);
        require(static_cast<bool>(a), status::not_found, "no allocation at this address");
        if (begin != nullptr) *begin = a->address;
        if (bytes != nullptr) *bytes = a->bytes;
    });
}
namespace {
/// Returns a CUpointer_attribute. Unknown addresses have the attributes of unregistered memory.
void tell_attribute(session& s, void* to, int attribute, std::uint64_t p) {
    require_pointer(to);
    const pointer_attributes a = attributes_of(s, pointer_to(p));
    const bool known = a.type != 0;
    const auto place = s.gpus().memory().find(p);
    const auto tell = [to](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (attribute) {
        case 1:
            return tell(known ? s.primary_context(s.current_device()) : nullptr);
        case 2:
            return tell(known ? a.type == 1 ? 1u : 2u : 0u);
        case 3:
            return tell(known ? p : std::uint64_t{0});
        case 4:
            return tell(known ? pointer_to(p) : nullptr);
        case 6:   // synchronous copies
        case 10:  // sharing by legacy IPC handles is possible
            return tell(0);
        case 7:
            return tell(place ? place->id : std::uint64_t{0});
        case 8:
            return tell(a.type == 3 ? 1u : 0u);
        case 9:
            return tell(known ? a.device : -2);
        case 11:
            return tell(place ? place->address : std::uint64_t{0});
        case 12:
            return tell(place ? place->bytes : std::uint64_t{0});
        case 13:
            return tell(known ? 1 : 0);
        default:
            throw failure(status::not_supported,
                          fmt::format("unknown address attribute {}", attribute));
    }
}
}  // namespace
RUNTIME(cuPointerGetAttribute)(void* to, int attribute, std::uint64_t p) {
    return driver_call("cuPointerGetAttribute", [&](session& s) {
        require(attributes_of(s, pointer_to(p)).type != 0, status::invalid_value, "unknown memory");
        tell_attribute(s, to, attribute, p);
    });
}
RUNTIME(cuPointerGetAttributes)
(unsigned count, const int* attributes, void** to, std::uint64_t p) {
    return driver_call("cuPointerGetAttributes", [&](session& s) {
        for (unsigned i = 0; i < count; ++i) tell_attribute(s, to[i], attributes[i], p);
    });
}
RUNTIME(cuPointerSetAttribute)(const void*, int attribute, std::uint64_t) {
    return driver_call("cuPointerSetAttribute", [&](session&) {
        require(attribute == 6, status::invalid_value, "an attribute that is read-only");
    });
}
RUNTIME(cuMemcpy)(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    return driver_call(
        "cuMemcpy", [&](session& s) { copy(s, row(to, from, bytes, by_address), nullptr, false); });
}
RUNTIME(cuMemcpyAsync)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyAsync", [&](session& s) {
        copy(s, row(to, from, bytes, by_address), stream, true);
    });
}
RUNTIME(cuMemcpyHtoD)(std::uint64_t to, const void* from, std::size_t bytes) {
    return driver_call("cuMemcpyHtoD", [&](session& s) {
        copy(s, row(to, address_of(from), bytes, host_to_device), nullptr, false);
    });
}
RUNTIME(cuMemcpyHtoDAsync)(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyHtoDAsync", [&](session& s) {
        copy(s, row(to, address_of(from), bytes, host_to_device), stream, true);
    });
}
RUNTIME(cuMemcpyDtoH)(void* to, std::uint64_t from, std::size_t bytes) {
    return driver_call("cuMemcpyDtoH", [&](session& s) {
        copy(s, row(address_of(to), from, bytes, device_to_host), nullptr, false);
    });
}
RUNTIME(cuMemcpyDtoHAsync)(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyDtoHAsync", [&](session& s) {
        copy(s, row(address_of(to), from, bytes, device_to_host), stream, true);
    });
}
RUNTIME(cuMemcpyDtoD)(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    return driver_call("cuMemcpyDtoD", [&](session& s) {
        copy(s, row(to, from, bytes, device_to_device), nullptr, false);
    });
}
RUNTIME(cuMemcpyDtoDAsync)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
    return driver_call("cuMemcpyDtoDAsync", [&](session& s) {
        copy(s, row(to, from, bytes, device_to_device), stream, true);
    });
}
RUNTIME(cuMemcpy2D)(const copy_2d* p) {
    return driver_call("cuMemcpy2D", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), nullptr, false);
    });
}
RUNTIME(cuMemcpy2DAsync)(const copy_2d* p, void* stream) {
    return driver_call("cuMemcpy2DAsync", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), stream, true);
    });
}
RUNTIME(cuMemcpy3D)(const driver_copy_3d* p) {
    return driver_call("cuMemcpy3D", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), nullptr, false);
    });
}
RUNTIME(cuMemcpy3DAsync)(const driver_copy_3d* p, void* stream) {
    return driver_call("cuMemcpy3DAsync", [&](session& s) {
        require_pointer(p);
        copy(s, block_of(s, *p), stream, true);
    });
}
RUNTIME(cuMemsetD8)(std::uint64_t to, unsigned char value, std::size_t count) {
    return driver_call("cuMemsetD8",
                       [&](session& s) { fill(s, to, count, value, 1, count, 1, nullptr); });
}
RUNTIME(cuMemsetD16)(std::uint64_t to, unsigned short value, std::size_t count) {
    return driver_call("cuMemsetD16",
                       [&](session& s) { fill(s, to, count * 2, value, 2, count, 1, nullptr); });
}
RUNTIME(cuMemsetD32)(std::uint64_t to, unsigned value, std::size_t count) {
    return driver_call("cuMemsetD32",
                       [&](session& s) { fill(s, to, count * 4, value, 4, count, 1, nullptr); });
}
RUNTIME(cuMemsetD8Async)(std::uint64_t to, unsigned char value, std::size_t count, void* stream) {
    return driver_call("cuMemsetD8Async",
                       [&](session& s) { fill(s, to, count, value, 1, count, 1, stream); });
}
RUNTIME(cuMemsetD32Async)(std::uint64_t to, unsigned value, std::size_t count, void* stream) {
    return driver_call("cuMemsetD32Async",
                       [&](session& s) { fill(s, to, count * 4, value, 4, count, 1, stream); });
}
