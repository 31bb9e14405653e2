// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config_formats.h"
#include "tests/fuzz/targets/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    fuzz::allow_user_error([&] {
        platform::parse_router_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    });
    return 0;
}
