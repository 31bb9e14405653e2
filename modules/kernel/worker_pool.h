// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace simtlm::kernel {

/// Threads of the host that do many small pieces of work at a time, again and again, each time
/// together with the thread that asks. Between two times they wait turning, and after a while
/// asleep.
class worker_pool {
public:
    /// @param threads  that work together, the asking one included
    explicit worker_pool(unsigned threads);
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

    /// Calls work(context, i) for every piece i, in any order and on any of some threads, and
    /// returns when all calls have. The first exception of a call is thrown then.
    /// @param ends  by thread, of at most threads(): the piece after the last of those that it
    ///              begins with; ascending, the last one is the number of pieces
    void run(const std::vector<unsigned>& ends, void (*work)(void* context, unsigned i),
             void* context);

    /// The number of the thread that calls: 0 unless it is one that a pool has made.
    static unsigned this_thread() { return this_thread_; }

private:
    /// Adjacent pieces, so that a thread mostly works on what it worked on the last time. Who has
    /// finished its own share helps with those of others.
    struct alignas(64) share {
        std::atomic<unsigned> next{0};
        unsigned end = 0;
        /// Of its thread in a round, the number of which is in the upper bits. A thread that has
        /// not begun when all work is done is left out: it may have no processor.
        std::atomic<std::uint64_t> state{0};
    };
    enum progress : std::uint64_t { invited, at_work, finished, left_out, states };

    void serve(unsigned thread);
    void work_on(unsigned first_share);
    void await(share& s);
    std::uint64_t next_round(std::uint64_t seen);

    static thread_local unsigned this_thread_;
    std::vector<share> shares_;
    std::vector<std::thread> workers_;
    // What is to be done, in the line of memory that tells of it.
    alignas(64) std::atomic<std::uint64_t> round_{0};  // counts the times
    void (*work_)(void*, unsigned) = nullptr;
    void* context_ = nullptr;
    unsigned among_ = 0;
    alignas(64) std::atomic<unsigned> asleep_{0};
    std::mutex mutex_;
    std::condition_variable awake_;
    std::exception_ptr failure_;  // under mutex_
};

}  // namespace simtlm::kernel
