// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/cubin.h"

#include "tests/fuzz/targets/fuzz_input.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    fuzz::allow_user_error([&] {
        const sass::cubin file(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
        static_cast<void>(file.find_function("k"));
    });
    return 0;
}
