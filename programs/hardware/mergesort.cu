// SPDX-License-Identifier: Apache-2.0
// mergeSort of NVIDIA's cuda-samples for -size keys, in ascending order.
#include <mergeSort.cu>

#include "program.h"

int main(int count, char** words) {
    const unsigned n = argument(count, words, "size");
    std::vector<unsigned> numbers(n);
    for (unsigned i = 0; i < n; ++i) numbers[i] = i;
    unsigned* const keys = device_values(n, random_keys(n, 65536));
    unsigned* const values = device_values(n, numbers);
    unsigned* buffers[4];
    for (unsigned*& b : buffers) b = device_values<unsigned>(n);
    initMergeSort();
    mergeSort(buffers[0], buffers[1], buffers[2], buffers[3], keys, values, n, 1);
    finish();
    closeMergeSort();
}
