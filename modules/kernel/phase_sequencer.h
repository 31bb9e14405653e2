// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <systemc>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace simtlm::kernel {

class clocked_process;

/// One ordered phase of a clock edge: which clock domain it belongs to and what happens in it.
struct phase {
    unsigned domain;
    const char* name;
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

/// Orders the blocks of several clock domains within a clock edge.
///
/// Every domain's clock drives this block, and this block drives the clocked processes: on an edge
/// it visits the phases of the domains that tick, in one fixed order, each phase in a delta cycle
/// of its own, and starts the processes of that phase that are awake. Processes of one phase may
/// run in any order; what a process changes is seen by later phases of the same edge. A phase in
/// which nobody is awake costs nothing. Coincident edges of several domains are one step, whose
/// phases interleave in table order.
///
/// Where processes of a phase must act one after the other, the phase is visited in turns, each a
/// delta cycle of its own and as many as its processes ask for: see clocked_process::select_turn().
class phase_sequencer : public sc_core::sc_module {
public:
    static constexpr unsigned max_domains = 4;

    struct options {
        bool sleeping = true;            ///< false: every process runs on every edge
        std::uint64_t shuffle_seed = 0;  ///< not 0: start the processes of a phase in another order
        bool threads_only = false;       ///< blocks that come by the thousand are threads, too
    };

    /// What the simulation kernel was made to do, for --profile-kernel.
    struct activity {
        std::array<std::uint64_t, max_domains> edges{};  ///< clock edges, by domain
        std::uint64_t steps = 0;                         ///< instants with at least one edge
        std::uint64_t deltas = 0;                        ///< phases, or turns of them, visited
        std::vector<std::uint64_t> activations;          ///< processes started, by phase
    };

    sc_core::sc_vector<sc_core::sc_in<bool>> clock;  ///< one per domain

    /// @param domains  number of clock domains, at most max_domains
    /// @param phases   in the order in which they are visited
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases, const options& opts);
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases)
        : phase_sequencer(name, domains, std::move(phases), options()) {}

    /// Edges of a domain before the current step: within an edge, the index of that edge; between
    /// edges, the number of edges so far once the next step of any domain begins. Cycles.
    std::uint64_t cycle(unsigned domain) const { return cycle_[domain]; }

    unsigned domain_of(phase_index p) const { return slots_[p].what.domain; }
    bool sleeping_enabled() const { return options_.sleeping; }
    const activity& observed() const { return activity_; }
    std::uint64_t activations(phase_index p) const { return activity_.activations[p]; }
    const char* phase_name(phase_index p) const { return slots_[p].what.name; }
    unsigned phases() const { return static_cast<unsigned>(slots_.size()); }

    /// Called after every step with at least one edge of the core domain (index 0) has been
    /// visited, before the next: waveform samplers and the like. At most a few.
    struct step_observer {
        virtual ~step_observer() = default;
        /// @param ticked  bit d set: domain d had an edge in the step that has just ended
        virtual void step_ended(unsigned ticked) = 0;
    };
    void observe(step_observer* observer) { observers_.push_back(observer); }
    /// Follows the processes of one block, so that an observer need not look where nothing can have
    /// changed. Before elaboration ends.
    /// @param block  hierarchical name of their module, which may be made later
    /// @return its number
    unsigned watch(const std::string& block);
    /// Of the watched blocks, those with a process that ran in the step whose end is being told, or
    /// was awake at its end: whoever changes a block from outside wakes it.
    const std::vector<unsigned>& active_blocks() const { return active_blocks_; }
    /// Whether there is a process to follow. Once elaboration has ended.
    bool has_processes(unsigned watched) const { return active_in_[watched] != no_processes; }
    /// When the current step, or the one whose end is being told, began. Only with observers.
    const sc_core::sc_time& step_time() const { return step_time_; }

    /// A block cannot go on because of the user's input: edges pass unheeded from now on, and
    /// failed() is notified. A thread of a block cannot throw out of the simulation itself.
    void fail(std::exception_ptr why);
    bool has_failed() const { return failure_ != nullptr; }
    /// Rethrows what fail() was told, if it was.
    void rethrow_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }
    const sc_core::sc_event& failed() const { return failed_; }

private:
    friend class clocked_process;
    /// Who runs when a phase is visited; where processes take turns, in the k-th visit.
    struct turn {
        unsigned place = 0;  // among all turns of all phases, from 1 on
        unsigned awake = 0;
        std::vector<std::uint64_t> awake_bits;  // by index among the members of the phase
    };
    struct slot {
        phase what;
        std::vector<clocked_process*> members;
        std::deque<turn> turns;  // processes point into it
    };
    struct visit {
        turn* who;
        unsigned phase;
    };
    static constexpr unsigned wheel_size = 1024;  // cycles; later wake-ups are re-armed
    struct timer {
        std::uint64_t at;
        clocked_process* who;
    };
    static constexpr std::uint64_t no_processes = ~std::uint64_t{0};

    void end_of_elaboration() override;
    void on_edge();
    void step();
    bool start_next_phase();
    void finish_step();
    void find_watched_blocks();
    void mark_active(const slot& s, const turn& t);
    void expire_timers(unsigned domain);
    void shuffle_members();
    unsigned join(clocked_process& p, phase_index which, unsigned turns);
    void set_timer(clocked_process& p, unsigned domain, std::uint64_t at);

    options options_;
    unsigned domains_;
    std::vector<slot> slots_;
    std::array<std::vector<visit>, 1u << max_domains> order_;  // by ticking set
    std::array<std::uint64_t, max_domains> cycle_{};
    std::array<std::vector<std::vector<timer>>, max_domains> wheel_;
    unsigned pending_ = 0;  // domains whose edge has come and not been started
    unsigned current_ = 0;  // domains of the step being visited
    unsigned last_ = 0;     // domains of the step before
    std::size_t position_ = 0;
    unsigned visiting_ = 0;  // place of the turn started last
    bool stepping_ = false;
    sc_core::sc_event step_event_;
    activity activity_;
    std::vector<step_observer*> observers_;
    std::unordered_map<std::string, unsigned> watched_;  // numbers, by name
    // Steps, by number of a block; the first stands for all blocks that are not watched.
    std::vector<std::uint64_t> active_in_;
    std::vector<unsigned> active_blocks_;
    sc_core::sc_time step_time_;
    std::exception_ptr failure_;
    sc_core::sc_event failed_;
};

}  // namespace simtlm::kernel
