// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/sampling/kernel_sampler.h"
#include "platform/sampling/launch_chooser.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::dispatch {
struct finished_kernel;
}

namespace simtlm::platform {

/// A program by samples (--sample): its launches are known one after the other, and all of them
/// have to be executed. A few of each group are simulated (launch_chooser), the others executed
/// without time; their cycles follow from the instructions that they have executed. Groups are
/// formed of launches of the same kernel, grid and block by the mix of their instructions and the
/// memory that they have accessed, once they have run.
class launch_sampler {
public:
    /// @param launch_cycles  what a kernel takes that does nothing, core cycles
    launch_sampler(const sampling_options& how, double launch_cycles)
        : how_(how), sampler_(how, launch_cycles) {}

    /// Options that choose launches themselves, or need the launches to come.
    /// @throws kernel::user_error
    static void check(const option_values& values);

    /// Tells what a launch has executed.
    using witness = std::function<kernel_traits()>;

    /// The next launch. @return whether it is simulated
    bool take(const kernel_traits& traits);
    /// A launch has been executed without time. @param number  from 1, in the order of take()
    /// @param traits  with what it has executed
    void executed(std::uint64_t number, const kernel_traits& traits);
    /// A launch is going to be simulated. @param executed  is asked once it has ended
    void started(std::uint64_t number, witness executed);
    /// A launch has been simulated; its number is that of the command in its list.
    void ended(const dispatch::finished_kernel& kernel);

    /// Nothing more will run: writes the file of the projection, where one is asked for.
    /// @throws kernel::output_error
    void write() const;
    /// The projection: lines "name = value", and a table of the groups.
    std::string text() const;
    /// The same in a line.
    std::string summary() const;

private:
    /// Name; grid, block, shared memory, registers.
    using family_key = std::pair<std::string, std::array<std::uint32_t, 8>>;

    double assign(std::uint64_t number, const kernel_traits& traits, bool simulated);

    sampling_options how_;
    kernel_sampler sampler_;
    launch_chooser chooser_;
    std::map<family_key, std::size_t> families_;
    std::vector<std::size_t> family_of_;        // by launch
    std::vector<bool> has_run_;                 // by family: one of its launches
    std::map<std::uint64_t, witness> started_;  // by number
    std::uint64_t end_ = 0;                     // core cycle behind the last kernel
    bool overlapped_ = false;                   // two kernels have run at the same time
};

}  // namespace simtlm::platform
