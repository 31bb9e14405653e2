// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/ldst_unit.h"

#include "modules/core/simt_pipeline/write_back.h"
#include "modules/protocol/describe.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <utility>

namespace simtlm::core::simt_pipeline {

using program::memory_space;
using protocol::extension;

namespace {

/// Whether the instruction uses the load pipeline of the shared memory.
bool is_shared_load(const warp_instruction& inst) {
    return inst.space == memory_space::shared && inst.info->is_load;
}

}  // namespace

ldst_unit::ldst_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const sm_config& config, const load_store_blocks& sm, scoreboard& scores,
                     operand_collector& collector, shared_memory& shared)
    : load_store_unit(name, config, sm, shared.row_bytes()),
      dispatch("dispatch"),
      to_shared("to_shared"),
      scores_(scores),
      collector_(collector),
      shared_(shared),
      respond_process_("respond", sequencer, protocol::phase::core_units,
                       simulation::on_edge<&ldst_unit::respond>(this)),
      access_process_("access", sequencer, protocol::phase::core_access,
                      simulation::on_edge<&ldst_unit::access>(this)) {
    dispatch.register_nb_transport_fw(this, &ldst_unit::accept);
    l1d.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1d);
    l1c.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1c);
    l1t.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1t);
}

bool ldst_unit::idle() const {
    return can_accept() && writing_ == nullptr && uncached_ == nullptr && shared_.empty() &&
           copies_.idle() && sm_.port.idle();
}

tlm::tlm_sync_enum ldst_unit::accept(warp_instruction& inst, tlm::tlm_phase&, sc_core::sc_time&) {
    load_store_unit::accept(dispatched_, inst);
    count_memory_instruction(sm_.statistics, inst);
    access_process_.wake();
    return tlm::TLM_ACCEPTED;
}

// ---- responses and write-back ------------------------------------------------------------------

tlm::tlm_sync_enum ldst_unit::cache_responds(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                             sc_core::sc_time&) {
    if (extension(p).hit) {
        answered(p);
        return tlm::TLM_COMPLETED;
    }
    ready_[static_cast<unsigned>(id)] = &p;
    respond_process_.wake();
    return tlm::TLM_ACCEPTED;
}

void ldst_unit::respond() {
    const std::uint64_t now = respond_process_.now();
    copies_.advance(now);
    write_back();
    // An uncached read waits in the FIFO until the register before write-back is free.
    if (sm_.port.has_response() && (uncached_ == nullptr || !sm_.port.response_is_uncached_read()))
        sm_.port.deliver();

    if (writing_ != nullptr || uncached_ != nullptr || sm_.port.has_response()) return;
    for (const tlm::tlm_generic_payload* p : ready_)
        if (p != nullptr) return;
    std::uint64_t next = copies_.next();
    if (!shared_.empty()) next = std::min(next, shared_.ready_at());
    if (next == ~std::uint64_t{0})
        respond_process_.sleep();
    else
        respond_process_.sleep_until(next);
}

void ldst_unit::write_back() {
    const std::uint64_t now = respond_process_.now();
    if (writing_ != nullptr) {
        warp_instruction& inst = *writing_;
        if (collector_.write_back(inst, first_unwritten_, now)) {
            writing_ = nullptr;
            if (writing_shared_) {
                scores_.release(inst.warp, *inst.info);
                retire(inst);
            } else {
                arrived(inst);
            }
        }
    }
    if (writing_ != nullptr) return;
    const unsigned ready = ready_clients(now);
    if (ready == 0) return;
    const unsigned later = ready >> next_client_ << next_client_;
    const int chosen = __builtin_ctz(later != 0 ? later : ready);
    choose(chosen, now);
    next_client_ = (chosen + 1) % clients;
}

/// Clients that have an instruction to write back: bit c.
unsigned ldst_unit::ready_clients(std::uint64_t now) const {
    unsigned ready = unsigned{uncached_ != nullptr} << from_uncached;
    if (!shared_.empty() && shared_.ready_at() <= now) ready |= 1u << from_shared;
    for (const client c : {from_l1t, from_l1c, from_l1d})
        ready |= unsigned{ready_[c] != nullptr} << c;
    return ready;
}

/// Selects a client's instruction for write-back. @pre the client is ready
void ldst_unit::choose(int c, std::uint64_t now) {
    first_unwritten_ = 0;
    writing_shared_ = false;
    switch (c) {
        case from_shared: {
            writing_ = &shared_.head();
            shared_.pop(now);
            writing_shared_ = true;
            if (writing_->info->is_atomic && writing_->active_mask != 0)
                sm_.warps.atomics_finished(writing_->warp, writing_->active_lanes());
            sm_.warps.leaves_pipeline(writing_->warp);
            return;
        }
        case from_uncached:
            writing_ = &take_uncached();
            return;
        default: {
            tlm::tlm_generic_payload& p = *std::exchange(ready_[static_cast<unsigned>(c)], nullptr);
            writing_ = &sm_.pool[extension(p).owner];
            auto& cache = c == from_l1d ? l1d : c == from_l1c ? l1c : l1t;
            protocol::end_response(cache, p);
            p.release();
            return;
        }
    }
}

