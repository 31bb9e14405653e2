// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"
#include "modules/execution/state/program_image.h"
#include "modules/program/kernel_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::execution {

class device_heap;
class device_launches;
struct program_checker;
class execution_log;
class texture_table;

/// A kernel launch.
struct launch {
    const program_image* image = nullptr;
    const kernel_image* kernel = nullptr;
    program::dim3 grid;
    program::dim3 block;
    program::dim3 cluster;             ///< CTAs per cluster; if one: as required by the kernel
    std::uint32_t dynamic_shared = 0;  ///< bytes per CTA
    /// Preferred shared memory of the SM in percent; negative: no preference.
    std::int32_t carve_out = -1;
    std::vector<std::byte> parameters;
    std::vector<std::uint32_t> environment;  ///< %envreg0 to at most %envreg31; the others are 0
    bool cooperative = false;  ///< all CTAs are resident at the same time and may wait for each
                               ///< other
    std::uint64_t grid_id = 1;
    std::uint64_t stream = 0;
    std::uint64_t first_thread = 1;  ///< number of its first thread over all launches, for logs
};

/// What is wrong with the size of a launch's blocks for a kernel, or nothing: .reqntid, .maxntid.
std::string block_fault(const kernel_image& kernel, const program::dim3& block);

/// With .blocksareclusters, a launch gives its grid in clusters and leaves the size of the blocks
/// to the kernel: converts both to CTAs and threads.
void complete_shape(const kernel_image& kernel, program::dim3& grid, program::dim3& block);

/// CTAs per cluster: as requested by the launch or, if that is one, as required by the kernel.
program::dim3 cluster_of(const kernel_image& kernel, const program::dim3& asked);

/// Services used by programs. Empty ones have defaults.
struct services {
    std::function<void(std::string_view)> print;  ///< output of the device's printf; default:
                                                  ///< discarded
    std::function<std::uint64_t()> clock;         ///< core cycles; default: number of executed
                                                  ///< instructions
    std::function<std::uint64_t()> global_time;   ///< ns; default: the host's monotonic clock
    double cycles_per_nanosecond = 0;             ///< of the core clock; 0: nothing sleeps
    std::uint64_t stack_limit = 1024;             ///< bytes per thread, if the need is unknown
    device_heap* heap = nullptr;                  ///< for malloc; nullptr: malloc returns 0
    /// For launches by the kernel; nullptr: they are errors.
    std::shared_ptr<device_launches> launches;
    const texture_table* textures = nullptr;  ///< textures and surfaces by handle
    /// Timed execution: takes a fault of the program instead of throwing it, which would interrupt
    /// the SM; the warp has ended.
    std::function<void(std::exception_ptr)> fault;
    program_checker* checker = nullptr;  ///< enabled checks; nullptr: none
    execution_log* log = nullptr;        ///< log of executed instructions, or nullptr
    unsigned sms = 80;                   ///< %nsmid
    unsigned host_threads = 1;           ///< timed execution: that may issue instructions
};

/// The CTAs of a launch that have not begun. CTAs that run can cancel their launch and do their
/// work (PTX manual, clusterlaunchcontrol.try_cancel).
class pending_ctas {
public:
    virtual ~pending_ctas();
    /// Cancels the launch of a cluster, or of a CTA if there are no clusters.
    /// @param requester  index in the grid of the CTA that asks for it
    /// @return the index in the grid of its first CTA; nothing: none can be cancelled
    virtual std::optional<std::uint64_t> cancel(std::uint64_t requester) = 0;
};

/// State shared by the CTAs of a launch.
class launch_context {
public:
    /// @throws support::user_error  for an invalid launch: no threads, too many threads, missing
    ///         parameters
    launch_context(const launch& what, device_memory& memory, const services& world);
    ~launch_context();
    launch_context(const launch_context&) = delete;
    launch_context& operator=(const launch_context&) = delete;

    const launch& what;
    const program_image& image;
    const kernel_image& kernel;
    device_memory& memory;
    const services& world;
    bool timed = false;  ///< SMs execute it
    /// Several host threads execute: atomics must be atomic on the host.
    bool concurrent = false;

    unsigned threads() const { return threads_; }
    unsigned warps() const { return (threads_ + warp_size - 1) / warp_size; }
    /// CTAs per cluster, in each dimension; one if clusters are not used.
    const program::dim3& cluster() const { return cluster_; }
    std::uint32_t shared_bytes() const { return shared_bytes_; }
    std::uint32_t local_bytes() const { return local_bytes_; }
    const std::byte* parameters() const { return what.parameters.data(); }
    /// The bank `constants`.
    std::byte* constants() const { return constants_ ? constants_.get() : image.constants(); }
    device_address grid_workspace = 0;  ///< for a cooperative launch
    /// Outputs text printed by a program; serialised.
    void print(std::string_view text);
    /// Held while a 128-bit atomic changes memory.
    std::unique_lock<std::mutex> lock_wide_atomics() {
        return std::unique_lock<std::mutex>(wide_atomics_);
    }

private:
    unsigned threads_;
    program::dim3 cluster_;
    std::uint32_t shared_bytes_;
    std::uint32_t local_bytes_;
    lane_buffer constants_;  ///< specific to this launch; empty: those of the image are used
    std::mutex wide_atomics_;
    std::mutex printing_;
};

}  // namespace simtlm::execution
