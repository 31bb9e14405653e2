// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/block_checks.h"

#include "modules/execution/common/access_flags.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/cluster_checks.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/race_stamps.h"
#include "modules/execution/state/thread_block.h"
#include "modules/program/mbarrier_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

block_checks::block_checks(launch_context& l) : launch_(l), checker_(*l.world.checker) {
    const check_options& what = checker_.options;
    const auto ctas = static_cast<unsigned>(l.cluster().volume());
    const std::uint32_t shared = ctas > 1 && l.timed ? 0 : l.shared_bytes();
    shared_by_cluster_ = ctas > 1 && shared != 0;
    if (what.races && shared != 0)
        races_ = std::make_unique<race_detector>(
            l.warps(), shared, l.image.smallest_shared_access(), l.image.architecture() < 70, ctas);
    constexpr unsigned min_architecture = 90;
    if (races_ && ctas == 1 && l.image.architecture() >= min_architecture)
        proxy_ = std::make_shared<async_proxy>(l.warps(), shared);
    if (!what.init) return;
    global_ = l.memory.writes();
    if (shared != 0) shared_ = std::make_unique<written_bytes>(shared);
    const std::uint64_t local = std::uint64_t{l.warps()} * warp_size * l.local_bytes();
    if (local != 0) local_ = std::make_unique<written_map>(local);
}

void block_checks::start(thread_block& block) {
    cluster_ = &block.cluster();
    rank_ = block.rank();
    if (races_ && shared_by_cluster_) {
        if (cluster_->checks == nullptr)
            cluster_->checks = std::make_shared<cluster_checks>(cluster_checks{
                async_proxy(launch_.warps(), launch_.shared_bytes(), cluster_->size()), {}});
        of_cluster_ = cluster_->checks;
        proxy_ = {of_cluster_, &of_cluster_->proxy};
    } else if (proxy_) {
        proxy_->start();
    }
    if (races_) races_->start(rank_);
    if (shared_) {
        shared_->clear_all();
        // The part before the variables does not belong to the kernel, and is zero.
        const std::uint32_t reserved = launch_.kernel.reserved_shared;
        if (reserved != 0) {
            // In machine code before sm_90, the reserved part is the last one.
            const bool at_end =
                launch_.image.isa() == instruction_set::sass && launch_.image.architecture() < 90;
            const std::uint32_t end = launch_.kernel.static_shared + launch_.what.dynamic_shared;
            shared_->mark(at_end ? end - reserved : 0, reserved);
        }
    }
    shared_is_written_ = false;
    if (local_) local_->clear_all();
}

void block_checks::complete(unsigned barrier, const std::vector<unsigned>& waiting,
                            bool whole_cta) {
    if (races_) races_->complete(barrier, waiting, whole_cta);
    if (proxy_) proxy_->complete(rank_, barrier, waiting, whole_cta);
    if (shared_ && !shared_is_written_) shared_is_written_ = shared_->all(0, shared_->size());
}

// ---- clusters ----

unsigned block_checks::number_of(const warp& w) const {
    return proxy_->number_of(rank_, w.index);
}

void block_checks::arrive_at_cluster(const warp& w) {
    if (!races_ || !shared_by_cluster_) return;
    races_->arrive_at_cluster(w.index, of_cluster_->published[w.cluster_phase % 2]);
    proxy_->arrive_at_cluster(number_of(w), w.cluster_phase % 2);
}

void block_checks::leave_cluster_barrier(const warp& w) {
    if (!races_ || !shared_by_cluster_) return;
    races_->leave_cluster_barrier(w.index, of_cluster_->published[w.cluster_phase % 2]);
    proxy_->leave_cluster_barrier(number_of(w), w.cluster_phase % 2);
}

void block_checks::cluster_barrier_complete() {
    if (!shared_by_cluster_)
        complete(0, {}, true);
    else if (shared_ && !shared_is_written_)
        shared_is_written_ = shared_->all(0, shared_->size());
}

block_checks* block_checks::of_rank(unsigned rank) const {
    thread_block* const block = cluster_->block_of_rank(rank);
    return block == nullptr ? nullptr : block->checks();
}

