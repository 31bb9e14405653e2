// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/front_end.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::simt_pipeline {

front_end::front_end(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const sm_config& config, const blocks& sm)
    : sc_module(name),
      icache("icache"),
      config_(config),
      sm_(sm),
      process_("process", sequencer, protocol::phase::core_front_end,
               simulation::on_edge<&front_end::cycle>(this)) {
    icache.register_nb_transport_bw(this, &front_end::respond, 0);
}

front_end::~front_end() {
    if (spare_ != nullptr) spare_->release();
}

tlm::tlm_sync_enum front_end::respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                      sc_core::sc_time&) {
    presented_ = &p;
    process_.wake();
    return tlm::TLM_ACCEPTED;
}

void front_end::cycle() {
    for (unsigned round = 0; round < config_.front_end.fetch_throughput; ++round) {
        if (fetched_ >= 0) decode();
        fetch();
    }
    if (fetched_ < 0 && presented_ == nullptr && sm_.warps.fetchable() == 0 && leaving() == 0)
        process_.sleep();
}

void front_end::decode() {
    const auto w = static_cast<unsigned>(fetched_);
    fetched_ = -1;
    warp_state& warp = sm_.warps.warp[w];
    if ((sm_.warps.done & warp_bit(w)) != 0) return sm_.warps.may_leave(w);  // ended meanwhile
    const program::dynamic_instruction* first = warp.code.next++;
    const program::dynamic_instruction* second =
        warp.code.next < warp.code.end ? warp.code.next++ : nullptr;
    warp.ibuffer.fill(first, second);
    if (warp.executor != nullptr && first != warp.resolved_path.next)
        sm_.warps.wrong_path |= warp_bit(w);
    const unsigned count = second != nullptr ? 2 : 1;
    warp.in_pipeline += count;
    sm_.statistics.decoded += count;
    sm_.warps.buffered |= warp_bit(w);
    sm_.warps.hazards_changed(w);
}

bool front_end::may_exit(unsigned w) const {
    const warp_state& warp = sm_.warps.warp[w];
    return warp.in_pipeline == 0 && warp.stores == 0 && warp.copies == 0 && warp.atomics == 0 &&
           (sm_.warps.fetching & warp_bit(w)) == 0 && fetched_ != static_cast<int>(w) &&
           !sm_.scores.writes_pending(w);
}

void front_end::fetch() {
    if (presented_ != nullptr) {
        tlm::tlm_generic_payload& p = *presented_;
        presented_ = nullptr;
        const unsigned w = protocol::extension(p).warp;
        sm_.warps.fetching &= ~warp_bit(w);
        sm_.warps.warp[w].last_fetch = process_.now();
        fetched_ = static_cast<int>(w);
        protocol::end_response(icache, p);
        p.release();
        return;
    }
    const warp_mask fetchable = sm_.warps.fetchable();
    const warp_mask candidates = fetchable | leaving();
    // Round robin from the warp after the one fetched last: first the warps above it, then the
    // others.
    const warp_mask above = last_ >= 63 ? 0 : candidates >> (last_ + 1) << (last_ + 1);
    for (warp_mask part : {above, candidates & ~above}) {
        for (; part != 0; part &= part - 1) {
            const unsigned w = static_cast<unsigned>(__builtin_ctzll(part));
            if ((fetchable & warp_bit(w)) != 0) {
                access(w);
                return;
            }
            sm_.warps.may_have_left &= ~warp_bit(w);
            if (may_exit(w)) sm_.owner.warp_exits(w);
        }
    }
}

tlm::tlm_generic_payload& front_end::request_for(unsigned w) {
    const warp_state& warp = sm_.warps.warp[w];
    const std::uint64_t pc = config_.quirks.fetch_past_branches && warp.executor == nullptr
                                 ? warp.fall_through_pc
                                 : warp.code.next->info->pc;
    const std::uint64_t address = pc + program_start;
    const unsigned line = config_.l1.instruction.line_bytes;
    const unsigned bytes =
        std::min<unsigned>(fetch_bytes, line - static_cast<unsigned>(address % line));
    if (spare_ == nullptr)
        spare_ = &sm_.transactions.acquire(tlm::TLM_READ_COMMAND, address, bytes,
                                           protocol::access_type::instruction_read);
    tlm::tlm_generic_payload& p = *spare_;
    p.set_address(address);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    protocol::memory_extension& e = protocol::extension(p);
    e.data_bytes = static_cast<std::uint16_t>(bytes);
    e.warp = static_cast<std::uint16_t>(w);
    sm_.identity.tag(e);
    e.when.created = protocol::hop_times::stamp(process_.now());
    e.located = false;
    sm_.identity.touches(address, protocol::request_order::by_fetch);
    return p;
}

void front_end::access(unsigned w) {
    last_ = w;
    tlm::tlm_generic_payload& p = request_for(w);
    ++probe_.fetches;
    probe_.warp = w;
    probe_.pc = sm_.warps.warp[w].code.next->info->pc;
    switch (protocol::begin_request(icache, p)) {
        case tlm::TLM_COMPLETED:
            ++probe_.hits;
            sm_.warps.warp[w].last_fetch = process_.now();
            fetched_ = static_cast<int>(w);
            break;
        case tlm::TLM_ACCEPTED:
            ++probe_.misses;
            sm_.warps.warp[w].last_fetch = process_.now();
            sm_.warps.fetching |= warp_bit(w);
            spare_ = nullptr;
            break;
        default:
            ++probe_.reservation_failures;  // retried in the next cycle
            break;
    }
}

}  // namespace simtlm::core::simt_pipeline
