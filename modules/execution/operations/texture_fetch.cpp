// SPDX-License-Identifier: Apache-2.0
// tex and tld4. Usually all lanes fetch from one image of one or two dimensions; they are then
// computed together.
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/texture_plane.h"
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/operations/texture_lanes.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace {

/// Caches the binding of an operand across lanes, which is usually the same for all.
class binding_cache {
public:
    binding_cache(warp& w, const operation* op, operand_ref handle)
        : w_(w), op_(op), handle_(handle) {}

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
    operand_ref handle_;
    std::uint64_t last_ = 0;
    const texture_binding* found_ = nullptr;
};

/// With timing: the texels that a fetch reads, one address per lane and sector. Texels of the
/// border are not in memory.
class texel_recorder {
public:
    /// @param w  its pending request receives the addresses; without one, nothing is recorded
    explicit texel_recorder(warp& w) : request_(static_cast<timed_request*>(w.pending)) {}
    bool records() const { return request_ != nullptr; }

    void add(unsigned lane, device_address texel) {
        constexpr device_address sector = 32;
        for (unsigned n = 0; n < count_[lane]; ++n)
            if (address(n, lane) / sector == texel / sector) return;
        address(count_[lane]++, lane) = texel;
    }
    /// Gives all lanes the same number of addresses, by repeating the first one, which is 0 if a
    /// lane reads only the border.
    void finish(lane_mask lanes) {
        for_lanes(lanes, [&](unsigned lane) {
            if (count_[lane] == 0) request_->address[lane] = 0;
            request_->words = std::max<unsigned>(request_->words, count_[lane]);
        });
        for_lanes(lanes, [&](unsigned lane) {
            for (unsigned n = std::max<unsigned>(count_[lane], 1); n < request_->words; ++n)
                address(n, lane) = request_->address[lane];
        });
    }

private:
    std::uint64_t& address(unsigned n, unsigned lane) {
        return n == 0 ? request_->address[lane] : request_->more[n - 1][lane];
    }

    static_assert(std::tuple_size_v<decltype(arithmetic::texel_footprint::reads)> <=
                  program::lane_addresses::max_words);

    timed_request* request_;
    std::array<std::uint8_t, warp_size> count_{};
};

bool has_binding(const warp& w, operand_ref handle, unsigned lane) {
    const texture_table* const table = w.launch->world.textures;
    return table != nullptr && table->find(lanes_at<std::uint64_t>(w, handle)[lane]) != nullptr;
}

float number(const warp& w, operand_ref s, unsigned lane) {
    return arithmetic::as_float(lane_word(w, s, lane));
}

std::array<float, 3> numbers(const warp& w, const std::vector<operand_ref>& from, unsigned lane) {
    std::array<float, 3> to{};
    for (std::size_t i = 0; i < from.size() && i < 3; ++i) to[i] = number(w, from[i], lane);
    return to;
}

/// Difference of the coordinates of two lanes.
std::array<float, 3> difference(const warp& w, const texture_description& d, std::size_t first,
                                unsigned lane, unsigned less) {
    std::array<float, 3> to{};
    for (std::size_t i = 0; i < 3 && first + i < d.coordinates.size(); ++i)
        to[i] =
            number(w, d.coordinates[first + i], lane) - number(w, d.coordinates[first + i], less);
    return to;
}

/// The texel offsets of a lane.
std::array<std::int32_t, 3> offsets_of(const warp& w, const texture_description& d, unsigned lane) {
    std::array<std::int32_t, 3> to{};
    const auto extended = [&](std::uint32_t field) {
        const unsigned unused = 32 - d.offset_bits;
        return static_cast<std::int32_t>(field << unused) >> unused;
    };
    for (std::size_t i = 0; i < 3 && i < d.offsets.size(); ++i)
        to[i] = extended(lane_word(w, d.offsets[i], lane));
    if (d.packed_offsets != no_operand) {
        const std::uint32_t packed = lane_word(w, d.packed_offsets, lane) >> d.offset_shift;
        for (unsigned i = 0; i < 3; ++i) to[i] = extended(packed >> i * d.offset_stride);
    }
    return to;
}

/// A lane's coordinates.
arithmetic::texture_coordinates coordinates_of(const warp& w, const texture_description& d,
                                               const texture_binding& b,
                                               const arithmetic::sampler_state& sampler,
                                               unsigned lane) {
    arithmetic::texture_coordinates c;
    c.integers = d.integer_coordinates;
    std::size_t first = 0;
    if (is_layered(d.geometry)) c.layer = lane_word(w, d.coordinates[first++], lane);
    for (std::size_t i = 0; i < 3 && first + i < d.coordinates.size(); ++i) {
        const operand_ref s = d.coordinates[first + i];
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
    if (d.has_quad_gradient) {
        const unsigned quad = lane & ~3u;
        c.level =
            arithmetic::gradient_level(b.image, sampler, difference(w, d, first, quad + 1, quad),
                                       difference(w, d, first, quad + 2, quad));
    }
    if (d.has_offsets()) c.offset = offsets_of(w, d, lane);
    return c;
}

/// Whether the lanes of an operand have the same handle.
bool is_uniform(const warp& w, operand_ref handle, lane_mask lanes) {
    const auto* const handles = lanes_at<std::uint64_t>(w, handle);
    const std::uint64_t first = handles[__builtin_ctz(lanes)];
    std::uint64_t differs = 0;
    if (lanes == all_lanes)
        for (unsigned i = 0; i < warp_size; ++i) differs |= handles[i] ^ first;
    else
        for_lanes(lanes, [&](unsigned i) { differs |= handles[i] ^ first; });
    return differs == 0;
}

/// What is written to a register. @param component  returns the value of a component
template <class Component>
std::uint32_t result_of(const texture_description& d, std::size_t result, Component component) {
    using arithmetic::detail::narrow_half;
    using form = texture_description::form;
    if (d.result_form == form::word) return component(result);
    if (d.result_form == form::half) return narrow_half<arithmetic::f16>(component(result));
    std::uint32_t word = 0;
    for (std::size_t half = 0; half < 2 && 2 * result + half < d.paired.size(); ++half)
        word |= std::uint32_t{narrow_half<arithmetic::f16>(component(d.paired[2 * result + half]))}
                << 16 * half;
    return word;
}

/// Fetches all lanes at once. @return false: not applicable, they must be fetched one by one
bool fetch_together(warp& w, const operation* op, const texture_description& d, lane_mask lanes,
                    texel_recorder& texels) {
    if (d.gathers || d.has_offsets() || d.has_quad_gradient || is_layered(d.geometry) ||
        !is_uniform(w, d.texture, lanes) ||
        (d.sampler != no_operand && !is_uniform(w, d.sampler, lanes)))
        return false;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const texture_binding& b = binding_of(w, op, d.texture, first);
    arithmetic::plane_fetch f;
    f.image = &b.image;
    f.sampler = d.sampler == no_operand ? &b.sampler : &binding_of(w, op, d.sampler, first).sampler;
    if (!arithmetic::is_plane(b.image, *f.sampler)) return false;
    f.texels = w.launch->memory.host(b.base);
    f.integers = d.integer_coordinates;
    // Registers are bytes; they are copied to words.
    alignas(64) std::uint32_t coordinates[2][warp_size];
    for (unsigned i = 0; i < 2 && i < d.coordinates.size(); ++i) {
        std::memcpy(coordinates[i], w.at(d.coordinates[i]), sizeof coordinates[i]);
        f.coordinates[i] = coordinates[i];
    }
    if (!arithmetic::fetch_plane(f)) return false;
    for (std::size_t i = 0; i < d.results.size() && i < 4; ++i) {
        if (d.results[i] == no_operand) continue;
        if (d.result_form != texture_description::form::word) {
            for_lanes(lanes, [&](unsigned lane) {
                lanes_at<std::uint32_t>(w, d.results[i])[lane] =
                    result_of(d, i, [&](std::size_t c) { return f.value[c][lane]; });
            });
            continue;
        }
        if (lanes == all_lanes)
            std::memcpy(w.at(d.results[i]), f.value[i], sizeof f.value[i]);
        else
            blend(lanes_at<std::uint32_t>(w, d.results[i]),
                  reinterpret_cast<const lane_type<std::uint32_t>*>(f.value[i]), lanes);
    }
    for (unsigned t = 0; texels.records() && t < f.texels_read; ++t)
        for_lanes(lanes, [&](unsigned lane) { texels.add(lane, b.base + f.offset[t][lane]); });
    return true;
}

void fetch_each(warp& w, const operation* op, const texture_description& d, lane_mask lanes,
                texel_recorder& texels) {
    binding_cache textures(w, op, d.texture), samplers(w, op, d.sampler);
    for_lanes(lanes, [&](unsigned lane) {
        // Helper lanes, which execute only to complete a quad, may have no texture; they use that
        // of the quad.
        unsigned named = lane;
        for (unsigned other = lane & ~3u;
             d.has_quad_gradient && !has_binding(w, d.texture, named) && other <= (lane | 3u);
             ++other)
            named = other;
        const texture_binding& b = textures.of(named);
        const arithmetic::sampler_state& sampler =
            d.sampler == no_operand ? b.sampler : samplers.of(lane).sampler;
        const auto at = coordinates_of(w, d, b, sampler, lane);
        const auto footprint = d.gathers ? arithmetic::gather_footprint(b.image, sampler, at)
                                         : arithmetic::texture_footprint(b.image, sampler, at);
        const auto read = [&](std::uint64_t offset) {
            return w.launch->memory.host(b.base + offset);
        };
        const arithmetic::texel_value value =
            d.gathers ? arithmetic::gather_texels(b.image, sampler, footprint, d.component, read)
                      : arithmetic::filter_texels(b.image, sampler, footprint, read);
        for (unsigned t = 0; texels.records() && t < footprint.count; ++t)
            if (!footprint.reads[t].border) texels.add(lane, b.base + footprint.reads[t].offset);
        for (std::size_t i = 0; i < d.results.size() && i < 4; ++i)
            if (d.results[i] != no_operand)
                lanes_at<std::uint32_t>(w, d.results[i])[lane] =
                    result_of(d, i, [&](std::size_t c) { return value[c]; });
    });
}

}  // namespace

const operation* fetch_texture(warp& w, const operation* op) {
    const texture_description& d = texture_description_of(op);
    const lane_mask lanes = w.lanes_of(op);
    note_access(w, op, lanes);
    texel_recorder texels(w);
    if (lanes != 0 && !fetch_together(w, op, d, lanes, texels)) fetch_each(w, op, d, lanes, texels);
    if (texels.records()) texels.finish(lanes);
    if (d.predicate != no_operand) w.mask_at(d.predicate) |= lanes;
    return op + 1;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
