// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_heap.h"
#include "modules/execution/state/program_image.h"
#include "modules/program/kernel_descriptor.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A kernel launch by a kernel, or a copy or fill.
struct device_launch {
    const kernel_image* kernel = nullptr;
    std::function<void()> effect;  ///< performs a copy or fill; empty: a kernel
    program::dim3 grid;
    program::dim3 block;
    std::uint32_t dynamic_shared = 0;  ///< bytes per CTA
    std::vector<std::byte> parameters;
    std::uint64_t stream = 0;    ///< a stream of the grid, or one of device_launches
    std::uint64_t by_block = 0;  ///< number of the CTA that launched it
};

/// The launches by the threads of one grid: dynamic parallelism as of CUDA 12, in which a grid does
/// not wait for those that it launches. They begin when it has ended. Thread-safe.
class device_launches {
public:
    /// Values of cudaError_t.
    enum error : int {
        no_error = 0,
        invalid_value = 1,
        invalid_configuration = 9,
        too_deep = 65,
        pool_exhausted = 69,
        not_a_function = 98
    };
    /// cudaStreamTailLaunch and cudaStreamFireAndForget
    static constexpr std::uint64_t tail_stream = 3, fire_and_forget = 4;
    static constexpr unsigned deepest = 24;                                 ///< nested launches
    static constexpr std::uint64_t buffer_bytes = std::uint64_t{16} << 20;  ///< for parameters

    /// @param buffers  device memory for the parameters of launches in preparation
    /// @param depth    of the grid: 0 if it was launched by the host
    device_launches(std::shared_ptr<device_heap> buffers, unsigned depth)
        : buffers_(std::move(buffers)), depth_(depth) {}

    unsigned depth() const { return depth_; }
    const std::shared_ptr<device_heap>& buffers() const { return buffers_; }

    /// A launch in preparation.
    /// @return the address for its parameters; 0 after an error, which `why` receives
    device_address prepare(device_launch what, error& why);
    /// Launches what was prepared. @param stream  0: the default stream of the CTA
    error launch(device_address buffer, std::uint64_t stream, std::uint64_t by_block,
                 const device_memory& memory);
    /// Adds a copy or fill.
    void add(device_launch what);
    /// A handle for a new stream or event.
    std::uint64_t new_handle();
    /// Events relate streams: all launches are executed in order.
    void use_events();
    void set_error(std::uint64_t thread, error e);
    /// The last error of a thread.
    error last_error(std::uint64_t thread, bool reset);

    /// Takes all launches. Those of a CTA are in order, and the CTAs too, so that the result does
    /// not depend on host threads.
    std::vector<device_launch> take();
    bool uses_events() const { return uses_events_; }

    /// Whether a function of the device runtime launches kernels; programs that declare such a
    /// function need an object of this class.
    static bool is_needed_for(const std::string& function);

private:
    std::shared_ptr<device_heap> buffers_;
    unsigned depth_;
    std::mutex mutex_;
    std::map<device_address, device_launch> prepared_;
    std::vector<device_launch> launched_;
    std::map<std::uint64_t, error> errors_;
    std::uint64_t handles_ = 0x100;
    bool uses_events_ = false;
};

}  // namespace simtlm::execution
