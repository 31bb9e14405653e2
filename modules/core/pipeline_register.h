// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"

#include <vector>

namespace simtlm::core {

/// The pipeline registers between two stages for one kind of unit: as many as the stage is wide.
/// In the sub-core model each scheduler has the register of its own number.
class pipeline_register {
public:
    pipeline_register() = default;
    /// @param width     registers
    /// @param sub_core  register s belongs to scheduler s
    pipeline_register(unsigned width, bool sub_core) : slots_(width), sub_core_(sub_core) {}

    bool empty() const { return count_ == 0; }
    unsigned width() const { return static_cast<unsigned>(slots_.size()); }
    unsigned count() const { return count_; }

    bool has_free(unsigned scheduler) const {
        if (!sub_core_) return count_ < slots_.size();
        return scheduler < slots_.size() && slots_[scheduler] == nullptr;
    }
    /// @pre has_free(scheduler)
    void put(unsigned scheduler, warp_instruction& inst) {
        unsigned i = scheduler;
        if (!sub_core_)
            for (i = 0; slots_[i] != nullptr;) ++i;
        slots_[i] = &inst;
        ++count_;
    }
    /// The register that a scheduler owns, nullptr when empty.
    warp_instruction* of(unsigned scheduler) const {
        return scheduler < slots_.size() ? slots_[scheduler] : nullptr;
    }
    /// The instruction issued first, nullptr when empty.
    warp_instruction* oldest() const {
        warp_instruction* found = nullptr;
        for (warp_instruction* p : slots_)
            if (p != nullptr && (found == nullptr || p->uid < found->uid)) found = p;
        return found;
    }
    void remove(const warp_instruction& inst) {
        for (warp_instruction*& p : slots_)
            if (p == &inst) {
                p = nullptr;
                --count_;
                return;
            }
    }

private:
    std::vector<warp_instruction*> slots_;
    unsigned count_ = 0;
    bool sub_core_ = false;
};

}  // namespace simtlm::core
