// SPDX-License-Identifier: Apache-2.0
// Driver API: textures and surfaces, as objects and as references of modules.
#include "runtimes/cuda/driver_api.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

using namespace simtlm::cuda;

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
/// CUDA_TEXTURE_DESC
struct driver_texture {
    int address_mode[3];
    int filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float mip_bias, mip_minimum, mip_maximum;
    float border[4];
    int reserved[12];
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

channel_description format_of(session& s, const resource_description& r) {
    return r.type == 2   ? r.linear.format
           : r.type == 3 ? r.pitched.format
                         : description_of(s.array(r.array).shape.format);
}

texture_description plain(session& s, const driver_texture& d, const resource_description& r) {
    texture_description t{};
    std::copy(std::begin(d.address_mode), std::end(d.address_mode), std::begin(t.address_mode));
    t.filter = d.filter;
    const channel_description format = format_of(s, r);
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

}  // namespace

CALL(cuTexObjectCreate, session& s, unsigned long long* to, const driver_resource* r,
     const driver_texture* t, const resource_view* v) {
    require_pointer(to, r, t);
    const resource_description resource = plain(*r);
    const texture_description how = plain(s, *t, resource);
    *to = make_texture(s, resource, &how, v);
}
CALL(cuSurfObjectCreate, session& s, unsigned long long* to, const driver_resource* r) {
    require_pointer(to, r);
    require(r->type == 0, status::invalid_value, "a surface requires an array");
    *to = make_texture(s, plain(*r), nullptr, nullptr);
}

// ---- references ----

namespace {

/// CUtexref, CUsurfref. Settings take effect once memory is bound.
struct reference {
    std::uint64_t handle = 0;  ///< value used by the module's code
    resource_description resource{};
    driver_texture how{};
    channel_description format{32, 0, 0, 0, 2};
    bool bound = false, surface = false;

    /// Binds the memory that `resource` describes.
    void bind(session& s) {
        bound = true;
        apply(s);
    }
    void apply(session& s) {
        if (!bound) return;
        const texture_description t = plain(s, how, resource);
        s.work().wait_all(s.current_device());
        const std::uint64_t object = make_texture(s, resource, surface ? nullptr : &t, nullptr);
        const auto* const found = s.gpus().state().textures.find(object);
        s.gpus().bind_texture(handle, *found);
        remove_texture(s, object);
    }
};

reference* reference_in(session& s, module* m, const char* name, bool surface) {
    static std::mutex mutex;
    static auto* const all = new std::map<std::pair<module*, std::string>, reference>;
    require_pointer(name);
    const std::uint64_t handle = s.variable_in(m, name).first;
    const std::lock_guard<std::mutex> lock(mutex);
    reference& r = (*all)[{m, name}];
    if (r.handle != handle) {
        r = {};
        r.handle = handle;
        r.surface = surface;
        r.how.mip_maximum = 1000;
    }
    return &r;
}

}  // namespace

CALL(cuModuleGetTexRef, session& s, reference** to, module* m, const char* name) {
    require_pointer(to);
    *to = reference_in(s, m, name, false);
}
CALL(cuModuleGetSurfRef, session& s, reference** to, module* m, const char* name) {
    require_pointer(to);
    *to = reference_in(s, m, name, true);
}
CALL(cuTexRefSetArray, session& s, reference* r, void* array, unsigned) {
    require_pointer(r);
    s.array(array);
    r->resource = {};
    r->resource.array = array;
    r->bind(s);
}
CALL(cuTexRefSetAddress, session& s, std::size_t* offset, reference* r, std::uint64_t address,
     std::size_t bytes) {
    require_pointer(r);
    require(address % 512 == 0 || offset != nullptr, status::invalid_value,
            "the address is not aligned");
    if (offset != nullptr) *offset = address % 512;
    r->resource = {};
    r->resource.type = 2;
    r->resource.linear.pointer = pointer_to(address & ~std::uint64_t{511});
    r->resource.linear.format = r->format;
    r->resource.linear.bytes = bytes + address % 512;
    r->bind(s);
}
namespace {
struct description_2d {
    std::size_t width, height;
    int format;
    unsigned channels;
};
}  // namespace
CALL(cuTexRefSetAddress2D, session& s, reference* r, const description_2d* d, std::uint64_t address,
     std::size_t pitch) {
    require_pointer(r, d);
    r->resource = {};
    r->resource.type = 3;
    r->resource.pitched.pointer = pointer_to(address);
    r->resource.pitched.format = channels_of(d->format, d->channels);
    r->resource.pitched.width = d->width;
    r->resource.pitched.height = d->height;
    r->resource.pitched.pitch = pitch;
    r->bind(s);
}
CALL(cuTexRefSetFormat, session& s, reference* r, int format, int channels) {
    value_at(r).format = channels_of(format, static_cast<unsigned>(channels));
    r->apply(s);
}
CALL(cuTexRefSetAddressMode, session& s, reference* r, int dimension, int mode) {
    require_pointer(r);
    require(dimension >= 0 && dimension < 3, status::invalid_value, "no dimension");
    r->how.address_mode[dimension] = mode;
    r->apply(s);
}
CALL(cuTexRefSetFilterMode, session& s, reference* r, int mode) {
    value_at(r).how.filter = mode;
    r->apply(s);
}
CALL(cuTexRefSetFlags, session& s, reference* r, unsigned flags) {
    value_at(r).how.flags = flags;
    r->apply(s);
}
CALL(cuTexRefSetBorderColor, session& s, reference* r, const float* border) {
    require_pointer(r);
    std::copy(border, border + 4, std::begin(r->how.border));
    r->apply(s);
}
CALL(cuTexRefSetMipmapFilterMode, session& s, reference* r, int mode) {
    value_at(r).how.mip_filter = mode;
    r->apply(s);
}
CALL(cuTexRefSetMaxAnisotropy, session& s, reference* r, unsigned value) {
    value_at(r).how.anisotropy = value;
    r->apply(s);
}
/// The texture is already known to the module's code, so there is nothing to do.
FUNCTION(result, cuParamSetTexRef, void*, int, reference*) {
    return 0;
}
