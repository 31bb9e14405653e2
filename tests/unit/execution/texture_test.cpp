// SPDX-License-Identifier: Apache-2.0
// Texture fetches and surface accesses of programs, compared with the definitions of the
// programming guide, computed here texel by texel.
#include "modules/execution/state/texture_table.h"
#include "modules/execution/timed/executed_kernel.h"
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace simtlm::execution {
namespace {

using arithmetic::address_mode;
using arithmetic::filter_mode;
using arithmetic::texture_geometry;

constexpr int width = 5, height = 4, depth = 3;

/// The texel at a position; all are different.
float texel(int x, int y, int z) {
    return static_cast<float>(x + 10 * y + 100 * z);
}

/// One channel of f32, with the extents defined above.
texture_binding image_of(texture_geometry g, device_address base) {
    texture_binding b;
    b.base = base;
    b.image.geometry = g;
    arithmetic::mip_level level;
    const bool flat = g == texture_geometry::one || g == texture_geometry::layered_one;
    level.width = width;
    level.height = flat ? 1 : height;
    level.depth = g == texture_geometry::three ? depth : 1;
    level.row_pitch = width * 4;
    level.slice_pitch = level.row_pitch * level.height;
    b.image.levels = {level};
    const bool layered = g == texture_geometry::layered_one || g == texture_geometry::layered_two;
    b.image.layers = layered ? depth : 1;
    return b;
}

std::vector<float> texels(texture_geometry g) {
    const bool flat = g == texture_geometry::one || g == texture_geometry::layered_one;
    const bool deep = g != texture_geometry::one && g != texture_geometry::two;
    std::vector<float> all;
    for (int z = 0; z < (deep ? depth : 1); ++z)
        for (int y = 0; y < (flat ? 1 : height); ++y)
            for (int x = 0; x < width; ++x) all.push_back(texel(x, y, z));
    return all;
}

/// Every thread fetches at (x, y, z) of three buffers of words; the instruction uses %r or %f 1 to
/// 3.
std::string fetching(const std::string& instruction) {
    return R"(
.visible .entry k(.param .u64 image, .param .u64 at, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [at]; ld.param.u64 %rd3, [out];
  mov.u32 %r9, %tid.x; mul.wide.u32 %rd4, %r9, 12; add.u64 %rd2, %rd2, %rd4;
  ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+4]; ld.global.u32 %r3, [%rd2+8];
  mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
)" + instruction +
           R"(
  mul.wide.u32 %rd4, %r9, 16; add.u64 %rd3, %rd3, %rd4;
  st.global.v4.f32 [%rd3], {%f4, %f5, %f6, %f7};
  ret;
}
)";
}

struct place {
    std::uint32_t word[3];
};
place at(float x, float y = 0, float z = 0) {
    place p;
    const float values[] = {x, y, z};
    std::memcpy(p.word, values, sizeof p.word);
    return p;
}
place at_texel(int x, int y = 0, int z = 0) {
    return {{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
             static_cast<std::uint32_t>(z)}};
}

/// Results of all threads: four floats each.
std::vector<float> fetched(texture_geometry g, const arithmetic::sampler_state& sampler,
                           const std::string& instruction, const std::vector<place>& places) {
    machine m(fetching(instruction));
    texture_table table;
    texture_binding b = image_of(g, m.buffer(texels(g)));
    b.sampler = sampler;
    const std::uint64_t handle = table.new_handle();
    table.bind(handle, b);
    m.world.textures = &table;
    const auto where = m.buffer(places);
    const auto count = static_cast<unsigned>(places.size());
    const auto out = m.buffer(std::vector<float>(std::size_t{count} * 4, -1));
    m.run("k", {1, 1, 1}, {count, 1, 1}, handle, where, out);
    return m.read<float>(out, std::size_t{count} * 4);
}

struct geometry_case {
    const char* name;
    texture_geometry geometry;
    const char* integers;  ///< coordinates in %r
    const char* floats;    ///< in %f
};
const geometry_case geometries[] = {
    {"One", texture_geometry::one, "tex.1d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r1}];",
     "tex.1d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1}];"},
    {"Two", texture_geometry::two, "tex.2d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r1,%r2}];",
     "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2}];"},
    {"Three", texture_geometry::three,
     "tex.3d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r1,%r2,%r3,%r3}];",
     "tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2,%f3,%f3}];"},
    {"LayeredOne", texture_geometry::layered_one,
     "tex.a1d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r3,%r1}];",
     "cvt.rzi.u32.f32 %r3, %f3; tex.a1d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%r3,%f1}];"},
    {"LayeredTwo", texture_geometry::layered_two,
     "tex.a2d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r3,%r1,%r2,%r2}];",
     "cvt.rzi.u32.f32 %r3, %f3; mov.b32 %f8, %r3;"
     "tex.a2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%r3,%f1,%f2,%f2}];"},
};
bool has_y(texture_geometry g) {
    return g != texture_geometry::one && g != texture_geometry::layered_one;
}
bool has_z(texture_geometry g) {
    return g != texture_geometry::one && g != texture_geometry::two;
}

