// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace simtlm::host_threads {

/// Host threads that, together with the calling thread, repeatedly run rounds of many small chunks
/// of work. Between rounds they spin, and sleep after a while.
class worker_pool {
public:
    /// The work of a round: one unit of up to 64 chunks per thread, so that a thread usually works
    /// on the same chunks in every round. A thread that has finished its own unit steals chunks
    /// from others.
    struct work {
        void* context;
        /// Begins a unit, on the thread that reaches it first.
        /// @return the chunks with work, one bit each
        std::uint64_t (*begin)(void* context, unsigned unit);
        void (*do_chunk)(void* context, unsigned unit, unsigned chunk);
    };

    /// @param threads  number of threads, including the calling one
    explicit worker_pool(unsigned threads);
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    unsigned threads() const { return static_cast<unsigned>(states_.size()); }

    /// Begins every unit once, runs its chunks in any order and on any thread, and returns when all
    /// have been run. Then rethrows the first exception of a chunk.
    /// @param among  number of threads to use, at most threads()
    void run(const work& what, unsigned among);

    /// The number of the calling thread: 0 unless it was created by a pool.
    static unsigned this_thread() { return this_thread_; }

private:
    /// State of a worker and its unit of work; the fields read to begin a round are in one cache
    /// line.
    struct alignas(64) worker_state {
        /// Progress of the thread, with the number of its last invitation in the upper bits. A
        /// thread that has not started when all work is done is excluded from the round, because it
        /// may have no processor to run on.
        std::atomic<std::uint64_t> state{finished};
        std::atomic<std::uint64_t> unit{begun};  ///< state of the unit and number of its round
        std::atomic<std::uint64_t> left{0};      ///< chunks that no thread has taken yet
        std::uint64_t round = 0;                 ///< round to which the thread is invited
        work what{};
    };
    enum progress : std::uint64_t { invited, at_work, finished, excluded, states };
    enum : std::uint64_t { beginning, begun, unit_states };

    void serve(unsigned thread);
    void work_on(const work& what, std::uint64_t round, unsigned first);
    static bool begin(const work& what, std::uint64_t round, unsigned unit, worker_state& s);
    void await(worker_state& s);
    bool await_invitation(worker_state& mine);

    static thread_local unsigned this_thread_;
    std::vector<worker_state> states_;
    std::vector<std::thread> workers_;
    std::uint64_t round_ = 0;  // counts the rounds
    alignas(64) std::atomic<unsigned> asleep_{0};
    std::mutex mutex_;
    std::condition_variable awake_;
    std::exception_ptr failure_;  // protected by mutex_
};

}  // namespace simtlm::host_threads
