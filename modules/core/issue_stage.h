// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/core_statistics.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/memory_effects.h"
#include "modules/core/scoreboard.h"
#include "modules/core/shared_memory.h"

namespace simtlm::core {

/// What it means that an instruction issues (manual: Issue). The warp schedulers choose, this
/// stage does, one reason a function: the instruction leaves its buffer and takes effect, its
/// registers are reserved, its addresses coalesced; barriers, fences, atomics and asynchronous
/// copies make the warp wait; the warp ends, or goes on elsewhere.
///
/// One for all schedulers of an SM, which act one after the other.
class issue_stage {
public:
    struct blocks {
        warp_table& warps;
        scoreboard& scores;
        barrier_unit& barriers;
        const coalescer& coalesce;
        const shared_memory& shared;
        const local_memory_map& local_memory;
        effect_queue& effects;
        warp_instruction_pool& pool;
        core_statistics& statistics;
    };
    issue_stage(const sm_config& config, const blocks& sm) : config_(config), sm_(sm) {}

    /// The next instruction in a warp's buffer issues.
    /// @return the instruction, on its way to the operand collector
    warp_instruction& issue(unsigned warp, unsigned scheduler, std::uint64_t now);

    /// Instructions of a path that the warp has not taken leave its buffer; it is fetched anew from
    /// where it goes on (manual: a control hazard). @pre warps.off_path has the warp
    void flush(unsigned warp);
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(uid_);
    }

private:
    struct execution;

    warp_instruction& take(unsigned warp, unsigned scheduler);
    void recorded(execution& e);
    void executed(execution& e, std::uint64_t now);
    void resolve_addresses(execution& e);
    void await_atomics(const warp_instruction& inst);
    void pass_fence(unsigned warp);
    void end_or_wait(const execution& e);
    void go_on(const execution& e);

    const sm_config& config_;
    blocks sm_;
    std::uint64_t uid_ = 0;  // instructions issued
};

}  // namespace simtlm::core
