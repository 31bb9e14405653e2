// SPDX-License-Identifier: Apache-2.0
// sortingNetworks of NVIDIA's cuda-samples for -size keys in arrays of -arrayLength: bitonic sort,
// or odd-even merge sort if compiled with ODD_EVEN.
#include <bitonicSort.cu>
#include <oddEvenMergeSort.cu>

#include "program.h"

int main(int count, char** words) {
    const unsigned n = argument(count, words, "size");
    const unsigned length = argument(count, words, "arrayLength");
    std::vector<unsigned> numbers(n);
    for (unsigned i = 0; i < n; ++i) numbers[i] = i;
    unsigned* const keys = device_values(n, random_keys(n, 65536));
    unsigned* const values = device_values(n, numbers);
    unsigned* const sorted_keys = device_values<unsigned>(n);
    unsigned* const sorted_values = device_values<unsigned>(n);
#ifdef ODD_EVEN
    oddEvenMergeSort(sorted_keys, sorted_values, keys, values, n / length, length, 0);
#else
    bitonicSort(sorted_keys, sorted_values, keys, values, n / length, length, 0);
#endif
    finish();
}
