// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/engine_config.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/core/warp_table.h"
#include "modules/program/tensor_core_work.h"
#include "modules/simulation/clocked_process.h"

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// The fifth-generation tensor core of an SM and its tensor memory (tcgen05, sm_100).
///
/// Products of all warps pass a pipeline in the order of issue:
///
///     issue → A from shared memory, unless it is in tensor memory
///       → B from shared memory, while the columns of D are computed → sums in tensor memory
///
/// The port of shared memory delivers tensor_core_config::shared_bytes per cycle; A of a product is
/// read while the previous one is computed, so that products begin at intervals of the longer of
/// computation and port. Two CTAs (.cta_group::2) add a latency; the pipeline of the issuing SM
/// stands for that of both, since the other CTA gives no work of its own. Shifts of rows in tensor
/// memory pass it in order, too, without the port.
///
/// A commit signals its mbarriers when all earlier work of its warp is complete. Loads and stores
/// of a sub-core pass the port of its quarter of tensor memory, one column of 32 lanes per cycle.
/// An allocation waits until the CTAs of the SM have left enough columns.
///
/// Actions: completions (core_write_back).
class tensor_core_unit : public sc_core::sc_module {
public:
    /// Interface of the owner.
    struct client {
        virtual ~client() = default;
        /// The work before a commit is complete: its mbarriers have to be signalled.
        virtual void work_complete(unsigned warp, const program::tensor_core_work& commit) = 0;
    };
    struct blocks {
        warp_table& warps;
        sub_core_statistics& statistics;
        client& sm;
    };
    tensor_core_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const tensor_core_config& config, const blocks& sm);

    // ---- from the sub-cores, in phase core_issue ----

    /// A warp has issued work.
    /// @return true: it waits, for an allocation
    bool start(unsigned warp, std::vector<program::tensor_core_work> work, std::uint64_t now);
    /// Lets a warp wait until its loads (or stores) are complete. @return false: it need not
    bool wait(unsigned warp, bool stores, std::uint64_t now);
    /// Cycles until the loads of a warp are complete.
    std::uint16_t cycles_to_load(unsigned warp, std::uint64_t now) const;
    bool waits(unsigned warp) const { return warps_[warp].waits; }
    /// What a warp waits for.
    std::string why_waiting(unsigned warp) const;
    /// Assigns a warp slot to a new warp.
    void warp_starts(unsigned warp) { warps_[warp] = {}; }
    /// A CTA has ended: what it has not released is free.
    void cta_ends(unsigned slot, std::uint64_t now);
    /// All warps have ended: they wait for nothing.
    void discard_waits() {
        for (warp_work& w : warps_) w.waits = false;
        waiting_ = 0;
        awaiting_.clear();
    }
    /// Columns that CTAs have allocated.
    unsigned allocated() const;

private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    struct warp_work {
        std::uint64_t done_at = 0;  // core cycle in which its products and copies are complete
        std::uint64_t loaded_at = 0, stored_at = 0;
        std::uint64_t until = 0;  // waits until then; never: for columns
        unsigned columns = 0;     // to allocate
        bool waits = false;
    };
    struct completion {
        std::uint64_t at;
        unsigned warp;
        program::tensor_core_work commit;
    };
    void multiply(warp_work& w, const program::tensor_core_work& work, std::uint64_t now);
    void copy(warp_work& w, const program::tensor_core_work& work, std::uint64_t now);
    void shift(warp_work& w, std::uint64_t now);
    void commit(unsigned warp, program::tensor_core_work work, std::uint64_t now);
    void access(unsigned warp, const program::tensor_core_work& work, std::uint64_t now);
    bool hold(unsigned warp, std::uint64_t at, std::uint64_t now);
    bool allocate(unsigned warp, std::uint64_t now);
    void release_columns(std::uint64_t now);
    void act();

    const tensor_core_config config_;
    blocks sm_;
    std::vector<warp_work> warps_;
    std::vector<unsigned> columns_;        // allocated, by CTA slot
    std::vector<unsigned> awaiting_;       // warps that wait for columns, in order
    std::vector<completion> completions_;  // by time
    warp_mask waiting_ = 0;
    std::uint64_t port_free_at_ = 0;  // of shared memory
    std::uint64_t compute_free_at_ = 0;
    static constexpr unsigned sub_cores = 4;
    std::array<std::uint64_t, sub_cores> access_free_at_{};  // of a quarter of tensor memory
    simulation::clocked_process act_process_;
};

}  // namespace simtlm::core::sub_core_pipeline
