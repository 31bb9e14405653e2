// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/edge_source.h"
#include "modules/simulation/first_failure.h"
#include "modules/simulation/parallel_region.h"
#include "modules/simulation/phase_table.h"
#include "modules/simulation/step_observer.h"
#include "modules/simulation/step_runner.h"
#include "modules/support/error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::simulation {

/// Orders the blocks of several clock domains within a clock edge.
///
/// The clocks of all domains trigger the sequencer, and the sequencer triggers the clocked
/// processes: on an edge it visits the phases of the ticking domains in a fixed order, each phase
/// in a delta cycle of its own as far as other processes can observe, and starts the processes of
/// that phase that are awake. Processes of one phase run in an unspecified order; state that a
/// process changes is visible to later phases of the same edge. A phase without an awake process
/// costs nothing. Coincident edges of several domains form one step, whose phases interleave in
/// table order.
///
/// The sequencer triggers SystemC processes that belong to the blocks' modules: one method process
/// per clocked_process, or per process_group for all its members; with options::clocked_threads one
/// clocked thread per clocked_process. The process that ends last in a phase triggers those of the
/// next. It calls blocks itself in two cases: with several host threads, phases in which processes
/// access nothing beyond their scheduling partition are run by a parallel_region; and synchronize()
/// replays deferred edges between two steps.
///
/// A phase whose processes must act one after the other is visited in sub-phases, each in a delta
/// cycle of its own; their number is the maximum that its processes request. See
/// clocked_process::select_sub_phase().
class phase_sequencer : public sc_core::sc_module {
public:
    static constexpr unsigned max_domains = edge_source::max_domains;

    /// Parameters of the simulation kernel.
    struct options {
        bool sleeping = true;            ///< false: every process runs on every edge
        std::uint64_t shuffle_seed = 0;  ///< not 0: seed of a random order of the processes within
                                         ///< each phase
        bool clocked_threads = false;    ///< every process is a SystemC thread; no groups
        unsigned host_threads = 1;       ///< of the parallel region
        unsigned groups_a_thread = 0;    ///< see parallel_region
    };

    /// Activity of the simulation kernel, for --profile-kernel.
    struct activity {
        std::array<std::uint64_t, max_domains> edges{};  ///< clock edges, by domain
        std::uint64_t steps = 0;                         ///< instants with at least one edge
        std::uint64_t deltas = 0;                        ///< phases, or sub-phases of them, visited
        std::uint64_t groups = 0;                        ///< visits of process groups
        std::uint64_t shared = 0;                        ///< parallel regions
        std::vector<std::uint64_t> activations;          ///< processes started, by phase
        std::vector<std::uint64_t> idle;  ///< activations without effect, as far as the blocks
                                          ///< note them, by phase
    };

    sc_core::sc_vector<sc_core::sc_in<bool>> clock;  ///< one per domain

