// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_table.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>
#include <systemc>
#include <vector>

namespace simtlm::core {

/// The warps of an SM that sleep (nanosleep). They do not issue until their time has passed; while
/// all warps of an SM sleep, it costs nothing.
///
/// Action: wakes warps up, before the issue of the same cycle (core_write_back).
class sleeping_warps : public sc_core::sc_module {
public:
    sleeping_warps(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   warp_table& warps);
    const char* kind() const override { return "sleeping_warps"; }

    /// A warp that issues in this cycle may issue again in core cycle `until`. In phase core_issue.
    void sleep(unsigned warp, std::uint64_t until);
    /// Discards all warps, which have ended.
    void clear() { sleepers_.clear(); }
    bool any() const { return !sleepers_.empty(); }

private:
    void wake_up();

    struct sleeper {
        std::uint64_t until;
        unsigned warp;
    };
    warp_table& warps_;
    std::vector<sleeper> sleepers_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core
