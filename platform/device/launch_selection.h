// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "platform/device/engine.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/sampling/kernel_traits.h"

#include <memory>

namespace simtlm::execution {
class executed_kernel;
}

namespace simtlm::platform {
class launch_sampler;
}

namespace simtlm::device {

class run_log;

/// Selects the launches that are simulated: by --sample, by options such as --kernels, or all. The
/// others are executed in functional mode. Passes the sampler what it must know of both.
class launch_selection {
public:
    using code = std::shared_ptr<const execution::instruction_descriptors>;

    /// @param sampler  nullptr: launches are not sampled
    launch_selection(shared_state& state, const trace::kernel_choice& chosen,
                     platform::launch_sampler* sampler)
        : state_(state), chosen_(chosen), selector_(chosen), sampler_(sampler) {}

    /// Attaches the sampler to the GPU, before elaboration ends.
    void attach(platform::gpu& device);
    /// Returns whether all launches are simulated, completely.
    bool takes_all() const;
    /// Returns whether to simulate the next launch.
    bool takes(const execution::launch& l);
    /// Returns whether to execute nothing of a launch that is not simulated (--sample-skip).
    bool skips(const execution::launch& l);
    /// A launch has been executed in functional mode.
    void executed(const execution::launch& l, const execution::execution_summary& s, const code& c);
    /// A launch is about to be simulated.
    void started(const std::shared_ptr<execution::executed_kernel>& kernel,
                 const execution::launch& l, const code& c);
    /// A launch has been simulated. @throws execution_error
    void ended(const dispatch::finished_kernel& kernel);
    /// The run has ended: reports and writes the projection.
    void finish(run_log& log);

private:
    /// The traits that are known before a launch.
    platform::kernel_traits known_traits(const execution::launch& l) const;

    shared_state& state_;
    trace::kernel_choice chosen_;
    trace::kernel_selector selector_;
    platform::launch_sampler* sampler_;
};

}  // namespace simtlm::device
