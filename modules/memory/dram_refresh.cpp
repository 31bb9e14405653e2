// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_refresh.h"

namespace simtlm::memory {

issued_commands dram_refresh::issue_of_all(std::uint64_t now) {
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

issued_commands dram_refresh::issue_of_bank(std::uint64_t now) {
    issued_commands done;
    const dram_bank_machines& machines = bus_.machines();
    const dram_timing_state& banks = machines.timing();
    if ((machines.busy() & dram_bank_machines::bit(bank_)) != 0) return done;
    if (banks.active(bank_)) {
        if (now < banks.precharge_at(bank_)) return done;
        bus_.precharge(bank_, now);
    } else {
        if (now < banks.refresh_bank_at(bank_)) return done;
        bus_.refresh_bank(bank_, now);
        due_ += interval_;
        bank_ = (bank_ + 1) % banks.banks();
    }
    done.row = true;
    return done;
}

}  // namespace simtlm::memory
