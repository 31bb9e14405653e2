// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/sampling_options.h"

namespace simtlm::platform {

namespace {

double share(const option_values& v, const char* option) {
    const double x = v.real(option);
    if (!(x > 0 && x <= 1)) v.fail(option, "is not a share", "more than 0, at most 1");
    return x;
}

}  // namespace

sampling_options sampling_options::of(const option_values& v) {
    sampling_options o;
    o.groups = v.flag("--sample");
    o.stable = v.flag("--sample-stable");
    o.budget = share(v, "--sample-budget");
    o.similarity = share(v, "--sample-similarity");
    o.first = v.number("--sample-first");
    o.skip = v.number("--sample-skip");
    o.from = v.number("--sample-from");
    o.spread = share(v, "--sample-spread");
    o.json = v.text("--sample-json");
    return o;
}

}  // namespace simtlm::platform
