// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/launch_chooser.h"

namespace simtlm::platform {

namespace {

/// Up to this number of launches, a family needs no samples of its own if other families cover it.
constexpr std::size_t rare_launches = 4;

/// Number of launches to simulate out of the first n of a group.
std::size_t due(std::size_t n) {
    std::size_t count = 0;
    for (std::size_t number = 1; number <= n; number = 2 * number + (number % 2 == 0 ? 1 : 0))
        ++count;
    return count;
}

}  // namespace

std::optional<std::size_t> launch_chooser::family::predicted() const {
    if (last.empty()) return std::nullopt;
    const std::pair<const std::size_t, group>* rarest = nullptr;
    for (const auto& one : groups) {
        const group& g = one.second;
        if (g.interval > 1 && ended - g.last == g.interval &&
            (rarest == nullptr || g.interval > rarest->second.interval))
            rarest = &one;
    }
    if (rarest != nullptr) return rarest->first;
    if (last.size() == 2)
        if (const auto next = after_two.find({last[0], last[1]}); next != after_two.end())
            return next->second;
    if (const auto next = after_one.find(last.back()); next != after_one.end()) return next->second;
    return last.back();
}

bool launch_chooser::choose(std::size_t number, bool covered, bool large) {
    if (number >= families_.size()) families_.resize(number + 1);
    family& f = families_[number];
    ++f.launches;
    // Without a prediction, all launches count as one group.
    group expected{f.launches - 1, f.samples - f.open};
    if (const auto g = f.predicted()) expected = f.groups.at(*g);
    const bool most = f.samples >= 3 + f.launches / 4;
    const bool rare = covered && f.launches <= rare_launches;
    const bool chosen =
        first_ != 0 ? f.launches <= (large ? 1 : first_)
                    : !most && !rare && due(expected.launches + 1) > expected.samples + f.open;
    if (chosen) {
        ++f.samples;
        ++f.open;
    }
    return chosen;
}

void launch_chooser::observed(std::size_t number, std::size_t which, bool simulated) {
    family& f = families_.at(number);
    group& g = f.groups[which];
    if (g.launches != 0) g.interval = f.ended - g.last;
    g.last = f.ended++;
    ++g.launches;
    if (simulated) {
        ++g.samples;
        --f.open;
    }
    if (!f.last.empty()) f.after_one[f.last.back()] = which;
    if (f.last.size() == 2) {
        f.after_two[{f.last[0], f.last[1]}] = which;
        f.last.erase(f.last.begin());
    }
    f.last.push_back(which);
}

}  // namespace simtlm::platform
