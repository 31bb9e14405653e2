// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/edge_source.h"
#include "modules/kernel/error.h"
#include "modules/kernel/parallel_region.h"
#include "modules/kernel/phase_slot.h"
#include "modules/kernel/step_observer.h"

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::kernel {

class group_schedule;

/// Orders the blocks of several clock domains within a clock edge.
///
/// Every domain's clock drives this block, and this block drives the clocked processes: on an edge
/// it visits the phases of the domains that tick, in one fixed order, each phase in a delta cycle
/// of its own as far as other processes can observe, and starts the processes of that phase that
/// are awake. Processes of one phase may run in any order; what a process changes is seen by later
/// phases of the same edge. A phase without an awake process costs nothing. Coincident edges of
/// several domains are one step, whose phases interleave in table order.
///
/// The sequencer calls no block. It triggers processes of SystemC that belong to the blocks'
/// modules: a method for each clocked_process, or for a process_group with all its members; with
/// options::clocked_threads a clocked thread for each clocked_process. The process that ends last
/// in a phase triggers those of the next.
///
/// With several host threads, phases in which processes touch nothing beyond their scheduling
/// partition are run by a parallel_region.
///
/// Where processes of a phase must act one after the other, the phase is visited in sub-phases,
/// each a delta cycle of its own and as many as its processes ask for: see
/// clocked_process::select_sub_phase().
class phase_sequencer : public sc_core::sc_module {
public:
    static constexpr unsigned max_domains = edge_source::max_domains;

    struct options {
        bool sleeping = true;            ///< false: every process runs on every edge
        std::uint64_t shuffle_seed = 0;  ///< not 0: start the processes of a phase in another order
        bool clocked_threads = false;    ///< every process is a thread of SystemC; no groups
        unsigned host_threads = 1;       ///< of the parallel region
        unsigned groups_a_thread = 0;    ///< see parallel_region
    };

    /// What the simulation kernel was made to do, for --profile-kernel.
    struct activity {
        std::array<std::uint64_t, max_domains> edges{};  ///< clock edges, by domain
        std::uint64_t steps = 0;                         ///< instants with at least one edge
        std::uint64_t deltas = 0;                        ///< phases, or sub-phases of them, visited
        std::uint64_t groups = 0;                        ///< visits of groups
        std::uint64_t shared = 0;                        ///< parallel regions
        std::vector<std::uint64_t> activations;          ///< processes started, by phase
    };

    sc_core::sc_vector<sc_core::sc_in<bool>> clock;  ///< one per domain

    /// @param domains  number of clock domains, at most max_domains
    /// @param phases   in the order in which they are visited
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases, const options& opts);
    ~phase_sequencer() override;
    phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                    std::vector<phase> phases)
        : phase_sequencer(name, domains, std::move(phases), options()) {}

    /// Edges of a domain before the current step: within an edge, the index of that edge; between
    /// edges, the number of edges so far once the next step of any domain begins. Cycles.
    std::uint64_t cycle(unsigned domain) const { return source_.cycle(domain); }

    unsigned domain_of(phase_index p) const { return slots_[p].what.domain; }
    unsigned host_threads() const { return options_.host_threads; }
    bool sleeping_enabled() const { return options_.sleeping; }
    activity observed() const;
    /// Clock edges of a domain so far.
    const std::uint64_t& edges(unsigned domain) const { return source_.edges()[domain]; }
    /// Instants with at least one edge so far.
    std::uint64_t steps() const { return activity_.steps; }
    const std::array<std::uint64_t, max_domains>& edges() const { return source_.edges(); }
    std::uint64_t activations(phase_index p) const;
    const char* phase_name(phase_index p) const { return slots_[p].what.name; }
    /// The domains with the clock that a port is bound to, a bit each. Once elaboration has ended.
    unsigned domains_of(sc_core::sc_in<bool>& input);
    /// Who traces the signals of blocks for clocked_module::trace().
    void set_tracer(block_tracer& t) { tracer_ = &t; }
    block_tracer* tracer() const { return tracer_; }
    unsigned phases() const { return static_cast<unsigned>(slots_.size()); }

    using step_observer = kernel::step_observer;
    /// An observer is told of every step from now on.
    void observe(step_observer* observer) { observers_.push_back(observer); }
    /// Follows the processes of one block. Before elaboration ends.
    /// @param block  hierarchical name of their module, which may be made later
    /// @return its number
    unsigned watch(const std::string& block) { return activity_of_blocks_.watch(block); }
    /// Of the watched blocks, those with a process that ran in the step whose end is being told, or
    /// was awake at its end: whoever changes a block from outside wakes it.
    const std::vector<unsigned>& active_blocks() const { return activity_of_blocks_.active(); }
    /// Whether there is a process to follow. Once elaboration has ended.
    bool has_processes(unsigned watched) const {
        return activity_of_blocks_.has_processes(watched);
    }
    /// When the current step, or the one whose end is being told, began. Only with observers.
    const sc_core::sc_time& step_time() const { return step_time_; }

    /// Excludes other host threads, for what a process does beyond its scheduling partition: the
    /// order in which partitions do it must not matter. Costs nothing outside parallel regions.
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
        spin_lock* lock_;
    };
    /// Whether there are several host threads.
    bool shares_phases() const { return region_.exists(); }
    /// Has host threads do chunks of a process's work that touch nothing in common, and wake
    /// nobody, if they run phases of the step.
    /// @param work  called with context and the number of a chunk, at most one for each thread
    void do_in_parallel(unsigned chunks, void (*work)(void* context, unsigned chunk),
                        void* context) {
        region_.do_in_parallel(chunks, work, context);
    }
    /// Whether the caller is a host thread in a parallel region.
    bool parallel() const { return region_.running(); }
    /// From now on there are no parallel regions: partitions touch more than their own.
    void stay_on_one_thread() { region_.stay_on_one_thread(); }
    /// The same for a phase and those of its kind.
    void stay_on_one_thread(phase_index p);

    /// Gates the clocks of the domains while no process is awake and no step is observed: they stay
    /// low until the first edge that a timer waits for, and the edges between count as if they had
    /// occurred. An idle GPU then costs nothing.
    /// @param clocks  one per domain
    /// @param limit   of a design that a host intervenes in between runs of the simulation: the
    ///                time, in units of the time resolution, before which it will not wake a block,
    ///                or one that is not in the future while it may at any time. Clocks stay low
    ///                until then even where no timer is set. Empty: no block is woken from outside.
    void gate(std::vector<computed_clock*> clocks, std::function<std::uint64_t()> limit = {}) {
        source_.gate(std::move(clocks), std::move(limit));
    }

    /// Whether the clocks are such as can be gated: those that the design has made.
    bool has_own_clocks() const { return source_.gates(); }
    /// When the next edge of any domain comes, in units of the time resolution; edges that gating
    /// leaves out have come. @pre has_own_clocks(), and everything is synchronized
    std::uint64_t next_edge() const { return source_.next_edge(); }
    /// Every process runs on the next edge of its domain: what it waits for is to be found out
    /// anew, since its block has another state. Between steps.
    void wake_all();

    /// Temporal decoupling of a domain, as TLM-2.0 calls it: the partitions of the domain lag
    /// behind simulated time while it has edges alone, and replay these edges, each at its own
    /// local time, at the beginning of the next step of another domain (the synchronisation point).
    /// Most edges of the clock are suppressed. Has no effect on results where the blocks of the
    /// domain are those of groups alone and ask for clocked_process::local_time(), and nothing else
    /// reads them between two steps without synchronize(). Suspended while a block of it must stay
    /// on one thread, steps are observed or blocks watched, or sleeping is off.
    void decouple(unsigned domain, computed_clock& of_domain) {
        source_.decouple(domain, of_domain);
    }
    /// Has lagging partitions replay the edges before now, for whoever looks at the design between
    /// two steps. The caller runs their actions itself, whether it is a process or the simulation
    /// is paused.
    void synchronize();
    /// How far behind simulated time the decoupled domain is, if one lags: the time since the first
    /// edge that is yet to be replayed.
    sc_core::sc_time lag() const { return source_.lag(); }

    /// A block cannot go on because of the user's input: edges pass unheeded from now on, and
    /// failed() is notified. A thread of a block cannot throw out of the simulation itself. Of
    /// processes that fail in one step the first is told: by phase, and within a phase in the order
    /// in which the processes were made, in whatever order they have run.
    void fail(std::exception_ptr why);
    bool has_failed() const { return failure_ != nullptr; }
    /// Rethrows what fail() was told, if it was.
    void rethrow_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }
    const sc_core::sc_event& failed() const { return failed_; }

    // ---- for clocked processes and groups ----

    bool clocked_threads() const { return options_.clocked_threads; }
    const std::vector<phase_slot>& slots() const { return slots_; }
    phase_slot& slot(phase_index p) { return slots_.at(p); }
    parallel_region& region() { return region_; }
    /// A group whose process is run in its first phase.
    void add_group(group_schedule& g) { groups_.push_back(&g); }
    /// Processes that are made from now on may join a group, or no longer.
    void open_group(group_schedule& g) { open_groups_.push_back(&g); }
    void close_group(group_schedule& g);
    /// The group that a process under construction joins; nullptr: none.
    group_schedule* group_of_new(phase_index p) const;

    /// Runs an action. A user_error ends the simulation: neither a thread of SystemC nor one of the
    /// host can throw out of it.
    void act(const edge_action& action) {
        try {
            action.call(action.self);
        } catch (const user_error&) {
            fail(std::current_exception());
        }
    }
    /// Runs the actions whose bits are set, up to 64 from the first.
    /// @return how many
    unsigned act(const edge_action* first, std::uint64_t bits) {
        unsigned n = 0;
        for (; bits != 0; bits &= bits - 1, ++n)
            act(first[static_cast<unsigned>(__builtin_ctzll(bits))]);
        return n;
    }
    /// The body of an activation of a SystemC process.
    void run(process_state& runner);
    /// Whether the step under way has come to a place in the order of sub-phases, or none is.
    bool has_visited(unsigned place) const { return !stepping_ || visiting_ >= place; }
    /// Wakes a process outside groups. @param at  cycle of its domain, not before the next edge
    void set_timer(process_state& p, std::uint64_t at);
    /// Edges by which the decoupled domain lags.
    std::uint64_t deferred_edges() const { return source_.deferred(); }
    /// The time of a deferred edge. @param behind  edges from it to the next one
    sc_core::sc_time deferred_time(std::uint64_t behind) const {
        return source_.deferred_time(behind);
    }
    /// Whether blocks are watched, which is told of those with an awake process in a sub-phase.
    bool follows_blocks() const { return activity_of_blocks_.watches(); }
    void mark_active(const phase_slot& s, const sub_phase& t);

