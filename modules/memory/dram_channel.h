// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_process.h"
#include "modules/kernel/ring_buffer.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_command.h"
#include "modules/memory/dram_data_pipeline.h"
#include "modules/memory/dram_scheduler.h"
#include "modules/memory/dram_statistics.h"
#include "modules/memory/dram_timing_checker.h"
#include "modules/memory/dram_timing_state.h"
#include "modules/protocol/sockets.h"

#include <array>
#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::memory {

/// One DRAM channel with its controller: request queue, scheduler, banks, data bus, return queue.
///
/// A target of the base protocol (protocol/sockets.h). It answers BEGIN_REQ with END_REQ while its
/// queue has a place left and withholds END_REQ otherwise; with a separate write queue that holds
/// for reads and writes each by itself, so an initiator may have one of either kind unanswered.
/// Finished requests wait in the return queue, whose head is presented with BEGIN_RESP until
/// END_RESP. Posted writes of the GPU are answered when their data have moved, past the return
/// queue, and must be answered with TLM_COMPLETED.
///
/// Time is the command clock; it acts in phase dram_channel. It sleeps while nothing can change and
/// accounts for the cycles it slept afterwards. It carries no data.
class dram_channel : public sc_core::sc_module {
public:
    protocol::target_socket<dram_channel> port;

    /// @param mapping  decodes the addresses of payloads whose location is not known
    dram_channel(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                 const dram_config& config, const address_mapping& mapping);

    /// Counters up to the last edge that was completed. Call between steps.
    const dram_statistics& statistics();
    /// A kernel begins: row service times are counted from its first cycle.
    void begin_kernel();
    /// Sees every command from now on; may be called more than once.
    void observe(command_observer& observer) { observers_.push_back(&observer); }
    /// The checker, when config.check_timing is set.
    const dram_timing_checker* checker() const { return checker_.get(); }
    /// No request is in the channel.
    bool idle() const { return in_channel_ == 0; }
    const dram_timing_state& banks() const { return banks_; }
    /// Counters, without what a sleeping channel has yet to count.
    const dram_statistics& counted() const { return statistics_; }
    std::uint64_t requests_inside() const { return in_channel_; }
    std::size_t replies_queued() const { return return_queue_.size(); }
    const dram_config& config() const { return config_; }

private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void enqueue(tlm::tlm_generic_payload& payload);
    void present();
    void release_requests();

    void cycle();
    void move_data();
    void finish(std::uint32_t request);
    void schedule(std::uint64_t now);
    struct issued {
        bool row = false;
        bool column = false;
    };
    issued issue_dual(std::uint64_t now);
    issued issue_single(std::uint64_t now);
    issued issue_refresh(std::uint64_t now);
    std::uint64_t ready_columns(std::uint64_t now) const;
    std::uint64_t ready_rows(std::uint64_t now) const;
    void issue_column(unsigned bank, std::uint64_t now);
    void issue_row(unsigned bank, std::uint64_t now);
    void refresh_open(unsigned bank);
    std::uint64_t next_event(std::uint64_t now) const;

    void account_slept(std::uint64_t until);
    void sample_waiting(std::uint64_t cycles);
    void sample_limits(std::uint64_t from, std::uint64_t to, bool column_issued);
    void notify(std::uint64_t now, dram_command kind, unsigned bank, std::uint32_t row,
                std::uint32_t column);
    unsigned bank_index(const protocol::dram_location& where) const;

    kernel::phase_sequencer& sequencer_;
    const dram_config config_;
    const address_mapping& mapping_;
    kernel::clocked_process process_;

    dram_statistics statistics_;
    dram_timing_state banks_;
    dram_request_table requests_;
    std::unique_ptr<dram_scheduler> scheduler_;
    std::vector<std::uint32_t> request_of_;  // by bank; none
    std::vector<std::uint64_t> group_mask_;  // banks of a group
    std::uint64_t all_banks_;
    std::uint64_t waiting_ = 0;    // banks with a request
    std::uint64_t open_read_ = 0;  // of those, whose row is open, by direction
    std::uint64_t open_write_ = 0;
    unsigned priority_ = 0;
    bool writing_ = false;  // direction of the last column command

    dram_data_pipeline pipeline_;
    kernel::ring_buffer<tlm::tlm_generic_payload*> return_queue_;
    bool presented_ = false;
    std::array<tlm::tlm_generic_payload*, 2> withheld_{};  // END_REQ owed
    std::uint64_t in_channel_ = 0;
    std::uint64_t arrivals_ = 0;

    std::uint64_t accounted_ = 0;            // cycles below this are in the statistics
    bool slept_blocked_ = false;             // return queue was full when it fell asleep
    unsigned slept_pending_ = 0;             // requests in the queue when it fell asleep
    std::vector<std::uint64_t> free_since_;  // by bank without a request
    std::uint64_t kernel_start_ = 0;         // core cycle
    std::uint64_t refresh_due_;

    std::unique_ptr<dram_timing_checker> checker_;
    std::vector<command_observer*> observers_;
};

}  // namespace simtlm::memory
