// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/core/simt_pipeline/pipeline_register.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// The operand collector of an SM (GPGPU-Sim manual: Register File / operand collector).
///
/// Issued instructions wait in the ID_OC registers for a collector unit, which requests every
/// distinct source register from the banks of the register file. Each bank serves one request per
/// pass, in order, writes first. A unit with all its operands moves its instruction to the OC_EX
/// register of its pipeline when that is free. -gpgpu_reg_file_port_throughput passes run per
/// cycle, each in the order dispatch, read, allocate.
///
/// The bank of register r of warp w is (r + w) mod banks; in the sub-core model each scheduler has
/// banks and collector units of its own.
class operand_collector : public sc_core::sc_module {
public:
    static constexpr unsigned max_units = 64;  ///< collector units of all pools
    static constexpr unsigned max_banks = 64;  ///< of the register file

    /// Inputs for issued instructions, one socket per scheduler. @pre can_accept(pipe, scheduler)
    sc_core::sc_vector<instruction_target<operand_collector>> issue;

    operand_collector(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                      const sm_config& config, core_statistics& statistics);
    const char* kind() const override { return "operand_collector"; }

    /// Whether the ID_OC register of a pipeline is free for a scheduler's instruction.
    bool can_accept(unsigned p, unsigned scheduler) const { return id_oc_[p].has_free(scheduler); }
    /// Is notified when a pipeline for which a scheduler waits may have a free register.
    struct listener {
        virtual ~listener() = default;
        /// The collector may accept an instruction of a warp scheduler again.
        virtual void may_accept(unsigned scheduler) = 0;
    };
    void set_listener(listener& l) { listener_ = &l; }
    /// Requests a notification for a scheduler when a register of one of some pipelines may be
    /// free.
    /// @param pipelines  bit p: pipeline p
    void await_place(unsigned scheduler, std::uint64_t pipelines) {
        for (; pipelines != 0; pipelines &= pipelines - 1)
            awaited_by_[static_cast<unsigned>(__builtin_ctzll(pipelines))] |= std::uint64_t{1}
                                                                              << scheduler;
    }
    /// Pipelines are numbered as in sm_config::pipelines.
    unsigned pipes() const { return static_cast<unsigned>(id_oc_.size()); }
    const std::string& name_of(unsigned p) const { return config_.pipelines[p].name; }
    /// The pipeline to which an instruction class is issued; pipes() if there is none.
    unsigned pipe_of(program::op_class c) const { return pipe_of_[static_cast<unsigned>(c)]; }

    /// The OC_EX registers of a pipeline, emptied by the dispatch stage.
    const pipeline_register& ready(unsigned p) const { return oc_ex_[p]; }
    /// Pipelines with an instruction in OC_EX: bit p.
    std::uint64_t ready_pipelines() const { return ready_pipelines_; }
    /// Removes an instruction from OC_EX, for the dispatch stage.
    warp_instruction& take(unsigned p, unsigned slot) {
        pipeline_register& from = oc_ex_[p];
        from.remove(slot);
        if (from.empty()) ready_pipelines_ &= ~(std::uint64_t{1} << p);
        kept_ &= ~kept_by_[p];
        kept_by_[p] = 0;
        if ((complete_ & ~kept_) != 0) process_.wake();
        return from.at(slot);
    }
    /// Sets the process to wake when an instruction is ready; called by the dispatch stage.
    void set_consumer(simulation::clocked_process& p) { consumer_ = &p; }

    /// Writes an instruction's results into the register file banks. A second write to a bank in
    /// the same cycle is a conflict. Banks that are written are not read in this cycle's first
    /// pass.
    /// @return false on a conflict: the destinations before first_unwritten have been written
    bool write_back(const warp_instruction& inst, unsigned& first_unwritten, std::uint64_t now);

