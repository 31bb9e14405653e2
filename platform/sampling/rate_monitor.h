// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

namespace simtlm::dispatch {
struct running_kernel;
}

namespace simtlm::platform {

class gpu;

/// Stops a kernel early once its rate is stable (Principal Kernel Projection): no more of its
/// thread blocks are placed, so that it ends with the resident ones, and the cycles of the others
/// are projected.
///
/// The rate is measured in thread instructions per core cycle over the last eight windows of 500
/// core cycles or, if longer, the time in which the last whole wave of thread blocks has ended:
/// thread blocks that began together do the same at the same time, so that a shorter time has
/// another rate. It is stable if the relative standard deviation of eight equal parts of this time
/// does not exceed a limit, once two waves have ended. A kernel with less than two waves left runs
/// to its end. Kernels must not overlap.
///
/// If the values that a program computes are not needed (end_within_ctas()), a kernel also ends
/// within its resident thread blocks, whose warps end at their next instruction. The rate is then
/// stable if it is about the same in eight periods that cover the second half of the time since the
/// first thread block, at least 32,000 cycles: loops whose iterations take longer are not mistaken.
/// A kernel runs on if less than half of that time would remain.
/// The instructions of a thread block are those of others, executed functionally. If all are
/// resident, the kernel ends with the longest one at its share of the rate; else those that were
/// not placed follow in waves at the same rate; the last wave takes the share of a wave that the SM
/// with most thread blocks has.
class rate_monitor : public sc_core::sc_module {
public:
    /// @param spread  maximum relative standard deviation of a stable rate
    rate_monitor(const sc_core::sc_module_name& name, gpu& device, double spread);
    const char* kind() const override { return "rate_monitor"; }

    /// Warp instructions of the CTAs of a kernel.
    struct cta_work {
        double mean = 0, deviation = 0, longest = 0;
    };
    /// Determines the work of the CTAs of a kernel; nothing: unknown, and the kernel runs on.
    using work_function =
        std::function<std::optional<cta_work>(std::uint64_t list_number, std::uint64_t ctas)>;
    /// Lets kernels end within their CTAs.
    void end_within_ctas(work_function work_of) { work_of_ = std::move(work_of); }

    /// The part of a kernel that was not simulated.
    struct remainder {
        double cycles = 0;             ///< core cycles
        double uncertain = 0;          ///< standard deviation of `cycles`
        double instructions = 0;       ///< thread instructions
        std::uint64_t ctas = 0;        ///< thread blocks not placed
        std::optional<cta_work> work;  ///< the kernel ended within its CTAs, which have this work
        std::uint64_t ending_cycles = 0;  ///< simulated core cycles from then to its end

        bool any() const { return ctas != 0 || work; }
    };
    /// Returns the remainder of a kernel that has ended. @param launch  its launch number
    remainder take(std::uint64_t launch);

private:
    static constexpr unsigned periods = 8;  ///< whose rates are compared
    static constexpr double window_cycles = 500;
    static constexpr std::size_t min_windows = 64;  ///< before an end within CTAs
    static constexpr double min_rest = 0.5;         ///< of the time so far, for an end within CTAs

    /// Mean and standard deviation.
    struct rate {
        double mean = 0, deviation = 0;
        bool is_stable(double spread) const { return mean != 0 && deviation <= spread * mean; }
    };
    static rate rate_of_periods(const std::vector<std::uint64_t>& counts, std::size_t from);
    std::size_t wave_begin(std::uint64_t wave) const;
    bool is_stable_within_ctas() const;
    std::uint64_t warp_instructions() const;
    remainder rest_within_ctas() const;

    void sample();
    void sample(const dispatch::running_kernel& kernel, std::uint64_t now);
    void try_within_ctas(const dispatch::running_kernel& kernel);

    gpu& device_;
    const double spread_;
    const sc_core::sc_time window_;
    std::uint64_t launch_ = 0;        // launch number of the running kernel; 0: none
    std::uint64_t instructions_ = 0;  // thread instructions of all SMs at its launch
    // At its start and after each window: thread instructions of all SMs, ended thread blocks.
    std::vector<std::uint64_t> executed_, completed_;
    std::uint64_t ctas_left_ = 0;  // at the time of the stop; 0: not stopped
    std::uint64_t ctas_ = 0;       // thread blocks in its grid
    rate rate_;                    // at the time of the stop

    work_function work_of_;
    std::vector<std::uint64_t> issued_;  // warp instructions of all SMs after each window
    bool within_ctas_ = true;            // whether the kernel may end within its CTAs
    std::optional<cta_work> work_;       // it has; then at the time of the stop:
    std::uint64_t stopped_at_ = 0;       // core cycle
    std::uint64_t resident_ = 0;         // CTAs
    std::uint64_t ctas_per_sm_ = 0;
};

}  // namespace simtlm::platform
