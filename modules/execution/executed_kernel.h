// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional.h"
#include "modules/execution/instruction_descriptors.h"
#include "modules/execution/launch.h"
#include "modules/execution/thread_block.h"
#include "modules/program/cluster_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

/// What the timing model lacks of a kernel, as a sentence; empty: nothing.
std::string untimed_part(const kernel_image& kernel, const instruction_descriptors& instructions);
constexpr const char* untimed_remedy = "run it without time: -gpgpu_ptx_sim_mode 1";

/// A launch that SMs draw instructions from: the machine behind the timing model. Instructions take
/// effect as they issue; what other SMs could see waits for the memory phase of the cycle, atomics
/// for the L2.
class executed_kernel : public program::cluster_kernel {
public:
    /// @param descriptor  of the launch's module; shared by all launches of it
    /// @param id     counts launches
    /// @throws kernel::user_error  as launch_context
    executed_kernel(launch what, device_memory& memory, services world,
                    std::shared_ptr<const instruction_descriptors> descriptor, std::uint32_t id);
    ~executed_kernel() override;

    const program::kernel_descriptor& descriptor() const override { return kernel_; }
    unsigned cluster_size() const override {
        return static_cast<unsigned>(context_.cluster().volume());
    }
    std::unique_ptr<program::cta> next_cta() override;
    void recycle(std::unique_ptr<program::cta> block) override;
    /// All that it can execute, function by function.
    std::vector<program::instruction_window> code() const {
        return instructions_->code_of(what_.kernel->function);
    }

    /// What has been executed so far: warp instructions and allocations; not by opcode and class,
    /// and no threads.
    execution_summary executed() const;

private:
    class block;
    class executor;

    void forget_freed_memory();
    bool in_clusters() const { return cluster_size() > 1; }
    std::uint64_t number_of(std::uint64_t n);

    services world_;
    launch what_;
    launch_context context_;
    std::shared_ptr<const instruction_descriptors> instructions_;
    program::kernel_descriptor kernel_;
    worker_state worker_;
    std::vector<std::uint64_t> issued_;       ///< warps, by instruction
    std::uint64_t next_ = 0;                  ///< CTAs taken
    std::shared_ptr<block_cluster> cluster_;  ///< of the CTA taken last
    std::uint64_t now_ = 0;                   ///< core cycle of the last issue
    std::vector<std::unique_ptr<program::cta>> idle_;
};

}  // namespace simtlm::execution
