// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/fetch_stage.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

fetch_stage::fetch_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots, client& sm)
    : context_(slots),
      sm_(sm),
      l0_(slots.timing.l0i),
      slots_(slots.size()),
      generation_(slots.size(), 0),
      decoding_((slots.timing.decode_cycles + 1) * slots.timing.fetch_width),
      fetch_process_("fetch", sequencer, protocol::phase::core_front_end,
                     simulation::on_edge<&fetch_stage::fetch>(this)) {}

void fetch_stage::warp_starts(unsigned slot, std::uint64_t from) {
    slots_[slot] = slot_state();
    slots_[slot].fetch_from = from;
    delayed_ |= slot_bit(slot);
    in_decode_ &= ~slot_bit(slot);
    ++generation_[slot];
    note_space(slot);
}

// ---- instruction buffers -----------------------------------------------------------------------

slot_mask fetch_stage::decode(std::uint64_t now) {
    slot_mask filled = 0;
    do {
        const decoding d = decoding_.pop();
        if (d.generation != generation_[d.slot]) continue;  // flushed
        slot_state& s = slots_[d.slot];
        if (--s.in_decode == 0) in_decode_ &= ~slot_bit(d.slot);
        s.buffer[(s.first + s.count) % max_buffered] = d.code;
        ++context_.statistics.decoded;
        if (s.count++ == 0) filled |= slot_bit(d.slot);
    } while (next_decode() <= now);
    context_.valid |= filled;
    return filled;
}

const program::dynamic_instruction& fetch_stage::take(unsigned slot) {
    slot_state& s = slots_[slot];
    const program::dynamic_instruction& code = *s.buffer[s.first];
    s.first = static_cast<std::uint8_t>((s.first + 1) % max_buffered);
    if (--s.count == 0) context_.valid &= ~slot_bit(slot);
    return code;
}

void fetch_stage::follow(unsigned slot, std::uint64_t now) {
    slot_state& s = slots_[slot];
    warp_state& warp = context_.warps.warp[context_.warp_of(slot)];
    if (warp.executor == nullptr) {
        if (!s.branch_ahead || s.count != 0 || s.in_decode != 0) return;
        s.branch_ahead = false;
    } else {
        const program::dynamic_instruction* next = warp.code.empty() ? nullptr : warp.code.next;
        if (s.count != 0) {
            next = head(slot);
        } else if (s.in_decode != 0) {
            for (std::size_t k = 0; k < decoding_.size(); ++k)
                if (decoding_[k].slot == slot && decoding_[k].generation == generation_[slot]) {
                    next = decoding_[k].code;
                    break;
                }
        }
        if (next == warp.resolved_path.next) return;
        flush(slot);
        warp.code = warp.resolved_path;
    }
    s.fetch_from = now + context_.timing.branch_redirect;
    delayed_ |= slot_bit(slot);
    ++context_.stages.redirects;
}

void fetch_stage::flush(unsigned slot) {
    slot_state& s = slots_[slot];
    s.first = s.count = s.in_decode = 0;
    s.missed = s.branch_ahead = false;
    in_decode_ &= ~slot_bit(slot);
    ++generation_[slot];
    context_.valid &= ~slot_bit(slot);
}

// ---- fetch -------------------------------------------------------------------------------------

void fetch_stage::note_space(unsigned slot) {
    const slot_state& s = slots_[slot];
    const bool room = (context_.live & slot_bit(slot)) != 0 && !s.missed && !s.branch_ahead &&
                      s.count + s.in_decode < context_.timing.instruction_buffer &&
                      !context_.warps.warp[context_.warp_of(slot)].code.empty();
    wants_fetch_ = room ? wants_fetch_ | slot_bit(slot) : wants_fetch_ & ~slot_bit(slot);
    if (room) fetch_process_.wake();
}

void fetch_stage::fetch() {
    if (!context_.running.running()) {
        fetch_process_.sleep();
        return;
    }
    const std::uint64_t now = fetch_process_.now();
    std::uint64_t next = never;
    for (slot_mask m = wants_fetch_ & delayed_; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        if (slots_[slot].fetch_from <= now)
            delayed_ &= ~slot_bit(slot);
        else
            next = std::min(next, slots_[slot].fetch_from);
    }
    const slot_mask candidates = wants_fetch_ & ~delayed_;
    // Nothing to issue, and no fetch in flight.
    const slot_mask starved = candidates & ~context_.valid & ~in_decode_;
    if (candidates == 0) {
        if (next == never)
            fetch_process_.sleep();
        else
            fetch_process_.sleep_until(next);
        return;
    }
    const issue_scheduler& scheduler = context_.scheduler;
    const int last = scheduler.last();
    const bool follow = last >= 0 && (candidates & slot_bit(static_cast<unsigned>(last))) != 0;
    const unsigned slot = starved != 0 ? scheduler.youngest(starved)
                          : follow     ? static_cast<unsigned>(last)
                                       : scheduler.youngest(candidates);
    const std::uint64_t line = l0_.line_of(next_address(slot));
    for (unsigned n = 0; n < context_.timing.fetch_width; ++n) {
        if (!fetch_for(slot, now)) break;
        note_space(slot);
        if ((wants_fetch_ & slot_bit(slot)) == 0 || l0_.line_of(next_address(slot)) != line) break;
    }
    note_space(slot);
}

/// Address of the next instruction to be fetched for a warp. PTX instructions are laid out in
/// memory like machine instructions.
std::uint64_t fetch_stage::next_address(unsigned slot) const {
    constexpr std::uint64_t program_start = 0xF0000000;  // as in the SIMT pipeline
    const program::static_instruction& i =
        *context_.warps.warp[context_.warp_of(slot)].code.next->info;
    return (i.code_bytes < machine_code_bytes ? i.pc * 2 : i.pc) + program_start;
}

bool fetch_stage::fetch_for(unsigned slot, std::uint64_t now) {
    slot_state& s = slots_[slot];
    warp_state& warp = context_.warps.warp[context_.warp_of(slot)];
    const program::dynamic_instruction& code = *warp.code.next;
    const l0_instruction_cache::answer answer = l0_.fetch(next_address(slot));
    if (l0_.has_request()) sm_.wants_line(context_.number);
    if (answer == l0_instruction_cache::answer::miss) {
        s.missed = true;
        context_.issue->wake();  // to count a different reason
        return false;
    }
    ++warp.code.next;
    ++s.in_decode;
    in_decode_ |= slot_bit(slot);
    const std::uint64_t decoded = now + context_.timing.decode_cycles;
    decoding_.push({decoded, &code, static_cast<std::uint8_t>(slot), generation_[slot]});
    if (!context_.issue->awake()) context_.issue->wake_at(decoded);
    if (warp.executor == nullptr && !warp.code.empty() &&
        warp.code.next->info->pc != code.info->pc + code.info->code_bytes)
        s.branch_ahead = true;
    return true;
}

void fetch_stage::line_arrived(std::uint64_t line) {
    l0_.arrived(line);
    for (slot_mask m = context_.live; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        if (!slots_[slot].missed) continue;
        slots_[slot].missed = false;
        note_space(slot);
        context_.issue->wake();
    }
}

}  // namespace simtlm::core::sub_core_pipeline
