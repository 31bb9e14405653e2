// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/ldst_unit.h"

#include "modules/core/simt_pipeline/write_back.h"
#include "modules/protocol/atomic_effect.h"
#include "modules/protocol/describe.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <utility>

namespace simtlm::core::simt_pipeline {

using program::memory_space;
using protocol::extension;

namespace {

memory_stage stage_of(const warp_instruction& inst) {
    const bool store = inst.info->is_store;
    if (inst.space == memory_space::local)
        return store ? memory_stage::local_store : memory_stage::local_load;
    return store ? memory_stage::global_store : memory_stage::global_load;
}

/// Whether the instruction uses the load pipeline of the shared memory.
bool is_shared_load(const warp_instruction& inst) {
    return inst.space == memory_space::shared && inst.info->is_load;
}

}  // namespace

ldst_unit::ldst_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const sm_config& config, const blocks& sm)
    : sc_module(name),
      dispatch("dispatch"),
      to_shared("to_shared"),
      l1d("l1d"),
      l1c("l1c"),
      l1t("l1t"),
      uncached("uncached", *this),
      config_(config),
      sm_(sm),
      requests_{sm.identity, sm.warps, sm.transactions, config.l1.perfect_instruction_and_constant},
      respond_process_("respond", sequencer, protocol::phase::core_units,
                       simulation::on_edge<&ldst_unit::respond>(this)),
      access_process_("access", sequencer, protocol::phase::core_access,
                      simulation::on_edge<&ldst_unit::access>(this)) {
    dispatch.register_nb_transport_fw(this, &ldst_unit::accept);
    l1d.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1d);
    l1c.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1c);
    l1t.register_nb_transport_bw(this, &ldst_unit::cache_responds, from_l1t);
    sm_.port.set_client(*this);
}

ldst_unit::~ldst_unit() {
    if (request_ != nullptr) request_->release();
}

bool ldst_unit::idle() const {
    return dispatched_ == nullptr && writing_ == nullptr && uncached_ == nullptr &&
           sm_.shared.empty() && copies_.empty() && sm_.port.idle();
}

tlm::tlm_sync_enum ldst_unit::accept(warp_instruction& inst, tlm::tlm_phase&, sc_core::sc_time&) {
    dispatched_ = &inst;
    inst.in_unit = true;
    if (inst.info->is_load && inst.space != memory_space::shared)
        inst.pending = static_cast<std::uint16_t>(inst.accesses.size());
    count_memory_instruction(sm_.statistics, inst);
    access_process_.wake();
    return tlm::TLM_ACCEPTED;
}

// ---- responses and write-back ------------------------------------------------------------------

tlm::tlm_sync_enum ldst_unit::cache_responds(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                             sc_core::sc_time&) {
    if (extension(p).hit) {
        if (p.is_write())
            sm_.warps.store_acknowledged(extension(p).warp);
        else
            arrived(sm_.pool[extension(p).owner]);
        p.release();
        return tlm::TLM_COMPLETED;
    }
    ready_[static_cast<unsigned>(id)] = &p;
    respond_process_.wake();
    return tlm::TLM_ACCEPTED;
}

bool ldst_unit::accept_response(tlm::tlm_generic_payload& p) {
    tlm::tlm_generic_payload* const whole = protocol::answered_request(p);
    if (whole == nullptr) return true;
    if (whole->is_write()) {
        sm_.warps.store_acknowledged(extension(*whole).warp);
        whole->release();
        return true;
    }
    uncached_ = whole;
    return true;
}

void ldst_unit::respond() {
    const std::uint64_t now = respond_process_.now();
    copies_done(now);
    write_back();
    // An uncached read waits in the FIFO until the register before write-back is free.
    if (sm_.port.has_response() && (uncached_ == nullptr || !sm_.port.response_is_uncached_read()))
        sm_.port.deliver();

    if (writing_ != nullptr || uncached_ != nullptr || sm_.port.has_response()) return;
    for (const tlm::tlm_generic_payload* p : ready_)
        if (p != nullptr) return;
    std::uint64_t next = ~std::uint64_t{0};
    if (!sm_.shared.empty()) next = sm_.shared.ready_at();
    if (!copies_.empty()) next = std::min(next, copies_.front().done_at);
    if (next == ~std::uint64_t{0})
        respond_process_.sleep();
    else
        respond_process_.sleep_until(next);
}

void ldst_unit::copies_done(std::uint64_t now) {
    while (!copies_.empty() && copies_.front().done_at <= now) {
        sm_.warps.copy_arrived(copies_.front().warp, copies_.front().group);
        copies_.pop_front();
    }
}

