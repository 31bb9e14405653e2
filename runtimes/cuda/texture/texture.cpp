// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects.
#include "runtimes/cuda/texture/texture.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace simtlm::cuda {

using execution::arithmetic::address_mode;

using execution::arithmetic::filter_mode;
using execution::arithmetic::texture_geometry;

namespace {

address_mode address_mode_of(int mode) {
    constexpr address_mode modes[] = {address_mode::wrap, address_mode::clamp, address_mode::mirror,
                                      address_mode::border};
    require(mode >= 0 && mode < 4, status::invalid_value, "unknown addressing mode");
    return modes[mode];
}

execution::arithmetic::sampler_state sampler_of(const texture_description& t) {
    execution::arithmetic::sampler_state s;
    for (unsigned i = 0; i < 3; ++i) s.address[i] = address_mode_of(t.address_mode[i]);
    s.filter = t.filter == 1 ? filter_mode::linear : filter_mode::point;
    s.mip_filter = t.mip_filter == 1 ? filter_mode::linear : filter_mode::point;
    s.normalised_coordinates = t.normalised_coordinates != 0;
    s.normalised_read = t.normalised_read == 1;
    s.srgb = t.srgb != 0;
    std::copy(std::begin(t.border), std::end(t.border), s.border.begin());
    s.lod_bias = t.mip_bias;
    s.min_lod = t.mip_minimum;
    s.max_lod = t.mip_maximum;
    return s;
}

/// The texels that a resource view reads from an array. @param format  cudaResourceViewFormat
execution::arithmetic::texel_format view_format(int format,
                                                const execution::arithmetic::texel_format& own) {
    using execution::arithmetic::channel_kind;
    constexpr int first_compressed = 0x19, last = 0x22;
    if (format == 0) return own;
    require(format > 0 && format <= last, status::invalid_value, "unknown resource view format");
    require(format < first_compressed, status::not_supported,
            "resource views of block-compressed formats are not supported");
    // Formats of one, two and four channels of u8, s8, u16, s16, u32, s32, f16, f32.
    const int kind = (format - 1) / 3;
    constexpr int f16 = 6;
    execution::arithmetic::texel_format f;
    f.channels = static_cast<std::uint8_t>(1 << (format - 1) % 3);
    f.bits = kind < 2 ? 8 : kind < 4 || kind == f16 ? 16 : 32;
    f.kind = kind >= f16     ? channel_kind::floating
             : kind % 2 == 0 ? channel_kind::unsigned_integer
                             : channel_kind::signed_integer;
    require(f.bytes() == own.bytes(), status::invalid_value,
            "the texels of a resource view have another size than those of the array");
    return f;
}

/// Restricts an image to the levels and layers of a resource view, and changes its format.
void apply_view(execution::arithmetic::texture_image& image, const resource_view& v) {
    require(v.first_level <= v.last_level && v.last_level < image.levels.size() &&
                v.first_layer <= v.last_layer && v.last_layer < image.layers,
            status::invalid_value, "the array has no such levels or layers");
    image.format = view_format(v.format, image.format);
    image.levels.erase(image.levels.begin() + v.last_level + 1, image.levels.end());
    image.levels.erase(image.levels.begin(), image.levels.begin() + v.first_level);
    const bool cubes = image.geometry == texture_geometry::layered_cube;
    const unsigned slices = cubes ? 6 : 1;  // of a layer
    for (auto& level : image.levels) level.offset += level.slice_pitch * slices * v.first_layer;
    image.layers = v.last_layer - v.first_layer + 1;
}

}  // namespace

std::uint64_t make_texture(session& s, const resource_description& r, const texture_description* t,
                           const resource_view* v) {
    execution::texture_binding b;
    require(v == nullptr || r.type < 2, status::invalid_value, "a view requires an array");
    switch (r.type) {
        case 0:
        case 1: {
            const device::array& a = s.array(r.array);
            b.image = a.image;
            b.base = a.address;
            if (v != nullptr) apply_view(b.image, *v);
            break;
        }
        case 2: {
            const execution::arithmetic::texel_format f = format_of(r.linear.format);
            b.image = device::linear_image(f, r.linear.bytes / f.bytes(), 0, 0);
            b.base = address_of(r.linear.pointer);
            require(b.base % 512 == 0, status::invalid_value, "the texture is not aligned");
            break;
        }
        case 3:
            b.image = device::linear_image(format_of(r.pitched.format), r.pitched.width,
                                           r.pitched.height, r.pitched.pitch);
            b.base = address_of(r.pitched.pointer);
            break;
        default:
            throw failure(status::invalid_value, "not a resource for textures");
    }
    if (t != nullptr) {
        b.sampler = sampler_of(*t);
        require(t->filter == 0 || r.type != 2, status::invalid_value,
                "linear memory cannot be filtered");
    }
    const std::uint64_t handle = s.gpus().bind_texture(b);
    texture_object o{};
    o.resource = r;
    if (t != nullptr) o.texture = *t;
    if (v != nullptr) {
        o.view = *v;
        o.has_view = true;
    }
    s.textures.set(handle, o);
    return handle;
}

void remove_texture(session& s, std::uint64_t handle) {
    require(s.textures.erase(handle), status::invalid_value, "not a texture or surface object");
    s.work().wait_all(s.current_device());
    s.gpus().release_texture(handle);
}

