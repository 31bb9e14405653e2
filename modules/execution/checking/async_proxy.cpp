// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/async_proxy.h"

#include <algorithm>
#include <utility>

namespace simtlm::execution {

async_proxy::async_proxy(unsigned warps, std::uint32_t shared_bytes)
    : chunks_((shared_bytes + chunk_bytes - 1) / chunk_bytes),
      knows_(warps),
      fenced_(warps),
      groups_(std::size_t{2} * warps),
      written_(chunks_) {}

void async_proxy::start() {
    order_ = number_ = 0;
    for (const unsigned i : used_) operations_[i].number = 0;
    used_.clear();
    std::fill(knows_.begin(), knows_.end(), knowledge());
    barriers_.fill(knowledge());
    places_.clear();
    std::fill(fenced_.begin(), fenced_.end(), 0);
    std::fill(groups_.begin(), groups_.end(), groups());
    std::fill(written_.begin(), written_.end(), generic_write());
}

// ---- completions that warps have observed ----

void async_proxy::synchronise(unsigned warp, std::uint32_t place, bool acquires, bool releases) {
    if (acquires) {
        const auto told = places_.find(place);
        if (told != places_.end()) knows_[warp] |= told->second;
    }
    if (releases) places_[place] |= knows_[warp];
}

void async_proxy::complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta) {
    if (whole_cta) {
        knowledge all;
        for (const knowledge& k : knows_) all |= k;
        std::fill(knows_.begin(), knows_.end(), all);
        forget_what_all_know();
        return;
    }
    for (const unsigned w : waiting) knows_[w] |= barriers_[barrier];
    barriers_[barrier].reset();
}

void async_proxy::at_mbarrier(unsigned warp, std::uint32_t place, bool phase, bool waits) {
    for (const unsigned i : used_) {
        pending_operation& o = operations_[i];
        if (!o.copies || o.place != place) continue;
        if (o.phase != phase) o.complete = true;
        if (waits && o.complete) knows_[warp].set(i);
    }
}

// ---- operations ----

unsigned async_proxy::take() {
    if (used_.size() == most_operations) {
        const auto oldest =
            std::min_element(used_.begin(), used_.end(), [this](unsigned a, unsigned b) {
                return operations_[a].number < operations_[b].number;
            });
        drop(*oldest);
    }
    unsigned free = 0;
    while (operations_[free].number != 0) ++free;
    used_.push_back(free);
    operations_[free] = pending_operation();
    operations_[free].number = ++number_;
    return free;
}

void async_proxy::drop(unsigned index) {
    operations_[index].number = 0;
    used_.erase(std::find(used_.begin(), used_.end(), index));
    for (knowledge& k : knows_) k.reset(index);
    for (knowledge& k : barriers_) k.reset(index);
    for (auto& place : places_) place.second.reset(index);
}

void async_proxy::forget_what_all_know() {
    knowledge all;
    all.set();
    for (const knowledge& k : knows_) all &= k;
    const std::vector<unsigned> used = used_;
    for (const unsigned i : used)
        if (all.test(i)) drop(i);
}

void async_proxy::copy(unsigned warp, std::uint32_t operation, std::uint32_t offset,
                       std::uint32_t bytes, std::uint32_t place, bool phase) {
    if (bytes == 0) return;
    const auto [first, end] = chunks_of(offset, bytes);
    // Earlier copies to this range are overwritten.
    const std::vector<unsigned> used = used_;
    for (const unsigned i : used) {
        const pending_operation& o = operations_[i];
        if (o.copies && o.begin >= first && o.end <= end) drop(i);
    }
    pending_operation& o = operations_[take()];
    o.copies = true;
    o.phase = phase;
    o.warp = warp;
    o.operation = operation;
    o.place = place;
    o.begin = first;
    o.end = end;
    std::fill(written_.begin() + first, written_.begin() + end, generic_write());
}

void async_proxy::read(unsigned warp, engine by, std::uint32_t operation, std::uint32_t offset,
                       std::uint32_t bytes) {
    if (bytes == 0) return;
    groups& g = groups_of(warp, by);
    if (g.open.number == 0 || operations_[g.open.index].number != g.open.number) {
        const unsigned index = take();
        pending_operation& o = operations_[index];
        o.by = by;
        o.warp = warp;
        o.operation = operation;
        o.begin = chunks_;
        o.chunks.resize(chunks_);
        g.open = {index, o.number};
    }
    pending_operation& o = operations_[g.open.index];
    const auto [first, end] = chunks_of(offset, bytes);
    for (std::uint32_t c = first; c < end; ++c) o.chunks[c] = true;
    o.begin = std::min(o.begin, first);
    o.end = std::max(o.end, end);
}

void async_proxy::close_group(unsigned warp, engine of) {
    groups& g = groups_of(warp, of);
    g.closed.push_back(std::exchange(g.open, {0, 0}));
    if (g.closed.size() > most_groups) g.closed.pop_front();
}

void async_proxy::groups_complete(unsigned warp, engine of, std::uint64_t pending) {
    groups& g = groups_of(warp, of);
    for (; g.closed.size() > pending; g.closed.pop_front()) {
        const group done = g.closed.front();
        if (done.number != 0 && operations_[done.index].number == done.number)
            knows_[warp].set(done.index);
    }
}

// ---- accesses ----

async_proxy::conflict async_proxy::find(unsigned warp, std::uint32_t first, std::uint32_t end,
                                        bool writes) const {
    for (const unsigned i : used_) {
        const pending_operation& o = operations_[i];
        if (o.end <= first || o.begin >= end || knows_[warp].test(i)) continue;
        if (o.copies)
            return {conflict::kind::copy_in_flight, engine::bulk_copy, o.warp, o.operation};
        if (!writes) continue;
        for (std::uint32_t c = std::max(first, o.begin); c < std::min(end, o.end); ++c)
            if (o.chunks[c]) return {conflict::kind::operand_in_use, o.by, o.warp, o.operation};
    }
    return {};
}

async_proxy::conflict async_proxy::generic_access(unsigned warp, std::uint32_t operation,
                                                  std::uint32_t offset, std::uint32_t bytes,
                                                  bool writes) {
    const auto [first, end] = chunks_of(offset, bytes);
    const conflict c = find(warp, first, end, writes);
    if (writes) {
        ++order_;
        for (std::uint32_t k = first; k < end; ++k) written_[k] = {order_, warp, operation};
    }
    return c;
}

async_proxy::conflict async_proxy::asynchronous_access(unsigned warp, std::uint32_t offset,
                                                       std::uint32_t bytes, bool writes) const {
    if (bytes == 0) return {};
    const auto [first, end] = chunks_of(offset, bytes);
    const conflict c = find(warp, first, end, writes);
    if (c.what != conflict::kind::none || writes) return c;
    for (std::uint32_t k = first; k < end; ++k) {
        const generic_write& w = written_[k];
        if (w.order != 0 && fenced_[w.warp] < w.order && fenced_[warp] < w.order)
            return {conflict::kind::no_fence, engine::bulk_copy, w.warp, w.operation};
    }
    return {};
}

}  // namespace simtlm::execution
