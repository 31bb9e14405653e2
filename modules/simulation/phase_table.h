// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/edge_source.h"
#include "modules/simulation/scheduled_phase.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::simulation {

class group_schedule;
class parallel_region;

/// The phases of a phase_sequencer with the processes and groups that act in them and, once
/// elaboration has ended, the order in which a step visits them: for each set of domains that have
/// an edge at the same instant, without and with deferred edges of the decoupled domain.
class phase_table {
public:
    explicit phase_table(const std::vector<phase>& phases);

    std::vector<scheduled_phase>& phase_entries() { return phase_entries_; }
    const std::vector<scheduled_phase>& phase_entries() const { return phase_entries_; }
    const std::vector<group_schedule*>& groups() const { return groups_; }
    /// Index of a phase in the table.
    std::size_t number_of(const scheduled_phase& s) const {
        return static_cast<std::size_t>(&s - phase_entries_.data());
    }
    /// Calls a function with each process, of the sequencer and of its groups.
    void for_each_process(const std::function<void(process_state&)>& call) const;

    // ---- construction ----

    /// Adds a group, whose process runs in the group's first phase.
    void add_group(group_schedule& g) { groups_.push_back(&g); }
    /// Lets processes that are created from now on join a group; close_group() ends this.
    void open_group(group_schedule& g) { open_groups_.push_back(&g); }
    void close_group(group_schedule& g);
    /// The open group that a process under construction joins, or nullptr.
    group_schedule* group_of_new(phase_index p) const;

    // ---- end of elaboration ----

    /// Completes the phases and groups. @param shuffle_seed  not 0: seed of a random order of the
    /// processes within each phase
    void complete_members(std::uint64_t shuffle_seed);
    /// Determines the phases that a parallel region runs, and the order of visits.
    void complete_order(parallel_region& region);
    /// Inserts the replay of deferred edges of a domain into the order of visits.
    /// @return false if the domain cannot be decoupled: it has blocks outside groups, or groups
    ///         that begin in different phases
    bool insert_replay(unsigned domain);

    // ---- steps ----

    /// The visits of a step. @param domains  with an edge, one bit each
    /// @param deferred  whether edges of the decoupled domain have to be replayed
    const std::vector<phase_visit>& visits(unsigned domains, bool deferred) const {
        return order_[domains | (deferred ? with_deferred : 0)];
    }
    /// The phase of the decoupled domain's groups; nullptr if no domain is decoupled.
    scheduled_phase* deferred_phase() const { return deferred_phase_; }
    /// The replay actions of these groups.
    const std::vector<edge_action>& replay_actions() const { return replay_actions_; }
    /// Whether no process outside groups is awake.
    bool all_asleep() const;

private:
    static constexpr unsigned with_deferred = 1u << edge_source::max_domains;

    std::vector<scheduled_phase> phase_entries_;
    std::vector<group_schedule*> groups_;
    std::vector<group_schedule*> open_groups_;  // which processes under construction may join
    std::array<std::vector<phase_visit>, 2 * with_deferred> order_;  // see visits()
    scheduled_phase* deferred_phase_ = nullptr;
    std::vector<edge_action> replay_actions_;
};

}  // namespace simtlm::simulation
