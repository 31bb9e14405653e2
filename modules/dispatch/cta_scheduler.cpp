// SPDX-License-Identifier: Apache-2.0
#include "modules/dispatch/cta_scheduler.h"

#include "modules/core/multiprocessor.h"
#include "modules/dispatch/cta_cluster_placement.h"
#include "modules/program/cta_cluster_source.h"
#include "modules/protocol/phases.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::dispatch {

namespace {

/// @return the number of CTAs per cluster of a kernel
unsigned cta_cluster_size_of(const program::kernel_source& kernel) {
    const auto* const c = dynamic_cast<const program::clustered_kernel*>(&kernel);
    return c != nullptr ? c->cta_cluster_size() : 1;
}

}  // namespace

cta_scheduler::cta_scheduler(const sc_core::sc_module_name& name,
                             simulation::phase_sequencer& sequencer, const dispatch_config& config,
                             const core::simt_cluster_config& cores,
                             std::vector<core::simt_cluster*> clusters, listener& owner)
    : clocked_module(name, sequencer),
      sequencer_(sequencer),
      config_(config),
      cores_(cores),
      clusters_(std::move(clusters)),
      owner_(owner),
      running_(config.max_concurrent_kernels),
      last_cluster_(static_cast<unsigned>(clusters_.size()) - 1),
      last_core_(clusters_.size(), cores.sms_per_cluster - 1),
      served_(clusters_.size()),
      ended_(clusters_.size() * cores.sms_per_cluster),
      ready_(ended_.size()),
      process_("process", sequencer, protocol::phase::core_dispatch_ctas,
               simulation::on_edge<&cta_scheduler::cycle>(this), true) {
    for (core::simt_cluster* c : clusters_)
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).set_listener(*this);
    next_deadlock_check_ = config_.deadlock_window;
}

bool cta_scheduler::can_start() const {
    return std::any_of(running_.begin(), running_.end(), [](const auto& k) { return !k; });
}

void cta_scheduler::launch(std::unique_ptr<running_kernel> k) {
    if (const unsigned size = k->cta_cluster_size = cta_cluster_size_of(*k->source); size > 1) {
        // A small grid cannot be spread over the SMs, because a cluster has to fit in a GPC.
        k->context.ctas_per_sm = core::occupancy_of(cores_.sm, k->context.needs).ctas;
        check_cta_cluster(k->descriptor, k->context, size, clusters_[0]->core(0));
    }
    const std::uint64_t edges = sequencer_.edges(protocol::core_clock);
    k->launched_at = edges;  // the first cycle that is counted for it
    k->issue_from = edges + launch_latency(*k);
    k->blocks_left = k->descriptor.grid.volume();
    k->context.launch = ++launches_;
    const bool left = has_blocks(k.get());
    enter(std::move(k));
    if (left) notify_ctas_left(true, edges - 1);
}

std::uint64_t cta_scheduler::launch_latency(const running_kernel& k) const {
    return config_.kernel_launch_latency +
           k.descriptor.grid.volume() * config_.block_launch_latency;
}

/// Puts a kernel that has been launched into a free slot.
void cta_scheduler::enter(std::unique_ptr<running_kernel> k) {
    k->context.descriptor = &k->descriptor;
    const core::l1_split split =
        core::l1_split_of(cores_.sm, k->context.needs, k->context.ctas_per_sm);
    for (core::simt_cluster* c : clusters_)
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).configure_l1(split);
    process_.wake_at(k->issue_from);
    for (auto& slot : running_)
        if (!slot) {
            slot = std::move(k);
            return;
        }
}

bool cta_scheduler::at_rest() const {
    return !cta_ended_ && std::all_of(running_.begin(), running_.end(), [this](const auto& k) {
        return !k || (!k->finished() && k->ctas_running == 0 &&
                      (paused() || k->blocks_left == k->descriptor.grid.volume()));
    });
}

