// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/replacement_policy.h"

#include "modules/cache/replacement/first_in_first_out.h"
#include "modules/cache/replacement/least_recently_used.h"
#include "modules/cache/replacement/random_line.h"

namespace simtlm::cache {

template <class Policy>
std::unique_ptr<replacement_policy> make_replacement() {
    return std::make_unique<Policy>();
}

const std::vector<std::pair<char, replacement_maker>>& replacement_policies() {
    static const std::vector<std::pair<char, replacement_maker>> all = {
        {'L', make_replacement<least_recently_used>},
        {'F', make_replacement<first_in_first_out>},
        {'R', make_replacement<random_line>},
    };
    return all;
}

}  // namespace simtlm::cache
