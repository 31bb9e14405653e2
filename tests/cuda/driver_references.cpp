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
int cuTexRefSetAddress_v2(std::size_t*, void*, std::uint64_t, std::size_t);
int cuSurfRefSetArray(void*, void*, unsigned);
int cuArrayCreate_v2(void**, const array_description*);
int cuMemcpyHtoA_v2(void*, std::size_t, const void*, std::size_t);
int cuMemcpyAtoH_v2(void*, void*, std::size_t, std::size_t);
}

int main(int count, char** arguments) {
    CHECK(count > 1);
    void* const module_of_kernel = load_module(arguments[1]);
    void* kernel = nullptr;
    OK(cuModuleGetFunction(&kernel, module_of_kernel, "move"));

    constexpr int n = 32, integers = 10, as_integers = 1;  // CU_AD_FORMAT_SIGNED_INT32
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
    OK(cuTexRefSetFormat(texture, integers, 1));
    OK(cuTexRefSetFlags(texture, as_integers));
    std::size_t offset = 1;
    OK(cuTexRefSetAddress_v2(&offset, texture, numbers, sizeof values));
    CHECK(offset == 0);
    const array_description shape{n, 2, integers, 1};
    OK(cuArrayCreate_v2(&image, &shape));
    OK(cuMemcpyHtoA_v2(image, 0, row, sizeof row));
    OK(cuModuleGetSurfRef(&surface, module_of_kernel, "image"));
    OK(cuSurfRefSetArray(surface, image, 0));

    void* parameters[] = {&out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, n, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuMemcpyDtoH_v2(back, out, sizeof back));
    for (int i = 0; i < n; ++i) CHECK(back[i] == 1007 * i);
    OK(cuMemcpyAtoH_v2(back, image, n * sizeof(int), sizeof back));
    for (int i = 0; i < n; ++i) CHECK(back[i] == 7 * i + 1);
    std::puts("driver_references: passed");
    return 0;
}
