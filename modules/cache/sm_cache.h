// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_statistics.h"
#include "modules/cache/unit_port.h"
#include "modules/protocol/port_buffer.h"
#include "modules/simulation/back_pressure_counter.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"

#include <systemc>
#include <utility>

namespace simtlm::cache {

/// What the caches of an SM have in common: the socket of the unit, the socket to memory, the
/// engine, the process, and the counter of cycles in which a miss stalls. Derived classes implement
/// the interfaces of the two ports, and the action.
template <class Engine>
class sm_cache : public simulation::clocked_module,
                 protected unit_port::client,
                 protected protocol::port_buffer::client {
public:
    unit_port port;
    protocol::port_buffer memory;

    void flush() { engine_.flush(); }
    void invalidate() { engine_.invalidate(); }
    void observe(access_observer& o) { engine_.observe(o); }
    const Engine& engine() const { return engine_; }
    /// Whether no access is outstanding.
    bool idle() const { return !engine_.busy() && !memory.response_waiting(); }
    /// Valid between edges, whether or not the cache sleeps.
    const cache_statistics& statistics() {
        replay(process_.now() + 1);
        return engine_.statistics();
    }
    /// Counts cycles in which a miss stalls because the memory port is full.
    simulation::back_pressure_counter& back_pressure() { return back_pressure_; }

protected:
    /// The clocked behaviour of the cache.
    struct behaviour {
        simulation::phase_index phase;
        simulation::edge_action action;
        unsigned sub_phase = 0;  ///< of the phase
    };
    /// @param engine  arguments of the engine's constructor
    template <class... Arguments>
    sm_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
             const behaviour& acts, Arguments&&... engine)
        : clocked_module(name, sequencer),
          port("port", *this),
          memory("memory", *this),
          engine_(std::forward<Arguments>(engine)...),
          sequencer_(sequencer),
          process_("process", sequencer, acts.phase, acts.action, false, acts.sub_phase + 1) {
        process_.select_sub_phase(acts.sub_phase);
    }

    /// Updates whether a miss would stall from the next cycle on.
    void note_back_pressure() {
        back_pressure_.set(simulation::back_pressure_counter::queued,
                           memory.blocked() && !engine_.miss_queue_empty());
    }
    /// Accounts for the cycles before a core cycle in which the cache slept; its ports were free.
    void replay(std::uint64_t now) {
        if (now <= next_cycle_) return;
        engine_.skip(now - next_cycle_);
        count_refusals(now - next_cycle_);
        next_cycle_ = now;
    }
    /// Counts the refusals of cycles in which the cache slept.
    virtual void count_refusals(std::uint64_t /*cycles*/) {}
    void request_ended(tlm::tlm_generic_payload&) override { response_waits(); }
    void response_waits() override {
        note_back_pressure();
        process_.wake();
    }
    tlm::tlm_generic_payload* ready() override {
        return engine_.access_ready() ? &engine_.ready_access() : nullptr;
    }
    void retire() override { engine_.next_access().release(); }

    Engine engine_;
    const simulation::phase_sequencer& sequencer_;
    std::uint64_t next_cycle_ = 0;  // first core cycle for which the ports have not been updated
    simulation::clocked_process process_;
    simulation::back_pressure_counter back_pressure_{process_};
};

}  // namespace simtlm::cache
