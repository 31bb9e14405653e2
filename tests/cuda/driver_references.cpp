// SPDX-License-Identifier: Apache-2.0
// Texture and surface references of a module. Argument: the module (references.cu), as PTX or
// machine code.
#include "driver_subset.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct array_description {
    std::size_t width, height;
    int format;
    unsigned channels;
};

extern "C" {
int cuModuleGetTexRef(void**, void*, const char*);
int cuModuleGetSurfRef(void**, void*, const char*);
int cuTexRefSetFormat(void*, int, int);
int cuTexRefSetFlags(void*, unsigned);
int cuTexRefSetAddressMode(void*, int, int);
int cuTexRefSetMipmapLevelClamp(void*, float, float);
int cuTexRefGetAddress_v2(std::uint64_t*, void*);
int cuTexRefGetAddressMode(int*, void*, int);
int cuTexRefGetArray(void**, void*);
int cuTexRefGetFlags(unsigned*, void*);
int cuTexRefGetFormat(int*, int*, void*);
int cuTexRefGetMipmapLevelClamp(float*, float*, void*);
int cuSurfRefGetArray(void**, void*);
int cuTexRefSetAddress_v2(std::size_t*, void*, std::uint64_t, std::size_t);
int cuSurfRefSetArray(void*, void*, unsigned);
int cuArrayCreate_v2(void**, const array_description*);
int cuMemcpyHtoA_v2(void*, std::size_t, const void*, std::size_t);
int cuMemcpyAtoH_v2(void*, void*, std::size_t, std::size_t);
}

namespace {

constexpr int bytes = 1, integers = 10;  // CU_AD_FORMAT_UNSIGNED_INT8, SIGNED_INT32
constexpr unsigned as_integers = 1;      // CU_TRSF_READ_AS_INTEGER

/// The settings of a texture reference can be read back.
void check_settings(void* texture, std::uint64_t address) {
    unsigned flags = 0;
    int format = 0, channels = 0, mode = 0;
    float low = 0, high = 0;
    std::uint64_t bound = 0;
    OK(cuTexRefGetFlags(&flags, texture));
    OK(cuTexRefGetFormat(&format, &channels, texture));
    OK(cuTexRefGetAddress_v2(&bound, texture));
    CHECK(flags == as_integers && format == integers && channels == 1 && bound == address);
    OK(cuTexRefSetAddressMode(texture, 1, 3));
    OK(cuTexRefGetAddressMode(&mode, texture, 1));
    OK(cuTexRefSetMipmapLevelClamp(texture, 0.5F, 2));
    OK(cuTexRefGetMipmapLevelClamp(&low, &high, texture));
    CHECK(mode == 3 && low == 0.5F && high == 2);
    void* array = nullptr;
    CHECK(cuTexRefGetArray(&array, texture) == 1);  // linear memory is bound
    CHECK(cuTexRefSetFormat(texture, 0, 1) == 1);   // CUDA_ERROR_INVALID_VALUE
    CHECK(cuTexRefSetFormat(texture, integers, 3) == 1);
    CHECK(cuTexRefGetAddressMode(&mode, texture, 3) == 1);
}

}  // namespace

int main(int count, char** arguments) {
    CHECK(count > 1);
    void* const module_of_kernel = load_module(arguments[1]);
    void* kernel = nullptr;
    OK(cuModuleGetFunction(&kernel, module_of_kernel, "move"));

    constexpr int n = 32;
    int values[n], row[n], back[n];
    for (int i = 0; i < n; ++i) {
        values[i] = 1000 * i;
        row[i] = 7 * i;
    }
    std::uint64_t numbers = 0, out = 0;
    OK(cuMemAlloc_v2(&numbers, sizeof values));
    OK(cuMemAlloc_v2(&out, sizeof values));
    OK(cuMemcpyHtoD_v2(numbers, values, sizeof values));
    void *texture = nullptr, *surface = nullptr, *image = nullptr;
    OK(cuModuleGetTexRef(&texture, module_of_kernel, "numbers"));
    OK(cuTexRefSetFormat(texture, bytes, 4));
    OK(cuTexRefSetFlags(texture, as_integers));
    std::size_t offset = 1;
    OK(cuTexRefSetAddress_v2(&offset, texture, numbers, sizeof values));
    CHECK(offset == 0);
    // The format of linear memory may be set after its address.
    OK(cuTexRefSetFormat(texture, integers, 1));
    check_settings(texture, numbers);
    const array_description shape{n, 2, integers, 1};
    OK(cuArrayCreate_v2(&image, &shape));
    OK(cuMemcpyHtoA_v2(image, 0, row, sizeof row));
    OK(cuModuleGetSurfRef(&surface, module_of_kernel, "image"));
    OK(cuSurfRefSetArray(surface, image, 0));
    void* bound = nullptr;
    OK(cuSurfRefGetArray(&bound, surface));
    CHECK(bound == image);

    void* parameters[] = {&out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, n, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuMemcpyDtoH_v2(back, out, sizeof back));
    for (int i = 0; i < n; ++i) CHECK(back[i] == 1007 * i);
    OK(cuMemcpyAtoH_v2(back, image, n * sizeof(int), sizeof back));
    for (int i = 0; i < n; ++i) CHECK(back[i] == 7 * i + 1);
    std::puts("driver_references: passed");
    return 0;
}
