// SPDX-License-Identifier: Apache-2.0
#include "platform/device/timed_engine.h"

#include "modules/execution/executed_kernel.h"
#include "modules/execution/functional.h"
#include "modules/execution/hardware_addresses.h"
#include "modules/simulation/finish_instant.h"
#include "modules/simulation/spawn.h"
#include "platform/device/debug_session.h"
#include "platform/device/functional_engine.h"
#include "platform/device/host_checkpoint.h"
#include "platform/device/launch_traits.h"
#include "platform/outputs/gpu_files.h"
#include "platform/sampling/launch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <systemc>
#include <thread>

namespace simtlm::device {

namespace {

/// Core cycles between polls; large enough to make the cost of poll() negligible.
constexpr double cycles_between_polls = 1024.3;

/// Maximum time to wait for other threads of a program to repeat the launches of the saved run, ms.
constexpr unsigned patience = 10'000;

/// Placeholder for a kernel that ended before the checkpoint; only its name is used.
class ended_kernel : public program::kernel_source {
public:
    explicit ended_kernel(const std::string& name) { kernel_.name = name; }
    const program::kernel_descriptor& descriptor() const override { return kernel_; }
    std::unique_ptr<program::cta> next_cta() override { return nullptr; }

private:
    program::kernel_descriptor kernel_;
};

std::uint64_t picoseconds(const sc_core::sc_time& t) {
    return static_cast<std::uint64_t>(t.to_seconds() * 1e12 + 0.5);
}

/// Strips the decoration that SystemC adds to the message of an exception.
std::string plain(std::string text) {
    const std::string begin = "uncaught exception: ";
    if (const std::size_t at = text.find(begin); at != std::string::npos)
        text = text.substr(at + begin.size());
    return text.substr(0, text.find("\nIn file: "));
}

}  // namespace

run_observer::~run_observer() = default;

std::shared_ptr<program::kernel_source> run_observer::launched(
    std::shared_ptr<execution::executed_kernel> kernel) {
    return kernel;
}

/// Pauses the simulation when a task has ended or attention is requested.
class timed_engine::monitor : public sc_core::sc_module {
public:
    monitor(const sc_core::sc_module_name& name, const std::vector<unit>& units,
            const shared_state& state, sc_core::sc_time period)
        : sc_module(name), state_(state), period_(period) {
        std::vector<simulation::trigger> triggers{copy_ended};
        for (const unit& u : units) {
            triggers.emplace_back(u.gpu->commands().progress());
            triggers.emplace_back(u.gpu->sequencer().failed());
        }
        simulation::spawn_method(
            "pause", [] { sc_core::sc_pause(); }, triggers);
        simulation::spawn_method(
            "poll", [this] { poll(); }, {}, simulation::first_run::at_start);
    }

    sc_core::sc_event copy_ended;
    /// Time of the pause for the end of a copy.
    sc_core::sc_time copy_pause = sc_core::sc_max_time();

    /// Next time when the host can give work to an idle GPU, as far as known.
    std::uint64_t next_pause() const { return std::min(copy_pause, next_poll_).value(); }

private:
    void poll() {
        next_poll_ = sc_core::sc_time_stamp() + period_;
        sc_core::next_trigger(period_);
        if (state_.attention.load(std::memory_order_relaxed) || state_.memory.wanted())
            sc_core::sc_pause();
    }