class TextureFetch : public testing::TestWithParam<geometry_case> {};
INSTANTIATE_TEST_SUITE_P(All, TextureFetch, testing::ValuesIn(geometries),
                         [](const auto& one) { return one.param.name; });

TEST_P(TextureFetch, AddressesEveryTexelByIntegerAndByItsCentre) {
    const geometry_case& c = GetParam();
    std::vector<place> integers, centres;
    std::vector<float> want;
    for (int z = 0; z < (has_z(c.geometry) ? depth : 1); ++z)
        for (int y = 0; y < (has_y(c.geometry) ? height : 1); ++y)
            for (int x = 0; x < width; ++x) {
                integers.push_back(at_texel(x, y, z));
                const float fx = static_cast<float>(x) + 0.5f, fy = static_cast<float>(y) + 0.5f;
                centres.push_back(at(fx, fy, static_cast<float>(z) + 0.5f));
                want.push_back(texel(x, y, z));
            }
    const auto by_integer = fetched(c.geometry, {}, c.integers, integers);
    const auto by_centre = fetched(c.geometry, {}, c.floats, centres);
    arithmetic::sampler_state linear;
    linear.filter = filter_mode::linear;
    const auto by_filter = fetched(c.geometry, linear, c.floats, centres);
    for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(by_integer[4 * i], want[i]) << i;
        EXPECT_EQ(by_centre[4 * i], want[i]) << i;
        EXPECT_EQ(by_filter[4 * i], want[i]) << i;
        EXPECT_EQ(by_integer[4 * i + 1], 0) << "a channel that the format lacks";
        EXPECT_EQ(by_integer[4 * i + 3], 1) << "alpha that the format lacks";
    }
}

/// The texel addressed by an index outside of the image; -1: the border.
int addressed(int i, int size, address_mode mode) {
    if (mode == address_mode::wrap) return (i % size + size) % size;
    if (mode == address_mode::mirror) {
        const int period = (i % (2 * size) + 2 * size) % (2 * size);
        return period < size ? period : 2 * size - 1 - period;
    }
    if (mode == address_mode::clamp) return std::clamp(i, 0, size - 1);
    return i < 0 || i >= size ? -1 : i;
}

TEST(TextureAddressing, AppliesEveryAddressModeBeyondTheEdges) {
    for (const address_mode mode :
         {address_mode::wrap, address_mode::mirror, address_mode::clamp, address_mode::border}) {
        arithmetic::sampler_state s;
        s.normalised_coordinates = true;
        s.address = {mode, mode, mode};
        s.border = {-7, -7, -7, -7};
        std::vector<place> places;
        std::vector<float> want;
        for (int y = -6; y < 10; ++y)
            for (int x = -7; x < 12; ++x) {
                places.push_back(at((static_cast<float>(x) + 0.5f) / width,
                                    (static_cast<float>(y) + 0.5f) / height));
                const int tx = addressed(x, width, mode), ty = addressed(y, height, mode);
                want.push_back(tx < 0 || ty < 0 ? -7 : texel(tx, ty, 0));
            }
        const auto got = fetched(texture_geometry::two, s, geometries[1].floats, places);
        for (std::size_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(got[4 * i], want[i]) << "mode " << static_cast<int>(mode) << ", " << i;
    }
}

TEST(TextureFilter, InterpolatesBetweenFourTexelsWithEightBitsOfFraction) {
    arithmetic::sampler_state s;
    s.filter = filter_mode::linear;
    std::vector<place> places;
    std::vector<double> want;
    const auto clamped = [](int x, int y) {
        return static_cast<double>(
            texel(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), 0));
    };
    for (int n = 0; n < 600; ++n) {
        const double x = static_cast<double>(n % 25) * 0.28 - 0.7, y = n / 25 * 0.25 - 0.6;
        places.push_back(at(static_cast<float>(x), static_cast<float>(y)));
        const double bx = static_cast<float>(x) - 0.5, by = static_cast<float>(y) - 0.5;
        const int ix = static_cast<int>(std::floor(bx)), iy = static_cast<int>(std::floor(by));
        const double a = bx - ix, b = by - iy;
        want.push_back((1 - a) * (1 - b) * clamped(ix, iy) + a * (1 - b) * clamped(ix + 1, iy) +
                       (1 - a) * b * clamped(ix, iy + 1) + a * b * clamped(ix + 1, iy + 1));
    }
    const auto got = fetched(texture_geometry::two, s, geometries[1].floats, places);
    // Half a step of the fraction along x, where texels differ by 1, and along y, by 10.
    for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got[4 * i], want[i], (1.0 + 10.0) / 512 + 1e-4) << i;
}

