// SPDX-License-Identifier: Apache-2.0
#include "modules/core/modern/sm.h"

#include "modules/kernel/error.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace simtlm::core::modern {

sm::sm(const sc_core::sc_module_name& name, const multiprocessor_parts& parts,
       const sm_timing& modern)
    : cluster_multiprocessor(name, parts.sequencer, parts.config, parts.who,
                             modern.engines.present ? most_memory_sources : memory_sources),
      group_("cycle", parts.sequencer, static_cast<unsigned>(protocol::phase_scope::sm)),
      modern_(modern),
      tagger_(parts.who),
      warps_(config_.max_warps),
      scoreboard_(warps_),
      barriers_(warps_, config_.max_ctas, config_.max_barriers_per_cta),
      coalescer_(config_),
      local_memory_(config_, parts.who),
      sleepers_("sleepers", sequencer_, warps_),
      issue_(config_, modern_.engines.present,
             {warps_, coalescer_, local_memory_, effects_, sleepers_, pool_, statistics_}),
      synchronise_process_("synchronise", sequencer_, protocol::phase::core_write_back,
                           kernel::on_edge<&sm::synchronise>(this)),
      retire_process_("retire", sequencer_, protocol::phase::core_front_end,
                      kernel::on_edge<&sm::retire>(this), false, 2) {
    retire_process_.select_sub_phase(1);  // after the sub-cores' fetch
    warps_.listener = this;
    std::vector<sub_core*> cores;
    for (unsigned s = 0; s < config_.schedulers; ++s) {
        sub_cores_.push_back(std::make_unique<sub_core>(
            fmt::format("sub_core{}", s).c_str(), sequencer_, config_, modern_, s,
            sub_core::blocks{*this, running_, warps_, scoreboard_, issue_, pool_, statistics_,
                             stage_statistics_}));
        cores.push_back(sub_cores_.back().get());
    }
    memory_unit_ = std::make_unique<memory_unit>(
        "memory_unit", sequencer_, config_, modern_,
        memory_unit::blocks{tagger_, warps_, scoreboard_, port_, pool_, parts.transactions,
                            statistics_, cores});
    link_ = std::make_unique<instruction_link>(
        "instruction_link", sequencer_, modern_, config_.schedulers,
        static_cast<instruction_link::client&>(*this), tagger_, parts.transactions);
    if (modern_.clusters.supported) {
        clusters_ = std::make_unique<cluster_unit>("cluster_unit", config_, modern_, who_.sm,
                                                   cluster_unit::blocks{warps_, cores});
        issue_.set_clusters(*clusters_);
        memory_unit_->set_clusters(*clusters_);
    }
    make_caches(parts.transactions);
    if (modern_.engines.present) make_engines(cores, parts.transactions);
    if (clusters_ && mbarriers_) clusters_->set_mbarriers(*mbarriers_);
    group_.close();
}

void sm::make_engines(const std::vector<sub_core*>& cores,
                      protocol::transaction_pool& transactions) {
    const engine_config& e = modern_.engines;
    bulk_copies_ = std::make_unique<bulk_copy_engine>(
        "bulk_copies", sequencer_, e.bulk,
        bulk_copy_engine::blocks{tagger_, warps_, port_, transactions, stage_statistics_, *this});
    bulk_copies_->memory.bind(port_.from[static_cast<unsigned>(memory_source::bulk)]);
    mbarriers_ =
        std::make_unique<mbarrier_unit>("mbarriers", sequencer_, e.mbarrier,
                                        mbarrier_unit::blocks{warps_, stage_statistics_, cores});
    warpgroups_ = std::make_unique<warpgroup_unit>(
        "warpgroups", sequencer_, e.warpgroup, warpgroup_unit::blocks{warps_, stage_statistics_});
    if (e.warpgroup.register_reads)
        for (sub_core* const c : cores) c->set_warpgroups(*warpgroups_);
}

void sm::watch(engine_watcher& watcher) {
    if (!bulk_copies_) return;
    bulk_copies_->watch(watcher, id());
    warpgroups_->watch(watcher, id());
    sequencer_.stay_on_one_thread();  // the watcher may be shared by several SMs
}