    /// @param domains  number of clock domains, at most max_domains
    /// @param phases   in the order in which they are visited
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases, const options& opts);
    ~phase_sequencer() override;
    const char* kind() const override { return "phase_sequencer"; }
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases)
        : phase_sequencer(name, domains, std::move(phases), options()) {}

    /// Within an edge of the domain, the index of that edge, starting at 0; between edges, the
    /// number of edges so far, once the next step of any domain has begun. Cycles.
    std::uint64_t cycle(unsigned domain) const { return source_.cycle(domain); }

    unsigned domain_of(phase_index p) const { return table_.phase_entries()[p].what.domain; }
    unsigned host_threads() const { return options_.host_threads; }
    bool sleeping_enabled() const { return options_.sleeping; }
    /// The activity so far.
    activity observed() const;
    /// Number of clock edges of a domain so far.
    const std::uint64_t& edges(unsigned domain) const { return source_.edges()[domain]; }
    /// Number of instants with at least one edge so far.
    std::uint64_t steps() const { return activity_.steps; }
    const std::array<std::uint64_t, max_domains>& edges() const { return source_.edges(); }
    /// Number of process activations in a phase so far.
    std::uint64_t activations(phase_index p) const;
    const char* phase_name(phase_index p) const { return table_.phase_entries()[p].what.name; }
    /// @return the domains whose clock a port is bound to, one bit each; valid after elaboration
    unsigned domains_of(sc_core::sc_in<bool>& input);
    /// Sets the object that traces the signals of blocks for clocked_module::trace().
    void set_tracer(block_tracer& t) { tracer_ = &t; }
    block_tracer* tracer() const { return tracer_; }
    unsigned phases() const { return static_cast<unsigned>(table_.phase_entries().size()); }

    using step_observer = simulation::step_observer;
    /// Registers an observer, which is called in every step from now on.
    void observe(step_observer* observer) { observers_.push_back(observer); }
    /// Calls an observer once, after the step in which domain 0 has had a number of edges, or after
    /// the current one if it has had them. Unlike observe() this neither prevents gating nor
    /// temporal decoupling. @param edges  since the start of the simulation
    void observe_at(step_observer* observer, std::uint64_t edges) {
        observations_.push_back({observer, edges});
        next_observation_ = std::min(next_observation_, edges);
    }
    /// Tracks the activity of the processes of one block. Call before elaboration ends.
    /// @param block  hierarchical name of their module, which may be created later
    /// @return its number
    unsigned watch(const std::string& block) { return activity_of_blocks_.watch(block); }
    /// The watched blocks with a process that ran in the step that has just ended, or was awake at
    /// its end. State of a block is changed from outside only by callers that wake it. Valid in
    /// step_observer::step_ended().
    const std::vector<unsigned>& active_blocks() const { return activity_of_blocks_.active(); }
    /// Whether a watched block has a process; valid after elaboration.
    bool has_processes(unsigned watched) const {
        return activity_of_blocks_.has_processes(watched);
    }
    /// Start time of the current step, or of the step that has just ended. Only maintained with
    /// observers.
    const sc_core::sc_time& step_time() const { return step_time_; }

    /// Excludes other host threads while a process accesses state beyond its scheduling partition.
    /// The order in which partitions do so must not affect results. Costs nothing outside parallel
    /// regions.
    class exclusive {
    public:
        explicit exclusive(phase_sequencer& s) : lock_(s.parallel() ? &s.region_.lock() : nullptr) {
            if (lock_ != nullptr) lock_->lock();
        }
        ~exclusive() {
            if (lock_ != nullptr) lock_->unlock();
        }
        exclusive(const exclusive&) = delete;
        exclusive& operator=(const exclusive&) = delete;

    private:
        host_threads::spin_lock* lock_;
    };
    /// Whether there are several host threads.
    bool shares_phases() const { return region_.exists(); }
    /// Distributes chunks of a process's work over the host threads, if they run phases of this
    /// step. The chunks must access disjoint state and must not wake any process.
    /// @param work  called with context and the number of a chunk, at most one per thread
    void do_in_parallel(unsigned chunks, void (*work)(void* context, unsigned chunk),
                        void* context) {
        region_.do_in_parallel(chunks, work, context);
    }
    /// Whether the caller is a host thread in a parallel region.
    bool parallel() const { return region_.running(); }
    /// Disables parallel regions from now on, because blocks access state beyond their partition.
    void stay_on_one_thread() { region_.stay_on_one_thread(); }
    /// The same until resume_parallel_regions() has been called as often. Not in a parallel region.
    void suspend_parallel_regions() { region_.suspend(); }
    void resume_parallel_regions() { region_.resume(); }
    /// The same as stay_on_one_thread() for one phase and the other phases of its kind.
    void stay_on_one_thread(phase_index p);

    /// Gates the clocks of all domains while no process is awake and no step is observed: they stay
    /// low until the first edge for which a timer is set, and the edges in between are counted as
    /// if they had occurred. An idle GPU then costs nothing.
    /// @param clocks  one per domain
    /// @param limit   for a design that a host accesses between runs of the simulation: returns the
    ///                time, in units of the time resolution, before which the host will not wake a
    ///                block; a time that is not in the future means that it may do so at any time.
    ///                Clocks stay low until the limit even if no timer is set. Empty: blocks are
    ///                not woken from outside.
    void gate(std::vector<computed_clock*> clocks, std::function<std::uint64_t()> limit = {}) {
        source_.gate(std::move(clocks), std::move(limit));
    }

    /// Whether the clocks can be gated, i.e. were created by the design.
    bool has_own_clocks() const { return source_.gates(); }
    /// The time of the next edge of any domain, in units of the time resolution; edges suppressed
    /// by gating count as past. @pre has_own_clocks(), and everything is synchronized
    std::uint64_t next_edge() const { return source_.next_edge(); }
    /// Wakes every process, so that each determines again what it waits for, after the state of its
    /// block has been replaced. Call between steps.
    void wake_all();

    /// Enables temporal decoupling of a domain, in the sense of TLM-2.0: the partitions of the
    /// domain defer their edges while no other domain has edges, and replay them,
    /// each at its own local time, at the beginning of the next step of another domain (the
    /// synchronisation point). Most edges of the clock are suppressed. Results are unaffected if
    /// all blocks of the domain are members of groups and use clocked_process::local_time(), and if
    /// nothing else reads their state between two steps without calling synchronize(). Suspended
    /// while a block of the domain must stay on one thread, while steps are observed or blocks
    /// watched, and while sleeping is disabled.
    void decouple(unsigned domain, computed_clock& of_domain) {
        source_.decouple(domain, of_domain);
    }
    /// Makes partitions replay their deferred edges. Required before reading the state of
    /// the design between two steps. The actions run in the context of the caller, either a process
    /// or the main program while the simulation is paused.
    void synchronize();
    /// The local time offset of the decoupled domain: the time since the first
    /// deferred edge; zero if it has none.
    sc_core::sc_time local_time_offset() const { return source_.local_time_offset(); }

    /// Reports an error in the user's input found by a block, because a SystemC process cannot
    /// throw out of the simulation: further edges are ignored, and failed() is notified. See
    /// first_failure.
    void fail(std::exception_ptr why);
    /// Continues with the first edge after the present time in spite of a failure.
    /// @pre !interrupted()
    void resume() { resume_after_ = sc_core::sc_time_stamp(); }
    /// Whether a failure has interrupted the action of a block, whose state is then undefined. One
    /// that the block has passed to fail() has not.
    bool interrupted() const { return interrupted_; }
    bool has_failed() const { return failure_.has_occurred(); }
    /// Rethrows the failure reported to fail(), if any.
    void rethrow_failure() const { failure_.rethrow(); }
    const sc_core::sc_event& failed() const { return failure_.occurred(); }

    // ---- for clocked processes and groups ----

    bool clocked_threads() const { return options_.clocked_threads; }
    /// The phases with their processes and groups.
    phase_table& table() { return table_; }
    const phase_table& table() const { return table_; }
    parallel_region& region() { return region_; }

    /// Runs an action. A user_error is passed to fail(), because neither a SystemC process nor a
    /// host thread can throw out of the simulation.
    void act(const edge_action& action) {
        try {
            action.call(action.self);
        } catch (const support::user_error&) {
            if (parallel()) return region_.fail(std::current_exception(), true);
            interrupted_ = true;
            fail(std::current_exception());
        }
    }
    /// Runs the actions whose bits are set, out of up to 64 consecutive ones.
    /// @return their number
    unsigned act(const edge_action* first, std::uint64_t bits) {
        unsigned n = 0;
        for (; bits != 0; bits &= bits - 1, ++n)
            act(first[static_cast<unsigned>(__builtin_ctzll(bits))]);
        return n;
    }
    /// Body of a SystemC process activation.
    void run(process_state& runner);
    /// Whether the current step has reached a place in the order of sub-phases; also true between
    /// steps.
    bool has_visited(unsigned place) const { return !stepping_ || visiting_ >= place; }
    /// Sets a timer of a process outside groups. @param at  cycle of its domain, not before the
    /// next edge
    void set_timer(process_state& p, std::uint64_t at);
    /// Number of edges that the decoupled domain has deferred.
    std::uint64_t deferred_edges() const { return source_.deferred(); }
    /// The time of a deferred edge. @param edges_deferred  edges from it to the next edge, 1 for
    /// the last one
    sc_core::sc_time deferred_time(std::uint64_t edges_deferred) const {
        return source_.deferred_time(edges_deferred);
    }
    /// Whether blocks are watched; mark_active() must then be called for each sub-phase with an
    /// awake process.
    bool follows_blocks() const { return activity_of_blocks_.watches(); }
    /// Notes the blocks whose processes are awake in a sub-phase.
    void mark_active(const scheduled_phase& s, const sub_phase& t);