TEST(TextureGather, ReturnsOneChannelOfFourTexels) {
    const auto got =
        fetched(texture_geometry::two, {},
                "tld4.r.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2}];", {at(2, 3)});
    EXPECT_THAT(
        got, testing::ElementsAre(texel(1, 3, 0), texel(2, 3, 0), texel(2, 2, 0), texel(1, 2, 0)));
}

TEST(TextureQuery, ReturnsTheSizeOfTheImage) {
    const auto got = fetched(texture_geometry::three, {},
                             "txq.width.b32 %r4, [%rd1]; txq.height.b32 %r5, [%rd1];"
                             "txq.depth.b32 %r6, [%rd1]; cvt.rn.f32.u32 %f4, %r4;"
                             "cvt.rn.f32.u32 %f5, %r5; cvt.rn.f32.u32 %f6, %r6; mov.f32 %f7, %f4;",
                             {at(0)});
    EXPECT_THAT(got, testing::ElementsAre(width, height, depth, width));
}

TEST(TextureOffset, MovesByTexelsInEveryModeAndDimension) {
    for (const address_mode mode :
         {address_mode::wrap, address_mode::mirror, address_mode::clamp, address_mode::border}) {
        for (const bool filters : {false, true}) {
            arithmetic::sampler_state s;
            s.normalised_coordinates = true;
            if (filters) s.filter = filter_mode::linear;
            s.address = {mode, mode, mode};
            s.border = {-7, -7, -7, -7};
            std::vector<place> centres, integers;
            std::vector<float> want;
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x) {
                    centres.push_back(at((static_cast<float>(x) + 0.5f) / width,
                                         (static_cast<float>(y) + 0.5f) / height, 0.5f));
                    integers.push_back(at_texel(x, y, 0));
                    const int tx = addressed(x - 8, width, mode),
                              ty = addressed(y + 3, height, mode);
                    want.push_back(tx < 0 || ty < 0 ? -7 : texel(tx, ty, 0));
                }
            const auto got = fetched(
                texture_geometry::two, s,
                "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2}], {-8, 3};", centres);
            for (std::size_t i = 0; i < want.size(); ++i)
                ASSERT_EQ(got[4 * i], want[i]) << "mode " << static_cast<int>(mode) << ", " << i;
        }
    }
    // Register numbers wrap modulo 16; the fourth element is ignored.
    const auto three = fetched(texture_geometry::three, {},
                               "mov.u32 %r4, 17; mov.u32 %r5, 15;"
                               "tex.3d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r1,%r2,%r3,%r3}], "
                               "{%r4, %r5, 1, 5};",
                               {at_texel(1, 1, 0)});
    EXPECT_EQ(three[0], texel(2, 0, 1));
    const auto layer = fetched(texture_geometry::layered_one, {},
                               "tex.a1d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd1, {%r3,%r1}], {2};",
                               {at_texel(1, 0, 2)});
    EXPECT_EQ(layer[0], texel(3, 0, 2));
    const auto gathered =
        fetched(texture_geometry::two, {},
                "tld4.r.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2}], {1, -2};", {at(2, 3)});
    EXPECT_THAT(gathered, testing::ElementsAre(texel(2, 1, 0), texel(3, 1, 0), texel(3, 0, 0),
                                               texel(2, 0, 0)));
}

TEST(TextureOffset, CountsTexelsOfTheLevelThatIsRead) {
    arithmetic::texture_image image;
    image.geometry = texture_geometry::one;
    for (const std::uint32_t size : {8u, 4u}) {
        arithmetic::mip_level level;
        level.width = size;
        level.offset = size == 8 ? 0 : 32;
        image.levels.push_back(level);
    }
    arithmetic::sampler_state s;
    s.normalised_coordinates = true;
    arithmetic::texture_coordinates c;
    c.at[0] = 0.3f;
    c.offset[0] = 1;
    EXPECT_EQ(arithmetic::texture_footprint(image, s, c).reads[0].offset, 4u * 3);
    c.level = 1;
    EXPECT_EQ(arithmetic::texture_footprint(image, s, c).reads[0].offset, 32u + 4 * 2);
}

