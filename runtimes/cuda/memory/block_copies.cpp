// SPDX-License-Identifier: Apache-2.0
// Copies of rows and blocks, and from and to arrays.
#include "runtimes/cuda/memory/stream_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

namespace {

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
std::uint64_t inside(const device::array& a, std::size_t x, std::size_t y, std::size_t width,
                     std::size_t height) {
    require(checked_sum(x, width) <= a.shape.width * a.shape.element_bytes() &&
                checked_sum(y, height) <= a.shape.rows(),
            status::invalid_value, "a copy exceeds an array");
    return a.address + y * a.row_pitch() + x;
}

block_copy to_array(session& s, void* array, std::size_t x, std::size_t y, const void* from,
                    std::size_t pitch, std::size_t width, std::size_t height, int kind) {
    device::array& a = s.array(array);
    block_copy c = linear_copy(nullptr, from, width, kind);
    c.to = inside(a, x, y, width, height);
    c.to_pitch = a.row_pitch();
    c.from_pitch = pitch;
    c.height = height;
    return c;
}

block_copy from_array(session& s, void* to, std::size_t pitch, const void* array, std::size_t x,
                      std::size_t y, std::size_t width, std::size_t height, int kind) {
    device::array& a = s.array(array);
    block_copy c = linear_copy(to, nullptr, width, kind);
    c.from = inside(a, x, y, width, height);
    c.from_pitch = a.row_pitch();
    c.to_pitch = pitch;
    c.height = height;
    return c;
}

/// Copies contiguous bytes that fill rows of an array, for the legacy functions.
template <class Make>
void in_rows(const device::array& a, std::size_t x, std::size_t y, std::size_t bytes, Make&& copy) {
    const std::size_t width = a.shape.width * a.shape.element_bytes();
    for (std::size_t done = 0; done < bytes; x = 0, ++y) {
        const std::size_t n = std::min(bytes - done, width - x);
        copy(done, x, y, n);
        done += n;
    }
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

}  // namespace

STREAM_CALLS(cudaMemcpy2D, session& s, const submission& how, void* to, std::size_t to_pitch,
             const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
             int kind) {
    copy(s, rows(to, to_pitch, from, from_pitch, width, height, kind), how);
}
STREAM_CALLS(cudaMemcpy2DToArray, session& s, const submission& how, void* array, std::size_t x,
             std::size_t y, const void* from, std::size_t pitch, std::size_t width,
             std::size_t height, int kind) {
    copy(s, to_array(s, array, x, y, from, pitch, width, height, kind), how);
}
STREAM_CALLS(cudaMemcpy2DFromArray, session& s, const submission& how, void* to, std::size_t pitch,
             const void* array, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
             int kind) {
    copy(s, from_array(s, to, pitch, array, x, y, width, height, kind), how);
}
CALL(cudaMemcpy2DArrayToArray, session& s, void* to, std::size_t to_x, std::size_t to_y,
     const void* from, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
     int kind) {
    block_copy c = from_array(s, nullptr, 0, from, x, y, width, height, kind);
    device::array& a = s.array(to);
    c.to = inside(a, to_x, to_y, width, height);
    c.to_pitch = a.row_pitch();
    copy(s, c);
}
CALL(cudaMemcpyArrayToArray, session& s, void* to, std::size_t to_x, std::size_t to_y,
     const void* from, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
    device::array& a = s.array(to);
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
STREAM_CALLS(cudaMemcpyToArray, session& s, const submission& how, void* array, std::size_t x,
             std::size_t y, const void* from, std::size_t bytes, int kind) {
    in_rows(s.array(array), x, y, bytes,
            [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
                copy(s,
                     to_array(s, array, column, line, static_cast<const char*>(from) + done, n, n,
                              1, kind),
                     how);
            });
}
STREAM_CALLS(cudaMemcpyFromArray, session& s, const submission& how, void* to, const void* array,
             std::size_t x, std::size_t y, std::size_t bytes, int kind) {
    in_rows(
        s.array(array), x, y, bytes,
        [&](std::size_t done, std::size_t column, std::size_t line, std::size_t n) {
            copy(s,
                 from_array(s, static_cast<char*>(to) + done, n, array, column, line, n, 1, kind),
                 how);
        });
}
STREAM_CALLS(cudaMemcpy3D, session& s, const submission& how, const copy_3d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p), how);
}
STREAM_CALLS(cudaMemcpy3DPeer, session& s, const submission& how, const copy_3d_peer* p) {
    require_pointer(p);
    copy(s, block_of(s, plain(*p)), how);
}

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
        const device::array& a = s.array(side.array);
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

block_copy block_of(session& s, const driver_copy_3d& p) {
    block_copy c;
    c.width = p.width;
    c.height = p.height;
    c.depth = p.depth;
    c.from = begin_of(s, p.from, p.from.z, p.from.height, c, c.from_pitch, c.from_slice);
    c.to = begin_of(s, p.to, p.to.z, p.to.height, c, c.to_pitch, c.to_slice);
    return c;
}

STREAM_CALLS(cuMemcpy2D, session& s, const submission& how, const copy_2d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p), how);
}
STREAM_CALLS(cuMemcpy3D, session& s, const submission& how, const driver_copy_3d* p) {
    require_pointer(p);
    copy(s, block_of(s, *p), how);
}

namespace {

std::uint64_t within(session& s, const void* array, std::size_t offset, std::size_t bytes) {
    const device::array& a = s.array(array);
    require(offset <= a.bytes && bytes <= a.bytes - offset, status::invalid_value,
            "a copy exceeds an array");
    return a.address + offset;
}

}  // namespace

STREAM_CALLS(cuMemcpyAtoH, session& s, const submission& how, void* to, const void* array,
             std::size_t offset, std::size_t bytes) {
    copy(s, linear_copy(address_of(to), within(s, array, offset, bytes), bytes), how);
}
STREAM_CALLS(cuMemcpyHtoA, session& s, const submission& how, const void* array, std::size_t offset,
             const void* from, std::size_t bytes) {
    copy(s, linear_copy(within(s, array, offset, bytes), address_of(from), bytes), how);
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

}  // namespace simtlm::cuda
