// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_refresh.h"

namespace simtlm::memory {

issued_commands dram_refresh::issue(std::uint64_t now) {
    issued_commands done;
    const dram_timing_state& banks = bus_.machines().timing();
    bool open = false;
    for (unsigned b = 0; b < banks.banks(); ++b) {
        if (!banks.active(b)) continue;
        open = true;
        if (now < banks.precharge_at(b)) continue;
        bus_.precharge(b, now);
        done.row = true;
        return done;
    }
    if (open || now < banks.refresh_at()) return done;
    bus_.refresh(now);
    due_ += interval_;
    done.row = true;
    return done;
}

}  // namespace simtlm::memory
