// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_control.h"

#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/state/program_image.h"
#include "modules/execution/state/thread_block.h"
#include "modules/execution/state/warp.h"

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

void machine_control::start(warp& w, const kernel_image& kernel) {
    if (frame_bytes_ != kernel.frame_bytes) {
        frame_ = make_lane_buffer(kernel.frame_bytes);
        frame_bytes_ = kernel.frame_bytes;
    }
    // Scratch rows are excluded, because every instruction writes them before it reads them, and
    // rows that the program does not name.
    const auto clear = [this](std::uint32_t from, std::uint32_t bytes) {
        std::memset(frame_.get() + from, 0, bytes);
    };
    clear(0, machine_frame::scratch);
    clear(machine_frame::uniform, 128 * kernel.uniform_registers);
    clear(machine_frame::barriers, 128 * kernel.convergence_barriers);
    clear(machine_frame::saved_counter, frame_bytes_ - machine_frame::saved_counter);
    std::memcpy(frame_.get() + frame_layout::always, &all_lanes, sizeof all_lanes);
    w.banks[static_cast<unsigned>(bank::frame)] = frame_.get();
    w.local_base = 0;
    ready_.clear();
    blocked_.clear();
    live_ = w.members;
    branches_ = 0;
    note_progress();
    collective_end_.fill(nullptr);
}

namespace {
/// Value of blocked_group::barrier for lanes that wait for a mask.
constexpr int barrier_of(machine_control::barrier_match m) {
    return -1 - static_cast<int>(m);
}
/// By lane: the lanes for which it waits at a convergence barrier.
const std::uint32_t* partners_of(const warp& w, unsigned barrier) {
    return reinterpret_cast<const std::uint32_t*>(w.at(machine_frame::barriers + 128 * barrier));
}
bool all_the_same(const std::uint32_t* partners, lane_mask lanes) {
    if (lanes == all_lanes)
        return std::memcmp(partners, partners + 1, (warp_size - 1) * sizeof *partners) == 0;
    const std::uint32_t first = partners[__builtin_ctz(lanes)];
    std::uint32_t differs = 0;
    for (lane_mask m = lanes; m != 0; m &= m - 1) differs |= partners[__builtin_ctz(m)] ^ first;
    return differs == 0;
}
}  // namespace

lane_mask machine_control::mask_of(const warp& w, const blocked_group& b) const {
    if (b.barrier < 0) return b.among & live_;
    return partners_of(w, static_cast<unsigned>(b.barrier))[__builtin_ctz(b.lanes)] & live_;
}

lane_mask machine_control::own_lanes() const {
    lane_mask lanes = live_;
    for (const group& g : ready_) lanes &= ~g.lanes;
    for (const blocked_group& b : blocked_) lanes &= ~b.lanes;
    return lanes;
}

const operation* machine_control::next_group(warp& w) {
    branches_ = 0;
    if (ready_.empty()) {
        if (live_ == 0) return w.end();
    }
    // All groups wait for lanes that are waiting, too.
    if (ready_.empty() && !leave_oldest_barrier(w)) {
        const blocked_group& b = blocked_.back();
        w.active = b.lanes;
        w.block->fail(w, b.next - 1, static_cast<unsigned>(__builtin_ctz(b.lanes)),
                      "lanes of a warp wait for each other at instructions that name others");
    }
    w.active = ready_.back().lanes;
    const operation* const to = ready_.back().next;
    ready_.pop_back();
    return w.continue_at(to);
}

void machine_control::defer(lane_mask lanes, const operation* next) {
    for (group& g : ready_)
        if (g.next == next) {
            g.lanes |= lanes;
            return;
        }
    ready_.push_back({lanes, next});
}

const operation* machine_control::branch(warp& w, lane_mask takers, const operation* target,
                                         const operation* next) {
    const lane_mask others = w.active & ~takers;
    if (takers == 0) return w.continue_at(next);
    if (others == 0) {
        const bool is_long = ++branches_ > retry_limit;
        if (is_long && (!ready_.empty() || branches_ % retry_limit == 1))
            return yield(w, target, few_yields);
        return w.continue_at(target);
    }
    const bool takers_first = __builtin_popcount(takers) < __builtin_popcount(others);
    defer(takers_first ? others : takers, takers_first ? next : target);
    w.active = takers_first ? takers : others;
    return w.continue_at(takers_first ? target : next);
}

