// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/kernel_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    simtlm::fuzz::read_input("k.traceg", data, size);
    return 0;
}
