// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_scheduler.h"

namespace simtlm::memory {

const std::vector<named_dram_scheduler>& dram_schedulers() {
    static const std::vector<named_dram_scheduler> all = {
        {"FIFO", make_fifo_scheduler},
        {"FR-FCFS", make_fr_fcfs_scheduler},
    };
    return all;
}

}  // namespace simtlm::memory
