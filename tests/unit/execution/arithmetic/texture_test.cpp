// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/texture.h"

#include "modules/execution/arithmetic/surface.h"
#include "modules/execution/arithmetic/texture_plane.h"
#include "modules/execution/arithmetic/types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace simtlm::execution::arithmetic {
namespace {

using ::testing::Test;

/// An image in memory whose texels are floats: value(x, y, slice).
template <class Value>
struct float_image {
    texture_image image;
    std::vector<float> texels;

    float_image(texture_geometry geometry, std::uint32_t width, std::uint32_t height,
                std::uint32_t slices, Value value) {
        image.geometry = geometry;
        const bool volume = geometry == texture_geometry::three;
        image.layers = volume ? 1 : slices;
        image.levels.push_back(
            {width, height, volume ? slices : 1, 0, width * 4ull, width * height * 4ull});
        for (std::uint32_t z = 0; z < slices; ++z) {
            for (std::uint32_t y = 0; y < height; ++y) {
                for (std::uint32_t x = 0; x < width; ++x) {
                    texels.push_back(static_cast<float>(value(x, y, z)));
                }
            }
        }
    }
    const std::byte* at(std::uint64_t offset) const {
        return reinterpret_cast<const std::byte*>(texels.data()) + offset;
    }
    float sample(const sampler_state& sampler, std::array<float, 3> where, std::uint32_t layer = 0,
                 float level = 0) const {
        texture_coordinates coordinates;
        coordinates.at = where;
        coordinates.layer = layer;
        coordinates.level = level;
        const auto footprint = texture_footprint(image, sampler, coordinates);
        return as_float(filter_texels(image, sampler, footprint,
                                      [this](std::uint64_t offset) { return at(offset); })[0]);
    }
};

constexpr auto one = texture_geometry::one, two = texture_geometry::two;

sampler_state sampler(filter_mode filter, address_mode mode, bool normalised) {
    sampler_state s;
    s.filter = filter;
    s.address = {mode, mode, mode};
    s.normalised_coordinates = normalised;
    return s;
}

TEST(TexturePoint, SelectsTheTexelThatContainsTheCoordinate) {
    const float_image ramp(one, 8, 1, 1, [](int x, int, int) { return 10 + x; });
    const auto clamp = sampler(filter_mode::point, address_mode::clamp, false);
    EXPECT_EQ(ramp.sample(clamp, {0, 0, 0}), 10);
    EXPECT_EQ(ramp.sample(clamp, {0.999f, 0, 0}), 10);
    EXPECT_EQ(ramp.sample(clamp, {1, 0, 0}), 11);
    EXPECT_EQ(ramp.sample(clamp, {-5, 0, 0}), 10);
    EXPECT_EQ(ramp.sample(clamp, {1e30f, 0, 0}), 17);
    EXPECT_EQ(ramp.sample(clamp, {NAN, 0, 0}), 10);
    const auto border = sampler(filter_mode::point, address_mode::border, false);
    EXPECT_EQ(ramp.sample(border, {7.5f, 0, 0}), 17);
    EXPECT_EQ(ramp.sample(border, {8, 0, 0}), 0);
    EXPECT_EQ(ramp.sample(border, {-0.1f, 0, 0}), 0);
}

TEST(TexturePoint, WrapsAndMirrorsNormalisedCoordinates) {
    const float_image ramp(one, 8, 1, 1, [](int x, int, int) { return 10 + x; });
    const auto wrap = sampler(filter_mode::point, address_mode::wrap, true);
    const auto mirror = sampler(filter_mode::point, address_mode::mirror, true);
    for (int period = -3; period <= 3; ++period) {
        for (int x = 0; x < 8; ++x) {
            const float at = static_cast<float>(period) + (static_cast<float>(x) + 0.5f) / 8;
            EXPECT_EQ(ramp.sample(wrap, {at, 0, 0}), 10 + x);
            EXPECT_EQ(ramp.sample(mirror, {at, 0, 0}), period % 2 == 0 ? 10 + x : 17 - x);
        }
    }
    // Without normalised coordinates, both behave as clamp.
    const auto unnormalised = sampler(filter_mode::point, address_mode::wrap, false);
    EXPECT_EQ(ramp.sample(unnormalised, {9, 0, 0}), 17);
}

TEST(TextureLinear, InterpolatesWithEightBitsOfFraction) {
    const float_image step(one, 4, 1, 1, [](int x, int, int) { return x >= 2 ? 256 : 0; });
    const auto linear = sampler(filter_mode::linear, address_mode::clamp, false);
    for (int i = 0; i <= 1024; ++i) {  // from the centre of texel 1 to that of texel 2
        const float x = 1.5f + static_cast<float>(i) / 1024;
        EXPECT_EQ(step.sample(linear, {x, 0, 0}), std::floor(i / 4.0 + 0.5)) << x;
    }
    EXPECT_EQ(step.sample(linear, {0, 0, 0}), 0) << "clamped on both sides";
    EXPECT_EQ(step.sample(linear, {4, 0, 0}), 256);
    const auto border = sampler(filter_mode::linear, address_mode::border, false);
    EXPECT_EQ(step.sample(border, {4, 0, 0}), 128) << "half of it is border";
    const auto wrap = sampler(filter_mode::linear, address_mode::wrap, true);
    EXPECT_EQ(step.sample(wrap, {0, 0, 0}), 128) << "between the last and the first texel";
    const auto mirror = sampler(filter_mode::linear, address_mode::mirror, true);
    EXPECT_EQ(step.sample(mirror, {1, 0, 0}), 256);
}

TEST(TextureLinear, IsBilinearAndTrilinear) {
    const auto plane = [](int x, int y, int z) { return 100 * x + 10 * y + z; };
    const auto linear = sampler(filter_mode::linear, address_mode::clamp, false);
    const float_image flat(two, 4, 4, 1, plane);
    EXPECT_FLOAT_EQ(flat.sample(linear, {1.75f, 2.5f, 0}), 125 + 20);
    EXPECT_FLOAT_EQ(flat.sample(linear, {2.0f, 1.25f, 0}), 150 + 7.5f);
    const float_image volume(texture_geometry::three, 4, 4, 4, plane);
    EXPECT_FLOAT_EQ(volume.sample(linear, {2.0f, 1.25f, 3.25f}), 150 + 7.5f + 2.75f);
    const float_image layers(texture_geometry::layered_two, 4, 4, 3, plane);
    EXPECT_FLOAT_EQ(layers.sample(linear, {2.0f, 1.25f, 0}, 2), 150 + 7.5f + 2);
    EXPECT_FLOAT_EQ(layers.sample(linear, {2.0f, 1.25f, 0}, 9), 150 + 7.5f + 2) << "clamped layer";
}

TEST(TextureLevels, AreChosenByLodAndInterpolated) {
    float_image pyramid(two, 4, 4, 1, [](int, int, int) { return 0; });
    for (const float value : {8.0f, 16.0f}) {
        const std::uint32_t size = value == 8.0f ? 2 : 1;
        pyramid.image.levels.push_back(
            {size, size, 1, pyramid.texels.size() * 4, size * 4ull, size * size * 4ull});
        pyramid.texels.insert(pyramid.texels.end(), size * size, value);
    }
    auto s = sampler(filter_mode::point, address_mode::clamp, true);
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 0.4f), 0);
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 0.6f), 8);
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 7), 16);
    s.mip_filter = filter_mode::linear;
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 0.5f), 4);
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 1.25f), 10);
    s.lod_bias = 0.5f;
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 0.5f), 8);
    s.max_lod = 0.25f;
    EXPECT_EQ(pyramid.sample(s, {0.5f, 0.5f, 0}, 0, 0.5f), 2);
    EXPECT_EQ(gradient_level(pyramid.image, s, {0.5f, 0, 0}, {0, 1, 0}), 2);
    EXPECT_EQ(gradient_level(pyramid.image, s, {0, 0, 0}, {0, 0, 0}), 0);
}