    const shared_state& state_;
    sc_core::sc_time period_, next_poll_;
};

timed_engine::timed_engine(shared_state& state, const settings& how, run_observer& observer)
    : state_(state), how_(how), observer_(observer), selector_(how.gpu.traces.choice) {
    // Suppress the banner of SystemC in the output of the program.
    const char* const before = std::getenv("SC_COPYRIGHT_MESSAGE");
    if (before == nullptr) setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::vector<platform::gpu*> all;
    for (unsigned i = 0; i < how.gpus; ++i) {
        unit u;
        const std::string name = how.gpus == 1 ? "gpu" : fmt::format("gpu{}", i);
        platform::gpu_config config = how.gpu;
        if (how.gpus > 1) platform::number_files(config.run, i);
        u.gpu = std::make_unique<platform::gpu>(name.c_str(), std::move(config));
        u.gpu->decouple_dram();
        u.gpu->gate_idle_clocks([this] { return gate_limit(); });
        all.push_back(u.gpu.get());
        units_.push_back(std::move(u));
    }
    monitor_ = std::make_unique<monitor>(
        "monitor", units_, state,
        sc_core::sc_time(cycles_between_polls / how.gpu.clocks.core, sc_core::SC_SEC));
    observer_.built(all);
    if (how.sampler != nullptr) how.sampler->attach(*all.front());
    if (how.debug != nullptr) how.debug->attach(*all.front());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (how.debug != nullptr) how.debug->begin();
    if (before == nullptr) unsetenv("SC_COPYRIGHT_MESSAGE");
}

/// Time before which an idle GPU gets no work. A completion on one GPU may give work to another at
/// an unknown time.
std::uint64_t timed_engine::gate_limit() const {
    if (replayed_until_ > sc_core::sc_time_stamp().value()) return replayed_until_;
    // A saved state must include the edges of all clocks up to one time.
    if (replays() ||
        (how_.checkpoint != nullptr && !units_.empty() && how_.checkpoint->is_due(*units_[0].gpu)))
        return 0;
    const bool others_end_something = units_.size() > 1 && !kernels_.empty();
    return others_end_something || monitor_ == nullptr ? 0 : monitor_->next_pause();
}

timed_engine::~timed_engine() {
    // Destroying a large SystemC hierarchy takes noticeable time, and the process ends anyway.
    for (unit& u : units_) static_cast<void>(u.gpu.release());
    static_cast<void>(monitor_.release());
}

std::uint64_t timed_engine::now() const {
    if (replays()) return replayed_now_;
    return picoseconds(sc_core::sc_time_stamp());
}

bool timed_engine::busy() const {
    return !kernels_.empty() || !copies_.empty() || !done_.empty() || !replayed_.empty();
}

void timed_engine::start(const task_ptr& t) {
    if (dead_ != status::success) {
        t->outcome = t->even_after_fault ? status::success : dead_;
        done_.push_back(t);
        return;
    }
    switch (t->what) {
        case task::kind::kernel:
            attempt(*t, state_, [&] { launch(t); });
            if (t->outcome != status::success) {
                observer_.kernel_failed();
                families_.erase(t);
                done_.push_back(t);
            }
            break;
        case task::kind::copy:
            start_copy(t);
            break;
        default:
            carry_out(t);
            break;
    }
}

void timed_engine::carry_out(const task_ptr& t) {
    attempt(*t, state_, [&] {
        if (t->effect) t->effect();
    });
    if (how_.checkpoint != nullptr && t->what == task::kind::copy) {
        try {
            how_.checkpoint->copied(*t);
        } catch (const support::user_error& e) {
            how_.refuse(e.what());
        }
    }
    t->finished_at = now();
    done_.push_back(t);
}

bool timed_engine::is_simulated(const execution::launch& l) {
    if (how_.sampler != nullptr) return how_.sampler->take(traits_of(l));
    trace::kernel_header header;
    header.name = l.kernel->name;
    header.id = launches_;
    return selector_.take(header);
}

/// Services for the launch. @pre the memory gate is held
execution::services timed_engine::world_of(const task_ptr& t) {
    unit& u = units_[t->device];
    execution::services world;
    if (t->launch.module->image().launches_kernels()) {
        if (how_.checkpoint != nullptr)
            throw failure(status::not_supported,
                          "kernels that launch kernels are not supported with checkpoints");
        if (!u.launch_buffers)
            u.launch_buffers = std::make_shared<execution::device_heap>(
                state_.memory.table(), execution::device_launches::buffer_bytes);
        u.launch_buffers->reserve();
        const auto family = families_.find(t);
        const auto parent =
            family == families_.end() ? std::shared_ptr<child_kernels>{} : family->second->parent();
        world.launches = std::make_shared<execution::device_launches>(
            u.launch_buffers, parent ? parent->depth() + 1 : 0);
        families_[t] = std::make_shared<child_kernels>(t, parent, world.launches);
    }
    if (t->launch.module->allocates()) {
        if (!u.heap)
            u.heap =
                std::make_unique<execution::device_heap>(state_.memory.table(), state_.heap_limit);
        u.heap->reserve();
        world.heap = u.heap.get();
    }
    world.print = state_.print;
    if (how_.checkpoint != nullptr)
        world.print = [this](std::string_view text) {
            how_.checkpoint->printed();
            state_.print(text);
        };
    world.stack_limit = state_.stack_limit;
    world.textures = &state_.textures;
    if (state_.look != nullptr) state_.look->attach(world);
    world.sms = how_.gpu.sms();
    world.cycles_per_nanosecond = how_.gpu.clocks.core * 1e-9;
    world.global_time = [] {
        return static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e9);
    };
    return world;
}