void sm::make_caches(protocol::transaction_pool& transactions) {
    l1_caches::config c = l1_caches::from(config_);
    c.data.latency = memory_unit::l1d_stages(modern_);
    c.data.banks = modern_.l1_tag_banks * cache::sectors_per_line;
    c.data.bank_interleaving = cache::sector_bytes;
    c.data.bank_hash = cache::set_index_function::folded_lines;
    c.data.packets_per_cycle = modern_.request_packets;
    c.data.requests_lines = modern_.request_lines;
    c.data.writes_sectors = true;
    caches_ = std::make_unique<l1_caches>(sequencer_, c, transactions);
    link_->l1i.bind(caches_->instruction.port);
    memory_unit_->l1c.bind(caches_->constant.port);
    memory_unit_->l1t.bind(caches_->texture.port);
    memory_unit_->l1d.bind(caches_->data.port);
    caches_->connect(port_);
    memory_unit_->uncached.bind(port_.from[static_cast<unsigned>(memory_source::ldst)]);
}

// ---- CTAs --------------------------------------------------------------------------------------

void sm::join_clusters(protocol::cluster_network_port& network,
                       std::shared_ptr<gpc_directory> all) {
    clusters_->network.bind(network);
    clusters_->set_barrier(*all->barrier);
    gpcs_ = std::move(all);
}

void sm::configure_l1(const l1_split& split) {
    if (config_.l1.data_enabled) caches_->data.reconfigure(split.ways, split.allocation);
}

void sm::begin_running() {
    multiprocessor::begin_running();
    for (auto& s : sub_cores_) s->sm_started(sequencer_.cycle(protocol::core_clock));
}

void sm::end_running() {
    for (auto& s : sub_cores_) s->sm_stopped(sequencer_.cycle(protocol::core_clock));
    multiprocessor::end_running();
}

/// Discards the instructions of the previous kernel.
void sm::forget_instructions() {
    link_->flush();
    for (auto& s : sub_cores_) s->invalidate_instructions();
    if (link_->idle()) caches_->instruction.invalidate();
}

void sm::launch(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    place(kernel, std::move(block));
}

void sm::launch_in_cluster(kernel_context& kernel, std::unique_ptr<program::cta> block,
                           const std::shared_ptr<cta_cluster>& cluster, unsigned rank) {
    const unsigned slot = place(kernel, std::move(block));
    const unsigned first = ctas_[slot].first_thread / config_.warp_size;
    warp_mask live = 0;
    for (unsigned i = 0; i < ctas_[slot].padded_threads / config_.warp_size; ++i)
        live |= warp_bit(first + i) & ~warps_.done;
    clusters_->cta_starts(slot, cluster, rank, *ctas_[slot].block, live);
}

/// @return the slot of the CTA
unsigned sm::place(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    if (ctas_.resident() == 0 && kernel.launch != last_launch_) {
        last_launch_ = kernel.launch;
        forget_instructions();
    }
    if (!running_.running()) begin_running();
    kernel_ = &kernel;
    const unsigned slot = ctas_.allocate(kernel, std::move(block));
    const cta_slots::slot& cta = ctas_[slot];
    ++statistics_.ctas_launched;
    local_memory_.place(slot, cta.padded_threads, kernel.ctas_per_sm);
    if (kernel.descriptor != nullptr)
        scoreboard_.allow_registers(kernel.descriptor->register_numbers);

    const unsigned first_warp = cta.first_thread / config_.warp_size;
    const unsigned count = cta.padded_threads / config_.warp_size;
    warp_mask members = 0;
    for (unsigned i = 0; i < count; ++i) members |= warp_bit(first_warp + i);
    barriers_.allocate(slot, members);
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident |= members;
    if (warpgroups_) warpgroups_->place(first_warp, count);
    cta.block->placed({who_.sm, who_.sms, slot, first_warp});
    const unsigned rotation = modern_.rotate_ctas ? slot : 0;
    for (unsigned i = 0; i < count; ++i)
        begin_warp(first_warp + rotated(i, rotation, count), slot, i);
    if (cta_watcher_ != nullptr) cta_watcher_->cta_started(*this, slot, kernel, *cta.block);
    return slot;
}

