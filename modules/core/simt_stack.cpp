// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_stack.h"

#include <algorithm>

namespace simtlm::core {

void simt_stack::launch(std::uint64_t pc, lane_mask lanes) {
    entries_.clear();
    entries_.push_back({pc, no_pc, lanes, false});
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
        // The lanes that fall through are the first to be put on the stack, and so the last to go.
        std::stable_partition(groups.begin(), groups.end(),
                              [&](const group& g) { return g.pc == fall_through; });
        const std::uint64_t meet = how.reconvergence_pc;
        const bool is_call = top.is_call;
        if (meet == top.reconvergence_pc && !is_call)
            entries_.pop_back();  // the entry below is where they meet
        else
            top.pc = meet;
        for (const group& g : groups)
            if (g.pc != meet) entries_.push_back({g.pc, meet, g.lanes, false});
    }
    settle();
}

void simt_stack::advance(std::uint64_t next_pc, lane_mask exited) {
    end(exited & active());
    entries_.back().pc = next_pc;
    settle();
}

void simt_stack::call(const std::array<std::uint64_t, 32>& target, std::uint64_t return_pc) {
    entry& caller = entries_.back();
    caller.pc = return_pc;
    for (const group& g : groups_of(target, caller.lanes))
        entries_.push_back({g.pc, no_pc, g.lanes, true});
}

void simt_stack::return_from_call() {
    const lane_mask lanes = active();
    const auto frame =
        std::find_if(entries_.rbegin(), entries_.rend(), [](const entry& e) { return e.is_call; });
    if (frame == entries_.rend())
        end(lanes);
    else
        for (auto e = entries_.rbegin(); e != std::next(frame); ++e) e->lanes &= ~lanes;
    settle();
}

}  // namespace simtlm::core