/// Submits a command. During replay of a checkpoint, commands are collected.
void timed_engine::submit(dispatch::host_command c, unsigned device) {
    dispatch::command_processor& commands = units_[device].gpu->commands();
    commands.submit(std::move(c));
    if (!replays()) commands.proceed();
}

/// Thread blocks of a launch that were not placed because its rate had become stable.
void timed_engine::execute_rest(execution::executed_kernel& kernel) {
    const memory_space::turn turn(state_.memory, true);
    execution::functional_options how;
    how.give_up = &state_.give_up;
    kernel.execute_rest(how);
}

void timed_engine::launch(const task_ptr& t) {
    const memory_space::turn turn(state_.memory, true);
    if (how_.checkpoint != nullptr) {
        try {
            how_.checkpoint->launched(*t);
        } catch (const support::user_error& e) {
            how_.refuse(e.what());
        }
    }
    const execution::services world = world_of(t);
    ++launches_;
    execution::launch l = launch_of(t->launch, launches_, t->stream);
    if (!is_simulated(l)) {
        execution::functional_options how;
        how.give_up = &state_.give_up;
        const auto summary = execution::run(l, state_.memory.table(), world, how);
        if (how_.sampler != nullptr)
            how_.sampler->executed(launches_,
                                   traits_of(l, summary, *t->launch.module->descriptor()));
        kernel_done(t);
        return;
    }
    const bool ended = replays() && how_.checkpoint->has_ended(t->number);
    dispatch::host_command c;
    c.what = dispatch::host_command::kind::launch;
    c.where = t->launch.kernel->name;
    c.list_number = launches_;
    // Streams have already ordered their kernels, and kernels of a graph may run concurrently.
    c.stream = (t->stream << 32) + launches_;
    for (const auto& [number, other] : kernels_)
        if (other == t->primary) c.depends_on = number;
    if (ended) {
        c.kernel = std::make_shared<ended_kernel>(t->launch.kernel->name);
        replayed_.emplace(t->number, replayed_kernel{t, std::move(l), world});
    } else {
        const auto code = t->launch.module->descriptor();
        const auto kernel = std::make_shared<execution::executed_kernel>(l, state_.memory.table(),
                                                                         world, code, launches_);
        if (how_.sampler != nullptr)
            how_.sampler->started(launches_, {[this, kernel] { execute_rest(*kernel); },
                                              [kernel, code, l = std::move(l)] {
                                                  return traits_of(l, kernel->executed(), *code);
                                              }});
        c.kernel = observer_.launched(kernel);
        platform::check_trace_fits(how_.gpu, platform::descriptor_of(c.kernel->descriptor()));
        kernels_[launches_] = t;
    }
    submit(std::move(c), t->device);
}

bool timed_engine::replays() const {
    return how_.checkpoint != nullptr && how_.checkpoint->replays();
}

