// SPDX-License-Identifier: Apache-2.0
// Commands that move data: reads, writes, copies, fills, maps, migrations, shared virtual memory.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/commands.h"
#include "runtimes/opencl/entry_points.h"
#include "runtimes/opencl/image_pattern.h"
#include "runtimes/opencl/limits.h"
#include "runtimes/opencl/transfer.h"

using namespace simtlm::opencl;
namespace device = simtlm::device;

namespace {

using block = std::array<std::size_t, 3>;

block block_of(const size_t* p) {
    return {p[0], p[1], p[2]};
}

std::shared_ptr<_cl_mem> buffer_of(session& s, cl_mem handle, const _cl_command_queue& q) {
    auto m = s.memory.get(handle);
    require(!m->is_image(), CL_INVALID_MEM_OBJECT, "no buffer");
    require(m->context == q.context, CL_INVALID_CONTEXT, "a buffer of a different context");
    return m;
}
std::shared_ptr<_cl_mem> image_of(session& s, cl_mem handle, const _cl_command_queue& q) {
    auto m = s.memory.get(handle);
    require(m->is_image(), CL_INVALID_MEM_OBJECT, "no image");
    require(m->context == q.context, CL_INVALID_CONTEXT, "an image of a different context");
    return m;
}

void check_host_reads(const _cl_mem& m) {
    require((m.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION,
            "host read access is not permitted");
}
void check_host_writes(const _cl_mem& m) {
    require((m.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION,
            "host write access is not permitted");
}

void check_range(const _cl_mem& m, std::size_t offset, std::size_t bytes) {
    require(offset <= m.bytes && bytes <= m.bytes - offset, CL_INVALID_VALUE,
            "the region exceeds the buffer");
}

/// Replaces pitches of 0 by those of a contiguous region.
void complete_pitches(const block& region, std::size_t& row, std::size_t& slice) {
    if (row == 0) row = region[0];
    require(row >= region[0], CL_INVALID_VALUE, "a row pitch less than a row");
    if (slice == 0) slice = row * region[1];
    require(slice >= row * region[1] && slice % row == 0, CL_INVALID_VALUE,
            "an invalid slice pitch");
}

/// A rectangle of a buffer. @throws error  if it exceeds the buffer
place rectangle(const _cl_mem& m, const block& origin, const block& region, std::size_t row,
                std::size_t slice) {
    const std::size_t begin = origin[2] * slice + origin[1] * row + origin[0];
    const std::size_t reach = (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
    require(begin <= m.bytes && reach <= m.bytes - begin, CL_INVALID_VALUE,
            "the region exceeds the buffer");
    return {m.address + begin, row, slice};
}

void check_region(const block& r) {
    require(r[0] != 0 && r[1] != 0 && r[2] != 0, CL_INVALID_VALUE, "an empty region");
}

/// A region of an image: its location and its size in bytes, rows and slices.
struct image_region {
    place where;
    block size;
};

/// For 1D arrays, moves the layer from the second to the third coordinate.
block in_slices(const _cl_mem& m, block b, std::size_t missing) {
    if (m.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) return {b[0], missing, b[1]};
    return b;
}

image_region region_of(const _cl_mem& m, const block& origin, const block& region) {
    check_region(region);
    const bool one_d = m.type == CL_MEM_OBJECT_IMAGE1D || m.type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (one_d)
        require(origin[1] == 0 && origin[2] == 0 && region[1] == 1 && region[2] == 1,
                CL_INVALID_VALUE);
    if (m.type == CL_MEM_OBJECT_IMAGE2D || m.type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        require(origin[2] == 0 && region[2] == 1, CL_INVALID_VALUE);
    const block o = in_slices(m, origin, 0), r = in_slices(m, region, 1);
    const auto within = [](std::size_t at, std::size_t n, std::size_t all) {
        require(at <= all && n <= all - at, CL_INVALID_VALUE, "the region exceeds the image");
    };
    within(o[0], r[0], m.width);
    within(o[1], r[1], m.height);
    within(o[2], r[2], m.slices());
    return {{m.address + o[2] * m.slice_pitch + o[1] * m.row_pitch + o[0] * m.element, m.row_pitch,
             m.slice_pitch},
            {r[0] * m.element, r[1], r[2]}};
}

/// Host side of an image transfer, with the pitches given by the program.
place host_region(const _cl_mem& m, const void* pointer, std::size_t row, std::size_t slice,
                  const block& region) {
    const std::size_t bytes = region[0] * m.element;
    const bool array_1d = m.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (row == 0) row = bytes;
    require(row >= bytes, CL_INVALID_VALUE, "a row pitch less than a row");
    const std::size_t least = row * (array_1d ? 1 : region[1]);
    if (slice == 0) slice = least;
    require(slice >= least || (m.type != CL_MEM_OBJECT_IMAGE3D && m.layers == 0), CL_INVALID_VALUE,
            "a slice pitch less than a slice");
    return {address_of(pointer), row, slice};
}

/// Bundles objects to keep alive until a command is done.
template <class... T>
std::shared_ptr<const void> together(T... objects) {
    return std::make_shared<std::tuple<T...>>(std::move(objects)...);
}

bool overlap(std::size_t a, std::size_t b, std::size_t n) {
    return a < b + n && b < a + n;
}

}  // namespace

// ---- buffers ----

CL(cl_int, clEnqueueReadBuffer)
(cl_command_queue q, cl_mem handle, cl_bool blocking, size_t offset, size_t bytes, void* to,
 cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueReadBuffer", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_READ_BUFFER, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        require(to != nullptr, CL_INVALID_VALUE, "a null pointer");
        check_range(*m, offset, bytes);
        check_host_reads(*m);
        enqueue(s, r,
                copy_task(s, {address_of(to), 0, 0}, {m->address + offset, 0, 0}, {bytes, 1, 1}),
                blocking != 0, m);
    });
}

CL(cl_int, clEnqueueWriteBuffer)
(cl_command_queue q, cl_mem handle, cl_bool blocking, size_t offset, size_t bytes, const void* from,
 cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueWriteBuffer", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_WRITE_BUFFER, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        require(from != nullptr, CL_INVALID_VALUE, "a null pointer");
        check_range(*m, offset, bytes);
        check_host_writes(*m);
        enqueue(s, r,
                copy_task(s, {m->address + offset, 0, 0}, {address_of(from), 0, 0}, {bytes, 1, 1}),
                blocking != 0, m);
    });
}

