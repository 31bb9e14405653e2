// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/async_proxy.h"

#include <algorithm>
#include <utility>

namespace simtlm::execution {

async_proxy::async_proxy(unsigned warps, std::uint32_t shared_bytes, unsigned ctas)
    : warps_(warps),
      chunks_((shared_bytes + chunk_bytes - 1) / chunk_bytes),
      operations_(std::size_t{max_operations} * ctas),
      used_(ctas),
      completed_(std::size_t{warps} * ctas),
      barriers_(std::size_t{barriers} * ctas),
      fenced_(std::size_t{warps} * ctas),
      groups_(std::size_t{2} * warps * ctas),
      written_(std::size_t{chunks_} * ctas) {}

void async_proxy::start() {
    order_ = number_ = 0;
    for (std::vector<unsigned>& used : used_) {
        for (const unsigned i : used) operations_[i].number = 0;
        used.clear();
    }
    std::fill(completed_.begin(), completed_.end(), knowledge());
    std::fill(barriers_.begin(), barriers_.end(), knowledge());
    for (knowledge& k : of_cluster_) k.reset();
    places_.clear();
    std::fill(fenced_.begin(), fenced_.end(), 0);
    std::fill(groups_.begin(), groups_.end(), groups());
    std::fill(written_.begin(), written_.end(), generic_write());
}

// ---- completions that warps have observed ----

void async_proxy::synchronise(unsigned warp, std::uint32_t place, bool acquires, bool releases) {
    if (acquires) {
        const auto published = places_.find(place);
        if (published != places_.end()) completed_[warp] |= published->second;
    }
    if (releases) places_[place] |= completed_[warp];
}

void async_proxy::complete(unsigned rank, unsigned barrier, const std::vector<unsigned>& waiting,
                           bool whole_cta) {
    if (whole_cta) {
        knowledge all;
        const auto first = completed_.begin() + number_of(rank, 0), end = first + warps_;
        for (auto k = first; k != end; ++k) all |= *k;
        std::fill(first, end, all);
        discard_ordered_accesses(rank);
        return;
    }
    knowledge& published = barriers_[rank * barriers + barrier];
    for (const unsigned w : waiting) completed_[number_of(rank, w)] |= published;
    published.reset();
}

void async_proxy::at_mbarrier(unsigned warp, std::uint32_t place, bool phase, bool waits) {
    for (const unsigned i : used_[cta_of(place)]) {
        pending_operation& o = operations_[i];
        if (!o.copies || o.place != place) continue;
        if (o.phase != phase) o.complete = true;
        if (waits && o.complete) completed_[warp].set(i);
    }
}

// ---- operations ----

unsigned async_proxy::take(unsigned cta) {
    std::vector<unsigned>& used = used_[cta];
    if (used.size() == max_operations) {
        const auto oldest =
            std::min_element(used.begin(), used.end(), [this](unsigned a, unsigned b) {
                return operations_[a].number < operations_[b].number;
            });
        drop(*oldest);
    }
    unsigned free = cta * max_operations;
    while (operations_[free].number != 0) ++free;
    used.push_back(free);
    operations_[free] = pending_operation();
    operations_[free].number = ++number_;
    return free;
}

void async_proxy::drop(unsigned index) {
    operations_[index].number = 0;
    std::vector<unsigned>& used = used_[index / max_operations];
    used.erase(std::find(used.begin(), used.end(), index));
    for (knowledge& k : completed_) k.reset(index);
    for (knowledge& k : barriers_) k.reset(index);
    for (auto& place : places_) place.second.reset(index);
    for (knowledge& k : of_cluster_) k.reset(index);
}

/// Drops the operations on the memory of a CTA whose completion all its warps have observed.
void async_proxy::discard_ordered_accesses(unsigned cta) {
    knowledge all;
    all.set();
    for (unsigned w = 0; w < warps_; ++w) all &= completed_[number_of(cta, w)];
    const std::vector<unsigned> used = used_[cta];
    for (const unsigned i : used)
        if (all.test(i)) drop(i);
}

/// Makes the last copy to the memory of a CTA longer if another one continues it: those of the
/// lanes of one instruction.
bool async_proxy::extend(unsigned cta, const pending_operation& like) {
    if (used_[cta].empty()) return false;
    pending_operation& last = operations_[used_[cta].back()];
    if (!last.copies || last.complete || last.warp != like.warp ||
        last.operation != like.operation || last.place != like.place || last.phase != like.phase ||
        last.end != like.begin)
        return false;
    for (const knowledge& k : completed_)
        if (k.test(used_[cta].back())) return false;
    last.end = like.end;
    return true;
}

void async_proxy::copy(unsigned warp, std::uint32_t operation, std::uint32_t to,
                       std::uint32_t bytes, std::uint32_t place, bool phase) {
    if (bytes == 0) return;
    const unsigned cta = cta_of(to);
    if (cta_of(place) != cta) return;
    // Earlier copies to this range are overwritten.
    const std::vector<unsigned> used = used_[cta];
    for (const unsigned i : used) {
        const pending_operation& o = operations_[i];
        if (o.copies && o.begin >= to && o.end <= to + bytes) drop(i);
    }
    const auto [first, end] = chunks_of(to, bytes);
    std::fill(written_.begin() + first, written_.begin() + end, generic_write());
    pending_operation o;
    o.copies = true;
    o.phase = phase;
    o.warp = warp;
    o.operation = operation;
    o.place = place;
    o.begin = to;
    o.end = to + bytes;
    if (bytes < chunk_bytes && extend(cta, o)) return;
    pending_operation& kept = operations_[take(cta)];
    o.number = kept.number;
    kept = std::move(o);
}

void async_proxy::read(unsigned warp, engine by, std::uint32_t operation, std::uint32_t from,
                       std::uint32_t bytes) {
    if (bytes == 0) return;
    const unsigned cta = cta_of(from);
    groups& g = groups_of(warp, by);
    if (g.open.number == 0 || operations_[g.open.index].number != g.open.number) {
        const unsigned index = take(cta);
        pending_operation& o = operations_[index];
        o.by = by;
        o.warp = warp;
        o.operation = operation;
        o.begin = (cta + 1) * chunks_ * chunk_bytes;
        o.chunks.resize(chunks_);
        g.open = {index, o.number};
    }
    pending_operation& o = operations_[g.open.index];
    const auto [first, end] = chunks_of(from, bytes);
    for (std::uint32_t c = first; c < end; ++c) o.chunks[c % chunks_] = true;
    o.begin = std::min(o.begin, first * chunk_bytes);
    o.end = std::max(o.end, end * chunk_bytes);
}

void async_proxy::close_group(unsigned warp, engine of) {
    groups& g = groups_of(warp, of);
    g.closed.push_back(std::exchange(g.open, {0, 0}));
    if (g.closed.size() > max_groups) g.closed.pop_front();
}

void async_proxy::groups_complete(unsigned warp, engine of, std::uint64_t pending) {
    groups& g = groups_of(warp, of);
    for (; g.closed.size() > pending; g.closed.pop_front()) {
        const group done = g.closed.front();
        if (done.number != 0 && operations_[done.index].number == done.number)
            completed_[warp].set(done.index);
    }
}

// ---- accesses ----

async_proxy::conflict async_proxy::find(unsigned warp, std::uint32_t at, std::uint32_t bytes,
                                        bool writes) const {
    const auto [first, last] = chunks_of(at, bytes);
    for (const unsigned i : used_[cta_of(at)]) {
        const pending_operation& o = operations_[i];
        if (o.end <= at || o.begin >= at + bytes || completed_[warp].test(i)) continue;
        if (o.copies)
            return {conflict::kind::copy_in_flight, engine::bulk_copy, o.warp, o.operation};
        if (!writes) continue;
        for (std::uint32_t c = first; c < last; ++c)
            if (o.chunks[c % chunks_])
                return {conflict::kind::operand_in_use, o.by, o.warp, o.operation};
    }
    return {};
}

async_proxy::conflict async_proxy::generic_access(unsigned warp, std::uint32_t operation,
                                                  std::uint32_t at, std::uint32_t bytes,
                                                  bool writes) {
    const conflict c = find(warp, at, bytes, writes);
    if (writes) {
        ++order_;
        const auto [first, end] = chunks_of(at, bytes);
        for (std::uint32_t k = first; k < end; ++k) written_[k] = {order_, warp, operation};
    }
    return c;
}

async_proxy::conflict async_proxy::asynchronous_access(unsigned warp, std::uint32_t at,
                                                       std::uint32_t bytes, bool writes) const {
    if (bytes == 0) return {};
    const conflict c = find(warp, at, bytes, writes);
    if (c.what != conflict::kind::none || writes) return c;
    const auto [first, end] = chunks_of(at, bytes);
    for (std::uint32_t k = first; k < end; ++k) {
        const generic_write& w = written_[k];
        if (w.order != 0 && fenced_[w.warp] < w.order && fenced_[warp] < w.order)
            return {conflict::kind::no_fence, engine::bulk_copy, w.warp, w.operation};
    }
    return {};
}

}  // namespace simtlm::execution