const operation* machine_control::scatter(warp& w, lane_mask takers,
                                          const std::array<const operation*, warp_size>& targets,
                                          const operation* next) {
    const lane_mask others = w.active & ~takers;
    std::vector<group> parts;
    if (others != 0) parts.push_back({others, next});
    for (lane_mask left = takers; left != 0;) {
        const operation* const to = targets[static_cast<unsigned>(__builtin_ctz(left))];
        lane_mask same = 0;
        for (lane_mask m = left; m != 0; m &= m - 1)
            if (targets[static_cast<unsigned>(__builtin_ctz(m))] == to) same |= m & (0 - m);
        parts.push_back({same, to});
        left &= ~same;
    }
    std::stable_sort(parts.begin(), parts.end(), [](const group& a, const group& b) {
        return __builtin_popcount(a.lanes) > __builtin_popcount(b.lanes);
    });
    w.active = parts.back().lanes;
    const operation* const to = parts.back().next;
    parts.pop_back();
    for (const group& g : parts) defer(g.lanes, g.next);
    return w.continue_at(to);
}

void machine_control::barriers_changed(warp& w) {
    for (std::size_t i = 0; i < blocked_.size();) {
        const blocked_group first = blocked_[i];
        const bool any_instruction =
            first.barrier < 0 && first.barrier != barrier_of(barrier_match::this_instruction);
        const bool together = first.barrier == barrier_of(barrier_match::collective);
        lane_mask waiting = 0;
        for (const blocked_group& b : blocked_)
            if (b.barrier == first.barrier && (any_instruction || b.next == first.next) &&
                mask_of(w, b) == mask_of(w, first))
                waiting |= b.lanes;
        if ((mask_of(w, first) & ~waiting) != 0) {
            ++i;
            continue;
        }
        note_progress();
        if (first.barrier == barrier_of(barrier_match::block_barrier)) {
            // Those at the last instruction arrive; they take the others with them.
            const operation* const last = blocked_.back().next;
            waiting = 0;
            for (const blocked_group& b : blocked_)
                if (b.barrier == first.barrier && b.next == last) waiting |= b.lanes;
        }
        // Lanes that wait at the same instruction continue as one group.
        const auto released =
            std::stable_partition(blocked_.begin(), blocked_.end(),
                                  [&](const blocked_group& b) { return (b.lanes & waiting) == 0; });
        for (auto b = released; b != blocked_.end(); ++b)
            defer(b->lanes, together ? first.next : b->next);
        blocked_.erase(released, blocked_.end());
        i = 0;
    }
}

const operation* machine_control::wait(warp& w, lane_mask lanes, unsigned barrier,
                                       const operation* next) {
    if (lanes == 0) return w.continue_at(next);
    const lane_mask rest = w.active & ~lanes;
    if (rest != 0) defer(rest, next);
    const std::uint32_t* const partners = partners_of(w, barrier);
    // Fast path: all lanes have arrived, and no other group waits.
    if (blocked_.empty()) {
        const lane_mask first = partners[__builtin_ctz(lanes)];
        if ((first & live_ & ~lanes) == 0 && all_the_same(partners, lanes)) {
            branches_ = 0;
            w.active = lanes;
            return w.continue_at(next);
        }
    }
    // A group that passes a barrier by itself has not made progress: loops that wait for other
    // lanes contain such barriers.
    const bool alone = (partners[__builtin_ctz(lanes)] & live_ & ~lanes) == 0 &&
                       all_the_same(partners, lanes) &&
                       std::none_of(blocked_.begin(), blocked_.end(), [&](const blocked_group& b) {
                           return b.barrier == static_cast<int>(barrier);
                       });
    const unsigned yields = yields_;
    std::vector<std::uint64_t> states;
    states.swap(states_);
    note_progress();
    for (lane_mask left = lanes; left != 0;) {
        const lane_mask among = partners[__builtin_ctz(left)];
        lane_mask same = 0;
        for (lane_mask m = left; m != 0; m &= m - 1)
            if (partners[__builtin_ctz(m)] == among) same |= m & (0 - m);
        blocked_.push_back({same, next, static_cast<int>(barrier), 0});
        left &= ~same;
    }
    barriers_changed(w);
    if (alone) {
        yields_ = yields;
        states_.swap(states);
    }
    return next_group(w);
}

const operation* machine_control::wait_for(warp& w, lane_mask lanes, lane_mask among,
                                           barrier_match at, const operation* next) {
    if (lanes == 0) return w.continue_at(next);
    const lane_mask rest = w.active & ~lanes;
    if (rest == 0 && (among & live_ & ~lanes) == 0) return w.continue_at(next);
    if (rest != 0) defer(rest, next);
    blocked_.push_back({lanes, next, barrier_of(at), among});
    barriers_changed(w);
    return next_group(w);
}

void machine_control::begin_barrier(warp& w, lane_mask lanes, std::uint32_t barrier_row,
                                    const std::uint32_t* frames) {
    auto* const masks = reinterpret_cast<std::uint32_t*>(w.at(barrier_row));
    for (lane_mask left = lanes; left != 0;) {
        lane_mask same = left;
        if (frames != nullptr) {
            const std::uint32_t frame = frames[__builtin_ctz(left)];
            for (unsigned i = 0; i < warp_size; ++i)
                if (frames[i] != frame) same &= ~(lane_mask{1} << i);
        }
        if (same == all_lanes)
            std::fill_n(masks, warp_size, same);
        else
            for (lane_mask m = same; m != 0; m &= m - 1) masks[__builtin_ctz(m)] = same;
        left &= ~same;
    }
}