private:
    void end_of_elaboration() override;
    void on_edge();
    void step();
    bool begin_step();
    void go_on(const process_state* ended);
    void go_on_in_next_delta();
    void end_step();
    void run_phases_of(const process_state& p);
    void phase_ended(const process_state& last);
    std::size_t end_of_processes(std::size_t first) const;
    bool defers() const {
        return options_.sleeping && observers_.empty() && !follows_blocks() &&
               !deferred_slot_->one_thread;
    }
    /// @return whether there is one, with all blocks of the domain in its groups
    bool find_deferred_slot();
    void count_edge(unsigned domain);
    bool start_next_phase(const process_state* ended);
    void finish_step();
    void find_watched_blocks();
    void check_clocks();
    template <class Action>
    void for_each_slot(Action act_on);
    void gate_clocks();
    void start_processes(const phase_visit& v);
    /// The order of a process among those that run in a visit, and in those before and after.
    std::uint64_t order_of(const phase_visit& v, const process_state& p) const;
    /// Its place in the table of phases.
    std::size_t number_of(const phase_slot& s) const {
        return static_cast<std::size_t>(&s - slots_.data());
    }
    std::size_t run_parallel_region();

    // What is there once elaboration has ended.
    options options_;
    unsigned domains_;
    std::vector<phase_slot> slots_;
    static constexpr unsigned with_deferred = 1u << max_domains;
    std::array<std::vector<phase_visit>, 2 * with_deferred>
        order_;  // by ticking set, and deferred edges
    std::array<timer_wheel, max_domains> timers_;
    std::vector<group_schedule*> open_groups_;  // that processes under construction may join
    std::vector<group_schedule*> groups_;

    // What changes from step to step and all host threads read, in one cache line.
    alignas(64) edge_source source_;  // cycles above all
    unsigned visiting_ = 0;           // place of the sub-phase started last
    bool stepping_ = false;
    parallel_region region_;

    // What concerns the thread that steps.
    alignas(64) unsigned pending_ = 0;  // domains whose edge has come and not been started
    unsigned current_ = 0;              // domains of the step being visited
    unsigned last_ = 0;                 // domains of the step before
    const std::vector<phase_visit>* visits_ = nullptr;  // of the current step
    std::size_t position_ = 0;
    unsigned running_ = 0;                // processes started in the phase that have yet to end
    std::vector<std::uint64_t> started_;  // a bit for each member of the phase that is to run
    const phase_visit* begin_ = nullptr;  // what they run: this visit
    const phase_visit* end_ = nullptr;    // ... and those that follow, up to this one
    bool own_actions_ = false;  // they run the actions of this visit alone, which are their own
    bool goes_on_ = false;      // the step, or a new one, when step_event_ occurs
    bool visited_ = false;      // some phase of the current step
    phase_slot* deferred_slot_ = nullptr;      // of its groups
    std::vector<edge_action> replay_actions_;  // of these, for deferred edges
    sc_core::sc_event step_event_;
    alignas(64) activity activity_;
    std::vector<step_observer*> observers_;
    block_tracer* tracer_ = nullptr;
    block_activity activity_of_blocks_;
    sc_core::sc_time step_time_;
    const process_state* running_process_ = nullptr;  // whose action runs, and in which visit
    const phase_visit* running_visit_ = nullptr;
    std::exception_ptr failure_;
    std::uint64_t failed_in_ = 0;  // step
    std::uint64_t failed_at_ =
        0;  // in the order of the step: its visit and the place of who failed
    sc_core::sc_event failed_;
};

/// The blocks that are made while it exists belong to one scheduling partition: an SM with its
/// cluster, a memory partition. In the phases of a phase::group_kind they touch nothing but each
/// other, so that partitions may be run in any order, and by several host threads. Blocks made
/// outside of all are one partition.
class partition_scope {
public:
    /// @param number      of the partition, among all of its sort
    /// @param partitions  of that sort
    partition_scope(phase_sequencer& sequencer, unsigned number, unsigned partitions,
                    partition_size size = partition_size::small)
        : region_(sequencer.region()), before_(region_.chunk_of_new()) {
        region_.set_chunk_of_new(region_.chunk_of(number, partitions, size));
    }
    ~partition_scope() { region_.set_chunk_of_new(before_); }
    partition_scope(const partition_scope&) = delete;
    partition_scope& operator=(const partition_scope&) = delete;

private:
    parallel_region& region_;
    unsigned before_;
};

}  // namespace simtlm::kernel
