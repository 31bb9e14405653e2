// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/texture.h"

#include "modules/execution/arithmetic/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace simtlm::execution::arithmetic {
namespace {

unsigned dimensions_of(texture_geometry geometry) {
    switch (geometry) {
        case texture_geometry::one:
        case texture_geometry::layered_one:
            return 1;
        case texture_geometry::three:
            return 3;
        default:
            return 2;
    }
}

bool is_cube(texture_geometry geometry) {
    return geometry == texture_geometry::cube || geometry == texture_geometry::layered_cube;
}

std::uint32_t size_of(const mip_level& level, unsigned dimension) {
    return dimension == 0 ? level.width : dimension == 1 ? level.height : level.depth;
}

/// Maps a texel index to 0 .. size - 1; -1 for the border.
std::int64_t fold(std::int64_t index, std::uint32_t size, address_mode mode) {
    const std::int64_t n = size;
    if (static_cast<std::uint64_t>(index) < size) return index;  // in every mode
    const auto modulo = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
    switch (mode) {
        case address_mode::wrap:
            return modulo(index, n);
        case address_mode::mirror: {
            const std::int64_t within = modulo(index, 2 * n);
            return within < n ? within : 2 * n - 1 - within;
        }
        case address_mode::border:
            return index < 0 || index >= n ? -1 : index;
        default:
            return std::clamp<std::int64_t>(index, 0, n - 1);
    }
}

/// One dimension of a fetch: one texel, or two neighbours with the weight of the upper one in
/// 1/256.
struct axis {
    std::int64_t lower = 0, upper = 0;
    unsigned fraction = 0;
};

/// Clamps coordinates far outside of every texture, and maps NaN to 0.
double tame(double x) {
    return std::isnan(x) ? 0.0 : std::clamp(x, -1e9, 1e9);
}

/// For wrap and mirror, the integer part is removed while coordinates are still normalised, as
/// specified in the guide, so that large coordinates keep their precision.
double texel_coordinate(float coordinate, std::uint32_t size, address_mode mode, bool normalised) {
    if (!normalised) return tame(coordinate);
    double x = coordinate;
    if (mode == address_mode::wrap && std::isfinite(x)) x -= std::floor(x);
    if (mode == address_mode::mirror && std::isfinite(x)) x -= 2 * std::floor(x / 2);
    return tame(x * size);
}

axis make_axis(float coordinate, std::int32_t offset, std::uint32_t size, address_mode mode,
               bool normalised, bool linear) {
    const double x = texel_coordinate(coordinate, size, mode, normalised);
    axis result;
    if (linear) {
        // The fraction has 8 bits: the 1.8 fixed-point format of the guide.
        const auto fixed = static_cast<std::int64_t>(std::floor((x - 0.5) * 256 + 0.5));
        result.lower = fold((fixed >> 8) + offset, size, mode);
        result.upper = fold((fixed >> 8) + offset + 1, size, mode);
        result.fraction = static_cast<unsigned>(fixed & 255);
    } else {
        result.lower = result.upper =
            fold(static_cast<std::int64_t>(std::floor(x)) + offset, size, mode);
    }
    return result;
}

/// A fetch within one level and slice.
struct level_fetch {
    std::array<axis, 3> axes;
    unsigned dimensions = 1;
    std::uint64_t slice = 0;
    bool linear = false;
};

address_mode effective_mode(const sampler_state& sampler, unsigned dimension, bool normalised) {
    const address_mode mode = sampler.address[dimension];
    const bool periodic = mode == address_mode::wrap || mode == address_mode::mirror;
    return periodic && !normalised ? address_mode::clamp : mode;
}

level_fetch fetch_of(const texture_image& image, const sampler_state& sampler,
                     const texture_coordinates& coordinates, const mip_level& level, bool linear) {
    level_fetch fetch;
    fetch.dimensions = dimensions_of(image.geometry);
    fetch.linear = linear && !coordinates.integers;
    const std::uint32_t layer = std::min(coordinates.layer, std::max(1u, image.layers) - 1);
    std::array<float, 3> at = coordinates.at;
    bool normalised = sampler.normalised_coordinates && !coordinates.integers;
    fetch.slice = layer;
    if (is_cube(image.geometry)) {
        const cube_place place = cube_face(at[0], at[1], at[2]);
        fetch.slice = std::uint64_t{layer} * 6 + place.face;
        at = {place.s, place.t, 0};
        normalised = true;
    }
    for (unsigned d = 0; d < fetch.dimensions; ++d) {
        const address_mode mode =
            is_cube(image.geometry) ? address_mode::clamp : effective_mode(sampler, d, normalised);
        const std::uint32_t size = size_of(level, d);
        if (coordinates.integers) {
            fetch.axes[d].lower = fetch.axes[d].upper =
                fold(std::int64_t{coordinates.index[d]} + coordinates.offset[d], size, mode);
        } else {
            fetch.axes[d] =
                make_axis(at[d], coordinates.offset[d], size, mode, normalised, fetch.linear);
        }
    }
    return fetch;
}

/// The texel at a corner: bit d of `corner` selects the upper neighbour along dimension d.
texel_read corner_read(const texture_image& image, const mip_level& level, const level_fetch& fetch,
                       unsigned corner) {
    texel_read read;
    std::array<std::int64_t, 3> index{0, 0, 0};
    double weight = 1;
    for (unsigned d = 0; d < fetch.dimensions; ++d) {
        const bool upper = (corner >> d & 1) != 0;
        const axis& along = fetch.axes[d];
        index[d] = upper ? along.upper : along.lower;
        weight *= (upper ? along.fraction : 256 - along.fraction) / 256.0;
        if (index[d] < 0) read.border = true;
    }
    read.weight = static_cast<float>(weight);
    if (!read.border) {
        const std::uint64_t slice =
            fetch.dimensions == 3 ? static_cast<std::uint64_t>(index[2]) : fetch.slice;
        read.offset = level.offset + slice * level.slice_pitch +
                      static_cast<std::uint64_t>(index[1]) * level.row_pitch +
                      static_cast<std::uint64_t>(index[0]) * image.format.bytes();
    }
    return read;
}

/// Adds the weighted texels of one level.
void add_level(texel_footprint& footprint, const texture_image& image, const sampler_state& sampler,
               const texture_coordinates& coordinates, unsigned level, bool linear, float weight) {
    const mip_level& chosen = image.levels[level];
    const level_fetch fetch = fetch_of(image, sampler, coordinates, chosen, linear);
    const unsigned corners = fetch.linear ? 1u << fetch.dimensions : 1;
    for (unsigned corner = 0; corner < corners; ++corner) {
        texel_read read = corner_read(image, chosen, fetch, corner);
        read.weight *= weight;
        footprint.reads[footprint.count++] = read;
    }
}

float channel(const texel_format& format, const std::byte* at) {
    if (format.bits == 16) {
        std::uint16_t half;
        std::memcpy(&half, at, sizeof half);
        return as_float(detail::widen_half<f16>(half));
    }
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

std::int64_t integer_channel(const texel_format& format, const std::byte* at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, format.bits / 8);  // little-endian, as on the GPU
    if (format.kind == channel_kind::unsigned_integer) return bits;
    return static_cast<std::int32_t>(bits << (32 - format.bits)) >> (32 - format.bits);
}

float from_srgb(float value) {
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

float normalised_channel(const texel_format& format, std::int64_t value) {
    if (format.kind == channel_kind::unsigned_integer) {
        return static_cast<float>(static_cast<double>(value) / ((1u << format.bits) - 1));
    }
    const double limit = (1 << (format.bits - 1)) - 1;
    return static_cast<float>(std::max(static_cast<double>(value) / limit, -1.0));
}

}  // namespace

bool reads_as_float(const texel_format& format, const sampler_state& sampler) {
    return format.kind == channel_kind::floating || (sampler.normalised_read && format.bits < 32);
}

cube_place cube_face(float x, float y, float z) {
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    cube_place place;
    float major = 0, s = 0, t = 0;
    if (ax >= ay && ax >= az) {
        place.face = std::signbit(x) ? 1 : 0;
        major = ax;
        s = std::signbit(x) ? z : -z;
        t = -y;
    } else if (ay >= az) {
        place.face = std::signbit(y) ? 3 : 2;
        major = ay;
        s = x;
        t = std::signbit(y) ? -z : z;
    } else {
        place.face = std::signbit(z) ? 5 : 4;
        major = az;
        s = std::signbit(z) ? -x : x;
        t = -y;
    }
    place.s = (s / major + 1) / 2;
    place.t = (t / major + 1) / 2;
    return place;
}

texel_footprint texture_footprint(const texture_image& image, const sampler_state& sampler,
                                  const texture_coordinates& coordinates) {
    texel_footprint footprint;
    const auto last = static_cast<float>(image.levels.size() - 1);
    const bool linear =
        sampler.filter == filter_mode::linear && reads_as_float(image.format, sampler);
    float level = coordinates.level;
    if (!coordinates.integers && image.levels.size() > 1) {
        level = std::clamp(level + sampler.lod_bias, sampler.min_lod,
                           std::max(sampler.min_lod, sampler.max_lod));
    }
    level = level > 0 ? std::min(level, last) : 0;  // also maps NaN to 0
    const bool between = sampler.mip_filter == filter_mode::linear && !coordinates.integers &&
                         reads_as_float(image.format, sampler);
    if (!between) {
        const auto nearest = static_cast<unsigned>(std::floor(level + 0.5f));
        add_level(footprint, image, sampler, coordinates, nearest, linear, 1);
        return footprint;
    }
    const auto fixed = static_cast<unsigned>(std::floor(level * 256 + 0.5f));
    const unsigned lower = fixed / 256, fraction = fixed % 256;
    add_level(footprint, image, sampler, coordinates, lower, linear,
              static_cast<float>(256 - fraction) / 256);
    if (fraction != 0) {
        add_level(footprint, image, sampler, coordinates, lower + 1, linear,
                  static_cast<float>(fraction) / 256);
    }
    return footprint;
}

texel_footprint gather_footprint(const texture_image& image, const sampler_state& sampler,
                                 const texture_coordinates& coordinates) {
    const mip_level& level = image.levels.front();
    const level_fetch fetch = fetch_of(image, sampler, coordinates, level, true);
    texel_footprint footprint;
    for (const unsigned corner : {2u, 3u, 1u, 0u}) {
        footprint.reads[footprint.count++] = corner_read(image, level, fetch, corner);
    }
    return footprint;
}

float gradient_level(const texture_image& image, const sampler_state& sampler,
                     const std::array<float, 3>& dx, const std::array<float, 3>& dy) {
    const unsigned dimensions = is_cube(image.geometry) ? 3 : dimensions_of(image.geometry);
    double along_x = 0, along_y = 0;
    for (unsigned d = 0; d < dimensions; ++d) {
        const double size = sampler.normalised_coordinates || is_cube(image.geometry)
                                ? size_of(image.levels.front(), is_cube(image.geometry) ? 0 : d)
                                : 1.0;
        along_x += dx[d] * size * (dx[d] * size);
        along_y += dy[d] * size * (dy[d] * size);
    }
    const double longest = std::sqrt(std::max(along_x, along_y));
    return longest > 0 ? static_cast<float>(std::log2(longest)) : 0.0f;
}

texel_value decode_texel(const texel_format& format, const sampler_state& sampler,
                         const std::byte* texel) {
    const bool floats = reads_as_float(format, sampler);
    texel_value value{0, 0, 0, floats ? f32::one : 1u};
    if (format.bits == 32) {  // 32-bit channels are never converted
        for (unsigned c = 0; c < format.channels; ++c)
            std::memcpy(&value[c], texel + c * sizeof value[c], sizeof value[c]);
        return value;
    }
    for (unsigned c = 0; c < format.channels; ++c) {
        const std::byte* at = texel + c * (format.bits / 8u);
        if (format.kind == channel_kind::floating) {
            value[c] = as_bits(channel(format, at));
            continue;
        }
        const std::int64_t integer = integer_channel(format, at);
        if (!floats) {
            value[c] = static_cast<std::uint32_t>(integer);
            continue;
        }
        const float normalised = normalised_channel(format, integer);
        const bool coded = sampler.srgb && format.bits == 8 && c < 3;
        value[c] = as_bits(coded ? from_srgb(normalised) : normalised);
    }
    return value;
}

texel_value border_value(const texel_format& format, const sampler_state& sampler) {
    texel_value value{};
    for (unsigned c = 0; c < 4; ++c) {
        value[c] = reads_as_float(format, sampler)
                       ? as_bits(sampler.border[c])
                       : static_cast<std::uint32_t>(static_cast<std::int64_t>(sampler.border[c]));
    }
    return value;
}

void texel_sum::add(const texel_value& texel, float weight) {
    // A texel with weight 0 must not contribute, even if it is infinite.
    if (weight == 0) return;
    for (unsigned c = 0; c < 4; ++c) sums_[c] += static_cast<double>(as_float(texel[c])) * weight;
}

texel_value texel_sum::value() const {
    texel_value value{};
    for (unsigned c = 0; c < 4; ++c) {
        value[c] = detail::finish<f32, plain>(as_bits(static_cast<float>(sums_[c])));
    }
    return value;
}

}  // namespace simtlm::execution::arithmetic
