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

/// Threads of the host that do many small pieces of work at a time, again and again, each time
/// together with the thread that asks. Between two times they wait turning, and after a while
/// asleep.
class worker_pool {
public:
    /// What is to be done at a time: a share for every thread, so that a thread mostly works on
    /// what it worked on the last time, of up to 64 pieces. Who has finished its own share helps
    /// with those of others.
    struct work {
        void* context;
        /// A share is begun, by the thread that comes to it first.
        /// @return the pieces in which there is something to do, a bit each
        std::uint64_t (*begin)(void* context, unsigned unit);
        void (*do_chunk)(void* context, unsigned unit, unsigned chunk);
    };

    /// @param threads  that work together, the asking one included
    explicit worker_pool(unsigned threads);
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    unsigned threads() const { return static_cast<unsigned>(slots_.size()); }

    /// Begins every share once, does all its pieces, in any order and on any of some threads, and
    /// returns when all have been done. The first exception of a piece is thrown then.
    /// @param among  how many threads, of threads()
    void run(const work& what, unsigned among);

    /// The number of the thread that calls: 0 unless it is one that a pool has made.
    static unsigned this_thread() { return this_thread_; }

private:
    /// A thread's, with its share; all that it must see to begin lies in one cache line.
    struct alignas(64) worker_slot {
        /// Of the thread, with the number of its last invitation in the upper bits. A thread that
        /// has not come when all work is done is left out: it may have no processor.
        std::atomic<std::uint64_t> state{finished};
        std::atomic<std::uint64_t> unit{begun};  ///< being begun in a round, or begun: the same
        std::atomic<std::uint64_t> left{0};      ///< pieces that nobody has taken
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
