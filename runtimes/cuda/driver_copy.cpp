// SPDX-License-Identifier: Apache-2.0
// Driver API: memory, and copies between all kinds of memory.
#include "runtimes/cuda/driver_api.h"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <unordered_set>

using namespace simtlm::cuda;
using simtlm::device::memory_kind;

namespace {

/// CUmemorytype
enum memory_type : unsigned { of_host = 1, of_device, of_array, unified };

/// Common prefix of each side in CUDA_MEMCPY2D and related structures: an offset and the kind of
/// memory.
struct side_2d {
    std::size_t x, y;
    unsigned kind;  ///< memory_type
    void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
};
struct copy_2d {
    side_2d from, to;
    std::size_t width, height;
};

/// Sets one side of a copy; its size must be set. @param z, plane_rows  of copies in three
/// dimensions
template <class Side>
std::uint64_t begin_of(session& s, const Side& side, std::uint64_t z, std::uint64_t plane_rows,
                       const block_copy& c, std::uint64_t& pitch, std::uint64_t& slice) {
    require(side.kind >= of_host && side.kind <= unified, status::invalid_value,
            "unknown kind of memory");
    const std::uint64_t end = checked_sum(side.x, c.width);
    if (side.kind == of_array) {
        const simtlm::device::array& a = s.array(side.array);
        require(end <= a.shape.width * a.shape.element_bytes() &&
                    checked_sum(side.y, c.height) <= a.shape.rows() &&
                    checked_sum(z, c.depth) <= a.shape.slices(),
                status::invalid_value, "a copy exceeds an array");
        pitch = a.row_pitch();
        slice = a.slice_pitch();
        return a.address + side.x + side.y * pitch + z * slice;
    }
    pitch = side.pitch;
    const bool one_row = c.height <= 1 && c.depth <= 1;
    require(pitch >= end || (one_row && pitch == 0), status::invalid_value,
            "rows overlap: the pitch is less than the width");
    require(c.depth <= 1 || plane_rows >= checked_sum(side.y, c.height), status::invalid_value,
            "planes overlap: their height is less than that of the copy");
    slice = checked_product(pitch, plane_rows);
    return (side.kind == of_host ? address_of(side.host) : side.device) + side.x + side.y * pitch +
           z * slice;
}

block_copy block_of(session& s, const copy_2d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.from = begin_of(s, p.from, 0, p.height, c, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, 0, p.height, c, c.to_pitch, c.to_slice);
    return c;
}

}  // namespace

namespace simtlm::cuda {

block_copy block_of(session& s, const driver_copy_3d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.depth = p.depth;
    c.from = begin_of(s, p.from, p.from.z, p.from.height, c, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, p.to.z, p.to.height, c, c.to_pitch, c.to_slice);
    return c;
}

}  // namespace simtlm::cuda