TEST(TextureGather, ReturnsFourTexelsAnticlockwise) {
    const float_image flat(two, 4, 4, 1, [](int x, int y, int) { return 10 * x + y; });
    const auto s = sampler(filter_mode::point, address_mode::clamp, false);
    texture_coordinates coordinates;
    coordinates.at = {2.0f, 3.0f, 0};
    const auto value = gather_texels(flat.image, s, gather_footprint(flat.image, s, coordinates), 0,
                                     [&](std::uint64_t offset) { return flat.at(offset); });
    EXPECT_EQ(as_float(value[0]), 13);
    EXPECT_EQ(as_float(value[1]), 23);
    EXPECT_EQ(as_float(value[2]), 22);
    EXPECT_EQ(as_float(value[3]), 12);
}

TEST(TextureCube, SelectsTheFaceOfTheLargestCoordinate) {
    const auto expect = [](std::array<float, 3> direction, unsigned face, float s, float t) {
        const auto place = cube_face(direction[0], direction[1], direction[2]);
        EXPECT_EQ(place.face, face);
        EXPECT_FLOAT_EQ(place.s, s);
        EXPECT_FLOAT_EQ(place.t, t);
    };
    expect({2, 1, 0.5f}, 0, 0.375f, 0.25f);
    expect({-2, 1, 0.5f}, 1, 0.625f, 0.25f);
    expect({1, 2, 0.5f}, 2, 0.75f, 0.625f);
    expect({1, -2, 0.5f}, 3, 0.75f, 0.375f);
    expect({1, 0.5f, 2}, 4, 0.75f, 0.375f);
    expect({1, 0.5f, -2}, 5, 0.25f, 0.375f);
    const float_image cube(texture_geometry::layered_cube, 2, 2, 12,
                           [](int x, int y, int z) { return 100 * z + 10 * y + x; });
    auto image = cube;
    image.image.layers = 2;
    const auto s = sampler(filter_mode::point, address_mode::clamp, true);
    EXPECT_EQ(image.sample(s, {1, 0.5f, -2}, 1), 100 * 11 + 0 * 10 + 0);
}

