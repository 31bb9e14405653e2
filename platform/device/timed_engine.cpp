// SPDX-License-Identifier: Apache-2.0
#include "platform/device/timed_engine.h"

#include "modules/execution/state/hardware_addresses.h"
#include "platform/device/debug_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::device {

namespace {

/// Strips the decoration that SystemC adds to the message of an exception.
std::string plain(std::string text) {
    const std::string begin = "uncaught exception: ";
    if (const std::size_t at = text.find(begin); at != std::string::npos)
        text = text.substr(at + begin.size());
    return text.substr(0, text.find("\nIn file: "));
}

}  // namespace

timed_engine::timed_engine(shared_state& state, const system_config& config,
                           host_checkpoint& checkpoint, run_log& log, debug_session* debug,
                           platform::launch_sampler* sampler)
    : state_(state),
      log_(log),
      debug_(debug),
      checkpoint_(checkpoint),
      gpus_(state, config.gpu, config.gpus),
      selection_(state, config.gpu.traces.choice, sampler),
      replay_(checkpoint, state, gpus_),
      copies_(config.links, config.gpus),
      launcher_(state, config.gpu, gpus_, selection_, checkpoint, replay_, log),
      families_(state, gpus_, launcher_, log, done_) {
    for (platform::gpu* const g : gpus_.all())
        g->gate_idle_clocks([this] { return clock_limit(); });
    log_.built(gpus_.all());
    selection_.attach(gpus_.first());
    if (debug_ != nullptr) debug_->attach(gpus_.first());
    gpus_.elaborate();
    if (debug_ != nullptr) debug_->begin();
}

/// Time before which an idle GPU gets no work, in units of the time resolution. A completion on one
/// GPU may give work to another at an unknown time.
std::uint64_t timed_engine::clock_limit() const {
    if (const auto limit = replay_.clock_limit()) return *limit;
    const bool ends_other_work = gpus_.all().size() > 1 && !launcher_.running().empty();
    return ends_other_work ? 0 : gpus_.next_pause();
}

std::uint64_t timed_engine::now() const {
    return replay_.now();
}

bool timed_engine::busy() const {
    return !launcher_.running().empty() || !copies_.empty() || !done_.empty() || replay_.busy();
}

void timed_engine::start(const task_ptr& t) {
    if (fault_ != status::success) {
        t->outcome = t->even_after_fault ? status::success : fault_;
        done_.push_back(t);
    } else if (t->what == task::kind::kernel) {
        families_.launch(t);
    } else if (t->what == task::kind::copy) {
        copies_.start(t, now());
        end_copies();
    } else {
        perform(t);
    }
}

void timed_engine::end_copies() {
    while (const task_ptr t = copies_.take_ended(now())) {
        warm_l2(*t);
        perform(t);
        checkpoint_.copied(*t);
    }
}

/// Performs a copy or host call now.
void timed_engine::perform(const task_ptr& t) {
    attempt(*t, state_, [&] {
        if (t->effect) t->effect();
    });
    t->finished_at = now();
    done_.push_back(t);
}

/// Leaves the lines of a host copy in the L2.
void timed_engine::warm_l2(const task& t) {
    const execution::hardware_addresses seen(state_.memory.table());
    for_each_row(t.l2_rows, [&](std::uint64_t address, std::uint64_t bytes) {
        dispatch::host_command c;
        c.what = dispatch::host_command::kind::copy_in;
        c.address = seen.of(address);
        c.bytes = bytes;
        if (t.direction == copy_direction::to_device) log_.copied(c.address, c.bytes);
        gpus_.submit(std::move(c), t.device);
    });
}

std::vector<task_ptr> timed_engine::run() {
    if (done_.empty() && checkpoint_.replays()) {
        replay_.step(launcher_, copies_, done_);
        end_copies();
    } else if (done_.empty() && (!launcher_.running().empty() || !copies_.empty())) {
        simulate();
    }
    for (const task_ptr& t : done_)
        if (t->what != task::kind::kernel && t->outcome == status::success) log_.task_ended(*t);
    return std::exchange(done_, {});
}