    /// Describes the pipelines with instructions before and after the collectors, for a deadlock
    /// report.
    std::string describe() const;
    bool idle() const { return occupied_ == 0 && waiting_pipelines_ == 0; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

    // ---- occupancy, for waveforms ----
    unsigned units() const { return static_cast<unsigned>(units_.size()); }
    unsigned units_in_use() const { return static_cast<unsigned>(__builtin_popcountll(occupied_)); }
    unsigned units_complete() const {
        return static_cast<unsigned>(__builtin_popcountll(complete_));
    }
    const pipeline_register& issued(unsigned p) const { return id_oc_[p]; }

private:
    static constexpr unsigned max_pipelines = 64;
    static constexpr unsigned max_schedulers = 64;

    struct collector {
        warp_instruction* inst = nullptr;
        std::uint8_t missing = 0;  // operands not yet read
        std::uint8_t out = 0;      // pipeline
        std::uint8_t slot = 0;     // OC_EX register in the sub-core model
        std::uint8_t next = 0;     // collector with the next priority after this one has dispatched
    };
    /// A pool of collectors with its output ports, each of which dispatches one instruction per
    /// pass.
    struct pool {
        unsigned first, units, per_scheduler;
        std::vector<std::uint8_t> next_unit;  // by port: collector with the highest priority
    };
    /// Input ports that serve the same pipelines; each allocates collectors once per pass.
    struct entrance {
        unsigned ports;
        std::vector<std::uint8_t> pipes;  // in the order in which a port visits them
        std::vector<std::uint8_t> rank;   // by pipeline: its position in that order
        std::uint64_t serves;             // pipelines, bit p
        std::vector<unsigned> pools;      // indices into pools_, in order of preference
        std::uint64_t full = 0;  // pipelines that found no free collector; cleared when one is
                                 // freed
    };

    tlm::tlm_sync_enum accept(warp_instruction& inst, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
    void cycle();
    void make_registers();
    void make_general_collectors();
    void make_specialized_collectors();
    unsigned add_pool(const collector_pool_config& pool);
    void add_entrance(unsigned ports, const std::vector<unsigned>& pipes,
                      std::vector<unsigned> pools);
    std::vector<unsigned> pipes_by(unsigned pipeline_config::visits::*order) const;
    bool dispatch();
    bool dispatch_one(const pool& from, std::uint8_t& next_unit);
    bool dispatch_unit(unsigned unit);
    void read(bool first_pass, std::uint64_t now);
    bool allocate();
    bool allocate_from(entrance& e);
    bool allocate_unit(const entrance& e, unsigned p);
    void occupy(unsigned unit, warp_instruction& inst, unsigned p);
    void left_id_oc(unsigned p);
    /// Mask of `count` collector units from the first.
    static std::uint64_t units_mask(unsigned first, unsigned count) {
        return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
    }
    /// The banks of an instruction's registers.
    class banks_of {
    public:
        banks_of(const operand_collector& c, const warp_instruction& inst)
            : banks_(c.banks_),
              mask_(c.power_of_two_banks_ ? c.banks_ - 1 : 0),
              // Register numbers start at 1 here, so that bank conflicts match those of GPGPU-Sim.
              key_(1 + (c.config_.collector.bank_uses_warp_id ? inst.warp : 0u)),
              first_(c.config_.sub_core_model ? inst.scheduler * c.banks_ : 0) {}
        unsigned bank(unsigned reg) const {
            const unsigned key = key_ + reg;
            return first_ + (mask_ != 0 ? key & mask_ : key % banks_);
        }

    private:
        unsigned banks_, mask_, key_, first_;
    };

    const sm_config& config_;
    core_statistics& statistics_;
    std::array<unsigned, program::op_class_count> pipe_of_{};
    std::vector<pipeline_register> id_oc_;  // by pipeline
    std::vector<pipeline_register> oc_ex_;
    std::vector<pool> pools_;
    std::vector<entrance> entrances_;
    std::vector<collector> units_;
    std::vector<support::ring_buffer<std::uint8_t>> bank_queue_;  // collectors with a pending
                                                                  // request
    unsigned banks_;  // over which an instruction's registers are distributed
    bool power_of_two_banks_;
    std::uint64_t written_in_ = 0;           // core cycle of the last write-back, plus one
    std::uint64_t written_ = 0;              // banks written in it
    std::uint64_t occupied_ = 0;             // collectors in use
    std::uint64_t complete_ = 0;             // collectors with all operands
    std::uint64_t bank_pending_ = 0;         // banks with a pending request
    std::uint64_t waiting_pipelines_ = 0;    // pipelines with an instruction in ID_OC
    std::uint64_t ready_pipelines_ = 0;      // pipelines with an instruction in OC_EX
    std::uint64_t kept_ = 0;                 // complete, but OC_EX was full
    std::vector<std::uint64_t> kept_by_;     // the same, by pipeline
    std::vector<std::uint64_t> awaited_by_;  // by pipeline: schedulers that wait for it
    listener* listener_ = nullptr;
    simulation::clocked_process* consumer_ = nullptr;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::simt_pipeline
