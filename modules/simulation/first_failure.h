// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <systemc>
#include <utility>

namespace simtlm::simulation {

/// The error that ends a simulation. If several processes fail in one step, the first in the order
/// of phases and of process creation counts, whatever the order in which they ran.
class first_failure {
public:
    /// @param step   in which a process failed
    /// @param order  of that process within the step
    void report(std::exception_ptr why, std::uint64_t step, std::uint64_t order) {
        if (why_ && (step_ != step || order >= order_)) return;
        if (!why_) occurred_.notify(sc_core::SC_ZERO_TIME);
        why_ = std::move(why);
        step_ = step;
        order_ = order;
    }
    /// Clears the failure; the simulation continues.
    void clear() { why_ = nullptr; }
    bool has_occurred() const { return why_ != nullptr; }
    /// Throws the failure, if there is one.
    void rethrow() const {
        if (why_) std::rethrow_exception(why_);
    }
    const sc_core::sc_event& occurred() const { return occurred_; }

private:
    std::exception_ptr why_;
    std::uint64_t step_ = 0;
    std::uint64_t order_ = 0;
    sc_core::sc_event occurred_;
};

}  // namespace simtlm::simulation
