// SPDX-License-Identifier: Apache-2.0
// Arrays, and formats of their texels.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace simtlm::cuda {

using execution::arithmetic::channel_kind;
using execution::arithmetic::texel_format;

texel_format format_of(const channel_description& d) {
    const int bits[4] = {d.x, d.y, d.z, d.w};
    texel_format f;
    f.channels = 0;
    for (const int b : bits) {
        if (b == 0) break;
        require(b == bits[0], status::invalid_channel_descriptor, "channels have different widths");
        ++f.channels;
    }
    require(f.channels != 0 && f.channels != 3 && (d.x == 8 || d.x == 16 || d.x == 32) &&
                d.kind >= 0 && d.kind <= 2 && !(d.kind == 2 && d.x == 8),
            status::invalid_channel_descriptor, "unknown texel format");
    f.bits = static_cast<std::uint8_t>(d.x);
    f.kind = d.kind == 0   ? channel_kind::signed_integer
             : d.kind == 1 ? channel_kind::unsigned_integer
                           : channel_kind::floating;
    return f;
}

channel_description description_of(const texel_format& f) {
    channel_description d{};
    int* const bits[4] = {&d.x, &d.y, &d.z, &d.w};
    for (unsigned i = 0; i < f.channels; ++i) *bits[i] = f.bits;
    d.kind = f.kind == channel_kind::signed_integer     ? 0
             : f.kind == channel_kind::unsigned_integer ? 1
                                                        : 2;
    return d;
}

namespace {

device::array* make_array(session& s, const channel_description& d, const extent& e, unsigned flags,
                          unsigned levels = 1) {
    constexpr unsigned layered = 1, cube = 4;
    device::array_shape shape;
    shape.format = format_of(d);
    shape.width = e.width;
    shape.height = e.height;
    shape.depth = e.depth;
    shape.layered = (flags & layered) != 0;
    shape.cube = (flags & cube) != 0;
    shape.levels = levels;
    require(!shape.cube || (e.width == e.height && e.depth % 6 == 0 && e.depth != 0),
            status::invalid_value, "a cube must have six square faces");
    refuse_during_capture(s);
    require(shape.width != 0 && shape.width <= 131072 && shape.height <= 131072 &&
                shape.depth <= 16384 * 6,
            status::invalid_value, "an invalid array size");
    auto a = std::make_unique<device::array>();
    a->shape = shape;
    a->flags = flags;
    a->device = s.current_device();
    device::lay_out(*a);
    a->address = s.gpus().memory().allocate(device::memory_kind::device, a->device, a->bytes);
    device::array* const raw = s.arrays.insert(std::move(a));
    for (unsigned l = 0; shape.levels > 1 && l < shape.levels; ++l)
        raw->level_views.push_back(
            s.arrays.insert(std::make_unique<device::array>(device::level_of(*raw, l))));
    return raw;
}

void remove_array(session& s, device::array* handle) {
    refuse_during_capture(s);
    if (handle == nullptr) return;
    const device::array& a = s.array(handle);
    if (a.owns) s.gpus().free(a.address);
    for (const device::array* view : a.level_views)
        if (s.arrays.contains(view)) s.arrays.erase(view);
    s.arrays.erase(handle);
}

}  // namespace

