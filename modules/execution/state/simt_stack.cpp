// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/simt_stack.h"

#include <algorithm>
#include <iterator>

namespace simtlm::execution {

void simt_stack::launch(std::uint64_t pc, lane_mask lanes) {
    entries_.clear();
    entries_.push_back({pc, no_pc, lanes});
    pop_completed();
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

void simt_stack::pop_completed() {
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
        const std::uint64_t reconverge = how.reconvergence_pc;
        const entry diverging = top;
        if (reconverge == top.reconvergence_pc && !top.is_call)
            entries_.pop_back();  // they reconverge in the entry below
        else
            top.pc = reconverge;
        for (const group& g : groups)
            if (g.pc != reconverge) push(g.pc, reconverge, g.lanes, diverging);
    }
    pop_completed();
}

void simt_stack::advance(std::uint64_t next_pc, lane_mask exited) {
    end(exited & active());
    entries_.back().pc = next_pc;
    pop_completed();
}

void simt_stack::branch(lane_mask takers, std::uint64_t target, std::uint64_t fall_through,
                        std::uint64_t reconverge) {
    entry& top = entries_.back();
    const lane_mask others = top.lanes & ~takers;
    const entry diverging = top;
    if (reconverge == top.reconvergence_pc && !top.is_call)
        entries_.pop_back();  // they reconverge in the entry below
    else
        top.pc = reconverge;
    // The lanes that fall through execute last.
    if (fall_through != reconverge) push(fall_through, reconverge, others, diverging);
    if (target != reconverge) push(target, reconverge, takers, diverging);
}

/// Pushes a group in the same call as another one.
void simt_stack::push(std::uint64_t pc, std::uint64_t reconverge, lane_mask lanes,
                      const entry& beside) {
    entries_.push_back({pc, reconverge, lanes, false, beside.call_depth});
    entries_.back().frame = beside.frame;
}

bool simt_stack::reconverge(std::uint64_t at) {
    if (entries_.back().reconvergence_pc != at) return false;
    entries_.back().pc = at;
    pop_completed();
    return true;
}

bool simt_stack::suspend_group(std::uint64_t pc, waiting how, lane_mask members) {
    entry top = entries_.back();
    if (top.is_call) return false;
    entries_.pop_back();
    top.pc = pc;
    top.waits = how;
    top.members = members;
    std::size_t first = entries_.size();  // groups diverged from this one, down to their origin
    lane_mask known = top.lanes;
    while (first > 0) {
        const entry& e = entries_[first - 1];
        const bool beside = e.frame == top.frame && e.call_depth == top.call_depth && !e.is_call &&
                            (e.lanes & known) == 0;
        if (!beside) break;
        known |= e.lanes;
        --first;
    }
    const auto same_place = [&](const entry& e) { return e.waits != waiting::no && e.pc == pc; };
    const auto groups = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    for (auto e = groups; e != entries_.end(); ++e)
        if (same_place(*e)) join(top, *e);
    entries_.erase(std::remove_if(groups, entries_.end(), same_place), entries_.end());
    entries_.push_back(top);
    if (raise_if(first, [](const entry& e) { return e.waits == waiting::no; })) return true;
    return how == waiting::at_barrier &&
           raise_if(first, [](const entry& e) { return e.waits == waiting::for_members; });
}

/// Makes a group active that `suits`: the one nearest to the top, not counting the top itself,
/// among the entries from `first` on. @return false if there is none
template <class Suits>
bool simt_stack::raise_if(std::size_t first, Suits&& suits) {
    lane_mask above = entries_.back().lanes;
    for (std::size_t i = entries_.size() - 1; i-- > first;) {
        const entry& e = entries_[i];
        if (e.lanes != 0 && (e.lanes & above) == 0 && e.pc != no_pc && suits(e)) {
            raise(i);
            return true;
        }
        above |= e.lanes;
    }
    return false;
}

/// Makes a group active. Groups that have diverged from the same one lie above it, each together
/// with the groups that have diverged from it. Those with the active group move to the top; thus
/// every group remains above those from which it has diverged.
void simt_stack::raise(std::size_t group) {
    const lane_mask lanes = entries_[group].lanes;
    std::size_t first = 0;
    for (;;) {
        std::size_t root = first;  // of the groups among which it is, from `first` on
        while ((entries_[root].lanes & lanes) == 0) ++root;
        std::size_t end = root + 1;
        while (end < entries_.size() && (entries_[end].lanes & ~entries_[root].lanes) == 0) ++end;
        const auto at = [&](std::size_t i) {
            return entries_.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::rotate(at(root), at(end), entries_.end());
        const std::size_t moved = entries_.size() - end;
        const bool found = root == group;
        group += moved;
        first = root + moved + 1;
        if (found) break;
    }
    entries_.resize(group + 1);  // groups without lanes
}

void simt_stack::wait_for_members(std::uint64_t pc, lane_mask members) {
    entry& top = entries_.back();
    top.pc = pc;
    top.waits = waiting::for_members;
    top.members = members;
}

void simt_stack::wait_at_barrier(std::uint64_t pc) {
    entries_.back().pc = pc;
    entries_.back().waits = waiting::at_barrier;
}

void simt_stack::pass_barrier(lane_mask group, std::uint64_t by) {
    for (entry& e : entries_) {
        if (e.waits != waiting::at_barrier || e.lanes != group) continue;
        e.pc += by;
        e.waits = waiting::no;
    }
}

bool simt_stack::run_elsewhere() {
    interleaved_ = true;
    const auto runs = [](const entry& e) { return e.waits == waiting::no; };
    while (raise_if(0, runs) || raise_returned()) {
        pop_completed();
        if (runs(entries_.back())) return true;
    }
    return false;
}

/// Lanes that have returned from a call wait in their caller for the others of the call. Those
/// nearest to the top continue without them. @return false if there are none
bool simt_stack::raise_returned() {
    lane_mask above = entries_.back().lanes;
    for (std::size_t i = entries_.size() - 1; i-- > 0;) {
        entry& e = entries_[i];
        const lane_mask returned = e.lanes & ~above;
        if (returned != 0 && entries_[i + 1].is_call && e.pc != no_pc) {
            entry alone = e;
            alone.lanes = returned;
            alone.is_call = false;
            // A called function remains below all of its lanes until they return.
            const std::size_t at = e.is_call ? i + 1 : i;
            if (!e.is_call) e.lanes &= ~returned;
            entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), alone);
            raise(at);
            return true;
        }
        above |= e.lanes;
    }
    return false;
}

