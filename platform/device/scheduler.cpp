// SPDX-License-Identifier: Apache-2.0
#include "platform/device/scheduler.h"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace simtlm::device {

scheduler::scheduler(shared_state& state, unsigned devices, settings how, maker make)
    : state_(state), how_(how), make_(std::move(make)), faults_(devices, status::success) {
    for (unsigned d = 0; d < devices; ++d) {
        legacy_.push_back(std::make_unique<stream>());
        legacy_.back()->device = d;
        legacy_.back()->legacy = true;
    }
}

scheduler::~scheduler() {
    shut_down(true);
    if (thread_.joinable()) thread_.join();
}

/// Blocks all signals in the thread, because they belong to the program.
void scheduler::start_thread() {
    if (started_) return;
    started_ = true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

stream* scheduler::create_stream(unsigned device, bool blocking, int priority, unsigned flags) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto s = std::make_unique<stream>();
    s->number = ++next_stream_;
    s->device = device;
    s->blocking = blocking;
    s->priority = priority;
    s->flags = flags;
    stream* const raw = s.get();
    streams_[raw] = std::move(s);
    in_order_.push_back(raw);
    return raw;
}

void scheduler::destroy_stream(stream* s) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Later work of the legacy stream must wait for unfinished work of this one.
    stream& l = *legacy_[s->device];
    if (s->blocking && s->last && !s->last->done) {
        const auto join = std::make_shared<task>();
        join->device = s->device;
        std::vector<task_ptr> after{s->last};
        if (l.last) after.push_back(l.last);
        add(join, after);
        l.last = join;
    }
    in_order_.erase(std::find(in_order_.begin(), in_order_.end(), s));
    streams_.erase(s);
}

bool scheduler::knows(const stream* s) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (streams_.find(s) != streams_.end()) return true;
    return std::any_of(legacy_.begin(), legacy_.end(), [&](const auto& l) { return l.get() == s; });
}

void scheduler::add(const task_ptr& t, const std::vector<task_ptr>& after) {
    t->number = ++next_task_;
    t->submitted_at = time();
    for (const task_ptr& a : after) {
        if (!a || a->done) continue;
        a->followers.push_back(t);
        ++t->waits_for;
    }
    if (t->primary && !t->primary->dependents_may_begin) {
        t->primary->dependents.push_back(t);
        ++t->waits_for;
    }
    if (t->waits_for == 0) ready_.push_back(t);
    start_thread();
    state_.attention = true;
    work_.notify_one();
}

/// Adds the tasks that a new task of a stream depends on.
void scheduler::order(stream& s, std::vector<task_ptr>& after) {
    if (s.last) after.push_back(s.last);
    if (s.legacy) {
        for (const stream* other : in_order_)
            if (other->device == s.device && other->blocking && other->last)
                after.push_back(other->last);
    } else if (s.blocking && legacy_[s.device]->last) {
        after.push_back(legacy_[s.device]->last);
    }
}

void scheduler::submit(stream& s, const task_ptr& t, const std::vector<task_ptr>& after) {
    const std::lock_guard<std::mutex> lock(mutex_);
    note_call();
    std::vector<task_ptr> all = after;
    order(s, all);
    if (t->launch.programmatic && s.last && !s.last->done && s.last->what == task::kind::kernel &&
        s.last->device == s.device) {
        t->primary = s.last;
        all.erase(std::remove(all.begin(), all.end(), s.last), all.end());
    }
    t->device = s.device;
    t->stream = s.number;
    add(t, all);
    s.last = t;
}

void scheduler::submit_after(const task_ptr& t, const std::vector<task_ptr>& after) {
    const std::lock_guard<std::mutex> lock(mutex_);
    note_call();
    add(t, after);
}

void scheduler::submit_held(const task_ptr& t) {
    const std::lock_guard<std::mutex> lock(mutex_);
    note_call();
    ++t->waits_for;
    add(t, {});
}

