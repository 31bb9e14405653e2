// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/checkpoint_file.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <cstdlib>

/// A checkpoint file. The last byte selects whether its checksum is corrected.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using simtlm::platform::checkpoint_contents;
    if (size == 0) return 0;
    std::string text(reinterpret_cast<const char*>(data), size - 1);
    if ((data[size - 1] & 1) == 0)
        if (const std::size_t end = text.find('\n'); end != std::string::npos)
            text = checkpoint_contents::first_line(text.substr(end + 1)) + text.substr(end + 1);
    simtlm::fuzz::allow_user_error([&] {
        const checkpoint_contents read = checkpoint_contents::unpacked(text, "fuzz");
        const checkpoint_contents again = checkpoint_contents::unpacked(read.packed(), "again");
        if (again.state != read.state || again.host_log != read.host_log) std::abort();
    });
    return 0;
}
