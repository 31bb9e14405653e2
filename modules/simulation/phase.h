// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace simtlm::simulation {

/// A member function of a block that is called on a clock edge.
struct edge_action {
    void* self;
    void (*call)(void*);
};

/// Makes an edge_action of a member function: `on_edge<&warp_scheduler::cycle>(this)`.
template <auto Member, class Block>
edge_action on_edge(Block* self) {
    return {self, [](void* p) { (static_cast<Block*>(p)->*Member)(); }};
}

/// A phase of a clock edge: its clock domain and its position in the order of a step.
struct phase {
    unsigned domain;
    const char* name;
    /// If not 0, processes of this phase access only state of their own scheduling partition
    /// (scheduling_partition_scope), and members of a process_group of this kind only state of
    /// their group. Phases of one kind must be consecutive and belong to one domain.
    unsigned group_kind = 0;
    /// Processes of this phase read state that other scheduling partitions have written in earlier
    /// phases of the step, so that host threads synchronise before it.
    bool barrier_before = false;
};

/// Index of a phase in a sequencer's table, made from a number or from an enumerator of the
/// design's phases.
class phase_index {
public:
    constexpr phase_index(unsigned number) : number_(number) {}
    template <class Phase, class = std::enable_if_t<std::is_enum_v<Phase>>>
    constexpr phase_index(Phase which) : number_(static_cast<unsigned>(which)) {}
    constexpr operator unsigned() const { return number_; }

private:
    unsigned number_;
};

}  // namespace simtlm::simulation
