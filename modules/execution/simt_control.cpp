// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/simt_control.h"

#include "modules/execution/operations/control.h"
#include "modules/execution/program_image.h"
#include "modules/execution/warp.h"

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

void simt_control::start(warp& w, const kernel_image& kernel) {
    deepen(0);
    if (sizes[0] != kernel.frame_bytes) {
        frames[0] = make_lane_buffer(kernel.frame_bytes);
        sizes[0] = kernel.frame_bytes;
    }
    std::byte* const registers = frames[0].get();
    std::memset(registers, 0, kernel.frame_bytes);
    std::memcpy(registers, &all_lanes, sizeof all_lanes);
    w.banks[static_cast<unsigned>(bank::frame)] = registers;
    w.local_base = 0;
    local_tops[0] = kernel.own_local;
    stack.launch(kernel.first, w.members);
}

lane_mask simt_control::live_lanes() const {
    lane_mask alive = 0;
    for (const simt_stack::entry& e : stack.entries()) alive |= e.lanes;
    return alive;
}

namespace {

/// Whether only the end of the kernel is left: a conditional return is a branch to the last
/// instruction, where its lanes wait for the others although hardware has ended them.
bool only_exits(const warp& w, const simt_stack::entry& e) {
    if (e.call_depth != 0 || e.pc == simt_stack::no_pc) return false;
    constexpr unsigned most_branches = 16;
    const operation* op = w.code + e.pc;
    for (unsigned branches = 0; branches <= most_branches;) {
        const bool always = op->guard == frame_layout::always && op->guard_flip == 0;
        if (op->execute == exit_thread || op->execute == return_from_function) return always;
        if (op->execute == branch && always) {
            op = w.code + op->source[0];
            ++branches;
        } else if (!op->counted) {
            ++op;
        } else {
            return false;
        }
    }
    return false;
}

}  // namespace

lane_mask simt_control::lanes_barriers_await(const warp& w) const {
    const auto& entries = stack.entries();
    lane_mask awaited = w.active, known = w.active;
    for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
        const lane_mask waiting = e->lanes & ~known;
        if (waiting != 0 && !only_exits(w, *e)) awaited |= waiting;
        known |= e->lanes;
    }
    return awaited;
}

void simt_control::deepen(std::size_t depth) {
    while (frames.size() <= depth) {
        frames.emplace_back();
        sizes.push_back(0);
        local_bases.push_back(0);
        local_tops.push_back(0);
    }
}

void simt_control::take_up(warp& w) const {
    const simt_stack::entry& top = stack.top();
    w.active = top.lanes;
    w.banks[static_cast<unsigned>(bank::frame)] = frames[top.call_depth].get();
    w.local_base = local_bases[top.call_depth];
}

const operation* simt_control::resume(warp& w) {
    if (stack.done()) return w.end();
    take_up(w);
    w.turn = std::min(w.turn, branches_per_turn);
    return w.go_on(w.code + stack.top().pc);
}

warp_control::progress simt_control::pass_turn(warp& w) {
    const std::uint64_t now = w.state();
    if (std::find(states_.begin(), states_.end(), now) == states_.end()) {
        states_[next_state_++ % remembered] = now;
        return progress::moves;
    }
    if (!independent_ || !stack.let_others_run(w.pc_of(w.next))) return progress::circles;
    states_.fill(0);
    take_up(w);
    w.next = w.code + stack.top().pc;
    return progress::passed;
}

}  // namespace simtlm::execution
