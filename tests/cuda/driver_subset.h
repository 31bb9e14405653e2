// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// Declarations used by the driver API tests, in place of cuda.h, so that no toolkit is needed.

/// CUDA_TEXTURE_DESC.
struct texture {
    int mode[3], filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float bias, low, high, border[4];
    int reserved[12];
};

/// CUDA_RESOURCE_DESC.
struct resource {
    int type;
    union {
        void* array;
        struct {
            std::uint64_t at;
            int format;
            unsigned channels;
            std::size_t bytes;
        } linear;
        struct {
            std::uint64_t at;
            int format;
            unsigned channels;
            std::size_t width, height, pitch;
        } plane;
        int reserved[32];
    };
    unsigned flags;
};

extern "C" {
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuDeviceGetCount(int*);
int cuDeviceGetAttribute(int*, int, int);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize();
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, void*, int, std::size_t);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuEventSynchronize(void*);
int cuEventElapsedTime(float*, void*, void*);
int cuModuleLoadData(void**, const void*);
int cuModuleLoadDataEx(void**, const void*, unsigned, const int*, void**);
int cuModuleGetFunction(void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemFree_v2(std::uint64_t);
int cuMemHostAlloc(void**, std::size_t, unsigned);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuMemsetD32_v2(std::uint64_t, unsigned, std::size_t);
int cuLinkCreate_v2(unsigned, const int*, void**, void**);
int cuLinkAddData_v2(void*, int, void*, std::size_t, const char*, unsigned, void*, void**);
int cuLinkComplete(void*, void**, std::size_t*);
int cuLinkDestroy(void*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
}

/// Ends the program with the location unless the condition is true.
#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                        \
        }                                                                        \
    } while (false)

/// Ends the program with the location unless the call of the driver API succeeds.
#define OK(call) CHECK((call) == 0)

/// Makes the first device's primary context current and loads the module in a file, which is PTX or
/// machine code. Ends the program on errors. @return the module
inline void* load_module(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string code(std::istreambuf_iterator<char>(file), {});
    CHECK(!code.empty());
    void *context = nullptr, *loaded = nullptr;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&loaded, code.c_str()));
    return loaded;
}
