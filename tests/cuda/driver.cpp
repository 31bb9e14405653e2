// SPDX-License-Identifier: Apache-2.0
// The driver API with PTX as produced by NVRTC.
#include "driver_subset.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int cuDeviceGetName(char*, int, int);
int cuModuleGetGlobal_v2(std::uint64_t*, std::size_t*, void*, const char*);
int cuModuleUnload(void*);
int cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
int cuGetErrorName(int, const char**);
int cuGraphicsMapResources(unsigned, void*, void*);
}

static const char* const text = R"(.version 6.3
.target sm_70
.address_size 64
.global .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 add) {
    .reg .u32 %r<6>;
    .reg .u64 %d<4>;
    ld.param.u64 %d1, [data];
    ld.param.u32 %r1, [add];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r3, [%d3];
    ld.global.u32 %r4, [factor];
    mad.lo.u32 %r5, %r3, %r4, %r1;
    st.global.u32 [%d3], %r5;
    ret;
}
)";

int main() {
    int device = -1;
    void *context = nullptr, *module = nullptr, *function = nullptr;
    char name[64];
    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGet(&device, 0) == 0 && device == 0);
    CHECK(cuDeviceGet(&device, 64) == 101);
    CHECK(cuDeviceGetName(name, sizeof name, 0) == 0 && std::strlen(name) > 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, "no ptx") == 218);
    CHECK(cuModuleLoadData(&module, text) == 0);
    CHECK(cuModuleGetFunction(&function, module, "nothing") == 500);
    CHECK(cuModuleGetFunction(&function, module, "scale") == 0);

    std::uint64_t factor = 0, data = 0;
    std::size_t bytes = 0;
    CHECK(cuModuleGetGlobal_v2(&factor, &bytes, module, "factor") == 0 && bytes == 4);
    const unsigned five = 5;
    CHECK(cuMemcpyHtoD_v2(factor, &five, 4) == 0);
    CHECK(cuMemAlloc_v2(&data, 32 * 4) == 0);
    CHECK(cuMemsetD32_v2(data, 7, 32) == 0);
    unsigned add = 2;
    void* arguments[] = {&data, &add};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    // The same with packed arguments.
    struct {
        std::uint64_t data;
        unsigned add;
    } packed = {data, 1};
    std::size_t size = 12;
    void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size,
                     nullptr};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra) == 0);
    CHECK(cuCtxSynchronize() == 0);
    unsigned back[32];
    CHECK(cuMemcpyDtoH_v2(back, data, sizeof back) == 0);
    for (const unsigned v : back) CHECK(v == (7 * 5 + 2) * 5 + 1);

    void* found = nullptr;
    int how = 0;
    CHECK(cuGetProcAddress_v2("cuMemAlloc_v2", &found, 12000, 0, &how) == 0 && found != nullptr);
    CHECK(cuGetProcAddress_v2("cuNoSuchThing", &found, 12000, 0, &how) == 500);
    const char* error = nullptr;
    CHECK(cuGetErrorName(700, &error) == 0 &&
          std::strcmp(error, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    CHECK(cuGraphicsMapResources(0, nullptr, nullptr) == 801);
    CHECK(cuMemFree_v2(data) == 0);
    CHECK(cuModuleUnload(module) == 0);
    std::puts("driver: passed");
}
