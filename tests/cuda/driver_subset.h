// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Declarations used by the driver API tests, in place of cuda.h, so that no toolkit is needed.
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
