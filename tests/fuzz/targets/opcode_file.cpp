// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"
#include "tests/fuzz/targets/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    static const isa::opcode_tables builtin = isa::opcode_tables::builtin();
    fuzz::allow_user_error([&] {
        isa::opcode_tables tables = builtin;
        tables.load_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    });
    return 0;
}