/// The first entry of the current function call.
std::size_t simt_stack::begin_of_frame() const {
    std::size_t first = entries_.size() - 1;
    const lane_mask lanes = entries_[first].lanes;
    while (first > 0 && !(entries_[first].is_call && (entries_[first].lanes & lanes) != 0)) --first;
    return first;
}

/// Merges another group at the same place into a group. If its reconvergence point was different
/// (yield_group), it is replaced by that of the group.
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
    to.members |= other.members;
}

bool simt_stack::yield_group(std::uint64_t pc) {
    entries_.back().pc = pc;
    // Those that wait for members only if there are no others: the members may be among these.
    return raise_waiting(waiting::no) || raise_waiting(waiting::for_members) ||
           let_other_calls_run() || run_elsewhere();
}

bool simt_stack::let_other_calls_run() {
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
        const entry& e = entries_[i];
        lane_mask above = 0;
        for (std::size_t k = i + 1; k < entries_.size(); ++k) above |= entries_[k].lanes;
        if (e.lanes == 0 || (e.lanes & above) != 0 || e.pc == no_pc || e.waits != waiting::no)
            continue;
        interleaved_ = true;
        raise(i);
        pop_completed();
        return true;
    }
    return false;
}

bool simt_stack::raise_waiting(waiting how) {
    for (std::size_t i = begin_of_frame(); i + 1 < entries_.size(); ++i) {
        const entry& e = entries_[i];
        lane_mask ahead = 0;
        for (std::size_t k = i + 1; k < entries_.size(); ++k) ahead |= entries_[k].lanes;
        const lane_mask others = e.lanes & ~ahead;
        if (others == 0 || e.pc == no_pc || e.waits != how) continue;
        entry by_themselves{e.pc, e.reconvergence_pc, others, false, e.call_depth};
        by_themselves.frame = e.frame;
        by_themselves.exchanged = e.exchanged;
        // A called function remains below all of its lanes until they return.
        if (!e.is_call) entries_[i].lanes &= ~others;
        if (entries_[i].lanes == 0)
            entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
        entries_.push_back(by_themselves);
        return true;
    }
    return false;
}

void simt_stack::exit(lane_mask lanes, std::uint64_t next_pc) {
    end(lanes);
    entries_.back().pc = next_pc;
    pop_completed();
}

void simt_stack::call(const std::array<std::uint64_t, 32>& target, std::uint64_t return_pc,
                      std::uint64_t call_site) {
    entries_.back().pc = return_pc;
    if (entries_.size() == 1) interleaved_ = false;
    const entry caller = entries_.back();
    for (const group& g : groups_of(target, caller.lanes)) {
        entries_.push_back({g.pc, no_pc, g.lanes, true, caller.call_depth + 1, call_site});
        entries_.back().frame = entries_.back().caller = caller.frame;
    }
}

std::uint32_t simt_stack::begin_call() {
    entry& call = entries_.back();
    call.frame = call.call_depth;
    const auto is_used = [&](std::uint32_t frame) {
        return std::any_of(entries_.begin(), std::prev(entries_.end()), [frame](const entry& e) {
            return e.lanes != 0 && (e.frame == frame || e.caller == frame);
        });
    };
    if (interleaved_)
        for (call.frame = 1; is_used(call.frame);) ++call.frame;
    return call.frame;
}

const simt_stack::entry& simt_stack::innermost_call() const {
    const lane_mask lanes = active();
    return *std::find_if(entries_.rbegin(), entries_.rend(),
                         [lanes](const entry& e) { return e.is_call && (e.lanes & lanes) != 0; });
}

void simt_stack::return_from_call(lane_mask lanes, std::uint64_t next_pc) {
    entries_.back().pc = next_pc;
    const auto frame = std::find_if(entries_.rbegin(), entries_.rend(), [lanes](const entry& e) {
        return e.is_call && (e.lanes & lanes) != 0;
    });
    if (frame == entries_.rend())
        end(lanes);
    else
        for (auto e = entries_.rbegin(); e != std::next(frame); ++e) e->lanes &= ~lanes;
    pop_completed();
}

}  // namespace simtlm::execution