CL(cl_int, clEnqueueReadBufferRect)
(cl_command_queue q, cl_mem handle, cl_bool blocking, const size_t* buffer_origin,
 const size_t* host_origin, const size_t* region, size_t buffer_row, size_t buffer_slice,
 size_t host_row, size_t host_slice, void* to, cl_uint count, const cl_event* list,
 cl_event* event) {
    return call("clEnqueueReadBufferRect", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_READ_BUFFER_RECT, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        require(to != nullptr && buffer_origin != nullptr && host_origin != nullptr &&
                    region != nullptr,
                CL_INVALID_VALUE, "a null pointer");
        const block size = block_of(region);
        check_region(size);
        complete_pitches(size, buffer_row, buffer_slice);
        complete_pitches(size, host_row, host_slice);
        check_host_reads(*m);
        const block h = block_of(host_origin);
        const place host{address_of(to) + h[2] * host_slice + h[1] * host_row + h[0], host_row,
                         host_slice};
        enqueue(
            s, r,
            copy_task(s, host,
                      rectangle(*m, block_of(buffer_origin), size, buffer_row, buffer_slice), size),
            blocking != 0, m);
    });
}

CL(cl_int, clEnqueueWriteBufferRect)
(cl_command_queue q, cl_mem handle, cl_bool blocking, const size_t* buffer_origin,
 const size_t* host_origin, const size_t* region, size_t buffer_row, size_t buffer_slice,
 size_t host_row, size_t host_slice, const void* from, cl_uint count, const cl_event* list,
 cl_event* event) {
    return call("clEnqueueWriteBufferRect", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_WRITE_BUFFER_RECT, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        require(from != nullptr && buffer_origin != nullptr && host_origin != nullptr &&
                    region != nullptr,
                CL_INVALID_VALUE, "a null pointer");
        const block size = block_of(region);
        check_region(size);
        complete_pitches(size, buffer_row, buffer_slice);
        complete_pitches(size, host_row, host_slice);
        check_host_writes(*m);
        const block h = block_of(host_origin);
        const place host{address_of(from) + h[2] * host_slice + h[1] * host_row + h[0], host_row,
                         host_slice};
        enqueue(s, r,
                copy_task(s, rectangle(*m, block_of(buffer_origin), size, buffer_row, buffer_slice),
                          host, size),
                blocking != 0, m);
    });
}