TEST(TextureFetch, RejectsComparisonsOfDepths) {
    machine m(fetching("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f1,%f2}], {0, 0}, %f3;"));
    EXPECT_THAT(
        fault_of([&] {
            m.run("k", {1, 1, 1}, {1, 1, 1}, 0ull, m.buffer(std::vector<place>{at(0)}), 0ull);
        }),
        testing::HasSubstr("tex.2d"));
}

TEST(TextureQuery, ReturnsTheSizeOfALevel) {
    machine m(
        fetching("txq.level.width.b32 %r4, [%rd1], %r1; cvt.rn.f32.u32 %f4, %r4;"
                 "txq.level.height.b32 %r4, [%rd1], %r1; cvt.rn.f32.u32 %f5, %r4;"
                 "txq.level.depth.b32 %r4, [%rd1], 1; cvt.rn.f32.u32 %f6, %r4;"
                 "mov.f32 %f7, 0f00000000;"));
    texture_table table;
    texture_binding b = image_of(texture_geometry::three, m.buffer(std::vector<float>(64, 0)));
    arithmetic::mip_level second = b.image.levels[0];
    second.width = width / 2;
    second.height = height / 2;
    second.depth = depth / 2;
    b.image.levels.push_back(second);
    const std::uint64_t handle = table.new_handle();
    table.bind(handle, b);
    m.world.textures = &table;
    const auto where = m.buffer(std::vector<place>{at_texel(0), at_texel(1), at_texel(2)});
    const auto out = m.buffer(std::vector<float>(12, -1));
    m.run("k", {1, 1, 1}, {3, 1, 1}, handle, where, out);
    EXPECT_THAT(m.read<float>(out, 12),
                testing::ElementsAre(width, height, depth / 2, 0, width / 2, height / 2, depth / 2,
                                     0, 0, 0, depth / 2, 0));
}

TEST(TextureFetch, RejectsUnboundTextures) {
    machine m(fetching(geometries[0].integers));
    const auto buffer = m.buffer(std::vector<float>(8, 0));
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {1, 1, 1}, std::uint64_t{77}, buffer, buffer);
                }),
                testing::HasSubstr("no texture or surface is bound to 0x4d"));
}

// ---- surfaces: x in bytes, or in elements for formatted accesses ----

struct surface_result {
    std::vector<float> image;
    std::vector<float> read;
    std::string fault;
};
surface_result on_surface(texture_geometry g, const std::string& instruction,
                          const std::vector<place>& places) {
    machine m(
        fetching("mov.f32 %f4, 0f00000000; mov.f32 %f5, %f4; mov.f32 %f6, %f4;"
                 "mov.f32 %f7, %f4; mov.u32 %r4, 1000; shl.b32 %r5, %r1, 2;" +
                 instruction));
    texture_table table;
    const auto data = m.buffer(texels(g));
    const std::uint64_t handle = table.new_handle();
    table.bind(handle, image_of(g, data));
    m.world.textures = &table;
    const auto where = m.buffer(places);
    const auto count = static_cast<unsigned>(places.size());
    const auto out = m.buffer(std::vector<float>(std::size_t{count} * 4, -1));
    surface_result r;
    r.fault = fault_of([&] { m.run("k", {1, 1, 1}, {count, 1, 1}, handle, where, out); });
    r.image = m.read<float>(data, texels(g).size());
    r.read = m.read<float>(out, std::size_t{count} * 4);
    return r;
}

TEST(Surface, LoadsEveryElementOfEveryGeometry) {
    const std::pair<texture_geometry, const char*> cases[] = {
        {texture_geometry::one, "suld.b.1d.b32.trap %r6, [%rd1, {%r5}]; mov.b32 %f4, %r6;"},
        {texture_geometry::two, "suld.b.2d.b32.trap %r6, [%rd1, {%r5,%r2}]; mov.b32 %f4, %r6;"},
        {texture_geometry::three,
         "suld.b.3d.b32.trap %r6, [%rd1, {%r5,%r2,%r3,%r3}]; mov.b32 %f4, %r6;"},
        {texture_geometry::layered_one,
         "suld.b.a1d.b32.trap %r6, [%rd1, {%r3,%r5}]; mov.b32 %f4, %r6;"},
        {texture_geometry::layered_two,
         "suld.b.a2d.b32.trap %r6, [%rd1, {%r3,%r5,%r2,%r2}]; mov.b32 %f4, %r6;"}};
    for (const auto& [g, instruction] : cases) {
        std::vector<place> places;
        std::vector<float> want;
        for (int z = 0; z < (has_z(g) ? depth : 1); ++z)
            for (int y = 0; y < (has_y(g) ? height : 1); ++y)
                for (int x = 0; x < width; ++x) {
                    places.push_back(at_texel(x, y, z));
                    want.push_back(texel(x, y, z));
                }
        const surface_result r = on_surface(g, instruction, places);
        EXPECT_EQ(r.fault, "");
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(r.read[4 * i], want[i]) << i;
    }
}

