// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/trace_survey.h"

#include "modules/trace/recorded_size.h"

#include <algorithm>
#include <utility>

namespace simtlm::platform {

namespace {

bool near(std::uint64_t a, std::uint64_t b, double tolerance) {
    const double difference = static_cast<double>(std::max(a, b) - std::min(a, b));
    return a != 0 && b != 0 && difference <= tolerance * static_cast<double>(std::max(a, b));
}

}  // namespace

trace_survey::trace_survey(trace::reader_options options, double tolerance)
    : options_(std::move(options)), tolerance_(tolerance) {}

const kernel_traits& trace_survey::of(const std::string& file, const kernel_traits& header) {
    const auto [entry, fresh] = known_.try_emplace(file);
    kernel_traits& traits = entry->second;
    if (!fresh) return traits;
    // The header does not apply if only selected thread blocks are read.
    const bool comparable = !header.name.empty() && options_.ctas.all();
    const std::uint64_t bytes = comparable ? trace::recorded_size(file).value_or(0) : 0;
    std::vector<recording>& of_name = by_name_[header.name];
    if (comparable)
        for (const recording& r : of_name)
            if (near(bytes, r.bytes, tolerance_) && same_launch(r.header, header)) {
                traits = r.whole;
                traits.stream = header.stream;
                traits.recorded = static_cast<double>(bytes);
                return traits;
            }
    traits = traits_of_trace(file, options_);
    traits.recorded = static_cast<double>(bytes);
    ++read_;
    if (bytes != 0) of_name.push_back({header, traits, bytes});
    return traits;
}

}  // namespace simtlm::platform
