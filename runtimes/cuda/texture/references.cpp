// SPDX-License-Identifier: Apache-2.0
// Texture and surface references, of the runtime up to CUDA 11 and of modules.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace simtlm::cuda {

namespace {

texture_description settings_of(const texture_reference& r, bool normalised_read) {
    texture_description t{};
    std::copy(std::begin(r.address_mode), std::end(r.address_mode), std::begin(t.address_mode));
    t.filter = r.filter;
    t.normalised_read = normalised_read ? 1 : 0;
    t.srgb = r.srgb;
    t.normalised_coordinates = r.normalised_coordinates;
    t.mip_filter = r.mip_filter;
    t.mip_bias = r.mip_bias;
    t.mip_minimum = r.mip_minimum;
    t.mip_maximum = r.mip_maximum != 0 ? r.mip_maximum : 1000;
    return t;
}

/// Binds a reference like an object, at its own handle. @param t  nullptr: a surface
void bind(session& s, std::uint64_t handle, const resource_description& r,
          const texture_description* t) {
    s.work().wait_all(s.current_device());
    const std::uint64_t object = make_texture(s, r, t, nullptr);
    s.gpus().bind_texture(handle, *s.gpus().state().textures.find(object));
    remove_texture(s, object);
}

void bind(session& s, const texture_reference* r, const resource_description& resource) {
    const texture_description t = settings_of(*r, code_registry::get().symbol(r).normalised_read);
    bind(s, s.modules.variable(r).first, resource, &t);
}

resource_description linear(const void* p, const channel_description& d, std::size_t bytes) {
    resource_description r{};
    r.type = 2;
    r.linear.pointer = const_cast<void*>(p);
    r.linear.format = d;
    r.linear.bytes = bytes;
    return r;
}

/// Aligns the start of linear memory; the caller adds the returned offset.
const void* aligned(const void* p, std::size_t* offset) {
    const std::uint64_t a = address_of(p);
    if (offset != nullptr)
        *offset = a % 512;
    else
        require(a % 512 == 0, status::invalid_value, "the address is not aligned");
    return pointer_to(a & ~std::uint64_t{511});
}

}  // namespace

CALL(cudaBindTexture, session& s, std::size_t* offset, const texture_reference* r, const void* p,
     const channel_description* d, std::size_t bytes) {
    require_pointer(r, d);
    const void* const base = aligned(p, offset);
    const auto a = s.gpus().memory().find(address_of(p));
    require(static_cast<bool>(a), status::invalid_value, "not GPU memory");
    const std::size_t room = a->bytes - (address_of(p) - a->address);
    bind(s, r, linear(base, *d, std::min(bytes, room) + (address_of(p) - address_of(base))));
}
CALL(cudaBindTexture2D, session& s, std::size_t* offset, const texture_reference* r, const void* p,
     const channel_description* d, std::size_t width, std::size_t height, std::size_t pitch) {
    require_pointer(r, d);
    resource_description resource{};
    resource.type = 3;
    resource.pitched.pointer = const_cast<void*>(aligned(p, offset));
    resource.pitched.format = *d;
    resource.pitched.width = width;
    resource.pitched.height = height;
    resource.pitched.pitch = pitch;
    bind(s, r, resource);
}
CALL(cudaBindTextureToArray, session& s, const texture_reference* r, void* array,
     const channel_description*) {
    require_pointer(r);
    resource_description resource{};
    resource.array = array;
    bind(s, r, resource);
}
CALL(cudaUnbindTexture, session& s, const texture_reference* r) {
    require_pointer(r);
    s.work().wait_all(s.current_device());
    s.gpus().release_texture(s.modules.variable(r).first);
}
CALL(cudaGetTextureAlignmentOffset, session&, std::size_t* offset, const texture_reference*) {
    require_pointer(offset);
    *offset = 0;
}
CALL(cudaGetTextureReference, session&, const texture_reference** to, const void* symbol) {
    require_pointer(to);
    code_registry::get().symbol(symbol);
    *to = static_cast<const texture_reference*>(symbol);
}
CALL(cudaGetSurfaceReference, session&, const surface_reference** to, const void* symbol) {
    require_pointer(to);
    code_registry::get().symbol(symbol);
    *to = static_cast<const surface_reference*>(symbol);
}
CALL(cudaBindSurfaceToArray, session& s, const surface_reference* r, const void* array,
     const channel_description*) {
    require_pointer(r);
    const device::array& a = s.array(array);
    execution::texture_binding b;
    b.image = a.image;
    b.base = a.address;
    s.work().wait_all(s.current_device());
    s.gpus().bind_texture(s.modules.variable(r).first, b);
}

/// CUtexref, CUsurfref. Settings take effect once memory is bound.
struct module_reference {
    std::uint64_t handle = 0;  ///< value used by the module's code
    resource_description resource{};
    driver_texture how{};
    int format = 0x20;  ///< of linear memory: CUarray_format
    int channels = 1;
    bool bound = false, surface = false;

    /// Binds the memory that `resource` describes.
    void bind(session& s) {
        bound = true;
        apply(s);
    }
    void apply(session& s) {
        if (!bound) return;
        if (resource.type == 2)  // its format may be set after its address
            resource.linear.format = channels_of(format, static_cast<unsigned>(channels));
        const texture_description t = plain(s, how, resource, nullptr);
        cuda::bind(s, handle, resource, surface ? nullptr : &t);
    }
};

namespace {

module_reference* reference_in(session& s, module* m, const char* name, bool surface) {
    require_pointer(name);
    const std::uint64_t handle = s.modules.variable_in(m, name).first;
    const std::lock_guard<std::mutex> lock(m->mutex);
    auto& r = m->references[name];
    if (r == nullptr) {
        r = std::make_shared<module_reference>();
        r->handle = handle;
        r->surface = surface;
        r->how.mip_maximum = 1000;
    }
    return r.get();
}

}  // namespace

CALL(cuModuleGetTexRef, session& s, module_reference** to, module* m, const char* name) {
    require_pointer(to);
    *to = reference_in(s, m, name, false);
}
CALL(cuModuleGetSurfRef, session& s, module_reference** to, module* m, const char* name) {
    require_pointer(to);
    *to = reference_in(s, m, name, true);
}
CALL(cuTexRefSetArray, session& s, module_reference* r, void* array, unsigned) {
    require_pointer(r);
    s.array(array);  // fails if there is none
    r->resource = {};
    r->resource.array = array;
    r->bind(s);
}
CALL(cuTexRefSetAddress, session& s, std::size_t* offset, module_reference* r,
     std::uint64_t address, std::size_t bytes) {
    require_pointer(r);
    require(address % 512 == 0 || offset != nullptr, status::invalid_value,
            "the address is not aligned");
    if (offset != nullptr) *offset = address % 512;
    r->resource = {};
    r->resource.type = 2;
    r->resource.linear.pointer = pointer_to(address & ~std::uint64_t{511});
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

CALL(cuTexRefSetAddress2D, session& s, module_reference* r, const description_2d* d,
     std::uint64_t address, std::size_t pitch) {
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
CALL(cuTexRefSetFormat, session& s, module_reference* r, int format, int channels) {
    require_pointer(r);
    channels_of(format, static_cast<unsigned>(channels));
    r->format = format;
    r->channels = channels;
    r->apply(s);
}
CALL(cuTexRefSetAddressMode, session& s, module_reference* r, int dimension, int mode) {
    require_pointer(r);
    require(dimension >= 0 && dimension < 3, status::invalid_value, "no dimension");
    r->how.address_mode[dimension] = mode;
    r->apply(s);
}
CALL(cuTexRefSetFilterMode, session& s, module_reference* r, int mode) {
    value_at(r).how.filter = mode;
    r->apply(s);
}
CALL(cuTexRefSetFlags, session& s, module_reference* r, unsigned flags) {
    value_at(r).how.flags = flags;
    r->apply(s);
}
CALL(cuTexRefSetBorderColor, session& s, module_reference* r, const float* border) {
    require_pointer(r);
    std::copy(border, border + 4, std::begin(r->how.border));
    r->apply(s);
}
CALL(cuTexRefSetMipmapFilterMode, session& s, module_reference* r, int mode) {
    value_at(r).how.mip_filter = mode;
    r->apply(s);
}
CALL(cuTexRefSetMipmapLevelBias, session& s, module_reference* r, float bias) {
    value_at(r).how.mip_bias = bias;
    r->apply(s);
}
CALL(cuTexRefSetMipmapLevelClamp, session& s, module_reference* r, float minimum, float maximum) {
    value_at(r).how.mip_minimum = minimum;
    r->how.mip_maximum = maximum;
    r->apply(s);
}
CALL(cuTexRefSetMaxAnisotropy, session& s, module_reference* r, unsigned value) {
    value_at(r).how.anisotropy = value;
    r->apply(s);
}

CALL(cuTexRefGetAddress, session&, std::uint64_t* to, const module_reference* r) {
    require_pointer(to, r);
    require(r->bound && r->resource.type >= 2, status::invalid_value, "no memory is bound");
    *to = address_of(r->resource.type == 2 ? r->resource.linear.pointer
                                           : r->resource.pitched.pointer);
}
CALL(cuTexRefGetArray, session&, void** to, const module_reference* r) {
    require_pointer(to, r);
    require(r->bound && r->resource.type < 2, status::invalid_value, "no array is bound");
    *to = r->resource.array;
}
CALL(cuTexRefGetFormat, session&, int* format, int* channels, const module_reference* r) {
    require_pointer(format, channels, r);
    *format = r->format;
    *channels = r->channels;
}
CALL(cuTexRefGetAddressMode, session&, int* to, const module_reference* r, int dimension) {
    require_pointer(to, r);
    require(dimension >= 0 && dimension < 3, status::invalid_value, "no dimension");
    *to = r->how.address_mode[dimension];
}
CALL(cuTexRefGetFilterMode, session&, int* to, const module_reference* r) {
    value_at(to) = value_at(r).how.filter;
}
CALL(cuTexRefGetFlags, session&, unsigned* to, const module_reference* r) {
    value_at(to) = value_at(r).how.flags;
}
CALL(cuTexRefGetBorderColor, session&, float* to, const module_reference* r) {
    require_pointer(to, r);
    std::copy(std::begin(r->how.border), std::end(r->how.border), to);
}
CALL(cuTexRefGetMipmapFilterMode, session&, int* to, const module_reference* r) {
    value_at(to) = value_at(r).how.mip_filter;
}
CALL(cuTexRefGetMipmapLevelBias, session&, float* to, const module_reference* r) {
    value_at(to) = value_at(r).how.mip_bias;
}
CALL(cuTexRefGetMipmapLevelClamp, session&, float* low, float* high, const module_reference* r) {
    require_pointer(low, high, r);
    *low = r->how.mip_minimum;
    *high = r->how.mip_maximum;
}
CALL(cuTexRefGetMaxAnisotropy, session&, int* to, const module_reference* r) {
    value_at(to) = static_cast<int>(value_at(r).how.anisotropy);
}
/// The texture is already known to the module's code, so there is nothing to do.
FUNCTION(result, cuParamSetTexRef, void*, int, module_reference*) {
    return 0;
}

}  // namespace simtlm::cuda
