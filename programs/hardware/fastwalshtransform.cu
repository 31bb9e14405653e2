// SPDX-License-Identifier: Apache-2.0
// fastWalshTransform of NVIDIA's cuda-samples: dyadic convolution of 2^log2data values with
// 2^log2kernel values, three transforms and a product.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#include <helper_cuda.h>

#include <fastWalshTransform_kernel.cuh>

#include "program.h"

int main(int count, char** words) {
    const unsigned log2 = argument(count, words, "log2data");
    const std::size_t n = std::size_t{1} << log2;
    float* const data = device_values(n, random_numbers(n));
    float* const kernel =
        device_values(n, random_numbers(std::size_t{1} << argument(count, words, "log2kernel")));
    fwtBatchGPU(data, 1, static_cast<int>(log2));
    fwtBatchGPU(kernel, 1, static_cast<int>(log2));
    modulateGPU(data, kernel, static_cast<int>(n));
    fwtBatchGPU(data, 1, static_cast<int>(log2));
    finish();
}