/// Replays the GPU as seen by the host, up to the checkpoint.
void timed_engine::replay() {
    host_checkpoint& c = *how_.checkpoint;
    const host_checkpoint::step* const next = c.next();
    if (next == nullptr) {
        if (copies_.empty() && replayed_.empty() && c.is_complete(open_kernels())) return restore();
        return wait_for_host();
    }
    // Only copies end without action of the host, at the same times in both runs.
    for (const std::uint64_t number : next->kernels)
        if (replayed_.count(number) == 0) return wait_for_host();
    if (next->kernels.empty() && (copies_.empty() || copies_.begin()->first > next->now))
        return wait_for_host();
    waited_ = 0;
    replayed_now_ = next->now;
    for (const std::uint64_t number : next->kernels) {
        const auto at = replayed_.find(number);
        replayed_kernel& k = at->second;
        if (c.executes())
            attempt(*k.owner, state_, [&] {
                const memory_space::turn turn(state_.memory, true);
                execution::functional_options how;
                how.give_up = &state_.give_up;
                execution::run(k.launch, state_.memory.table(), k.world, how);
            });
        k.owner->finished_at = replayed_now_;
        done_.push_back(k.owner);
        replayed_.erase(at);
    }
    c.advance();
    end_copies();
}

/// The host has not launched the next task yet.
void timed_engine::wait_for_host() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (++waited_ > patience)
        how_.refuse(
            "the launches and copies of the program differ from those of the saved run: the "
            "checkpoint is not reached (a nondeterministic program cannot be resumed)");
}

/// The checkpoint is reached: advances the idle GPU to its time and restores the state.
void timed_engine::restore() {
    try {
        const memory_space::turn turn(state_.memory, true);
        const sc_core::sc_time until = how_.checkpoint->time();
        replayed_until_ = until.value();
        while (sc_core::sc_time_stamp() < until && !state_.give_up)
            sc_core::sc_start(until - sc_core::sc_time_stamp());
        simulation::finish_instant(units_.front().gpu->sequencer());
        how_.checkpoint->restore(*units_.front().gpu, launches_);
        units_.front().gpu->commands().proceed();
    } catch (const support::user_error& e) {
        how_.refuse(e.what());
    }
}

std::vector<std::uint64_t> timed_engine::open_kernels() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& [launch, t] : kernels_) numbers.push_back(t->number);
    return numbers;
}

/// Drains work of earlier kernels during the launch latency of the next one, and saves the run if
/// the GPU comes to rest before thread blocks are placed.
void timed_engine::save_at_rest() {
    platform::gpu& device = *units_.front().gpu;
    const simulation::phase_sequencer& sequencer = device.sequencer();
    while (!device.at_rest()) {
        if (!device.commands().at_rest() || sequencer.has_failed() || state_.give_up) return;
        // Advance to the end of a step with a core clock edge, where statistics are consistent.
        const std::uint64_t cycles = device.core_cycles();
        while (device.core_cycles() == cycles && !sequencer.has_failed()) {
            const std::uint64_t instant = sc_core::sc_time_stamp().value();
            const std::uint64_t next = std::max(sequencer.next_edge(), instant + 1);
            sc_core::sc_start(sc_core::sc_time::from_value(next - instant));
            simulation::finish_instant(device.sequencer());
        }
    }
    how_.checkpoint->save(device, launches_, open_kernels());
}

/// End time of a copy that starts now; also sets its start time. Copies of one direction are
/// serialised.
std::uint64_t timed_engine::copy_end(task& t) {
    const bool inside = t.direction == copy_direction::inside;
    const bool peer = t.direction == copy_direction::between_devices;
    if (inside && t.dram_accesses == 0) return now();
    const link_timing& link = inside ? how_.dram : peer ? how_.nvlink : how_.pcie;
    if (link.bandwidth == 0) return now();
    unit& u = units_[t.device];
    std::uint64_t& free = inside                                     ? u.inside_free
                          : t.direction == copy_direction::to_device ? u.to_device_free
                                                                     : u.to_host_free;
    const double moved = static_cast<double>(t.bytes) * (inside ? t.dram_accesses : 1);
    const double seconds = link.latency + moved / link.bandwidth;
    t.started_at = std::max(free, now());
    free = t.started_at + static_cast<std::uint64_t>(seconds * 1e12);
    return free;
}

void timed_engine::start_copy(const task_ptr& t) {
    const std::uint64_t end = copy_end(*t);
    copies_.emplace(end, t);
    if (end <= now()) end_copies();
}