block_checks::shared_place block_checks::place_of(device_address a, bool shared_space) const {
    constexpr device_address distance = address_windows::cluster - address_windows::shared;
    if (address_windows::in_shared(a)) return {true, rank_, a - address_windows::shared};
    if (address_windows::in_cluster(a))
        a -= address_windows::cluster;
    else if (!shared_space)
        return {};
    else if (a - distance < address_windows::cluster_size)
        a -= distance;
    else
        return {true, rank_, a};
    return {true, static_cast<unsigned>(a / address_windows::cluster_stride),
            a % address_windows::cluster_stride};
}

/// Whether bytes are in the shared memory of a CTA that runs; others are faults of their own.
bool block_checks::is_inside(const shared_place& at, std::uint32_t bytes) const {
    const std::uint64_t size = launch_.shared_bytes();
    return at.exists && at.offset < size && bytes <= size - at.offset &&
           (at.rank == rank_ || of_rank(at.rank) != nullptr);
}

std::string block_checks::name_of(const shared_place& at) const {
    const std::string name = fmt::format("{:#x} ({})", at.offset, shared_variable(at.offset));
    return at.rank == rank_ ? name : fmt::format("{} of the block of rank {}", name, at.rank);
}

void block_checks::check_remote_race(warp& w, const operation* op, unsigned lane,
                                     const shared_place& at, std::uint32_t bytes, bool writes,
                                     std::uint32_t operation, bool records) {
    race_detector& owner = *of_rank(at.rank)->races_;
    const unsigned shift = owner.granule_shift();
    for (std::uint64_t k = at.offset >> shift;
         k < owner.granules() && k << shift < at.offset + bytes; ++k) {
        const auto granule = static_cast<std::uint32_t>(k);
        const auto c =
            owner.access_from(*races_, granule, w.index, lane, writes, operation, records);
        if (c.found) race(w, op, lane, at.rank, granule << shift, writes, c);
    }
}

void block_checks::check_remote(warp& w, const operation* op, unsigned lane, const shared_place& at,
                                std::uint32_t bytes, std::uint32_t flags) {
    if (!is_inside(at, bytes)) return;
    block_checks& owner = *of_rank(at.rank);
    const bool writes = (flags & access_flags::writes) != 0;
    const bool reads = (flags & access_flags::reads) != 0;
    if (races_) {
        const bool strong = (flags & access_flags::strong) != 0;
        const auto me = static_cast<std::uint32_t>(w.pc_of(op));
        check_remote_race(w, op, lane, at, bytes, writes, me | (strong ? race_detector::strong : 0),
                          true);
        const auto c = proxy_->generic_access(number_of(w), me,
                                              proxy_->place_of(at.rank, at.offset), bytes, writes);
        report(w, op, lane, at, writes, c);
        const bool releases =
            writes && ((flags & access_flags::releases) != 0 || races_->is_fenced(w.index));
        if (strong)
            owner.races_->synchronise_from(*races_, w.index, static_cast<std::uint32_t>(at.offset),
                                           reads, releases);
    }
    if (!owner.shared_) return;
    if (reads && !owner.shared_->all(at.offset, bytes))
        unwritten_shared(w, op, lane, at.offset, bytes);
    if (writes) owner.shared_->mark(at.offset, bytes);
}

void block_checks::compare_with_remote(warp& w, const operation* op, unsigned lane,
                                       std::uint64_t offset, std::uint32_t bytes, bool writes,
                                       std::uint32_t operation) {
    const race_detector& d = *races_;
    if (!d.has_remote_accesses()) return;
    const unsigned shift = d.granule_shift();
    for (std::uint64_t k = offset >> shift; k < d.granules() && k << shift < offset + bytes; ++k) {
        const auto granule = static_cast<std::uint32_t>(k);
        const auto c = d.compare_with_remote(granule, w.index, writes, operation);
        if (c.found) race(w, op, lane, granule << shift, writes, c);
    }
}