void cta_scheduler::begin_transfer(std::uint64_t launches, bool ctas_left) {
    launches_ = launches;
    if (ctas_left) notify_ctas_left(true, sequencer_.edges(protocol::core_clock) - 1);
    restart_limits();
}

void cta_scheduler::transfer(std::unique_ptr<running_kernel> k, std::uint64_t elapsed) {
    const std::uint64_t edges = sequencer_.edges(protocol::core_clock);
    const std::uint64_t latency = launch_latency(*k);
    const bool begun = k->blocks_left < k->descriptor.grid.volume();
    k->launched_at = edges - (begun ? 0 : std::min(elapsed, latency));
    k->issue_from = begun ? edges : k->launched_at + latency;
    k->start_cycle = begun ? edges : 0;
    enter(std::move(k));
}

void cta_scheduler::checkpoint(support::archive& a) {
    if (!a.block(name())) return;
    a(last_kernel_, last_cluster_, last_core_, next_placement_);
    a.history(ctas_left_, launches_, ctas_issued_, ctas_completed_, next_deadlock_check_,
              instructions_at_check_);
}

void cta_scheduler::resume(std::unique_ptr<running_kernel> k, std::size_t slot) {
    k->context.descriptor = &k->descriptor;
    process_.wake();
    running_.at(slot) = std::move(k);
}

/// @param now  the last core cycle in which the value was different
void cta_scheduler::notify_ctas_left(bool left, std::uint64_t now) {
    if (left == ctas_left_) return;
    ctas_left_ = left;
    for (core::simt_cluster* c : clusters_) c->set_ctas_left(left, now);
}

bool cta_scheduler::no_cta_resident() const {
    return std::all_of(running_.begin(), running_.end(),
                       [](const auto& k) { return !k || k->ctas_running == 0; });
}

void cta_scheduler::resume_placement() {
    pause_at_ = 0;
    pause_reported_ = false;
    process_.wake();
}

void cta_scheduler::abandon() {
    for (auto& k : running_)
        if (k) k->blocks_left = 0;
    process_.wake();
}

void cta_scheduler::restart_limits() {
    counted_from_ = {process_.now(), thread_instructions(), ctas_issued_, ctas_completed_};
    next_deadlock_check_ = process_.now() + config_.deadlock_window;
    instructions_at_check_ = counted_from_.instructions;
    process_.wake();
}

std::uint64_t cta_scheduler::thread_instructions() const {
    std::uint64_t sum = 0;
    for (core::simt_cluster* c : clusters_)
        for (unsigned i = 0; i < c->sms(); ++i) sum += c->core(i).counted().thread_instructions;
    return sum;
}

/// Whether a warp executes nanosleep, which may take longer than the deadlock window.
bool cta_scheduler::any_warp_sleeps() const {
    for (core::simt_cluster* c : clusters_)
        for (unsigned i = 0; i < c->sms(); ++i)
            if (c->core(i).warps().asleep != 0) return true;
    return false;
}

running_kernel* cta_scheduler::of(const core::kernel_context* context) const {
    if (context == nullptr) return nullptr;  // of an empty SM; there may be 128 slots
    for (const auto& k : running_)
        if (k && &k->context == context) return k.get();
    return nullptr;
}

bool cta_scheduler::has_blocks(const running_kernel* k) const {
    return k != nullptr && k->blocks_left != 0 && may_issue();
}

void cta_scheduler::cta_completed(unsigned sm, core::kernel_context& kernel,
                                  std::unique_ptr<program::cta> block) {
    ended_[sm].push_back({&kernel, std::move(block)});
    cta_ended_ = true;
    process_.wake();
}

void cta_scheduler::cta_launches_dependents(unsigned sm, core::kernel_context& kernel) {
    ready_[sm].push_back(&kernel);
    kernel_ready_ = true;
    process_.wake();
}

