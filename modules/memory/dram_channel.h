// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_bank_machines.h"
#include "modules/memory/dram_command_arbiter.h"
#include "modules/memory/dram_command_bus.h"
#include "modules/memory/dram_data_pipeline.h"
#include "modules/memory/dram_refresh.h"
#include "modules/memory/dram_sampler.h"
#include "modules/memory/dram_scheduler.h"
#include "modules/memory/dram_timing_checker.h"
#include "modules/memory/memory_channel.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/target_port.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <memory>
#include <systemc>

namespace simtlm::memory {

/// A DRAM channel with its controller: request queue, scheduler, bank machines, command arbiter,
/// data pipeline, return queue.
///
/// A target of the base protocol (protocol/sockets.h). It answers BEGIN_REQ with END_REQ while its
/// queue has a free entry, and withholds END_REQ otherwise. With a separate write queue this
/// applies to reads and writes separately, so that an initiator may have one unanswered request of
/// each kind. Finished requests wait in the return queue, whose head is presented with BEGIN_RESP
/// until END_RESP. Posted writes of the GPU are acknowledged when their data have been transferred,
/// bypassing the return queue, and the initiator must answer with TLM_COMPLETED.
///
/// Times are in cycles of the command clock; the channel acts in phase dram_channel. It sleeps
/// while it is idle or its state cannot change, and accounts for these cycles afterwards. It
/// carries no data.
class dram_channel : public memory_channel {
public:
    protocol::target_port<dram_channel, 2> port;

    /// @param mapping  decodes the addresses of payloads without a decoded location
    dram_channel(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 const dram_config& config, const address_mapping& mapping);
    const char* kind() const override { return "dram_channel"; }

    socket& target() override { return port; }
    const dram_statistics& statistics() override;
    const dram_statistics& counted() const override { return statistics_; }
    /// Row service times are relative to the kernel's first cycle.
    void begin_kernel() override;
    std::uint64_t requests_inside() const override { return in_channel_; }
    std::size_t replies_queued() const override { return return_queue_.size(); }
    void observe(command_observer& observer) override {
        sequencer_.stay_on_one_thread(protocol::phase::dram_channel);  // the observer may be shared
                                                                       // by several channels
        bus_.observe(observer);
    }

    void checkpoint(support::archive& a) override;
    /// The timing checker, if config.check_timing is set; otherwise nullptr.
    const dram_timing_checker* checker() const { return checker_.get(); }
    const dram_timing_state& banks() const { return machines_.timing(); }

private:
    tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void enqueue(tlm::tlm_generic_payload& payload);
    unsigned bank_index(const protocol::dram_location& where) const;
    void present();
    void pop_reply();

    void cycle();
    bool defers_refresh() const;
    void replay_past_refreshes();
    void replay_refreshes(std::uint64_t until);
    void act(std::uint64_t now);
    void replay(std::uint64_t until);
    void move_data();
    void finish(std::uint32_t request);
    void schedule(std::uint64_t now);
    issued_commands issue(std::uint64_t now);
    std::uint64_t next_event(std::uint64_t now) const;

    simulation::phase_sequencer& sequencer_;
    const dram_config config_;
    const address_mapping& mapping_;
    simulation::clocked_process process_;

    dram_statistics statistics_;
    dram_request_table requests_;
    dram_bank_machines machines_;
    dram_data_pipeline pipeline_;
    dram_sampler sampler_;
    dram_command_bus bus_;
    dram_refresh refresh_;
    std::unique_ptr<dram_command_arbiter> arbiter_;
    std::unique_ptr<dram_scheduler> scheduler_;
    std::unique_ptr<dram_timing_checker> checker_;
    unsigned priority_ = 0;  // bank that scheduler and arbiter consider first

    support::ring_buffer<tlm::tlm_generic_payload*> return_queue_;
    std::uint64_t in_channel_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t kernel_start_ = 0;  // core cycle
    bool slept_blocked_ = false;      // the return queue was full when it fell asleep
    std::uint64_t next_event_ = dram_refresh::never;  // cycle in which the state next changes
};

}  // namespace simtlm::memory