CALL(cudaMallocArray, session& s, device::array** to, const channel_description* d,
     std::size_t width, std::size_t height, unsigned flags) {
    require_pointer(to, d);
    *to = make_array(s, *d, {width, height, 0}, flags);
}
CALL(cudaMalloc3DArray, session& s, device::array** to, const channel_description* d, extent e,
     unsigned flags) {
    require_pointer(to, d);
    *to = make_array(s, *d, e, flags);
}
CALL(cudaMallocMipmappedArray, session& s, device::array** to, const channel_description* d,
     extent e, unsigned levels, unsigned flags) {
    require_pointer(to, d);
    unsigned most = 1;
    for (std::size_t n = std::max({e.width, e.height, (flags & 5) != 0 ? 0 : e.depth}); n > 1;
         n /= 2)
        ++most;
    *to = make_array(s, *d, e, flags, std::clamp(levels, 1u, most));
}
CALL(cudaGetMipmappedArrayLevel, session& s, device::array** to, device::array* a, unsigned level) {
    require_pointer(to);
    device::array& all = s.array(a);
    if (all.level_views.empty() && level == 0) {
        *to = &all;
        return;
    }
    require(level < all.level_views.size(), status::invalid_value, "unknown mipmap level");
    *to = all.level_views[level];
}
CALL(cudaFreeArray, session& s, device::array* a) {
    remove_array(s, a);
}
CALL(cudaFreeMipmappedArray, session& s, device::array* a) {
    remove_array(s, a);
}
CALL(cudaArrayGetInfo, session& s, channel_description* d, extent* e, unsigned* flags,
     device::array* handle) {
    const device::array& a = s.array(handle);
    if (d != nullptr) *d = description_of(a.shape.format);
    if (e != nullptr) *e = {a.shape.width, a.shape.height, a.shape.depth};
    if (flags != nullptr) *flags = a.flags;
}
CALL(cudaGetChannelDesc, session& s, channel_description* d, const void* handle) {
    require_pointer(d);
    *d = description_of(s.array(handle).shape.format);
}

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

int driver_format(const execution::arithmetic::texel_format& f) {
    const int size = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
    if (f.kind == channel_kind::unsigned_integer) return 1 + size;
    if (f.kind == channel_kind::signed_integer) return 8 + size;
    return f.bits == 16 ? 0x10 : 0x20;
}

array_description_3d descriptor_of(const device::array& a) {
    return {a.shape.width,           a.shape.height, a.shape.depth, driver_format(a.shape.format),
            a.shape.format.channels, a.flags};
}

}  // namespace

channel_description channels_of(int format, unsigned channels) {
    constexpr int half = 0x10, single = 0x20;
    const bool floating = format == half || format == single;
    const bool is_unsigned = format >= 1 && format <= 3, is_signed = format >= 8 && format <= 10;
    require(floating || is_unsigned || is_signed, status::invalid_value, "no format");
    require(channels == 1 || channels == 2 || channels == 4, status::invalid_value,
            "one, two or four channels");
    const int bits = format == half     ? 16
                     : format == single ? 32
                     : is_signed        ? 8 << (format - 8)
                                        : 8 << (format - 1);
    channel_description d{};
    int* const each[] = {&d.x, &d.y, &d.z, &d.w};
    for (unsigned i = 0; i < channels; ++i) *each[i] = bits;
    d.kind = floating ? 2 : is_signed ? 0 : 1;
    return d;
}

CALL(cuArray3DCreate, session& s, device::array** to, const array_description_3d* d) {
    require_pointer(to, d);
    *to = make_array(s, channels_of(d->format, d->channels), {d->width, d->height, d->depth},
                     d->flags);
}
CALL(cuArrayCreate, session& s, device::array** to, const array_description* d) {
    require_pointer(to, d);
    *to = make_array(s, channels_of(d->format, d->channels), {d->width, d->height, 0}, 0);
}
CALL(cuArray3DGetDescriptor, session& s, array_description_3d* to, const void* array) {
    value_at(to) = descriptor_of(s.array(array));
}
CALL(cuArrayGetDescriptor, session& s, array_description* to, const void* array) {
    const array_description_3d d = descriptor_of(s.array(array));
    value_at(to) = {d.width, d.height, d.format, d.channels};
}
CALL(cuMipmappedArrayCreate, session& s, device::array** to, const array_description_3d* d,
     unsigned levels) {
    require_pointer(to, d);
    *to = make_array(s, channels_of(d->format, d->channels), {d->width, d->height, d->depth},
                     d->flags, levels);
}

}  // namespace simtlm::cuda