void machine_control::set_collective_end(lane_mask lanes, const operation* end) {
    for (lane_mask m = lanes; m != 0; m &= m - 1)
        collective_end_[static_cast<unsigned>(__builtin_ctz(m))] = end;
}

const operation* machine_control::end_collective(warp& w, lane_mask lanes, const operation* op) {
    bool elsewhere = false;
    for (lane_mask m = lanes; m != 0; m &= m - 1) {
        const operation* const end = collective_end_[static_cast<unsigned>(__builtin_ctz(m))];
        elsewhere |= end != nullptr && end != op + 1;
    }
    if (!elsewhere) return op + 1;
    w.leave(op);
    return scatter(w, lanes, collective_end_, op + 1);
}

const operation* machine_control::exit(warp& w, lane_mask lanes, const operation* next) {
    live_ &= ~lanes;
    note_progress();
    const lane_mask rest = w.active & ~lanes;
    if (rest != 0) defer(rest, next);
    barriers_changed(w);
    return next_group(w);
}

void machine_control::note_progress() {
    yields_ = 0;
    states_.clear();
}

/// Lets the group continue that has waited longest at a convergence barrier. It no longer takes
/// part in the barrier. @return false if there is none
bool machine_control::leave_oldest_barrier(warp& w) {
    const auto oldest = std::find_if(blocked_.begin(), blocked_.end(),
                                     [](const blocked_group& b) { return b.barrier >= 0; });
    if (oldest == blocked_.end()) return false;
    const blocked_group first = *oldest;
    const lane_mask partners = mask_of(w, first);
    const auto stays = [&](const blocked_group& b) {
        return b.barrier != first.barrier || b.next != first.next || mask_of(w, b) != partners;
    };
    lane_mask lanes = 0;
    for (const blocked_group& b : blocked_)
        if (!stays(b)) lanes |= b.lanes;
    blocked_.erase(std::stable_partition(blocked_.begin(), blocked_.end(), stays), blocked_.end());
    auto* const masks = reinterpret_cast<std::uint32_t*>(
        w.at(machine_frame::barriers + 128 * static_cast<unsigned>(first.barrier)));
    for (lane_mask m = partners & ~lanes; m != 0; m &= m - 1) masks[__builtin_ctz(m)] &= ~lanes;
    note_progress();
    barriers_changed(w);
    defer(lanes, first.next);
    return true;
}

/// Whether other groups continue in place of the executing one. If the executing group may wait for
/// lanes at a convergence barrier, these are released.
/// @param yields  how much this counts for
bool machine_control::gives_way(warp& w, const operation* next, unsigned yields, bool sleeps) {
    yields_ += yields;
    if (yields_ >= few_yields && !blocked_.empty()) {
        bool circles = sleeps || yields_ >= many_yields;
        if (!circles) {
            w.next = next;
            const std::uint64_t now = w.state();
            circles = std::find(states_.begin(), states_.end(), now) != states_.end();
            states_.push_back(now);
        }
        if (circles) leave_oldest_barrier(w);
    }
    return !ready_.empty();
}

warp_control::progress machine_control::yield_groups(warp& w, bool sleeps) {
    constexpr unsigned sleep = few_yields / 2;
    if (!sleeps || !gives_way(w, w.next, sleep, true)) return progress::moves;
    const group next = ready_.back();
    ready_.pop_back();
    ready_.insert(ready_.begin(), {w.active, w.next});
    w.active = next.lanes;
    w.next = next.next;
    branches_ = 0;
    return progress::passed;
}

std::vector<warp_control::barrier_group> machine_control::lanes_at_barriers(const warp&) const {
    std::vector<barrier_group> groups;
    for (const blocked_group& b : blocked_)
        if (b.barrier == barrier_of(barrier_match::block_barrier))
            groups.push_back({b.lanes, b.next, frame_.get()});
    return groups;
}

void machine_control::pass_barrier(const barrier_group& arrived, const operation* at) {
    blocked_.erase(std::find_if(blocked_.begin(), blocked_.end(), [&](const blocked_group& b) {
        return (b.lanes & arrived.lanes) != 0;
    }));
    defer(arrived.lanes, at);
}

const operation* machine_control::yield(warp& w, const operation* next, unsigned yields) {
    if (!gives_way(w, next, yields, false)) return w.continue_at(next);
    const auto there =
        std::find_if(ready_.begin(), ready_.end(), [&](const group& g) { return g.next == next; });
    if (there != ready_.end())
        there->lanes |= w.active;
    else
        ready_.insert(ready_.begin(), {w.active, next});
    return next_group(w);
}

}  // namespace simtlm::execution
