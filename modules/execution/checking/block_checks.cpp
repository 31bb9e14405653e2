// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/block_checks.h"

#include "modules/execution/checking/race_stamps.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/lane_addresses.h"
#include "modules/execution/thread_block.h"
#include "modules/program/mbarrier_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

block_checks::block_checks(launch_context& l) : launch_(l), checker_(*l.world.checker) {
    const check_options& what = checker_.options;
    // Accesses by other CTAs of a cluster are not tracked.
    const std::uint32_t shared = l.cluster().volume() > 1 ? 0 : l.shared_bytes();
    if (what.races && shared != 0)
        races_ = std::make_unique<race_detector>(
            l.warps(), shared, l.image.smallest_shared_access(), l.image.architecture() < 70);
    constexpr unsigned least_architecture = 90;
    if (races_ && l.image.architecture() >= least_architecture)
        proxy_ = std::make_unique<async_proxy>(l.warps(), shared);
    if (!what.init) return;
    global_ = l.memory.writes();
    if (shared != 0) shared_ = std::make_unique<written_bytes>(shared);
    const std::uint64_t local = std::uint64_t{l.warps()} * warp_size * l.local_bytes();
    if (local != 0) local_ = std::make_unique<written_map>(local);
}

void block_checks::start() {
    if (races_) races_->start();
    if (proxy_) proxy_->start();
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
    if (proxy_) proxy_->complete(barrier, waiting, whole_cta);
    if (shared_ && !shared_is_written_) shared_is_written_ = shared_->all(0, shared_->size());
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

void block_checks::race(warp& w, const operation* op, unsigned lane, std::uint32_t offset,
                        bool writes, const race_detector::conflict& with) {
    add(finding::kind::shared_race, w, op, lane, with.operation, [&] {
        const operation& other = w.code[with.operation];
        std::string who = fmt::format("a thread of warp {}", with.warp);
        if (with.lane_known) {
            const auto t = w.block->thread_of(w.block->warps()[with.warp], with.lane);
            who = fmt::format("thread ({},{},{})", t[0], t[1], t[2]);
        }
        return fmt::format(
            "race in shared memory at {:#x} ({}): this {} and the {} of {} at {} have no barrier "
            "between them",
            offset, shared_variable(offset), writes ? "write" : "read",
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
    settle(d);
    if (p.writes)
        d.begin_writes();
    else
        d.begin_reads();
    const unsigned shift = d.granule_shift();
    const race_detector::shadow s = d.shadow_of(w.index);
    const auto me = static_cast<std::uint32_t>(w.pc_of(op));
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
    const bool in_shared = p.shared_space || address_windows::in_shared(p.address);
    if (in_shared) {
        const std::uint64_t offset =
            address_windows::in_shared(p.address) ? p.address - address_windows::shared : p.address;
        const std::uint64_t size = launch_.shared_bytes();
        if (offset >= size || p.bytes > size - offset) return;
        if (races_) check_race(w, op, p, offset);
        if (proxy_)
            report(w, op, p.lane, offset, p.writes,
                   proxy_->generic_access(w.index, static_cast<std::uint32_t>(w.pc_of(op)),
                                          static_cast<std::uint32_t>(offset), p.bytes, p.writes));
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

void block_checks::report(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                          bool writes, const async_proxy::conflict& c) {
    using kind = async_proxy::conflict::kind;
    if (c.what == kind::none) return;
    add(finding::kind::shared_race, w, op, lane, c.operation, [&] {
        const std::string where = launch_.image.where(w.code[c.operation]);
        const std::string what =
            fmt::format("{} shared memory at {:#x} ({})", writes ? "writes" : "reads", offset,
                        shared_variable(offset));
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
            "{}, which the {} of warp {} at {} may still read: its group has not been waited for",
            what,
            c.by == async_proxy::engine::tensor_core ? "product of a warpgroup" : "copy in bulk",
            c.warp, where);
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
        if (!shared_space && !address_windows::in_shared(address[i])) return;
        const std::uint64_t offset = address_windows::in_shared(address[i])
                                         ? address[i] - address_windows::shared
                                         : address[i];
        if (offset + bytes > launch_.shared_bytes()) return;
        const auto c = proxy_->generic_access(w.index, static_cast<std::uint32_t>(w.pc_of(access)),
                                              static_cast<std::uint32_t>(offset), bytes, writes);
        report(w, access, i, offset, writes, c);
    });
}

bool block_checks::phase_at(const warp& w, std::uint64_t place) const {
    return program::mbarrier_state::load(w.block->shared() + place).phase;
}

void block_checks::copy_starts(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                               std::uint32_t bytes, std::uint64_t place) {
    const std::uint64_t size = launch_.shared_bytes();
    if (!proxy_ || offset + bytes > size || place + sizeof(std::uint64_t) > size) return;
    const auto first = static_cast<std::uint32_t>(offset);
    const auto barrier = static_cast<std::uint32_t>(place);
    report(w, op, lane, offset, true, proxy_->asynchronous_access(w.index, first, bytes, true));
    // Ordered after everything that the warp has observed, and before accesses after the phase.
    check_race(w, op, {lane, offset, bytes, true, false, true}, offset);
    races_->synchronise(w.index, barrier, false, true);
    proxy_->at_mbarrier(w.index, barrier, phase_at(w, place), false);
    proxy_->copy(w.index, static_cast<std::uint32_t>(w.pc_of(op)), first, bytes, barrier,
                 phase_at(w, place));
}

void block_checks::read_starts(warp& w, const operation* op, unsigned lane, async_proxy::engine by,
                               std::uint64_t offset, std::uint32_t bytes) {
    if (!proxy_ || offset + bytes > launch_.shared_bytes()) return;
    const auto first = static_cast<std::uint32_t>(offset);
    report(w, op, lane, offset, false, proxy_->asynchronous_access(w.index, first, bytes, false));
    proxy_->read(w.index, by, static_cast<std::uint32_t>(w.pc_of(op)), first, bytes);
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
