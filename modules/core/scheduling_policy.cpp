// SPDX-License-Identifier: Apache-2.0
#include "modules/core/scheduling_policy.h"

#include "modules/core/scheduling/greedy_then_oldest.h"
#include "modules/core/scheduling/loose_round_robin.h"
#include "modules/core/scheduling/strict_round_robin.h"
#include "modules/core/scheduling/two_level_active.h"
#include "modules/core/scheduling/warp_limiting.h"
#include "modules/kernel/error.h"

#include <cstdio>

namespace simtlm::core {

namespace {

struct arguments {
    const std::string& text;
    const warp_table& warps;
    const scoreboard& scores;
    warp_mask mine;
};

struct row {
    const char* name;
    std::unique_ptr<scheduling_policy> (*make)(const arguments&);
};

// Where names meet makers.
constexpr row table[] = {
    {"lrr",
     [](const arguments&) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<loose_round_robin>();
     }},
    {"rrr",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         return std::make_unique<strict_round_robin>(a.warps, a.mine);
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
         unsigned active = 0, inner = 0, outer = 0;
         if (std::sscanf(a.text.c_str(), "two_level_active:%u:%u:%u", &active, &inner, &outer) <
                 1 ||
             active == 0)
             throw kernel::user_error("-gpgpu_scheduler", "cannot read \"" + a.text + "\"",
                                      "write two_level_active:<active warps>:<inner>:<outer>");
         return std::make_unique<two_level_active>(a.warps, a.scores, a.mine, active);
     }},
    {"warp_limiting",
     [](const arguments& a) -> std::unique_ptr<scheduling_policy> {
         unsigned policy = 0, limit = 0;
         if (std::sscanf(a.text.c_str(), "warp_limiting:%u:%u", &policy, &limit) != 2 || limit == 0)
             throw kernel::user_error("-gpgpu_scheduler", "cannot read \"" + a.text + "\"",
                                      "write warp_limiting:<policy>:<warps>");
         return std::make_unique<warp_limiting>(a.warps, a.mine, limit);
     }},
};

}  // namespace

std::unique_ptr<scheduling_policy> make_scheduling_policy(const std::string& text,
                                                          const warp_table& warps,
                                                          const scoreboard& scores,
                                                          warp_mask mine) {
    const std::string name = text.substr(0, text.find(':'));
    for (const row& r : table)
        if (name == r.name) return r.make({text, warps, scores, mine});
    std::string known;
    for (const row& r : table) known += known.empty() ? r.name : std::string(", ") + r.name;
    throw kernel::user_error("-gpgpu_scheduler", "no warp scheduler \"" + name + "\"",
                             "choose one of " + known);
}

std::vector<std::string> scheduling_policy_names() {
    std::vector<std::string> names;
    for (const row& r : table) names.emplace_back(r.name);
    return names;
}

}  // namespace simtlm::core
