// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::trace {

/// Replays a kernel that was recorded during execution. To an SM its warps are executed ones: they
/// are fetched in program order and report at issue their effects and the next instruction, so that
/// the replay takes the same number of cycles as the execution. The reported values are the
/// recorded ones.
/// Its clusters are placed, and communicate, as those of the execution.
class executed_replay final : public program::clustered_kernel {
public:
    /// @pre trace->header().code
    explicit executed_replay(std::unique_ptr<kernel_trace> trace);
    ~executed_replay() override;

    const program::kernel_descriptor& descriptor() const override { return descriptor_; }
    program::dim3 cta_cluster_shape() const override { return trace_->header().cluster; }
    void start() override { trace_->start(); }
    std::unique_ptr<program::cta> next_cta() override;
    void recycle(std::unique_ptr<program::cta> block) override;
    std::vector<std::string> take_warnings() override { return trace_->take_warnings(); }

private:
    class warp;
    class block;

    std::unique_ptr<kernel_trace> trace_;
    std::shared_ptr<const executed_code> code_;
    program::kernel_descriptor descriptor_;
    bool machine_code_ = false;
    std::shared_ptr<replayed_cluster> cluster_;  ///< of the last CTA taken; nullptr: no clusters
    std::uint64_t taken_ = 0;                    ///< CTAs
    std::vector<std::unique_ptr<block>> idle_;
};

}  // namespace simtlm::trace
