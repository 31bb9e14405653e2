// SPDX-License-Identifier: Apache-2.0
// scan of NVIDIA's cuda-samples for -size values in arrays of -arrayLength: one kernel for arrays of
// up to 1024 values (scan-short), otherwise three (scan-long).
#include <scan.cu>

#include "program.h"

int main(int count, char** words) {
    const unsigned n = argument(count, words, "size");
    const unsigned length = argument(count, words, "arrayLength");
    unsigned* const input = device_values(n, random_keys(n, RAND_MAX));
    unsigned* const output = device_values<unsigned>(n);
    initScan();
    if (length <= MAX_SHORT_ARRAY_SIZE)
        scanExclusiveShort(output, input, n / length, length);
    else
        scanExclusiveLarge(output, input, n / length, length);
    finish();
    closeScan();
}
