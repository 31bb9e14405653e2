// SPDX-License-Identifier: Apache-2.0
#include "platform/device/functional_engine.h"

#include "platform/device/child_kernels.h"
#include "platform/device/debug_session.h"
#include "platform/device/run_log.h"

namespace simtlm::device {

namespace {

/// The events of host programs have a resolution of 1 ns.
constexpr std::uint64_t ps_per_task = 1000;

}  // namespace

void functional_engine::finish() {
    if (debug_ != nullptr && !state_.give_up) debug_->end();
}

std::vector<task_ptr> functional_engine::run() {
    if (waiting_.empty()) return {};
    const task_ptr t = waiting_.front();
    waiting_.pop_front();
    t->started_at = now_;
    attempt(*t, state_, [&] { carry_out(*t); });
    if (t->what == task::kind::kernel && t->outcome != status::success && log_ != nullptr)
        log_->kernel_failed();
    if (t->what == task::kind::kernel || t->bytes != 0) now_ += ps_per_task;
    t->finished_at = now_;
    return {t};
}

void functional_engine::carry_out(task& t) {
    if (t.what == task::kind::kernel)
        launch(t);
    else if (t.effect)
        t.effect();
}

void functional_engine::launch(task& t) {
    const memory_space::access_scope access_scope(state_.memory, true);
    execution::services world = services_.of(*t.launch.module);
    world.sms = sms_;
    execute(t, world, 0);
}

void functional_engine::execute(task& t, const execution::services& given, unsigned depth) {
    if (t.effect) return t.effect();
    execution::services world = given;
    world.launches = services_.launches_of(*t.launch.module, depth);
    const execution::launch l = launch_of(t, ++launches_);
    execution::functional_options how;
    how.host_threads = host_threads_;
    how.give_up = &state_.give_up;
    how.host_timeout = host_timeout;
    const debug_session::watched_launch watched(debug_, l, launches_);
    how.observer = watched.observer();
    const execution::execution_summary s = execution::run(l, state_.memory.table(), world, how);
    if (log_ != nullptr) log_->kernel_executed(t, s);
    if (!world.launches) return;
    child_kernels children(std::make_shared<task>(t), nullptr, world.launches);
    std::vector<task_ptr> left = children.grid_ended();
    for (std::size_t n = 0; n < left.size() && !state_.give_up; ++n) {
        execute(*left[n], given, depth + 1);
        for (task_ptr& next : children.child_ended(left[n])) left.push_back(std::move(next));
    }
}

}  // namespace simtlm::device
