// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The calls of the CUDA driver API that the library makes, in place of cuda.h, so that no toolkit
// is needed.
extern "C" {
int cuInit(unsigned flags);
int cuCtxGetCurrent(void** to);
int cuCtxSetCurrent(void* context);
int cuCtxGetDevice(int* to);
int cuDevicePrimaryCtxRetain(void** to, int device);
int cuDeviceGetAttribute(int* to, int attribute, int device);
int cuModuleLoadData(void** to, const void* code);
int cuModuleGetFunction(void** to, void* module, const char* name);
int cuFuncSetAttribute(void* function, int attribute, int value);
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** parameters, void** extra);
int cuMemAlloc_v2(std::uint64_t* to, std::size_t bytes);
int cuMemFree_v2(std::uint64_t address);
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream);
int cuMemcpy2DAsync_v2(const void* description, void* stream);
int cuStreamSynchronize(void* stream);
}
