// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/ring_buffer.h"

#include <algorithm>
#include <cstdint>

namespace simtlm::memory {

/// The delay between a column command and its data: a shift register of CL (or WL, in write mode)
/// stages plus one, which stalls while the return queue is full. Each entry is stored with the
/// number of the shift at which it leaves, so that empty stages cost nothing.
class dram_data_pipeline {
public:
    /// @param places  number of entries: CL + 1, or WL + 1 if that is more
    explicit dram_data_pipeline(unsigned places) : entries_(places), places_(places) {}

    /// Sets the latency of entries pushed from now on, in stages.
    void set_stages(unsigned stages) { stages_ = std::max(stages, 1u); }
    /// Advances by a number of stages.
    void shift(std::uint64_t cycles) { shifts_ += cycles; }

    bool empty() const { return entries_.empty(); }
    /// Whether the front entry leaves in this shift.
    bool ready() const { return !entries_.empty() && entries_.front().leaves <= shifts_; }
    /// Number of shifts until the front entry leaves. @pre !empty()
    std::uint64_t remaining() const { return entries_.front().leaves - shifts_; }
    bool full() const {
        return entries_.full() || std::max<std::uint64_t>(stages_, after_last()) >= places_;
    }
    /// The request whose data leave next. @pre !empty()
    std::uint32_t front() const { return entries_.front().request; }
    /// Adds a request whose column command has issued. @pre !full()
    void push(std::uint32_t request) {
        const std::uint64_t at =
            shifts_ + std::max<std::uint64_t>(stages_, entries_.empty() ? 0 : after_last() + 1);
        entries_.push({request, at});
        last_ = at;
    }
    std::uint32_t pop() { return entries_.pop().request; }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(stages_, shifts_, last_);
    }

private:
    std::uint64_t after_last() const { return last_ > shifts_ ? last_ - shifts_ : 0; }
    struct entry {
        std::uint32_t request = 0;
        std::uint64_t leaves = 0;
    };
    support::ring_buffer<entry> entries_;
    unsigned places_;
    unsigned stages_ = 1;
    std::uint64_t shifts_ = 0;
    std::uint64_t last_ = 0;
};

}  // namespace simtlm::memory