/// Counts the CTAs whose launch others have cancelled since the last cycle.
void cta_scheduler::count_cancelled() {
    for (const auto& k : running_) {
        if (!k || !k->source) continue;
        const std::uint64_t cancelled = std::min(k->source->take_cancelled(), k->blocks_left);
        k->blocks_left -= cancelled;
        k->ctas_cancelled += cancelled;
    }
}

/// Counts the CTAs that have allowed dependent kernels to begin since the last cycle. Their kernels
/// are running.
void cta_scheduler::count_ready_for_dependents() {
    kernel_ready_ = false;
    for (auto& list : ready_) {  // in SM order, independent of the order of reports
        for (core::kernel_context* const context : list) ++of(context)->ctas_ready_for_dependents;
        list.clear();
    }
    for (const auto& k : running_) {
        if (!k || k->dependents_may_begin || k->blocks_left != 0 ||
            k->ctas_ready_for_dependents + k->ctas_cancelled < k->descriptor.grid.volume())
            continue;
        k->dependents_may_begin = true;
        owner_.dependents_may_begin(*k);
    }
}

/// Releases the kernels that depend on a kernel that has finished.
void cta_scheduler::end_dependencies_on(const running_kernel& kernel) {
    for (auto& k : running_) {
        if (!k || !k->context.dependency_open || k->depends_on != kernel.context.launch) continue;
        k->context.dependency_open = false;
        for (core::simt_cluster* c : clusters_)
            for (unsigned i = 0; i < c->sms(); ++i) c->core(i).dependency_ended(k->context);
        process_.wake();
    }
}

void cta_scheduler::cycle() {
    const std::uint64_t now = process_.now();
    count_cancelled();
    if (kernel_ready_) count_ready_for_dependents();
    if (cta_ended_) {
        cta_ended_ = false;
        for (auto& list : ended_) {  // in SM order, whatever the order of notification
            for (ended& e : list) {
                running_kernel* k = of(e.kernel);
                --k->ctas_running;
                ++k->ctas_completed;
                ++ctas_completed_;
                if (k->source) k->source->recycle(std::move(e.block));
            }
            list.clear();
        }
    }
    std::vector<std::unique_ptr<running_kernel>> finished;
    for (auto& k : running_)
        if (k && k->finished()) {
            k->end_cycle = now;
            finished.push_back(std::move(k));
        }
    try {
        place_ctas(now);
        for (const auto& k : running_)  // while no CTAs are placed, none are cancelled
            if (k && k->source) k->source->permit_cancellation(may_issue());
        for (const auto& k : finished) end_dependencies_on(*k);
    } catch (...) {
        for (auto& k : finished)  // they are taken when the simulation continues
            *std::find(running_.begin(), running_.end(), nullptr) = std::move(k);
        sequencer_.fail(std::current_exception());
        return;
    }
    notify_ctas_left(std::any_of(running_.begin(), running_.end(),
                                 [this](const auto& k) { return has_blocks(k.get()); }),
                     now);
    check_limits(now);
    if (!finished.empty()) {
        std::sort(finished.begin(), finished.end(), [](const auto& a, const auto& b) {
            return a->context.launch < b->context.launch;
        });
        owner_.kernels_finished(std::move(finished));
    }
}

