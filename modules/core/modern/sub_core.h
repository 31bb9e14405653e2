// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/modern/dependence_counters.h"
#include "modules/core/modern/execution_ports.h"
#include "modules/core/modern/instruction_issue.h"
#include "modules/core/modern/issue_scheduler.h"
#include "modules/core/modern/l0_instruction_cache.h"
#include "modules/core/modern/memory_queue.h"
#include "modules/core/modern/modern_statistics.h"
#include "modules/core/modern/register_cache.h"
#include "modules/core/modern/register_file.h"
#include "modules/core/modern/result_queue.h"
#include "modules/core/modern/sm_timing.h"
#include "modules/core/modern/warpgroup_unit.h"
#include "modules/core/running_cycles.h"
#include "modules/core/scoreboard.h"
#include "modules/core/warp_wait.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/clocked_process.h"
#include "modules/kernel/ring_buffer.h"

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace simtlm::core::modern {

/// A sub-core of the modern SM (Huerta et al., MICRO 2025): issue scheduler, register file, L0
/// instruction cache, execution units, and the local part of the memory pipeline. Warp w of the SM
/// is in slot w / n of sub-core w % n.
///
///     L0 fetch → decode → instruction buffer → issue → control → allocate, 3 cycles of reads
///       → unit → result queue → write-back                                  (fixed latency)
///       → unit, or memory queue → memory unit of the SM → write-back         (variable latency)
///
/// Fetch serves the youngest warp whose buffer is empty and that has no fetch in flight; otherwise
/// the warp that issued last until its buffer is full, then the youngest with room. Instructions
/// after a branch are fetched before the branch has issued only if they follow it in memory.
///
/// Actions, from the last stage to the first: write-back (core_write_back), allocate
/// (core_operands), issue (core_issue, one sub-core of an SM after the other), fetch
/// (core_front_end).
class sub_core : public sc_core::sc_module {
public:
    /// Functions of the SM for its sub-cores.
    struct services {
        virtual ~services() = default;
        /// The L0 has a request for the L1 instruction cache.
        virtual void wants_line(unsigned sub_core) = 0;
        /// The memory queue has an instruction.
        virtual void has_memory_instruction(unsigned sub_core) = 0;
        /// A warp has issued a CTA barrier instruction, which counts from a cycle on.
        virtual void arrives(unsigned warp, const barrier_request& request, std::uint64_t at) = 0;
        /// A warp has arrived at the barrier of its cluster, which counts from a cycle on.
        virtual void arrives_at_cluster(unsigned warp, std::uint64_t at) = 0;
        /// A warp waits at the barrier of its cluster.
        virtual void waits_at_cluster(unsigned warp) = 0;
        /// A warp has issued a fence, which completes in a cycle at the earliest.
        virtual void fences(unsigned warp, std::uint64_t at) = 0;
        /// A warp has issued its last instruction.
        virtual void ends(unsigned warp) = 0;
        /// An instruction for an mbarrier or an engine of the SM has issued.
        virtual void engage(warp_instruction& inst, std::uint64_t now) = 0;
        /// An issued instruction waits for an incomplete phase of an mbarrier, and has no result
        /// yet.
        virtual void suspend(warp_instruction& inst, bool has_time_limit, std::uint64_t now) = 0;
        /// Whether the bulk copy engine accepts another instruction.
        virtual bool takes_bulk_copy() const = 0;
        /// Whether a warp may issue a product of its warpgroup.
        virtual bool takes_product(unsigned warp, const program::static_instruction& what,
                                   std::uint64_t now) const = 0;
        /// Reserves the FP64 unit shared by the sub-cores. @return the cycle in which the
        /// instruction enters it
        virtual std::uint64_t enter_shared_fp64(std::uint64_t earliest) = 0;
    };
    /// References to the parts of the SM that the sub-core uses.
    struct blocks {
        services& sm;
        const running_cycles& running;
        warp_table& warps;
        scoreboard& scores;
        instruction_issue& issue;
        warp_instruction_pool& pool;
        core_statistics& statistics;
        modern_statistics& modern;
    };
    /// An entry of the memory queue.
    struct memory_entry {
        warp_instruction* inst = nullptr;
        std::uint16_t read_extra = 0;  ///< cycles from acceptance until its operands are read
        std::uint16_t data_extra = 0;  ///< cycles from acceptance until the data of a hit are
                                       ///< written
        bool uniform = false;
    };
    /// Instructions issued so far, and the last one, for waveforms.
    struct issue_probe {
        std::uint64_t count = 0;
        std::uint32_t warp = 0;
        std::uint64_t pc = 0;
        std::uint8_t stall = 0;                       ///< stall counter set by the instruction
        std::uint8_t wait_mask = 0;                   ///< dependence counters for which it waited
        stall_reason reason = stall_reason::no_warp;  ///< of the last cycle
    };

    sub_core(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
             const sm_config& config, const sm_timing& modern, unsigned number, const blocks& sm);

    /// Sets the unit whose warpgroup products read the registers of this sub-core. To be called
    /// during construction of the SM.
    void set_warpgroups(warpgroup_unit& products) { warpgroups_ = &products; }

    // ---- warps ----

    /// A warp has been placed; it may have no instructions to execute.
    /// @param from  core cycle from which it is fetched
    void warp_starts(unsigned warp, std::uint64_t from);
    /// A warp has ended; its slot is free.
    void warp_ends(unsigned warp);
    /// A condition that kept a warp from issuing has changed (barrier, atomics, copies).
    void may_issue(unsigned warp);
    /// The SM starts or stops running in a core cycle.
    void sm_started(std::uint64_t now);
    void sm_stopped(std::uint64_t now);
    /// Counts the cycles up to `last` in which the sub-core slept. Call between steps.
    void settle(std::uint64_t last);

    // ---- instructions ----

    l0_instruction_cache& l0() { return l0_; }
    /// A line has arrived from the L1 instruction cache.
    void line_arrived(std::uint64_t line);
    /// Discards all instructions at the end of a kernel.
    void invalidate_instructions();

    // ---- memory ----

    memory_queue<memory_entry>& memory() { return memory_; }
    /// Removes the head of the memory queue, for the memory unit. Called in phase core_dispatch.
    memory_entry take_memory(std::uint64_t now);
    /// The operands of a memory instruction are read in a future cycle.
    void reads_operands(const warp_instruction& inst, std::uint64_t at);
    /// The result of a memory instruction arrives in a future cycle; without a result, the
    /// instruction completes then. @return the cycle in which it is written
    std::uint64_t writes_result(warp_instruction& inst, std::uint64_t at);

    // ---- reports ----

    const issue_probe& probe() const { return probe_; }
    const dependence_counters& counters(unsigned warp) const {
        return front_[slot_of(warp)].counters;
    }
    /// Describes what a warp waits for, for a deadlock report.
    std::string why_waiting(unsigned warp) const;
    /// The same as an enumerator. @pre the warp does not wait for the SM (a barrier, ...)
    warp_wait wait_of(unsigned warp) const;
    /// The head of a warp's instruction buffer; nullptr: it is empty.
    const program::dynamic_instruction* next_instruction(unsigned warp) const {
        const unsigned slot = slot_of(warp);
        return front_[slot].count == 0 ? nullptr : head(slot);
    }
    /// Cycles until the stall counter of a warp reaches 0.
    unsigned stall_left(unsigned warp) const {
        return scheduler_.stall_left(slot_of(warp), issue_process_.now());
    }
    /// Whether nothing is being decoded, read or written back for warps that have ended.
    bool at_rest() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(kernel::archive& a);
    unsigned number() const { return number_; }
    unsigned buffered(unsigned warp) const { return front_[slot_of(warp)].count; }

private:
    static constexpr unsigned wheel_size = 128;  // cycles
    static constexpr unsigned most_buffered = 8;

    struct front {
        std::array<const program::dynamic_instruction*, most_buffered> buffer{};
        std::uint8_t first = 0, count = 0;
        std::uint8_t in_decode = 0;
        bool wrong_path = false;       ///< buffered instructions are not on the warp's path
        bool branch_ahead = false;     ///< recorded warps: nothing is fetched until a branch has
                                       ///< issued
        bool missed = false;           ///< the last fetch missed the L0
        std::uint8_t of_memory = 0;    ///< bit b: SBb counts a memory instruction
        std::uint64_t fetch_from = 0;  ///< cycle
        dependence_counters counters;
        /// Products counted by SBb on whose results the next product can accumulate.
        std::array<std::uint8_t, dependence_counters::count> forwarded{};
    };
    enum class event_kind : std::uint8_t {
        written,        ///< the result of a variable-latency instruction is written
        fixed_written,  ///< the result of a fixed-latency instruction leaves the result queue
        bypassed,       ///< the same result can be read by the next instruction
        counter_freed,  ///< a dependence counter is decremented
        forwarded,      ///< the next matrix product can accumulate on the result of one
    };
    struct event {
        std::uint64_t at;
        warp_instruction* inst;
        event_kind kind;
        std::uint8_t slot;
        std::uint8_t counter;
        std::uint8_t start;  ///< see starts_
    };
    struct decoding {
        std::uint64_t at;
        const program::dynamic_instruction* code;
        std::uint8_t slot;
        std::uint8_t generation;
    };
    struct fixed_latency_stage {
        warp_instruction* inst = nullptr;
        std::uint64_t entered = 0;
    };

    unsigned warp_of(unsigned slot) const { return slot * config_.schedulers + number_; }
    unsigned slot_of(unsigned warp) const { return warp / config_.schedulers; }
    const program::dynamic_instruction* head(unsigned slot) const {
        const front& f = front_[slot];
        return f.buffer[f.first];
    }
    bool by_bits(const program::static_instruction& i) const {
        return modern_.dependences == dependence_control::bits && i.control.present;
    }
    /// The class that determines unit and timing. Conversions from and to 64-bit types execute on
    /// the FP64 unit if the sub-cores share one, on GPUs where their throughput is that of FP64
    /// arithmetic, 2 results per cycle and SM; on other GPUs it is 16, that of the XU (CUDA C++
    /// Programming Guide, throughput of arithmetic instructions).
    program::scheduling_class class_of(const program::static_instruction& i) const {
        using program::scheduling_class;
        if (i.scheduling != scheduling_class::xu64) return i.scheduling;
        return modern_.shared_fp64_interval != 0 ? scheduling_class::fp64 : scheduling_class::xu;
    }

    // actions
    void write_back();
    void operands();
    void issue();
    void fetch();

    bool waits_for_counters(unsigned slot, const program::static_instruction& i) const;
    void refresh(unsigned slot);
    void apply_increments(std::uint64_t before);
    stall_reason can_issue(unsigned slot, std::uint64_t now) const;
    void issue_from(unsigned slot, std::uint64_t now);
    void start_fixed(warp_instruction& inst, program::scheduling_class c, std::uint64_t now);
    void start_variable(warp_instruction& inst, program::scheduling_class c, bool suspended,
                        std::uint64_t now);
    void start_memory(warp_instruction& inst, program::scheduling_class c, std::uint64_t now);
    void go_on(unsigned slot, bool warp_ended, std::uint64_t now);
    void flush(unsigned slot);
    stall_reason reason_of_idling() const;
    void count(std::uint64_t now, stall_reason why);
    void decode(std::uint64_t now);
    bool fetch_for(unsigned slot, std::uint64_t now);
    std::uint64_t next_address(unsigned slot) const;
    void arm(const event& e);
    void at(std::uint64_t cycle, event_kind kind, unsigned slot, warp_instruction* inst,
            unsigned counter = 0);
    void complete(warp_instruction& inst);
    void decrement(unsigned slot, unsigned counter);
    bool try_allocate(warp_instruction& inst, std::uint64_t now);
    const tensor_cycles& timing_of_matrix(const program::static_instruction& i);
    unsigned forward_cycles(const program::static_instruction& i);
    void note_room(unsigned slot);

    const sm_config& config_;
    const sm_timing& modern_;
    const unsigned number_;
    blocks sm_;

    issue_scheduler scheduler_;
    execution_ports ports_;
    register_file registers_;
    warpgroup_unit* warpgroups_ = nullptr;  // uses read ports of the register file
    register_cache cache_;
    result_queue results_;
    l0_instruction_cache l0_;
    memory_queue<memory_entry> memory_;

    std::vector<front> front_;                // by slot
    std::vector<std::uint8_t> starts_;        // by slot: number of warps that have started in it
    std::vector<std::uint8_t> generation_;    // by slot: number of flushes, to discard instructions
                                              // being decoded
    slot_mask live_ = 0;                      // has instructions left to issue
    slot_mask valid_ = 0;                     // has a decoded instruction
    slot_mask dependent_ = 0;                 // its next instruction waits for a counter
    slot_mask blocked_ = 0;                   // at a barrier, a fence, atomics, copies
    slot_mask wants_fetch_ = 0;               // may have room in its buffer
    kernel::ring_buffer<decoding> decoding_;  // in order of arrival
    struct increment {
        std::uint64_t issued;
        std::uint8_t slot, counter;
        bool memory;
        template <class Archive>
        void checkpoint(Archive& a) {
            a(issued, slot, counter, memory);
        }
    };
    std::vector<increment> increments_;  // in the last cycles
    fixed_latency_stage control_, allocate_;
    std::uint64_t port_free_at_ = 0;  // the issue port
    std::array<std::vector<event>, wheel_size> wheel_;
    std::array<std::uint64_t, wheel_size / 64> armed_{};
    std::vector<event> due_;
    std::unordered_map<std::uint64_t, tensor_cycles> matrix_timing_;  // by matrix_shape::key()

    // cycles that have not been counted yet
    std::uint64_t next_counted_ = 0;
    stall_reason sleeping_for_ = stall_reason::no_warp;
    issue_probe probe_;

    kernel::clocked_process write_back_process_;
    kernel::clocked_process operand_process_;
    kernel::clocked_process issue_process_;
    kernel::clocked_process fetch_process_;
};

}  // namespace simtlm::core::modern