CL(cl_int, clEnqueueCopyBuffer)
(cl_command_queue q, cl_mem from_handle, cl_mem to_handle, size_t from_offset, size_t to_offset,
 size_t bytes, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueCopyBuffer", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_COPY_BUFFER, count, list, event);
        const auto from = buffer_of(s, from_handle, *r.queue);
        const auto to = buffer_of(s, to_handle, *r.queue);
        check_range(*from, from_offset, bytes);
        check_range(*to, to_offset, bytes);
        require(from->address + from_offset >= to->address + to_offset + bytes ||
                    to->address + to_offset >= from->address + from_offset + bytes || bytes == 0,
                CL_MEM_COPY_OVERLAP);
        enqueue(s, r,
                copy_task(s, {to->address + to_offset, 0, 0}, {from->address + from_offset, 0, 0},
                          {bytes, 1, 1}),
                false, together(from, to));
    });
}

CL(cl_int, clEnqueueCopyBufferRect)
(cl_command_queue q, cl_mem from_handle, cl_mem to_handle, const size_t* from_origin,
 const size_t* to_origin, const size_t* region, size_t from_row, size_t from_slice, size_t to_row,
 size_t to_slice, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueCopyBufferRect", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_COPY_BUFFER_RECT, count, list, event);
        const auto from = buffer_of(s, from_handle, *r.queue);
        const auto to = buffer_of(s, to_handle, *r.queue);
        require(from_origin != nullptr && to_origin != nullptr && region != nullptr,
                CL_INVALID_VALUE, "a null pointer");
        const block size = block_of(region);
        check_region(size);
        complete_pitches(size, from_row, from_slice);
        complete_pitches(size, to_row, to_slice);
        if (from == to) {
            require(from_row == to_row && from_slice == to_slice, CL_INVALID_VALUE,
                    "different pitches for the same buffer");
            const bool apart = !(overlap(from_origin[0], to_origin[0], size[0]) &&
                                 overlap(from_origin[1], to_origin[1], size[1]) &&
                                 overlap(from_origin[2], to_origin[2], size[2]));
            require(apart, CL_MEM_COPY_OVERLAP);
        }
        const place f = rectangle(*from, block_of(from_origin), size, from_row, from_slice);
        const place t = rectangle(*to, block_of(to_origin), size, to_row, to_slice);
        enqueue(s, r, copy_task(s, t, f, size), false, together(from, to));
    });
}

namespace {

void check_pattern(const void* pattern, std::size_t size) {
    require(pattern != nullptr && size != 0 && size <= 128 && (size & (size - 1)) == 0,
            CL_INVALID_VALUE, "no pattern");
}

std::vector<std::byte> copy_of(const void* p, std::size_t n) {
    const auto* const b = static_cast<const std::byte*>(p);
    return {b, b + n};
}

}  // namespace

CL(cl_int, clEnqueueFillBuffer)
(cl_command_queue q, cl_mem handle, const void* pattern, size_t pattern_size, size_t offset,
 size_t bytes, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueFillBuffer", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_FILL_BUFFER, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        check_pattern(pattern, pattern_size);
        check_range(*m, offset, bytes);
        require(offset % pattern_size == 0 && bytes % pattern_size == 0, CL_INVALID_VALUE,
                "not a multiple of the pattern size");
        enqueue(s, r,
                fill_task(s, {m->address + offset, 0, 0}, {bytes, 1, 1},
                          copy_of(pattern, pattern_size)),
                false, m);
    });
}

// ---- images ----

