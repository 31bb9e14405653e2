// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

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
///
/// A kernel whose thread blocks are all resident, none of which has ended, may be ended within them
/// if at least 32 windows have passed and the means of the second, third and fourth quarter of all
/// windows differ from their mean by at most the limit.
class rate_monitor : public sc_core::sc_module {
public:
    /// Ends the resident thread blocks of a kernel; the argument is the number of its command.
    /// @return instructions of the whole kernel relative to those executed so far, or nothing if
    /// they go on
    using end_resident = std::function<std::optional<double>(std::uint64_t number)>;

    /// @param spread  maximum relative standard deviation of a stable rate
    /// @param end     empty: kernels are not ended within their thread blocks
    rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread,
                 end_resident end = {});
    const char* kind() const override { return "rate_monitor"; }

    /// The part of a kernel that was not simulated.
    struct remainder {
        double cycles = 0;        ///< core cycles
        double uncertain = 0;     ///< standard deviation of `cycles`
        double instructions = 0;  ///< thread instructions
        std::uint64_t ctas = 0;   ///< thread blocks not placed
        double scale = 1;         ///< instructions of the whole kernel relative to those executed
    };
    /// Returns the remainder of a kernel that has ended. @param launch  its launch number
    remainder take(std::uint64_t launch);

private:
    static constexpr unsigned windows = 8;
    static constexpr double window_cycles = 500;

    void sample();
    bool is_stable_within_blocks();

    gpu& device_;
    const double spread_;
    const end_resident end_;
    const sc_core::sc_time window_;
    std::uint64_t launch_ = 0;        // launch number of the running kernel; 0: none
    std::uint64_t instructions_ = 0;  // thread instructions of all SMs at its launch
    std::uint64_t before_ = 0;        // thread instructions at the end of the last window
    std::deque<double> rates_;        // of the last windows, thread instructions per core cycle
    std::vector<double> all_rates_;   // since the first thread block was placed
    double scale_ = 1;                // of a kernel ended within its thread blocks
    std::uint64_t ctas_left_ = 0;     // at the time of the stop; 0: not stopped
    std::uint64_t ctas_ = 0;          // thread blocks in its grid
    double rate_ = 0, deviation_ = 0;
};

}  // namespace simtlm::platform
