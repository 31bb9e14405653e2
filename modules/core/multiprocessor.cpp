// SPDX-License-Identifier: Apache-2.0
#include "modules/core/multiprocessor.h"

#include "modules/protocol/phases.h"
#include "modules/simulation/phase_sequencer.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::core {

multiprocessor::multiprocessor(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer, const sm_config& config,
                               const sm_identity& who, unsigned sources)
    : clocked_module(name, sequencer),
      port_("port", config.ldst.response_buffer_size, sources),
      memory(port_.memory),
      sequencer_(sequencer),
      config_(config),
      who_(who),
      ctas_(config_),
      group_("cycle", sequencer, static_cast<unsigned>(protocol::phase_scope::sm),
             who.sms_in_order),
      identity_(who),
      warps_(config_.max_warps),
      scoreboard_(warps_, config_.quirks.loads_stay_long),
      barriers_(warps_, config_.max_ctas, config_.max_barriers_per_cta),
      coalescer_(config_),
      local_memory_(config_, who),
      sleepers_("sleepers", sequencer, warps_) {
    warps_.listener = this;
}

multiprocessor::~multiprocessor() = default;

void multiprocessor::watch(cta_watcher& watcher) {
    cta_watcher_ = &watcher;
    sequencer_.stay_on_one_thread();  // the watcher may be shared by several SMs
}

void multiprocessor::watch(instruction_watcher& watcher) {
    pool_.watch(watcher);
    sequencer_.stay_on_one_thread();
}

void multiprocessor::set_request_order(protocol::request_order& order) {
    identity_.set_order(order);
    if (who_.sms_in_order == 1) port_.wait_for_injection_order(sequencer_);
}

void multiprocessor::make_caches(const l1_caches::config& config,
                                 protocol::transaction_pool& transactions) {
    caches_ = std::make_unique<l1_caches>(sequencer_, config, transactions);
    caches_->connect(port_);
}

void multiprocessor::configure_l1(const l1_split& split) {
    if (caches_ && config_.l1.data_enabled) caches_->data.reconfigure(split.ways, split.allocation);
}

void multiprocessor::invalidate_l1() {
    if (caches_) caches_->data.invalidate();
}

void multiprocessor::invalidate_l1_before(const kernel_context& kernel, std::uint64_t now) {
    if (!config_.l1.flush || busy() || running_.stopped_at() >= now) return;
    if (last_launch_ == kernel.launch && !config_.quirks.idle_sm_flushes_l1) return;
    invalidate_l1();
}

// ---- CTAs and warps ----------------------------------------------------------------------------

void multiprocessor::begin_running() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    running_.start(now);
    if (simt_cluster_cycles_ != nullptr) simt_cluster_cycles_->start(now);
    running_begins(now);
}

void multiprocessor::end_running() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    running_ends(now);
    running_.stop(now);
    if (simt_cluster_cycles_ != nullptr) simt_cluster_cycles_->stop(now);
}

unsigned multiprocessor::launch(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    kernel_arrives(kernel);
    if (!running_.running()) begin_running();
    kernel_ = &kernel;
    last_launch_ = kernel.launch;
    const unsigned slot = ctas_.allocate(kernel, std::move(block));
    const cta_slots::slot& cta = ctas_[slot];
    ++statistics_.ctas_launched;
    local_memory_.place(slot, cta.padded_threads, kernel.ctas_per_sm);
    if (kernel.descriptor != nullptr)
        scoreboard_.allow_registers(kernel.descriptor->register_numbers);

    const unsigned first = cta.first_thread / config_.warp_size;
    const unsigned count = cta.padded_threads / config_.warp_size;
    warp_mask members = 0;
    for (unsigned i = 0; i < count; ++i) members |= warp_bit(first + i);
    barriers_.allocate(slot, members);
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident |= members;
    cta_starts(slot, first, count);
    cta.block->placed({who_.sm, who_.sms, slot, first});
    for (unsigned i = 0; i < count; ++i) begin_warp(first + place_of_warp(i, slot, count), slot, i);
    if (cta_watcher_ != nullptr) cta_watcher_->cta_started(*this, slot, kernel, *cta.block);
    return slot;
}

void multiprocessor::join_gpc(protocol::sm_to_sm_port& network, gpc_directory& all) {
    gpcs_ = &all;
    bind_gpc(network, *all.barrier);
}

void multiprocessor::launch_in_cta_cluster(kernel_context& kernel,
                                           std::unique_ptr<program::cta> block,
                                           const std::shared_ptr<cta_cluster>& cluster,
                                           unsigned rank) {
    const unsigned slot = launch(kernel, std::move(block));
    const unsigned first = ctas_[slot].first_thread / config_.warp_size;
    warp_mask live = 0;
    for (unsigned i = 0; i < ctas_[slot].padded_threads / config_.warp_size; ++i)
        live |= warp_bit(first + i) & ~warps_.done;
    cta_joins_cta_cluster(slot, cluster, rank, live);
}

