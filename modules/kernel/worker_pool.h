// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace simtlm::kernel {

/// Host threads that run a round of many small chunks of work together with the calling thread,
/// again and again. Between rounds they spin, and after a while sleep.
class worker_pool {
public:
    /// The work of a round: a unit of up to 64 chunks for every thread, so that a thread mostly
    /// works on what it worked on in the last round. A thread that has finished its own unit steals
    /// chunks from others.
    struct work {
        void* context;
        /// Begins a unit, on the thread that comes to it first.
        /// @return the chunks with work, a bit each
        std::uint64_t (*begin)(void* context, unsigned unit);
        void (*do_chunk)(void* context, unsigned unit, unsigned chunk);
    };

    /// @param threads  that work together, the asking one included
    explicit worker_pool(unsigned threads);
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    unsigned threads() const { return static_cast<unsigned>(slots_.size()); }

    /// Begins every unit once, runs its chunks, in any order and on any of some threads, and
    /// returns when all have been run. Rethrows the first exception of a chunk then.
    /// @param among  how many threads, of threads()
    void run(const work& what, unsigned among);

    /// The number of the thread that calls: 0 unless it is one that a pool has made.
    static unsigned this_thread() { return this_thread_; }

private:
    /// A worker's state and its unit of work; all that it reads to begin lies in one cache line.
    struct alignas(64) worker_slot {
        /// Progress of the thread, with the number of its last invitation in the upper bits. A
        /// thread that has not come when all work is done is excluded from the round: it may have
        /// no processor.
        std::atomic<std::uint64_t> state{finished};
        std::atomic<std::uint64_t> unit{begun};  ///< being begun in a round, or begun: the same
        std::atomic<std::uint64_t> left{0};      ///< chunks that no thread has taken
        std::uint64_t round = 0;                 ///< to which the thread is invited
        work what{};
    };
    enum progress : std::uint64_t { invited, at_work, finished, excluded, states };
    enum : std::uint64_t { beginning, begun, unit_states };

    void serve(unsigned thread);
    void work_on(const work& what, std::uint64_t round, unsigned first);
    static bool begin(const work& what, std::uint64_t round, unsigned unit, worker_slot& s);
    void await(worker_slot& s);
    bool await_invitation(worker_slot& mine);

    static thread_local unsigned this_thread_;
    std::vector<worker_slot> slots_;
    std::vector<std::thread> workers_;
    std::uint64_t round_ = 0;  // counts the times
    alignas(64) std::atomic<unsigned> asleep_{0};
    std::mutex mutex_;
    std::condition_variable awake_;
    std::exception_ptr failure_;  // under mutex_
};

}  // namespace simtlm::kernel
