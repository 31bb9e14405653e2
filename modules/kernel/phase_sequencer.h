// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/edge_source.h"
#include "modules/kernel/error.h"
#include "modules/kernel/parallel_autotuner.h"
#include "modules/kernel/spin_lock.h"
#include "modules/kernel/step_observer.h"

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

namespace simtlm::kernel {

class clocked_process;
class process_group;
class worker_pool;
enum class partition_size;

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
    /// Not 0: in it, what a process touches belongs to its part of the design (partition_scope)
    /// alone, and what a process of a process_group of this kind touches to that group. The phases
    /// of one kind follow one another and are of one domain.
    unsigned group_kind = 0;
    /// In it a part hears what others have told it in earlier phases of its step: host threads meet
    /// before it.
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

/// Orders the blocks of several clock domains within a clock edge.
///
/// Every domain's clock drives this block, and this block drives the clocked processes: on an edge
/// it visits the phases of the domains that tick, in one fixed order, each phase in a delta cycle
/// of its own as far as anybody can tell, and starts the processes of that phase that are awake.
/// Processes of one phase may run in any order; what a process changes is seen by later phases of
/// the same edge. A phase in which nobody is awake costs nothing. Coincident edges of several
/// domains are one step, whose phases interleave in table order.
///
/// The sequencer calls no block. It triggers processes of SystemC that belong to the blocks'
/// modules: a method for each clocked_process, or for a process_group with all its members; with
/// options::clocked_threads a clocked thread for each clocked_process. The process that ends last
/// in a phase triggers those of the next.
///
/// Several host threads share phases in which processes touch nothing beyond their part of the
/// design: those that follow one another are gone through part by part. The actions of these phases
/// then run outside SystemC's thread, and in no process of SystemC: a mode beyond the standard.
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
        unsigned host_threads = 1;       ///< that share phases of a group_kind
        unsigned groups_a_thread = 0;    ///< with fewer awake in these, fewer threads; 0: as pays
    };

    /// What the simulation kernel was made to do, for --profile-kernel.
    struct activity {
        std::array<std::uint64_t, max_domains> edges{};  ///< clock edges, by domain
        std::uint64_t steps = 0;                         ///< instants with at least one edge
        std::uint64_t deltas = 0;                        ///< phases, or sub-phases of them, visited
        std::uint64_t groups = 0;                        ///< visits of groups
        std::uint64_t shared = 0;                        ///< times that host threads shared phases
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

    /// Holds off other host threads, for what a process does beyond its part of the design: it
    /// must not matter in which order parts do it. Costs nothing while one thread runs alone.
    class exclusive {
    public:
        explicit exclusive(phase_sequencer& s) : lock_(s.parallel_ ? &s.lock_ : nullptr) {
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
    /// Whether there are several host threads to share phases.
    bool shares_phases() const { return workers_ != nullptr; }
    /// Has host threads do pieces of a process's work that touch nothing in common, and wake
    /// nobody, if they share phases of the step.
    /// @param work  is called with context and the number of a piece, at most one for each thread
    void do_in_parallel(unsigned chunks, void (*work)(void* context, unsigned chunk),
                        void* context);
    /// Whether they are sharing phases, the caller being one of them.
    bool parallel() const { return parallel_; }
    /// From now on no phases are shared: parts touch more than their own.
    void stay_on_one_thread() { one_thread_ = true; }
    /// The same for a phase and those of its kind.
    void stay_on_one_thread(phase_index p);

    /// Gates the clocks of the domains while nobody is awake and nobody watches: they stay low
    /// until the first edge that a timer waits for, and the edges between count as if they had
    /// been. What that saves is all that an idle GPU costs.
    /// @param clocks  one per domain
    /// @pre blocks are woken from outside while the simulation is paused, if at all
    void gate(std::vector<computed_clock*> clocks) { source_.gate(std::move(clocks)); }

    /// Temporal decoupling of a domain, as TLM-2.0 calls it: the partitions of the domain lag
    /// behind simulated time while it has edges alone, and replay these edges, each at its own
    /// local time, at the beginning of the next step of another domain (the synchronisation point).
    /// Most edges of the clock are suppressed. Has no effect on results where the blocks of the
    /// domain are those of groups alone and ask for clocked_process::local_time(), and nobody else
    /// looks at them between two steps without synchronize(). Suspended while a block of it must
    /// stay on one thread, somebody observes steps or watches blocks, or sleeping is off.
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

private:
    friend class clocked_process;
    friend class process_group;
    friend class partition_scope;
    /// Who runs when a phase is visited; where a phase has sub-phases, in the k-th visit.
    struct sub_phase {
        unsigned place = 0;              // among all sub-phases of all phases, ascending, from 1 on
        unsigned awake = 0;              // how many are, outside groups
        std::uint64_t* words = nullptr;  // who is awake: a bit each of the phase's members
        unsigned n_words = 0;
        unsigned stride = 1;                // between two words
        unsigned number = 0;                // among the sub-phases of a group
        unsigned phase = 0;                 // ... of the group, from its first
        std::vector<std::uint64_t> memory;  // for the words, where a group has none for them

        std::uint64_t* word(unsigned member) const { return &words[member / 64 * stride]; }
        /// Of a word, while other threads may change it.
        std::uint64_t awake_in(unsigned nth) const {
            return __atomic_load_n(&words[nth * stride], __ATOMIC_RELAXED);
        }
        void make_room(unsigned members) {
            memory.resize((members + 63) / 64);
            words = memory.data();
            n_words = static_cast<unsigned>(memory.size());
        }
        void make_lines(unsigned lines);
    };
    struct slot {
        phase what;
        phase_sequencer* sequencer = nullptr;
        std::vector<clocked_process*> members;         // nullptr: none, which is never awake
        std::vector<edge_action> actions;              // of the members, once elaboration has ended
        std::vector<sc_core::sc_event*> starts;        // trigger their processes, likewise
        std::unique_ptr<sc_core::sc_event> start_all;  // triggers those of all members
        bool has_guests = false;     // members that the process of another slot's member runs
        bool has_followers = false;  // slots whose members its processes run at the same places
        const slot* processes = nullptr;  // whose processes run the members: mostly its own
        bool shared = false;              // host threads may share it
        bool one_thread = false;          // its processes touch more than their own
        unsigned shared_number = 0;       // among those that are shared
        std::vector<sub_phase> sub_phases;
        // If shared: for each host thread as many words as a piece has members at most, with a bit
        // for every piece that the thread begins with.
        unsigned words_per_thread = 0;

        unsigned join(clocked_process& p, unsigned sub_phases_wanted);
        template <class Rearrange>
        void rearrange(Rearrange how);
        void shuffle(std::mt19937_64& random);
        void find_processes();
        bool starts_guests() const { return has_guests && processes == this; }
        void lay_out_by_chunk(unsigned threads);
        /// The last to join have joined. @param number  of the phase
        void complete(unsigned number);
    };
    struct visit {
        sub_phase* who;
        const slot* of;
        const edge_action* actions;
    };
    static constexpr unsigned chunks_per_thread = 64;
    static constexpr unsigned max_shared = 8;    // phases
    static constexpr unsigned least_groups = 3;  // a thread; meeting costs as much as one or two
    /// What a host thread notes in shared phases, for when all have been gone through: two lines of
    /// memory.
    struct alignas(64) deferred_updates {
        struct alarm {
            std::uint64_t at;
            clocked_process* who;
            unsigned domain;
        };
        std::array<unsigned, max_shared> ran{};         // processes and groups, by phase
        std::array<std::int16_t, max_shared> awoken{};  // less those that have gone to sleep
        const visit* visited = nullptr;
        const clocked_process* running = nullptr;  // in it
        std::vector<clocked_process*> woken;       // of phases that are not shared
        std::vector<alarm> alarms;
        std::exception_ptr failure;
        std::uint64_t failed = 0;  // who did, see order_of()
    };

    /// An action of a cycle. What a user did wrong ends the simulation: neither a thread of SystemC
    /// nor one of the host can throw out of it.
    void act(const edge_action& action) {
        try {
            action.call(action.self);
        } catch (const user_error&) {
            fail(std::current_exception());
        }
    }
    /// Calls those whose bits are set.
    /// @return how many
    unsigned call_of(const edge_action* first, std::uint64_t bits) {
        unsigned n = 0;
        for (; bits != 0; bits &= bits - 1, ++n)
            act(first[static_cast<unsigned>(__builtin_ctzll(bits))]);
        return n;
    }
    /// Calls those who are awake in a sub-phase now, whoever wakes or sleeps meanwhile.
    /// @param actions   of the members of the phase
    /// @param snapshot  memory for that
    /// @return how many
    unsigned call(const edge_action* actions, const std::uint64_t* words, unsigned n_words,
                  unsigned stride, std::vector<std::uint64_t>& snapshot) {
        if (n_words == 1) return call_of(actions, *words);
        snapshot.resize(n_words);
        for (std::size_t w = 0; w < n_words; ++w) snapshot[w] = words[w * stride];
        unsigned n = 0;
        for (std::size_t w = 0; w < n_words; ++w) n += call_of(actions + 64 * w, snapshot[w]);
        return n;
    }
    void end_of_elaboration() override;
    void on_edge();
    void step();
    bool begin_step();
    void go_on(const clocked_process* ended);
    void go_on_in_next_delta();
    void end_step();
    /// The body of a process's activation.
    void run(clocked_process& runner);
    void run_phases_of(const clocked_process& p);
    void phase_ended(const clocked_process& last);
    std::size_t end_of_processes(std::size_t first) const;
    bool defers() const {
        return options_.sleeping && observers_.empty() && !follows_blocks() &&
               !deferred_slot_->one_thread;
    }
    /// @return whether there is one, with all blocks of the domain in its groups
    bool find_deferred_slot();
    void count_edge(unsigned domain);
    bool start_next_phase(const clocked_process* ended);
    void finish_step();
    bool follows_blocks() const { return activity_of_blocks_.watches(); }
    void find_watched_blocks();
    void check_clocks();
    template <class Action>
    void for_each_slot(Action act_on);
    void mark_active(const slot& s, const sub_phase& t);
    void gate_clocks();
    void start_processes(const visit& v);
    /// The order of a process among those that run in a visit, and in those before and after.
    std::uint64_t order_of(const visit& v, const clocked_process& p) const;
    /// Its place in the table of phases.
    std::size_t number_of(const slot& s) const {
        return static_cast<std::size_t>(&s - slots_.data());
    }
    void decide_on_parallel();
    /// Whether phases of the step under way may be shared.
    bool shares_step() const { return !one_thread_ && (sharing_ || options_.groups_a_thread != 0); }
    bool share_phases();
    unsigned chunk_of(unsigned partition, unsigned partitions, partition_size size) const;
    std::uint64_t awake_chunks(unsigned unit) const;
    void run_chunk(unsigned unit, unsigned chunk);
    deferred_updates& updates_of_this_thread();
    void wake_in_parallel(clocked_process& p);
    void sleep_in_parallel(clocked_process& p);
    void apply_deferred_updates();
    /// That a process under construction joins, nullptr: none.
    process_group* group_of_new(phase_index p) const;
    void set_timer(clocked_process& p, unsigned domain, std::uint64_t at);

    // What is there once elaboration has ended.
    options options_;
    unsigned domains_;
    std::vector<slot> slots_;
    static constexpr unsigned with_deferred = 1u << max_domains;
    std::array<std::vector<visit>, 2 * with_deferred> order_;  // by ticking set, and late edges
    std::array<timer_wheel, max_domains> timers_;
    std::vector<process_group*> open_groups_;  // that processes under construction may join
    std::vector<process_group*> groups_;
    std::unique_ptr<worker_pool> workers_;  // with several host threads
    bool one_thread_ = true;
    unsigned chunk_of_new_ = 0;  // of the design: to which blocks under construction belong
    std::vector<deferred_updates> deferred_updates_;  // by host thread
    std::vector<slot*> shared_slots_;                 // by their numbers

    static constexpr std::uint64_t in_time = 0;  // for who is never behind

    // What changes from step to step and all host threads look at, in one cache line.
    alignas(64) edge_source source_;  // cycles above all
    const visit* shared_ = nullptr;   // the phases that they share
    unsigned n_shared_ = 0;
    unsigned visiting_ = 0;  // place of the sub-phase started last
    bool parallel_ = false;  // host threads are sharing phases
    bool stepping_ = false;

    // What concerns the thread that steps.
    alignas(64) unsigned pending_ = 0;  // domains whose edge has come and not been started
    unsigned current_ = 0;              // domains of the step being visited
    unsigned last_ = 0;                 // domains of the step before
    const std::vector<visit>* visits_ = nullptr;  // of the current step
    std::size_t position_ = 0;
    unsigned running_ = 0;                // processes started in the phase that have yet to end
    std::vector<std::uint64_t> started_;  // a bit for each member of the phase that is to run
    const visit* begin_ = nullptr;        // what they run: this visit
    const visit* end_ = nullptr;          // ... and those that follow, up to this one
    bool own_actions_ = false;  // they run the actions of this visit alone, which are their own
    bool goes_on_ = false;      // the step, or a new one, when step_event_ occurs
    bool visited_ = false;      // some phase of the current step
    bool sharing_ = false;      // host threads share phases of the step under way
    unsigned groups_run_ = 0;
    unsigned steps_since_counted_ = 0;
    // Whether host threads are to share groups, in steps with an edge of the first domain, and in
    // the others as long as it pays in the former: there threads are at hand.
    std::array<parallel_autotuner, 2> autotuners_{parallel_autotuner(), parallel_autotuner(0)};
    std::optional<parallel_autotuner::clock::time_point> step_began_;  // while trying
    slot* deferred_slot_ = nullptr;                                    // of its groups
    std::vector<edge_action> replay_actions_;  // of these, for edges that have been put off
    sc_core::sc_event step_event_;
    alignas(64) spin_lock lock_;  // see exclusive
    alignas(64) activity activity_;
    std::vector<step_observer*> observers_;
    block_tracer* tracer_ = nullptr;
    block_activity activity_of_blocks_;
    sc_core::sc_time step_time_;
    const clocked_process* running_process_ = nullptr;  // whose action runs, and in which visit
    const visit* running_visit_ = nullptr;
    std::exception_ptr failure_;
    std::uint64_t failed_in_ = 0;  // step
    std::uint64_t failed_at_ =
        0;  // in the order of the step: its visit and the place of who failed
    sc_core::sc_event failed_;
};

/// How much there mostly is to do in a part of the design, against other sorts of parts. Threads
/// begin with the large ones, so that they end at the same time.
enum class partition_size { large, small };

/// The blocks that are made while it exists belong to one part of the design: an SM with its
/// cluster, a memory partition. In the phases of a phase::group_kind they touch nothing but each
/// other, so that parts may be gone through in any order, by several host threads. Blocks made
/// outside of all are one part.
class partition_scope {
public:
    /// @param number  of the part, among all of its sort  @param parts  of that sort
    partition_scope(phase_sequencer& sequencer, unsigned number, unsigned partitions,
                    partition_size size = partition_size::small)
        : sequencer_(sequencer), before_(sequencer.chunk_of_new_) {
        sequencer.chunk_of_new_ = sequencer.chunk_of(number, partitions, size);
    }
    ~partition_scope() { sequencer_.chunk_of_new_ = before_; }
    partition_scope(const partition_scope&) = delete;
    partition_scope& operator=(const partition_scope&) = delete;

private:
    phase_sequencer& sequencer_;
    unsigned before_;
};

}  // namespace simtlm::kernel
