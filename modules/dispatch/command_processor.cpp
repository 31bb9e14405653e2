// SPDX-License-Identifier: Apache-2.0
#include "modules/dispatch/command_processor.h"

#include "modules/kernel/error.h"

#include <algorithm>
#include <utility>

namespace simtlm::dispatch {

command_processor::command_processor(const sc_core::sc_module_name& name,
                                     kernel::phase_sequencer& sequencer,
                                     const dispatch_config& config,
                                     const core::cluster_config& cores,
                                     std::vector<core::simt_cluster*> clusters, hooks calls)
    : sc_module(name),
      sequencer_(sequencer),
      config_(config),
      cores_(cores),
      sms_(cores.clusters * cores.sms_per_cluster),
      calls_(std::move(calls)),
      scheduler_("cta_scheduler", sequencer, config, cores, std::move(clusters), *this) {}

/// How many kernels may be begun when this one is the next of the queue.
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
    if (!calls_.open) throw kernel::user_error(command.where, "nobody can open " + command.file);
    return calls_.open(command);
}

/// The first launch of the queue becomes a kernel.
command_processor::pending_kernel command_processor::open(const host_command& command) {
    auto k = std::make_unique<running_kernel>();
    k->source = ahead_ ? std::exchange(ahead_, nullptr) : source_of(command);
    k->descriptor = k->source->descriptor();
    if (calls_.check) calls_.check(k->descriptor);
    k->context.needs = {k->descriptor.threads_per_block(), k->descriptor.registers,
                        k->descriptor.shared_memory};
    k->list_number = command.list_number;
    k->context.ctas_per_sm =
        core::occupancy_of(cores_.sm, k->context.needs, k->descriptor.grid.volume(), sms_).ctas;
    pending_kernel p;
    p.stream = command.stream.value_or(k->descriptor.stream);
    p.tag = command.tag;
    p.kernel = std::move(k);
    return p;
}

/// The next kernel works ahead while the present one runs.
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
        scheduler_.launch(std::move(p->kernel));
        if (calls_.launched) calls_.launched();
        p = waiting_.erase(p);
    }
}

void command_processor::kernels_finished(std::vector<std::unique_ptr<running_kernel>> kernels) {
    for (auto& k : kernels) {
        for (std::string& w : k->source->take_warnings()) warnings_.push_back(std::move(w));
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
std::vector<std::uint64_t> command_processor::take_done() {
    return std::exchange(done_, {});
}
std::vector<std::string> command_processor::take_warnings() {
    return std::exchange(warnings_, {});
}

}  // namespace simtlm::dispatch
