// SPDX-License-Identifier: Apache-2.0
#include "modules/dispatch/command_processor.h"

#include "modules/program/cta_cluster_source.h"
#include "modules/protocol/phases.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/fnv1a.h"

#include <algorithm>
#include <utility>

namespace simtlm::dispatch {

command_processor::command_processor(const sc_core::sc_module_name& name,
                                     simulation::phase_sequencer& sequencer,
                                     const dispatch_config& config,
                                     const core::simt_cluster_config& cores,
                                     std::vector<core::simt_cluster*> clusters, hooks calls)
    : sc_module(name),
      sequencer_(sequencer),
      config_(config),
      cores_(cores),
      sms_(cores.clusters * cores.sms_per_cluster),
      calls_(std::move(calls)),
      scheduler_("cta_scheduler", sequencer, config, cores, std::move(clusters), *this) {}

/// Maximum number of kernels in the window if this command is the next one.
std::size_t command_processor::window(const host_command& next) const {
    const bool serial = config_.serial_kernels && !config_.concurrent_kernels_per_sm;
    return serial && next.what == host_command::kind::launch && !next.kernel
               ? 1
               : config_.max_concurrent_kernels;
}

void command_processor::submit(host_command command) {
    queue_.push_back(std::move(command));
}

void command_processor::done(std::uint64_t tag) {
    if (!calls_.completed)
        done_.push_back(tag);
    else if (tag != 0)
        calls_.completed(tag);
    progress_.notify(sc_core::SC_ZERO_TIME);
}

std::shared_ptr<program::kernel_source> command_processor::source_of(const host_command& command) {
    if (command.kernel) return command.kernel;
    if (!calls_.open) throw support::user_error(command.where, "nobody can open " + command.file);
    return calls_.open(command);
}

/// Opens the kernel of the first launch in the queue.
command_processor::pending_kernel command_processor::open(const host_command& command) {
    auto k = std::make_unique<running_kernel>();
    k->source = ahead_ ? std::exchange(ahead_, nullptr) : source_of(command);
    k->descriptor = k->source->descriptor();
    if (const auto* c = dynamic_cast<const program::clustered_kernel*>(k->source.get()))
        ran_cta_clusters_ = ran_cta_clusters_ || c->cta_cluster_size() > 1;
    if (calls_.check) calls_.check(k->descriptor);
    k->context.needs = core::needs_of(k->descriptor);
    k->context.issues_on_several_threads = k->source->issues_on_several_threads();
    k->list_number = command.list_number;
    k->context.ctas_per_sm =
        core::occupancy_of(cores_.sm, k->context.needs, k->descriptor.grid.volume(), sms_).ctas;
    pending_kernel p;
    p.stream = command.stream.value_or(k->descriptor.stream);
    p.tag = command.tag;
    p.depends_on = command.depends_on;
    p.kernel = std::move(k);
    return p;
}

/// Starts preparing the next kernel while the current one runs.
void command_processor::prefetch() {
    if (ahead_) return;
    for (const host_command& c : queue_)
        if (c.what == host_command::kind::launch) {
            ahead_ = source_of(c);
            ahead_->start();
            return;
        }
}

void command_processor::proceed() {
    if (stopped_) return;
    try {
        while (!queue_.empty() && in_window_ < window(queue_.front())) {
            if (stop_request_ && stop_request_()) return;
            const host_command c = std::move(queue_.front());
            switch (c.what) {
                case host_command::kind::launch:
                    waiting_.push_back(open(c));
                    waiting_.back().kernel->position = taken_;
                    ++in_window_;
                    break;
                case host_command::kind::synchronize:
                    if (in_window_ != 0) {
                        queue_.front() = c;
                        start_kernels();
                        return;
                    }
                    done(c.tag);
                    break;
                case host_command::kind::copy_in:
                case host_command::kind::fill:
                    if (calls_.copied_in) calls_.copied_in(c.address, c.bytes);
                    done(c.tag);
                    break;
                default:
                    done(c.tag);
                    break;
            }
            note_taken(c);
            queue_.pop_front();
        }
        start_kernels();
        prefetch();
    } catch (...) {
        sequencer_.fail(std::current_exception());
        stopped_ = true;
    }
    if (idle()) progress_.notify(sc_core::SC_ZERO_TIME);
}

/// Identifies the commands so far by a digest (FNV-1a) that does not include folders, which may
/// have moved.
void command_processor::note_taken(const host_command& c) {
    ++taken_;
    const auto mix = [this](const void* from, std::size_t bytes) {
        digest_ = support::fnv1a({static_cast<const char*>(from), bytes}, digest_);
    };
    const std::string file =
        c.kernel ? c.kernel->descriptor().name : c.file.substr(c.file.rfind('/') + 1);
    mix(&c.what, sizeof c.what);
    mix(&c.address, sizeof c.address);
    mix(&c.bytes, sizeof c.bytes);
    mix(&c.list_number, sizeof c.list_number);
    mix(file.data(), file.size());
}

std::vector<command_processor::saved_kernel> command_processor::window_to_save() const {
    std::vector<saved_kernel> window;
    for (std::size_t slot = 0; slot < scheduler_.running().size(); ++slot)
        if (const auto& k = scheduler_.running()[slot])
            window.push_back({k->position, true, slot, k->context.launch, k->launched_at,
                              k->issue_from, k->start_cycle, k->selected,
                              k->descriptor.grid.volume() - k->blocks_left,
                              k->ctas_ready_for_dependents});
    for (const pending_kernel& p : waiting_) {
        window.emplace_back();
        window.back().position = p.kernel->position;
    }
    return window;
}

/// Restores the window from the queue of all commands: removes those that had been processed,
/// except kernels of the window.
void command_processor::restore_window(const position& at, const continuation& proceed_with) {
    const auto others = [](const char* what) {
        throw support::user_error("checkpoint", what,
                                  "resume with the command list that it was written with");
    };
    if (taken_ != 0 || at.taken > queue_.size()) others("was written of a longer list of commands");
    while (taken_ < at.taken) {
        const host_command c = std::move(queue_.front());
        queue_.pop_front();
        const auto saved = std::find_if(at.window.begin(), at.window.end(),
                                        [this](const auto& w) { return w.position == taken_; });
        note_taken(c);
        if (saved == at.window.end()) continue;
        if (c.what != host_command::kind::launch) others("was written of other commands");
        pending_kernel p = open(c);
        p.kernel->position = saved->position;
        ++in_window_;
        if (!saved->launched) {
            waiting_.push_back(std::move(p));
            continue;
        }
        p.kernel->stream = p.stream;
        p.kernel->tag = p.tag;
        p.kernel->context.launch = saved->launch;
        p.kernel->launched_at = saved->launched_at;
        p.kernel->issue_from = saved->issue_from;
        p.kernel->start_cycle = saved->start_cycle;
        p.kernel->selected = saved->selected;
        p.kernel->ctas_completed = saved->placed;
        p.kernel->ctas_ready_for_dependents = saved->ready_for_dependents;
        p.kernel->blocks_left = p.kernel->descriptor.grid.volume() - saved->placed;
        p.kernel->source->skip(saved->placed);
        busy_streams_.push_back(p.stream);
        proceed_with(std::move(p.kernel), *saved);
    }
    if (digest_ != at.digest) others("was written of other commands");
}

void command_processor::checkpoint(support::archive& a) {
    if (ran_cta_clusters_)
        throw support::user_error(name(),
                                  "has run kernels in clusters of thread blocks, whose network is "
                                  "not saved in checkpoints",
                                  "leave out --checkpoint");
    a.block(name(), 3);
    position at;
    at.kernels_done = kernels_done_;
    at.taken = taken_;
    at.digest = digest_;
    at.launches = scheduler_.launches();
    at.core_cycle = sequencer_.edges(protocol::core_clock);
    at.ctas_left = scheduler_.ctas_left();
    at.window = window_to_save();
    a(at);
    a(scheduler_);
    if (!a.restores()) return;
    kernels_done_ = at.kernels_done;
    restore_window(at, [this](auto kernel, const saved_kernel& saved) {
        scheduler_.resume(std::move(kernel), saved.slot);
    });
}

std::uint64_t command_processor::transfer(support::archive& a) {
    position at;
    if (!a.portable_block(name(), 3))
        throw support::user_error("checkpoint", "was written for another kind of GPU");
    a(at);
    a(scheduler_);
    kernels_done_ = at.kernels_done;
    scheduler_.begin_transfer(at.launches, at.ctas_left);
    std::vector<std::pair<std::unique_ptr<running_kernel>, std::uint64_t>> launched;
    restore_window(at, [&](auto kernel, const saved_kernel& saved) {
        launched.emplace_back(std::move(kernel), at.core_cycle - saved.launched_at);
    });
    std::sort(launched.begin(), launched.end(), [](const auto& x, const auto& y) {
        return x.first->context.launch < y.first->context.launch;
    });
    const std::uint64_t now = sequencer_.edges(protocol::core_clock);
    std::uint64_t elapsed = 0;
    for (auto& [kernel, since_launch] : launched) {
        if (!scheduler_.can_start())
            throw support::user_error(
                "-gpgpu_max_concurrent_kernel",
                "is smaller than the number of kernels that run at the checkpoint", "increase it");
        const running_kernel& k = *kernel;
        const bool begun = k.blocks_left < k.descriptor.grid.volume();
        const bool is_oldest = &k == launched.front().first.get();
        scheduler_.transfer(std::move(kernel), since_launch);
        if (is_oldest && !begun) elapsed = now - k.launched_at;
        if (begun) elapsed = 0;
    }
    return elapsed;
}

void command_processor::start_kernels() {
    for (auto p = waiting_.begin(); p != waiting_.end();) {
        const bool busy =
            std::find(busy_streams_.begin(), busy_streams_.end(), p->stream) != busy_streams_.end();
        if (busy || !scheduler_.can_start()) {
            ++p;
            continue;
        }
        busy_streams_.push_back(p->stream);
        p->kernel->stream = p->stream;
        p->kernel->tag = p->tag;
        for (const auto& k : scheduler_.running())
            if (k && p->depends_on != 0 && k->list_number == p->depends_on) {
                p->kernel->depends_on = k->context.launch;
                p->kernel->context.dependency_open = true;
            }
        scheduler_.launch(std::move(p->kernel));
        if (calls_.launched) calls_.launched();
        p = waiting_.erase(p);
    }
}

void command_processor::kernels_finished(std::vector<std::unique_ptr<running_kernel>> kernels) {
    for (auto& k : kernels) {
        for (std::string& w : k->source->take_warnings()) warnings_.push_back(std::move(w));
        for (std::string& n : k->source->take_notes()) notes_.push_back(std::move(n));
        busy_streams_.erase(std::find(busy_streams_.begin(), busy_streams_.end(), k->stream));
        --in_window_;
        ++kernels_done_;
        finished_kernel f;
        f.descriptor = std::move(k->descriptor);
        f.launch = k->context.launch;
        f.launched_at = k->launched_at;
        f.start_cycle = k->start_cycle;
        f.end_cycle = k->end_cycle;
        f.tag = k->tag;
        f.list_number = k->list_number;
        f.ctas_per_sm = k->context.ctas_per_sm;
        finished_.push_back(std::move(f));
        if (calls_.completed && finished_.back().tag != 0) calls_.completed(finished_.back().tag);
    }
    if (in_window_ == 0 && calls_.idle) calls_.idle();
    progress_.notify(sc_core::SC_ZERO_TIME);
    if (!stopped_) proceed();
}

void command_processor::dependents_may_begin(const running_kernel& kernel) {
    ready_for_dependents_.push_back(kernel.list_number);
    progress_.notify(sc_core::SC_ZERO_TIME);
}

void command_processor::abort() {
    const std::deque<host_command> queued = std::exchange(queue_, {});
    const std::deque<pending_kernel> waiting = std::exchange(waiting_, {});
    in_window_ -= waiting.size();
    ahead_.reset();
    scheduler_.abandon();
    for (const pending_kernel& k : waiting) done(k.tag);
    for (const host_command& c : queued) done(c.tag);
    progress_.notify(sc_core::SC_ZERO_TIME);
}

void command_processor::restart() {
    stopped_ = deadlocked_ = false;
    stop_reason_.clear();
    scheduler_.restart_limits();
}

void command_processor::stop(const std::string& reason) {
    stopped_ = true;
    stop_reason_ = reason;
    progress_.notify(sc_core::SC_ZERO_TIME);
}

void command_processor::deadlock() {
    deadlocked_ = stopped_ = true;
    stop_reason_ = "deadlock";
    progress_.notify(sc_core::SC_ZERO_TIME);
}

void command_processor::limit_reached(const char* option) {
    if (stopped_) return;
    stopped_ = true;
    stop_reason_ = option;
    progress_.notify(sc_core::SC_ZERO_TIME);
}

std::vector<finished_kernel> command_processor::take_finished() {
    return std::exchange(finished_, {});
}
std::vector<std::uint64_t> command_processor::take_ready_for_dependents() {
    return std::exchange(ready_for_dependents_, {});
}
std::vector<std::uint64_t> command_processor::take_done() {
    return std::exchange(done_, {});
}
std::vector<std::string> command_processor::take_warnings() {
    return std::exchange(warnings_, {});
}
std::vector<std::string> command_processor::take_notes() {
    return std::exchange(notes_, {});
}

}  // namespace simtlm::dispatch
