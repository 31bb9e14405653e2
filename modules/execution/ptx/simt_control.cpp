// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/simt_control.h"

#include "modules/execution/ptx/control.h"
#include "modules/execution/state/collectives.h"
#include "modules/execution/state/program_image.h"
#include "modules/execution/state/thread_block.h"
#include "modules/execution/state/warp.h"

#include <algorithm>
#include <cstring>
#include <utility>

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
    w.exchanged = false;
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
    constexpr unsigned max_branches = 16;
    const operation* op = w.code + e.pc;
    for (unsigned branches = 0; branches <= max_branches;) {
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

lane_mask simt_control::lanes_awaited_by_barriers(const warp& w) const {
    const auto& entries = stack.entries();
    lane_mask awaited = w.active, known = w.active;
    for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
        const lane_mask waiting = e->lanes & ~known;
        if (waiting != 0 && !only_exits(w, *e)) awaited |= waiting;
        known |= e->lanes;
    }
    return awaited;
}

std::vector<warp_control::barrier_group> simt_control::lanes_at_barriers(const warp& w) const {
    std::vector<barrier_group> groups;
    const auto& entries = stack.entries();
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        const simt_stack::entry& e = entries[i];
        if (e.waits == simt_stack::waiting::at_barrier && e.lanes != 0)
            groups.push_back({e.lanes, w.code + e.pc + 1, frames[e.frame].get()});
    }
    return groups;
}

void simt_control::pass_barrier(const barrier_group& group, const operation* at) {
    const auto moved = static_cast<std::uint64_t>(at - group.next);
    stack.pass_barrier(group.lanes, moved + 1);
}

void simt_control::deepen(std::size_t frame) {
    while (frames.size() <= frame) {
        frames.emplace_back();
        sizes.push_back(0);
        local_bases.push_back(0);
        local_tops.push_back(0);
    }
}

void simt_control::take_up(warp& w) const {
    const simt_stack::entry& top = stack.top();
    w.active = top.lanes;
    w.banks[static_cast<unsigned>(bank::frame)] = frames[top.frame].get();
    w.local_base = local_bases[top.frame];
    w.exchanged = top.exchanged;
}

const operation* simt_control::resume(warp& w) {
    if (stack.done()) return w.end();
    take_up(w);
    w.quantum = std::min(w.quantum, branches_per_quantum);
    return w.continue_at(w.code + stack.top().pc);
}

namespace {

/// Rows of simt_control's exchange buffer: a guard that is true for all lanes, then the operands of
/// collective_operands in their order.
constexpr std::uint32_t exchange_row = 256;
constexpr std::uint32_t exchange_rows = collective_operands::count + 1;
constexpr operand_ref exchange_ref(unsigned operand) {
    return exchange_row * (operand + 1);
}

/// The operand of an operand of a collective operation: four sources, then two results.
operand_ref& operand_of(operation& op, unsigned n) {
    constexpr unsigned sources = 4;
    return n < sources ? op.source[n] : n == sources ? op.destination : op.destination2;
}
operand_ref operand_of(const operation& op, unsigned n) {
    operation copy = op;
    return operand_of(copy, n);
}

void copy_lanes(std::byte* to, const std::byte* from, collective_operands::kind kind,
                lane_mask lanes) {
    if (kind == collective_operands::mask) {
        lane_mask old = 0, value = 0;
        std::memcpy(&old, to, sizeof old);
        std::memcpy(&value, from, sizeof value);
        value = (value & lanes) | (old & ~lanes);
        std::memcpy(to, &value, sizeof value);
        return;
    }
    const std::size_t bytes = kind == collective_operands::double_words ? 8 : 4;
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::size_t at = static_cast<unsigned>(__builtin_ctz(lanes)) * bytes;
        std::memcpy(to + at, from + at, bytes);
    }
}

}  // namespace

