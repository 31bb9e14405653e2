// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/progress_monitor.h"
#include "modules/execution/state/thread_block.h"
#include "modules/host_threads/worker_pool.h"
#include "modules/program/cta_cluster_source.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Describes the part of a kernel that the timing model does not support; empty: all is supported.
std::string untimed_part(const kernel_image& kernel, const instruction_descriptors& instructions);
constexpr const char* untimed_remedy = "run it without time: -gpgpu_ptx_sim_mode 1";

/// A launch whose instructions are issued by SMs: connects the functional machine to the timing
/// model. Instructions take effect when they issue; effects visible to other SMs are deferred to
/// the memory phase of the cycle, and atomics to the L2.
class executed_kernel : public program::clustered_kernel,
                        private progress_monitor::participant,
                        private pending_ctas {
public:
    /// @param descriptor  of the launch's module; shared by all its launches
    /// @param id          launch number
    /// @throws support::user_error  as launch_context
    executed_kernel(launch what, device_memory& memory, services world,
                    std::shared_ptr<const instruction_descriptors> descriptor, std::uint32_t id);
    ~executed_kernel() override;

    const program::kernel_descriptor& descriptor() const override { return kernel_; }
    program::dim3 cta_cluster_shape() const override { return context_.cluster(); }
    std::unique_ptr<program::cta> next_cta() override;
    std::uint64_t take_cancelled() override { return std::exchange(cancelled_, 0); }
    void permit_cancellation(bool permitted) override { can_cancel_ = permitted; }
    void recycle(std::unique_ptr<program::cta> block) override;
    /// The ignored hints of the instructions that have issued.
    std::vector<std::string> take_notes() override;
    /// SMs share the state of checks and of an execution log at issue, and CTA pairs their tensor
    /// memory.
    bool issues_on_several_threads() const override;
    /// All code that it can execute, by function.
    std::vector<program::instruction_window> code() const {
        return instructions_->code_of(what_.kernel->function);
    }

    /// Executes the remaining CTAs functionally. No CTA of the kernel may be resident in an SM.
    /// @throws execution_error
    void execute_rest(const functional_options& how);

    /// Not of kernels with clusters, cooperative launches, several barriers, or asynchronous
    /// engines, whose warps may wait for others that would end without arriving.
    bool end_early() override;
    /// Executes one CTA functionally, apart from the launch, for its number of instructions. Its
    /// stores take effect. @return warp instructions; nothing if it faults, as when it waits for
    /// other CTAs
    std::optional<std::uint64_t> instructions_of(std::uint64_t block,
                                                 const functional_options& how);

    /// Statistics so far: warp instructions and allocations; without opcodes, classes and threads.
    execution_summary executed() const;

private:
    class block;
    class executor;
    /// What a host thread on which SMs issue counts and caches.
    struct alignas(64) issue_worker {
        worker_state state;
        std::vector<std::uint64_t> issued;  ///< warp executions, by instruction
    };

    bool is_stuck(std::uint32_t round) const override;
    bool is_resident() const override { return !resident_.empty(); }
    void report() const override;
    void discard_freed_memory(worker_state& worker) const;
    issue_worker& worker_of_this_thread() {
        return workers_[workers_.size() == 1 ? 0 : host_threads::worker_pool::this_thread()];
    }
    std::uint64_t issues_of(std::size_t instruction) const;
    bool in_cta_clusters() const { return cta_cluster_size() > 1; }
    std::uint64_t number_of(std::uint64_t n);
    /// In the memory phase of a cycle, in which requests of SMs are in order.
    std::optional<std::uint64_t> cancel(std::uint64_t requester) override;

    services world_;
    launch what_;
    launch_context context_;
    std::shared_ptr<const instruction_descriptors> instructions_;
    program::kernel_descriptor kernel_;
    std::vector<issue_worker> workers_;       ///< by host thread
    std::uint64_t executed_bytes_ = 0;        ///< bytes of allocations accessed by execute_rest()
    std::uint64_t next_ = 0;                  ///< next CTA; number of CTAs taken so far
    std::shared_ptr<block_cluster> cluster_;  ///< cluster of the last CTA taken
    std::atomic<std::uint64_t> now_{0};       ///< core cycle of the last issue
    bool ends_early_ = false;
    bool can_cancel_ = true;
    std::uint64_t cancelled_ = 0;  ///< CTAs, since take_cancelled()
    std::vector<std::unique_ptr<program::cta>> idle_;
    std::map<std::uint64_t, block*> resident_;  ///< by index in the grid
};

}  // namespace simtlm::execution