void timed_engine::end_copies() {
    while (!copies_.empty() && copies_.begin()->first <= now()) {
        const task_ptr t = copies_.begin()->second;
        copies_.erase(copies_.begin());
        leave_in_l2(*t);
        carry_out(t);
    }
}

void timed_engine::leave_in_l2(const task& t) {
    const memory_rows& rows = t.l2_rows;
    if (rows.address == 0 || rows.width == 0) return;
    const execution::hardware_addresses seen(state_.memory.table());
    for (std::uint64_t z = 0; z < rows.depth; ++z)
        for (std::uint64_t y = 0; y < rows.height; ++y) {
            dispatch::host_command c;
            c.what = dispatch::host_command::kind::copy_in;
            c.address = seen.of(rows.address + z * rows.slice + y * rows.pitch);
            c.bytes = rows.width;
            if (t.direction == copy_direction::to_device) observer_.copied(c.address, c.bytes);
            submit(std::move(c), t.device);
        }
}

std::vector<task_ptr> timed_engine::run() {
    if (done_.empty() && replays())
        replay();
    else if (done_.empty() && (!kernels_.empty() || !copies_.empty()))
        simulate();
    for (const task_ptr& t : done_)
        if (t->what != task::kind::kernel && t->outcome == status::success)
            observer_.task_ended(*t);
    return std::exchange(done_, {});
}

/// Runs until a task ends. Statistics are consistent only between steps.
void timed_engine::simulate() {
    try {
        const memory_space::turn turn(state_.memory, true);
        monitor_->copy_pause = sc_core::sc_max_time();
        if (how_.checkpoint != nullptr && copies_.empty() &&
            how_.checkpoint->is_due(*units_.front().gpu))
            save_at_rest();
        if (!copies_.empty()) {
            const std::uint64_t end = copies_.begin()->first;
            const sc_core::sc_time left(static_cast<double>(end - now()) * 1e-12, sc_core::SC_SEC);
            monitor_->copy_ended.cancel();
            monitor_->copy_ended.notify(left);
            monitor_->copy_pause = sc_core::sc_time_stamp() + left;
        }
        sc_core::sc_start();
        simulation::finish_instant();
        for (unit& u : units_) u.gpu->sequencer().synchronize();
    } catch (const std::exception& e) {
        return fail_all("failed", e.what(), status_of_fault(e));
    }
    collect();
    end_copies();
    if (how_.checkpoint != nullptr) how_.checkpoint->ended(now(), done_);
}

/// A grid has ended: launches the kernels that it has launched. A kernel has completed when all of
/// them have.
void timed_engine::kernel_done(const task_ptr& t) {
    const auto at = families_.find(t);
    if (at == families_.end()) {
        t->finished_at = now();
        done_.push_back(t);
        return;
    }
    std::shared_ptr<child_kernels> family = at->second;
    begin_children(family, family->grid_ended());
    while (family && family->completed()) {
        const task_ptr ended = family->kernel();
        if (families_.count(ended) == 0) return;  // completed when its last child was launched
        const std::shared_ptr<child_kernels> parent = family->parent();
        families_.erase(ended);
        if (!parent) {
            ended->finished_at = now();
            done_.push_back(ended);
            return;
        }
        begin_children(parent, parent->child_ended(ended));
        family = parent;
    }
}

/// Launches kernels for another. If that fails, the kernel that the host has launched has failed.
void timed_engine::begin_children(const std::shared_ptr<child_kernels>& parent,
                                  const std::vector<task_ptr>& children) {
    for (const task_ptr& child : children) {
        families_[child] = std::make_shared<child_kernels>(child, parent, nullptr);
        attempt(*child, state_, [&] {
            if (!child->effect) return launch(child);
            const memory_space::turn turn(state_.memory, true);
            child->effect();
        });
        if (child->effect && child->outcome == status::success) kernel_done(child);
        if (child->outcome == status::success) continue;
        observer_.kernel_failed();
        parent->root()->outcome = child->outcome;
        families_.erase(child);
        parent->abandon(child);
    }
}

