// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/cubin.h"

#include "modules/sass/decoder.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    fuzz::allow_user_error([&] {
        const sass::cubin file(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
        static_cast<void>(file.find_function("k"));
        for (const sass::cubin_function& f : file.functions())
            for (std::size_t n = 0; n < f.instructions(); ++n) {
                sass::instruction i;
                if (sass::decode(f.word(n), file.architecture(), n * sass::instruction_bytes, i))
                    static_cast<void>(sass::to_string(i));
            }
    });
    return 0;
}
