// SPDX-License-Identifier: Apache-2.0
// Fetches of the 32 lanes of a warp from one image for the most common case: one or two dimensions,
// one level of detail. Computes the results of texture_footprint() and filter_texels() for all
// lanes, in vectorisable loops.
#pragma once

#include "modules/execution/arithmetic/floating.h"
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/arithmetic/types.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {

constexpr unsigned plane_lanes = 32;

/// Arguments and results of a warp's fetch from a plane.
struct plane_fetch {
    const texture_image* image = nullptr;
    const sampler_state* sampler = nullptr;
    const std::byte* texels = nullptr;  ///< base of the image
    /// By dimension, the 32 lanes: floats, or signed integers. nullptr: unused, 0.
    const std::uint32_t* coordinates[2] = {nullptr, nullptr};
    bool integers = false;

    unsigned texels_read = 1;                          ///< per lane: 1, 2 or 4
    alignas(64) std::uint64_t offset[4][plane_lanes];  ///< of the texels of each lane
    alignas(64) std::uint32_t value[4][plane_lanes];   ///< by channel
};

namespace detail {

/// One dimension of the lanes' fetches: a texel, or two neighbours. A negative index is the border.
struct plane_axis {
    alignas(64) std::int32_t lower[plane_lanes];
    alignas(64) std::int32_t upper[plane_lanes];
    alignas(64) double fraction[plane_lanes];  ///< weight of the upper texel, a multiple of 2^-8
};

/// Maps indices to 0 .. size - 1 according to the address mode. @return whether any lane reads the
/// border
inline bool fold_lanes(std::int32_t* index, std::int32_t size, address_mode mode) {
    std::uint32_t outside = 0;
    if (mode == address_mode::clamp) {
        for (unsigned i = 0; i < plane_lanes; ++i) {
            const std::int32_t above = index[i] < 0 ? 0 : index[i];
            index[i] = above >= size ? size - 1 : above;
        }
        return false;
    }
    for (unsigned i = 0; i < plane_lanes; ++i)
        outside |= static_cast<std::uint32_t>(index[i]) >= static_cast<std::uint32_t>(size) ? 1 : 0;
    if (outside == 0) return false;
    if (mode == address_mode::border) return true;
    const std::int64_t period = mode == address_mode::mirror ? 2 * std::int64_t{size} : size;
    for (unsigned i = 0; i < plane_lanes; ++i) {
        if (static_cast<std::uint32_t>(index[i]) < static_cast<std::uint32_t>(size)) continue;
        const std::int64_t within = ((index[i] % period) + period) % period;
        index[i] = static_cast<std::int32_t>(within < size ? within : period - 1 - within);
    }
    return false;
}

/// Converts coordinates to texels; values far outside of every texture, and NaN, are clamped.
inline void texel_coordinates(const std::uint32_t* bits, std::uint32_t size, address_mode mode,
                              bool normalised, double* x) {
    for (unsigned i = 0; i < plane_lanes; ++i) x[i] = as_float(bits[i]);
    if (normalised) {
        // The integer part is removed while coordinates are still normalised: see
        // texel_coordinate().
        if (mode == address_mode::wrap || mode == address_mode::mirror) {
            const double step = mode == address_mode::wrap ? 1 : 2;
            for (unsigned i = 0; i < plane_lanes; ++i) {
                const double whole = step * std::floor(x[i] / step);
                x[i] = std::fabs(x[i]) <= 0x1p1000 ? x[i] - whole : x[i];
            }
        }
        for (unsigned i = 0; i < plane_lanes; ++i) x[i] *= size;
    }
    for (unsigned i = 0; i < plane_lanes; ++i) {
        const double number = x[i] == x[i] ? x[i] : 0.0;
        const double low = number < -1e9 ? -1e9 : number;
        x[i] = low > 1e9 ? 1e9 : low;
    }
}

/// @return whether any lane reads the border
inline bool make_plane_axis(const plane_fetch& f, unsigned dimension, bool linear, plane_axis& to) {
    const mip_level& level = f.image->levels.front();
    const auto size = static_cast<std::int32_t>(dimension == 0 ? level.width : level.height);
    const bool normalised = f.sampler->normalised_coordinates && !f.integers;
    address_mode mode = f.sampler->address[dimension];
    if (!normalised && (mode == address_mode::wrap || mode == address_mode::mirror))
        mode = address_mode::clamp;
    static const std::uint32_t zeros[plane_lanes] = {};
    const std::uint32_t* const from =
        f.coordinates[dimension] == nullptr ? zeros : f.coordinates[dimension];
    if (f.integers) {
        for (unsigned i = 0; i < plane_lanes; ++i) to.lower[i] = static_cast<std::int32_t>(from[i]);
        return fold_lanes(to.lower, size, mode);
    }
    alignas(64) double x[plane_lanes];
    texel_coordinates(from, static_cast<std::uint32_t>(size), mode, normalised, x);
    if (!linear) {
        for (unsigned i = 0; i < plane_lanes; ++i)
            to.lower[i] = static_cast<std::int32_t>(std::floor(x[i]));
        return fold_lanes(to.lower, size, mode);
    }
    // The fraction has 8 bits: the 1.8 fixed-point format of the guide.
    for (unsigned i = 0; i < plane_lanes; ++i) {
        const double fixed = std::floor((x[i] - 0.5) * 256 + 0.5) / 256;
        const double whole = std::floor(fixed);
        to.fraction[i] = fixed - whole;
        to.lower[i] = static_cast<std::int32_t>(whole);
        to.upper[i] = static_cast<std::int32_t>(whole) + 1;
    }
    const bool below = fold_lanes(to.lower, size, mode);
    return fold_lanes(to.upper, size, mode) || below;
}

inline void plane_offsets(const mip_level& level, unsigned bytes, const std::int32_t* x,
                          const std::int32_t* y, std::uint64_t* to) {
    for (unsigned i = 0; i < plane_lanes; ++i)
        to[i] = level.offset + static_cast<std::uint32_t>(x[i]) * std::uint64_t{bytes};
    if (y == nullptr) return;
    // Pitches of images fit in 32 bits, as checked by fetch_plane().
    const auto pitch = static_cast<std::uint32_t>(level.row_pitch);
    for (unsigned i = 0; i < plane_lanes; ++i)
        to[i] += std::uint64_t{static_cast<std::uint32_t>(y[i])} * pitch;
}

/// Reads texels of 32-bit channels, unchanged.
struct read_words {
    template <unsigned channels>
    static void apply(const plane_fetch&, const std::byte* texels, const std::uint64_t* offset,
                      std::uint32_t (*to)[plane_lanes]) {
        for (unsigned i = 0; i < plane_lanes; ++i) {
            std::uint32_t texel[channels];
            std::memcpy(texel, texels + offset[i], sizeof texel);
            for (unsigned c = 0; c < channels; ++c) to[c][i] = texel[c];
        }
    }
};

/// Reads texels of unsigned bytes, as integers or as 0 .. 1.
struct read_bytes {
    template <unsigned channels>
    static void apply(const plane_fetch& f, const std::byte* texels, const std::uint64_t* offset,
                      std::uint32_t (*to)[plane_lanes]) {
        for (unsigned i = 0; i < plane_lanes; ++i) {
            std::uint8_t texel[channels];
            std::memcpy(texel, texels + offset[i], sizeof texel);
            for (unsigned c = 0; c < channels; ++c) to[c][i] = texel[c];
        }
        if (!f.sampler->normalised_read) return;
        for (unsigned c = 0; c < channels; ++c)
            for (unsigned i = 0; i < plane_lanes; ++i)
                to[c][i] = as_bits(static_cast<float>(to[c][i] / 255.0));
    }
};

/// Reads texels of f16.
struct read_halves {
    template <unsigned channels>
    static void apply(const plane_fetch&, const std::byte* texels, const std::uint64_t* offset,
                      std::uint32_t (*to)[plane_lanes]) {
        for (unsigned i = 0; i < plane_lanes; ++i) {
            std::uint16_t texel[channels];
            std::memcpy(texel, texels + offset[i], sizeof texel);
            for (unsigned c = 0; c < channels; ++c) to[c][i] = widen_half<f16>(texel[c]);
        }
    }
};

/// A fetch in which no lane reads the border.
template <class Reader, unsigned channels>
void fetch_texels(plane_fetch& f, const plane_axis* axes, unsigned dimensions, bool linear,
                  std::uint32_t one) {
    const mip_level& level = f.image->levels.front();
    const unsigned bytes = f.image->format.bytes();
    f.texels_read = linear ? 1u << dimensions : 1;
    plane_offsets(level, bytes, axes[0].lower, dimensions == 2 ? axes[1].lower : nullptr,
                  f.offset[0]);
    if (!linear) {
        Reader::template apply<channels>(f, f.texels, f.offset[0], f.value);
    } else {
        alignas(64) double sum[channels][plane_lanes] = {};
        for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
            const bool right = (corner & 1) != 0, down = (corner & 2) != 0;
            alignas(64) std::uint32_t texel[channels][plane_lanes];
            plane_offsets(level, bytes, right ? axes[0].upper : axes[0].lower,
                          dimensions == 1 ? nullptr
                          : down          ? axes[1].upper
                                          : axes[1].lower,
                          f.offset[corner]);
            Reader::template apply<channels>(f, f.texels, f.offset[corner], texel);
            alignas(64) double weight[plane_lanes];
            for (unsigned i = 0; i < plane_lanes; ++i)
                weight[i] = right ? axes[0].fraction[i] : 1 - axes[0].fraction[i];
            if (dimensions == 2)
                for (unsigned i = 0; i < plane_lanes; ++i)
                    weight[i] *= down ? axes[1].fraction[i] : 1 - axes[1].fraction[i];
            // A texel with weight 0 must not contribute, even if it is infinite.
            for (unsigned c = 0; c < channels; ++c)
                for (unsigned i = 0; i < plane_lanes; ++i) {
                    const double product = static_cast<double>(as_float(texel[c][i])) * weight[i];
                    sum[c][i] += weight[i] == 0 ? 0 : product;
                }
        }
        for (unsigned c = 0; c < channels; ++c)
            for (unsigned i = 0; i < plane_lanes; ++i)
                f.value[c][i] = finish<f32, plain>(as_bits(static_cast<float>(sum[c][i])));
    }
    for (unsigned c = channels; c < 4; ++c)
        for (unsigned i = 0; i < plane_lanes; ++i) f.value[c][i] = c == 3 ? one : 0;
}

template <class Reader>
void fetch_channels(plane_fetch& f, const plane_axis* axes, unsigned dimensions, bool linear,
                    std::uint32_t one) {
    switch (f.image->format.channels) {
        case 1:
            return fetch_texels<Reader, 1>(f, axes, dimensions, linear, one);
        case 2:
            return fetch_texels<Reader, 2>(f, axes, dimensions, linear, one);
        case 3:
            return fetch_texels<Reader, 3>(f, axes, dimensions, linear, one);
        default:
            return fetch_texels<Reader, 4>(f, axes, dimensions, linear, one);
    }
}

}  // namespace detail