void block_checks::note_mbarrier(warp& w, const shared_place& at, std::uint32_t flags) {
    if (!is_inside(at, sizeof(std::uint64_t))) return;
    block_checks& owner = at.rank == rank_ ? *this : *of_rank(at.rank);
    if (owner.shared_) owner.shared_->mark(at.offset, sizeof(std::uint64_t));
    const bool acquires = (flags & access_flags::acquires) != 0;
    const bool releases = (flags & access_flags::releases) != 0;
    if (proxy_) {
        const unsigned me = number_of(w);
        const std::uint32_t place = proxy_->place_of(at.rank, at.offset);
        proxy_->at_mbarrier(me, place, phase_at(at), acquires);
        proxy_->synchronise(me, place, acquires, releases);
    }
    if (races_)
        owner.races_->synchronise_from(*races_, w.index, static_cast<std::uint32_t>(at.offset),
                                       acquires, releases);
}

// ---- findings ----

template <class Describe>
void block_checks::add(finding::kind what, warp& w, const operation* op, unsigned lane,
                       std::uint64_t other, Describe&& describe) {
    const findings::thread_number who{w.block->number(), w.index * warp_size + lane};
    checker_.found.add(what, {&launch_.image, w.pc_of(op), other}, who, [&] {
        finding f;
        f.text = describe() + " [" + launch_.image.text_of(*op) + "]";
        f.site = w.block->site_of(w, op, lane);
        return f;
    });
}

void block_checks::unwritten_global(warp& w, const operation* op, unsigned lane, device_address a,
                                    std::uint32_t bytes) {
    const device_memory::range* const r = launch_.memory.find(a);
    if (r == nullptr || bytes > r->end - a) return;  // reported as a fault of its own
    add(finding::kind::uninitialised_memory, w, op, lane, 0, [&] {
        return fmt::format("reads {} bytes at {:#x} that nothing has written: {} bytes {}", bytes,
                           a, a - r->begin, launch_.memory.nearest(a));
    });
}

std::string block_checks::shared_variable(std::uint64_t offset) const {
    for (const program_variable& v : launch_.image.shared_variables_of(launch_.kernel))
        if (offset - v.address < v.bytes) return fmt::format("{}+{}", v.name, offset - v.address);
    if (offset >= launch_.kernel.static_shared)
        return fmt::format("dynamic shared memory+{}", offset - launch_.kernel.static_shared);
    // Unknown for machine code.
    return launch_.image.isa() == instruction_set::sass ? "static shared memory" : "no variable";
}

void block_checks::unwritten_shared(warp& w, const operation* op, unsigned lane,
                                    std::uint64_t offset, std::uint32_t bytes) {
    add(finding::kind::uninitialised_memory, w, op, lane, 0, [&] {
        return fmt::format("reads {} bytes at {:#x} of shared memory ({}) that nothing has written",
                           bytes, offset, shared_variable(offset));
    });
}

void block_checks::unwritten_local(warp& w, const operation* op, unsigned lane,
                                   std::uint64_t offset, std::uint32_t bytes) {
    add(finding::kind::uninitialised_memory, w, op, lane, 0, [&] {
        return fmt::format("reads {} bytes at {:#x} of local memory that nothing has written",
                           bytes, offset);
    });
}

void block_checks::unwritten_register(warp& w, const operation* op, unsigned lane,
                                      const std::string& name) {
    add(finding::kind::uninitialised_register, w, op, lane, 0,
        [&] { return "reads register " + name + ", which nothing has written"; });
}

void block_checks::race(warp& w, const operation* op, unsigned lane, unsigned rank,
                        std::uint32_t offset, bool writes, const race_detector::conflict& with) {
    add(finding::kind::shared_race, w, op, lane, with.operation, [&] {
        const operation& other = w.code[with.operation];
        std::string who = fmt::format("a thread of warp {}", with.warp);
        if (with.rank != rank_) {
            who += fmt::format(" of the block of rank {}", with.rank);
        } else if (with.lane_known) {
            const auto t = w.block->thread_of(w.block->warps()[with.warp], with.lane);
            who = fmt::format("thread ({},{},{})", t[0], t[1], t[2]);
        }
        return fmt::format(
            "race in shared memory at {}: this {} and the {} of {} at {} have no barrier between "
            "them",
            name_of({true, rank, offset}), writes ? "write" : "read",
            with.with_write ? "write" : "read", who, launch_.image.where(other));
    });
}