private:
    friend class step_runner;

    void end_of_elaboration() override;
    void on_edge();
    void step();
    bool begin_step();
    void run_phases(const process_state* ended);
    void resume_in_next_delta();
    void end_step();
    void phase_ended(const process_state& last);
    bool defers() const {
        return options_.sleeping && observers_.empty() && !follows_blocks() &&
               !table_.deferred_phase()->one_thread;
    }
    void count_edge(unsigned domain);
    void finish_step();
    void call_observers();
    bool observation_is_due() const { return source_.edges()[0] >= next_observation_; }
    void find_watched_blocks();
    void check_clocks();
    void gate_clocks();

    // Fixed after elaboration.
    options options_;
    unsigned domains_;
    phase_table table_;
    std::array<timer_wheel, max_domains> timers_;

    // Changes in every step and is read by all host threads; in one cache line.
    alignas(64) edge_source source_;  // in particular its cycles
    unsigned visiting_ = 0;           // place of the sub-phase that was started last
    bool stepping_ = false;
    parallel_region region_;

    // Used by the thread that runs the steps only.
    alignas(64) unsigned pending_ = 0;  // domains with an edge that is not yet part of a step
    unsigned current_ = 0;              // domains of the current step
    unsigned last_ = 0;                 // domains of the previous step
    step_runner runner_;
    bool resumes_ = false;  // step_event_ is pending, to continue the step or begin a new one
    sc_core::sc_event step_event_;
    alignas(64) activity activity_;
    std::vector<step_observer*> observers_;
    /// An observer of a single step.
    struct observation {
        step_observer* observer;
        std::uint64_t edges;
    };
    static constexpr std::uint64_t no_observation = ~std::uint64_t{0};
    std::vector<observation> observations_;
    std::uint64_t next_observation_ = no_observation;  ///< edges of domain 0
    block_tracer* tracer_ = nullptr;
    block_activity activity_of_blocks_;
    sc_core::sc_time step_time_;
    first_failure failure_;
    bool interrupted_ = false;
    sc_core::sc_time resume_after_ = sc_core::sc_max_time();
};

/// Blocks constructed while this object exists belong to one scheduling partition: an SM with its
/// cluster, a memory partition. In phases with a phase::group_kind they access nothing but each
/// other's state, so that partitions may run in any order and on several host threads. All blocks
/// constructed outside any scope form one partition.
class scheduling_partition_scope {
public:
    /// @param number      of the partition, among those of its kind
    /// @param partitions  number of partitions of that kind
    scheduling_partition_scope(phase_sequencer& sequencer, unsigned number, unsigned partitions,
                               scheduling_partition_size size = scheduling_partition_size::small)
        : region_(sequencer.region()), before_(region_.chunk_of_new()) {
        region_.set_chunk_of_new(region_.chunk_of(number, partitions, size));
    }
    ~scheduling_partition_scope() { region_.set_chunk_of_new(before_); }
    scheduling_partition_scope(const scheduling_partition_scope&) = delete;
    scheduling_partition_scope& operator=(const scheduling_partition_scope&) = delete;

private:
    parallel_region& region_;
    unsigned before_;
};

}  // namespace simtlm::simulation
