// SPDX-License-Identifier: Apache-2.0
// Textures that read some levels or layers of an array, or read its texels in another format.
// Argument: the module (tests/system/machine_code/textures.ptx), as PTX or machine code.
#include "driver_subset.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// CUDA_ARRAY3D_DESCRIPTOR
struct shape {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
/// CUDA_MEMCPY3D
struct block_copy {
    struct side {
        std::size_t x, y, z, level;
        int kind;  ///< 1 host, 3 array
        const void* host;
        std::uint64_t address;
        void *array, *reserved;
        std::size_t pitch, height;
    } from, to;
    std::size_t bytes, height, depth;
};
/// CUDA_RESOURCE_VIEW_DESC
struct view {
    int format;
    std::size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
    unsigned reserved[16];
};

extern "C" {
int cuArray3DCreate_v2(void**, const shape*);
int cuMipmappedArrayCreate(void**, const shape*, unsigned);
int cuMipmappedArrayGetLevel(void**, void*, unsigned);
int cuMemcpy3D_v2(const block_copy*);
int cuTexObjectCreate(unsigned long long*, const resource*, const texture*, const view*);
}

constexpr int lanes = 32, width = 8, height = 4;
constexpr int u32 = 3, f32 = 0x20;                                 // CU_AD_FORMAT_*
constexpr int an_array = 0, mipmapped = 1, linear_memory = 2;      // CU_RESOURCE_TYPE_*
constexpr int as_u8x4 = 3, as_u8 = 1, as_block_compressed = 0x19;  // CU_RES_VIEW_FORMAT_*
constexpr int invalid_value = 1, not_supported = 801;

struct float4 {
    float x, y, z, w;
};
struct uint4 {
    unsigned x, y, z, w;
};

/// Copies elements of four bytes to an array.
void fill(void* array, const void* from, std::size_t columns, std::size_t rows, std::size_t depth) {
    block_copy c{};
    c.from.kind = 1;
    c.from.host = from;
    c.from.pitch = columns * 4;
    c.from.height = rows;
    c.to.kind = 3;
    c.to.array = array;
    c.bytes = columns * 4;
    c.height = rows;
    c.depth = depth;
    OK(cuMemcpy3D_v2(&c));
}

/// @return what a warp fetches with a kernel of the module
std::vector<float4> fetch(void* module, const char* name, unsigned long long object,
                          const std::vector<float4>& places, const std::vector<uint4>& indices) {
    std::vector<float4> to(lanes);
    std::uint64_t floats = 0, integers = 0, out = 0;
    void* kernel = nullptr;
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuMemAlloc_v2(&floats, sizeof(float4) * lanes));
    OK(cuMemAlloc_v2(&integers, sizeof(uint4) * lanes));
    OK(cuMemAlloc_v2(&out, sizeof(float4) * lanes));
    OK(cuMemcpyHtoD_v2(floats, places.data(), sizeof(float4) * lanes));
    OK(cuMemcpyHtoD_v2(integers, indices.data(), sizeof(uint4) * lanes));
    void* parameters[] = {&object, &floats, &integers, &out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, lanes, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuMemcpyDtoH_v2(to.data(), out, sizeof(float4) * lanes));
    return to;
}

/// Layers 1 and 2 of three, whose words are read as four bytes from 0 to 1.
void check_layers_and_format(void* module) {
    constexpr int layers = 3, layered = 1;
    std::vector<std::uint32_t> texels(width * height * layers);
    for (std::size_t i = 0; i < texels.size(); ++i)
        texels[i] = 0x01000000u * 200 + 0x10000u * static_cast<unsigned>(i) + 0x105;
    const shape s{width, height, layers, u32, 1, layered};
    resource r{};
    r.type = an_array;
    OK(cuArray3DCreate_v2(&r.array, &s));
    fill(r.array, texels.data(), width, height, layers);
    view v{};
    v.format = as_u8x4;
    v.width = width;
    v.height = height;
    v.depth = layers;
    v.first_layer = 1;
    v.last_layer = 2;
    const texture t{};
    unsigned long long object = 0;
    OK(cuTexObjectCreate(&object, &r, &t, &v));
    std::vector<uint4> indices(lanes);
    for (unsigned i = 0; i < lanes; ++i) indices[i] = {i % width, i / width, 0, i & 1};
    const auto got =
        fetch(module, "layered_two_integer", object, std::vector<float4>(lanes), indices);
    for (unsigned i = 0; i < lanes; ++i) {
        const auto texel = static_cast<float>(i + lanes * (1 + (i & 1)));
        const auto is = [](float a, float b) { return std::fabs(a - b / 255) < 1e-6F; };
        CHECK(is(got[i].x, 5) && is(got[i].y, 1) && is(got[i].z, texel) && is(got[i].w, 200));
    }

    v.last_layer = layers;
    CHECK(cuTexObjectCreate(&object, &r, &t, &v) == invalid_value);
    v.last_layer = 2;
    v.last_level = 1;
    CHECK(cuTexObjectCreate(&object, &r, &t, &v) == invalid_value);
    v.last_level = 0;
    v.format = as_u8;  // another size
    CHECK(cuTexObjectCreate(&object, &r, &t, &v) == invalid_value);
    v.format = as_block_compressed;
    CHECK(cuTexObjectCreate(&object, &r, &t, &v) == not_supported);
    v.format = 0;
    resource linear{};
    linear.type = linear_memory;
    OK(cuMemAlloc_v2(&linear.linear.at, 64));
    linear.linear.format = f32;
    linear.linear.channels = 1;
    linear.linear.bytes = 64;
    CHECK(cuTexObjectCreate(&object, &linear, &t, &v) == invalid_value);
}

/// Levels 1 and 2 of four: levels of detail are counted from the first one of the view.
void check_levels(void* module) {
    constexpr unsigned levels = 4, normalised = 2;
    const shape s{width, width, 0, f32, 1, 0};
    resource r{};
    r.type = mipmapped;
    OK(cuMipmappedArrayCreate(&r.array, &s, levels));
    for (unsigned l = 0; l < levels; ++l) {
        void* level = nullptr;
        OK(cuMipmappedArrayGetLevel(&level, r.array, l));
        const std::size_t size = width >> l;
        const std::vector<float> texels(size * size, 100 + static_cast<float>(l));
        fill(level, texels.data(), size, size, 1);
    }
    view v{};
    v.width = v.height = width;
    v.first_level = 1;
    v.last_level = 2;
    texture t{};
    t.flags = normalised;
    t.high = 10;
    unsigned long long object = 0;
    OK(cuTexObjectCreate(&object, &r, &t, &v));
    std::vector<float4> places(lanes);
    for (unsigned i = 0; i < lanes; ++i) places[i] = {0.5F, 0.5F, static_cast<float>(i % 4), 0};
    const auto got = fetch(module, "two_level", object, places, std::vector<uint4>(lanes));
    for (unsigned i = 0; i < lanes; ++i) CHECK(got[i].x == (i % 4 == 0 ? 101 : 102));
}

}  // namespace

int main(int count, char** arguments) {
    CHECK(count > 1);
    void* const module = load_module(arguments[1]);
    check_layers_and_format(module);
    check_levels(module);
    std::puts("driver_views: passed");
    return 0;
}