TEST(TexelFormats, ReadAsIntegersOrNormalisedFloats) {
    const std::uint8_t bytes[4] = {0, 255, 128, 51};
    const auto* memory = reinterpret_cast<const std::byte*>(bytes);
    sampler_state s;
    const texel_format u8x4{channel_kind::unsigned_integer, 8, 4};
    const texel_format s8x4{channel_kind::signed_integer, 8, 4};
    const texel_format u8x2{channel_kind::unsigned_integer, 8, 2};
    EXPECT_EQ(decode_texel(u8x4, s, memory), (texel_value{0, 255, 128, 51}));
    EXPECT_EQ(decode_texel(s8x4, s, memory), (texel_value{0, ~0u, 0xffffff80, 51}));
    EXPECT_EQ(decode_texel(u8x2, s, memory), (texel_value{0, 255, 0, 1}));
    s.normalised_read = true;
    EXPECT_EQ(decode_texel(u8x4, s, memory),
              (texel_value{0, f32::one, as_bits(128.0f / 255), as_bits(51.0f / 255)}));
    EXPECT_EQ(decode_texel(s8x4, s, memory),
              (texel_value{0, as_bits(-1.0f / 127), as_bits(-1.0f), as_bits(51.0f / 127)}));
    EXPECT_EQ(decode_texel(u8x2, s, memory), (texel_value{0, f32::one, 0, f32::one}));
    const texel_format u32x1{channel_kind::unsigned_integer, 32, 1};
    EXPECT_EQ(decode_texel(u32x1, s, memory)[0], 0x3380ff00u) << "32 bits never normalise";
    s.srgb = true;
    EXPECT_NEAR(as_float(decode_texel(u8x4, s, memory)[2]), 0.21586f, 1e-5);
    EXPECT_EQ(decode_texel(u8x4, s, memory)[3], as_bits(51.0f / 255)) << "alpha is linear";
    const std::uint16_t halves[2] = {0x3c00, 0xc000};
    const texel_format f16x2{channel_kind::floating, 16, 2};
    EXPECT_EQ(decode_texel(f16x2, s, reinterpret_cast<const std::byte*>(halves)),
              (texel_value{f32::one, as_bits(-2.0f), 0, f32::one}));
}

