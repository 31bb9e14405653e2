// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/parallel_autotuner.h"
#include "modules/kernel/phase_slot.h"
#include "modules/kernel/spin_lock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::kernel {

class worker_pool;

/// How much work a scheduling partition mostly has, against partitions of other sorts. Threads
/// begin with the large ones, so that they end at the same time.
enum class partition_size { large, small };

/// Several host threads that run phases in which processes touch nothing beyond their scheduling
/// partition (phase::group_kind): phases that follow one another are run partition by partition,
/// between two barriers. The actions then run outside SystemC's thread, and in no process of
/// SystemC: a mode beyond the standard.
///
/// Partitions are gathered in chunks. A thread begins with its own chunks, whose state its
/// processor has in its caches, and then helps others. What a process does beyond its partition,
/// to wake another one or to set a timer, is deferred to the end of the region, where the sequencer
/// applies it in an order that does not depend on the threads.
class parallel_region {
public:
    /// @param threads          of the host; 1: there is no region
    /// @param groups_a_thread  with fewer awake processes for each thread, fewer threads; 0: as
    ///                         the autotuner finds that it pays
    parallel_region(unsigned threads, unsigned groups_a_thread);
    ~parallel_region();
    parallel_region(const parallel_region&) = delete;
    parallel_region& operator=(const parallel_region&) = delete;

    /// Whether there are several host threads.
    bool exists() const { return workers_ != nullptr; }
    /// Whether they are running phases, the caller being one of them.
    bool running() const { return running_; }
    /// Held while a process touches what is beyond its partition.
    spin_lock& lock() { return lock_; }

    // ---- construction ----

    /// The chunk of a partition, among those of all host threads: each has a row of them, first
    /// those of large partitions, then those of small ones.
    unsigned chunk_of(unsigned partition, unsigned partitions, partition_size size) const;
    /// To which the blocks under construction belong.
    unsigned chunk_of_new() const { return chunk_of_new_; }
    void set_chunk_of_new(unsigned chunk) { chunk_of_new_ = chunk; }
    /// Adds a phase that host threads may run. Once its processes have been made.
    void add(phase_slot& slot);
    const std::vector<phase_slot*>& slots() const { return slots_; }

    // ---- steps ----

    /// From now on phases run on SystemC's thread: partitions touch more than their own.
    void stay_on_one_thread() { one_thread_ = true; }
    bool may_run() const { return !one_thread_; }
    /// A step begins: decides whether host threads run its phases.
    /// @param ended, begins  whether the step before, and this one, have an edge of the first
    /// domain
    void begin_step(bool ended, bool begins);
    /// Processes of phases that were added have run on SystemC's thread.
    void count_activations(unsigned n) { activations_ += n; }

    /// Runs a phase and those that may be run with it, if that pays.
    /// @param first, end  visits of the step from that phase on
    /// @return number of visits that have been run
    std::size_t run(const phase_visit* first, const phase_visit* end);
    /// What the phases of one kind have done in run().
    struct counts {
        unsigned ran = 0;  ///< processes and groups
        int awoken = 0;    ///< of these phases, less those that have gone to sleep
    };
    counts take_counts(const phase_slot& slot);
    /// Applies what was deferred, thread by thread.
    /// @param wake       called with each process of another phase that was woken
    /// @param set_timer  called with each process that set a timer, and its cycle
    template <class Wake, class SetTimer>
    void apply_deferred_updates(Wake wake, SetTimer set_timer) {
        for (deferred_updates& n : deferred_updates_) {
            for (process_state* p : n.woken) wake(*p);
            for (const deferred_updates::timer& t : n.timers) set_timer(*t.who, t.at);
            n.woken.clear();
            n.timers.clear();
        }
    }
    /// The first failure, by phase and by the order in which processes were made; or none.
    std::exception_ptr take_failure();

    /// Has host threads do chunks of a process's work that touch nothing in common, and wake
    /// nobody, if they run phases of the step.
    /// @param work  called with context and the number of a chunk, at most one for each thread
    void do_in_parallel(unsigned chunks, void (*work)(void* context, unsigned chunk),
                        void* context);

    // ---- while running: of the thread that calls ----

    void wake(process_state& p);
    void sleep(process_state& p);
    void set_timer(process_state& p, std::uint64_t at);
    void fail(std::exception_ptr why);

private:
    static constexpr unsigned chunks_per_thread = 64;
    static constexpr unsigned max_shared = 8;    // phases
    static constexpr unsigned least_groups = 3;  // a thread; a barrier costs as much as one or two
    /// What a host thread defers, in two cache lines.
    struct alignas(64) deferred_updates {
        struct timer {
            std::uint64_t at;
            process_state* who;
        };
        std::array<unsigned, max_shared> ran{};         // processes and groups, by phase
        std::array<std::int16_t, max_shared> awoken{};  // less those that have gone to sleep
        const phase_visit* visited = nullptr;
        const process_state* running = nullptr;  // in it
        std::vector<process_state*> woken;       // of phases that are not shared
        std::vector<timer> timers;
        std::exception_ptr failure;
        std::uint64_t failed = 0;  // where, in the order of the phases
    };
    /// Whether phases of the step under way may be run.
    bool runs_in_step() const { return !one_thread_ && (pays_ || groups_a_thread_ != 0); }
    std::uint64_t awake_chunks(unsigned unit) const;
    void run_chunk(unsigned unit, unsigned chunk);
    deferred_updates& updates_of_this_thread();

    // All threads read these, in one cache line.
    alignas(64) bool running_ = false;
    bool one_thread_;
    bool pays_ = false;  // in the step under way
    const unsigned groups_a_thread_;
    const unsigned threads_;
    const phase_visit* visits_ = nullptr;  // that are being run
    unsigned n_visits_ = 0;
    std::unique_ptr<worker_pool> workers_;
    std::vector<deferred_updates> deferred_updates_;  // by host thread

    // The rest concerns SystemC's thread.
    alignas(64) std::vector<phase_slot*> slots_;  // by their numbers
    unsigned chunk_of_new_ = 0;
    unsigned activations_ = 0;  // in the step
    unsigned steps_since_counted_ = 0;
    // Whether it pays, in steps with an edge of the first domain, and in the others as long as it
    // pays in the former: there threads are at hand.
    std::array<parallel_autotuner, 2> autotuners_{parallel_autotuner(), parallel_autotuner(0)};
    std::optional<parallel_autotuner::clock::time_point> step_began_;  // while trying
    alignas(64) spin_lock lock_;
};

}  // namespace simtlm::kernel
