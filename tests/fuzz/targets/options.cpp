// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include "platform/config/config.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <sstream>

/// A file in option syntax: read, converted to a configuration, and written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (text.find("-config") != std::string::npos) return 0;  // would read files of this machine
    fuzz::allow_user_error([&] {
        platform::option_values values;
        values.load_text("-network_mode 2\n" + text, "fuzz");
        platform::make_gpu_config(values);
        std::ostringstream dump;
        platform::write_config(dump, values);
        platform::option_values again;
        again.load_text(dump.str(), "dump");
    });
    return 0;
}
