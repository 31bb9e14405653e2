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

extern "C" __attribute__((visibility("default"))) channel_description
simtlm_rt_cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, kind};
}
RUNTIME(cudaCreateTextureObject)
(unsigned long long* to, const resource_description* r, const texture_description* t,
 const resource_view* v) {
    return runtime_call("cudaCreateTextureObject", [&](session& s) {
        require_pointer(to);
        require_pointer(r);
        require_pointer(t);
        *to = make_texture(s, *r, t, v);
    });
}
RUNTIME(cudaDestroyTextureObject)(unsigned long long handle) {
    return runtime_call("cudaDestroyTextureObject", [&](session& s) { remove_texture(s, handle); });
}
RUNTIME(cudaCreateSurfaceObject)(unsigned long long* to, const resource_description* r) {
    return runtime_call("cudaCreateSurfaceObject", [&](session& s) {
        require_pointer(to);
        require_pointer(r);
        require(r->type == 0, status::invalid_value, "a surface requires an array");
        *to = make_texture(s, *r, nullptr, nullptr);
    });
}
RUNTIME(cudaDestroySurfaceObject)(unsigned long long handle) {
    return runtime_call("cudaDestroySurfaceObject", [&](session& s) { remove_texture(s, handle); });
}

namespace {
session::texture_object object_of(session& s, unsigned long long handle) {
    const std::lock_guard<std::mutex> lock(s.textures_mutex);
    const auto at = s.textures.find(handle);
    require(at != s.textures.end(), status::invalid_value, "not a texture");
    return at->second;
}
}  // namespace

RUNTIME(cudaGetTextureObjectResourceDesc)(resource_description* to, unsigned long long handle) {
    return runtime_call("cudaGetTextureObjectResourceDesc",
                        [&](session& s) { value_at(to) = object_of(s, handle).resource; });
}
RUNTIME(cudaGetSurfaceObjectResourceDesc)(resource_description* to, unsigned long long handle) {
    return runtime_call("cudaGetSurfaceObjectResourceDesc",
                        [&](session& s) { value_at(to) = object_of(s, handle).resource; });
}
RUNTIME(cudaGetTextureObjectTextureDesc)(texture_description* to, unsigned long long handle) {
    return runtime_call("cudaGetTextureObjectTextureDesc",
                        [&](session& s) { value_at(to) = object_of(s, handle).texture; });
}
RUNTIME(cudaGetTextureObjectResourceViewDesc)(resource_view* to, unsigned long long handle) {
    return runtime_call("cudaGetTextureObjectResourceViewDesc", [&](session& s) {
        const auto o = object_of(s, handle);
        require(o.has_view, status::invalid_value, "the texture has no view");
        value_at(to) = o.view;
    });
}

// ---- references, up to CUDA 11 ----

RUNTIME(cudaBindTexture)
(std::size_t* offset, const texture_reference* r, const void* p, const channel_description* d,
 std::size_t bytes) {
    return runtime_call("cudaBindTexture", [&](session& s) {
        require_pointer(r);
        require_pointer(d);
        const void* const base = aligned(p, offset);
        const auto a = s.gpus().memory().find(address_of(p));
        require(static_cast<bool>(a), status::invalid_value, "not GPU memory");
        const std::size_t room = a->bytes - (address_of(p) - a->address);
        bind(s, r, linear(base, *d, std::min(bytes, room) + (address_of(p) - address_of(base))));
    });
}
RUNTIME(cudaBindTexture2D)
(std::size_t* offset, const texture_reference* r, const void* p, const channel_description* d,
 std::size_t width, std::size_t height, std::size_t pitch) {
    return runtime_call("cudaBindTexture2D", [&](session& s) {
        require_pointer(r);
        require_pointer(d);
        resource_description resource{};
        resource.type = 3;
        resource.pitched.pointer = const_cast<void*>(aligned(p, offset));
        resource.pitched.format = *d;
        resource.pitched.width = width;
        resource.pitched.height = height;
        resource.pitched.pitch = pitch;
        bind(s, r, resource);
    });
}
RUNTIME(cudaBindTextureToArray)
(const texture_reference* r, void* array, const channel_description*) {
    return runtime_call("cudaBindTextureToArray", [&](session& s) {
        require_pointer(r);
        resource_description resource{};
        resource.array = array;
        bind(s, r, resource);
    });
}
RUNTIME(cudaBindTextureToMipmappedArray)
(const texture_reference* r, void* array, const channel_description* d) {
    return simtlm_rt_cudaBindTextureToArray(r, array, d);
}
RUNTIME(cudaUnbindTexture)(const texture_reference* r) {
    return runtime_call("cudaUnbindTexture", [&](session& s) {
        require_pointer(r);
        s.work().wait_all(s.current_device());
        s.gpus().release_texture(s.reference_handle(r));
    });
}
RUNTIME(cudaGetTextureAlignmentOffset)(std::size_t* offset, const texture_reference*) {
    return runtime_call("cudaGetTextureAlignmentOffset", [&](session&) {
        require_pointer(offset);
        *offset = 0;
    });
}
RUNTIME(cudaGetTextureReference)(const texture_reference** to, const void* symbol) {
    return runtime_call("cudaGetTextureReference", [&](session& s) {
        require_pointer(to);
        s.symbol(symbol);
        *to = static_cast<const texture_reference*>(symbol);
    });
}
RUNTIME(cudaGetSurfaceReference)(const surface_reference** to, const void* symbol) {
    return runtime_call("cudaGetSurfaceReference", [&](session& s) {
        require_pointer(to);
        s.symbol(symbol);
        *to = static_cast<const surface_reference*>(symbol);
    });
}
RUNTIME(cudaBindSurfaceToArray)
(const surface_reference* r, const void* array, const channel_description*) {
    return runtime_call("cudaBindSurfaceToArray", [&](session& s) {
        require_pointer(r);
        const simtlm::device::array& a = s.array(array);
        simtlm::execution::texture_binding b;
        b.image = a.image;
        b.base = a.address;
        s.work().wait_all(s.current_device());
        s.gpus().bind_texture(s.reference_handle(r), b);
    });
}