unsigned sm::rotated(unsigned number, unsigned rotation, unsigned warps) const {
    const auto sub_cores = static_cast<unsigned>(sub_cores_.size());
    if (warps % sub_cores != 0) return number;
    return number / sub_cores * sub_cores + (number + rotation) % sub_cores;
}

/// @param number  index of the warp in its CTA
void sm::begin_warp(unsigned w, unsigned slot, unsigned number) {
    const cta_slots::slot& cta = ctas_[slot];
    const program::warp_code code = cta.block->warp(number);
    warp_state& warp = warps_.warp[w];
    warp.code = warp.resolved_path = code.window;
    warp.addresses = code.addresses;
    warp.executor = code.executor;
    if (warp.executor != nullptr)
        sequencer_.stay_on_one_thread();  // warps share the state of a
                                          // program
    warp.dynamic_id = dynamic_warps_++;
    warp.cta = slot;
    warp.number = number;
    warp.threads =
        std::min(config_.warp_size, cta.kernel->needs.threads - number * config_.warp_size);
    warp.copy_groups.clear();
    warp.copy_wait_below = 0;
    if (bulk_copies_) bulk_copies_->warp_starts(w);
    warp.last_pc = warp.fall_through_pc = code.window.empty() ? 0 : code.window.next->info->pc;
    ++statistics_.warps_launched;
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    warp_start_ = std::max(warp_start_, now + 1) + modern_.warp_launch_interval;
    of(w).warp_starts(w, warp_start_);
    if (code.window.empty()) {
        warps_.ends(w);
        of(w).without_code(w);
        barriers_.warp_ended(slot, w);
        retire_process_.wake();
    }
}

void sm::ends(unsigned w) {
    arrivals_.push_back({sequencer_.cycle(protocol::core_clock) + 1,
                         static_cast<std::uint16_t>(w),
                         static_cast<std::uint16_t>(warps_.warp[w].cta),
                         {}});
    arrivals_.back().request.kind = program::barrier_kind::none;
    if (warpgroups_) warpgroups_->ends(w, sequencer_.cycle(protocol::core_clock));
    synchronise_process_.wake_at(arrivals_.back().at);
    retire_process_.wake();
}

void sm::arrives(unsigned w, const barrier_request& request, std::uint64_t at) {
    arrivals_.push_back({at, static_cast<std::uint16_t>(w),
                         static_cast<std::uint16_t>(warps_.warp[w].cta), request});
    synchronise_process_.wake_at(at);
}

void sm::engage(warp_instruction& inst, std::uint64_t now) {
    using program::special_op;
    const unsigned w = inst.warp;
    if (inst.active_mask == 0) return;
    if (inst.info->special == special_op::launch_dependents) launch_dependents(warps_.warp[w].cta);
    if (inst.info->special == special_op::dependency_wait)
        dependency_.wait(warps_, w, *kernel_of(w));
    if (!modern_.engines.present) return;
    const auto groups = static_cast<unsigned>(inst.info->immediate);
    bool waits = false;
    switch (inst.info->special) {
        case special_op::mbarrier_update:
            mbarriers_->changes(now + modern_.engines.mbarrier.arrive_cycles);
            return;
        case special_op::bulk_copy:
            if (warps_.warp[w].executor != nullptr)
                bulk_copies_->start(w, warps_.warp[w].executor->take_transfers(), now);
            return;
        case special_op::remote_store:
            if (warps_.warp[w].executor != nullptr) store_asynchronously(w, now);
            return;
        case special_op::bulk_commit:
            bulk_copies_->commit(w);
            return;
        case special_op::bulk_wait:
        case special_op::bulk_wait_read:
            waits = bulk_copies_->wait(w, groups, inst.info->special == special_op::bulk_wait_read);
            break;
        case special_op::warpgroup_arrive:
            waits = warpgroups_->arrive(w, now);
            break;
        case special_op::warpgroup_mma:
            warpgroups_->multiply(w, *inst.info, now);
            if ((inst.info->immediate & 2) != 0) warpgroups_->commit(w);
            return;
        case special_op::warpgroup_commit:
            warpgroups_->commit(w);
            return;
        case special_op::warpgroup_wait:
            waits = warpgroups_->wait(w, groups, now);
            break;
        default:
            return;
    }
    if (waits) warps_.at_engine |= warp_bit(w);
}