/// @param number  index of the warp in its CTA
void multiprocessor::begin_warp(unsigned w, unsigned slot, unsigned number) {
    cta_slots::slot& cta = ctas_[slot];
    const program::warp_code code = cta.block->warp(number);
    warp_state& warp = warps_.warp[w];
    warp.code = warp.resolved_path = code.window;
    warp.addresses = code.addresses;
    warp.executor = code.executor;
    if (warp.executor != nullptr && !cta.kernel->issues_on_several_threads && !cta.on_one_thread) {
        cta.on_one_thread = true;
        sequencer_.suspend_parallel_regions();
    }
    warp.ibuffer.flush();
    warp.dynamic_id = dynamic_warps_++;
    warp.cta = slot;
    warp.number = number;
    warp.threads =
        std::min(config_.warp_size, cta.kernel->needs.threads - number * config_.warp_size);
    warp.copy_groups.clear();
    warp.copy_wait_below = 0;
    warp.last_pc = warp.fall_through_pc = code.window.empty() ? 0 : code.window.next->info->pc;
    ++statistics_.warps_launched;
    warp_starts(w);
    if (code.window.empty()) {
        warps_.ends(w);
        barriers_.warp_ended(slot, w);
    }
}

void multiprocessor::exit_warp(unsigned w) {
    const warp_state& warp = warps_.warp[w];
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident &= ~warp_bit(w);
    warps_.done &= ~warp_bit(w);
    warp_exited(w);
    if (!ctas_.warp_exits(warp.cta, warp.threads)) return;
    barriers_.deallocate(warp.cta);
    cta_ends(warp.cta);
}

void multiprocessor::end_ctas() {
    for (warp_mask m = warps_.resident & ~warps_.done; m != 0; m &= m - 1)
        end_warp(static_cast<unsigned>(__builtin_ctzll(m)));
    warps_.at_barrier = warps_.at_memory_barrier = warps_.past_memory_barrier = 0;
    warps_.at_copy = warps_.at_engine = warps_.asleep = 0;
    sleepers_.clear();
    dependency_.clear();
    discard_waits();
    for (warp_mask m = warps_.resident; m != 0; m &= m - 1)
        warps_.may_leave(static_cast<unsigned>(__builtin_ctzll(m)));
}

void multiprocessor::act_on_dependents(const warp_instruction& inst) {
    if (inst.active_mask == 0) return;
    if (inst.info->special == program::special_op::launch_dependents)
        launch_dependents(warps_.warp[inst.warp].cta);
    if (inst.info->special == program::special_op::dependency_wait)
        dependency_.wait(warps_, inst.warp, *kernel_of(inst.warp));
}

void multiprocessor::fail_without_unit(const program::static_instruction& inst) {
    sequencer_.fail(std::make_exception_ptr(support::user_error(
        kernel_ != nullptr && kernel_->descriptor != nullptr ? kernel_->descriptor->origin
                                                             : std::string(),
        fmt::format("{} at PC {:#x} needs a functional unit that the configuration lacks",
                    inst.opcode, inst.pc),
        "enable the unit in the configuration, or map the opcode to another with --opcode-table")));
}

/// Reports that a CTA allows dependent kernels to begin. Later calls for a CTA have no effect.
void multiprocessor::launch_dependents(unsigned slot) {
    cta_slots::slot& cta = ctas_[slot];
    if (cta.launches_dependents) return;
    cta.launches_dependents = true;
    const simulation::phase_sequencer::exclusive alone(sequencer_);
    cta_listener_->cta_launches_dependents(who_.sm, *cta.kernel);
}

multiprocessor::released_cta multiprocessor::release_cta(unsigned slot) {
    launch_dependents(slot);
    kernel_context& kernel = ctas_.release(slot);
    if (std::exchange(ctas_[slot].on_one_thread, false)) sequencer_.resume_parallel_regions();
    ++incomplete_;
    if (cta_watcher_ != nullptr) {
        const simulation::phase_sequencer::exclusive alone(sequencer_);
        cta_watcher_->cta_ended(*this, slot);
    }
    return {&kernel, std::move(ctas_[slot].block)};
}

void multiprocessor::complete_cta(released_cta cta) {
    --incomplete_;
    ++statistics_.ctas_completed;
    const simulation::phase_sequencer::exclusive alone(sequencer_);
    if (ctas_.resident() == 0 && incomplete_ == 0) {
        kernel_ = nullptr;
        end_running();
    }
    cta_listener_->cta_completed(who_.sm, *cta.kernel, std::move(cta.block));
}

void multiprocessor::notify_resources_freed() {
    const simulation::phase_sequencer::exclusive alone(sequencer_);
    cta_listener_->cta_resources_freed();
}

/// Adds the resident warps of the core cycles before `cycle` to warp_cycles. Must be called before
/// the number of resident warps changes.
void multiprocessor::count_residents(std::uint64_t cycle) {
    if (cycle <= residents_since_) return;
    statistics_.warp_cycles +=
        static_cast<unsigned>(__builtin_popcountll(warps_.resident)) * (cycle - residents_since_);
    residents_since_ = cycle;
}

