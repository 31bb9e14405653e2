// SPDX-License-Identifier: Apache-2.0
// scalarProd of NVIDIA's cuda-samples for -vectorN pairs of vectors of -elementN values, one kernel.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#include <scalarProd_kernel.cuh>

#include "program.h"

int main(int count, char** words) {
    const unsigned vectors = argument(count, words, "vectorN");
    const unsigned elements = argument(count, words, "elementN");
    const std::size_t n = std::size_t{vectors} * elements;
    float* const a = device_values(n, random_numbers(n));
    float* const b = device_values(n, random_numbers(n));
    float* const products = device_values<float>(vectors);
    scalarProdGPU<<<128, 256>>>(products, a, b, static_cast<int>(vectors), static_cast<int>(elements));
    finish();
}