void ldst_unit::arrived(warp_instruction& inst) {
    if (--inst.pending == 0 && !inst.in_unit) complete(inst);
}

void ldst_unit::complete(warp_instruction& inst) {
    if (inst.copy_group != no_copy) {
        if (config_.quirks.ldgsts_global_half_only) {
            sm_.warps.copy_arrived(inst.warp, inst.copy_group);
        } else {
            respond_process_.wake_at(copies_.write(inst, respond_process_.now()));
        }
    }
    if (inst.info->n_dst > 0) {
        scores_.release(inst.warp, *inst.info);
        count_completed(sm_.statistics, inst);
    }
    sm_.pool.release(inst);
}

void ldst_unit::retire(warp_instruction& inst) {
    count_completed(sm_.statistics, inst);
    sm_.pool.release(inst);
}

// ---- accesses ----------------------------------------------------------------------------------

void ldst_unit::access() {
    if (can_accept()) {
        access_process_.sleep();
        return;
    }
    warp_instruction& inst = *dispatched_.inst;
    stall_ = memory_stall::none;
    bool done = true;
    switch (inst.space) {
        case memory_space::shared:
            done = inst.active_mask == 0 || start_shared(inst);
            break;
        case memory_space::constant:
            done = start_cached(inst, l1c, 1);
            break;
        case memory_space::texture:
            done = start_cached(inst, l1t, 1);
            break;
        default:
            done = start_global(inst);
            break;
    }
    if (done && leave(inst)) {
        dispatched_.inst = nullptr;
        dispatcher_->wake();
        access_process_.sleep();
    }
}

bool ldst_unit::start_shared(warp_instruction& inst) {
    if (inst.delay > 0) ++sm_.statistics.shared_accesses;
    if (inst.delay > 0) --inst.delay;
    if (inst.delay == 0) return true;
    ++sm_.statistics.shared_bank_conflicts;
    count_stall(inst, memory_stall::bank_conflict);
    return false;
}

bool ldst_unit::start_cached(warp_instruction& inst,
                             protocol::cache_port_initiator<ldst_unit>& cache, unsigned at_most) {
    for (unsigned n = 0; n < at_most && !inst.accesses.empty(); ++n)
        if (!start(cache, dispatched_, access_process_.now())) return false;
    if (all_started(inst)) return true;
    if (inst.space == memory_space::constant) ++sm_.statistics.constant_port_conflicts;
    return false;
}

bool ldst_unit::start_global(warp_instruction& inst) {
    if (inst.accesses.empty()) return true;
    if (!inst.bypass_l1)
        return start_cached(inst, l1d, config_.ldst.l1_latency > 0 ? config_.ldst.l1_banks : 1);
    return start_uncached(dispatched_, access_process_.now()) && all_started(inst);
}

bool ldst_unit::leave(warp_instruction& inst) {
    if (is_shared_load(inst)) {
        if (!shared_.can_accept()) return false;
        shared_.set_now(access_process_.now());
        send(to_shared, inst);
        inst.in_unit = false;
        respond_process_.wake_at(shared_.ready_at());
        return true;
    }
    inst.in_unit = false;
    sm_.pool.accesses_sent(inst);
    sm_.warps.leaves_pipeline(inst.warp);
    if (!inst.info->is_load || inst.space == memory_space::shared) {
        retire(inst);
        return true;
    }
    // A load completes when its last register is written; without registers it completes now.
    if (inst.info->n_dst == 0) count_completed(sm_.statistics, inst);
    if (inst.pending == 0) complete(inst);
    return true;
}

std::string ldst_unit::describe() const {
    std::string text;
    const auto add = [&](const std::string& what) {
        text += fmt::format("  {}: {}\n", name(), what);
    };
    if (const warp_instruction* const inst = dispatched_.inst; inst != nullptr)
        add(fmt::format("holds {} of warp {} with {} accesses to start; the last try: {}",
                        inst->info->opcode, inst->warp, inst->accesses.size(),
                        memory_stall_text(stall_)));
    if (writing_ != nullptr)
        add(fmt::format("writes back {} of warp {}", writing_->info->opcode, writing_->warp));
    if (uncached_ != nullptr) add("to be written back: " + protocol::describe(*uncached_));
    for (const tlm::tlm_generic_payload* p : ready_)
        if (p != nullptr) add("to be written back: " + protocol::describe(*p));
    if (uncached.blocked()) add("the memory port has not taken its last request");
    return text + sm_.port.describe();
}

}  // namespace simtlm::core::simt_pipeline
