// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/texture_operations.h"

#include "modules/execution/operations/pending_request.h"
#include "modules/execution/operations/texture_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace simtlm::execution {

namespace {

/// Location of a surface access.
struct surface_access {
    std::byte* at = nullptr;  ///< nullptr: no access
    device_address address = 0;
};

surface_access place(warp& w, const operation* op, const texture_description& d,
                     const texture_binding& b, unsigned lane) {
    std::array<std::int32_t, 3> index{};
    std::uint32_t layer = 0;
    std::size_t first = 0;
    if (is_layered(d.geometry)) layer = lane_word(w, d.coordinates[first++], lane);
    for (std::size_t i = 0; i < 3 && first + i < d.coordinates.size(); ++i)
        index[i] = static_cast<std::int32_t>(lane_word(w, d.coordinates[first + i], lane));
    const unsigned bytes =
        d.formatted ? b.image.format.bytes() : d.element_bytes * std::max(d.elements, 1u);
    const arithmetic::surface_place p =
        arithmetic::surface_address(b.image, index, layer, !d.formatted, bytes, d.clamp);
    if (p.trap) w.block->fail(w, op, lane, "access outside of the surface");
    if (!p.inside) return {};
    return {w.launch->memory.host(b.base + p.offset), b.base + p.offset};
}

/// Calls `access` with every lane and its location in a surface. With timing, reports the accesses.
template <class Access>
void for_surface_lanes(warp& w, const operation* op, lane_mask lanes, Access access) {
    const texture_description& d = texture_description_of(op);
    note_access(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        const texture_binding& b = binding_of(w, op, d.texture, lane);
        const surface_access a = place(w, op, d, b, lane);
        if (w.pending != nullptr) w.pending->address[lane] = a.address;
        access(lane, b, a.at);
    });
}

/// A store to a surface or a reduction, in a memory_request: with timing, other SMs see it in the
/// memory phase of the cycle.
struct surface_update {
    std::array<std::byte*, warp_size> at;  ///< nullptr: no access
    std::array<const texture_binding*, warp_size> surface;
    std::array<std::array<std::uint64_t, warp_size>, 4> values;  ///< [element][lane]
};
static_assert(sizeof(surface_update) <= sizeof(memory_request::values) &&
              alignof(surface_update) <= 64);

/// The value stored by a lane.
std::uint64_t element_of(const warp& w, const texture_description& d, unsigned i, unsigned lane) {
    return d.element_bytes == 8 ? lanes_at<std::uint64_t>(w, d.results[i])[lane]
                                : lanes_at<std::uint32_t>(w, d.results[i])[lane];
}

std::uint64_t read_element(const std::byte* from, unsigned bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

template <class Bits>
Bits reduced(ptx::reduction r, bool is_signed, Bits a, Bits b) {
    using value = std::make_signed_t<Bits>;
    const bool less = is_signed ? static_cast<value>(a) < static_cast<value>(b) : a < b;
    switch (r) {
        case ptx::reduction::add:
            return a + b;
        case ptx::reduction::min:
            return less ? a : b;
        case ptx::reduction::max:
            return less ? b : a;
        case ptx::reduction::and_:
            return a & b;
        default:
            return a | b;
    }
}

template <class Bits>
void reduce_at(std::byte* at, ptx::reduction r, bool is_signed, Bits value) {
    auto* const p = reinterpret_cast<typename overlaid<Bits>::type*>(at);
    Bits old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, reduced(r, is_signed, old, value), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
}

std::uint32_t answer(const texture_binding& b, ptx::mode query, std::uint32_t level) {
    // A missing level has no texels.
    if (level >= b.image.levels.size()) return 0;
    const arithmetic::mip_level& top = b.image.levels[level];
    switch (query) {
        case ptx::mode::width:
            return top.width;
        case ptx::mode::height:
            return top.height;
        case ptx::mode::depth:
            return top.depth;
        case ptx::mode::array_size:
            return b.image.layers;
        case ptx::mode::num_mipmap_levels:
            return static_cast<std::uint32_t>(b.image.levels.size());
        case ptx::mode::num_samples:
            return 1;
        case ptx::mode::normalized_coords:
            return b.sampler.normalised_coordinates ? 1 : 0;
        case ptx::mode::filter_mode:
            return static_cast<std::uint32_t>(b.sampler.filter);
        case ptx::mode::addr_mode_0:
            return static_cast<std::uint32_t>(b.sampler.address[0]);
        case ptx::mode::addr_mode_1:
            return static_cast<std::uint32_t>(b.sampler.address[1]);
        case ptx::mode::addr_mode_2:
            return static_cast<std::uint32_t>(b.sampler.address[2]);
        case ptx::mode::channel_order:
            return b.image.format.channels;
        case ptx::mode::channel_data_type:
            return static_cast<std::uint32_t>(b.image.format.kind);
        default:
            return 0;
    }
}

}  // namespace

