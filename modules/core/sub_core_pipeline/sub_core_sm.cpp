// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/sub_core_sm.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace simtlm::core::sub_core_pipeline {

sub_core_sm::sub_core_sm(const sc_core::sc_module_name& name, const multiprocessor_parts& parts,
                         const sm_timing& timing)
    : multiprocessor(name, parts.sequencer, parts.config, parts.who,
                     timing.engines.present ? max_memory_sources : memory_sources),
      timing_(timing),
      issue_(config_, timing_.engines.present,
             {warps_, coalescer_, local_memory_, effects_, sleepers_, pool_, statistics_}),
      synchronise_process_("synchronise", sequencer_, protocol::phase::core_write_back,
                           simulation::on_edge<&sub_core_sm::synchronise>(this)),
      retire_process_("retire", sequencer_, protocol::phase::core_front_end,
                      simulation::on_edge<&sub_core_sm::retire>(this), false, 2) {
    retire_process_.select_sub_phase(1);  // after the sub-cores' fetch
    std::vector<sub_core*> cores;
    for (unsigned s = 0; s < config_.schedulers; ++s) {
        sub_cores_.push_back(std::make_unique<sub_core>(
            fmt::format("sub_core{}", s).c_str(), sequencer_,
            sub_core_context{config_, timing_, running_, warps_, scoreboard_, pool_, statistics_,
                             stage_statistics_},
            s, issue_, static_cast<sub_core::services&>(*this)));
        cores.push_back(sub_cores_.back().get());
    }
    memory_unit_ = std::make_unique<memory_unit>(
        "memory_unit", sequencer_, config_, timing_,
        load_store_blocks{identity_, warps_, port_, pool_, parts.transactions, statistics_}, cores);
    link_ = std::make_unique<instruction_link>(
        "instruction_link", sequencer_, timing_, config_.schedulers,
        static_cast<instruction_link::client&>(*this), identity_, parts.transactions);
    if (timing_.cta_clusters.supported) {
        cta_clusters_ = std::make_unique<cta_cluster_unit>(
            "cluster_unit", config_, timing_, who_.sm, cta_cluster_unit::blocks{warps_, cores});
        issue_.set_cta_clusters(*cta_clusters_);
        memory_unit_->set_cta_clusters(*cta_clusters_);
    }
    bind_caches(parts.transactions);
    if (timing_.engines.present) make_engines(cores, parts.transactions);
    if (cta_clusters_ && mbarriers_) cta_clusters_->set_mbarriers(*mbarriers_);
    close_group();
}

void sub_core_sm::make_engines(const std::vector<sub_core*>& cores,
                               protocol::transaction_pool& transactions) {
    const engine_config& e = timing_.engines;
    bulk_copies_ = std::make_unique<bulk_copy_engine>(
        "bulk_copies", sequencer_, e.bulk,
        bulk_copy_engine::blocks{identity_, warps_, port_, transactions, stage_statistics_, *this});
    bulk_copies_->memory.bind(port_.from[static_cast<unsigned>(memory_source::bulk)]);
    mbarriers_ =
        std::make_unique<mbarrier_unit>("mbarriers", sequencer_, e.mbarrier,
                                        mbarrier_unit::blocks{warps_, stage_statistics_, cores});
    warpgroups_ = std::make_unique<warpgroup_unit>(
        "warpgroups", sequencer_, e.warpgroup, warpgroup_unit::blocks{warps_, stage_statistics_});
    if (e.tensor_core.present)
        tensor_core_ = std::make_unique<tensor_core_unit>(
            "tensor_core", sequencer_, e.tensor_core,
            tensor_core_unit::blocks{warps_, stage_statistics_, *this});
    if (e.warpgroup.register_reads)
        for (sub_core* const c : cores) c->set_warpgroups(*warpgroups_);
}

void sub_core_sm::watch(engine_watcher& watcher) {
    if (!bulk_copies_) return;
    bulk_copies_->watch(watcher, id());
    warpgroups_->watch(watcher, id());
    sequencer_.stay_on_one_thread();  // the watcher may be shared by several SMs
}

