// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/asynchronous_details.h"

#include <string>
#include <vector>

namespace simtlm::trace {

/// Replays a warp of a tracer's trace that uses mbarriers or bulk copies, with the interface of an
/// executed warp: its instructions follow each other as recorded, and the SM asks it for transfers
/// and waits.
class recorded_warp final : public program::warp_executor, public program::wait_describer {
public:
    /// @param waits  false: waits for mbarriers succeed at once
    recorded_warp(const program::warp_code& recorded, replayed_mbarriers& barriers, bool waits)
        : next_(recorded.window.next),
          end_(recorded.window.end),
          addresses_(recorded.addresses),
          waits_(waits),
          asynchronous_(barriers) {}

    void issue(const program::dynamic_instruction& instruction, std::uint64_t now,
               program::issue_effects& effects, program::lane_addresses& addresses) override;
    std::vector<program::bulk_transfer> take_transfers() override {
        return asynchronous_.take_transfers();
    }
    bool retry_wait() override { return asynchronous_.retry_wait(); }
    std::string awaited() const override { return asynchronous_.awaited(); }

private:
    const program::dynamic_instruction* next_;
    const program::dynamic_instruction* end_;
    const std::uint64_t* addresses_;
    bool waits_;
    asynchronous_replay asynchronous_;
};

}  // namespace simtlm::trace