const texture_binding& binding_of(warp& w, const operation* op, operand_ref handle, unsigned lane) {
    const std::uint64_t h = lanes_at<std::uint64_t>(w, handle)[lane];
    const texture_table* const table = w.launch->world.textures;
    const texture_binding* const b = table == nullptr ? nullptr : table->find(h);
    if (b == nullptr)
        w.block->fail(w, op, lane, fmt::format("no texture or surface is bound to {:#x}", h),
                      "bind it before the launch");
    return *b;
}

const operation* load_surface(warp& w, const operation* op) {
    const texture_description& d = texture_description_of(op);
    for_surface_lanes(
        w, op, w.lanes_of(op), [&](unsigned lane, const texture_binding& b, const std::byte* at) {
            arithmetic::texel_value texel{};
            if (d.formatted && at != nullptr)
                texel = arithmetic::decode_texel(b.image.format, b.sampler, at);
            for (unsigned i = 0; i < d.results.size(); ++i) {
                const std::uint64_t value =
                    d.formatted     ? texel[i]
                    : at == nullptr ? 0
                                    : read_element(at + i * d.element_bytes, d.element_bytes);
                if (d.element_bytes == 8)
                    lanes_at<std::uint64_t>(w, d.results[i])[lane] = value;
                else
                    lanes_at<std::uint32_t>(w, d.results[i])[lane] =
                        static_cast<std::uint32_t>(value);
            }
        });
    return op + 1;
}

namespace {

void store_lane(warp&, const operation* op, const surface_update& u, unsigned lane) {
    const texture_description& d = texture_description_of(op);
    std::byte* const at = u.at[lane];
    arithmetic::texel_value texel{};
    for (unsigned i = 0; i < d.results.size(); ++i) {
        const std::uint64_t value = u.values[i][lane];
        if (d.formatted)
            texel[i] = static_cast<std::uint32_t>(value);
        else
            std::memcpy(at + i * d.element_bytes, &value, d.element_bytes);
    }
    if (d.formatted) arithmetic::encode_texel(u.surface[lane]->image.format, texel, at);
}

void reduce_lane(warp& w, const operation* op, const surface_update& u, unsigned lane) {
    const texture_description& d = texture_description_of(op);
    const std::uint64_t value = u.values[0][lane];
    // Formatted access: converted to the format of the surface.
    const arithmetic::texel_format& format = u.surface[lane]->image.format;
    const bool is_signed =
        d.formatted ? format.kind == arithmetic::channel_kind::signed_integer : d.reduces_signed;
    if (d.formatted && format.bytes() < d.element_bytes)
        w.block->fail(w, op, lane,
                      fmt::format("a reduction of {} bytes on a surface whose elements have {}",
                                  d.element_bytes, format.bytes()));
    if (d.element_bytes == 8)
        reduce_at<std::uint64_t>(u.at[lane], d.reduce, is_signed, value);
    else
        reduce_at<std::uint32_t>(u.at[lane], d.reduce, is_signed,
                                 static_cast<std::uint32_t>(value));
}

template <void (*UpdateLane)(warp&, const operation*, const surface_update&, unsigned)>
const operation* update_surface(warp& w, const operation* op) {
    const texture_description& d = texture_description_of(op);
    memory_request own;
    memory_request* const r = begin_request(w, op, own);
    if (r == nullptr) return op + 1;
    auto* const u = new (r->values) surface_update;
    for_surface_lanes(w, op, r->lanes, [&](unsigned lane, const texture_binding& b, std::byte* at) {
        u->at[lane] = at;
        u->surface[lane] = &b;
        for (unsigned i = 0; i < d.results.size(); ++i)
            u->values[i][lane] = element_of(w, d, i, lane);
    });
    const memory_effect perform = [](warp& of, const memory_request& request) {
        const auto& update = *reinterpret_cast<const surface_update*>(request.values);
        for_lanes(request.lanes, [&](unsigned lane) {
            if (update.at[lane] != nullptr) UpdateLane(of, request.op, update, lane);
        });
    };
    if (w.pending == nullptr)
        perform(w, *r);
    else
        r->perform = perform;
    return op + 1;
}

}  // namespace

const operation* store_surface(warp& w, const operation* op) {
    return update_surface<store_lane>(w, op);
}

const operation* reduce_surface(warp& w, const operation* op) {
    return update_surface<reduce_lane>(w, op);
}

const operation* query_texture(warp& w, const operation* op) {
    const texture_description& d = texture_description_of(op);
    for_lanes(w.lanes_of(op), [&](unsigned lane) {
        lanes_at<std::uint32_t>(w, d.results[0])[lane] =
            answer(binding_of(w, op, d.texture, lane), d.query,
                   d.has_level ? lane_word(w, d.level, lane) : 0);
    });
    return op + 1;
}

}  // namespace simtlm::execution
