// SPDX-License-Identifier: Apache-2.0
// A warp that fetches from a texture of two dimensions with a linear filter. Argument: the module
// (tests/system/machine_code/textures.ptx), as PTX or machine code.
#include "driver_subset.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int cuTexObjectCreate(unsigned long long*, const resource*, const texture*, const void*);

int main(int count, char** arguments) {
    CHECK(count > 1);
    void* const module_of_kernel = load_module(arguments[1]);
    void* kernel = nullptr;
    OK(cuModuleGetFunction(&kernel, module_of_kernel, "two_float"));

    constexpr int lanes = 32, width = 128, height = 64, floats = 0x20, linear = 1, clamp = 1,
                  plane = 3;
    static float texels[height][width];
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) texels[y][x] = static_cast<float>(x + width * y);
    // Between columns 39 and 40, which are in different sectors of 32 bytes, and between rows.
    float places[lanes][4] = {}, results[lanes][4] = {};
    for (int i = 0; i < lanes; ++i) {
        places[i][0] = 40.25F;
        places[i][1] = 3.75F + static_cast<float>(i);
    }
    std::uint64_t image = 0, at = 0, out = 0;
    OK(cuMemAlloc_v2(&image, sizeof texels));
    OK(cuMemAlloc_v2(&at, sizeof places));
    OK(cuMemAlloc_v2(&out, sizeof results));
    OK(cuMemcpyHtoD_v2(image, texels, sizeof texels));
    OK(cuMemcpyHtoD_v2(at, places, sizeof places));
    resource r{};
    r.type = plane;
    r.plane = {image, floats, 1, width, height, sizeof texels[0]};
    texture t{};
    t.filter = linear;
    for (int& mode : t.mode) mode = clamp;
    unsigned long long object = 0;
    OK(cuTexObjectCreate(&object, &r, &t, nullptr));

    void* parameters[] = {&object, &at, &at, &out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, lanes, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuMemcpyDtoH_v2(results, out, sizeof results));
    for (int i = 0; i < lanes; ++i)
        CHECK(results[i][0] == 39.75F + width * (3.25F + static_cast<float>(i)));
    std::puts("driver_textures: passed");
    return 0;
}