void scheduler::release(const task_ptr& t) {
    const std::lock_guard<std::mutex> lock(mutex_);
    note_call();
    if (--t->waits_for == 0) ready_.push_back(t);
    state_.attention = true;
    work_.notify_one();
}

task_ptr scheduler::mark(stream& s, const std::vector<task_ptr>& after) {
    auto t = std::make_shared<task>();
    t->even_after_fault = true;
    submit(s, t, after);
    return t;
}

task_ptr scheduler::mark_all(unsigned device) {
    auto t = std::make_shared<task>();
    t->device = device;
    t->even_after_fault = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    note_call();
    std::vector<task_ptr> after;
    if (legacy_[device]->last) after.push_back(legacy_[device]->last);
    for (const stream* s : in_order_)
        if (s->device == device && s->last) after.push_back(s->last);
    add(t, after);
    return t;
}

status scheduler::wait(const task_ptr& t) {
    std::unique_lock<std::mutex> lock(mutex_);
    note_call();
    if (t->done || ended_) return t->outcome;
    const auto mine = waiters_.insert(waiters_.end(), {t, ~std::uint64_t{0}});
    work_.notify_one();
    // If a signal ends the process, waiting threads must not continue.
    done_.wait(lock, [&] { return t->done || (ended_ && !abandon_); });
    waiters_.erase(mine);
    note_call();
    return t->outcome;
}

bool scheduler::poll(const task_ptr& t) {
    std::unique_lock<std::mutex> lock(mutex_);
    note_call();
    if (t->done || ended_) return true;
    // Waits for one completion, so that a polling host eventually terminates; waits for none if the
    // task waits for the host itself.
    const auto mine = waiters_.insert(waiters_.end(), {t, completed_ + 1});
    work_.notify_one();
    const auto progress = [&] { return ended_ || is_idle() || !mine->open(completed_); };
    if (how_.eager)
        done_.wait_for(lock, std::chrono::microseconds(50), progress);
    else
        done_.wait(lock, progress);
    waiters_.erase(mine);
    return t->done || ended_;
}

bool scheduler::is_done(const task_ptr& t) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return t->done;
}

bool scheduler::poll(stream& s) {
    task_ptr last;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<task_ptr> all;
        order(s, all);
        for (const task_ptr& t : all)
            if (!t->done) last = t;
    }
    return !last || poll(last);
}

status scheduler::wait(stream& s) {
    std::vector<task_ptr> all;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        note_call();
        order(s, all);
    }
    for (const task_ptr& t : all) wait(t);
    return fault(s.device);
}

status scheduler::wait_all(unsigned device) {
    wait(mark_all(device));
    return fault(device);
}

status scheduler::fault(unsigned device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return faults_[device];
}

void scheduler::clear_fault(unsigned device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (faults_[device] == status::success) return;  // the engine may not exist yet
    if (engine_->survives_faults()) faults_[device] = status::success;
}

bool scheduler::may_run() const {
    if (how_.eager || quit_) return true;
    if (std::any_of(waiters_.begin(), waiters_.end(),
                    [&](const waiter& w) { return w.open(completed_); }))
        return true;
    return how_.grace_ms != 0 && std::chrono::steady_clock::now() - last_call_ >=
                                     std::chrono::milliseconds(how_.grace_ms);
}

/// Makes programmatic launches ready that follow a kernel.
void scheduler::release_dependents(task& t) {
    t.dependents_may_begin = true;
    for (const task_ptr& d : t.dependents)
        if (--d->waits_for == 0) ready_.push_back(d);
    t.dependents.clear();
}

void scheduler::complete(const task_ptr& t) {
    release_dependents(*t);
    t->primary.reset();
    t->done = true;
    ++completed_;
    if (t->outcome != status::success && faults_[t->device] == status::success)
        faults_[t->device] = t->outcome;
    for (const task_ptr& f : t->followers)
        if (--f->waits_for == 0) ready_.push_back(f);
    t->followers.clear();
    t->effect = nullptr;
    t->skip = nullptr;
    t->launch.module.reset();
}

void scheduler::make_engine() {
    try {
        engine_ = make_();
    } catch (const std::exception& e) {
        state_.report_error(e.what());
    }
}

