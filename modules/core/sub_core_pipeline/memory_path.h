// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/execution_stage.h"
#include "modules/core/sub_core_pipeline/memory_queue.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The path of memory instructions from the issue stage of a sub-core to the memory unit of the SM:
/// the memory_queue, and the latencies of its entries.
class memory_path {
public:
    /// An entry of the memory queue.
    struct entry {
        warp_instruction* inst = nullptr;
        std::uint16_t read_extra = 0;  ///< cycles from acceptance until its operands are read
        std::uint16_t data_extra = 0;  ///< cycles from acceptance until the data of a hit are
                                       ///< written
    };
    struct client {
        virtual ~client() = default;
        /// The memory queue has an instruction.
        virtual void has_memory_instruction(unsigned sub_core) = 0;
    };
    memory_path(sub_core_slots& slots, execution_stage& execution, client& sm)
        : context_(slots), execution_(execution), sm_(sm), queue_(slots.timing.memory_queue) {}

    /// Adds an instruction that has issued. @pre queue().can_issue()
    void start(warp_instruction& inst, program::scheduling_class c, std::uint64_t now);
    /// Removes the head of the queue, for the memory unit. Called in phase core_dispatch.
    entry take(std::uint64_t now);
    const memory_queue<entry>& queue() const { return queue_; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(queue_);
    }

private:
    sub_core_slots& context_;
    execution_stage& execution_;
    client& sm_;
    memory_queue<entry> queue_;
};

}  // namespace simtlm::core::sub_core_pipeline