// ---- statistics --------------------------------------------------------------------------------

const core_statistics& multiprocessor::statistics() {
    const std::uint64_t edges = sequencer_.edges(protocol::core_clock);
    flush_pipeline_counters(edges);
    statistics_.cycles = running_.before(edges);
    count_residents(edges);
    return statistics_;
}

void multiprocessor::register_statistics(support::statistics& list) {
    list.add(name(), "sm", counted());
    register_pipeline_statistics(list);
    if (caches_) caches_->register_statistics(list);
}

void multiprocessor::update_counters() {
    statistics();
    if (caches_) caches_->update_counters();
}

std::uint64_t multiprocessor::network_refusals() {
    flush_pipeline_counters(sequencer_.edges(protocol::core_clock));
    std::uint64_t n = caches_ ? caches_->back_pressure_cycles() : 0;
    for (const auto& stage : statistics_.stalls)
        n += stage[static_cast<unsigned>(memory_stall::network_full)];
    return n;
}

void multiprocessor::register_occupancy(waveforms::signal_list& list) {
    constexpr unsigned on_core = 1u << protocol::core_clock;
    list.level(std::string(name()) + ".ctas", 6, on_core, waveforms::display::decimal,
               [this] { return resident_ctas(); });
    list.level(std::string(name()) + ".warps", 7, on_core, waveforms::display::decimal, [this] {
        return static_cast<std::uint64_t>(__builtin_popcountll(warps_.resident));
    });
}

// ---- inspection --------------------------------------------------------------------------------

warp_wait multiprocessor::why_waiting(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    if ((warps_.done & bit) != 0) return warp_wait::exit;
    if ((warps_.at_barrier & bit) != 0) return warp_wait::barrier;
    if ((warps_.at_memory_barrier & bit) != 0) return warp_wait::memory_barrier;
    if ((warps_.at_atomic & bit) != 0) return warp_wait::atomics;
    if ((warps_.at_copy & bit) != 0) return warp_wait::copies;
    if ((warps_.at_engine & bit) != 0) return warp_wait::engine;
    if ((warps_.asleep & bit) != 0) return warp_wait::sleep;
    return wait_for_issue(w);
}

std::string multiprocessor::wait_text(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    const warp_state& s = warps_.warp[w];
    std::string why;
    const auto add = [&why](const std::string& t) { why += (why.empty() ? "" : ", ") + t; };
    if ((warps_.at_barrier & bit) != 0) add(barrier_text(w));
    if ((warps_.at_memory_barrier & bit) != 0) add("a memory barrier");
    if ((warps_.at_atomic & bit) != 0) add(fmt::format("{} atomics", s.atomics));
    if ((warps_.at_copy & bit) != 0) add("asynchronous copies");
    if ((warps_.asleep & bit) != 0) add("the end of its sleep");
    if ((warps_.at_engine & bit) != 0)
        add(dependency_.holds(w) ? "the end of the kernel on which its kernel depends"
                                 : engine_text(w));
    if ((warps_.fetching & bit) != 0) add("an instruction cache miss");
    if ((warps_.done & bit) != 0) {
        add(fmt::format("its end: {} instructions in flight, {} stores", s.in_pipeline, s.stores));
        if (s.transfers != 0) add(fmt::format("{} bulk copies", s.transfers));
    }
    return why.empty() ? wait_for_issue_text(w) : why;
}

std::string multiprocessor::describe() const {
    std::string text;
    for (unsigned w = 0; w < warps_.warp.size(); ++w) {
        if ((warps_.resident & warp_bit(w)) == 0) continue;
        const warp_state& s = warps_.warp[w];
        text += fmt::format("  SM {} warp {} (CTA slot {}) after PC {:#x} waits for {}\n", who_.sm,
                            w, s.cta, s.last_pc, wait_text(w));
    }
    for (unsigned c = 0; c < ctas_.size(); ++c)
        if (ctas_[c].kernel != nullptr) text += barriers_.describe(c) + describe_cta(c);
    return text + describe_blocks();
}

bool multiprocessor::at_rest() const {
    return !busy() && resident_ctas() == 0 && port_.idle() && pool_.in_flight() == 0 &&
           warps_.fetching == 0 && pipeline_at_rest() && (!caches_ || caches_->idle());
}

void multiprocessor::checkpoint(support::archive& a) {
    if (a.block(name(), 7)) {
        a(running_, warps_, scoreboard_, dynamic_warps_, last_launch_);
        a.history(residents_since_);
        checkpoint_pipeline(a);
    }
    if (caches_) caches_->checkpoint(a);
}

void scoreboard::checkpoint(support::archive& a) {
    std::uint64_t words = words_;
    a(words);
    words_ = words;
    a.plain(words_of_);
}

void multiprocessor::checkpoint_pipeline(support::archive& a) {
    if (a.resets()) return;
    throw support::user_error(name(), "SMs of this kind cannot be saved in a checkpoint",
                              "override multiprocessor::checkpoint_pipeline()");
}

}  // namespace simtlm::core