void sub_core_sm::bind_caches(protocol::transaction_pool& transactions) {
    l1_caches::config c = l1_caches::from(config_);
    c.data.latency = memory_unit::l1d_stages(timing_);
    c.data.banks = timing_.l1_tag_banks * cache::sectors_per_line;
    c.data.bank_interleaving = cache::sector_bytes;
    c.data.bank_hash = cache::set_index_function::folded_lines;
    c.data.packets_per_cycle = timing_.request_packets;
    c.data.requests_lines = timing_.request_lines;
    c.data.writes_sectors = true;
    make_caches(c, transactions);
    link_->l1i.bind(caches_->instruction.port);
    memory_unit_->l1c.bind(caches_->constant.port);
    memory_unit_->l1t.bind(caches_->texture.port);
    memory_unit_->l1d.bind(caches_->data.port);
    memory_unit_->uncached.bind(port_.from[static_cast<unsigned>(memory_source::ldst)]);
}

// ---- CTAs --------------------------------------------------------------------------------------

void sub_core_sm::running_begins(std::uint64_t now) {
    for (auto& s : sub_cores_) s->sm_started(now);
}

void sub_core_sm::running_ends(std::uint64_t now) {
    for (auto& s : sub_cores_) s->sm_stopped(now);
}

/// Discards the instructions of the previous kernel.
void sub_core_sm::kernel_arrives(const kernel_context& kernel) {
    if (ctas_.resident() != 0 || kernel.launch == last_launch_) return;
    last_launch_ = kernel.launch;
    link_->flush();
    for (auto& s : sub_cores_) s->invalidate_instructions();
    if (link_->idle()) caches_->instruction.invalidate();
}

unsigned sub_core_sm::place_of_warp(unsigned number, unsigned slot, unsigned warps) const {
    const auto sub_cores = static_cast<unsigned>(sub_cores_.size());
    if (!timing_.rotate_ctas || warps % sub_cores != 0) return number;
    return number / sub_cores * sub_cores + (number + slot) % sub_cores;
}

void sub_core_sm::warp_starts(unsigned w) {
    if (bulk_copies_) bulk_copies_->warp_starts(w);
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    warp_start_ = std::max(warp_start_, now + 1) + timing_.warp_launch_interval;
    of(w).warp_starts(w, warp_start_);
    if (warps_.warp[w].code.empty()) retire_process_.wake();
}

void sub_core_sm::ends(unsigned w) {
    arrivals_.push_back({sequencer_.cycle(protocol::core_clock) + 1,
                         static_cast<std::uint16_t>(w),
                         static_cast<std::uint16_t>(warps_.warp[w].cta),
                         {}});
    arrivals_.back().request.kind = program::barrier_kind::none;
    if (warpgroups_) warpgroups_->ends(w, sequencer_.cycle(protocol::core_clock));
    synchronise_process_.wake_at(arrivals_.back().at);
    retire_process_.wake();
}

void sub_core_sm::arrives(unsigned w, const barrier_request& request, std::uint64_t at) {
    arrivals_.push_back({at, static_cast<std::uint16_t>(w),
                         static_cast<std::uint16_t>(warps_.warp[w].cta), request});
    synchronise_process_.wake_at(at);
}

void sub_core_sm::start_asynchronous(warp_instruction& inst, std::uint64_t now) {
    using program::special_op;
    const unsigned w = inst.warp;
    if (inst.active_mask == 0) return;
    act_on_dependents(inst);
    if (!timing_.engines.present) return;
    const auto groups = static_cast<unsigned>(inst.info->immediate);
    bool waits = false;
    switch (inst.info->special) {
        case special_op::mbarrier_update:
            mbarriers_->changes(now + timing_.engines.mbarrier.arrive_cycles);
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
        case special_op::tensor_work:
            if (tensor_core_ && warps_.warp[w].executor != nullptr)
                waits = tensor_core_->start(w, warps_.warp[w].executor->take_tensor_work(), now);
            // Loads of machine code release their scoreboard.
            if (tensor_core_ && inst.info->n_dst != 0)
                inst.delay = tensor_core_->cycles_to_load(w, now);
            break;
        case special_op::tensor_wait:
            waits = tensor_core_ && tensor_core_->wait(w, groups != 0, now);
            break;
        default:
            return;
    }
    if (waits) warps_.at_engine |= warp_bit(w);
}

