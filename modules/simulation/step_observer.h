// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace simtlm::simulation {

/// Observes the design after every step with at least one edge of any domain, before the next step,
/// for example to sample waveforms.
struct step_observer {
    virtual ~step_observer() = default;
    /// The phases of a step have been visited. Called at the time of the step; other processes may
    /// still run at that time.
    virtual void phases_ended(unsigned /*ticked*/) {}
    /// @param ticked  bit d set: domain d had an edge in the step that has just ended
    virtual void step_ended(unsigned ticked) = 0;
};

/// Traces the signals of a block and its descendants in a SystemC trace file.
struct block_tracer {
    virtual ~block_tracer() = default;
    /// Adds the signals of a block to a trace file.
    virtual void trace(sc_core::sc_trace_file& file, const sc_core::sc_object& block) = 0;
};

/// Tracks which blocks were active in a step, so that observers can skip blocks whose state cannot
/// have changed. Blocks are identified by the hierarchical name of their module and numbered from
/// 1; 0 denotes all blocks that are not watched.
class block_activity {
public:
    /// Watches a block, which may be created later. @return its number
    unsigned watch(const std::string& block) {
        if (active_in_.empty()) active_in_.push_back(0);
        const auto [at, is_new] =
            numbers_.try_emplace(block, static_cast<unsigned>(active_in_.size()));
        if (is_new) active_in_.push_back(no_processes);
        return at->second;
    }
    /// Whether any block is watched.
    bool watches() const { return !active_in_.empty(); }
    /// Marks a block as having a process. @return its number; 0 if it is not watched
    unsigned found(const std::string& block) {
        const auto at = numbers_.find(block);
        if (at == numbers_.end()) return 0;
        active_in_[at->second] = 0;
        return at->second;
    }
    /// Whether a watched block has a process.
    bool has_processes(unsigned number) const { return active_in_[number] != no_processes; }

    /// Marks a block as active: a process of it runs in a step, or is awake at its end.
    /// @param step  number of the step
    void mark(unsigned number, std::uint64_t step) {
        if (number == 0 || active_in_[number] == step) return;
        active_in_[number] = step;
        active_.push_back(number);
    }
    /// The watched blocks that were active in the step.
    const std::vector<unsigned>& active() const { return active_; }
    /// Begins the next step.
    void clear() { active_.clear(); }

private:
    static constexpr std::uint64_t no_processes = ~std::uint64_t{0};
    std::unordered_map<std::string, unsigned> numbers_;  // by name
    std::vector<std::uint64_t> active_in_;               // last active step, by block number
    std::vector<unsigned> active_;
};

}  // namespace simtlm::simulation