/// Moves tasks whose condition has become true to the ready queue.
void scheduler::watch() {
    const auto holds = [&](const task_ptr& t) {
        if (faults_[t->device] == status::success && !t->until()) return false;
        t->until = nullptr;
        ready_.push_back(t);
        return true;
    };
    watched_.erase(std::remove_if(watched_.begin(), watched_.end(), holds), watched_.end());
}

/// Returns the tasks to start now; those with an unmet condition are watched.
std::deque<task_ptr> scheduler::take_ready() {
    std::deque<task_ptr> begin;
    for (const task_ptr& t : ready_) {
        if (t->until && faults_[t->device] == status::success && !t->until())
            watched_.push_back(t);
        else
            begin.push_back(t);
    }
    ready_.clear();
    return begin;
}

void scheduler::serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        watch();
        const auto something = [&] { return !ready_.empty() || engine_busy_; };
        if (abandon_ || (quit_ && !something())) break;
        if (!something() || !may_run()) {
            if (!watched_.empty())
                work_.wait_for(lock, std::chrono::milliseconds(1));
            else if (!something() || how_.eager || how_.grace_ms == 0)
                work_.wait(lock);
            else
                work_.wait_for(lock, std::chrono::milliseconds(how_.grace_ms / 3 + 1));
            continue;
        }
        const std::deque<task_ptr> begin = take_ready();
        // While tasks are watched, the engine must return soon and often.
        state_.attention = !watched_.empty();
        if (begin.empty() && !engine_busy_) {
            done_.notify_all();  // polling hosts must make progress
            continue;
        }
        stepping_ = true;
        std::vector<bool> failed;
        for (const task_ptr& t : begin)
            failed.push_back(faults_[t->device] != status::success && !t->even_after_fault);
        lock.unlock();
        if (!engine_) make_engine();
        std::vector<task_ptr> finished;
        for (std::size_t i = 0; i < begin.size(); ++i) {
            task& t = *begin[i];
            if (engine_) t.started_at = t.finished_at = engine_->now();
            if (failed[i] || !engine_ || (t.skip && t.skip()))
                finished.push_back(begin[i]);
            else
                engine_->start(begin[i]);
        }
        if (finished.empty() && engine_) finished = engine_->run();
        // Released without the lock, since destructors may call anything, and before hosts
        // continue, since otherwise the address of the next allocation would depend on thread
        // timing.
        for (const task_ptr& t : finished) t->keeps.reset();
        if (engine_) time_.store(engine_->now(), std::memory_order_relaxed);
        const bool busy = engine_ && engine_->busy();
        const auto ready_for_dependents =
            engine_ ? engine_->take_ready_for_dependents() : std::vector<task_ptr>();
        lock.lock();
        stepping_ = false;
        engine_busy_ = busy;
        if (abandon_) continue;  // hosts must not continue with abandoned work
        for (std::size_t i = 0; i < begin.size(); ++i)
            if (failed[i] || !engine_)
                begin[i]->outcome = engine_ ? faults_[begin[i]->device] : status::not_initialised;
        for (const task_ptr& t : ready_for_dependents)
            if (!t->done) release_dependents(*t);
        for (const task_ptr& t : finished) complete(t);
        if (!finished.empty() || is_idle()) done_.notify_all();
    }
    lock.unlock();
    if (engine_) engine_->finish();
    lock.lock();
    ended_ = true;
    lock.unlock();
    done_.notify_all();
}

void scheduler::shut_down(bool abandon) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!started_) {
        started_ = ended_ = true;
        return;
    }
    quit_ = true;
    if (abandon) abandon_ = state_.give_up = true;
    state_.attention = true;
    work_.notify_one();
    const auto ended = [&] { return ended_; };
    if (abandon)
        done_.wait_for(lock, std::chrono::seconds(10), ended);
    else
        done_.wait(lock, ended);
}

bool scheduler::is_shut_down() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return quit_ || ended_;
}

}  // namespace simtlm::device