/// st.async: to shared memory of another CTA of the cluster, or of the warp's own CTA.
void sub_core_sm::store_asynchronously(unsigned w, std::uint64_t now) {
    std::vector<program::bulk_transfer> transfers = warps_.warp[w].executor->take_transfers();
    bool here = true;
    if (cta_clusters_ && cta_clusters_->is_in_cta_cluster(w))
        here = cta_clusters_->store_asynchronously(w, std::move(transfers), now);
    else
        for (const program::bulk_transfer& t : transfers)
            for (const program::bulk_transfer::arrival& a : t.arrivals) a.effect();
    if (here) mbarriers_->changes(now + timing_.engines.mbarrier.arrive_cycles);
}

void sub_core_sm::transfer_arrived(unsigned w, const program::bulk_transfer& what) {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    const bool in_cta_cluster = cta_clusters_ && cta_clusters_->is_in_cta_cluster(w);
    for (const program::bulk_transfer::arrival& a : what.arrivals) {
        if (in_cta_cluster && a.rank != cta_clusters_->rank_of(w))
            cta_clusters_->signal_arrival(w, what, a, now);
        else
            a.effect();
    }
    mbarriers_->changes(now + 1);
}

/// An arrival at another CTA takes the way of a multicast.
void sub_core_sm::work_complete(unsigned w, const program::tensor_core_work& commit) {
    program::bulk_transfer what;
    what.arrivals = commit.arrivals;
    transfer_arrived(w, what);
}

void sub_core_sm::arrives_at_cta_cluster(unsigned w, std::uint64_t at) {
    cta_clusters_->arrives(w, at);
    synchronise_process_.wake_at(at);
}

void sub_core_sm::fences(unsigned w, std::uint64_t at) {
    fences_.push_back({at, static_cast<std::uint16_t>(w)});
    synchronise_process_.wake_at(at);
}

std::uint64_t sub_core_sm::enter_shared_fp64(std::uint64_t earliest) {
    const std::uint64_t at = std::max(earliest, fp64_free_at_);
    fp64_free_at_ = at + timing_.shared_fp64_interval;
    return at;
}

/// Processes all warps that have ended, and one warp at a CTA barrier per barrier interval: the one
/// that arrived first, and among those of a cycle the one with the lowest number.
/// @return the next core cycle with an arrival to process, or ~0
std::uint64_t sub_core_sm::take_arrivals(std::uint64_t now) {
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
        if (cta_clusters_) cta_clusters_->warp_ends(a.warp);
    }
    if (next <= now && barriers_free_at_ <= now) {
        const auto first = std::min_element(
            arrivals_.begin(), arrivals_.end(), [&](const arrival& a, const arrival& b) {
                return std::tuple(!counts(a), a.at, a.warp) < std::tuple(!counts(b), b.at, b.warp);
            });
        const arrival a = *first;
        arrivals_.erase(first);
        barriers_free_at_ = now + timing_.barrier_interval;
        barriers_.arrive(a.cta, a.warp, a.request);
    }
    next = ~std::uint64_t{0};
    for (const arrival& a : arrivals_)
        next = std::min(next, counts(a) ? std::max(a.at, barriers_free_at_) : a.at);
    return next;
}

