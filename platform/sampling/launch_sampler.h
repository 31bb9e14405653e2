// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/sampling/kernel_sampler.h"
#include "platform/sampling/launch_chooser.h"
#include "platform/sampling/rate_monitor.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simtlm::dispatch {
struct finished_kernel;
}

namespace simtlm::platform {

/// Sampling of a program (--sample, --sample-stable). The launches become known one at a time, and
/// all of them must be executed. A few launches of each group are simulated (launch_chooser); the
/// others are executed functionally, and their cycles are estimated from the instructions executed.
/// Launches of the same kernel, grid and block are grouped by instruction mix and accessed memory
/// after they have run. A grid that occurs only a few times is not simulated if similar grids of
/// the same kernel have been. With --sample-stable, the remaining thread blocks of a launch are
/// executed functionally once its rate has become stable; with --sample-skip, too, a launch can
/// end within its resident thread blocks, and nothing more of it is executed.
class launch_sampler {
public:
    /// @param launch_cycles  cycles of an empty kernel, core clock
    launch_sampler(const sampling_options& how, double launch_cycles)
        : how_(how), sampler_(how, launch_cycles), chooser_(how.first) {}

    /// Sets the GPU that simulates the launches; to be called before the simulation starts.
    void attach(gpu& device);

    /// Rejects options that choose launches themselves or need to know future launches.
    /// @throws support::user_error
    static void check(const option_values& values);

    /// A simulated launch.
    struct simulated_launch {
        std::function<void()>
            execute_rest;  ///< functionally executes the CTAs that were not placed
        std::function<kernel_traits()> executed;  ///< traits of the instructions executed
        /// Functionally executes a CTA while the launch is simulated. @return its warp
        /// instructions; nothing if it faults, as when it waits for other CTAs. Required only with
        /// --sample-skip.
        std::function<std::optional<std::uint64_t>(std::uint64_t cta)> instructions_of;
    };

    /// Adds the next launch. @return whether to simulate it
    bool take(const kernel_traits& traits);
    /// Returns whether to execute nothing of a launch that take() did not choose (--sample-skip).
    /// It then counts with the instructions of an equal launch before it, or not at all if it
    /// precedes the sampled part of the run (--sample-from).
    bool skip(std::uint64_t number);
    /// Returns whether traits must include the arguments.
    bool compares_arguments() const { return how_.skip != 0; }
    /// A launch has been executed in functional mode. @param number  from 1, in the order of take()
    /// @param traits  including what it has executed
    void executed(std::uint64_t number, const kernel_traits& traits);
    /// To be called before a launch is simulated.
    void started(std::uint64_t number, simulated_launch launch);
    /// To be called when a launch has been simulated, completely or until its rate was stable; its
    /// number is that of the command in its list. Executes the remaining CTAs. @throws
    /// execution_error
    void ended(const dispatch::finished_kernel& kernel);

    /// The run has ended: writes the projection to a file if requested.
    /// @throws support::output_error
    void write() const;
    /// The projection: lines "name = value" and a table of the groups.
    std::string text() const;
    /// The projection in one line.
    std::string summary() const;

private:
    /// Launches of one kernel, whatever their grid.
    struct grid_samples {
        std::set<double> simulated;           ///< CTA counts of the launches chosen
        std::optional<kernel_traits> leader;  ///< traits of the first launch
        bool irregular = false;               ///< the work per CTA depends on the grid
    };

    bool is_covered(const grid_samples& s, double ctas) const;
    std::optional<rate_monitor::cta_work> work_of(std::uint64_t number, std::uint64_t ctas) const;
    bool is_large(std::size_t family) const;
    double assign(std::uint64_t number, const kernel_traits& traits, bool simulated);

    sampling_options how_;
    kernel_sampler sampler_;
    launch_chooser chooser_;
    std::map<launch_key, std::size_t> families_;
    std::map<kernel_key, grid_samples> grids_;
    std::vector<std::size_t> family_of_;                // by launch
    std::vector<std::optional<kernel_traits>> latest_;  // by family: of its latest executed launch
    std::uint64_t skipped_ = 0;
    std::map<std::uint64_t, simulated_launch> started_;  // by number
    std::unique_ptr<rate_monitor> monitor_;              // --sample-stable
    std::uint64_t end_ = 0;    // core cycle after the end of the last kernel
    bool overlapped_ = false;  // whether two kernels have overlapped
};

}  // namespace simtlm::platform
