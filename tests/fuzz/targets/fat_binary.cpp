// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/fat_binary.h"

#include "tests/fuzz/targets/fuzz_input.h"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    fuzz::allow_user_error([&] { sass::read_fat_binary(bytes, "fuzz"); });
    fuzz::allow_user_error([&] { sass::fat_binaries_of(bytes, "fuzz"); });
    return 0;
}