void cta_scheduler::place_ctas(std::uint64_t now) {
    const auto n = static_cast<unsigned>(clusters_.size());
    const unsigned last = last_cluster_;
    bool placed = false;
    bool open = false;  // some kernel may place CTAs now
    const auto take_block = [&](core::multiprocessor& sm, running_kernel& k) {
        sm.invalidate_l1_before(k.context, now);
        std::unique_ptr<program::cta> block = k.source->next_cta();
        if (block) {
            --k.blocks_left;
            ++k.ctas_running;
            ++ctas_issued_;
        } else {
            k.blocks_left = 0;
        }
        return block;
    };
    std::uint64_t first_chance = ~std::uint64_t{0};
    for (const auto& k : running_)
        if (has_blocks(k.get())) {
            if (k->issue_from <= now)
                open = true;
            else
                first_chance = std::min(first_chance, k->issue_from);
        }
    for (const auto& k : running_) {
        if (!has_blocks(k.get()) || k->issue_from > now || k->cta_cluster_size == 1) continue;
        core::gpc_directory& gpcs = *clusters_[0]->core(0).gpcs();
        const std::size_t before = gpcs.last_gpc;
        for (std::size_t i = 0; i < gpcs.gpcs.size() && has_blocks(k.get()); ++i) {
            if (!may_place(now)) {
                placed = true;
                break;
            }
            const std::size_t g = (i + before + 1) % gpcs.gpcs.size();
            const auto places = sms_for_cta_cluster(gpcs.gpcs[g], k->context, k->cta_cluster_size,
                                                    config_.concurrent_kernels_per_sm);
            if (places.empty()) continue;
            gpcs.last_gpc = g;
            placed = true;
            if (!k->selected) {
                k->selected = true;
                k->start_cycle = now;
            }
            const auto cluster = std::make_shared<core::cta_cluster>();
            cluster->number = gpcs.cta_clusters++;
            cluster->members.resize(places.size());
            for (unsigned rank = 0; rank < places.size(); ++rank) {
                core::multiprocessor& sm = *places[rank];
                std::unique_ptr<program::cta> block = take_block(sm, *k);
                if (!block) break;
                sm.launch_in_cta_cluster(k->context, std::move(block), cluster, rank);
                note_placement(now);
            }
        }
    }
    if (open)
        for (unsigned i = 0; i < n; ++i) {
            if (!may_place(now)) {
                placed = true;  // more may be placed in a later cycle
                break;
            }
            if (config_.by_capacity) {
                if (!place_by_capacity(now)) break;
            } else {
                const unsigned next = (i + last + 1) % n;
                if (!place_in(cluster_at(next), now)) continue;
                last_cluster_ = next;
            }
            note_placement(now);
            placed = true;
        }
    // If nothing was placed, wait for a CTA to end, a launch, or the end of a latency.
    std::uint64_t wake = first_chance;
    if (config_.deadlock_detect) wake = std::min(wake, next_deadlock_check_);
    if (config_.max_cycles != 0)
        wake = std::min(wake, counted_from_.cycles + config_.max_cycles - 1);
    if (placed || config_.max_instructions != 0) return;
    process_.sleep();
    if (wake != ~std::uint64_t{0}) process_.wake_at(std::max(wake, now + 1));
}

/// Accounts for a placement. The fraction of a cycle that is left counts towards the next CTA,
/// unless the scheduler had been idle.
void cta_scheduler::note_placement(std::uint64_t now) {
    const bool waited = next_placement_ + 1000 <= now * 1000;
    next_placement_ = (waited ? now * 1000 : next_placement_) + config_.cta_launch_interval;
}

/// @return the kernel of which an SM may receive a CTA, if there is room for it, or nullptr
running_kernel* cta_scheduler::kernel_for(const core::multiprocessor& sm, std::uint64_t now) {
    if (config_.concurrent_kernels_per_sm) return select(now);
    running_kernel* const k = of(sm.kernel());
    if (has_blocks(k)) return k;
    return sm.busy() ? nullptr : select(now);
}

/// Places a CTA on the SM with the most room. @return whether there was one
bool cta_scheduler::place_by_capacity(std::uint64_t now) {
    core::multiprocessor* best = nullptr;
    running_kernel* kernel = nullptr;
    unsigned room = 0;
    for (unsigned i = 0; i < clusters_.size(); ++i) {
        const unsigned cluster = cluster_at(i);
        if (config_.cta_launch_interval == 0 && served_[cluster] == now + 1) continue;
        core::simt_cluster& c = *clusters_[cluster];
        for (unsigned s = 0; s < c.sms(); ++s) {
            core::multiprocessor& sm = c.core(s);
            running_kernel* const k = kernel_for(sm, now);
            if (!has_blocks(k) || k->cta_cluster_size > 1) continue;
            const unsigned fit = sm.capacity_for(k->context, config_.concurrent_kernels_per_sm);
            if (fit <= room) continue;
            best = &sm;
            kernel = k;
            room = fit;
        }
    }
    if (best == nullptr || !place_on(*best, *kernel, now)) return false;
    served_[best->cluster()] = now + 1;
    return true;
}