TEST(TexelFormats, IntegersAreNeverFiltered) {
    texture_image image;
    image.format = {channel_kind::unsigned_integer, 32, 1};
    image.levels.push_back({4, 4, 1, 0, 16, 64});
    texture_coordinates coordinates;
    coordinates.at = {1, 1, 0};
    const auto linear = sampler(filter_mode::linear, address_mode::clamp, false);
    EXPECT_EQ(texture_footprint(image, linear, coordinates).count, 1u);
    image.format.kind = channel_kind::floating;
    EXPECT_EQ(texture_footprint(image, linear, coordinates).count, 4u);
    coordinates.integers = true;
    coordinates.index = {3, 2, 0};
    const auto footprint = texture_footprint(image, linear, coordinates);
    EXPECT_EQ(footprint.count, 1u);
    EXPECT_EQ(footprint.reads[0].offset, 2 * 16u + 3 * 4u);
}

texture_image surface_2d() {
    texture_image image;
    image.format = {channel_kind::unsigned_integer, 16, 2};
    image.levels.push_back({8, 4, 1, 0, 64, 256});
    return image;
}

TEST(Surfaces, AddressByBytesOrElements) {
    const auto image = surface_2d();
    const auto by_bytes = surface_address(image, {12, 2, 0}, 0, true, 4, surface_clamp::trap);
    EXPECT_EQ(by_bytes.offset, 2 * 64u + 12);
    EXPECT_TRUE(by_bytes.inside);
    const auto by_elements = surface_address(image, {3, 2, 0}, 0, false, 4, surface_clamp::trap);
    EXPECT_EQ(by_elements.offset, by_bytes.offset);
    EXPECT_EQ(surface_address(image, {28, 3, 7}, 0, true, 4, surface_clamp::trap).offset, 220u);
}

TEST(Surfaces, TrapClampOrIgnoreCoordinatesOutside) {
    const auto image = surface_2d();
    EXPECT_TRUE(surface_address(image, {32, 0, 0}, 0, true, 4, surface_clamp::trap).trap);
    EXPECT_TRUE(surface_address(image, {29, 0, 0}, 0, true, 4, surface_clamp::trap).trap);
    const auto zero = surface_address(image, {0, 4, 0}, 0, true, 4, surface_clamp::zero);
    EXPECT_FALSE(zero.inside);
    EXPECT_FALSE(zero.trap);
    const auto clamped = surface_address(image, {100, -1, 0}, 0, true, 4, surface_clamp::clamp);
    EXPECT_TRUE(clamped.inside);
    EXPECT_EQ(clamped.offset, 28u);
}

TEST(Surfaces, RoundTripEncodedValues) {
    std::byte texel[16];
    sampler_state s;
    const texel_format u16x2{channel_kind::unsigned_integer, 16, 2};
    encode_texel(u16x2, {70000, 5, 0, 0}, texel);
    EXPECT_EQ(decode_texel(u16x2, s, texel), (texel_value{65535, 5, 0, 1}));
    const texel_format s8x1{channel_kind::signed_integer, 8, 1};
    encode_texel(s8x1, {static_cast<std::uint32_t>(-300), 0, 0, 0}, texel);
    EXPECT_EQ(decode_texel(s8x1, s, texel)[0], static_cast<std::uint32_t>(-128));
    const texel_format f16x4{channel_kind::floating, 16, 4};
    encode_texel(f16x4, {f32::one, as_bits(0.1f), 0, as_bits(-2.0f)}, texel);
    EXPECT_EQ(decode_texel(f16x4, s, texel)[0], f32::one);
    EXPECT_EQ(as_float(decode_texel(f16x4, s, texel)[1]), 0.0999755859375f);
}

/// Random texels of any format; floating-point formats contain numbers from 0 to 1.
std::vector<std::byte> bytes_of(const texel_format& format, std::size_t count) {
    std::mt19937 random(7);
    std::vector<std::byte> bytes(count * format.bytes());
    for (std::size_t i = 0; i < bytes.size(); i += format.bits / 8u) {
        const float value = static_cast<float>(random() % 1024) / 1024;
        const std::uint32_t word = format.bits == 32   ? as_bits(value)
                                   : format.bits == 16 ? 0x3800u + random() % 1024
                                                       : random() % 256;
        std::memcpy(&bytes[i], &word, format.bits / 8u);
    }
    return bytes;
}