void block_checks::race_of_lanes(warp& w, const operation* op, unsigned lane, unsigned other,
                                 std::uint32_t offset) {
    add(finding::kind::shared_race, w, op, lane, ~std::uint64_t{0}, [&] {
        const auto t = w.block->thread_of(w, other);
        return fmt::format(
            "race in shared memory at {:#x} ({}): thread ({},{},{}) writes another value there "
            "with "
            "the same instruction",
            offset, shared_variable(offset), t[0], t[1], t[2]);
    });
}

// ---- segments ----

void block_checks::check_race(warp& w, const operation* op, const segment& p,
                              std::uint64_t offset) {
    race_detector& d = *races_;
    record_queued_reads(d);
    if (p.writes)
        d.begin_writes();
    else
        d.begin_reads();
    const unsigned shift = d.granule_shift();
    const race_detector::shadow s = d.shadow_of(w.index);
    const auto me = static_cast<std::uint32_t>(w.pc_of(op));
    compare_with_remote(w, op, p.lane, offset, p.bytes, p.writes, me);
    for (std::uint64_t k = offset >> shift; k < d.granules() && k << shift < offset + p.bytes;
         ++k) {
        const auto granule = static_cast<std::uint32_t>(k);
        const auto c = d.examine(granule, w.index, p.lane, p.writes, me);
        if (c.found) race(w, op, p.lane, granule << shift, p.writes, c);
        if (p.writes) {
            s.written[k] = d.stamp_of(w.index) + p.lane;
            s.written_by[k] = me;
        } else {
            const bool fresh = s.read[k] < d.ordered();
            s.readers[k] = (fresh ? 0 : s.readers[k]) | 1u << w.index;
            s.read[k] = d.stamp_of(w.index) + p.lane;
            s.read_by[k] = me;
            if (s.last_reads != nullptr) s.last_reads[k] = d.stamp_of(w.index) >> d.clock_shift;
        }
    }
}

void block_checks::check(warp& w, const operation* op, const segment& p) {
    const shared_place at = place_of(p.address, p.shared_space);
    if (at.exists) {
        const std::uint64_t offset = at.offset;
        if (at.rank != rank_ || !is_inside(at, p.bytes)) return;
        if (races_) check_race(w, op, p, offset);
        if (proxy_)
            report(w, op, p.lane, at, p.writes,
                   proxy_->generic_access(number_of(w), static_cast<std::uint32_t>(w.pc_of(op)),
                                          proxy_->place_of(rank_, offset), p.bytes, p.writes));
        if (shared_ && p.reads && !shared_->all(offset, p.bytes))
            unwritten_shared(w, op, p.lane, offset, p.bytes);
        if (shared_ && p.writes) shared_->mark(offset, p.bytes);
        return;
    }
    if (address_windows::in_local(p.address) || address_windows::in_param(p.address)) return;
    if (global_ == nullptr || p.address + p.bytes > global_->size()) return;
    if (p.reads && !global_->all(p.address, p.bytes))
        unwritten_global(w, op, p.lane, p.address, p.bytes);
    if (p.writes) global_->mark(p.address, p.bytes);
}

// ---- asynchronous operations ----

void block_checks::report(warp& w, const operation* op, unsigned lane, const shared_place& at,
                          bool writes, const async_proxy::conflict& c) {
    using kind = async_proxy::conflict::kind;
    if (c.what == kind::none) return;
    add(finding::kind::shared_race, w, op, lane, c.operation, [&] {
        const std::string where = launch_.image.where(w.code[c.operation]);
        const std::string what =
            fmt::format("{} shared memory at {}", writes ? "writes" : "reads", name_of(at));
        const unsigned rank = c.warp / launch_.warps(), warp_of_rank = c.warp % launch_.warps();
        const std::string who =
            rank == rank_ ? fmt::format("warp {}", warp_of_rank)
                          : fmt::format("warp {} of the block of rank {}", warp_of_rank, rank);
        if (c.what == kind::copy_in_flight)
            return fmt::format(
                "{}, to which the copy in bulk at {} brings data: the warp has not waited for its "
                "mbarrier, nor for one that has",
                what, where);
        if (c.what == kind::no_fence)
            return fmt::format(
                "{} asynchronously, which the store at {} has written: no fence.proxy.async stands "
                "between them",
                what, where);
        return fmt::format(
            "{}, which the {} of {} at {} may still read: its group has not been waited for", what,
            c.by == async_proxy::engine::tensor_core ? "product of a warpgroup" : "copy in bulk",
            who, where);
    });
}

