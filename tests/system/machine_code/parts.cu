// SPDX-License-Identifier: Apache-2.0
// parts_kernels.cu and parts_functions.cu as one program, for comparison with their linked code.
//   nvcc -std=c++17 -ptx -arch=compute_75 parts.cu
#include "parts_functions.cu"
#define local local_to_kernels
#include "parts_kernels.cu"