CALL(cuMemAlloc, session& s, std::uint64_t* to, std::size_t bytes) {
    require_pointer(to);
    require(bytes != 0, status::invalid_value, "no bytes");
    *to = address_of(allocate(s, memory_kind::device, bytes, 0));
}
CALL(cuMemAllocPitch, session& s, std::uint64_t* to, std::size_t* pitch, std::size_t width,
     std::size_t height, unsigned element) {
    require_pointer(to, pitch);
    require(width != 0 && height != 0, status::invalid_value, "no bytes");
    require(element == 4 || element == 8 || element == 16, status::invalid_value,
            "elements must have 4, 8 or 16 bytes");
    const std::uint64_t row = checked_sum(width, 511, status::out_of_memory) & ~std::uint64_t{511};
    *to = address_of(
        allocate(s, memory_kind::device, checked_product(row, height, status::out_of_memory), 0));
    *pitch = row;
}
CALL(cuMemHostAlloc, session& s, void** to, std::size_t bytes, unsigned flags) {
    require_pointer(to);
    require(bytes != 0, status::invalid_value, "no bytes");
    check_pinned_flags(flags);
    *to = allocate(s, memory_kind::host, bytes, flags);
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
namespace {

/// Allocations whose synchronous copies always wait (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS), by number.
/// Synchronous copies of the simulated GPU always wait, so the value is only stored.
struct synchronous_table {
    static synchronous_table& get() {
        static auto* const table = new synchronous_table;
        return *table;
    }
    std::mutex mutex;
    std::unordered_set<std::uint64_t> allocations;
};

/// Returns a CUpointer_attribute of memory that CUDA knows.
/// @throws failure  if the memory has no such attribute
void tell_attribute(session& s, void* to, int attribute, std::uint64_t p) {
    require_pointer(to);
    const pointer_attributes a = attributes_of(s, pointer_to(p));
    const auto place = s.gpus().memory().find(p);
    const auto tell = [to](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (attribute) {
        case 1:
            return tell(place ? context_of(s, *place) : s.primary_context(s.current_device()));
        case 2:
            return tell(a.type == 1 ? 1u : 2u);
        case 3:
            return tell(p);
        case 4:
            require(a.type != 2, status::invalid_value, "GPU memory has no host address");
            return tell(pointer_to(p));
        case 6: {  // synchronous copies
            synchronous_table& table = synchronous_table::get();
            const std::lock_guard<std::mutex> lock(table.mutex);
            return tell(place ? static_cast<unsigned>(table.allocations.count(place->id)) : 0u);
        }
        case 7:
        case 20:
            return tell(place ? place->id : std::uint64_t{0});
        case 8:
            return tell(a.type == 3 ? 1u : 0u);
        case 9:
            return tell(a.device);
        case 10:  // sharing by legacy IPC handles is possible
        case 15:  // so is direct access by other PCI devices
        case 21:  // decompression by hardware
            return tell(0);
        case 11:
        case 19:
            return tell(place ? place->address : std::uint64_t{0});
        case 12:
        case 18:
            return tell(place ? place->bytes : std::uint64_t{0});
        case 13:
            return tell(1);
        case 14:  // kinds of handles that memory can be exported to
            return tell(std::uint64_t{0});
        case 16:  // reads and writes
            return tell(3ull);
        case 17:
            return tell(pool_of(s, p));
        default:
            throw failure(status::invalid_value,
                          fmt::format("unknown address attribute {}", attribute));
    }
}

/// Attributes of memory that CUDA does not know, for cuPointerGetAttributes.
void tell_unknown(void* to, int attribute) {
    require_pointer(to);
    if (attribute == 9) {
        constexpr int no_device = -2;
        std::memcpy(to, &no_device, sizeof no_device);
        return;
    }
    const bool is_int = attribute == 2 || attribute == 6 || attribute == 8 || attribute == 10 ||
                        attribute == 13 || attribute == 15 || attribute == 21;
    std::memset(to, 0, is_int ? 4 : 8);
}

}  // namespace
CALL(cuPointerGetAttribute, session& s, void* to, int attribute, std::uint64_t p) {
    require(attributes_of(s, pointer_to(p)).type != 0, status::invalid_value, "unknown memory");
    tell_attribute(s, to, attribute, p);
}
CALL(cuPointerGetAttributes, session& s, unsigned count, const int* attributes, void** to,
     std::uint64_t p) {
    const int type = attributes_of(s, pointer_to(p)).type;
    for (unsigned i = 0; i < count; ++i) {
        if (type == 0 || (attributes[i] == 4 && type == 2))
            tell_unknown(to[i], attributes[i]);
        else
            tell_attribute(s, to[i], attributes[i], p);
    }
}
CALL(cuPointerSetAttribute, session& s, const void* value, int attribute, std::uint64_t p) {
    require_pointer(value);
    require(attribute == 6, status::invalid_value, "an attribute that is read-only");
    const auto place = s.gpus().memory().find(p);
    require(static_cast<bool>(place), status::invalid_value, "unknown memory");
    synchronous_table& table = synchronous_table::get();
    const std::lock_guard<std::mutex> lock(table.mutex);
    if (*static_cast<const unsigned*>(value) != 0)
        table.allocations.insert(place->id);
    else
        table.allocations.erase(place->id);
}
CALL(cuMemcpy, session& s, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    copy(s, linear_copy(to, from, bytes, by_address));
}
CALL(cuMemcpyAsync, session& s, std::uint64_t to, std::uint64_t from, std::size_t bytes,
     void* stream) {
    copy(s, linear_copy(to, from, bytes, by_address), stream, true);
}
CALL(cuMemcpyHtoD, session& s, std::uint64_t to, const void* from, std::size_t bytes) {
    copy(s, linear_copy(to, address_of(from), bytes, host_to_device));
}
CALL(cuMemcpyHtoDAsync, session& s, std::uint64_t to, const void* from, std::size_t bytes,
     void* stream) {
    copy(s, linear_copy(to, address_of(from), bytes, host_to_device), stream, true);
}
CALL(cuMemcpyDtoH, session& s, void* to, std::uint64_t from, std::size_t bytes) {
    copy(s, linear_copy(address_of(to), from, bytes, device_to_host));
}
CALL(cuMemcpyDtoHAsync, session& s, void* to, std::uint64_t from, std::size_t bytes, void* stream) {
    copy(s, linear_copy(address_of(to), from, bytes, device_to_host), stream, true);
}
CALL(cuMemcpyDtoD, session& s, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    copy(s, linear_copy(to, from, bytes, device_to_device));
}
CALL(cuMemcpyDtoDAsync, session& s, std::uint64_t to, std::uint64_t from, std::size_t bytes,
     void* stream) {
    copy(s, linear_copy(to, from, bytes, device_to_device), stream, true);
}
CALL(cuMemcpy2D, session& s, const copy_2d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p));
}
CALL(cuMemcpy2DAsync, session& s, const copy_2d* p, void* stream) {
    require_pointer(p);
    copy(s, block_of(s, *p), stream, true);
}
CALL(cuMemcpy3D, session& s, const driver_copy_3d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p));
}
CALL(cuMemcpy3DAsync, session& s, const driver_copy_3d* p, void* stream) {
    require_pointer(p);
    copy(s, block_of(s, *p), stream, true);
}
CALL(cuMemsetD8, session& s, std::uint64_t to, unsigned char value, std::size_t count) {
    fill(s, to, count, value, 1, count, 1, nullptr);
}
CALL(cuMemsetD16, session& s, std::uint64_t to, unsigned short value, std::size_t count) {
    fill(s, to, count * 2, value, 2, count, 1, nullptr);
}
CALL(cuMemsetD32, session& s, std::uint64_t to, unsigned value, std::size_t count) {
    fill(s, to, count * 4, value, 4, count, 1, nullptr);
}
CALL(cuMemsetD8Async, session& s, std::uint64_t to, unsigned char value, std::size_t count,
     void* stream) {
    fill(s, to, count, value, 1, count, 1, stream);
}
CALL(cuMemsetD32Async, session& s, std::uint64_t to, unsigned value, std::size_t count,
     void* stream) {
    fill(s, to, count * 4, value, 4, count, 1, stream);
}
