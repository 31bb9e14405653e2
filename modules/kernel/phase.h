// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace simtlm::kernel {

/// A member function of a block, to be called on a clock edge.
struct edge_action {
    void* self;
    void (*call)(void*);
};

/// edge_action of a member function: `on_edge<&warp_scheduler::cycle>(this)`.
template <auto Member, class Block>
edge_action on_edge(Block* self) {
    return {self, [](void* p) { (static_cast<Block*>(p)->*Member)(); }};
}

/// One ordered phase of a clock edge: which clock domain it belongs to and what happens in it.
struct phase {
    unsigned domain;
    const char* name;
    /// Not 0: in it, what a process touches belongs to its scheduling partition (partition_scope)
    /// alone, and what a process of a process_group of this kind touches to that group. The phases
    /// of one kind follow one another and are of one domain.
    unsigned group_kind = 0;
    /// Processes of it read what other scheduling partitions have written in earlier phases of its
    /// step: host threads synchronise before it.
    bool barrier_before = false;
};

/// Which phase of its table, told to a sequencer by number or by an enumerator of the design's own
/// phases.
class phase_index {
public:
    constexpr phase_index(unsigned number) : number_(number) {}
    template <class Phase, class = std::enable_if_t<std::is_enum_v<Phase>>>
    constexpr phase_index(Phase which) : number_(static_cast<unsigned>(which)) {}
    constexpr operator unsigned() const { return number_; }

private:
    unsigned number_;
};

}  // namespace simtlm::kernel