/// Runs until a task ends. Statistics are consistent only between steps.
void timed_engine::simulate() {
    try {
        const memory_space::access_scope access_scope(state_.memory, true);
        if (copies_.empty()) replay_.save_if_due(launcher_);
        gpus_.run(copies_.next_end());
    } catch (const std::exception& e) {
        return fail("failed", e.what(), status_of_fault(e));
    }
    collect();
    end_copies();
    checkpoint_.ended(now(), done_);
}

void timed_engine::collect() {
    for (platform::gpu* const g : gpus_.all()) {
        collect_kernels(*g);
        for (const std::string& w : g->commands().take_warnings()) log_.note("warning", w);
        for (const std::string& n : g->commands().take_notes()) log_.note("note", n);
        check_faults(*g);
        if (fault_ != status::success) return;
    }
}

void timed_engine::collect_kernels(platform::gpu& device) {
    // Launches that are executed in functional mode end at once, and checkpoints record the order
    // in which kernels end.
    const bool may_overlap = selection_.takes_all() && !checkpoint_.is_used();
    for (const std::uint64_t number : device.commands().take_ready_for_dependents())
        if (const task_ptr t = launcher_.find(number))
            if (may_overlap && families_.root_of(t) == t) ready_for_dependents_.push_back(t);
    for (const dispatch::finished_kernel& k : device.commands().take_finished()) {
        log_.kernel_ended(device, k);
        const task_ptr t = launcher_.find(k.descriptor.id);
        if (!t) continue;
        attempt(*t, state_, [&] { selection_.ended(k); });
        if (t->outcome != status::success) log_.kernel_failed();
        launcher_.remove(k.descriptor.id);
        families_.grid_ended(t);
    }
}

std::vector<task_ptr> timed_engine::take_ready_for_dependents() {
    return std::exchange(ready_for_dependents_, {});
}

/// Fails the simulation if a GPU has.
void timed_engine::check_faults(platform::gpu& device) {
    try {
        device.sequencer().rethrow_failure();
    } catch (const std::exception& e) {
        return fail("failed", e.what(), status_of_fault(e));
    }
    const dispatch::command_processor& commands = device.commands();
    if (commands.deadlocked())
        return fail("deadlock",
                    fmt::format("deadlock detected at core cycle {}: no instruction was completed "
                                "in the last {} cycles; waiting units:\n{}",
                                device.core_cycles(), device.config().dispatch.deadlock_window,
                                device.describe()),
                    status::launch_timeout);
    if (commands.stopped())
        fail(commands.stop_reason(), "the simulation was ended by " + commands.stop_reason(),
             status::launch_timeout);
}

/// The simulation cannot continue: fails all tasks in progress and all later ones.
void timed_engine::fail(const std::string& how, const std::string& why, status outcome) {
    log_.failed(how);
    state_.report_error(plain(why));
    fault_ = outcome;
    std::vector<task_ptr> failed;  // kernels as the host has launched them
    for (const auto& [number, t] : launcher_.running()) failed.push_back(families_.root_of(t));
    std::sort(failed.begin(), failed.end(),
              [](const task_ptr& a, const task_ptr& b) { return a->number < b->number; });
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    while (task_ptr t = copies_.take_ended(copy_queue::never)) failed.push_back(std::move(t));
    for (const task_ptr& t : failed) t->outcome = outcome;
    done_.insert(done_.end(), failed.begin(), failed.end());
    launcher_.clear();
    families_.clear();
}

void timed_engine::finish() {
    if (checkpoint_.replays() && !state_.give_up)
        checkpoint_.refuse("the program has ended before the kernel after which the run was saved");
    if (!state_.give_up && fault_ == status::success)
        if (const std::string why = checkpoint_.unsaved(); !why.empty()) log_.result_lost(why);
    if (debug_ != nullptr && !state_.give_up) debug_->end();
    selection_.finish(log_);
    log_.ended();
}

}  // namespace simtlm::device
