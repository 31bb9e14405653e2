// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/host_threads/spin_lock.h"
#include "modules/simulation/parallel_autotuner.h"
#include "modules/simulation/scheduled_phase.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::host_threads {
class worker_pool;
}

namespace simtlm::simulation {

/// Relative amount of work in a scheduling partition. Threads begin with the large ones, so that
/// they finish at about the same time.
enum class scheduling_partition_size { large, small };

/// Runs phases in which processes touch nothing beyond their scheduling partition
/// (phase::group_kind) on several host threads: consecutive phases are run partition by partition
/// between two barriers. The actions then run outside SystemC's thread and outside any SystemC
/// process, which is beyond the SystemC standard.
///
/// Partitions are assigned to chunks. A thread begins with its own chunks, whose state is in its
/// processor's caches, and then steals chunks from others. Effects of a process beyond its
/// partition, i.e. waking another process or setting a timer, are deferred to the end of the
/// region, where the sequencer applies them in an order that is independent of the threads.
class parallel_region {
public:
    /// @param threads          number of host threads; 1: no region
    /// @param groups_a_thread  minimum number of awake processes per thread; with fewer, fewer
    ///                         threads are used. 0: the autotuner decides
    parallel_region(unsigned threads, unsigned groups_a_thread);
    ~parallel_region();
    parallel_region(const parallel_region&) = delete;
    parallel_region& operator=(const parallel_region&) = delete;

    /// Whether there are several host threads.
    bool exists() const { return workers_ != nullptr; }
    /// Whether a parallel region is in progress.
    bool running() const { return running_; }
    /// Held while a process accesses state beyond its partition.
    host_threads::spin_lock& lock() { return lock_; }

    // ---- construction ----

    /// The chunk to which a partition is assigned. The chunks of each host thread form a row: first
    /// those of large partitions, then those of small ones.
    unsigned chunk_of(unsigned partition, unsigned partitions,
                      scheduling_partition_size size) const;
    /// The chunk of the blocks under construction.
    unsigned chunk_of_new() const { return chunk_of_new_; }
    void set_chunk_of_new(unsigned chunk) { chunk_of_new_ = chunk; }
    /// Adds a phase that host threads may run, after all its processes have been created.
    void add(scheduled_phase& phase_entry);
    const std::vector<scheduled_phase*>& phase_entries() const { return phase_entries_; }

    // ---- steps ----

    /// Disables parallel regions from now on, because blocks access state beyond their partition.
    void stay_on_one_thread() { one_thread_ = true; }
    /// The same until resume() has been called as often. Call outside running().
    void suspend() { ++suspended_; }
    void resume() { --suspended_; }
    bool may_run() const { return !one_thread_ && suspended_ == 0; }
    /// Begins a step: decides whether host threads run its phases.
    /// @param ended   whether the previous step had an edge of the first domain
    /// @param begins  whether this step has one
    void begin_step(bool ended, bool begins);
    /// Counts activations of processes of added phases that ran on SystemC's thread.
    void count_activations(unsigned n) { activations_ += n; }

    /// Runs a phase and the following ones that may be run with it, if that pays.
    /// @param first, end  visits of the step from that phase on
    /// @return the number of visits that have been run
    std::size_t run(const phase_visit* first, const phase_visit* end);
    /// Activity of the processes of one phase in run().
    struct counts {
        unsigned ran = 0;  ///< processes and groups
        int awoken = 0;    ///< of these phases, less those that went to sleep
    };
    /// Returns the activity of a phase and resets its counts.
    counts take_counts(const scheduled_phase& phase_entry);
    /// Applies the deferred updates, thread by thread.
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
    struct failure {
        std::exception_ptr why;  ///< the first one, in the order of phases and of process creation
        bool interrupted = false;  ///< some process has been interrupted by an exception
    };
    /// Returns the failures since the last call, and discards them. why: nullptr if there are none.
    failure take_failure();

    /// Distributes chunks of a process's work over the host threads, if they run phases of this
    /// step. The chunks must access disjoint state and must not wake any process.
    /// @param work  called with context and the number of a chunk, at most one per thread
    void do_in_parallel(unsigned chunks, void (*work)(void* context, unsigned chunk),
                        void* context);

    // ---- called by the host threads while running() ----

    /// Wakes a process: at once if it belongs to an added phase, otherwise in
    /// apply_deferred_updates().
    void wake(process_state& p);
    /// @pre the process belongs to an added phase
    void sleep(process_state& p);
    /// Sets a timer, in apply_deferred_updates().
    void set_timer(process_state& p, std::uint64_t at);
    /// Records a failure of the running process, see take_failure().
    /// @param interrupted  an exception has interrupted the process
    void fail(std::exception_ptr why, bool interrupted);

private:
    static constexpr unsigned chunks_per_thread = 64;
    static constexpr unsigned max_shared = 8;  // phases of a region
    static constexpr unsigned min_groups = 3;  // minimum per thread; a barrier costs about as
                                               // much as one or two groups
    /// The updates that a host thread has deferred, in two cache lines.
    struct alignas(64) deferred_updates {
        struct timer {
            std::uint64_t at;
            process_state* who;
        };
        std::array<unsigned, max_shared> ran{};         // processes and groups, by phase
        std::array<std::int16_t, max_shared> awoken{};  // by phase, less those that went to sleep
        const phase_visit* visited = nullptr;
        const process_state* running = nullptr;  // in that visit
        std::vector<process_state*> woken;       // of phases that are not shared
        std::vector<timer> timers;
        std::exception_ptr failure;
        std::uint64_t failed = 0;  // position of the failure in the order of the step
        bool interrupted = false;  // see failure
    };
    /// Whether phases of the current step may be run by host threads.
    bool runs_in_step() const { return may_run() && (pays_ || groups_a_thread_ != 0); }
    std::uint64_t awake_chunks(unsigned unit) const;
    void run_chunk(unsigned unit, unsigned chunk);
    deferred_updates& updates_of_this_thread();

    // Fields that all threads read, in one cache line.
    alignas(64) bool running_ = false;
    bool one_thread_;
    bool pays_ = false;       // in the current step
    unsigned suspended_ = 0;  // calls of suspend() without resume()
    const unsigned groups_a_thread_;
    const unsigned threads_;
    const phase_visit* visits_ = nullptr;  // being run
    unsigned n_visits_ = 0;
    std::unique_ptr<host_threads::worker_pool> workers_;
    std::vector<deferred_updates> deferred_updates_;  // by host thread

    // Fields that only SystemC's thread uses.
    alignas(64) std::vector<scheduled_phase*> phase_entries_;  // by shared_number
    unsigned chunk_of_new_ = 0;
    unsigned activations_ = 0;  // in the current step
    unsigned steps_since_counted_ = 0;
    // One for steps with an edge of the first domain, and one for all other steps, which are only
    // shared while the former pays, because the threads are awake then.
    std::array<parallel_autotuner, 2> autotuners_{parallel_autotuner(), parallel_autotuner(0)};
    std::optional<parallel_autotuner::clock::time_point> step_began_;  // during a trial
    alignas(64) host_threads::spin_lock lock_;
};

}  // namespace simtlm::simulation
