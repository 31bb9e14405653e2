// SPDX-License-Identifier: Apache-2.0
#include "platform/device/functional_engine.h"

#include "platform/device/child_kernels.h"
#include "platform/device/debug_session.h"

namespace simtlm::device {

namespace {

/// The events of host programs have a resolution of 1 ns.
constexpr std::uint64_t ps_per_task = 1000;
/// Time for which kernels may wait for the host, ms.
constexpr unsigned host_patience = 2000;

}  // namespace

void attempt(task& t, const shared_state& state, const std::function<void()>& act) {
    try {
        act();
        t.outcome = status::success;
    } catch (const failure& e) {
        t.outcome = e.code();
        state.complain(e.what());
    } catch (const std::exception& e) {
        t.outcome = status_of_fault(e);
        state.complain(e.what());
    }
}

functional_engine::functional_engine(shared_state& state, unsigned sms, unsigned host_threads,
                                     listener ran, std::function<void()> failed,
                                     debug_session* debug)
    : state_(state),
      sms_(sms),
      host_threads_(host_threads),
      ran_(std::move(ran)),
      failed_(std::move(failed)),
      debug_(debug) {}

void functional_engine::finish() {
    if (debug_ != nullptr && !state_.give_up) debug_->end();
}

std::vector<task_ptr> functional_engine::run() {
    if (waiting_.empty()) return {};
    const task_ptr t = waiting_.front();
    waiting_.pop_front();
    t->started_at = now_;
    attempt(*t, state_, [&] { carry_out(*t); });
    if (t->what == task::kind::kernel && t->outcome != status::success && failed_) failed_();
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
    const memory_space::turn turn(state_.memory, true);
    execution::services world;
    if (t.launch.module->allocates()) {
        if (!heap_)
            heap_ =
                std::make_unique<execution::device_heap>(state_.memory.table(), state_.heap_limit);
        heap_->reserve();
        world.heap = heap_.get();
    }
    world.print = state_.print;
    world.stack_limit = state_.stack_limit;
    world.textures = &state_.textures;
    if (state_.look != nullptr) state_.look->attach(world);
    world.sms = sms_;
    execute(t, world, 0);
}

void functional_engine::execute(task& t, const execution::services& given, unsigned depth) {
    if (t.effect) return t.effect();
    execution::services world = given;
    if (t.launch.module->image().launches_kernels()) {
        if (!launch_buffers_)
            launch_buffers_ = std::make_shared<execution::device_heap>(
                state_.memory.table(), execution::device_launches::buffer_bytes);
        launch_buffers_->reserve();
        world.launches = std::make_shared<execution::device_launches>(launch_buffers_, depth);
    }
    const execution::launch l = launch_of(t.launch, ++launches_, t.stream);
    execution::functional_options how;
    how.host_threads = host_threads_;
    how.give_up = &state_.give_up;
    how.host_patience = host_patience;
    const debug_session::watched_launch watched(debug_, l, launches_);
    how.observer = watched.observer();
    const execution::execution_summary s = execution::run(l, state_.memory.table(), world, how);
    if (ran_) ran_(t, s);
    if (!world.launches) return;
    child_kernels children(std::make_shared<task>(t), nullptr, world.launches);
    std::vector<task_ptr> left = children.grid_ended();
    for (std::size_t n = 0; n < left.size() && !state_.give_up; ++n) {
        execute(*left[n], given, depth + 1);
        for (task_ptr& next : children.child_ended(left[n])) left.push_back(std::move(next));
    }
}

}  // namespace simtlm::device
