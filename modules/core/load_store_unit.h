// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/copy_writes.h"
#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/memory_port.h"
#include "modules/core/memory_request.h"
#include "modules/core/sm_identity.h"
#include "modules/protocol/atomic_effect.h"
#include "modules/protocol/port_buffer.h"
#include "modules/protocol/sockets.h"

#include <systemc>
#include <utility>

namespace simtlm::core {

/// References to the parts of an SM that every load/store unit uses.
struct load_store_blocks {
    const requester_identity& identity;
    warp_table& warps;
    memory_port& port;
    warp_instruction_pool& pool;
    protocol::transaction_pool& transactions;
    core_statistics& statistics;
};

/// The part of a load/store unit that does not depend on the pipeline: its ports to the first-level
/// caches and, past the L1D, to the memory system; the accesses of an instruction in a latch, which
/// start from the last one; responses of accesses that bypass the L1D, with the effects of atomics;
/// acknowledgements of stores; asynchronous copies; counters of stalls.
///
/// @tparam Unit  the derived unit. It registers its response function at the ports, wakes its
///               processes (request_ended(), response_arrived()), and receives loads:
///               arrived(warp_instruction&) is called for each access whose data have arrived.
template <class Unit>
class load_store_unit : public sc_core::sc_module,
                        protected memory_port::client,
                        protected protocol::port_buffer::client {
public:
    protocol::cache_port_initiator<Unit> l1d, l1c, l1t;
    protocol::port_buffer uncached;

    /// Why the next access could not start at the last attempt.
    memory_stall stall() const { return stall_; }

protected:
    /// An instruction whose accesses start.
    struct latch {
        latch() = default;
        latch(const latch&) = delete;
        latch& operator=(const latch&) = delete;
        ~latch() {
            if (request != nullptr) request->release();
        }
        warp_instruction* inst = nullptr;
        tlm::tlm_generic_payload* request = nullptr;  ///< for the next access, not yet accepted
    };

    /// @param copied_bytes  that an asynchronous copy writes to shared memory per core cycle
    load_store_unit(const sc_core::sc_module_name& name, const sm_config& config,
                    const load_store_blocks& sm, unsigned copied_bytes)
        : sc_module(name),
          l1d("l1d"),
          l1c("l1c"),
          l1t("l1t"),
          uncached("uncached", *this),
          config_(config),
          sm_(sm),
          copies_(sm.warps, copied_bytes),
          requests_{sm.identity, sm.warps, sm.transactions,
                    config.l1.perfect_instruction_and_constant} {
        sm_.port.set_client(*this);
    }

    /// Accepts an instruction. @pre the latch is empty
    void accept(latch& l, warp_instruction& inst) {
        l.inst = &inst;
        inst.in_unit = true;
        if (inst.info->is_load) inst.pending = static_cast<std::uint16_t>(inst.accesses.size());
    }
    /// Starts the next access in a cache. @return false: the cache has refused it
    bool start(protocol::cache_port_initiator<Unit>& cache, latch& l, std::uint64_t now) {
        tlm::tlm_generic_payload& p = request_for(l, now);
        const tlm::tlm_sync_enum answer = protocol::begin_request(cache, p);
        if (answer == tlm::TLM_UPDATED) {
            count_stall(*l.inst, memory_stall::bank_conflict);
            if (&cache == &l1c) ++sm_.statistics.constant_port_conflicts;
            if (&cache == &l1d) ++sm_.statistics.l1_bank_conflicts;
            return false;
        }
        started(l);
        if (answer == tlm::TLM_COMPLETED) answered(p);
        return true;
    }
    /// Sends the next access past the L1D. @return false: there is no room in the network
    bool start_uncached(latch& l, std::uint64_t now) {
        if (uncached.blocked() || sm_.port.blocked()) {
            count_stall(*l.inst, memory_stall::network_full);
            return false;
        }
        tlm::tlm_generic_payload& p = request_for(l, now);
        started(l);
        uncached.try_send(p);
        return true;
    }
    /// Whether all accesses of an instruction have started; otherwise counts the cycle.
    bool all_started(const warp_instruction& inst) {
        if (inst.accesses.empty()) return true;
        count_stall(inst, memory_stall::coalescing);
        return false;
    }
    void count_stall(const warp_instruction& inst, memory_stall why, std::uint64_t cycles = 1) {
        stall_ = why;
        sm_.statistics.memory_stalls += cycles;
        sm_.statistics.stalls[static_cast<unsigned>(stage_of(inst))][static_cast<unsigned>(why)] +=
            cycles;
    }

    /// An access has been answered: a load's data, or a store's acknowledgement.
    void answered(tlm::tlm_generic_payload& p) {
        const protocol::memory_extension& e = protocol::extension(p);
        if (p.is_write())
            sm_.warps.store_acknowledged(e.warp);
        else
            static_cast<Unit&>(*this).arrived(sm_.pool[e.owner]);
        p.release();
    }
    /// Keeps the response of a load or atomic that bypassed the L1D for take_uncached().
    bool accept_response(tlm::tlm_generic_payload& p) override {
        tlm::tlm_generic_payload* const whole = protocol::answered_request(p);
        if (whole == nullptr) return true;
        if (whole->is_write())
            answered(*whole);
        else
            uncached_ = whole;
        return true;
    }
    /// Takes that response and performs the effect of an atomic. @pre uncached_
    /// @return the instruction
    warp_instruction& take_uncached() {
        tlm::tlm_generic_payload& p = *std::exchange(uncached_, nullptr);
        const protocol::memory_extension& e = protocol::extension(p);
        warp_instruction& inst = sm_.pool[e.owner];
        if (e.is_atomic) {
            protocol::atomic_effect::perform(p);
            if ((sm_.warps.at_atomic & warp_bit(e.warp)) != 0)
                sm_.warps.atomics_finished(e.warp, e.lanes);
        }
        p.release();
        return inst;
    }

    const sm_config& config_;
    const load_store_blocks sm_;
    copy_writes copies_;
    tlm::tlm_generic_payload* uncached_ = nullptr;
    memory_stall stall_ = memory_stall::none;

private:
    static memory_stage stage_of(const warp_instruction& inst) {
        const bool store = inst.info->is_store;
        switch (inst.space) {
            case program::memory_space::constant:
                return memory_stage::constant;
            case program::memory_space::texture:
                return memory_stage::texture;
            case program::memory_space::shared:
                return memory_stage::shared;
            case program::memory_space::local:
                return store ? memory_stage::local_store : memory_stage::local_load;
            default:
                return store ? memory_stage::global_store : memory_stage::global_load;
        }
    }
    tlm::tlm_generic_payload& request_for(latch& l, std::uint64_t now) {
        if (l.request == nullptr) l.request = &requests_.make(*l.inst, now);
        return *l.request;
    }
    void started(latch& l) {
        l.inst->accesses.pop_back();
        l.request = nullptr;
        if (l.inst->info->is_store) sm_.warps.store_sent(l.inst->warp);
    }

    const memory_request_factory requests_;
};

}  // namespace simtlm::core