CL(cl_int, clEnqueueReadImage)
(cl_command_queue q, cl_mem handle, cl_bool blocking, const size_t* origin, const size_t* region,
 size_t row, size_t slice, void* to, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueReadImage", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_READ_IMAGE, count, list, event);
        const auto m = image_of(s, handle, *r.queue);
        require(to != nullptr && origin != nullptr && region != nullptr, CL_INVALID_VALUE,
                "a null pointer");
        check_host_reads(*m);
        const image_region i = region_of(*m, block_of(origin), block_of(region));
        enqueue(s, r,
                copy_task(s, host_region(*m, to, row, slice, block_of(region)), i.where, i.size),
                blocking != 0, m);
    });
}

CL(cl_int, clEnqueueWriteImage)
(cl_command_queue q, cl_mem handle, cl_bool blocking, const size_t* origin, const size_t* region,
 size_t row, size_t slice, const void* from, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueWriteImage", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_WRITE_IMAGE, count, list, event);
        const auto m = image_of(s, handle, *r.queue);
        require(from != nullptr && origin != nullptr && region != nullptr, CL_INVALID_VALUE,
                "a null pointer");
        check_host_writes(*m);
        const image_region i = region_of(*m, block_of(origin), block_of(region));
        enqueue(s, r,
                copy_task(s, i.where, host_region(*m, from, row, slice, block_of(region)), i.size),
                blocking != 0, m);
    });
}

CL(cl_int, clEnqueueCopyImage)
(cl_command_queue q, cl_mem from_handle, cl_mem to_handle, const size_t* from_origin,
 const size_t* to_origin, const size_t* region, cl_uint count, const cl_event* list,
 cl_event* event) {
    return call("clEnqueueCopyImage", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_COPY_IMAGE, count, list, event);
        const auto from = image_of(s, from_handle, *r.queue);
        const auto to = image_of(s, to_handle, *r.queue);
        require(from_origin != nullptr && to_origin != nullptr && region != nullptr,
                CL_INVALID_VALUE, "a null pointer");
        require(from->format.image_channel_order == to->format.image_channel_order &&
                    from->format.image_channel_data_type == to->format.image_channel_data_type,
                CL_IMAGE_FORMAT_MISMATCH);
        // The region of a 2D image and of one layer of a 2D array have the same rows; those of a 1D
        // array differ.
        block from_region = block_of(region), to_region = block_of(region);
        const bool from_1d_array = from->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        const bool to_1d_array = to->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        const image_region f = region_of(*from, block_of(from_origin), from_region);
        const image_region t = region_of(*to, block_of(to_origin), to_region);
        place a = f.where, b = t.where;
        block size = f.size;
        if (from_1d_array != to_1d_array) {
            // Rows on one side correspond to layers on the other.
            if (from_1d_array) a.row_pitch = a.slice_pitch;
            if (to_1d_array) b.row_pitch = b.slice_pitch;
            size = {f.size[0], region[1], region[2]};
        }
        if (from == to)
            require(!(overlap(from_origin[0], to_origin[0], region[0]) &&
                      overlap(from_origin[1], to_origin[1], region[1]) &&
                      overlap(from_origin[2], to_origin[2], region[2])),
                    CL_MEM_COPY_OVERLAP);
        enqueue(s, r, copy_task(s, b, a, size), false, together(from, to));
    });
}

CL(cl_int, clEnqueueCopyImageToBuffer)
(cl_command_queue q, cl_mem from_handle, cl_mem to_handle, const size_t* origin,
 const size_t* region, size_t offset, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueCopyImageToBuffer", [&](session& s) {
        const auto r =
            enqueue_request::of(s, q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, count, list, event);
        const auto from = image_of(s, from_handle, *r.queue);
        const auto to = buffer_of(s, to_handle, *r.queue);
        require(origin != nullptr && region != nullptr, CL_INVALID_VALUE, "a null pointer");
        const image_region i = region_of(*from, block_of(origin), block_of(region));
        check_range(*to, offset, i.size[0] * i.size[1] * i.size[2]);
        const place p{to->address + offset, i.size[0], i.size[0] * i.size[1]};
        enqueue(s, r, copy_task(s, p, i.where, i.size), false, together(from, to));
    });
}

