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

/// Order of work within a GPU: what is put into it begins in order. A stream that is not blocking
/// does not wait for the legacy default stream, nor that for it.
struct stream {
    std::uint64_t number = 0;
    unsigned device = 0;
    bool legacy = false;   ///< the legacy default stream
    bool blocking = true;  ///< orders itself with the legacy default stream
    int priority = 0;
    unsigned flags = 0;
    task_ptr last;
};

/// Puts tasks in order and has them carried out by an engine in a thread of its own, which alone
/// touches SystemC. Hosts post tasks from any thread, and wait for them.
///
/// In timing mode simulated time goes on only while a host waits, or has been silent for a while:
/// so the time at which a single host thread's work reaches the GPU does not depend on the speed of
/// the machine that simulates.
class scheduler {
public:
    struct settings {
        bool eager = true;        ///< run whenever there is something to do
        unsigned grace_ms = 300;  ///< else: after so long without a call; 0: never
    };
    /// Makes the engine, in the scheduler's thread, when the first task comes.
    using maker = std::function<std::unique_ptr<engine>()>;

    scheduler(shared_state& state, unsigned devices, settings how, maker make);
    ~scheduler();

    /// The legacy default stream of a device.
    stream& legacy(unsigned device) { return *legacy_[device]; }
    stream* create_stream(unsigned device, bool blocking, int priority, unsigned flags);
    /// Goes when its work is done.
    void destroy_stream(stream* s);
    bool knows(const stream* s) const;

    /// Puts a task behind what is in the stream. @param after  other tasks it waits for
    void submit(stream& s, const task_ptr& t, const std::vector<task_ptr>& after = {});
    /// Puts a task that does not begin before it is released.
    void submit_held(const task_ptr& t);
    void release(const task_ptr& t);
    /// Puts a task behind other tasks alone.
    void submit_after(const task_ptr& t, const std::vector<task_ptr>& after);
    /// A marker behind everything that is in a stream, or in all streams of a device.
    task_ptr mark(stream& s, const std::vector<task_ptr>& after = {});
    task_ptr mark_all(unsigned device);

    /// Waits until a task is done. @return its outcome
    status wait(const task_ptr& t);
    /// Whether it is done; if not, simulates until some task ends, or nothing is left to do before
    /// a host acts.
    bool poll(const task_ptr& t);
    /// Whether it is done, without more ado.
    bool is_done(const task_ptr& t) const;
    /// Simulated time, ps, as of the engine's last step; 0 without time.
    std::uint64_t time() const;
    /// Everything that is in a stream. @return done
    bool poll(stream& s);
    status wait(stream& s);
    status wait_all(unsigned device);

    /// The fault that has ended a device's work; success: none.
    status fault(unsigned device) const;
    /// After a reset.
    void forget_fault(unsigned device);

    /// Carries out everything, tells the engine that the end has come, and stops its thread. Later
    /// calls do nothing. @param abandon  what has not ended is left
    void shut_down(bool abandon);
    bool is_shut_down() const;
    /// The calling thread is the one that carries out host calls.
    bool in_engine_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

private:
    void serve();
    std::deque<task_ptr> take_ready();
    void watch();
    void make_engine();
    bool may_run() const;
    bool is_idle() const { return ready_.empty() && !engine_busy_ && !stepping_; }
    void complete(const task_ptr& t);
    void add(const task_ptr& t, const std::vector<task_ptr>& after);
    void order(stream& s, std::vector<task_ptr>& after);
    void start_thread();
    void touch();

    shared_state& state_;
    settings how_;
    maker make_;
    std::unique_ptr<engine> engine_;
    std::thread thread_;
    mutable std::mutex mutex_;
    std::condition_variable work_;  ///< for the engine's thread
    std::condition_variable done_;  ///< for hosts
    std::vector<std::unique_ptr<stream>> legacy_;
    std::unordered_map<const stream*, std::unique_ptr<stream>> streams_;
    std::vector<stream*> in_order_;  ///< all but the legacy ones, by number
    std::deque<task_ptr> ready_;
    std::vector<task_ptr> watched_;  ///< ready but for their `until`
    std::vector<status> faults_;
    std::chrono::steady_clock::time_point last_call_;
    std::uint64_t next_stream_ = 0, next_task_ = 0;
    std::atomic<std::uint64_t> time_{0};
    /// What hosts wait for: a task, or that so many are completed.
    struct wish {
        task_ptr what;
        std::uint64_t or_completed;
        bool open(std::uint64_t completed) const { return !what->done && completed < or_completed; }
    };
    std::list<wish> wishes_;
    std::uint64_t open_tasks_ = 0;
    std::uint64_t completed_ = 0;
    bool started_ = false, quit_ = false, abandon_ = false, ended_ = false;
    bool engine_busy_ = false;
    bool stepping_ = false;  ///< the engine's thread is at work, without the lock
};

}  // namespace simtlm::device
