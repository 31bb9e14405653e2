// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/sampling/kernel_sampler.h"

#include <cstdint>
#include <string>

namespace simtlm::dispatch {
struct finished_kernel;
}

namespace simtlm::platform {

class gpu;

/// A program by samples (--sample): its launches are known one after the other, and all of them
/// have to be executed. Of a group the launches 1, 2, 5, 10, 21, 42 and so on
/// are simulated, the others executed without time; their cycles follow from the instructions that
/// they have executed.
class launch_sampler {
public:
    /// @param launch_cycles  what a kernel takes that does nothing, core cycles
    launch_sampler(const sampling_options& how, double launch_cycles)
        : how_(how), sampler_(how, launch_cycles) {}

    /// Options that choose launches themselves, or need the launches to come.
    /// @throws kernel::user_error
    static void check(const option_values& values);

    /// The next launch. @return whether it is simulated
    bool take(const kernel_traits& traits);
    /// A launch has been executed without time. @param number  from 1, in the order of take()
    void executed(std::uint64_t number, std::uint64_t warp_instructions);
    /// A launch has been simulated; its number is that of the command in its list.
    void ended(const gpu& device, const dispatch::finished_kernel& kernel);

    /// Nothing more will run: writes the file of the projection, where one is asked for.
    /// @throws kernel::output_error
    void write() const;
    /// The projection: lines "name = value", and a table of the groups.
    std::string text() const;
    /// The same in a line.
    std::string summary() const;

private:
    sampling_options how_;
    kernel_sampler sampler_;
    std::uint64_t launches_ = 0;
    std::uint64_t end_ = 0;           // core cycle behind the last kernel
    std::uint64_t instructions_ = 0;  // warp instructions of all SMs until then
    bool overlapped_ = false;         // two kernels have run at the same time
};

}  // namespace simtlm::platform
