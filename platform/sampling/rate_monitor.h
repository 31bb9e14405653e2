// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>

namespace simtlm::platform {

class gpu;

/// Stops a kernel whose rate has become stable (Principal Kernel Projection): places no more of
/// its thread blocks, so that it ends with those that are resident, and tells what the others
/// would have taken.
///
/// The rate is thread instructions per core cycle, over windows of 500 core cycles. It is stable
/// when a whole wave of thread blocks has ended, and the last eight windows differ by no more than
/// a relative standard deviation. A kernel of which less than two waves is left runs to its end.
/// For kernels that run one after the other.
class rate_monitor : public sc_core::sc_module {
public:
    /// @param spread  relative standard deviation of a stable rate
    rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread);

    /// What the kernel that has just ended was not made to do.
    struct remainder {
        double cycles = 0;        ///< core cycles
        double uncertain = 0;     ///< their standard deviation
        double instructions = 0;  ///< thread instructions
        std::uint64_t ctas = 0;   ///< that were not placed; 0: it has run to its end
    };
    /// @param launch  of the kernel that has ended
    remainder take(std::uint64_t launch);

private:
    static constexpr unsigned windows = 8;
    static constexpr double window_cycles = 500;

    void look();

    gpu& device_;
    const double spread_;
    const sc_core::sc_time window_;
    std::uint64_t launch_ = 0;        // that runs; 0: none
    std::uint64_t instructions_ = 0;  // of all SMs, when it was launched
    std::uint64_t before_ = 0;        // ... at the end of the last window
    std::deque<double> rates_;        // of its last windows, thread instructions per core cycle
    std::uint64_t ctas_left_ = 0;     // when it was stopped; 0: it was not
    std::uint64_t ctas_ = 0;          // of its grid
    double rate_ = 0, deviation_ = 0;
};

}  // namespace simtlm::platform
