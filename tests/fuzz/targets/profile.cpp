// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_comparison.h"
#include "tests/fuzz/targets/fuzz_input.h"

/// A profile, after a zero byte optionally a statistics file to compare it with.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    namespace study = platform::study;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\0');
    fuzz::allow_user_error([&] {
        const study::kernel_profile profile =
            study::kernel_profile::parse(text.substr(0, end), "p.csv");
        if (end == std::string::npos) return;
        const study::statistics_run run("r.json",
                                        study::parse_json(text.substr(end + 1), "r.json", ""));
        for (const bool each : {false, true}) {
            study::profile_comparison_options options;
            options.each_launch = each;
            const study::profile_comparison c = study::compare_profile(profile, run, options);
            study::profile_comparison_text(run, c, 0);
            study::profile_comparison_page(run, c);
        }
    });
    return 0;
}
