// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/replacement_policy.h"

#include "modules/cache/replacement/first_in_first_out.h"
#include "modules/cache/replacement/least_recently_used.h"
#include "modules/cache/replacement/random_line.h"
#include "modules/support/error.h"

#include <string>

namespace simtlm::cache {

namespace {

template <class Policy>
std::unique_ptr<replacement_policy> make() {
    return std::make_unique<Policy>();
}

}  // namespace

const std::vector<named_replacement_policy>& replacement_policies() {
    static const std::vector<named_replacement_policy> all = {
        {'L', make<least_recently_used>},
        {'F', make<first_in_first_out>},
        {'R', make<random_line>},
    };
    return all;
}

std::unique_ptr<replacement_policy> make_replacement_policy(char letter) {
    for (const named_replacement_policy& p : replacement_policies())
        if (p.letter == letter) return p.make();
    throw support::user_error("cache_config::replacement",
                              std::string("no replacement policy '") + letter + "'",
                              "use a letter of replacement_policies()");
}

}  // namespace simtlm::cache
