// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/phase_table.h"

#include "modules/simulation/group_schedule.h"
#include "modules/simulation/parallel_region.h"
#include "modules/simulation/process_state.h"

#include <algorithm>
#include <random>

namespace simtlm::simulation {

phase_table::phase_table(const std::vector<phase>& phases) {
    phase_entries_.reserve(phases.size());
    for (const phase& p : phases) {
        phase_entries_.emplace_back(p);
        phase_entries_.back().start_all =
            std::make_unique<sc_core::sc_event>((std::string(p.name) + "_start").c_str());
    }
}

void phase_table::close_group(group_schedule& g) {
    open_groups_.erase(std::remove(open_groups_.begin(), open_groups_.end(), &g),
                       open_groups_.end());
}

group_schedule* phase_table::group_of_new(phase_index p) const {
    const auto found = std::find_if(open_groups_.begin(), open_groups_.end(),
                                    [p](const group_schedule* g) { return g->has(p); });
    return found != open_groups_.end() ? *found : nullptr;
}

void phase_table::complete_members(std::uint64_t shuffle_seed) {
    std::mt19937_64 random(shuffle_seed);
    for (scheduled_phase& s : phase_entries_) s.find_processes();
    if (shuffle_seed != 0)
        for (scheduled_phase& s : phase_entries_) {
            // Slots run by the same processes use the same order in all phases.
            std::mt19937_64 same(shuffle_seed);
            s.shuffle(s.processes != &s || s.shares_processes ? same : random);
        }
    for (group_schedule* g : groups_) g->complete(shuffle_seed != 0 ? &random : nullptr);
}

void phase_table::complete_order(parallel_region& region) {
    for (scheduled_phase& s : phase_entries_) {
        // Processes of different sub-phases act one after the other.
        s.shared = region.exists() && s.what.group_kind != 0 && s.sub_phases.size() <= 1;
        if (s.shared && !s.members.empty()) region.add(s);
    }
    for (unsigned p = 0; p < phase_entries_.size(); ++p) {
        phase_entries_[p].complete(p);
        for (sub_phase& t : phase_entries_[p].sub_phases)
            for (unsigned set = 0; set < with_deferred; ++set)
                if ((set >> phase_entries_[p].what.domain & 1u) != 0)
                    order_[set].push_back(
                        {&t, &phase_entries_[p], phase_entries_[p].actions.data()});
    }
}

bool phase_table::insert_replay(unsigned domain) {
    std::size_t members = 0, groups = 0;
    for (const scheduled_phase& s : phase_entries_)
        if (s.what.domain == domain)
            members += static_cast<std::size_t>(
                std::count_if(s.members.begin(), s.members.end(), [](auto* p) { return p; }));
    scheduled_phase* of_first_group = nullptr;
    for (const group_schedule* g : groups_) {
        if (g->domain() != domain) continue;
        if (of_first_group != nullptr && of_first_group != &phase_entries_[g->first_phase()])
            return false;
        of_first_group = &phase_entries_[g->first_phase()];
        ++groups;
    }
    if (groups == 0 || groups != members) return false;
    deferred_phase_ = of_first_group;
    for (const edge_action& a : deferred_phase_->actions)
        replay_actions_.push_back(
            on_edge<&group_schedule::replay>(static_cast<group_schedule*>(a.self)));
    for (unsigned set = 0; set < with_deferred; ++set) {
        auto& order = order_[with_deferred + set];
        order = order_[set];
        // The replay of deferred edges precedes the phases of the step. Phases in which processes
        // access nothing beyond their own partition may come before the replay, which then takes
        // place where its processes run for the first time, so that they need not run twice.
        const auto first = std::find_if(order.begin(), order.end(), [this](const phase_visit& v) {
            return v.of->processes == deferred_phase_->processes || v.of->what.group_kind == 0;
        });
        const bool joins =
            first != order.end() && first->of->processes == deferred_phase_->processes;
        order.insert(joins ? first : order.begin(),
                     {&deferred_phase_->sub_phases[0], deferred_phase_, replay_actions_.data()});
    }
    return true;
}

void phase_table::for_each_process(const std::function<void(process_state&)>& call) const {
    const auto members_of = [&call](const scheduled_phase& s) {
        for (process_state* p : s.members)
            if (p != nullptr) call(*p);  // phases laid out by chunk have unused places
    };
    for (const scheduled_phase& s : phase_entries_) members_of(s);
    for (const group_schedule* g : groups_)
        for (const scheduled_phase& s : g->phase_entries()) members_of(s);
}

bool phase_table::all_asleep() const {
    for (const scheduled_phase& s : phase_entries_)
        for (const sub_phase& t : s.sub_phases)
            if (t.awake != 0) return false;
    return true;
}

}  // namespace simtlm::simulation
