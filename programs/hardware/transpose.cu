// SPDX-License-Identifier: Apache-2.0
// Kernel -kernelID of transpose in NVIDIA's cuda-samples (0: copy, 1: copy through shared memory),
// run once for a matrix of -dimX columns and -dimY rows.
#define main sample_main
#include <transpose.cu>
#undef main
#include "program.h"

int main(int count, char** words) {
    const unsigned width = argument(count, words, "dimX");
    const unsigned height = argument(count, words, "dimY");
    const unsigned id = argument(count, words, "kernelID");
    if (id > 1) {
        std::fprintf(stderr, "-kernelID %u: only 0 and 1 are known\n", id);
        return 2;
    }
    const std::size_t n = std::size_t{width} * height;
    float* const input = device_values(n, random_numbers(n));
    float* const output = device_values<float>(n);
    (id == 0 ? copy : copySharedMem)<<<dim3(width / TILE_DIM, height / TILE_DIM),
                                        dim3(TILE_DIM, BLOCK_ROWS)>>>(
        output, input, static_cast<int>(width), static_cast<int>(height));
    finish();
}