/// Whether programmatically dependent kernels may begin early. Not if some launches run in
/// functional mode, because those are executed immediately, nor with checkpoints, which record the
/// order in which kernels end.
bool timed_engine::may_overlap() const {
    const trace::kernel_choice& chosen = how_.gpu.traces.choice;
    return how_.sampler == nullptr && how_.checkpoint == nullptr && !chosen.looks_into_headers() &&
           !chosen.skip && !chosen.most && !chosen.ctas;
}

std::vector<task_ptr> timed_engine::take_ready_for_dependents() {
    return std::exchange(ready_for_dependents_, {});
}

void timed_engine::collect() {
    for (unit& u : units_) {
        dispatch::command_processor& commands = u.gpu->commands();
        for (const std::uint64_t number : commands.take_ready_for_dependents()) {
            const auto at = kernels_.find(static_cast<std::uint32_t>(number));
            if (at == kernels_.end()) continue;
            const auto family = families_.find(at->second);
            const bool of_host = family == families_.end() || !family->second->parent();
            if (of_host && may_overlap()) ready_for_dependents_.push_back(at->second);
        }
        for (const dispatch::finished_kernel& k : commands.take_finished()) {
            observer_.kernel_ended(*u.gpu, k);
            const auto at = kernels_.find(k.descriptor.id);
            if (at == kernels_.end()) continue;
            if (how_.sampler != nullptr) {
                attempt(*at->second, state_, [&] { how_.sampler->ended(k); });
                if (at->second->outcome != status::success) observer_.kernel_failed();
            }
            const task_ptr ended = at->second;
            kernels_.erase(at);
            kernel_done(ended);
        }
        for (const std::string& w : commands.take_warnings()) observer_.warned(w);
        for (const std::string& n : commands.take_notes()) observer_.noted(n);
        try {
            u.gpu->sequencer().rethrow_failure();
        } catch (const std::exception& e) {
            return fail_all("failed", e.what(), status_of_fault(e));
        }
        if (commands.deadlocked())
            return fail_all("deadlock",
                            fmt::format("deadlock detected at core cycle {}: no instruction was "
                                        "completed in the last {} cycles; waiting units:\n{}",
                                        u.gpu->core_cycles(), how_.gpu.dispatch.deadlock_window,
                                        u.gpu->describe()),
                            status::launch_timeout);
        if (commands.stopped())
            return fail_all(commands.stop_reason(),
                            "the simulation was ended by " + commands.stop_reason(),
                            status::launch_timeout);
    }
}

/// The simulation cannot continue: fails all tasks in progress and all later ones.
void timed_engine::fail_all(const std::string& how, const std::string& why, status outcome) {
    observer_.failed(how);
    state_.complain(plain(why));
    dead_ = outcome;
    std::vector<task_ptr> kernels;  // as the host has launched them
    for (const auto& [number, t] : kernels_) {
        const auto family = families_.find(t);
        kernels.push_back(family == families_.end() ? t : family->second->root());
    }
    std::sort(kernels.begin(), kernels.end(),
              [](const task_ptr& a, const task_ptr& b) { return a->number < b->number; });
    kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
    for (const task_ptr& t : kernels) {
        t->outcome = outcome;
        done_.push_back(t);
    }
    families_.clear();
    for (const auto& [end, t] : copies_) {
        t->outcome = outcome;
        done_.push_back(t);
    }
    kernels_.clear();
    copies_.clear();
}

void timed_engine::finish() {
    if (replays() && !state_.give_up)
        how_.refuse("the program has ended before the kernel after which the run was saved");
    if (how_.checkpoint != nullptr && !state_.give_up && dead_ == status::success)
        if (const std::string why = how_.checkpoint->unsaved(); !why.empty())
            observer_.result_lost(why);
    if (how_.debug != nullptr && !state_.give_up) how_.debug->end();
    if (how_.sampler != nullptr) {
        observer_.projected(how_.sampler->text(), how_.sampler->summary());
        try {
            how_.sampler->write();
        } catch (const support::output_error& e) {
            observer_.result_lost(e.what());
        }
    }
    observer_.ended();
}

}  // namespace simtlm::device