void sm::dependency_ended(const kernel_context& kernel) {
    dependency_.ended(warps_, kernel);
}

/// st.async: to shared memory of another CTA of the cluster, or of the warp's own CTA.
void sm::store_asynchronously(unsigned w, std::uint64_t now) {
    std::vector<program::bulk_transfer> transfers = warps_.warp[w].executor->take_transfers();
    bool here = true;
    if (clusters_ && clusters_->is_in_cluster(w))
        here = clusters_->store_asynchronously(w, std::move(transfers), now);
    else
        for (const program::bulk_transfer& t : transfers)
            for (const program::bulk_transfer::arrival& a : t.arrivals) a.effect();
    if (here) mbarriers_->changes(now + modern_.engines.mbarrier.arrive_cycles);
}

void sm::transfer_arrived(unsigned w, const program::bulk_transfer& what) {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    const bool in_cluster = clusters_ && clusters_->is_in_cluster(w);
    for (const program::bulk_transfer::arrival& a : what.arrivals) {
        if (in_cluster && a.rank != clusters_->rank_of(w))
            clusters_->tell(w, what, a, now);
        else
            a.effect();
    }
    mbarriers_->changes(now + 1);
}

void sm::arrives_at_cluster(unsigned w, std::uint64_t at) {
    clusters_->arrives(w, at);
    synchronise_process_.wake_at(at);
}

void sm::fences(unsigned w, std::uint64_t at) {
    fences_.push_back({at, static_cast<std::uint16_t>(w)});
    synchronise_process_.wake_at(at);
}

std::uint64_t sm::enter_shared_fp64(std::uint64_t earliest) {
    const std::uint64_t at = std::max(earliest, fp64_free_at_);
    fp64_free_at_ = at + modern_.shared_fp64_interval;
    return at;
}

/// Processes all warps that have ended, and one warp at a CTA barrier per barrier interval: the one
/// that arrived first, and among those of a cycle the one with the lowest number.
/// @return the next core cycle with an arrival to process, or ~0
std::uint64_t sm::take_arrivals(std::uint64_t now) {
    std::uint64_t next = ~std::uint64_t{0};
    const auto counts = [](const arrival& a) {
        return a.request.kind != program::barrier_kind::none;
    };
    for (std::size_t i = 0; i < arrivals_.size();) {
        const arrival a = arrivals_[i];
        if (counts(a) || a.at > now) {
            next = std::min(next, a.at);
            ++i;
            continue;
        }
        arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(i));
        barriers_.warp_ended(a.cta, a.warp);
        if (clusters_) clusters_->warp_ends(a.warp);
    }
    if (next <= now && barriers_free_at_ <= now) {
        const auto first = std::min_element(
            arrivals_.begin(), arrivals_.end(), [&](const arrival& a, const arrival& b) {
                return std::tuple(!counts(a), a.at, a.warp) < std::tuple(!counts(b), b.at, b.warp);
            });
        const arrival a = *first;
        arrivals_.erase(first);
        barriers_free_at_ = now + modern_.barrier_interval;
        barriers_.arrive(a.cta, a.warp, a.request);
    }
    next = ~std::uint64_t{0};
    for (const arrival& a : arrivals_)
        next = std::min(next, counts(a) ? std::max(a.at, barriers_free_at_) : a.at);
    return next;
}