/// Processes barrier arrivals and completed fences.
void sub_core_sm::synchronise() {
    const std::uint64_t now = synchronise_process_.now();
    std::uint64_t next = take_arrivals(now);
    if (cta_clusters_) next = std::min(next, cta_clusters_->synchronise(now));
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
void sub_core_sm::retire() {
    for (warp_mask m = warps_.done & warps_.resident & warps_.may_have_left; m != 0; m &= m - 1) {
        const auto w = static_cast<unsigned>(__builtin_ctzll(m));
        warps_.may_have_left &= ~warp_bit(w);
        const warp_state& warp = warps_.warp[w];
        if (warp.in_pipeline == 0 && warp.copies == 0 && warp.transfers == 0 && warp.atomics == 0 &&
            (warp.stores == 0 || !(cta_clusters_ && cta_clusters_->is_in_cta_cluster(w))) &&
            !(warpgroups_ && warpgroups_->waits(w)) && !(tensor_core_ && tensor_core_->waits(w)) &&
            !has_arrivals(w) && !scoreboard_.writes_pending(w))
            exit_warp(w);
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
std::uint64_t sub_core_sm::depart(std::uint64_t now) {
    std::uint64_t next = departure::unknown;
    warps_.awaited_stores = 0;
    bool freed = false;
    for (departure& d : departures_) {
        if (d.complete_at == departure::unknown) {
            if (d.stores <= warps_.stores_acknowledged)
                d.complete_at = now + timing_.cta_turnaround;
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
    if (freed) notify_resources_freed();
    if (!departures_.empty() && departures_.front().complete_at > now)
        next = std::min(next, departures_.front().complete_at);
    return next;
}

void sub_core_sm::end_warp(unsigned w) {
    of(w).end_warp(w);
    warps_.ends(w);
    ends(w);
}

void sub_core_sm::discard_waits() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    arrivals_.erase(std::remove_if(arrivals_.begin(), arrivals_.end(),
                                   [](const arrival& a) {
                                       return a.request.kind != program::barrier_kind::none;
                                   }),
                    arrivals_.end());
    fences_.clear();
    if (cta_clusters_) cta_clusters_->discard_waits();
    if (!timing_.engines.present) return;
    mbarriers_->end_waits(now);
    warpgroups_->discard_waits();
    if (tensor_core_) tensor_core_->discard_waits();
}

/// All warps of a CTA have exited. Its slot is free for another CTA after the turnaround time,
/// which does not wait for its stores: on a V100, two CTAs of 32 threads per SM that store one
/// value follow each other in 370 cycles (gpu-benches, gpu-stream), less than a store to the L2 and
/// the turnaround time together.
void sub_core_sm::cta_ends(unsigned slot) {
    if (cta_clusters_) cta_clusters_->cta_ends(slot);
    if (tensor_core_) tensor_core_->cta_ends(slot, retire_process_.now());
    departures_.push_back({retire_process_.now() + timing_.cta_turnaround, warps_.stores_sent,
                           static_cast<std::uint16_t>(slot)});
    // An SM without warps may receive CTAs of another kernel.
    if (warps_.resident == 0) notify_resources_freed();
}

// ---- reports -----------------------------------------------------------------------------------

void sub_core_sm::flush_pipeline_counters(std::uint64_t edges) {
    if (edges != 0) {
        for (auto& s : sub_cores_) s->count_until(edges - 1);
        memory_unit_->count_until(edges - 1);
    }
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
}

void sub_core_sm::register_pipeline_statistics(support::statistics& list) {
    list.add(std::string(name()) + ".stages", "modern", stage_statistics_);
}

std::vector<unit_count> sub_core_sm::unit_counts() const {
    std::vector<unit_count> kinds;
    kinds.reserve(unit_count_of_sub_cores);
    for (unsigned u = 0; u < unit_count_of_sub_cores; ++u)
        kinds.push_back({unit_name(static_cast<unit>(u)), stage_statistics_.unit_instructions[u]});
    return kinds;
}

std::string sub_core_sm::barrier_text(unsigned w) const {
    return cta_clusters_ && cta_clusters_->is_waiting(w) ? "the barrier of its cluster"
                                                         : "a barrier";
}

std::string sub_core_sm::engine_text(unsigned w) const {
    if (mbarriers_->waits(w)) return mbarriers_->why_waiting(w);
    if (warpgroups_->waits(w)) return warpgroups_->why_waiting(w);
    if (tensor_core_ && tensor_core_->waits(w)) return tensor_core_->why_waiting(w);
    return bulk_copies_->why_waiting(w);
}

}  // namespace simtlm::core::sub_core_pipeline