CL(cl_int, clEnqueueCopyBufferToImage)
(cl_command_queue q, cl_mem from_handle, cl_mem to_handle, size_t offset, const size_t* origin,
 const size_t* region, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueCopyBufferToImage", [&](session& s) {
        const auto r =
            enqueue_request::of(s, q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, count, list, event);
        const auto from = buffer_of(s, from_handle, *r.queue);
        const auto to = image_of(s, to_handle, *r.queue);
        require(origin != nullptr && region != nullptr, CL_INVALID_VALUE, "a null pointer");
        const image_region i = region_of(*to, block_of(origin), block_of(region));
        check_range(*from, offset, i.size[0] * i.size[1] * i.size[2]);
        const place p{from->address + offset, i.size[0], i.size[0] * i.size[1]};
        enqueue(s, r, copy_task(s, i.where, p, i.size), false, together(from, to));
    });
}

CL(cl_int, clEnqueueFillImage)
(cl_command_queue q, cl_mem handle, const void* color, const size_t* origin, const size_t* region,
 cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueFillImage", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_FILL_IMAGE, count, list, event);
        const auto m = image_of(s, handle, *r.queue);
        require(color != nullptr && origin != nullptr && region != nullptr, CL_INVALID_VALUE,
                "a null pointer");
        const image_region i = region_of(*m, block_of(origin), block_of(region));
        const auto t = fill_task(s, i.where, i.size, image_pattern(m->format, color));
        enqueue(s, r, t, false, m);
    });
}

// ---- maps ----

namespace {

void check_map(const _cl_mem& m, cl_map_flags flags) {
    constexpr cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    require((flags & ~known) == 0 && ((flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0 ||
                                      flags == CL_MAP_WRITE_INVALIDATE_REGION),
            CL_INVALID_VALUE);
    if ((flags & CL_MAP_READ) != 0) check_host_reads(m);
    if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) check_host_writes(m);
}

/// Host address of a region of an image.
place host_place(_cl_mem& m, const block& origin) {
    const block o = in_slices(m, origin, 0);
    return {address_of(m.host_view()) + o[2] * m.host_slice_pitch + o[1] * m.host_row_pitch +
                o[0] * m.element,
            m.host_row_pitch, m.host_slice_pitch};
}

/// Copy for a map or unmap. If there is nothing to move, or host and GPU share the memory, a task
/// without effect.
device::task_ptr map_task(session& s, bool moves, const place& to, const place& from,
                          const block& size) {
    moves = moves && to.address != from.address;
    return moves ? copy_task(s, to, from, size) : std::make_shared<device::task>();
}

void remember(_cl_mem& m, void* p, const _cl_mem::mapping& what) {
    const std::lock_guard<std::mutex> lock(m.mutex);
    m.mappings.emplace(p, what);
}

}  // namespace

CL(void*, clEnqueueMapBuffer)
(cl_command_queue q, cl_mem handle, cl_bool blocking, cl_map_flags flags, size_t offset,
 size_t bytes, cl_uint count, const cl_event* list, cl_event* event, cl_int* result) {
    return make("clEnqueueMapBuffer", result, [&](session& s) -> void* {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_MAP_BUFFER, count, list, event);
        const auto m = buffer_of(s, handle, *r.queue);
        require(bytes != 0, CL_INVALID_VALUE, "an empty region");
        check_range(*m, offset, bytes);
        check_map(*m, flags);
        std::byte* const p = m->host_view() + offset;
        const bool reads = flags != CL_MAP_WRITE_INVALIDATE_REGION;
        enqueue(
            s, r,
            map_task(s, reads, {address_of(p), 0, 0}, {m->address + offset, 0, 0}, {bytes, 1, 1}),
            blocking != 0, m);
        remember(*m, p, {{offset, 0, 0}, {bytes, 1, 1}, flags});
        return p;
    });
}