bool cta_scheduler::place_in(unsigned cluster, std::uint64_t now) {
    core::simt_cluster& c = *clusters_[cluster];
    for (unsigned i = 0; i < c.sms(); ++i) {
        const unsigned s = (i + last_core_[cluster] + 1) % c.sms();
        core::multiprocessor& target = c.core(s);
        running_kernel* const k = kernel_for(target, now);
        if (!has_blocks(k) || !target.can_launch(k->context, config_.concurrent_kernels_per_sm) ||
            k->cta_cluster_size > 1)
            continue;
        if (!place_on(target, *k, now)) continue;
        last_core_[cluster] = s;
        return true;
    }
    return false;
}

running_kernel* cta_scheduler::select(std::uint64_t now) {
    const auto ready = [&](const running_kernel* k) {
        return has_blocks(k) && k->issue_from <= now;
    };
    if (!ready(running_[last_kernel_].get())) {
        std::size_t found = running_.size();
        for (std::size_t i = 0; i < running_.size() && found == running_.size(); ++i) {
            const std::size_t k = (last_kernel_ + 1 + i) % running_.size();
            if (ready(running_[k].get())) found = k;
        }
        if (found == running_.size()) return nullptr;
        last_kernel_ = found;
    }
    running_kernel* k = running_[last_kernel_].get();
    if (!k->selected) {
        k->selected = true;
        k->start_cycle = now;
    }
    return k;
}

bool cta_scheduler::place_on(core::multiprocessor& target, running_kernel& k, std::uint64_t now) {
    target.invalidate_l1_before(k.context, now);
    std::unique_ptr<program::cta> block = k.source->next_cta();
    if (!block) {  // the source has checked the number of blocks
        k.blocks_left = 0;
        return false;
    }
    --k.blocks_left;
    ++k.ctas_running;
    ++ctas_issued_;
    target.launch(k.context, std::move(block));
    return true;
}

void cta_scheduler::check_limits(std::uint64_t now) {
    if (config_.deadlock_detect && now >= next_deadlock_check_) {
        next_deadlock_check_ += config_.deadlock_window;
        const std::uint64_t done = thread_instructions();
        const bool stuck = done == instructions_at_check_ && !any_warp_sleeps() &&
                           std::any_of(running_.begin(), running_.end(), [&](const auto& k) {
                               return k && k->issue_from + config_.deadlock_window <= now;
                           });
        instructions_at_check_ = done;
        if (stuck) owner_.deadlock();
    }
    if (paused() && !pause_reported_ && no_cta_resident()) {
        pause_reported_ = true;
        owner_.placement_paused();
    }
    if (config_.max_cycles != 0 && now + 1 - counted_from_.cycles >= config_.max_cycles)
        owner_.limit_reached("-gpgpu_max_cycle");
    if (config_.max_instructions != 0 &&
        thread_instructions() - counted_from_.instructions >= config_.max_instructions)
        owner_.limit_reached("-gpgpu_max_insn");
    if (cta_limit_reached() && no_cta_resident()) owner_.limit_reached("-gpgpu_max_cta");
    if (config_.max_completed_ctas != 0 &&
        ctas_completed_ - counted_from_.ctas_completed >= config_.max_completed_ctas)
        owner_.limit_reached("-gpgpu_max_completed_cta");
}

}  // namespace simtlm::dispatch
