// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/dependence_unit.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

using program::scheduling_class;

void dependence_unit::warp_starts(unsigned slot) {
    slots_[slot] = slot_state();
    increments_.erase(std::remove_if(increments_.begin(), increments_.end(),
                                     [slot](const increment& i) { return i.slot == slot; }),
                      increments_.end());
}

void dependence_unit::issued(unsigned slot, const program::static_instruction& i, bool memory,
                             std::uint64_t now) {
    for (const std::uint8_t b : {i.control.write_barrier, i.control.read_barrier})
        if (b < dependence_counters::count)
            increments_.push_back({now, static_cast<std::uint8_t>(slot), b, memory});
}

void dependence_unit::apply_increments(std::uint64_t before) {
    std::size_t left = 0;
    for (const increment& i : increments_) {
        if (i.issued < before) {
            slot_state& s = slots_[i.slot];
            s.counters.increment(i.counter);
            if (i.memory) s.of_memory = static_cast<std::uint8_t>(s.of_memory | 1u << i.counter);
            refresh(i.slot);
        } else {
            increments_[left++] = i;
        }
    }
    increments_.resize(left);
}

void dependence_unit::decrement(unsigned slot, unsigned counter, std::uint64_t now) {
    apply_increments(now - 1);
    slot_state& s = slots_[slot];
    if (s.counters.decrement(counter))
        s.of_memory = static_cast<std::uint8_t>(s.of_memory & ~(1u << counter));
    else if (s.counters.value(counter) != s.forwarded[counter])
        return;
    refresh(slot);
    context_.issue->wake();
}

void dependence_unit::forward(unsigned slot, unsigned counter, std::uint64_t now) {
    apply_increments(now - 1);
    ++slots_[slot].forwarded[counter];
    refresh(slot);
    context_.issue->wake();
}

/// Whether an instruction waits for dependence counters. The tensor core forwards accumulators, so
/// that a matrix product does not wait until those of preceding products are written.
bool dependence_unit::waits_for_counters(unsigned slot,
                                         const program::static_instruction& i) const {
    const slot_state& s = slots_[slot];
    if (s.counters.ready(i.control.wait_mask)) return false;
    if (context_.class_of(i) != scheduling_class::mma) return true;
    for (unsigned b = 0; b < dependence_counters::count; ++b)
        if ((i.control.wait_mask >> b & 1u) != 0 && s.counters.value(b) > s.forwarded[b])
            return true;
    return false;
}

void dependence_unit::refresh(unsigned slot) {
    if ((context_.valid & slot_bit(slot)) == 0) return;
    const program::static_instruction& i = *buffers_.head(slot)->info;
    bool waits;
    if (context_.by_bits(i)) {
        waits = waits_for_counters(slot, i);
    } else {
        const unsigned w = context_.warp_of(slot);
        waits = context_.scores.collides(w, i);
        if (waits) context_.warps.scoreboard_blocked |= warp_bit(w);
    }
    context_.dependent =
        waits ? context_.dependent | slot_bit(slot) : context_.dependent & ~slot_bit(slot);
}

bool dependence_unit::full(unsigned slot, const program::static_instruction& i) const {
    for (const std::uint8_t b : {i.control.write_barrier, i.control.read_barrier})
        if (b < dependence_counters::count && slots_[slot].counters.full(b)) return true;
    return false;
}

warp_wait dependence_unit::wait_of(unsigned slot) const {
    const program::static_instruction& i = *buffers_.head(slot)->info;
    const bool memory = context_.by_bits(i)
                            ? (slots_[slot].of_memory & i.control.wait_mask) != 0
                            : context_.scores.waits_for_long_operation(context_.warp_of(slot), i);
    return memory ? warp_wait::memory : warp_wait::scoreboard;
}

std::string dependence_unit::why_waiting(unsigned slot) const {
    const program::static_instruction& i = *buffers_.head(slot)->info;
    if (!context_.by_bits(i)) return fmt::format("registers of {}", i.opcode);
    const dependence_counters& counters = slots_[slot].counters;
    std::string text;
    for (unsigned b = 0; b < dependence_counters::count; ++b)
        if ((i.control.wait_mask >> b & 1u) != 0 && counters.value(b) != 0)
            text += fmt::format("{}SB{} = {}", text.empty() ? "" : ", ", b, counters.value(b));
    return fmt::format("{} before {}", text, i.opcode);
}

}  // namespace simtlm::core::sub_core_pipeline
