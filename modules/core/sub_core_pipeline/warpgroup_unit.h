// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/engine_watcher.h"
#include "modules/core/sub_core_pipeline/engine_config.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/core/warp_table.h"
#include "modules/program/instruction.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Duration of a product of a warpgroup, in core cycles.
struct warpgroup_cycles {
    unsigned busy = 1;  ///< occupancy of the tensor cores
    unsigned tail = 0;  ///< from then until the sums are in registers
    /// Registers that each sub-core reads, one per cycle from the beginning: the accumulators, and
    /// A.
    unsigned registers = 0;
};

/// The duration of m64nNkK is determined by the throughput of the tensor cores, and by the
/// bandwidth of shared memory for operands stored there: A, of 64 x K elements, and B. m64n256k16
/// with 16-bit operands takes 128 cycles; A in shared memory is visible below n64, and where a
/// sparse B uses the whole bandwidth (arXiv 2501.12084).
warpgroup_cycles warpgroup_timing(const warpgroup_config& config, const program::matrix_shape& s,
                                  bool a_in_registers);

/// The tensor cores of an SM as used by warpgroups (wgmma): each of four warps issues a product,
/// which begins when the last of them has issued it and all earlier products have begun; the warps
/// continue until they wait for a group.
///
/// Action: resumes warps whose groups are complete (core_write_back).
class warpgroup_unit : public sc_core::sc_module {
public:
    /// References to the parts of the SM that the unit uses.
    struct blocks {
        warp_table& warps;
        sub_core_statistics& statistics;
    };
    warpgroup_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const warpgroup_config& config, const blocks& sm);
    const char* kind() const override { return "warpgroup_unit"; }

    /// Adds an observer of every queued product. @param sm  number of the SM
    void watch(engine_watcher& watcher, unsigned sm) {
        watcher_ = &watcher;
        sm_number_ = sm;
    }
    /// A CTA has been placed: every four of its warps form a warpgroup.
    void place(unsigned first_warp, unsigned warps);
    /// A warp has issued wgmma.fence, in phase core_issue: it continues in the cycle after the one
    /// in which the last warp of the warpgroup has, because a product reads what all of them have
    /// stored before.
    /// @return true: it waits
    bool arrive(unsigned warp, std::uint64_t now);
    /// Whether a warp may issue a product: another warp of its warpgroup has issued it, or there is
    /// room for another one in front of the tensor cores.
    bool can_issue(unsigned warp, const program::static_instruction& what, std::uint64_t now) const;
    /// A warp has issued a product, in phase core_issue.
    void multiply(unsigned warp, const program::static_instruction& what, std::uint64_t now);
    /// Closes the current group of products of a warp.
    void commit(unsigned warp);
    /// Makes a warp wait until at most `groups` of its closed groups are in flight.
    /// @return false: it need not wait
    bool wait(unsigned warp, unsigned groups, std::uint64_t now);
    bool waits(unsigned warp) const { return warps_[warp].waits; }
    /// What a warp waits for.
    const char* why_waiting(unsigned warp) const {
        return warps_[warp].fence != 0 ? "the other warps of its warpgroup"
                                       : "products of its warpgroup";
    }
    /// A warp has ended: it exits when its products are complete (waits()).
    void ends(unsigned warp, std::uint64_t now) { wait_for(warp, warps_[warp].issued, now); }
    /// All warps have ended: they do not wait for each other, nor for their products.
    void discard_waits();
    /// Number of products that all their warps have issued.
    std::uint64_t begun() const { return begun_; }
    /// Cycles after `now` in which the tensor cores read a register in every sub-core.
    /// @return bit k, from 1 to `cycles`: a register is read in cycle now + k
    std::uint64_t register_reads(std::uint64_t now, unsigned cycles);
    /// Whether a product occupies the tensor cores in a core cycle.
    bool busy_in(std::uint64_t cycle) const { return cycle >= busy_from_ && cycle < free_at_; }

private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    struct product {
        std::uint8_t issued = 0;  // number of warps that have issued it
        std::uint64_t done_at = never;
    };
    struct warpgroup {
        unsigned members = 0;
        unsigned arrived = 0;         // number of warps at the current wgmma.fence
        std::uint64_t fences = 0;     // number of wgmma.fence that all warps have issued
        std::uint64_t fenced_at = 0;  // core cycle after the last of them
        std::uint64_t first = 0;      // number of products[0]
        std::deque<product> products;
    };
    struct warp_products {
        unsigned group = 0;                 // its warpgroup, by first warp
        std::uint64_t issued = 0;           // number of products issued
        std::vector<std::uint64_t> closed;  // products issued up to the end of each closed group
        std::uint64_t needed = 0;           // number of products that must be complete
        std::uint64_t fence = 0;            // number of the wgmma.fence at which it waits; 0: none
        bool waits = false;
    };
    /// The core cycle in which the warps or products that a warp waits for have arrived or are
    /// complete; never: not known yet.
    std::uint64_t complete_at(const warp_products& w) const;
    /// Registers a wait until `at`. @return whether there is one
    bool hold(unsigned warp, std::uint64_t at, std::uint64_t now);
    bool wait_for(unsigned warp, std::uint64_t products, std::uint64_t now);
    void release();

    const warpgroup_config config_;
    blocks sm_;
    std::vector<warp_products> warps_;
    std::vector<warpgroup> groups_;  // by first warp
    /// By matrix_shape::key(), and by whether A is in registers.
    std::unordered_map<std::uint64_t, warpgroup_cycles> timing_[2];
    warp_mask waiting_ = 0;
    std::uint64_t busy_from_ = 0;  // start of the current uninterrupted use
    std::uint64_t free_at_ = 0;
    std::uint64_t begun_ = 0;
    std::deque<std::uint64_t> ends_;  // core cycles in which products leave the tensor cores
    unsigned incomplete_ = 0;         // products that some of their warps have issued
    /// Removes register reads of products that have ended.
    void discard_past_reads(std::uint64_t now);
    struct read_cycles {
        std::uint64_t from, until;
    };
    std::deque<read_cycles> reads_;  // of products in execution and in the queue
    engine_watcher* watcher_ = nullptr;
    unsigned sm_number_ = 0;  // for the watcher
    simulation::clocked_process release_process_;
};

}  // namespace simtlm::core::sub_core_pipeline
