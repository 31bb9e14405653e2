// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/scheduling_policy.h"

#include "modules/core/simt_pipeline/scheduling/greedy_then_oldest.h"
#include "modules/core/simt_pipeline/scheduling/loose_round_robin.h"
#include "modules/core/simt_pipeline/scheduling/strict_round_robin.h"
#include "modules/core/simt_pipeline/scheduling/two_level_active.h"
#include "modules/core/simt_pipeline/scheduling/warp_limiting.h"
#include "modules/support/error.h"

namespace simtlm::core::simt_pipeline {

namespace {

using arguments = scheduling_arguments;

[[noreturn]] void refuse(const char* syntax) {
    throw support::user_error("-gpgpu_scheduler", "the policy needs other numbers",
                              std::string("write ") + syntax);
}

struct known_policy {
    const char* name;
    std::unique_ptr<scheduling_policy> (*make)(const arguments&);
};

// Maps names to constructors.
constexpr known_policy table[] = {
    {"lrr",
     [](const arguments&) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<loose_round_robin>();
     }},
    {"rrr",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<strict_round_robin>(a.warps, a.mine, a.rrr_begins_with_warp_0);
     }},
    {"gto",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<greedy_then_oldest>(a.warps, a.mine, true);
     }},
    {"oldest",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<greedy_then_oldest>(a.warps, a.mine, false);
     }},
    {"old",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<greedy_then_oldest>(a.warps, a.mine, false);
     }},
    {"two_level_active",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         if (a.parameters.empty() || a.parameters[0] == 0)
             refuse("two_level_active:<active warps>:<inner>:<outer>");
         return std::make_unique<two_level_active>(a.warps, a.scores, a.mine, a.parameters[0],
                                                   a.two_level_rotates_twice);
     }},
    {"warp_limiting",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         if (a.parameters.size() != 2 || a.parameters[1] == 0)
             refuse("warp_limiting:<policy>:<warps>");
         return std::make_unique<warp_limiting>(a.warps, a.mine, a.parameters[1]);
     }},
};

}  // namespace

std::unique_ptr<scheduling_policy> make_scheduling_policy(const scheduling_choice& choice,
                                                          const warp_table& warps,
                                                          const scoreboard& scores, warp_mask mine,
                                                          bool rrr_begins_with_warp_0,
                                                          bool two_level_rotates_twice) {
    const scheduling_arguments given{
        choice.parameters, warps, scores, mine, rrr_begins_with_warp_0, two_level_rotates_twice};
    if (choice.make != nullptr) return choice.make(given);
    for (const known_policy& r : table)
        if (choice.name == r.name) return r.make(given);
    std::string known;
    for (const known_policy& r : table)
        known += known.empty() ? r.name : std::string(", ") + r.name;
    throw support::user_error("-gpgpu_scheduler", "no warp scheduler \"" + choice.name + "\"",
                              "choose one of " + known);
}

std::vector<std::string> scheduling_policy_names() {
    std::vector<std::string> names;
    for (const known_policy& r : table) names.emplace_back(r.name);
    return names;
}

}  // namespace simtlm::core::simt_pipeline
