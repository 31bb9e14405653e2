// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/kernel_reading.h"
#include "tests/unit/trace/binary_bytes.h"

/// Checksums would reject nearly every input, so most of them are corrected.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data), size - 1);
    if ((data[size - 1] & 64u) == 0) simtlm::test::reseal(bytes);
    bytes.push_back(static_cast<char>(data[size - 1]));
    simtlm::fuzz::read_input("k.simtlm", reinterpret_cast<const std::uint8_t*>(bytes.data()),
                             bytes.size());
    return 0;
}
