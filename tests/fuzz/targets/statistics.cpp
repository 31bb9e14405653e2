// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"
#include "platform/study/comparison.h"
#include "platform/study/html_report.h"
#include "platform/study/kernel_analysis.h"
#include "platform/study/merge.h"
#include "tests/fuzz/targets/fuzz_input.h"

/// Two statistics files, separated by a zero byte: summarised, compared, merged and reported.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    namespace study = platform::study;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\0');
    const auto run_of = [](const std::string& t, const char* name) {
        return study::statistics_run(name, study::parse_json(t, name, ""));
    };
    fuzz::allow_user_error([&] {
        const study::statistics_run a = run_of(text.substr(0, end), "a.json");
        study::summary_text(a);
        study::html_page(study::report_data({{a, "a", {}}}, {}));
        const study::statistics_run b =
            end == std::string::npos ? a : run_of(text.substr(end + 1), "b.json");
        const study::comparison c = study::compare(a, b, {});
        study::comparison_text(a, b, c, 0);
        study::comparison_json(a, b, c).dump(1);
        study::merge_options how;
        how.allow_gaps = how.allow_options = true;
        study::statistics_run("merged.json", study::merge({a, b}, how));
        how.overlap = true;
        study::statistics_run("merged.json", study::merge({a, b}, how));
    });
    return 0;
}
