// SPDX-License-Identifier: Apache-2.0
// Texture fetches: the texels that a fetch reads, their weights, and the resulting value (CUDA C++
// Programming Guide, "Texture Fetching"). Images are in memory owned by the caller: a fetch is
// first converted to byte offsets, which also determine a texture cache's timing, and then to a
// value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::execution::arithmetic {

/// Dimensions of an image; layered images are arrays of 1D images, 2D images or cubes.
enum class texture_geometry : std::uint8_t {
    one,
    two,
    three,
    layered_one,
    layered_two,
    cube,
    layered_cube,
};

/// Behaviour beyond the edge. Wrap and mirror require normalised coordinates, and behave as clamp
/// otherwise.
enum class address_mode : std::uint8_t { wrap, clamp, mirror, border };
enum class filter_mode : std::uint8_t { point, linear };
enum class channel_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

/// One to four channels of equal width: 8, 16 or 32 bits; floating-point channels have 16 or 32.
struct texel_format {
    channel_kind kind = channel_kind::floating;
    std::uint8_t bits = 32;
    std::uint8_t channels = 1;
    constexpr unsigned bytes() const { return bits / 8u * channels; }
};

/// A level of detail. Slices are the planes of a 3D texture, the layers, or the faces of a cube
/// (six per layer).
struct mip_level {
    std::uint32_t width = 1, height = 1, depth = 1;
    std::uint64_t offset = 0;  ///< bytes from the start of the image
    std::uint64_t row_pitch = 0, slice_pitch = 0;
};

/// An image: its format and its levels of detail.
struct texture_image {
    texture_geometry geometry = texture_geometry::two;
    texel_format format;
    std::uint32_t layers = 1;
    std::vector<mip_level> levels;
};

/// Parameters of a fetch that a texture or sampler object sets.
struct sampler_state {
    std::array<address_mode, 3> address{address_mode::clamp, address_mode::clamp,
                                        address_mode::clamp};
    filter_mode filter = filter_mode::point;
    filter_mode mip_filter = filter_mode::point;
    bool normalised_coordinates = false;
    bool normalised_read = false;  ///< 8-bit and 16-bit integers are read as 0..1 or -1..1
    bool srgb = false;             ///< the first three 8-bit channels are sRGB
    std::array<float, 4> border{0, 0, 0, 0};
    float lod_bias = 0, min_lod = 0, max_lod = 1000;
};

/// Coordinates of a fetch: floats, or integers (never normalised or filtered).
struct texture_coordinates {
    bool integers = false;
    std::array<float, 3> at{0, 0, 0};
    std::array<std::int32_t, 3> index{0, 0, 0};
    std::array<std::int32_t, 3> offset{0, 0, 0};  ///< in texels of the accessed level
    std::uint32_t layer = 0;
    float level = 0;  ///< level of detail; with integers, the level itself
};

/// A texel read by a fetch: its offset in bytes from the start of the image, or the border.
struct texel_read {
    std::uint64_t offset = 0;
    float weight = 1;  ///< a multiple of 2^-8 per filtered dimension
    bool border = false;
};

/// The texels of a fetch: one; two, four or eight for linear filtering; twice as many between two
/// levels of detail.
struct texel_footprint {
    unsigned count = 0;
    std::array<texel_read, 16> reads;
};

/// Four 32-bit registers: floats, or integers extended to 32 bits.
using texel_value = std::array<std::uint32_t, 4>;

/// The texels of a fetch. Linear filtering only applies if the texture is read as floats.
texel_footprint texture_footprint(const texture_image& image, const sampler_state& sampler,
                                  const texture_coordinates& coordinates);

/// The four texels of tld4, in the order of its result: (0,1), (1,1), (1,0), (0,0) in (x, y).
texel_footprint gather_footprint(const texture_image& image, const sampler_state& sampler,
                                 const texture_coordinates& coordinates);

/// Level of detail of tex.grad, from the derivatives of the coordinates along x and y of the
/// screen.
float gradient_level(const texture_image& image, const sampler_state& sampler,
                     const std::array<float, 3>& dx, const std::array<float, 3>& dy);

/// The face (+x, -x, +y, -y, +z, -z) that a direction intersects, and the coordinates on it, in
/// 0..1.
struct cube_place {
    unsigned face = 0;
    float s = 0, t = 0;
};
/// The face and the coordinates on it of a direction.
cube_place cube_face(float x, float y, float z);

/// Whether a texture is read as floats: floating-point channels, or normalised integers.
bool reads_as_float(const texel_format& format, const sampler_state& sampler);

/// Decodes a texel. Channels missing in the format are 0, 0 and 1.
texel_value decode_texel(const texel_format& format, const sampler_state& sampler,
                         const std::byte* texel);
/// The border value, in the format of decode_texel().
texel_value border_value(const texel_format& format, const sampler_state& sampler);

/// The value of a fetch. read(offset) returns a pointer to a texel.
template <class Read>
texel_value filter_texels(const texture_image& image, const sampler_state& sampler,
                          const texel_footprint& footprint, Read read);

/// The value of tld4: channel `component` of the four texels of gather_footprint().
template <class Read>
texel_value gather_texels(const texture_image& image, const sampler_state& sampler,
                          const texel_footprint& footprint, unsigned component, Read read);

// --- implementation ------------------------------------------------------------------------------

/// Weighted sum of texels; computed in double and rounded once.
class texel_sum {
public:
    void add(const texel_value& texel, float weight);
    texel_value value() const;

private:
    std::array<double, 4> sums_{0, 0, 0, 0};
};

template <class Read>
texel_value filter_texels(const texture_image& image, const sampler_state& sampler,
                          const texel_footprint& footprint, Read read) {
    const auto value = [&](const texel_read& at) {
        return at.border ? border_value(image.format, sampler)
                         : decode_texel(image.format, sampler, read(at.offset));
    };
    if (footprint.count == 1) return value(footprint.reads[0]);
    texel_sum sum;
    for (unsigned i = 0; i < footprint.count; ++i) {
        sum.add(value(footprint.reads[i]), footprint.reads[i].weight);
    }
    return sum.value();
}

template <class Read>
texel_value gather_texels(const texture_image& image, const sampler_state& sampler,
                          const texel_footprint& footprint, unsigned component, Read read) {
    texel_value result{};
    for (unsigned i = 0; i < 4; ++i) {
        const texel_read& at = footprint.reads[i];
        result[i] =
            (at.border ? border_value(image.format, sampler)
                       : decode_texel(image.format, sampler, read(at.offset)))[component & 3];
    }
    return result;
}

}  // namespace simtlm::execution::arithmetic