CL(void*, clEnqueueMapImage)
(cl_command_queue q, cl_mem handle, cl_bool blocking, cl_map_flags flags, const size_t* origin,
 const size_t* region, size_t* row, size_t* slice, cl_uint count, const cl_event* list,
 cl_event* event, cl_int* result) {
    return make("clEnqueueMapImage", result, [&](session& s) -> void* {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_MAP_IMAGE, count, list, event);
        const auto m = image_of(s, handle, *r.queue);
        require(origin != nullptr && region != nullptr && row != nullptr, CL_INVALID_VALUE,
                "a null pointer");
        const bool sliced = m->type == CL_MEM_OBJECT_IMAGE3D || m->layers != 0;
        require(slice != nullptr || !sliced, CL_INVALID_VALUE, "a null pointer");
        check_map(*m, flags);
        const image_region i = region_of(*m, block_of(origin), block_of(region));
        const place host = host_place(*m, block_of(origin));
        const bool reads = flags != CL_MAP_WRITE_INVALIDATE_REGION;
        enqueue(s, r, map_task(s, reads, host, i.where, i.size), blocking != 0, m);
        *row = m->host_row_pitch;
        if (slice != nullptr) *slice = sliced ? m->host_slice_pitch : 0;
        auto* const p = reinterpret_cast<void*>(host.address);
        remember(*m, p, {block_of(origin), block_of(region), flags});
        return p;
    });
}

CL(cl_int, clEnqueueUnmapMemObject)
(cl_command_queue q, cl_mem handle, void* p, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueUnmapMemObject", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_UNMAP_MEM_OBJECT, count, list, event);
        const auto m = s.memory.get(handle);
        require(m->context == r.queue->context, CL_INVALID_CONTEXT);
        _cl_mem::mapping what;
        {
            const std::lock_guard<std::mutex> lock(m->mutex);
            const auto at = m->mappings.find(p);
            require(at != m->mappings.end(), CL_INVALID_VALUE, "no mapping at this address");
            what = at->second;
            m->mappings.erase(at);
        }
        const bool wrote = (what.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
        if (m->is_image()) {
            const image_region i = region_of(*m, what.origin, what.region);
            enqueue(s, r, map_task(s, wrote, i.where, host_place(*m, what.origin), i.size), false,
                    m);
        } else {
            enqueue(s, r,
                    map_task(s, wrote, {m->address + what.origin[0], 0, 0}, {address_of(p), 0, 0},
                             {what.region[0], 1, 1}),
                    false, m);
        }
    });
}

CL(cl_int, clEnqueueMigrateMemObjects)
(cl_command_queue q, cl_uint n, const cl_mem* objects, cl_mem_migration_flags flags, cl_uint count,
 const cl_event* list, cl_event* event) {
    return call("clEnqueueMigrateMemObjects", [&](session& s) {
        const auto r =
            enqueue_request::of(s, q, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, list, event);
        require(n != 0 && objects != nullptr, CL_INVALID_VALUE);
        require(
            (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) == 0,
            CL_INVALID_VALUE);
        for (cl_uint i = 0; i < n; ++i)
            require(s.memory.get(objects[i])->context == r.queue->context, CL_INVALID_CONTEXT);
        // Every GPU can access the memory in place.
        enqueue(s, r, std::make_shared<device::task>(), false);
    });
}

// ---- shared virtual memory: an address means the same to the host and to every GPU ----

CL(void*, clSVMAlloc)(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
    return make("clSVMAlloc", nullptr, [&](session& s) -> void* {
        const auto c = s.contexts.get(context);
        constexpr cl_svm_mem_flags access =
            CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
        require((flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER)) == 0 &&
                    (flags & access & ((flags & access) - 1)) == 0,
                CL_INVALID_VALUE);
        require(bytes != 0 && bytes <= limits::of(s.config()).allocation, CL_INVALID_BUFFER_SIZE);
        require((alignment & (alignment - 1)) == 0 && alignment <= 128, CL_INVALID_VALUE);
        auto* const p = reinterpret_cast<void*>(
            s.gpus().memory().allocate(device::memory_kind::managed, c->first_device(), bytes));
        const std::lock_guard<std::mutex> lock(c->mutex);
        c->shared_virtual[p] = bytes;
        return p;
    });
}

namespace {

void free_shared(session& s, _cl_context& c, void* p) {
    {
        const std::lock_guard<std::mutex> lock(c.mutex);
        if (c.shared_virtual.erase(p) == 0) return;
    }
    s.gpus().memory().release(address_of(p));
}

/// Checks that [p, p + bytes) lies within an allocation, if it was allocated by this library.
void check_shared(session& s, const void* p, std::size_t bytes) {
    const auto a = s.gpus().memory().find(address_of(p));
    require(!a || bytes <= a->bytes - (address_of(p) - a->address), CL_INVALID_VALUE,
            "the range exceeds the memory");
}

}  // namespace

CL(void, clSVMFree)(cl_context context, void* p) {
    call("clSVMFree", [&](session& s) {
        const auto c = s.contexts.get(context);
        if (p != nullptr) free_shared(s, *c, p);
    });
}

CL(cl_int, clEnqueueSVMFree)
(cl_command_queue q, cl_uint n, void* pointers[],
 void(CL_CALLBACK* release)(cl_command_queue, cl_uint, void*[], void*), void* data, cl_uint count,
 const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMFree", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_FREE, count, list, event);
        require((n == 0) == (pointers == nullptr), CL_INVALID_VALUE);
        auto all = std::make_shared<std::vector<void*>>(pointers, pointers + n);
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        const auto queue = r.queue;
        session* const here = &s;
        t->effect = [=] {
            if (release != nullptr) return release(queue.get(), n, all->data(), data);
            for (void* const p : *all) free_shared(*here, *queue->context, p);
        };
        enqueue(s, r, t, false);
    });
}

CL(cl_int, clEnqueueSVMMemcpy)
(cl_command_queue q, cl_bool blocking, void* to, const void* from, size_t bytes, cl_uint count,
 const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMMemcpy", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_MEMCPY, count, list, event);
        require(to != nullptr && from != nullptr, CL_INVALID_VALUE);
        const std::uint64_t a = address_of(to), b = address_of(from);
        require(a + bytes <= b || b + bytes <= a, CL_MEM_COPY_OVERLAP);
        check_shared(s, to, bytes);
        check_shared(s, from, bytes);
        enqueue(s, r, copy_task(s, {a, 0, 0}, {b, 0, 0}, {bytes, 1, 1}), blocking != 0);
    });
}

CL(cl_int, clEnqueueSVMMemFill)
(cl_command_queue q, void* to, const void* pattern, size_t pattern_size, size_t bytes,
 cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMMemFill", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_MEMFILL, count, list, event);
        check_pattern(pattern, pattern_size);
        require(to != nullptr && address_of(to) % pattern_size == 0 && bytes % pattern_size == 0,
                CL_INVALID_VALUE);
        check_shared(s, to, bytes);
        enqueue(s, r,
                fill_task(s, {address_of(to), 0, 0}, {bytes, 1, 1}, copy_of(pattern, pattern_size)),
                false);
    });
}

CL(cl_int, clEnqueueSVMMap)
(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void* p, size_t bytes, cl_uint count,
 const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMMap", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_MAP, count, list, event);
        require(p != nullptr && bytes != 0 && flags != 0, CL_INVALID_VALUE);
        enqueue(s, r, std::make_shared<device::task>(), blocking != 0);
    });
}

CL(cl_int, clEnqueueSVMUnmap)
(cl_command_queue q, void* p, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMUnmap", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_UNMAP, count, list, event);
        require(p != nullptr, CL_INVALID_VALUE);
        enqueue(s, r, std::make_shared<device::task>(), false);
    });
}

CL(cl_int, clEnqueueSVMMigrateMem)
(cl_command_queue q, cl_uint n, const void** pointers, const size_t*, cl_mem_migration_flags flags,
 cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueSVMMigrateMem", [&](session& s) {
        const auto r = enqueue_request::of(s, q, CL_COMMAND_SVM_MIGRATE_MEM, count, list, event);
        require(n != 0 && pointers != nullptr, CL_INVALID_VALUE);
        require(
            (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) == 0,
            CL_INVALID_VALUE);
        enqueue(s, r, std::make_shared<device::task>(), false);
    });
}