/// Processes barrier arrivals and completed fences.
void sm::synchronise() {
    const std::uint64_t now = synchronise_process_.now();
    std::uint64_t next = take_arrivals(now);
    if (clusters_) next = std::min(next, clusters_->synchronise(now));
    for (std::size_t i = 0; i < fences_.size();) {
        fence& f = fences_[i];
        const warp_state& warp = warps_.warp[f.warp];
        // Its writes must be visible first.
        if (f.at <= now && (warp.stores != 0 || warp.copies != 0)) f.at = now + 1;
        if (f.at > now) {
            next = std::min(next, f.at);
            ++i;
            continue;
        }
        warps_.stops_waiting(warps_.at_memory_barrier, f.warp);
        if (config_.l1.flush) invalidate_l1();
        fences_.erase(fences_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (next == ~std::uint64_t{0})
        synchronise_process_.sleep();
    else
        synchronise_process_.sleep_until(next);
}

/// Lets warps exit that have ended and have nothing in flight.
void sm::retire() {
    for (warp_mask m = warps_.done & warps_.resident & warps_.may_have_left; m != 0; m &= m - 1) {
        const auto w = static_cast<unsigned>(__builtin_ctzll(m));
        warps_.may_have_left &= ~warp_bit(w);
        const warp_state& warp = warps_.warp[w];
        if (warp.in_pipeline == 0 && warp.copies == 0 && warp.transfers == 0 &&
            (warp.stores == 0 || !(clusters_ && clusters_->is_in_cluster(w))) &&
            !(warpgroups_ && warpgroups_->waits(w)) && !has_arrivals(w) &&
            !scoreboard_.writes_pending(w))
            warp_exits(w);
    }
    const std::uint64_t next =
        departures_.empty() ? departure::unknown : depart(retire_process_.now());
    if (next == departure::unknown)
        retire_process_.sleep();
    else
        retire_process_.sleep_until(next);
}

/// Frees the slots of CTAs that have ended, and completes the CTAs whose stores have been
/// acknowledged. @return the next cycle in which a time is reached, or departure::unknown
std::uint64_t sm::depart(std::uint64_t now) {
    std::uint64_t next = departure::unknown;
    warps_.awaited_stores = 0;
    bool freed = false;
    for (departure& d : departures_) {
        if (d.complete_at == departure::unknown) {
            if (d.stores <= warps_.stores_acknowledged)
                d.complete_at = now + modern_.cta_turnaround;
            else if (warps_.awaited_stores == 0)
                warps_.awaited_stores = d.stores;
        }
        if (d.released) continue;
        if (d.at > now) {
            next = std::min(next, d.at);
            continue;
        }
        d.rest = release_cta(d.cta);
        d.released = true;
        freed = freed || d.complete_at > now;
    }
    while (!departures_.empty() && departures_.front().released &&
           departures_.front().complete_at <= now) {
        released_cta cta = std::move(departures_.front().rest);
        departures_.pop_front();
        complete_cta(std::move(cta));
    }
    if (freed) tell_resources_freed();
    if (!departures_.empty() && departures_.front().complete_at > now)
        next = std::min(next, departures_.front().complete_at);
    return next;
}

void sm::warp_exits(unsigned w) {
    const warp_state& warp = warps_.warp[w];
    count_residents(sequencer_.cycle(protocol::core_clock) + 1);
    warps_.resident &= ~warp_bit(w);
    warps_.done &= ~warp_bit(w);
    of(w).warp_ends(w);
    if (ctas_.warp_exits(warp.cta, warp.threads)) cta_ends(warp.cta);
}

/// All warps of a CTA have exited. Its slot is free for another CTA after the turnaround time,
/// which does not wait for its stores: on a V100, two CTAs of 32 threads per SM that store one
/// value follow each other in 370 cycles (gpu-benches, gpu-stream), less than a store to the L2 and
/// the turnaround time together.
void sm::cta_ends(unsigned slot) {
    barriers_.deallocate(slot);
    if (clusters_) clusters_->cta_ends(slot);
    departures_.push_back({retire_process_.now() + modern_.cta_turnaround, warps_.stores_sent,
                           static_cast<std::uint16_t>(slot)});
}

void sm::no_unit_for(const program::static_instruction& inst) {
    sequencer_.fail(std::make_exception_ptr(kernel::user_error(
        kernel_ != nullptr && kernel_->descriptor != nullptr ? kernel_->descriptor->origin
                                                             : std::string(),
        fmt::format("{} at PC {:#x} needs a functional unit that the configuration lacks",
                    inst.opcode, inst.pc),
        "enable the unit in the configuration, or map the opcode to another with --opcode-table")));
}

// ---- reports -----------------------------------------------------------------------------------

const core_statistics& sm::statistics() {
    const std::uint64_t edges = sequencer_.edges(protocol::core_clock);
    if (edges != 0)
        for (auto& s : sub_cores_) s->settle(edges - 1);
    statistics_.cycles = running_.before(edges);
    count_residents(edges);
    return statistics_;
}

const modern_statistics& sm::stage_statistics() {
    statistics();
    l0_statistics sum;
    for (auto& s : sub_cores_) {
        const l0_statistics& l = s->l0().statistics();
        sum.fetches += l.fetches;
        sum.hits += l.hits;
        sum.stream_hits += l.stream_hits;
        sum.misses += l.misses;
        sum.prefetches += l.prefetches;
    }
    stage_statistics_.l0_fetches = sum.fetches;
    stage_statistics_.l0_hits = sum.hits;
    stage_statistics_.l0_stream_hits = sum.stream_hits;
    stage_statistics_.l0_misses = sum.misses;
    stage_statistics_.l0_prefetches = sum.prefetches;
    return stage_statistics_;
}

void sm::register_statistics(kernel::statistics& list) {
    list.add(name(), "sm", counted());
    list.add(std::string(name()) + ".stages", "modern", stage_statistics_);
    caches_->register_statistics(list);
}

void sm::settle() {
    stage_statistics();
    caches_->settle();
}

std::vector<unit_count> sm::unit_counts() const {
    std::vector<unit_count> kinds;
    for (unsigned u = 0; u < unit_count_of_modern; ++u)
        kinds.push_back({unit_name(static_cast<unit>(u)), stage_statistics_.unit_instructions[u]});
    return kinds;
}

warp_wait sm::why_waiting(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    if ((warps_.done & bit) != 0) return warp_wait::exit;
    if ((warps_.at_barrier & bit) != 0) return warp_wait::barrier;
    if ((warps_.at_memory_barrier & bit) != 0) return warp_wait::memory_barrier;
    if ((warps_.at_atomic & bit) != 0) return warp_wait::atomics;
    if ((warps_.at_copy & bit) != 0) return warp_wait::copies;
    if ((warps_.at_engine & bit) != 0) return warp_wait::engine;
    if ((warps_.asleep & bit) != 0) return warp_wait::sleep;
    return sub_cores_[w % sub_cores_.size()]->wait_of(w);
}

std::uint64_t sm::network_refusals() {
    std::uint64_t n = caches_->back_pressure_cycles();
    for (const auto& stage : statistics_.stalls)
        n += stage[static_cast<unsigned>(memory_stall::network_full)];
    return n;
}

std::string sm::wait_text(unsigned w) const {
    const warp_mask bit = warp_bit(w);
    const warp_state& s = warps_.warp[w];
    std::string why;
    const auto add = [&why](const std::string& t) { why += (why.empty() ? "" : ", ") + t; };
    if ((warps_.at_barrier & bit) != 0)
        add(clusters_ && clusters_->is_waiting(w) ? "the barrier of its cluster" : "a barrier");
    if ((warps_.at_memory_barrier & bit) != 0) add("a memory barrier");
    if ((warps_.at_atomic & bit) != 0) add(fmt::format("{} atomics", s.atomics));
    if ((warps_.at_copy & bit) != 0) add("asynchronous copies");
    if ((warps_.asleep & bit) != 0) add("the end of its sleep");
    if ((warps_.at_engine & bit) != 0) {
        add(dependency_.holds(w)    ? "the end of the kernel on which its kernel depends"
            : mbarriers_->waits(w)  ? mbarriers_->why_waiting(w)
            : warpgroups_->waits(w) ? warpgroups_->why_waiting(w)
                                    : bulk_copies_->why_waiting(w));
    }
    if ((warps_.done & bit) != 0)
        add(fmt::format("its end: {} instructions in flight, {} stores, {} bulk copies",
                        s.in_pipeline, s.stores, s.transfers));
    return why.empty() ? sub_cores_[w % sub_cores_.size()]->why_waiting(w) : why;
}

std::string sm::describe() const {
    std::string text;
    for (unsigned w = 0; w < warps_.warp.size(); ++w) {
        if ((warps_.resident & warp_bit(w)) == 0) continue;
        const warp_state& s = warps_.warp[w];
        text += fmt::format("  SM {} warp {} (CTA slot {}) after PC {:#x} waits for {}\n", who_.sm,
                            w, s.cta, s.last_pc, wait_text(w));
    }
    for (unsigned c = 0; c < ctas_.size(); ++c)
        if (ctas_[c].kernel != nullptr) {
            text += barriers_.describe(c);
            if (clusters_) text += clusters_->describe(c);
        }
    return text;
}

}  // namespace simtlm::core::modern
