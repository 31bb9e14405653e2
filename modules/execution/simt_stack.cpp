// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/simt_stack.h"

#include <algorithm>
#include <iterator>

namespace simtlm::execution {

void simt_stack::launch(std::uint64_t pc, lane_mask lanes) {
    entries_.clear();
    entries_.push_back({pc, no_pc, lanes});
    settle();
}

std::vector<simt_stack::group> simt_stack::groups_of(const std::array<std::uint64_t, 32>& pc,
                                                     lane_mask lanes) {
    std::vector<group> groups;
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
        const auto same = std::find_if(groups.begin(), groups.end(),
                                       [&](const group& g) { return g.pc == pc[lane]; });
        if (same != groups.end())
            same->lanes |= lane_mask{1} << lane;
        else
            groups.push_back({pc[lane], lane_mask{1} << lane});
    }
    return groups;
}

void simt_stack::end(lane_mask lanes) {
    for (entry& e : entries_) e.lanes &= ~lanes;
}

void simt_stack::settle() {
    const auto over = [](const entry& e) {
        return e.lanes == 0 || (e.reconvergence_pc != no_pc && e.pc == e.reconvergence_pc);
    };
    while (!entries_.empty() && over(entries_.back())) entries_.pop_back();
}

void simt_stack::advance(const outcome& how, std::uint64_t fall_through) {
    end(how.exited & active());
    entry& top = entries_.back();
    std::vector<group> groups = groups_of(how.next_pc, top.lanes);
    if (groups.size() == 1) top.pc = groups[0].pc;
    if (groups.size() > 1) {
        // The lanes that fall through are pushed first, and therefore execute last.
        std::stable_partition(groups.begin(), groups.end(),
                              [&](const group& g) { return g.pc == fall_through; });
        const std::uint64_t meet = how.reconvergence_pc;
        const bool is_call = top.is_call;
        const std::uint32_t depth = top.call_depth;
        if (meet == top.reconvergence_pc && !is_call)
            entries_.pop_back();  // they reconverge in the entry below
        else
            top.pc = meet;
        for (const group& g : groups)
            if (g.pc != meet) entries_.push_back({g.pc, meet, g.lanes, false, depth});
    }
    settle();
}

void simt_stack::advance(std::uint64_t next_pc, lane_mask exited) {
    end(exited & active());
    entries_.back().pc = next_pc;
    settle();
}

void simt_stack::branch(lane_mask takers, std::uint64_t target, std::uint64_t fall_through,
                        std::uint64_t meet) {
    entry& top = entries_.back();
    const lane_mask others = top.lanes & ~takers;
    const std::uint32_t depth = top.call_depth;
    if (meet == top.reconvergence_pc && !top.is_call)
        entries_.pop_back();  // they reconverge in the entry below
    else
        top.pc = meet;
    // The lanes that fall through execute last.
    if (fall_through != meet) entries_.push_back({fall_through, meet, others, false, depth});
    if (target != meet) entries_.push_back({target, meet, takers, false, depth});
}

bool simt_stack::meet(std::uint64_t at) {
    if (entries_.back().reconvergence_pc != at) return false;
    entries_.back().pc = at;
    settle();
    return true;
}

bool simt_stack::wait_for_others(std::uint64_t pc, waiting how) {
    entry top = entries_.back();
    if (top.is_call) return false;
    entries_.pop_back();
    top.pc = pc;
    top.waits = how;
    std::size_t first = entries_.size();  // groups diverged from this one, down to their origin
    lane_mask known = top.lanes;
    while (first > 0) {
        const entry& e = entries_[first - 1];
        const bool beside = e.call_depth == top.call_depth && !e.is_call && (e.lanes & known) == 0;
        if (!beside) break;
        known |= e.lanes;
        --first;
    }
    const auto same_place = [&](const entry& e) { return e.waits != waiting::no && e.pc == pc; };
    const auto groups = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    for (auto e = groups; e != entries_.end(); ++e)
        if (same_place(*e)) join(top, *e);
    entries_.erase(std::remove_if(groups, entries_.end(), same_place), entries_.end());
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto last = std::make_reverse_iterator(begin);
    const auto find = [&](waiting w) {
        return std::find_if(std::make_reverse_iterator(entries_.end()), last,
                            [w](const entry& e) { return e.waits == w && e.lanes != 0; });
    };
    auto next = find(waiting::no);
    if (next == last && how == waiting::at_barrier) next = find(waiting::for_members);
    const bool found = next != last;
    if (found) std::rotate(std::prev(next.base()), next.base(), entries_.end());
    entries_.insert(found ? std::prev(entries_.end()) : entries_.end(), top);
    return found;
}

/// The first entry of the current function call.
std::size_t simt_stack::begin_of_frame() const {
    std::size_t first = entries_.size() - 1;
    while (first > 0 && !entries_[first].is_call) --first;
    return first;
}

/// Merges another group at the same place into a group. If its reconvergence point was different
/// (let_others_run), it is replaced by that of the group.
void simt_stack::join(entry& to, const entry& other) {
    if (other.reconvergence_pc != to.reconvergence_pc) {
        const lane_mask mine = to.lanes, theirs = other.lanes;
        for (std::size_t i = begin_of_frame(); i < entries_.size(); ++i) {
            lane_mask& lanes = entries_[i].lanes;
            if (&entries_[i] == &other) continue;
            lanes = (lanes & mine) == mine ? lanes | theirs : lanes & ~theirs;
        }
    }
    to.lanes |= other.lanes;
}

bool simt_stack::let_others_run(std::uint64_t pc) {
    entries_.back().pc = pc;
    for (std::size_t i = begin_of_frame(); i + 1 < entries_.size(); ++i) {
        const entry& e = entries_[i];
        lane_mask ahead = 0;
        for (std::size_t k = i + 1; k < entries_.size(); ++k) ahead |= entries_[k].lanes;
        const lane_mask others = e.lanes & ~ahead;
        if (others == 0 || e.pc == no_pc || e.waits == waiting::at_barrier) continue;
        const entry by_themselves{e.pc, e.reconvergence_pc, others, false, e.call_depth};
        entries_[i].lanes &= ~others;
        if (entries_[i].lanes == 0 && !e.is_call)
            entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
        entries_.push_back(by_themselves);
        return true;
    }
    return false;
}

void simt_stack::exit(lane_mask lanes, std::uint64_t next_pc) {
    end(lanes);
    entries_.back().pc = next_pc;
    settle();
}

void simt_stack::call(const std::array<std::uint64_t, 32>& target, std::uint64_t return_pc,
                      std::uint64_t call_site) {
    entries_.back().pc = return_pc;
    const std::uint32_t depth = entries_.back().call_depth + 1;
    for (const group& g : groups_of(target, entries_.back().lanes))
        entries_.push_back({g.pc, no_pc, g.lanes, true, depth, call_site});
}

void simt_stack::return_from_call(lane_mask lanes, std::uint64_t next_pc) {
    entries_.back().pc = next_pc;
    const auto frame =
        std::find_if(entries_.rbegin(), entries_.rend(), [](const entry& e) { return e.is_call; });
    if (frame == entries_.rend())
        end(lanes);
    else
        for (auto e = entries_.rbegin(); e != std::next(frame); ++e) e->lanes &= ~lanes;
    settle();
}

}  // namespace simtlm::execution