void ldst_unit::write_back() {
    const std::uint64_t now = respond_process_.now();
    if (writing_ != nullptr) {
        warp_instruction& inst = *writing_;
        if (sm_.collector.write_back(inst, first_unwritten_, now)) {
            writing_ = nullptr;
            if (writing_shared_) {
                sm_.scores.release(inst.warp, *inst.info);
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
    if (!sm_.shared.empty() && sm_.shared.ready_at() <= now) ready |= 1u << from_shared;
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
            shared_memory& shared = sm_.shared;
            writing_ = &shared.head();
            shared.pop(now);
            writing_shared_ = true;
            if (writing_->info->is_atomic && writing_->active_mask != 0)
                sm_.warps.atomics_finished(writing_->warp, writing_->active_lanes());
            sm_.warps.leaves_pipeline(writing_->warp);
            return;
        }
        case from_uncached: {
            tlm::tlm_generic_payload& p = *uncached_;
            writing_ = &sm_.pool[extension(p).owner];
            if (extension(p).is_atomic) {
                protocol::atomic_effect::perform(p);
                sm_.warps.atomics_finished(extension(p).warp, extension(p).lanes);
            }
            uncached_ = nullptr;
            p.release();
            return;
        }
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
            const std::uint64_t done =
                sm_.shared.write_copy(inst.active_lanes() * inst.data_size, respond_process_.now());
            copies_.push_back({done, inst.warp, inst.copy_group});
            respond_process_.wake_at(done);
        }
    }
    if (inst.info->n_dst > 0) {
        sm_.scores.release(inst.warp, *inst.info);
        count_completed(sm_.statistics, inst);
    }
    sm_.pool.release(inst);
}

void ldst_unit::retire(warp_instruction& inst) {
    count_completed(sm_.statistics, inst);
    sm_.pool.release(inst);
}

// ---- accesses ----------------------------------------------------------------------------------

void ldst_unit::stalled(memory_stage stage, memory_stall why) {
    stage_ = stage;
    stall_ = why;
}

void ldst_unit::access() {
    if (dispatched_ == nullptr) {
        access_process_.sleep();
        return;
    }
    warp_instruction& inst = *dispatched_;
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
    if (!done) {
        ++sm_.statistics.memory_stalls;
        ++sm_.statistics.stalls[static_cast<unsigned>(stage_)][static_cast<unsigned>(stall_)];
        return;
    }
    if (leave(inst)) {
        dispatched_ = nullptr;
        dispatcher_->wake();
        access_process_.sleep();
    }
}

bool ldst_unit::start_shared(warp_instruction& inst) {
    if (inst.delay > 0) ++sm_.statistics.shared_accesses;
    if (inst.delay > 0) --inst.delay;
    if (inst.delay == 0) return true;
    ++sm_.statistics.shared_bank_conflicts;
    stalled(memory_stage::shared, memory_stall::bank_conflict);
    return false;
}

tlm::tlm_generic_payload& ldst_unit::request_for(warp_instruction& inst) {
    if (request_ == nullptr) request_ = &requests_.make(inst, access_process_.now());
    return *request_;
}

void ldst_unit::started(warp_instruction& inst) {
    inst.accesses.pop_back();
    request_ = nullptr;
    if (inst.info->is_store) sm_.warps.store_sent(inst.warp);
}

bool ldst_unit::start_cached(warp_instruction& inst,
                             protocol::cache_port_initiator<ldst_unit>& cache, unsigned at_most) {
    const bool constant = inst.space == memory_space::constant;
    const memory_stage stage = constant                              ? memory_stage::constant
                               : inst.space == memory_space::texture ? memory_stage::texture
                                                                     : stage_of(inst);
    for (unsigned n = 0; n < at_most && !inst.accesses.empty(); ++n) {
        tlm::tlm_generic_payload& p = request_for(inst);
        const tlm::tlm_sync_enum answer = protocol::begin_request(cache, p);
        if (answer == tlm::TLM_UPDATED) {  // refused
            stalled(stage, memory_stall::bank_conflict);
            if (constant) ++sm_.statistics.constant_port_conflicts;
            if (&cache == &l1d) ++sm_.statistics.l1_bank_conflicts;
            return false;
        }
        started(inst);
        if (answer == tlm::TLM_COMPLETED) {
            if (inst.info->is_store)
                sm_.warps.store_acknowledged(inst.warp);
            else
                arrived(inst);
            p.release();
        }
    }
    if (inst.accesses.empty()) return true;
    stalled(stage, memory_stall::coalescing);
    if (constant) ++sm_.statistics.constant_port_conflicts;
    return false;
}

bool ldst_unit::start_global(warp_instruction& inst) {
    if (inst.accesses.empty()) return true;
    if (!inst.bypass_l1)
        return start_cached(inst, l1d, config_.ldst.l1_latency > 0 ? config_.ldst.l1_banks : 1);
    if (uncached.blocked() || sm_.port.blocked()) {
        stalled(stage_of(inst), memory_stall::network_full);
        return false;
    }
    tlm::tlm_generic_payload& p = request_for(inst);
    started(inst);
    uncached.try_send(p);
    if (inst.accesses.empty()) return true;
    stalled(stage_of(inst), memory_stall::coalescing);
    return false;
}

bool ldst_unit::leave(warp_instruction& inst) {
    if (is_shared_load(inst)) {
        if (!sm_.shared.can_accept()) return false;
        sm_.shared.set_now(access_process_.now());
        send(to_shared, inst);
        inst.in_unit = false;
        respond_process_.wake_at(sm_.shared.ready_at());
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
    if (dispatched_ != nullptr)
        add(fmt::format("holds {} of warp {} with {} accesses to start; the last try: {}",
                        dispatched_->info->opcode, dispatched_->warp, dispatched_->accesses.size(),
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