/// Whether fetch_plane() supports an image with a sampler.
inline bool is_plane(const texture_image& image, const sampler_state& sampler) {
    if (image.levels.size() != 1 ||
        (image.geometry != texture_geometry::one && image.geometry != texture_geometry::two))
        return false;
    const mip_level& level = image.levels.front();
    if ((level.row_pitch | level.width | level.height) >> 31 != 0) return false;
    const texel_format& format = image.format;
    if (format.bits == 32) return true;
    if (format.kind == channel_kind::floating) return true;
    return format.bits == 8 && format.kind == channel_kind::unsigned_integer && !sampler.srgb;
}

/// The value of a fetch for every lane: filter_texels() of texture_footprint(). All 32 lanes must
/// have coordinates, which may be arbitrary for inactive lanes.
/// @return false: a lane reads the border, and nothing has been computed
inline bool fetch_plane(plane_fetch& f) {
    const texel_format& format = f.image->format;
    const bool floats = reads_as_float(format, *f.sampler);
    const bool linear = !f.integers && f.sampler->filter == filter_mode::linear && floats;
    const unsigned dimensions = f.image->geometry == texture_geometry::one ? 1 : 2;
    detail::plane_axis axes[2];
    for (unsigned d = 0; d < dimensions; ++d)
        if (detail::make_plane_axis(f, d, linear, axes[d])) return false;
    const std::uint32_t one = floats ? f32::one : 1u;
    if (format.bits == 32)
        detail::fetch_channels<detail::read_words>(f, axes, dimensions, linear, one);
    else if (format.bits == 16)
        detail::fetch_channels<detail::read_halves>(f, axes, dimensions, linear, one);
    else
        detail::fetch_channels<detail::read_bytes>(f, axes, dimensions, linear, one);
    return true;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic
