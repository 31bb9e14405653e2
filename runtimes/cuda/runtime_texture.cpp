// SPDX-License-Identifier: Apache-2.0
// Runtime API: textures and surfaces, as objects and as references.
#include "runtimes/cuda/runtime_api.h"

#include <algorithm>
#include <cstring>

using namespace simtlm::cuda;

namespace {

texture_description description_of(const texture_reference& r, bool normalised_read) {
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

/// Binds a reference like an object, at the handle of the reference.
void bind(session& s, const texture_reference* r, const resource_description& resource) {
    const registered_symbol symbol = s.symbol(r);
    const texture_description t = description_of(*r, symbol.normalised_read);
    s.work().wait_all(s.current_device());
    const std::uint64_t object = make_texture(s, resource, &t, nullptr);
    const auto* const found = s.gpus().state().textures.find(object);
    s.gpus().bind_texture(s.reference_handle(r), *found);
    remove_texture(s, object);
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
session::texture_object object_of(session& s, unsigned long long handle) {
    const std::lock_guard<std::mutex> lock(s.textures_mutex);
    const auto at = s.textures.find(handle);
    require(at != s.textures.end(), status::invalid_value, "not a texture");
    return at->second;
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

// ---- references, up to CUDA 11 ----

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
    s.gpus().release_texture(s.reference_handle(r));
}
CALL(cudaGetTextureAlignmentOffset, session&, std::size_t* offset, const texture_reference*) {
    require_pointer(offset);
    *offset = 0;
}
CALL(cudaGetTextureReference, session& s, const texture_reference** to, const void* symbol) {
    require_pointer(to);
    s.symbol(symbol);
    *to = static_cast<const texture_reference*>(symbol);
}
CALL(cudaGetSurfaceReference, session& s, const surface_reference** to, const void* symbol) {
    require_pointer(to);
    s.symbol(symbol);
    *to = static_cast<const surface_reference*>(symbol);
}
CALL(cudaBindSurfaceToArray, session& s, const surface_reference* r, const void* array,
     const channel_description*) {
    require_pointer(r);
    const simtlm::device::array& a = s.array(array);
    simtlm::execution::texture_binding b;
    b.image = a.image;
    b.base = a.address;
    s.work().wait_all(s.current_device());
    s.gpus().bind_texture(s.reference_handle(r), b);
}