void block_checks::check_proxy(warp& w, const operation* check, std::uint32_t lanes) {
    if (!proxy_) return;
    const bool shared_space = access_detail::space_of(check) == space::shared;
    if (!shared_space && access_detail::space_of(check) != space::generic) return;
    const std::uint32_t bytes = access_detail::elements_of(check) * check->source[2];
    const bool writes = (check->source[1] & access_flags::writes) != 0;
    const operation* const access = check + 1;
    alignas(64) address_lanes address;
    compute_addresses(w, check, lanes, address);
    for_lanes(lanes, [&](unsigned i) {
        const shared_place at = place_of(address[i], shared_space);
        if (at.rank != rank_ || !is_inside(at, bytes)) return;
        const auto c =
            proxy_->generic_access(number_of(w), static_cast<std::uint32_t>(w.pc_of(access)),
                                   proxy_->place_of(rank_, at.offset), bytes, writes);
        report(w, access, i, at, writes, c);
    });
}

bool block_checks::phase_at(const shared_place& at) const {
    return program::mbarrier_state::load(cluster_->block_of_rank(at.rank)->shared() + at.offset)
        .phase;
}

void block_checks::copy_starts(warp& w, const operation* op, unsigned lane, device_address to,
                               std::uint32_t bytes, device_address barrier, bool reduces) {
    const shared_place at = place_of(to, true), place = place_of(barrier, true);
    if (!proxy_ || !is_inside(at, bytes) || !is_inside(place, sizeof(std::uint64_t))) return;
    const unsigned me = number_of(w);
    const std::uint32_t first = proxy_->place_of(at.rank, at.offset);
    const std::uint32_t signalled = proxy_->place_of(place.rank, place.offset);
    const auto pc = static_cast<std::uint32_t>(w.pc_of(op));
    // Ordered after everything that the warp has observed, and before accesses after the phase.
    // Later accesses before it are found by the proxy. Reductions do not race with each other.
    if (!reduces) {
        report(w, op, lane, at, true, proxy_->asynchronous_access(me, first, bytes, true));
        if (at.rank == rank_)
            check_race(w, op, {lane, at.offset, bytes, true, false, true}, at.offset);
        else
            check_remote_race(w, op, lane, at, bytes, true, pc, false);
    }
    block_checks& signals = place.rank == rank_ ? *this : *of_rank(place.rank);
    signals.races_->synchronise_from(*races_, w.index, static_cast<std::uint32_t>(place.offset),
                                     false, true);
    proxy_->at_mbarrier(me, signalled, phase_at(place), false);
    proxy_->copy(me, pc, first, bytes, signalled, phase_at(place));
}

void block_checks::read_starts(warp& w, const operation* op, unsigned lane, async_proxy::engine by,
                               device_address from, std::uint32_t bytes) {
    const shared_place at = place_of(from, true);
    if (!proxy_ || at.rank != rank_ || !is_inside(at, bytes)) return;
    const unsigned me = number_of(w);
    const std::uint32_t first = proxy_->place_of(rank_, at.offset);
    report(w, op, lane, at, false, proxy_->asynchronous_access(me, first, bytes, false));
    proxy_->read(me, by, static_cast<std::uint32_t>(w.pc_of(op)), first, bytes);
}

void block_checks::written(warp& w, unsigned lane, device_address a, std::uint32_t bytes) {
    if (address_windows::in_local(a)) {
        if (local_)
            for_local_words(w.index * std::uint64_t{w.local_bytes} * warp_size, lane,
                            a - address_windows::local, bytes,
                            [&](std::uint64_t at, std::uint32_t n) {
                                local_->mark(at, n);
                                return true;
                            });
    } else if (address_windows::in_shared(a)) {
        if (shared_) shared_->mark(a - address_windows::shared, bytes);
    } else if (global_ != nullptr) {
        global_->mark(a, bytes);
    }
}

}  // namespace simtlm::execution
