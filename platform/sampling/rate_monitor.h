// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>

namespace simtlm::platform {

class gpu;

/// Stops a kernel early once its rate is stable (Principal Kernel Projection): no more of its
/// thread blocks are placed, so that it ends with the resident ones, and the cycles of the others
/// are projected.
///
/// The rate is measured in thread instructions per core cycle over windows of 500 core cycles. It
/// is stable if a whole wave of thread blocks has ended and the relative standard deviation of the
/// last eight windows does not exceed a limit. A kernel with less than two waves left runs to its
/// end. Kernels must not overlap.
class rate_monitor : public sc_core::sc_module {
public:
    /// @param spread  maximum relative standard deviation of a stable rate
    rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread);
    const char* kind() const override { return "rate_monitor"; }

    /// The part of a kernel that was not simulated.
    struct remainder {
        double cycles = 0;        ///< core cycles
        double uncertain = 0;     ///< standard deviation of `cycles`
        double instructions = 0;  ///< thread instructions
        std::uint64_t ctas = 0;   ///< thread blocks not placed; 0: the kernel ran to its end
    };
    /// Returns the remainder of a kernel that has ended. @param launch  its launch number
    remainder take(std::uint64_t launch);

private:
    static constexpr unsigned windows = 8;
    static constexpr double window_cycles = 500;

    void sample();

    gpu& device_;
    const double spread_;
    const sc_core::sc_time window_;
    std::uint64_t launch_ = 0;        // launch number of the running kernel; 0: none
    std::uint64_t instructions_ = 0;  // thread instructions of all SMs at its launch
    std::uint64_t before_ = 0;        // thread instructions at the end of the last window
    std::deque<double> rates_;        // of the last windows, thread instructions per core cycle
    std::uint64_t ctas_left_ = 0;     // at the time of the stop; 0: not stopped
    std::uint64_t ctas_ = 0;          // thread blocks in its grid
    double rate_ = 0, deviation_ = 0;
};

}  // namespace simtlm::platform