bool simt_control::exchange(warp& w) {
    const simt_stack::entry& top = stack.top();
    const handler kind = w.code[top.pc + 1].execute;
    std::vector<const simt_stack::entry*> groups;
    lane_mask named = top.members, arrived = 0;
    // Groups with lanes that others name take part, and so do those that they name.
    const auto takes_part = [&](const simt_stack::entry& e) {
        return e.waits == simt_stack::waiting::for_members && e.lanes != 0 &&
               w.code[e.pc + 1].execute == kind && (e.members & named) != 0;
    };
    for (lane_mask before = 0; before != named;) {
        before = named;
        groups.clear();
        arrived = 0;
        for (const simt_stack::entry& e : stack.entries()) {
            if (!takes_part(e)) continue;
            groups.push_back(&e);
            named |= e.members;
            arrived |= e.lanes;
        }
    }
    if ((named & lanes_awaited_by_barriers(w) & ~arrived) != 0) return false;
    const operation& gathers = w.code[top.pc];
    if (gathers.immediate == collective_operands::whole_warp && groups.size() > 1)
        w.block->fail(w, &gathers + 1, static_cast<unsigned>(__builtin_ctz(top.lanes)),
                      "lanes of a warp come to it in different branches or calls",
                      "let all lanes of the warp execute it together");
    const bool has_results = gathers.immediate > 0;
    if (has_results) compute_exchange(w, groups);
    stack.release(takes_part, has_results);
    return true;
}

void simt_control::compute_exchange(warp& w, const std::vector<const simt_stack::entry*>& groups) {
    if (exchange_ == nullptr) exchange_ = make_lane_buffer(exchange_row * exchange_rows);
    std::byte* const rows = exchange_.get();
    std::byte*& frame = w.banks[static_cast<unsigned>(bank::frame)];
    std::byte* const own_frame = frame;
    const lane_mask own_lanes = w.active;
    const collective_operands kinds(w.code[groups.front()->pc].immediate);
    lane_mask lanes = 0;
    for (const simt_stack::entry* e : groups) {
        const operation& op = w.code[e->pc + 1];
        frame = frames[e->frame].get();
        for (unsigned n = 0; n < collective_operands::sources; ++n)
            if (kinds.of(n) != collective_operands::none)
                copy_lanes(rows + exchange_ref(n), w.at(operand_of(op, n)), kinds.of(n), e->lanes);
        lanes |= e->lanes;
    }
    operation together = w.code[groups.front()->pc + 1];
    together.guard = frame_layout::always;
    together.guard_flip = 0;
    for (unsigned n = 0; n < collective_operands::count; ++n)
        operand_of(together, n) =
            kinds.of(n) == collective_operands::none ? no_operand : exchange_ref(n);
    std::memcpy(rows + frame_layout::always, &all_lanes, sizeof all_lanes);
    frame = rows;
    w.active = lanes;
    w.exchanged = false;
    together.execute(w, &together);
    frame = own_frame;
    w.active = own_lanes;
}

const operation* simt_control::take_exchanged(warp& w, const operation* op) {
    const collective_operands kinds((op - 1)->immediate);
    const lane_mask lanes = w.lanes_of(op);
    for (unsigned n = collective_operands::sources; n < collective_operands::count; ++n)
        if (kinds.of(n) != collective_operands::none && operand_of(*op, n) != no_operand)
            copy_lanes(w.at(operand_of(*op, n)), exchange_.get() + exchange_ref(n), kinds.of(n),
                       lanes);
    stack.use_result();
    w.exchanged = false;
    return op + 1;
}

std::uint64_t simt_control::state_of_callers(const warp& w) const {
    std::uint64_t h = 0;
    for (const simt_stack::entry& e : stack.entries()) {
        if (!e.is_call || (e.lanes & w.active) == 0) continue;
        h = hash_words(h, frames[e.caller].get(), sizes[e.caller]);
    }
    return h;
}

warp_control::progress simt_control::yield_groups(warp& w, bool sleeps) {
    const std::uint64_t now = w.state();
    if (std::exchange(last_active_, w.active) != w.active) branches_ = 0;
    const bool is_new = std::find(states_.begin(), states_.end(), now) == states_.end();
    branches_ += w.block->sm_holds_barriers ? timed_branches_per_quantum : branches_per_quantum;
    if (!sleeps && is_new && branches_ < retry_limit) {
        states_[next_state_++ % remembered] = now;
        return progress::moves;
    }
    branches_ = 0;
    if (!independent_ || !stack.yield_group(w.pc_of(w.next)))
        return sleeps ? progress::moves : progress::circles;
    states_.fill(0);
    take_up(w);
    w.next = w.code + stack.top().pc;
    return progress::passed;
}

}  // namespace simtlm::execution