TEST(Surface, StoresAtItsCoordinates) {
    const surface_result r = on_surface(texture_geometry::two,
                                        "mov.b32 %r6, 0f42280000;"  // 42
                                        "sust.b.2d.b32.trap [%rd1, {%r5,%r2}], {%r6};",
                                        {at_texel(3, 2)});
    std::vector<float> want = texels(texture_geometry::two);
    want[2 * width + 3] = 42;
    EXPECT_EQ(r.image, want);
}

TEST(Surface, TrapsClampsOrIgnoresCoordinatesOutside) {
    const std::vector<place> outside = {at_texel(width + 2, 1)};
    const auto load = [&](const std::string& bounds) {
        return on_surface(texture_geometry::two,
                          "suld.b.2d.b32." + bounds + " %r6, [%rd1, {%r5,%r2}]; mov.b32 %f4, %r6;",
                          outside);
    };
    EXPECT_THAT(load("trap").fault, testing::HasSubstr("outside of the surface"));
    EXPECT_EQ(load("clamp").read[0], texel(width - 1, 1, 0));
    EXPECT_EQ(load("zero").read[0], 0);
    const surface_result ignored =
        on_surface(texture_geometry::two, "sust.b.2d.b32.zero [%rd1, {%r5,%r2}], {%r4};", outside);
    EXPECT_EQ(ignored.image, texels(texture_geometry::two));
}

TEST(Surface, ReducesFromManyThreads) {
    const std::vector<place> same(64, at_texel(1, 1));
    const surface_result r =
        on_surface(texture_geometry::two,
                   "mov.u32 %r6, 1; sured.b.add.2d.u32.trap [%rd1, {%r5,%r2}], %r6;", same);
    std::uint32_t before, after;
    const float was = texel(1, 1, 0);
    std::memcpy(&before, &was, sizeof before);
    std::memcpy(&after, &r.image[width + 1], sizeof after);
    EXPECT_EQ(after, before + 64);
}

TEST(Surface, StoresOfTimedProgramsTakeEffectInTheMemoryPhaseAndReductionsAtTheL2) {
    for (const bool reduces : {false, true}) {
        machine m(R"(
.visible .entry k(.param .u64 surface)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, 4;
  mov.u32 %r2, 2;
  mov.u32 %r3, 1;
)" +
                  std::string(reduces ? "sured.b.add.2d.u32.trap [%rd1, {%r1,%r2}], %r3;"
                                      : "sust.b.2d.b32.trap [%rd1, {%r1,%r2}], {%r3};") +
                  "ret;\n}");
        texture_table table;
        const auto data = m.buffer(texels(texture_geometry::two));
        const std::uint64_t handle = table.new_handle();
        table.bind(handle, image_of(texture_geometry::two, data));
        m.world.textures = &table;
        const auto now = [&] { return m.read<std::uint32_t>(data + 4 * (2 * width + 1), 1)[0]; };
        const std::uint32_t before = now();
        launch l;
        l.image = &m.image();
        l.kernel = l.image->find_kernel("k");
        l.block.x = 32;
        l.parameters.resize(8);
        std::memcpy(l.parameters.data(), &handle, 8);
        executed_kernel kernel(l, m.memory(), m.world, m.image().describe({}), 1);
        const auto block = kernel.next_cta();
        block->placed({});
        const program::warp_code code = block->warp(0);
        bool accessed = false;
        for (program::instruction_window at = code.window; !at.empty();) {
            program::issue_effects effects;
            program::lane_addresses addresses;
            effects.space = at.next->info->space;
            const bool access = at.next->info->is_store || at.next->info->is_atomic;
            code.executor->issue(*at.next, 0, effects, addresses);
            EXPECT_EQ(now(), before) << "other SMs may read in the same cycle";
            if (access) {
                accessed = true;
                EXPECT_EQ(addresses.address[0][3], data + 4 * (2 * width + 1));
                EXPECT_EQ(effects.memory_deferred, !reduces);
                if (reduces)
                    code.executor->perform_atomic(~0u);
                else
                    code.executor->apply_memory();
                EXPECT_EQ(now(), reduces ? before + 32 : 1u);
                break;
            }
            at = effects.next;
        }
        EXPECT_TRUE(accessed);
    }
}

}  // namespace
}  // namespace simtlm::execution