FUNCTION(channel_description, cudaCreateChannelDesc, int x, int y, int z, int w, int kind) {
    return {x, y, z, w, kind};
}
CALL(cudaCreateTextureObject, session& s, unsigned long long* to, const resource_description* r,
     const texture_description* t, const resource_view* v) {
    require_pointer(to, r, t);
    *to = make_texture(s, *r, t, v);
}
CALL(cudaDestroyTextureObject, session& s, unsigned long long handle) {
    remove_texture(s, handle);
}
CALL(cudaCreateSurfaceObject, session& s, unsigned long long* to, const resource_description* r) {
    require_pointer(to, r);
    require(r->type == 0, status::invalid_value, "a surface requires an array");
    *to = make_texture(s, *r, nullptr, nullptr);
}
CALL(cudaDestroySurfaceObject, session& s, unsigned long long handle) {
    remove_texture(s, handle);
}

namespace {

texture_object object_of(session& s, unsigned long long handle) {
    const auto found = s.textures.find(handle);
    require(found.has_value(), status::invalid_value, "not a texture");
    return *found;
}

}  // namespace

CALL(cudaGetTextureObjectResourceDesc, session& s, resource_description* to,
     unsigned long long handle) {
    value_at(to) = object_of(s, handle).resource;
}
CALL(cudaGetSurfaceObjectResourceDesc, session& s, resource_description* to,
     unsigned long long handle) {
    value_at(to) = object_of(s, handle).resource;
}
CALL(cudaGetTextureObjectTextureDesc, session& s, texture_description* to,
     unsigned long long handle) {
    value_at(to) = object_of(s, handle).texture;
}
CALL(cudaGetTextureObjectResourceViewDesc, session& s, resource_view* to,
     unsigned long long handle) {
    const auto o = object_of(s, handle);
    require(o.has_view, status::invalid_value, "the texture has no view");
    value_at(to) = o.view;
}

namespace {

/// CUDA_RESOURCE_DESC
struct driver_resource {
    int type;  ///< 0 array, 1 mipmapped array, 2 linear, 3 pitched
    union {
        void* array;
        struct {
            std::uint64_t address;
            int format;
            unsigned channels;
            std::size_t bytes;
        } linear;
        struct {
            std::uint64_t address;
            int format;
            unsigned channels;
            std::size_t width, height, pitch;
        } pitched;
        int reserved[32];
    };
    unsigned flags;
};

constexpr unsigned read_as_integer = 1, normalised_coordinates = 2, srgb = 0x10;

resource_description plain(const driver_resource& d) {
    resource_description r{};
    r.type = d.type;
    switch (d.type) {
        case 0:
        case 1:
            r.array = d.array;
            break;
        case 2:
            r.linear.pointer = pointer_to(d.linear.address);
            r.linear.format = channels_of(d.linear.format, d.linear.channels);
            r.linear.bytes = d.linear.bytes;
            break;
        case 3:
            r.pitched.pointer = pointer_to(d.pitched.address);
            r.pitched.format = channels_of(d.pitched.format, d.pitched.channels);
            r.pitched.width = d.pitched.width;
            r.pitched.height = d.pitched.height;
            r.pitched.pitch = d.pitched.pitch;
            break;
        default:
            throw failure(status::invalid_value, "not a resource for textures");
    }
    return r;
}

channel_description format_of_resource(session& s, const resource_description& r) {
    return r.type == 2   ? r.linear.format
           : r.type == 3 ? r.pitched.format
                         : description_of(s.array(r.array).shape.format);
}

}  // namespace

texture_description plain(session& s, const driver_texture& d, const resource_description& r,
                          const resource_view* v) {
    texture_description t{};
    std::copy(std::begin(d.address_mode), std::end(d.address_mode), std::begin(t.address_mode));
    t.filter = d.filter;
    channel_description format = format_of_resource(s, r);
    if (v != nullptr) format = description_of(view_format(v->format, format_of(format)));
    t.normalised_read = (d.flags & read_as_integer) == 0 && format.kind != 2 && format.x < 32;
    t.srgb = (d.flags & srgb) != 0;
    t.normalised_coordinates = (d.flags & normalised_coordinates) != 0;
    std::copy(std::begin(d.border), std::end(d.border), std::begin(t.border));
    t.anisotropy = d.anisotropy;
    t.mip_filter = d.mip_filter;
    t.mip_bias = d.mip_bias;
    t.mip_minimum = d.mip_minimum;
    t.mip_maximum = d.mip_maximum;
    return t;
}

CALL(cuTexObjectCreate, session& s, unsigned long long* to, const driver_resource* r,
     const driver_texture* t, const resource_view* v) {
    require_pointer(to, r, t);
    const resource_description resource = plain(*r);
    const texture_description how = plain(s, *t, resource, v);
    *to = make_texture(s, resource, &how, v);
}
CALL(cuSurfObjectCreate, session& s, unsigned long long* to, const driver_resource* r) {
    require_pointer(to, r);
    require(r->type == 0, status::invalid_value, "a surface requires an array");
    *to = make_texture(s, plain(*r), nullptr, nullptr);
}

}  // namespace simtlm::cuda