texel_value fetch_alone(const texture_image& image, const sampler_state& s,
                        const std::vector<std::byte>& texels, const texture_coordinates& at) {
    return filter_texels(image, s, texture_footprint(image, s, at),
                         [&](std::uint64_t offset) { return texels.data() + offset; });
}

/// Fetches 32 lanes at once and individually, inside and outside of the image, and expects equal
/// results.
void expect_plane_as_alone(texture_geometry geometry, const texel_format& format,
                           const sampler_state& s, bool integers) {
    constexpr std::uint32_t width = 13, height = 6;
    texture_image image;
    image.geometry = geometry;
    image.format = format;
    const std::uint32_t rows = geometry == two ? height : 1;
    image.levels.push_back({width, rows, 1, 0, width * format.bytes(), 0});
    const std::vector<std::byte> texels = bytes_of(format, std::size_t{width} * rows);
    ASSERT_TRUE(is_plane(image, s));
    std::mt19937 random(11);
    for (unsigned round = 0; round < 40; ++round) {
        alignas(64) std::uint32_t words[2][plane_lanes];
        for (auto& dimension : words) {
            for (std::uint32_t& word : dimension) {
                const double range = round % 4 == 0 ? 1e10 : s.normalised_coordinates ? 3 : 30;
                const double x = (random() / 4294967296.0 - 0.4) * range;
                word = integers ? static_cast<std::uint32_t>(static_cast<std::int64_t>(x))
                                : as_bits(static_cast<float>(x));
            }
            if (!integers && round == 5) {
                dimension[3] = as_bits(std::numeric_limits<float>::quiet_NaN());
                dimension[4] = as_bits(std::numeric_limits<float>::infinity());
                dimension[5] = as_bits(-std::numeric_limits<float>::infinity());
            }
        }
        plane_fetch f;
        f.image = &image;
        f.sampler = &s;
        f.texels = texels.data();
        f.coordinates[0] = words[0];
        f.coordinates[1] = words[1];
        f.integers = integers;
        if (!fetch_plane(f)) {
            EXPECT_EQ(s.address[0], address_mode::border);
            continue;
        }
        for (unsigned lane = 0; lane < plane_lanes; ++lane) {
            texture_coordinates at;
            at.integers = integers;
            for (unsigned d = 0; d < 2; ++d) {
                at.at[d] = as_float(words[d][lane]);
                at.index[d] = static_cast<std::int32_t>(words[d][lane]);
            }
            const texel_value expected = fetch_alone(image, s, texels, at);
            for (unsigned c = 0; c < 4; ++c)
                ASSERT_EQ(f.value[c][lane], expected[c]) << "lane " << lane << " channel " << c;
            const texel_footprint footprint = texture_footprint(image, s, at);
            ASSERT_EQ(f.texels_read, footprint.count);
            for (unsigned t = 0; t < footprint.count; ++t)
                ASSERT_EQ(f.offset[t][lane], footprint.reads[t].offset);
        }
    }
}

TEST(TexturePlane, FetchesForAWarpWhatItsLanesFetchIndividually) {
    const texel_format formats[] = {
        {channel_kind::floating, 32, 1},         {channel_kind::floating, 32, 4},
        {channel_kind::floating, 16, 2},         {channel_kind::unsigned_integer, 8, 4},
        {channel_kind::unsigned_integer, 32, 1}, {channel_kind::signed_integer, 32, 2}};
    for (const texel_format& format : formats)
        for (const auto geometry : {one, two})
            for (const auto filter : {filter_mode::point, filter_mode::linear})
                for (const auto mode : {address_mode::wrap, address_mode::clamp,
                                        address_mode::mirror, address_mode::border})
                    for (const bool normalised : {false, true}) {
                        sampler_state s = sampler(filter, mode, normalised);
                        expect_plane_as_alone(geometry, format, s, false);
                        expect_plane_as_alone(geometry, format, s, true);
                        s.normalised_read = format.bits == 8;
                        if (s.normalised_read) expect_plane_as_alone(geometry, format, s, false);
                        if (HasFatalFailure()) return;
                    }
}

}  // namespace
}  // namespace simtlm::execution::arithmetic
