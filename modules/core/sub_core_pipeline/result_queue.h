// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The result queue of the fixed-latency units of a sub-core (Huerta et al., section 5.1): an entry
/// is reserved at issue and freed when the result has been written, one per cycle, so that units of
/// different latencies do not conflict at the register file's write port.
class result_queue {
public:
    explicit result_queue(unsigned entries) : entries_(entries) {}

    bool can_reserve() const { return used_ < entries_; }
    /// @pre can_reserve()
    void reserve() { ++used_; }
    /// @return the cycle in which a result is written that is ready in a given cycle: one leaves
    ///         per cycle
    std::uint64_t written_at(std::uint64_t ready) {
        if (ready <= last_) ready = last_ + 1;
        return last_ = ready;
    }
    void release() { --used_; }
    unsigned used() const { return used_; }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(last_);
    }

private:
    unsigned entries_;
    unsigned used_ = 0;
    std::uint64_t last_ = 0;
};

}  // namespace simtlm::core::sub_core_pipeline
