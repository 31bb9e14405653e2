// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/engine.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace simtlm::device {

/// An in-order queue of tasks of a GPU. A non-blocking stream and the legacy default stream do not
/// wait for each other.
struct stream {
    std::uint64_t number = 0;
    unsigned device = 0;
    bool legacy = false;   ///< is the legacy default stream
    bool blocking = true;  ///< synchronises with the legacy default stream
    int priority = 0;
    unsigned flags = 0;
    task_ptr last;
};

/// Orders tasks and executes them through an engine in a thread of its own, which is the only one
/// to use SystemC. Hosts submit tasks from any thread and wait for them.
///
/// In timing mode, simulated time advances only while a host waits, or after a period without
/// calls. The time at which work of a single host thread reaches the GPU therefore does not depend
/// on the speed of the simulating machine.
class scheduler {
public:
    /// When tasks are executed.
    struct settings {
        bool eager = true;        ///< run whenever there is work
        unsigned grace_ms = 300;  ///< if not eager: run after this time without a call; 0: never
    };
    /// Creates the engine; called in the scheduler's thread when the first task is submitted.
    using maker = std::function<std::unique_ptr<engine>()>;

    scheduler(shared_state& state, unsigned devices, settings how, maker make);
    ~scheduler();

    /// Returns the legacy default stream of a device.
    stream& legacy(unsigned device) { return *legacy_[device]; }
    stream* create_stream(unsigned device, bool blocking, int priority, unsigned flags);
    /// Destroys a stream once its work is done.
    void destroy_stream(stream* s);
    bool knows(const stream* s) const;

    /// Appends a task to a stream. @param after  additional tasks that it waits for
    void submit(stream& s, const task_ptr& t, const std::vector<task_ptr>& after = {});
    /// Submits a task that starts only after release().
    void submit_held(const task_ptr& t);
    void release(const task_ptr& t);
    /// Submits a task outside of streams that waits for other tasks only.
    void submit_after(const task_ptr& t, const std::vector<task_ptr>& after);
    /// Submits a marker that completes after all work of a stream, or of all streams of a device.
    task_ptr mark(stream& s, const std::vector<task_ptr>& after = {});
    task_ptr mark_all(unsigned device);

    /// Waits until a task is done. @return its outcome
    status wait(const task_ptr& t);
    /// Returns whether a task is done; if not, simulates until a task ends or no work is left
    /// before a host acts.
    bool poll(const task_ptr& t);
    /// Returns whether a task is done, without simulating.
    bool is_done(const task_ptr& t) const;
    /// Simulated time in ps at the engine's last step; 0 in functional mode.
    std::uint64_t time() const { return time_.load(std::memory_order_relaxed); }
    /// Poll or wait for all work of a stream. @return poll: whether it is done
    bool poll(stream& s);
    status wait(stream& s);
    status wait_all(unsigned device);

    /// The first fault of a device; success if there is none.
    status fault(unsigned device) const;
    /// Clears the fault of a device, after a reset.
    void clear_fault(unsigned device);

    /// Completes all tasks, calls finish() of the engine and stops the thread. Later calls have no
    /// effect.
    /// @param abandon  unfinished tasks are abandoned
    void shut_down(bool abandon);
    bool is_shut_down() const;
    /// Returns whether the caller is the thread that executes host calls.
    bool in_engine_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

private:
    void serve();
    std::deque<task_ptr> take_ready();
    void watch();
    void make_engine();
    bool may_run() const;
    bool is_idle() const { return ready_.empty() && !engine_busy_ && !stepping_; }
    void complete(const task_ptr& t);
    void release_dependents(task& t);
    void add(const task_ptr& t, const std::vector<task_ptr>& after);
    void order(stream& s, std::vector<task_ptr>& after);
    void start_thread();
    void note_call() { last_call_ = std::chrono::steady_clock::now(); }

    shared_state& state_;
    settings how_;
    maker make_;
    std::unique_ptr<engine> engine_;
    std::thread thread_;
    mutable std::mutex mutex_;
    std::condition_variable work_;  ///< wakes the engine's thread
    std::condition_variable done_;  ///< wakes hosts
    std::vector<std::unique_ptr<stream>> legacy_;
    std::unordered_map<const stream*, std::unique_ptr<stream>> streams_;
    std::vector<stream*> in_order_;  ///< all streams except the legacy ones, by number
    std::deque<task_ptr> ready_;
    std::vector<task_ptr> watched_;  ///< ready except for their `until` condition
    std::vector<status> faults_;
    std::chrono::steady_clock::time_point last_call_;
    std::uint64_t next_stream_ = 0, next_task_ = 0;
    std::atomic<std::uint64_t> time_{0};
    /// What a host waits for: completion of a task, or a number of completions.
    struct waiter {
        task_ptr what;
        std::uint64_t or_completed;
        bool open(std::uint64_t completed) const { return !what->done && completed < or_completed; }
    };
    std::list<waiter> waiters_;
    std::uint64_t completed_ = 0;
    bool started_ = false, quit_ = false, abandon_ = false, ended_ = false;
    bool engine_busy_ = false;
    bool stepping_ = false;  ///< the engine's thread is working without the lock
};

}  // namespace simtlm::device
