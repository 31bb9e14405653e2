// SPDX-License-Identifier: Apache-2.0
// vectorAdd of NVIDIA's cuda-samples for -size N elements, one kernel.
#define main sample_main
#include <vectorAdd.cu>
#undef main
#include "program.h"

int main(int count, char** words) {
    const unsigned n = argument(count, words, "size");
    float* const a = device_values(n, random_numbers(n));
    float* const b = device_values(n, random_numbers(n));
    float* const sum = device_values<float>(n);
    vectorAdd<<<(n + 255) / 256, 256>>>(a, b, sum, static_cast<int>(n));
    finish();
}
