// SPDX-License-Identifier: Apache-2.0
// The subset of CUDA C++ that these programs use, so that clang compiles them without a toolkit;
// nvcc defines it already.
#pragma once

#ifndef __NVCC__

#include <__clang_cuda_builtin_vars.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

static inline __device__ void atomicAdd(unsigned* where, unsigned value) {
    __nvvm_atom_add_gen_i(reinterpret_cast<int*>(where), static_cast<int>(value));
}

#endif
