// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/kernel_pairing.h"

#include "platform/study/profile/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace simtlm::platform::study {

namespace {

/// All launches with the same full name on one side.
struct named_launches {
    kernel_name name;
    std::string written;
    std::vector<std::size_t> launches;
    bool paired = false;
};
using side = std::vector<named_launches>;

/// Collects the launches of a side by name.
class side_builder {
public:
    void add(const std::string& written, std::size_t launch) {
        auto at = by_text_.find(written);
        if (at == by_text_.end()) {
            kernel_name name = kernel_name::of(written);
            const auto [place, fresh] = by_name_.emplace(name.full, side_.size());
            if (fresh) side_.push_back({std::move(name), written, {}, false});
            at = by_text_.emplace(written, place->second).first;
        }
        side_[at->second].launches.push_back(launch);
    }
    side take() { return std::move(side_); }

private:
    std::map<std::string, std::size_t> by_text_, by_name_;
    side side_;
};

/// Whether one name is the other without template arguments or namespaces.
bool agree(const kernel_name& a, const kernel_name& b) {
    if (a.base != b.base) return false;
    const bool scopes_agree =
        a.qualified == b.qualified || a.qualified == a.base || b.qualified == b.base;
    const auto arguments = [](const kernel_name& n) {
        const std::size_t at = n.full.find('<');
        return at == std::string::npos ? std::string() : n.full.substr(at);
    };
    return scopes_agree &&
           (!a.has_arguments() || !b.has_arguments() || arguments(a) == arguments(b));
}

std::vector<std::size_t> in_order(std::vector<std::size_t> launches) {
    std::sort(launches.begin(), launches.end());
    return launches;
}

/// Adds the launches of `from` that agree with any name of `with`. @return whether there are any
bool gather(side& from, const side& of, std::vector<std::size_t>& names,
            const std::vector<std::size_t>& with) {
    bool found = false;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i].paired) continue;
        if (std::none_of(with.begin(), with.end(),
                         [&](std::size_t w) { return agree(from[i].name, of[w].name); }))
            continue;
        from[i].paired = found = true;
        names.push_back(i);
    }
    return found;
}

std::vector<std::size_t> launches_of(const side& s, const std::vector<std::size_t>& names) {
    std::vector<std::size_t> all;
    for (const std::size_t n : names)
        all.insert(all.end(), s[n].launches.begin(), s[n].launches.end());
    return in_order(std::move(all));
}

/// Pairs by name: first equal names, then names that agree.
std::vector<kernel_pair> paired_by_name(side& measured, side& simulated) {
    std::vector<kernel_pair> pairs;
    std::map<std::string, std::size_t> equal;
    for (std::size_t i = 0; i < simulated.size(); ++i) equal.emplace(simulated[i].name.full, i);
    for (named_launches& m : measured) {
        const auto at = equal.find(m.name.full);
        if (at == equal.end()) continue;
        m.paired = simulated[at->second].paired = true;
        pairs.push_back({m.written, {}, {}, m.launches, simulated[at->second].launches});
    }
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (measured[i].paired) continue;
        std::vector<std::size_t> m = {i}, s;
        measured[i].paired = true;
        while (gather(simulated, measured, s, m) && gather(measured, simulated, m, s)) {
        }
        pairs.push_back(
            {measured[i].written, {}, {}, launches_of(measured, m), launches_of(simulated, s)});
    }
    for (const named_launches& s : simulated)
        if (!s.paired) pairs.push_back({s.written, {}, {}, {}, s.launches});
    std::stable_sort(pairs.begin(), pairs.end(), [](const kernel_pair& a, const kernel_pair& b) {
        if (a.measured.empty() || b.measured.empty())
            return a.measured.empty() < b.measured.empty();
        return a.measured.front() < b.measured.front();
    });
    return pairs;
}

/// Divides a pair by the sizes of its launches, if all are known.
std::vector<kernel_pair> divided_by_size(const kernel_pair& p, const kernel_profile& profile,
                                         const statistics_run& run) {
    using size = std::pair<std::string, std::string>;
    std::vector<size> order;
    std::map<size, kernel_pair> parts;
    const auto part = [&](const size& s) -> kernel_pair& {
        const auto [at, fresh] = parts.emplace(s, kernel_pair{p.name, s.first, s.second, {}, {}});
        if (fresh) order.push_back(s);
        return at->second;
    };
    for (const std::size_t m : p.measured)
        part({profile.launches[m].grid, profile.launches[m].block}).measured.push_back(m);
    for (const std::size_t s : p.simulated)
        part({extent_text(run.kernels()[s], "grid"), extent_text(run.kernels()[s], "block")})
            .simulated.push_back(s);
    const bool all_known = std::none_of(order.begin(), order.end(), [](const size& s) {
        return s.first.empty() || s.second.empty();
    });
    if (!all_known && !p.measured.empty() && !p.simulated.empty()) return {p};
    std::vector<kernel_pair> divided;
    for (const size& s : order) divided.push_back(std::move(parts[s]));
    return divided;
}

}  // namespace

std::string extent_text(const json& kernel, const char* name) {
    const auto at = kernel.find(name);
    if (at == kernel.end() || !at->is_array() || at->size() != 3) return {};
    return fmt::format("{} x {} x {}", (*at)[0].dump(), (*at)[1].dump(), (*at)[2].dump());
}

std::vector<kernel_pair> pair_kernels(const kernel_profile& profile, const statistics_run& run,
                                      bool each) {
    side_builder of_profile, of_run;
    for (std::size_t i = 0; i < profile.launches.size(); ++i)
        of_profile.add(profile.launches[i].name, i);
    std::vector<kernel_pair> unfinished;
    for (std::size_t i = 0; i < run.kernels().size(); ++i) {
        const json& k = run.kernels()[i];
        const std::string name = kernel_key::of(k).name;
        if (k.value("finished", true))
            of_run.add(name, i);
        else
            unfinished.push_back({name + " (did not finish)",
                                  extent_text(k, "grid"),
                                  extent_text(k, "block"),
                                  {},
                                  {i}});
    }
    side measured = of_profile.take(), simulated = of_run.take();
    std::vector<kernel_pair> pairs;
    for (const kernel_pair& named : paired_by_name(measured, simulated))
        for (kernel_pair& p : divided_by_size(named, profile, run)) {
            const bool single =
                std::all_of(p.measured.begin(), p.measured.end(),
                            [&](std::size_t m) { return profile.launches[m].launches == 1; });
            if (!each || !single || p.measured.size() != p.simulated.size()) {
                pairs.push_back(std::move(p));
                continue;
            }
            for (std::size_t i = 0; i < p.measured.size(); ++i)
                pairs.push_back({p.name, p.grid, p.block, {p.measured[i]}, {p.simulated[i]}});
        }
    std::move(unfinished.begin(), unfinished.end(), std::back_inserter(pairs));
    return pairs;
}

}  // namespace simtlm::platform::study
