// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/texture_operations.h"

#include "modules/execution/arithmetic/texture_plane.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/texture_table.h"
#include "modules/execution/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace simtlm::execution {

namespace {

using arithmetic::texture_geometry;

const texture_description& description_of(const operation* op) {
    return *reinterpret_cast<const texture_description*>(op->immediate);
}

const texture_binding& binding_of(warp& w, const operation* op, slot handle, unsigned lane) {
    const std::uint64_t h = lanes_at<std::uint64_t>(w, handle)[lane];
    const texture_table* const table = w.launch->world.textures;
    const texture_binding* const b = table == nullptr ? nullptr : table->find(h);
    if (b == nullptr)
        w.block->fail(w, op, lane, fmt::format("no texture or surface is bound to {:#x}", h),
                      "bind it before the launch");
    return *b;
}

/// Bindings of one operand, lane after lane: mostly all of them the same.
class binding_cache {
public:
    binding_cache(warp& w, const operation* op, slot handle) : w_(w), op_(op), handle_(handle) {}

    const texture_binding& of(unsigned lane) {
        const std::uint64_t h = lanes_at<std::uint64_t>(w_, handle_)[lane];
        if (found_ == nullptr || h != last_) {
            found_ = &binding_of(w_, op_, handle_, lane);
            last_ = h;
        }
        return *found_;
    }

private:
    warp& w_;
    const operation* op_;
    slot handle_;
    std::uint64_t last_ = 0;
    const texture_binding* found_ = nullptr;
};

bool is_layered(texture_geometry g) {
    return g == texture_geometry::layered_one || g == texture_geometry::layered_two ||
           g == texture_geometry::layered_cube;
}

std::uint32_t lane_word(const warp& w, slot s, unsigned lane) {
    return lanes_at<std::uint32_t>(w, s)[lane];
}
float number(const warp& w, slot s, unsigned lane) {
    return arithmetic::as_float(lane_word(w, s, lane));
}

std::array<float, 3> numbers(const warp& w, const std::vector<slot>& from, unsigned lane) {
    std::array<float, 3> to{};
    for (std::size_t i = 0; i < from.size() && i < 3; ++i) to[i] = number(w, from[i], lane);
    return to;
}

arithmetic::texture_coordinates coordinates_of(const warp& w, const texture_description& d,
                                               const texture_binding& b,
                                               const arithmetic::sampler_state& sampler,
                                               unsigned lane) {
    arithmetic::texture_coordinates c;
    c.integers = d.integer_coordinates;
    std::size_t first = 0;
    if (is_layered(d.geometry)) c.layer = lane_word(w, d.coordinates[first++], lane);
    for (std::size_t i = 0; i < 3 && first + i < d.coordinates.size(); ++i) {
        const slot s = d.coordinates[first + i];
        if (c.integers)
            c.index[i] = static_cast<std::int32_t>(lane_word(w, s, lane));
        else
            c.at[i] = number(w, s, lane);
    }
    if (d.has_level)
        c.level = c.integers
                      ? static_cast<float>(static_cast<std::int32_t>(lane_word(w, d.level, lane)))
                      : number(w, d.level, lane);
    if (d.has_gradient)
        c.level = arithmetic::gradient_level(b.image, sampler, numbers(w, d.dx, lane),
                                             numbers(w, d.dy, lane));
    return c;
}

void set_predicate(warp& w, slot p, lane_mask lanes) {
    if (p != no_slot) w.mask_at(p) |= lanes;
}

/// Where an access of a surface goes.
struct surface_access {
    std::byte* at = nullptr;  ///< nullptr: nowhere
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

void note(warp& w, const operation* op, lane_mask lanes) {
    if (w.pending == nullptr) return;
    w.pending->op = op;
    w.pending->lanes = lanes;
}

/// One lane's access of a surface.
struct surface_lane {
    const texture_description& what;
    const texture_binding& surface;
    std::byte* at;  ///< nullptr: outside, where that is no mistake
    unsigned lane;
};

/// Finds every lane's place of a surface and calls `access` with it.
template <class Access>
const operation* for_surface_lanes(warp& w, const operation* op, Access access) {
    const texture_description& d = description_of(op);
    const lane_mask lanes = w.lanes_of(op);
    note(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        const texture_binding& b = binding_of(w, op, d.texture, lane);
        const surface_access a = place(w, op, d, b, lane);
        if (w.pending != nullptr) w.pending->address[lane] = a.address;
        access(surface_lane{d, b, a.at, lane});
    });
    return op + 1;
}

/// What a lane stores.
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

std::uint32_t answer(const texture_binding& b, ptx::mode query) {
    const arithmetic::mip_level& top = b.image.levels.at(0);
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

const operation* fetch_texture(warp& w, const operation* op) {
    const texture_description& d = description_of(op);
    const lane_mask lanes = w.lanes_of(op);
    note(w, op, lanes);
    binding_cache textures(w, op, d.texture), samplers(w, op, d.sampler);
    const bool plain = !d.gathers && !is_layered(d.geometry);
    const std::size_t results = std::min<std::size_t>(d.results.size(), 4);
    for_lanes(lanes, [&](unsigned lane) {
        const texture_binding& b = textures.of(lane);
        const arithmetic::sampler_state& sampler =
            d.sampler == no_slot ? b.sampler : samplers.of(lane).sampler;
        const auto at = coordinates_of(w, d, b, sampler, lane);
        if (plain && arithmetic::is_plane(b.image)) {
            std::uint64_t offset = 0;
            const arithmetic::texel_value value = arithmetic::fetch_plane(
                b.image, sampler, at, w.launch->memory.host(b.base), offset);
            if (w.pending != nullptr) w.pending->address[lane] = b.base + offset;
            for (std::size_t i = 0; i < results; ++i)
                if (d.results[i] != no_slot)
                    lanes_at<std::uint32_t>(w, d.results[i])[lane] = value[i];
            return;
        }
        const auto footprint = d.gathers ? arithmetic::gather_footprint(b.image, sampler, at)
                                         : arithmetic::texture_footprint(b.image, sampler, at);
        const auto read = [&](std::uint64_t offset) {
            return w.launch->memory.host(b.base + offset);
        };
        const arithmetic::texel_value value =
            d.gathers ? arithmetic::gather_texels(b.image, sampler, footprint, d.component, read)
                      : arithmetic::filter_texels(b.image, sampler, footprint, read);
        if (w.pending != nullptr) w.pending->address[lane] = b.base + footprint.reads[0].offset;
        for (std::size_t i = 0; i < d.results.size() && i < 4; ++i)
            if (d.results[i] != no_slot) lanes_at<std::uint32_t>(w, d.results[i])[lane] = value[i];
    });
    set_predicate(w, d.predicate, lanes);
    return op + 1;
}

const operation* load_surface(warp& w, const operation* op) {
    return for_surface_lanes(w, op, [&](const surface_lane& l) {
        const texture_description& d = l.what;
        arithmetic::texel_value texel{};
        if (d.formatted && l.at != nullptr)
            texel = arithmetic::decode_texel(l.surface.image.format, l.surface.sampler, l.at);
        for (unsigned i = 0; i < d.results.size(); ++i) {
            const std::uint64_t value =
                d.formatted       ? texel[i]
                : l.at == nullptr ? 0
                                  : read_element(l.at + i * d.element_bytes, d.element_bytes);
            if (d.element_bytes == 8)
                lanes_at<std::uint64_t>(w, d.results[i])[l.lane] = value;
            else
                lanes_at<std::uint32_t>(w, d.results[i])[l.lane] =
                    static_cast<std::uint32_t>(value);
        }
    });
}

const operation* store_surface(warp& w, const operation* op) {
    return for_surface_lanes(w, op, [&](const surface_lane& l) {
        if (l.at == nullptr) return;
        const texture_description& d = l.what;
        arithmetic::texel_value texel{};
        for (unsigned i = 0; i < d.results.size(); ++i) {
            const std::uint64_t value = element_of(w, d, i, l.lane);
            if (d.formatted)
                texel[i] = static_cast<std::uint32_t>(value);
            else
                std::memcpy(l.at + i * d.element_bytes, &value, d.element_bytes);
        }
        if (d.formatted) arithmetic::encode_texel(l.surface.image.format, texel, l.at);
    });
}

const operation* reduce_surface(warp& w, const operation* op) {
    return for_surface_lanes(w, op, [&](const surface_lane& l) {
        if (l.at == nullptr) return;
        const texture_description& d = l.what;
        const std::uint64_t value = element_of(w, d, 0, l.lane);
        if (d.element_bytes == 8)
            reduce_at<std::uint64_t>(l.at, d.reduce, d.reduces_signed, value);
        else
            reduce_at<std::uint32_t>(l.at, d.reduce, d.reduces_signed,
                                     static_cast<std::uint32_t>(value));
    });
}

const operation* query_texture(warp& w, const operation* op) {
    const texture_description& d = description_of(op);
    for_lanes(w.lanes_of(op), [&](unsigned lane) {
        lanes_at<std::uint32_t>(w, d.results[0])[lane] =
            answer(binding_of(w, op, d.texture, lane), d.query);
    });
    return op + 1;
}

}  // namespace simtlm::execution
